/* SPDX-License-Identifier: MIT */
/*
 * Numbers as perf prints them, in whatever locale: with ' in the format glibc groups thousands by
 * the locale's character (comma, point, apostrophe, a no-break space of two or three bytes), and
 * the decimal sign follows the locale too.
 */
#include "counters/stat_parse.h"

#include <string.h>

#define DIGITS_MAX 38 /* that 128 bits hold */
#define COUNT_MAX  18446744073709551616.0 /* 2^64: counters have 64 bits */

struct span span_trim(struct span s)
{
	while (s.n && (*s.s == ' ' || *s.s == '\t')) {
		s.s++;
		s.n--;
	}
	while (s.n && strchr(" \t\r", s.s[s.n - 1]) && s.s[s.n - 1])
		s.n--;
	return s;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool span_digits(struct span s, size_t min, size_t max)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.s[i]))
			return false;
	return s.n >= min && s.n <= max;
}

bool span_is(struct span s, const char *text)
{
	return s.n == strlen(text) && !memcmp(s.s, text, s.n);
}

struct span span_after(struct span s, const char *text)
{
	size_t n = strlen(text);

	if (s.n < n || memcmp(s.s, text, n))
		return (struct span){ NULL, 0 };
	return (struct span){ s.s + n, s.n - n };
}

const char *span_find(struct span s, const char *text)
{
	return memmem(s.s, s.n, text, strlen(text));
}

enum counter_state stat_not_state(struct span s)
{
	if (span_is(s, "<not counted>"))
		return COUNTER_NOT_COUNTED;
	return span_is(s, "<not supported>") ? COUNTER_NOT_SUPPORTED : COUNTER_ABSENT;
}

/* The length of a thousands separator at S, 0 if there is none. */
static size_t separator(const char *s, size_t n)
{
	static const char *const marks[] = {
		",", ".", "'", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99", "\xd9\xac", "\xd9\xab"
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t len = strlen(marks[i]);

		if (len <= n && !memcmp(s, marks[i], len))
			return len;
	}
	return 0;
}

struct scanned {
	unsigned __int128 whole; /* all digits, without separators */
	size_t n, last; /* LAST of them behind the last separator */
	unsigned separators;
};

static enum number_result scan(struct span s, struct scanned *out)
{
	bool digit = false;

	*out = (struct scanned){ .n = 0 };
	for (size_t i = 0; i < s.n;) {
		size_t len = is_digit(s.s[i]) ? 0 : separator(s.s + i, s.n - i);

		if (is_digit(s.s[i])) {
			if (out->n < DIGITS_MAX)
				out->whole = out->whole * 10 + (unsigned)(s.s[i] - '0');
			out->n++;
			out->last++;
			i++;
			digit = true;
			continue;
		}
		if (!len || !digit)
			return NUMBER_NONE;
		digit = false;
		out->separators++;
		out->last = 0;
		i += len;
	}
	if (!digit)
		return NUMBER_NONE;
	return out->n <= DIGITS_MAX ? NUMBER_OK : NUMBER_RANGE;
}

/* The digits as a number whose last DECIMALS are behind the point. */
static enum number_result convert(const struct scanned *sc, size_t decimals, double *out)
{
	double v = (double)sc->whole, scale = 1;

	for (size_t i = 0; i < decimals; i++)
		scale *= 10;
	v /= scale;
	if (!(v < COUNT_MAX))
		return NUMBER_RANGE;
	*out = v;
	return NUMBER_OK;
}

enum number_result stat_number(struct span s, double *out)
{
	struct scanned sc;
	enum number_result r = scan(s, &sc);

	if (r != NUMBER_OK)
		return r;
	if (sc.separators > 1)
		return NUMBER_NONE;
	return convert(&sc, sc.separators ? sc.last : 0, out);
}

enum number_result stat_grouped_number(struct span s, double *out)
{
	struct scanned sc;
	enum number_result r = scan(s, &sc);

	if (r != NUMBER_OK)
		return r;
	return convert(&sc, sc.separators && sc.last != 3 ? sc.last : 0, out);
}

bool stat_time(struct span s, double *out)
{
	s = span_trim(s);
	if (s.n < 11 || !span_digits((struct span){ s.s + s.n - 9, 9 }, 9, 9))
		return false;
	return (s.s[s.n - 10] == '.' || s.s[s.n - 10] == ',') && stat_number(s, out) == NUMBER_OK;
}

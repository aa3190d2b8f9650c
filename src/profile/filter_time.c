/* SPDX-License-Identifier: MIT */
/*
 * --time in perf's grammar (tools/perf/Documentation/perf-report.txt): windows in seconds,
 * "start,stop", either of which may be missing, several separated by blanks and in order; or
 * parts of the time between the first and the last sample, "10%/2" (the second tenth) and
 * "10%-20%", several separated by commas.  Numbers are read digit by digit: strtod() would
 * depend on the locale.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/filter_priv.h"

#define NS_PER_SEC UINT64_C(1000000000)

static int bad_time(struct err *err, const char *text, const char *why)
{
	return err_set(err, ERR_USAGE,
		       "the time \"%s\" is not understood (%s): give \"start,stop\" in seconds, "
		       "\"10%%/2\" or \"10%%-20%%\"",
		       text, why);
}

static const char *skip_blanks(const char *s)
{
	while (isblank((unsigned char)*s))
		s++;
	return s;
}

/* [SECONDS][.NANOSECONDS], to ns; NULL when it is none or too large.  Empty is 0. */
static const char *parse_seconds(const char *s, uint64_t *ns)
{
	uint64_t sec = 0, frac = 0, digit = NS_PER_SEC;

	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(sec, 10, &sec) ||
		    __builtin_add_overflow(sec, (uint64_t)(*s - '0'), &sec))
			return NULL;
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++) {
			digit /= 10;
			if (!digit)
				return NULL;
			frac += (uint64_t)(*s - '0') * digit;
		}
	if (__builtin_mul_overflow(sec, NS_PER_SEC, &sec) || __builtin_add_overflow(sec, frac, ns))
		return NULL;
	return s;
}

static int add_windows(struct filter *f, const char *text, struct err *err)
{
	const char *s = skip_blanks(text);
	struct filter_time last = { 0 };
	bool first = true;

	while (*s || first) {
		struct filter_time t = { 0 };

		s = parse_seconds(s, &t.from);
		if (!s || *s != ',')
			return bad_time(err, text,
					s ? "a comma is missing"
					  : "a number is too large or too precise");
		s = parse_seconds(skip_blanks(s + 1), &t.to);
		if (!s || (*s && !isblank((unsigned char)*s)))
			return bad_time(err, text,
					s ? "a stop must be followed by a blank"
					  : "a number is too large or too precise");
		t.window = (struct filter_window){ t.from, t.to ? t.to : UINT64_MAX };
		if (t.to && t.to < t.from)
			return bad_time(err, text, "a stop is before its start");
		if (!first && last.to >= t.from)
			return bad_time(err, text, "the windows overlap or are out of order");
		vec_push(&f->times, t);
		last = t;
		first = false;
		s = skip_blanks(s);
	}
	return 0;
}

/* NUMBER%, as a fraction. */
static const char *parse_percent(const char *s, double *share)
{
	const char *start = s;
	double v = 0, digit = 1;

	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (*s - '0');
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++)
			v += (*s - '0') * (digit /= 10);
	*share = v / 100;
	return *s == '%' && s > start ? s + 1 : NULL;
}

/* One of N%/I, N%-M% and N%. */
static const char *parse_part(const char *s, struct filter_time *t)
{
	unsigned i = 1;

	s = parse_percent(s, &t->share);
	if (!s)
		return NULL;
	if (*s == '-')
		return parse_percent(s + 1, &t->share_to);
	if (*s == '/') {
		if (!isdigit((unsigned char)s[1]))
			return NULL;
		for (i = 0, s++; isdigit((unsigned char)*s); s++)
			i = i < 1000000 ? i * 10 + (unsigned)(*s - '0') : i;
	}
	t->share_to = t->share * i;
	t->share = t->share * ((double)i - 1);
	return s;
}

static int add_parts(struct filter *f, const char *text, struct err *err)
{
	const char *s = skip_blanks(text);

	for (;;) {
		struct filter_time t = { 0 };

		s = parse_part(s, &t);
		if (!s)
			return bad_time(err, text, "a percentage is malformed");
		if (t.share < 0 || t.share > 1 || t.share_to < 0 || t.share_to > 1)
			return bad_time(err, text, "a part is outside 0% to 100%");
		if (t.share_to <= t.share)
			return bad_time(err, text, "a part is empty");
		vec_push(&f->times, t);
		if (!*s)
			break;
		if (*s != ',' && !isblank((unsigned char)*s))
			return bad_time(err, text, "parts are separated by commas");
		s = skip_blanks(s + (*s == ','));
	}
	f->percent = true;
	return 0;
}

int filter_add_time(struct filter *f, const char *text, struct err *err)
{
	bool percent = strchr(text, '%');

	if (f->times.n && percent != f->percent)
		return bad_time(err, text, "seconds and percentages can't be mixed");
	return percent ? add_parts(f, text, err) : add_windows(f, text, err);
}

void filter_set_span(struct filter *f, uint64_t first, uint64_t last)
{
	double total = last > first ? (double)(last - first) : 0;

	f->span = true;
	for (size_t i = 0; f->percent && i < f->times.n; i++) {
		struct filter_time *t = &f->times.v[i];

		t->from = first + (uint64_t)(t->share * total + 0.5);
		t->to = first + (uint64_t)(t->share_to * total + 0.5);
		/* what goes on before the first sample or after the last one is in their parts */
		t->window.from = t->from > first ? t->from : 0;
		t->window.until = t->to < last ? t->to : UINT64_MAX;
		/* the sample on the border belongs to the next part, the last one to the last */
		if (t->to > t->from && t->to != last)
			t->to--;
	}
}

static int by_from(const void *pa, const void *pb)
{
	const struct filter_window *a = pa, *b = pb;

	return a->from < b->from ? -1 : a->from > b->from;
}

size_t filter_windows(const struct filter *f, struct filter_window **out)
{
	struct filter_window *v = xcalloc(f->times.n, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < f->times.n; i++)
		v[i] = f->times.v[i].window;
	if (f->times.n)
		qsort(v, f->times.n, sizeof(*v), by_from);
	for (size_t i = 0; i < f->times.n; i++) {
		if (n && v[i].from <= v[n - 1].until) {
			if (v[i].until > v[n - 1].until)
				v[n - 1].until = v[i].until;
			continue;
		}
		v[n++] = v[i];
	}
	*out = v;
	return n;
}

uint64_t filter_windows_within(const struct filter_window *v, size_t n, uint64_t from,
			       uint64_t until)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n && v[i].from < until; i++) {
		uint64_t begin = v[i].from > from ? v[i].from : from;
		uint64_t end = v[i].until < until ? v[i].until : until;

		sum += begin < end ? end - begin : 0;
	}
	return sum;
}

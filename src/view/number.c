/* SPDX-License-Identifier: MIT */
/*
 * The program never calls setlocale(), so printf() is in the "C" locale; only the grouping of
 * digits has to be done here.
 */
#include "view/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void number_thousands(struct strbuf *sb, uint64_t v)
{
	char digits[32];
	size_t at = sizeof(digits);
	int n = 0;

	do {
		if (n && n % 3 == 0)
			digits[--at] = ',';
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
		n++;
	} while (v);
	strbuf_add(sb, digits + at, sizeof(digits) - at);
}

/* Three significant digits of V (0 … 9999), at most two decimals. */
static void three_digits(struct strbuf *sb, double v)
{
	strbuf_addf(sb, "%.*f", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v);
}

void number_si(struct strbuf *sb, double v)
{
	static const char prefixes[] = " kMGTPE";
	size_t i = 0;

	if (v < 999.5 && v == floor(v)) {
		strbuf_addf(sb, "%.0f", v);
		return;
	}
	while (v >= 999.5 && prefixes[i + 1]) {
		v /= 1000;
		i++;
	}
	three_digits(sb, v);
	if (i)
		strbuf_addf(sb, " %c", prefixes[i]);
}

static void long_duration(struct strbuf *sb, uint64_t s)
{
	if (s < 3600)
		strbuf_addf(sb, "%llu min %llu s", (unsigned long long)s / 60,
			    (unsigned long long)s % 60);
	else
		strbuf_addf(sb, "%llu h %llu min", (unsigned long long)s / 3600,
			    (unsigned long long)s / 60 % 60);
}

void number_duration(struct strbuf *sb, double seconds)
{
	static const char *const units[] = { " ns", " µs", " ms", " s" };
	double v = seconds * 1e9;
	int i = 0;

	if (seconds >= 119.5) {
		long_duration(sb, (uint64_t)(seconds + 0.5));
		return;
	}
	while (v >= 999.5 && i < 3) {
		v /= 1000;
		i++;
	}
	if (!i)
		strbuf_addf(sb, "%.0f", v);
	else
		three_digits(sb, v);
	strbuf_adds(sb, units[i]);
}

void number_bytes(struct strbuf *sb, uint64_t v)
{
	if (v < 1000) {
		strbuf_addf(sb, "%llu byte%s", (unsigned long long)v, v == 1 ? "" : "s");
		return;
	}
	number_si(sb, (double)v);
	strbuf_addc(sb, 'B');
}

void number_weight(struct strbuf *sb, uint64_t v, const char *unit)
{
	if (!strcmp(unit, "ns")) {
		number_duration(sb, (double)v / 1e9);
		return;
	}
	number_si(sb, (double)v);
	if (*unit)
		strbuf_addf(sb, " %s", unit);
}

void number_percent(struct strbuf *sb, double share)
{
	double percent = share * 100;

	if (percent > 0 && percent < 0.05)
		strbuf_adds(sb, "<0.1");
	else if (percent < 100 && percent >= 99.95)
		strbuf_adds(sb, "99.9"); /* all is only all */
	else
		strbuf_addf(sb, "%.1f", percent);
}

void number_margin(struct strbuf *sb, double share)
{
	/* the tolerance keeps 0.7 from becoming 0.8 through its binary representation */
	strbuf_addf(sb, "%.1f", ceil(share * 1000 - 1e-9) / 10);
}

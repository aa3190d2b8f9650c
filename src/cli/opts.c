/* SPDX-License-Identifier: MIT */
/* What the parsers of options have in common: numbers, and the way to a session. */
#include "cli/opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

unsigned long opts_number(const struct argp_state *state, const char *option, const char *text,
			  unsigned long max)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || v > max)
		argp_error(state, "%s wants a number from 0 to %lu, not \"%s\".", option, max,
			   text);
	return v;
}

double opts_percent(const struct argp_state *state, const char *option, const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(v >= 0 && v <= 100))
		argp_error(state, "%s wants a percentage from 0 to 100, not \"%s\".", option, text);
	return v;
}

bool opts_counts(const struct argp_state *state, const char *text)
{
	if (strcmp(text, "period") && strcmp(text, "count"))
		argp_error(state, "--weight is period or count, not \"%s\".", text);
	return !strcmp(text, "count");
}

uint64_t opts_duration(const struct argp_state *state, const char *option, const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "µs", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double v = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (end != text && !strcmp(end, units[i].unit) && v > 0 && v * units[i].ns < 1e18)
			return (uint64_t)(v * units[i].ns);
	argp_error(state, "%s wants a span of time such as 10us, 1.5ms or 2s, not \"%s\".", option,
		   text);
	return 0;
}

struct session_options opts_session(const struct opts_input *in, const struct opts_symbols *sym)
{
	struct session_options so = {
		.path = in->path,
		.threads = in->threads,
		.max_stack = in->max_stack,
		.no_unwind = in->no_unwind,
		.no_repair = in->no_repair,
		.stitch_lbr = in->stitch_lbr,
	};

	if (sym)
		so.symbols = sym->s;
	so.symbols.threads = in->threads;
	return so;
}

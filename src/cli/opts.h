/* SPDX-License-Identifier: MIT */
/*
 * Options that several commands share, as argp parsers to be used as children: each fills a
 * struct that its command owns and hands over in child_inputs.  Names are perf's where perf has
 * the option.
 */
#ifndef PERFREP_CLI_OPTS_H
#define PERFREP_CLI_OPTS_H

#include <argp.h>
#include <stdbool.h>

#include "base/vec.h"

#include <perfrep/session.h>
#include <perfrep/view.h>

/* Keys of long options: above all characters, and no two commands' children may clash. */
enum opts_key {
	OPT_INPUT_FIRST = 0x200,
	OPT_SYMBOLS_FIRST = 0x300,
	OPT_FILTER_FIRST = 0x400,
	OPT_OUTPUT_FIRST = 0x500,
	OPT_COMMAND_FIRST = 0x600,
	OPT_COUNTERS_FIRST = 0x700,
};

/* The input and how it is worked on.  Takes one positional argument. */
struct opts_input {
	const char *path; /* never NULL after parsing */
	unsigned threads; /* 0: all CPUs */
	unsigned max_stack; /* 0: all frames */
	bool no_progress, quiet;
	bool no_unwind, no_repair, stitch_lbr; /* see struct session_options */
	bool verify; /* check the profile's invariants */
	unsigned verbose;
	enum opts_timings { TIMINGS_NO, TIMINGS_TEXT, TIMINGS_JSON } timings;
};

/* Where symbols come from. */
struct opts_symbols {
	struct symbolizer_options s;
	VEC(const char *) debug_dirs, search_dirs;
	bool no_cache;
	char *cache_dir; /* private */
};

/* How output looks. */
struct opts_output {
	struct view_style style;
	bool by_count; /* --weight=count */
	const char *own_format; /* set before: one more word for --format; NULL: none */
	bool own; /* it was given */
	int colour_when; /* private: 0 auto, 1 always, -1 never */
	bool width_given; /* private */
};

extern const struct argp opts_input_argp, opts_symbols_argp, opts_output_argp;
/* The input of commands that look at records and build no profile. */
extern const struct argp opts_walk_argp;
/* Output without --weight: for tables that are not of samples. */
extern const struct argp opts_table_argp;
/* --format=text|json alone, for commands whose output is no table. */
extern const struct argp opts_text_json_argp;

void opts_symbols_release(struct opts_symbols *o);

/* Parse a number; on failure argp_error() with the option's name. */
unsigned long opts_number(const struct argp_state *state, const char *option, const char *text,
			  unsigned long max);
/* The same of a span of time, "10us", "1.5ms", "2s"; in ns. */
uint64_t opts_duration(const struct argp_state *state, const char *option, const char *text);
/* --weight=TEXT: whether samples are counted. */
bool opts_counts(const struct argp_state *state, const char *text);
double opts_percent(const struct argp_state *state, const char *option, const char *text);

/* What was asked for, borrowed; SYM may be NULL. */
struct session_options opts_session(const struct opts_input *in, const struct opts_symbols *sym);

#endif

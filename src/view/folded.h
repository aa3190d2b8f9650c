/* SPDX-License-Identifier: MIT */
/*
 * A profile as folded stacks: "comm;root;…;leaf COUNT", sorted bytewise by the stack.
 *
 * Plain form.  No frame is lost and no name is cut.  In names and comms ';' becomes ':';
 * newline, tab and carriage return become \n, \t and \r; other control characters, the line
 * separators of Unicode and bytes that are not UTF-8 become \xNN for each byte.  So a line is a
 * stack, the text is UTF-8, and blanks, quotes, brackets and backslashes stay as they are.
 *
 * Compatible forms.  The bytes that `perf script | stackcollapse-perf.pl` and `perf script |
 * inferno-collapse-perf` give for the same stacks: with the frames that they drop, the argument
 * lists that they cut and the names that they change.  What depends on more than the stack can't
 * be had: the offset that perf prints behind a symbol stays in the name when the file's name
 * holds " (", and a comm of one letter that stackcollapse-perf.pl misreads when perf prints the
 * tid in five or more digits.
 */
#ifndef PERFREP_VIEW_FOLDED_H
#define PERFREP_VIEW_FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include <perfrep/profile.h>

enum fold_compat {
	FOLD_PLAIN,
	FOLD_FLAMEGRAPH, /* stackcollapse-perf.pl */
	FOLD_INFERNO, /* inferno-collapse-perf */
};

/* The marks that flamegraph.pl colours by; a frame gets the first that applies. */
enum fold_marks {
	FOLD_MARK_INLINED = 1 << 0, /* _[i] (in the compatible forms for A->B names only, always) */
	FOLD_MARK_KERNEL = 1 << 1, /* _[k] */
	FOLD_MARK_JIT = 1 << 2, /* _[j] */
};

struct fold_options {
	enum fold_compat compat;
	unsigned marks;
	bool count; /* print samples instead of weights (the peers do so for tracepoints) */
	bool pid, tid; /* comm-PID, comm-PID/TID; the profile's keys must hold them */
	bool addrs; /* the ip of frames without a name: [libc.so.6 <7f12…>] */
	bool no_chains; /* the event was sampled without call chains */
	uint32_t max_stack; /* innermost locations that are kept, as with perf script's option of
			     * that name; 0: all (perf script's default is 127) */
	struct profile_modules modules; /* for the compatible forms; path may be NULL */
};

/* Takes the text piece by piece; a value other than 0 ends the writing. */
typedef int fold_sink(void *ctx, const char *text, size_t len);

/* Every event: only with `count`, since weights of different events can't be added up. */
#define FOLD_ALL_EVENTS (UINT32_MAX - 1)

/*
 * Write the stacks of EVENT, whose locations must have their lines.  Returns 0, or what SINK
 * returned.
 */
int fold_write(const struct profile *p, uint32_t event, const struct fold_options *opts,
	       fold_sink *sink, void *ctx);

#endif

/* SPDX-License-Identifier: MIT */
/* The parts of the folded parser that need no memory: lines of a text, frames of a stack. */
#ifndef PERFREP_PROFILE_FOLDED_LINE_H
#define PERFREP_PROFILE_FOLDED_LINE_H

#include <perfrep/folded.h>

enum folded_kind {
	FOLDED_BLANK,
	FOLDED_MALFORMED,
	FOLDED_STACK,
};

/* The next line of the text, without its newline; false at the end. */
bool folded_next_line(const char **text, size_t *left, struct folded_frame *line);
/* Split a line into its stack (never empty) and its count. */
enum folded_kind folded_split(const char *line, size_t len, struct folded_frame *stack,
			      uint64_t *count);
/* Take the next frame off REST; false when none is left. */
bool folded_next_frame(struct folded_frame *rest, struct folded_frame *out);

#endif

/* SPDX-License-Identifier: MIT */
/* From roots and locations to the frames that a folded line names, for folded*.c only. */
#ifndef PERFREP_VIEW_FOLDED_FRAMES_H
#define PERFREP_VIEW_FOLDED_FRAMES_H

#include "base/intern.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "view/folded.h"

#include <perfrep/order.h>

/* The frames of every root and location, as string ids, root to leaf. */
struct frames {
	const struct profile *p;
	const struct fold_options *opts;
	struct intern names;
	VEC(uint32_t) v;
	struct frames_range *keys;
	bool *dropped; /* by key: the peers print nothing for it */
	bool *java; /* by key: which of the two it is … */
	struct frames_range *locs[2]; /* … by location, for a key that is not, and is Java */
	struct strbuf text, scratch;
};

void frames_init(struct frames *f, const struct profile *p, const struct fold_options *opts);
void frames_release(struct frames *f);

/* folded_compat.c: the frames of a line that perf script would print. */
void compat_line(struct frames *f, const struct location *l, const struct line *line, bool java);
/* folded_compat_root.c: those of a root. */
void compat_key(struct frames *f, const struct stack_key *key, uint32_t id);

/* Add one frame to f->v. */
void frames_push(struct frames *f, const char *s, size_t len);

#endif

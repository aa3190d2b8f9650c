/* SPDX-License-Identifier: MIT */
/*
 * Completing stacks that were cut because the dump ended.
 *
 * The outer frames of a thread stand still while its inner ones come and go: the word that a cut
 * stack lacks has mostly been seen in another sample of the same thread, taken when the stack
 * was shallower, at the same address.  What is remembered is: at this address, between these
 * times, lay the return address R of a frame of function F, and the frame outside of it had its
 * own at that address.
 *
 * Nothing is invented: a memory is used only for a frame of the same function, and when the
 * nearest memories before and after the sample disagree, the stack stays cut.
 */
#ifndef PERFREP_STACK_REPAIR_H
#define PERFREP_STACK_REPAIR_H

#include "base/hashidx.h"
#include "base/vec.h"

#include <perfrep/unwind.h>

#define REPAIR_NONE UINT32_MAX

/* A word of a thread's stack that was a return address. */
struct repair_word {
	uint64_t slot; /* its address */
	uint64_t ra; /* the word, as a code address */
	uint64_t func; /* of the frame that returns through it; struct unwind_frame */
	uint64_t next_slot; /* of the caller's own return address; 0: not known */
	uint64_t next_func; /* the caller's function */
	int32_t tid;
	bool whole; /* the caller is the outermost frame */
	bool is_return; /* `ra` is behind a call; not in a signal's frame */
	uint32_t span; /* its newest */
	uint32_t group, next; /* after repair_finish(): its own, and that of the caller's word */
};

/* A time in which the word was there. */
struct repair_span {
	uint64_t first, last;
	uint32_t word; /* REPAIR_NONE: forgotten */
};

struct repair {
	VEC(struct repair_word) words; /* different ones */
	struct hashidx words_index;
	VEC(struct repair_span) spans;
	size_t begun; /* spans from here on may grow */
	VEC(struct repair_word) at_hand; /* of the stack that is observed */
	VEC(uint64_t) hashes; /* of these */

	/* after repair_finish() */
	VEC(struct repair_group) groups; /* what lay in one place, for one function */
	struct hashidx groups_index;
	struct repair_seen *seen; /* of places with more than one word */
	VEC(struct repair_top) tops;
	struct hashidx tops_index; /* by thread */
};

/*
 * Remember the frames of a stack: ST's frames from FIRST_USER on are INFO's.  Words below LOWEST
 * are left out.  Call in any order of time.
 */
void repair_observe(struct repair *r, int32_t tid, uint64_t when, const struct stack *st,
		    size_t first_user, const struct unwind_info *info, uint64_t lowest);
/*
 * Later observations are not joined to earlier ones: makes the result independent of how the
 * recording was divided among threads, when called at places that don't depend on it.  Returns
 * where the later ones begin, …
 */
size_t repair_cut(struct repair *r);
/* … for forgetting those from FROM to TO. */
void repair_forget(struct repair *r, size_t from, size_t to);
void repair_merge(struct repair *dst, struct repair *src); /* SRC is empty after it */
/* After the last observation, before the first question. */
void repair_finish(struct repair *r);

/*
 * Append the frames outside of one whose return address lies in SLOT and whose function is FUNC
 * to ST, as far as they are known.  Their number; *WHOLE tells whether the last one is the
 * outermost.
 */
size_t repair_complete(const struct repair *r, int32_t tid, uint64_t when, uint64_t slot,
		       uint64_t func, struct stack *st, bool *whole);
/* The highest slot that was seen in thread TID, 0 when there is none. */
uint64_t repair_top(const struct repair *r, int32_t tid);
void repair_release(struct repair *r);

#endif

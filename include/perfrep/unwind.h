/* SPDX-License-Identifier: MIT */
/*
 * User stacks from a dump of registers and stack memory (perf record --call-graph dwarf), by the
 * call frame information of the mapped files.
 *
 * What the CFI says about one pc is found once a thread, packed into a rule and remembered; a
 * frame then costs a look into a cache and a few words of the dump.  struct unwind_modules is
 * shared by the threads (it locks itself); a struct unwinder belongs to one thread.
 */
#ifndef PERFREP_UNWIND_H
#define PERFREP_UNWIND_H

#include <perfrep/objfile.h>
#include <perfrep/stack.h>
#include <perfrep/timeline.h>

/* Why the walk ended. */
enum unwind_end {
	UNWIND_WHOLE, /* the outermost frame says that it has no caller */
	UNWIND_DUMP_END, /* the next word lies behind the dump: the stack is longer */
	UNWIND_NO_MAP, /* the return address lies in no executable map */
	UNWIND_NO_CFI, /* no CFI and no frame pointer chain */
	UNWIND_NO_MEMORY, /* a word that is neither in the dump nor in a read-only segment */
	UNWIND_NO_REGISTER, /* a rule needs a register whose value is not known */
	UNWIND_NO_PROGRESS, /* the CFA does not grow */
	UNWIND_OTHER_STACK, /* the caller is on a stack that was not dumped: Go's runtime */
	UNWIND_TOO_DEEP, /* more frames than any dump holds */
	UNWIND_NO_DUMP, /* no registers or no stack in the sample */
	UNWIND_NO_ARCH, /* the machine's registers are not known to this program */
	UNWIND_END_MAX,
};

/* Addresses that are further apart are of different stacks. */
#define UNWIND_STACK_SPAN ((uint64_t)64 << 20)

/* "stack dump used up" …: a few words. */
const char *unwind_end_text(enum unwind_end end);

/* Where a frame's return address was read: for repairing stacks that were cut. */
struct unwind_frame {
	uint64_t slot; /* address of the word with the return address into the caller; 0: none */
	uint64_t func; /* identity of the frame's function: dso id and where it begins, mixed; 0:
			* not known */
};

struct unwind_info {
	enum unwind_end end;
	uint64_t missing; /* UNWIND_DUMP_END: the address of the word */
	uint64_t sp; /* at the sample */
	struct unwind_frame *frames; /* one for each user frame, leaf first */
	size_t n, cap;
};

struct unwind_modules;
struct unwinder;

/* E_MACHINE of the recording (EM_X86_64 …); WHERE is borrowed. */
struct unwind_modules *unwind_modules_new(const struct objfile_search *where, uint16_t e_machine);
void unwind_modules_free(struct unwind_modules *um);

struct unwinder *unwinder_new(struct unwind_modules *um);
void unwinder_free(struct unwinder *u);

/*
 * Append the user frames of S, which ran in PROC at WHEN, to ST (which holds the kernel frames
 * or nothing).  INFO is reused from call to call: unwind_info_release() at the end.  The flags of
 * ST say afterwards whether the stack is cut, and no longer that it was not unwound.
 */
void unwinder_run(struct unwinder *u, const struct sample *s, const struct process *proc,
		  uint64_t when, struct stack *st, struct unwind_info *info);
/*
 * The caller of a leaf function that has not saved the link register: what the kernel's walk by
 * frame pointers leaves out.  S has the register and no stack dump; PC is the user leaf.  False
 * when the function has saved it, when that is not known, and on machines that have none.
 */
bool unwinder_link(struct unwinder *u, const struct sample *s, const struct process *proc,
		   uint64_t when, uint64_t pc, uint64_t *caller);
void unwind_info_release(struct unwind_info *info);

#endif

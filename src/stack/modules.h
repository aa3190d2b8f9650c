/* SPDX-License-Identifier: MIT */
/*
 * The call frame information of the mapped files, shared by all threads, under a lock of its own:
 * each asks once for a pc, and what it gets stays valid.
 */
#ifndef PERFREP_STACK_MODULES_H
#define PERFREP_STACK_MODULES_H

#include "stack/rule.h"

#include <perfrep/unwind.h>

/* What is known of a pc: its rule and its function. */
struct pc_facts {
	struct unwind_rule rule;
	uint64_t func; /* see struct unwind_frame */
	bool begins; /* behind the pc a function begins, and no other is there: the rule and func
			* are that one's, and a return address there was not pushed by a call */
};

/* E_MACHINE of the recording. */
uint16_t modules_machine(const struct unwind_modules *um);
/* FILE_OFFSET is a location's address in DSO; ARCH the one of the sample. */
void modules_facts(struct unwind_modules *um, const struct arch *arch, const struct dso *dso,
		   uint64_t file_offset, struct pc_facts *out);
/*
 * SIZE bytes of a read-only segment of DSO's file at FILE_OFFSET; false when there are none.
 * The pointer stays valid as long as UM.
 */
const uint8_t *modules_read_only(struct unwind_modules *um, const struct dso *dso,
				 uint64_t file_offset, unsigned size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What one thread knows of addresses in code, in three layers, each asked when the one before
 * does not know:
 *
 *	pc ──► slot (process, pc) ──► facts (dso, address) ──► modules, under a lock
 *	       a small cache           a hash                  once for each pc and thread
 */
#ifndef PERFREP_STACK_KNOWN_H
#define PERFREP_STACK_KNOWN_H

#include "base/hashidx.h"
#include "base/vec.h"
#include "machine/scopes.h"
#include "stack/modules.h"

enum {
	KNOWN_BITS = 15,
	KNOWN_SLOTS = 1 << KNOWN_BITS,
};

#define NO_FACTS UINT32_MAX

/* Four of them in a line of the processor's cache: all that most frames need. */
struct known_pc {
	uint64_t pc; /* that was looked up */
	uint32_t facts; /* index, or NO_FACTS: in no code */
	uint16_t scope; /* in `scopes` */
	uint16_t quick; /* index of its quick rule, 0: it has none */
};

struct known_facts {
	uint32_t dso;
	bool i386;
	uint64_t addr; /* in the dso */
	struct pc_facts facts;
};

struct known {
	struct unwind_modules *modules;
	struct known_pc *slots;
	struct scopes scopes;
	VEC(struct known_facts) facts;
	VEC(uint64_t) funcs; /* of the facts */
	struct hashidx facts_index;
	VEC(struct quick_rule) quick; /* different ones; [0] stands for none */
	struct hashidx quick_index;
};

/* Whose addresses are asked for. */
struct known_where {
	const struct arch *arch;
	const struct process *proc;
	uint64_t when;
	uint32_t scope; /* the process and the machine, for `scopes` */
};

void known_init(struct known *k, struct unwind_modules *um);
void known_release(struct known *k);
struct known_where known_where(const struct arch *arch, const struct process *proc, uint64_t when);
/* The slow part of known_find(): into SLOT, whose neighbour takes what it held. */
void known_learn(struct known *k, const struct known_where *at, uint64_t pc, struct known_pc *slot,
		 struct known_pc *neighbour);

static inline bool known_fits(const struct known *k, const struct known_pc *slot,
			      const struct known_where *at, uint64_t pc)
{
	return slot->pc == pc && scopes_has(&k->scopes, slot->scope, at->scope, at->when);
}

/* What is known of the instruction at PC, until the next question. */
static inline const struct known_pc *known_find(struct known *k, const struct known_where *at,
						uint64_t pc)
{
	uint64_t hash = (pc ^ (uint64_t)at->scope << 40) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = hash >> (64 - KNOWN_BITS);
	struct known_pc *slot = &k->slots[i];

	if (!known_fits(k, slot, at, pc))
		known_learn(k, at, pc, slot, &k->slots[i ^ 1]);
	return slot;
}

#endif

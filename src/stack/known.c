/* SPDX-License-Identifier: MIT */
#include "stack/known.h"

#include "base/hash.h"

enum { PROT_EXECUTE = 4 };

void known_init(struct known *k, struct unwind_modules *um)
{
	*k = (struct known){ .modules = um };
	k->slots = xcalloc_table(KNOWN_SLOTS, sizeof(*k->slots));
	scopes_init(&k->scopes);
	vec_push(&k->quick, (struct quick_rule){ 0 });
}

void known_release(struct known *k)
{
	free(k->slots);
	scopes_release(&k->scopes);
	vec_release(&k->facts);
	vec_release(&k->funcs);
	hashidx_release(&k->facts_index);
	vec_release(&k->quick);
	hashidx_release(&k->quick_index);
}

struct known_where known_where(const struct arch *arch, const struct process *proc, uint64_t when)
{
	return (struct known_where){
		.arch = arch,
		.proc = proc,
		.when = when,
		.scope = (process_id(proc) + 1) << 1 | (arch->word == 4),
	};
}

static bool is_code(const struct map *map)
{
	return !map->prot || map->prot & PROT_EXECUTE;
}

static uint32_t facts_of(struct known *k, const struct arch *arch, const struct map *map,
			 uint64_t pc)
{
	uint64_t addr = map_location(map, pc);
	bool i386 = arch->word == 4;
	uint64_t hash = hash_mix(addr, (uint64_t)map->dso->id << 1 | i386);
	struct hashidx_iter it = hashidx_first(&k->facts_index, hash);
	struct known_facts f = { .dso = map->dso->id, .i386 = i386, .addr = addr };
	uint32_t i;

	while ((i = hashidx_next(&k->facts_index, &it)) != HASHIDX_NONE) {
		const struct known_facts *known = &k->facts.v[i];

		if (known->addr == addr && known->dso == f.dso && known->i386 == i386)
			return i;
	}
	modules_facts(k->modules, arch, map->dso, addr, &f.facts);
	i = (uint32_t)k->facts.n;
	hashidx_add(&k->facts_index, hash, i);
	vec_push(&k->facts, f);
	vec_push(&k->funcs, f.facts.func);
	return i;
}

/* The number of the rule in its quick form, 0 when it has none. */
static uint16_t quick_of(struct known *k, const struct arch *arch, const struct pc_facts *facts)
{
	struct quick_rule q;
	struct hashidx_iter it;
	uint64_t hash;
	uint32_t i;

	if (facts->begins || !rule_quick(arch, &facts->rule, &q))
		return 0;
	hash = hash_bytes(&q, sizeof(q));
	it = hashidx_first(&k->quick_index, hash);
	while ((i = hashidx_next(&k->quick_index, &it)) != HASHIDX_NONE)
		if (!memcmp(&k->quick.v[i], &q, sizeof(q)))
			return (uint16_t)i;
	if (k->quick.n > UINT16_MAX)
		return 0;
	i = (uint32_t)k->quick.n;
	hashidx_add(&k->quick_index, hash, i);
	vec_push(&k->quick, q);
	return (uint16_t)i;
}

/* Many changing maps: start afresh rather than grow. */
static void forget(struct known *k)
{
	memset(k->slots, 0, KNOWN_SLOTS * sizeof(*k->slots));
	scopes_init(&k->scopes);
}

static struct known_pc look_up(struct known *k, const struct known_where *at, uint64_t pc)
{
	struct known_pc c = { .pc = pc, .facts = NO_FACTS };
	struct validity valid;
	const struct map *map = process_map(at->proc, pc, at->when, &valid);

	c.scope = (uint16_t)scopes_id(&k->scopes, at->scope, valid);
	if (!map || !is_code(map))
		return c;
	c.facts = facts_of(k, at->arch, map, pc);
	c.quick = quick_of(k, at->arch, &k->facts.v[c.facts].facts);
	return c;
}

void known_learn(struct known *k, const struct known_where *at, uint64_t pc, struct known_pc *slot,
		 struct known_pc *neighbour)
{
	struct known_pc before = *slot;

	if (known_fits(k, neighbour, at, pc)) {
		*slot = *neighbour;
		*neighbour = before;
		return;
	}
	if (scopes_are_many(&k->scopes))
		forget(k);
	else if (before.scope)
		*neighbour = before;
	*slot = look_up(k, at, pc);
}

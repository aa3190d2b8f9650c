/* SPDX-License-Identifier: MIT */
/*
 * Locations, keys and functions: small structs that are interned, and the lines of a location.
 *
 * Each kind has an index from hash to id; the structs themselves are the keys.  Members are
 * hashed and compared one by one because the structs have padding.
 */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "profile/priv.h"

uint32_t profile_loc(struct profile *p, enum loc_kind kind, uint32_t dso, uint64_t addr,
		     uint64_t ip)
{
	const struct location l = { .addr = addr, .ip = ip, .dso = dso, .kind = (uint8_t)kind };

	return profile_loc_like(p, &l);
}

static uint64_t loc_hash(const struct location *l)
{
	uint64_t what = (uint64_t)l->dso << 9 | (uint64_t)l->repaired << 8 | l->kind;

	return hash_mix(hash_mix(l->addr, what), l->ip);
}

/* PROFILE_NONE when there is none. */
static uint32_t find_loc(const struct profile *p, const struct location *like, uint64_t hash)
{
	struct hashidx_iter it = hashidx_first(&p->priv->loc_index, hash);
	uint32_t id;

	while ((id = hashidx_next(&p->priv->loc_index, &it)) != HASHIDX_NONE) {
		const struct location *l = &p->locs[id];

		if (l->addr == like->addr && l->dso == like->dso && l->kind == like->kind &&
		    l->ip == like->ip && l->repaired == like->repaired)
			return id;
	}
	return PROFILE_NONE;
}

uint32_t profile_find_loc(const struct profile *p, const struct location *l)
{
	return find_loc(p, l, loc_hash(l));
}

uint32_t profile_loc_like(struct profile *p, const struct location *like)
{
	uint64_t hash = loc_hash(like);
	uint32_t id = find_loc(p, like, hash);

	if (id != PROFILE_NONE)
		return id;
	id = (uint32_t)p->nr_locs;
	profile_reserve(&p->locs, p->nr_locs, &p->priv->locs_cap, 1);
	p->locs[p->nr_locs++] = (struct location){
		.addr = like->addr,
		.ip = like->ip,
		.dso = like->dso,
		.kind = like->kind,
		.repaired = like->repaired,
	};
	hashidx_add(&p->priv->loc_index, hash, id);
	return id;
}

uint32_t profile_key(struct profile *p, const struct stack_key *key)
{
	uint64_t hash = hash_mix((uint64_t)key->comm << 32 | (uint32_t)key->cpu,
				 (uint64_t)(uint32_t)key->pid << 32 | (uint32_t)key->tid) ^
			key->fields * UINT64_C(0x9e3779b97f4a7c15);
	struct hashidx_iter it = hashidx_first(&p->priv->key_index, hash);
	uint32_t id;

	while ((id = hashidx_next(&p->priv->key_index, &it)) != HASHIDX_NONE) {
		const struct stack_key *k = &p->keys[id];

		if (k->comm == key->comm && k->pid == key->pid && k->tid == key->tid &&
		    k->cpu == key->cpu && k->fields == key->fields)
			return id;
	}
	id = (uint32_t)p->nr_keys;
	profile_reserve(&p->keys, p->nr_keys, &p->priv->keys_cap, 1);
	p->keys[p->nr_keys++] = *key;
	hashidx_add(&p->priv->key_index, hash, id);
	return id;
}

uint32_t profile_func(struct profile *p, uint32_t name, uint32_t module, uint16_t flags)
{
	uint64_t hash = hash_mix((uint64_t)name << 32 | module, flags);
	struct hashidx_iter it = hashidx_first(&p->priv->func_index, hash);
	uint32_t id;

	while ((id = hashidx_next(&p->priv->func_index, &it)) != HASHIDX_NONE) {
		const struct func *f = &p->funcs[id];

		if (f->name == name && f->module == module && f->flags == flags)
			return id;
	}
	id = (uint32_t)p->nr_funcs;
	profile_reserve(&p->funcs, p->nr_funcs, &p->priv->funcs_cap, 1);
	p->funcs[p->nr_funcs++] = (struct func){ name, module, flags };
	hashidx_add(&p->priv->func_index, hash, id);
	return id;
}

void profile_set_lines(struct profile *p, uint32_t loc, const struct line *lines, size_t n)
{
	struct location *l;

	assert(loc < p->nr_locs);
	l = &p->locs[loc];
	if (n > l->nr_lines) { /* else they fit where the old ones are */
		profile_reserve(&p->lines, p->nr_lines, &p->priv->lines_cap, n);
		l->first_line = (uint32_t)p->nr_lines;
		p->nr_lines += n;
	}
	l->nr_lines = (uint32_t)n;
	if (n)
		memcpy(p->lines + l->first_line, lines, n * sizeof(*lines));
}

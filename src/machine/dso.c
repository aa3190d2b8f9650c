/* SPDX-License-Identifier: MIT */
/*
 * The table of DSOs: what was mapped, each thing once.
 *
 * A path alone does not say which file it was: it can be replaced while the recording runs.
 * Records may name its build-id, or its inode, or neither, and not always the same for the same
 * file (the kernel sends the inode when it could not read the build-id; perf's own records have
 * no inode generation).  Hence two records of a path mean the same DSO unless something that both
 * know differs; what one of them does not know is taken from the other.
 *
 * To find the candidates without going through all DSOs of a path, each DSO is indexed by (path,
 * build-id) and by (path, inode), and each path knows its latest DSO, the one a record that
 * knows less is taken to mean.
 */
#include <perfrep/dso.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "machine/dso_name.h"

/* All DSOs of one (kind, pid, path). */
struct dso_path {
	const char *path; /* of modules: the name */
	enum dso_kind kind;
	int32_t pid;
	uint32_t first, last; /* ids; a chain by `next` */
	uint32_t latest[2]; /* id of the one that came last, [deleted]; DSO_NONE */
	bool ids_given; /* dso_table_build_id() was here: all have one */
};

struct dso_table_priv {
	struct arena arena;
	struct hashidx paths; /* -> path */
	struct hashidx identity; /* build-id or inode -> id */
	struct hashidx code; /* -> id */
	VEC(struct dso_path) path;
	VEC(uint32_t) next; /* of each DSO: the next one of its path */
	VEC(uint32_t) path_of; /* of each DSO */
	size_t cap;
};

void dso_table_init(struct dso_table *t)
{
	*t = (struct dso_table){ 0 };
	t->priv = xcalloc(1, sizeof(*t->priv));
}

void dso_table_release(struct dso_table *t)
{
	struct dso_table_priv *p = t->priv;

	if (p) {
		arena_release(&p->arena);
		hashidx_release(&p->paths);
		hashidx_release(&p->identity);
		hashidx_release(&p->code);
		vec_release(&p->path);
		vec_release(&p->next);
		vec_release(&p->path_of);
		free(p);
	}
	free(t->v);
	*t = (struct dso_table){ 0 };
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static struct dso *new_dso(struct dso_table *t, uint32_t path)
{
	struct dso_table_priv *p = t->priv;
	struct dso *d = arena_alloc(&p->arena, sizeof(*d));

	*d = (struct dso){ .id = (uint32_t)t->n, .pid = -1 };
	if (t->n == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 64;
		t->v = xreallocarray(t->v, p->cap, sizeof(*t->v));
	}
	t->v[t->n++] = d;
	vec_push(&p->next, DSO_NONE);
	vec_push(&p->path_of, path);
	return d;
}

/* ---- paths ------------------------------------------------------------------------------ */

static uint64_t path_hash(enum dso_kind kind, int32_t pid, const char *path, size_t len)
{
	return hash_mix(hash_bytes(path, len), (uint64_t)kind << 32 | (uint32_t)pid);
}

static uint32_t find_path(const struct dso_table_priv *p, enum dso_kind kind, int32_t pid,
			  const char *path, size_t len)
{
	struct hashidx_iter it = hashidx_first(&p->paths, path_hash(kind, pid, path, len));
	uint32_t i;

	while ((i = hashidx_next(&p->paths, &it)) != HASHIDX_NONE) {
		const struct dso_path *dp = &p->path.v[i];

		if (dp->kind == kind && dp->pid == pid && !strncmp(dp->path, path, len) &&
		    !dp->path[len])
			break;
	}
	return i;
}

static uint32_t add_path(struct dso_table_priv *p, enum dso_kind kind, int32_t pid,
			 const char *path, size_t len)
{
	uint32_t i = find_path(p, kind, pid, path, len);

	if (i != HASHIDX_NONE)
		return i;
	i = (uint32_t)p->path.n;
	vec_push(&p->path, (struct dso_path){ .path = arena_strndup(&p->arena, path, len),
					      .kind = kind,
					      .pid = pid,
					      .first = DSO_NONE,
					      .last = DSO_NONE,
					      .latest = { DSO_NONE, DSO_NONE } });
	hashidx_add(&p->paths, path_hash(kind, pid, path, len), i);
	return i;
}

/* ---- identity --------------------------------------------------------------------------- */

static bool same_build_id(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static bool same_inode(const struct dso *d, const struct record_mmap *m)
{
	return d->maj == m->maj && d->min == m->min && d->ino == m->ino &&
	       (!d->ino_generation || !m->ino_generation || d->ino_generation == m->ino_generation);
}

/* Whether nothing that both know differs.  A build-id says more than an inode. */
static bool compatible(const struct dso *d, const struct record_mmap *m)
{
	if (d->build_id.size && m->build_id.size)
		return same_build_id(&d->build_id, &m->build_id);
	if (d->ino && m->ino)
		return same_inode(d, m);
	return true;
}

static uint64_t build_id_hash(uint32_t path, const struct build_id *id)
{
	return hash_mix(hash_bytes(id->bytes, id->size), path);
}

static uint64_t inode_hash(uint32_t path, uint32_t maj, uint32_t min, uint64_t ino, uint64_t gen)
{
	return hash_mix(hash_mix((uint64_t)maj << 32 | min, ino), hash_mix(gen, path));
}

static struct dso *find_hash(const struct dso_table *t, uint64_t hash, uint32_t path,
			     const struct record_mmap *m)
{
	struct hashidx_iter it = hashidx_first(&t->priv->identity, hash);
	uint32_t id;

	while ((id = hashidx_next(&t->priv->identity, &it)) != HASHIDX_NONE)
		if (t->priv->path_of.v[id] == path && compatible(t->v[id], m))
			return t->v[id];
	return NULL;
}

static struct dso *find_identity(const struct dso_table *t, uint32_t path, bool deleted,
				 const struct record_mmap *m)
{
	const struct dso_path *dp = &t->priv->path.v[path];
	uint32_t latest = dp->latest[deleted];
	struct dso *d = NULL;

	if (m->build_id.size)
		d = find_hash(t, build_id_hash(path, &m->build_id), path, m);
	if (!d && m->ino) {
		d = find_hash(t, inode_hash(path, m->maj, m->min, m->ino, m->ino_generation), path,
			      m);
		if (!d && m->ino_generation)
			d = find_hash(t, inode_hash(path, m->maj, m->min, m->ino, 0), path, m);
	}
	if (!d && latest != DSO_NONE && compatible(t->v[latest], m))
		d = t->v[latest];
	return d;
}

/*
 * Index D by an identity, unless another DSO is: one inode with thousands of build-ids must not
 * become a long list to go through.
 */
static void index_identity(struct dso_table *t, uint64_t hash, uint32_t id)
{
	struct hashidx_iter it = hashidx_first(&t->priv->identity, hash);

	if (hashidx_next(&t->priv->identity, &it) == HASHIDX_NONE)
		hashidx_add(&t->priv->identity, hash, id);
}

/* Learn from M what is not known of D yet. */
static void adopt_identity(struct dso_table *t, uint32_t path, struct dso *d,
			   const struct record_mmap *m)
{
	bool new_ino = m->ino &&
		       (!d->ino || (!d->ino_generation && m->ino_generation && same_inode(d, m)));

	if (m->build_id.size && !d->build_id.size) {
		d->build_id = m->build_id;
		index_identity(t, build_id_hash(path, &m->build_id), d->id);
	}
	if (new_ino) {
		d->maj = m->maj;
		d->min = m->min;
		d->ino = m->ino;
		d->ino_generation = m->ino_generation;
		index_identity(t, inode_hash(path, m->maj, m->min, m->ino, m->ino_generation),
			       d->id);
	}
}

static struct dso *add_to_path(struct dso_table *t, uint32_t path, bool deleted,
			       const struct record_mmap *m, bool *is_new)
{
	struct dso *d = find_identity(t, path, deleted, m);
	struct dso_path *dp = &t->priv->path.v[path];

	*is_new = !d;
	if (!d) {
		d = new_dso(t, path);
		d->kind = dp->kind;
		d->pid = dp->pid;
		d->path = dp->path;
		d->name = dp->path;
		if (dp->last != DSO_NONE)
			t->priv->next.v[dp->last] = d->id;
		else
			dp->first = d->id;
		dp->last = d->id;
		dp->ids_given = false;
	}
	adopt_identity(t, path, d, m);
	d->deleted |= deleted;
	dp->latest[deleted] = d->id;
	return d;
}

/* ---- the three ways in ------------------------------------------------------------------- */

static const struct dso *add_user(struct dso_table *t, const struct record_mmap *m)
{
	struct dso_name n = dso_name_user(m);
	int32_t pid = n.kind == DSO_JIT ? m->pid : -1;
	uint32_t path = add_path(t->priv, n.kind, pid, n.path, n.path_len);
	bool is_new;
	struct dso *d = add_to_path(t, path, n.deleted, m, &is_new);

	if (is_new && (n.kind == DSO_FILE || (n.kind == DSO_JIT && strncmp(d->path, "//", 2))))
		d->name = last_part(d->path);
	if (is_new && n.kind == DSO_VDSO)
		d->name = arena_strndup(&t->priv->arena, m->filename, strlen(m->filename));
	return d;
}

static const struct dso *add_module(struct dso_table *t, const struct record_mmap *m)
{
	char *name = dso_name_module(m->filename, strlen(m->filename));
	uint32_t path = add_path(t->priv, DSO_MODULE, -1, name, strlen(name));
	bool is_new;
	struct dso *d = add_to_path(t, path, false, m, &is_new);

	if (is_new) {
		d->start = m->addr;
		d->end = m->len && m->addr + m->len > m->addr ? m->addr + m->len : 0;
	}
	if (is_new || (d->path[0] == '[' && m->filename[0] == '/'))
		d->path = arena_strndup(&t->priv->arena, m->filename, strlen(m->filename));
	free(name);
	return d;
}

static const struct dso *add_kernel(struct dso_table *t, const struct record_mmap *m,
				    const struct dso_name *n)
{
	uint32_t path = add_path(t->priv, n->kind, -1, n->path, n->path_len);
	bool is_new;
	struct dso *d = add_to_path(t, path, false, m, &is_new);

	if (is_new || (!d->end && m->len)) {
		d->start = m->addr;
		d->end = m->len != UINT64_MAX && m->addr + m->len > m->addr ? m->addr + m->len : 0;
	}
	/* address 0: the recorder was not allowed to see it (kptr_restrict) */
	if (!d->ref_name && n->ref_name && m->pgoff) {
		d->ref_name = arena_strndup(&t->priv->arena, n->ref_name, strlen(n->ref_name));
		d->ref_addr = m->pgoff;
	}
	return d;
}

const struct dso *dso_table_add(struct dso_table *t, const struct record_mmap *m, enum cpumode mode)
{
	struct dso_name n;

	if (mode != CPUMODE_KERNEL && mode != CPUMODE_GUEST_KERNEL)
		return add_user(t, m);
	n = dso_name_kernel(m->filename, mode);
	return n.kind == DSO_MODULE ? add_module(t, m) : add_kernel(t, m, &n);
}

static bool same_code(const struct dso *d, const struct dso *with)
{
	return d->pid == with->pid && d->start == with->start && d->end == with->end &&
	       !strcmp(d->symbol, with->symbol) && !strcmp(d->path, with->path);
}

const struct dso *dso_table_add_code(struct dso_table *t, const char *symbol, const char *path,
				     int32_t pid, uint64_t start, uint64_t len)
{
	struct dso want = { .kind = DSO_CODE,
			    .symbol = symbol,
			    .path = path ? path : "",
			    .pid = pid,
			    .start = start,
			    .end = start + len };
	uint64_t hash = hash_mix(hash_bytes(symbol, strlen(symbol)), hash_mix(start, len)) +
			hash_mix(hash_bytes(want.path, strlen(want.path)), (uint32_t)pid);
	struct hashidx_iter it = hashidx_first(&t->priv->code, hash);
	struct dso *d;
	uint32_t id;

	while ((id = hashidx_next(&t->priv->code, &it)) != HASHIDX_NONE)
		if (same_code(t->v[id], &want))
			return t->v[id];
	d = new_dso(t, UINT32_MAX);
	want.id = d->id;
	want.symbol = arena_strndup(&t->priv->arena, symbol, strlen(symbol));
	want.path = arena_strndup(&t->priv->arena, want.path, strlen(want.path));
	want.name = want.path[0] ? last_part(want.path) : want.symbol;
	*d = want;
	hashidx_add(&t->priv->code, hash, d->id);
	return d;
}

/* ---- build-ids --------------------------------------------------------------------------- */

static void give_path(struct dso_table *t, uint32_t path, const struct build_id *id)
{
	struct dso_path *dp;

	if (path == HASHIDX_NONE)
		return;
	dp = &t->priv->path.v[path];
	if (dp->ids_given)
		return;
	for (uint32_t i = dp->first; i != DSO_NONE; i = t->priv->next.v[i])
		if (!t->v[i]->build_id.size)
			t->v[i]->build_id = *id;
	dp->ids_given = true;
}

void dso_table_build_id(struct dso_table *t, const char *filename, const struct build_id *id)
{
	static const enum dso_kind kinds[] = { DSO_FILE, DSO_VDSO, DSO_KERNEL, DSO_GUEST_KERNEL };
	struct record_mmap m = { .filename = filename };
	size_t len = dso_name_user(&m).path_len;
	char *module;

	if (!id->size || id->size > sizeof(id->bytes))
		return;
	/* on a machine of 32 bits there is only one vdso, which has the plain name */
	if (!strcmp(filename, "[vdso]") &&
	    find_path(t->priv, DSO_VDSO, -1, filename, len) == HASHIDX_NONE) {
		dso_table_build_id(t, "[vdso32]", id);
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		give_path(t, find_path(t->priv, kinds[i], -1, filename, len), id);
	if (filename[0] != '[' && !strstr(filename, ".ko"))
		return;
	module = dso_name_module(filename, len);
	give_path(t, find_path(t->priv, DSO_MODULE, -1, module, strlen(module)), id);
	free(module);
}

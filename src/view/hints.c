/* SPDX-License-Identifier: MIT */
/*
 * Finding hints.  Each function is classified once, as a set of hints (bits) and as own or not.
 * Then each distinct stack is looked at once, from its leaf outwards: a hint that is met counts
 * once, for the next own function outside of it.
 */
#include <perfrep/hints.h>

#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "view/hint_name.h"

#define ANYWHERE false
#define LEAF     true
#define HINT(name, threshold, leaf, means, advice, ...) \
	{ name, threshold, leaf, means, advice, (const char *const[]){ __VA_ARGS__, NULL } },

static const struct hint_kind kinds[] = {
#include "view/hints.def"
};

enum {
	NR_KINDS = sizeof(kinds) / sizeof(*kinds),
	FEW = 10, /* samples: fewer are no finding */
};

_Static_assert(NR_KINDS <= 64, "a set of hints is a u64");

const struct hint_kind *hint_kinds(size_t *n)
{
	*n = NR_KINDS;
	return kinds;
}

static size_t find_kind(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		if (strlen(kinds[i].name) == len && !memcmp(kinds[i].name, name, len))
			break;
	return i;
}

const struct hint_kind *hint_kind(const char *name)
{
	size_t i = find_kind(name, strlen(name));

	return i < NR_KINDS ? &kinds[i] : NULL;
}

int hint_silence(struct hint_options *o, const char *list, struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int r;

	for (size_t len; *list; list += len + (list[len] == ',')) {
		size_t i;

		len = strcspn(list, ",");
		i = find_kind(list, len);
		if (i < NR_KINDS) {
			o->silenced |= UINT64_C(1) << i;
			continue;
		}
		for (i = 0; i < NR_KINDS; i++)
			strbuf_addf(&names, "%s%s", i ? ", " : "", kinds[i].name);
		r = err_set(err, ERR_USAGE, "\"%.*s\" is no hint; there are: %s", (int)len, list,
			    strbuf_str(&names));
		strbuf_release(&names);
		return r;
	}
	return 0;
}

static int compile(regex_t *re, const char *own, struct err *err)
{
	char text[256];
	int rc = regcomp(re, own, REG_EXTENDED | REG_NOSUB);

	if (!rc)
		return 0;
	regerror(rc, re, text, sizeof(text));
	return err_set(err, ERR_USAGE, "\"%s\" is no regular expression: %s", own, text);
}

int hint_own_check(const char *own, struct err *err)
{
	regex_t re;
	int rc = compile(&re, own, err);

	if (rc == 0)
		regfree(&re);
	return rc;
}

/* ---- functions ---- */

struct funcs {
	const struct profile *p;
	uint64_t *bits; /* by function: the hints it belongs to */
	bool *own; /* by function */
};

struct pattern {
	const char *text;
	uint64_t bit;
};

/* The patterns by their first character, so that few are tried for a name. */
struct matcher {
	VEC(struct pattern) by_first[UCHAR_MAX + 1];
};

static void matcher_init(struct matcher *m)
{
	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < NR_KINDS; i++)
		for (const char *const *t = kinds[i].patterns; *t; t++) {
			unsigned char first = (unsigned char)**t;

			vec_push(&m->by_first[first], (struct pattern){ *t, UINT64_C(1) << i });
		}
}

static void matcher_release(struct matcher *m)
{
	for (size_t i = 0; i <= UCHAR_MAX; i++)
		vec_release(&m->by_first[i]);
}

static uint64_t bits_of(const struct matcher *m, const char *path)
{
	const unsigned char first[] = { '*', (unsigned char)*path };
	uint64_t bits = 0;

	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < m->by_first[first[k]].n; i++) {
			uint64_t bit = m->by_first[first[k]].v[i].bit;

			if (!(bits & bit) && hint_match(m->by_first[first[k]].v[i].text, path))
				bits |= bit;
		}
	}
	return bits;
}

/* Functions that are met in a module whose path is a system library's. */
static bool *system_funcs(const struct profile *p, const struct profile_modules *modules)
{
	bool *system = xcalloc(p->nr_funcs + 1, sizeof(*system));

	for (size_t i = 0; modules && i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		if (l->kind != LOC_DSO || !l->nr_lines ||
		    !hint_is_system_path(modules->path(modules->ctx, l->dso)))
			continue;
		for (uint32_t k = 0; k < l->nr_lines; k++)
			system[p->lines[l->first_line + k].func] = true;
	}
	return system;
}

static bool is_own(const struct profile *p, const struct func *f, const char *path, bool system,
		   const regex_t *re)
{
	const char *module = profile_str(p, f->module);

	if (f->flags & (LINE_KERNEL | LINE_UNKNOWN | LINE_GUEST))
		return false;
	if (re)
		return !regexec(re, profile_str(p, f->name), 0, NULL, 0) ||
		       !regexec(re, module, 0, NULL, 0);
	if (f->flags & LINE_JIT)
		return true;
	return !system && !hint_is_system_module(module) && !hint_is_std(path);
}

static void funcs_init(struct funcs *fs, const struct profile *p, const struct hint_options *opts)
{
	bool *system = system_funcs(p, opts->modules);
	struct strbuf path = STRBUF_INIT;
	struct matcher m;
	regex_t re;
	bool has_re = opts->own && compile(&re, opts->own, NULL) == 0;

	fs->p = p;
	fs->bits = xcalloc(p->nr_funcs + 1, sizeof(*fs->bits));
	fs->own = xcalloc(p->nr_funcs + 1, sizeof(*fs->own));
	matcher_init(&m);
	for (size_t i = 0; i < p->nr_funcs; i++) {
		const struct func *f = &p->funcs[i];

		hint_name(&path, profile_str(p, f->name));
		if (!(f->flags & LINE_UNKNOWN))
			fs->bits[i] = bits_of(&m, strbuf_str(&path));
		/* what any hint is about is nobody's own, also when that hint is silent */
		fs->own[i] = !fs->bits[i] &&
			     is_own(p, f, strbuf_str(&path), system[i], has_re ? &re : NULL);
		fs->bits[i] &= ~opts->silenced;
	}
	matcher_release(&m);
	if (has_re)
		regfree(&re);
	strbuf_release(&path);
	free(system);
}

static void funcs_release(struct funcs *fs)
{
	free(fs->bits);
	free(fs->own);
}

/* ---- the stacks ---- */

/* What was found in some of the stacks. */
struct found {
	uint64_t weight, samples, unowned;
	uint64_t blocks[PROFILE_BLOCKS]; /* of the weight */
	uint64_t *by_owner; /* by function; NULL: no weight yet */
};

struct worker {
	struct found found[NR_KINDS];
	uint64_t weight[PROFILE_BLOCKS], samples[PROFILE_BLOCKS]; /* of all stacks */
};

struct search {
	const struct funcs *funcs;
	uint32_t event;
	bool by_count;
	bool *hinted; /* by location: some function of it has a hint */
	uint64_t leaf_kinds; /* those that only count in the innermost frame */
	struct worker *workers;
};

static void add(const struct search *s, struct found *f, const struct stack_iter *it,
		uint32_t owner)
{
	uint64_t weight = s->by_count ? it->count : it->weight;

	f->weight += weight;
	f->samples += it->count;
	f->blocks[it->block] += weight;
	if (owner == PROFILE_NONE) {
		f->unowned += weight;
		return;
	}
	if (!f->by_owner)
		f->by_owner = xcalloc(s->funcs->p->nr_funcs, sizeof(*f->by_owner));
	f->by_owner[owner] += weight;
}

/*
 * From the leaf outwards: a hint that is met waits for the next own function.  A hint that is met
 * again later belongs to the one above its innermost frame all the same.
 */
static void look_at(const struct search *s, struct worker *w, const struct stack_iter *it)
{
	const struct profile *p = s->funcs->p;
	uint64_t met = 0, waiting = 0, mask = UINT64_MAX;
	bool any = false;

	for (size_t i = 0; i < it->n; i++)
		any |= s->hinted[it->locs[i]];
	for (size_t i = it->n; any && i-- > 0;) {
		const struct location *l = &p->locs[it->locs[i]];
		bool skip = !waiting && !s->hinted[it->locs[i]];

		for (uint32_t k = 0; !skip && k < l->nr_lines; k++) {
			uint32_t func = p->lines[l->first_line + k].func;
			uint64_t bits = s->funcs->bits[func] & mask & ~met;

			met |= bits;
			waiting |= bits;
			mask = ~s->leaf_kinds;
			if (!s->funcs->own[func])
				continue;
			for (; waiting; waiting &= waiting - 1)
				add(s, &w->found[__builtin_ctzll(waiting)], it, func);
		}
		mask = ~s->leaf_kinds;
	}
	for (; waiting; waiting &= waiting - 1)
		add(s, &w->found[__builtin_ctzll(waiting)], it, PROFILE_NONE);
}

static void look_at_piece(void *ctx, unsigned worker, size_t piece)
{
	struct search *s = ctx;
	struct worker *w = &s->workers[worker];
	struct stack_iter it;

	stack_iter_init(&it, s->funcs->p, s->event);
	it.by_block = s->funcs->p->timed;
	stack_iter_piece(&it, piece);
	while (stack_iter_next(&it)) {
		unsigned block = it.by_block ? it.block : 0;

		it.block = block;
		w->weight[block] += s->by_count ? it.count : it.weight;
		w->samples[block] += it.count;
		look_at(s, w, &it);
	}
	stack_iter_release(&it);
}

static void search_init(struct search *s, const struct funcs *funcs)
{
	const struct profile *p = funcs->p;

	s->funcs = funcs;
	s->hinted = xcalloc(p->nr_locs + 1, sizeof(*s->hinted));
	for (size_t i = 0; i < NR_KINDS; i++)
		s->leaf_kinds |= (uint64_t)kinds[i].leaf << i;
	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		for (uint32_t k = 0; k < l->nr_lines; k++)
			s->hinted[i] |= funcs->bits[p->lines[l->first_line + k].func] != 0;
	}
}

/* Add what other workers found to what the first one did. */
static void merge_found(struct search *s, struct found *to, const struct found *from)
{
	to->weight += from->weight;
	to->samples += from->samples;
	to->unowned += from->unowned;
	for (size_t b = 0; b < PROFILE_BLOCKS; b++)
		to->blocks[b] += from->blocks[b];
	if (!from->by_owner)
		return;
	if (!to->by_owner)
		to->by_owner = xcalloc(s->funcs->p->nr_funcs, sizeof(*to->by_owner));
	for (size_t f = 0; f < s->funcs->p->nr_funcs; f++)
		to->by_owner[f] += from->by_owner[f];
}

static void merge_workers(struct search *s, unsigned n)
{
	struct worker *to = &s->workers[0];

	for (unsigned i = 1; i < n; i++) {
		struct worker *w = &s->workers[i];

		for (size_t b = 0; b < PROFILE_BLOCKS; b++) {
			to->weight[b] += w->weight[b];
			to->samples[b] += w->samples[b];
		}
		for (size_t k = 0; k < NR_KINDS; k++) {
			merge_found(s, &to->found[k], &w->found[k]);
			free(w->found[k].by_owner);
		}
	}
}

/* ---- the result ---- */

static void choose_owners(const struct profile *p, const struct found *found, struct hint *h)
{
	for (uint32_t f = 0; found->by_owner && f < p->nr_funcs; f++) {
		struct hint_owner o = { f, found->by_owner[f] };
		size_t at = h->nr_owners < HINT_OWNERS ? h->nr_owners : HINT_OWNERS;

		if (!o.weight)
			continue;
		h->nr_owners++;
		for (; at > 0; at--) {
			const struct hint_owner *b = &h->owners[at - 1];

			if (b->weight > o.weight || (b->weight == o.weight &&
						     strcmp(profile_str(p, p->funcs[b->func].name),
							    profile_str(p, p->funcs[f].name)) <= 0))
				break;
			if (at < HINT_OWNERS)
				h->owners[at] = *b;
		}
		if (at < HINT_OWNERS)
			h->owners[at] = o;
	}
}

/* Whether the event is what the hint counts anyway. */
static bool is_the_event(const struct hint_kind *kind, const char *event)
{
	return !strcmp(kind->name, "page-faults") && strstr(event, "fault");
}

static int compare_hints(const void *va, const void *vb)
{
	const struct hint *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void collect(struct hints *h, const struct worker *w)
{
	const struct profile *p = h->profile;
	const char *event = profile_str(p, p->events[h->event].name);

	h->v = xcalloc(NR_KINDS, sizeof(*h->v));
	for (unsigned i = 0; i < NR_KINDS; i++) {
		const struct found *f = &w->found[i];
		struct hint *hint = &h->v[h->n];

		if (f->samples < FEW || is_the_event(&kinds[i], event) ||
		    (double)f->weight * 100 < kinds[i].threshold * (double)h->base)
			continue;
		*hint = (struct hint){ .kind = &kinds[i],
				       .weight = f->weight,
				       .samples = f->samples,
				       .unowned = f->unowned };
		hint->share = p->timed ? share_of_blocks(f->blocks, w->weight, w->samples,
							 PROFILE_BLOCKS, h->effective)
				       : share_binomial((double)f->weight / (double)h->base,
							h->effective);
		choose_owners(p, f, hint);
		h->n++;
	}
	if (h->n)
		qsort(h->v, h->n, sizeof(*h->v), compare_hints);
}

void hints_find(struct hints *h, const struct profile *p, uint32_t event,
		const struct hint_options *opts)
{
	const struct profile_event *e = &p->events[event];
	struct search s = { .event = event, .by_count = opts->by_count };
	unsigned threads = p->threads ? p->threads : 1;
	struct funcs funcs;

	*h = (struct hints){ .profile = p, .event = event, .by_count = opts->by_count };
	h->base = opts->by_count ? e->samples : e->weight;
	h->effective = opts->by_count ? (double)e->samples : profile_effective_samples(e);
	funcs_init(&funcs, p, opts);
	search_init(&s, &funcs);
	s.workers = xcalloc(threads, sizeof(*s.workers));
	pool_run(threads, stack_pieces(p), look_at_piece, &s);
	merge_workers(&s, threads);
	collect(h, &s.workers[0]);
	for (unsigned i = 0; i < NR_KINDS; i++)
		free(s.workers[0].found[i].by_owner);
	free(s.workers);
	free(s.hinted);
	funcs_release(&funcs);
}

void hints_release(struct hints *h)
{
	free(h->v);
	memset(h, 0, sizeof(*h));
}

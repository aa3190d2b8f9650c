/* SPDX-License-Identifier: MIT */
/*
 * Filters: compiling the arguments of options, and deciding about samples and stacks.
 *
 * Lists of names are compared exactly, as perf does.  For stacks each function is matched
 * against each expression once; a node's matches are its parent's and its own, one pass in the
 * order of ids, whatever the number of samples and the depth.
 */
#include "profile/filter.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "profile/filter_priv.h"
#include "profile/priv.h"

/* One bit of a node's matches for each --focus, and one for all of --ignore. */
enum { MAX_FOCUS = 31 };
#define IGNORED (UINT32_C(1) << MAX_FOCUS)

static const char *const option_names[FILTER_KINDS] = {
	[FILTER_COMM] = "comm",     [FILTER_PID] = "pid",       [FILTER_TID] = "tid",
	[FILTER_CPU] = "cpu",       [FILTER_TIME] = "time",     [FILTER_EVENT] = "event",
	[FILTER_DSO] = "dso",       [FILTER_SYMBOL] = "symbol", [FILTER_FOCUS] = "focus",
	[FILTER_IGNORE] = "ignore",
};

struct filter *filter_new(void)
{
	return xcalloc(1, sizeof(struct filter));
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (int k = 0; k < FILTER_KINDS; k++) {
		for (size_t i = 0; i < f->names[k].n; i++)
			free(f->names[k].v[i]);
		for (size_t i = 0; i < f->regexes[k].n; i++)
			regfree(&f->regexes[k].v[i]);
		vec_release(&f->names[k]);
		vec_release(&f->ranges[k]);
		vec_release(&f->regexes[k]);
	}
	vec_release(&f->times);
	free(f->condition);
	free(f);
}

void filter_add_condition(struct filter *f, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	if (f->condition)
		strbuf_addf(&sb, "(%s) && (%s)", f->condition, text);
	else
		strbuf_adds(&sb, text);
	free(f->condition);
	f->condition = strbuf_detach(&sb);
}

const char *filter_condition(const struct filter *f)
{
	return f ? f->condition : NULL;
}

/* ---- compiling --------------------------------------------------------------------------- */

/* Behind the operator's own brackets in "operator<", "operator->", "operator()" … */
static const char *skip_operator(const char *start, const char *s)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	if ((size_t)(s - start) < n || memcmp(s - n, word, n))
		return s;
	if (!strncmp(s, "()", 2) || !strncmp(s, "[]", 2))
		return s + 2;
	return s + strspn(s, "<>=-");
}

/* The end of the name that starts at S: a comma outside brackets (for BRACKETS), or the end. */
static const char *name_end(const char *s, bool brackets)
{
	const char *start = s;
	int depth = 0;

	while (*s) {
		const char *after = brackets ? skip_operator(start, s) : s;

		if (after != s) {
			s = after;
			continue;
		}
		if (*s == ',' && !depth)
			break;
		if (brackets && strchr("<([{", *s))
			depth++;
		if (brackets && depth && strchr(">)]}", *s))
			depth--;
		s++;
	}
	return s;
}

static int add_names(struct filter *f, enum filter_kind kind, const char *text, struct err *err)
{
	size_t before = f->names[kind].n;

	for (const char *s = text; *s;) {
		const char *end = name_end(s, kind == FILTER_SYMBOL);

		if (end > s)
			vec_push(&f->names[kind], xstrndup(s, (size_t)(end - s)));
		s = *end ? end + 1 : end;
	}
	if (f->names[kind].n == before)
		return err_set(err, ERR_USAGE, "--%s needs a name; \"%s\" has none",
			       option_names[kind], text);
	return 0;
}

/* Events are named with commas inside slashes: cpu/event=0x3c,umask=1/u. */
static int add_events(struct filter *f, const char *text, struct err *err)
{
	bool inside = false;
	const char *s = text;

	for (const char *at = text;; at++) {
		if (*at == '/')
			inside = !inside;
		if (*at && (*at != ',' || inside))
			continue;
		if (at > s)
			vec_push(&f->names[FILTER_EVENT], xstrndup(s, (size_t)(at - s)));
		if (!*at)
			break;
		s = at + 1;
	}
	if (!f->names[FILTER_EVENT].n)
		return err_set(err, ERR_USAGE, "--event needs a name; \"%s\" has none", text);
	return 0;
}

static const char *parse_number(const char *s, int32_t *out)
{
	int64_t v = 0;

	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++) {
		v = v * 10 + (*s - '0');
		if (v > INT32_MAX)
			return NULL;
	}
	*out = (int32_t)v;
	return s;
}

static int add_ranges(struct filter *f, enum filter_kind kind, const char *text, struct err *err)
{
	const char *s = text;

	do {
		struct filter_range r;

		s = parse_number(s, &r.from);
		r.to = r.from;
		if (s && *s == '-')
			s = parse_number(s + 1, &r.to);
		if (!s || (*s && *s != ','))
			return err_set(err, ERR_USAGE,
				       "--%s needs a list of numbers such as \"0,2-3\"; \"%s\" is "
				       "none",
				       option_names[kind], text);
		if (r.to < r.from)
			return err_set(err, ERR_USAGE,
				       "--%s: the range %" PRId32 "-%" PRId32 " is empty",
				       option_names[kind], r.from, r.to);
		vec_push(&f->ranges[kind], r);
	} while (*s++);
	return 0;
}

static int add_regex(struct filter *f, enum filter_kind kind, const char *text, struct err *err)
{
	regex_t re;
	char why[128];
	int ret;

	if (kind == FILTER_FOCUS && f->regexes[kind].n == MAX_FOCUS)
		return err_set(err, ERR_USAGE, "--focus can be given %d times at most", MAX_FOCUS);
	ret = regcomp(&re, text, REG_EXTENDED | REG_NOSUB);
	if (ret) {
		regerror(ret, &re, why, sizeof(why));
		return err_set(err, ERR_USAGE,
			       "--%s: \"%s\" is not a POSIX extended regular expression: %s",
			       option_names[kind], text, why);
	}
	vec_push(&f->regexes[kind], re);
	return 0;
}

static int add_any(struct filter *f, enum filter_kind kind, const char *text, struct err *err)
{
	switch (kind) {
	case FILTER_PID:
	case FILTER_TID:
	case FILTER_CPU:
		return add_ranges(f, kind, text, err);
	case FILTER_TIME:
		return filter_add_time(f, text, err);
	case FILTER_EVENT:
		return add_events(f, text, err);
	case FILTER_FOCUS:
	case FILTER_IGNORE:
		return add_regex(f, kind, text, err);
	default:
		return add_names(f, kind, text, err);
	}
}

int filter_add(struct filter *f, enum filter_kind kind, const char *text, struct err *err)
{
	size_t ranges = f->ranges[kind].n, times = f->times.n;
	int ret = add_any(f, kind, text, err);

	if (ret) { /* what came before the mistake */
		f->ranges[kind].n = ranges;
		f->times.n = times;
	}
	return ret;
}

bool filter_has(const struct filter *f, enum filter_kind kind)
{
	return f->names[kind].n || f->ranges[kind].n || f->regexes[kind].n ||
	       (kind == FILTER_TIME && f->times.n);
}

bool filter_on_stacks(const struct filter *f)
{
	for (int k = FILTER_DSO; k < FILTER_KINDS; k++)
		if (filter_has(f, k))
			return true;
	return false;
}

bool filter_needs_span(const struct filter *f)
{
	return f->percent && !f->span;
}

/* ---- samples ----------------------------------------------------------------------------- */

static bool has_name(const struct filter *f, enum filter_kind kind, const char *name)
{
	for (size_t i = 0; name && i < f->names[kind].n; i++)
		if (!strcmp(f->names[kind].v[i], name))
			return true;
	return false;
}

static bool in_ranges(const struct filter *f, enum filter_kind kind, int32_t v)
{
	for (size_t i = 0; i < f->ranges[kind].n; i++)
		if (v >= f->ranges[kind].v[i].from && v <= f->ranges[kind].v[i].to)
			return true;
	return !f->ranges[kind].n;
}

static bool in_time(const struct filter *f, uint64_t time)
{
	for (size_t i = 0; i < f->times.n; i++) {
		const struct filter_time *t = &f->times.v[i];

		if (time >= t->from && (!t->to || time <= t->to))
			return true;
	}
	return !f->times.n || !time;
}

bool filter_thread(const struct filter *f, const char *comm, int32_t pid, int32_t tid)
{
	return in_ranges(f, FILTER_PID, pid) && in_ranges(f, FILTER_TID, tid) &&
	       (!f->names[FILTER_COMM].n || has_name(f, FILTER_COMM, comm));
}

bool filter_cpu(const struct filter *f, int32_t cpu)
{
	return in_ranges(f, FILTER_CPU, cpu);
}

bool filter_sample(const struct filter *f, const char *comm, int32_t pid, int32_t tid, int32_t cpu,
		   uint64_t time)
{
	return filter_thread(f, comm, pid, tid) && filter_cpu(f, cpu) && in_time(f, time);
}

bool filter_event(const struct filter *f, const char *name)
{
	for (size_t i = 0; i < f->names[FILTER_EVENT].n; i++) {
		const char *want = f->names[FILTER_EVENT].v[i];
		size_t n = strlen(want);

		if (strncmp(want, name, n))
			continue;
		/* the letters are perf's event modifiers */
		if (!name[n] || (name[n] == ':' && name[n + 1] &&
				 !name[n + 1 + strspn(name + n + 1, "ukhIGHpPSDWebR")]))
			return true;
	}
	return !f->names[FILTER_EVENT].n;
}

/* ---- stacks ------------------------------------------------------------------------------ */

static uint32_t *match_funcs(const struct profile *p, const struct filter *f)
{
	uint32_t *match = xcalloc(p->nr_funcs, sizeof(*match));

	for (size_t i = 0; i < p->nr_funcs; i++) {
		const char *name = profile_str(p, p->funcs[i].name);

		for (size_t k = 0; k < f->regexes[FILTER_FOCUS].n; k++)
			if (!regexec(&f->regexes[FILTER_FOCUS].v[k], name, 0, NULL, 0))
				match[i] |= UINT32_C(1) << k;
		for (size_t k = 0; k < f->regexes[FILTER_IGNORE].n; k++)
			if (!regexec(&f->regexes[FILTER_IGNORE].v[k], name, 0, NULL, 0))
				match[i] |= IGNORED;
	}
	return match;
}

/* Whether a stack may end in this location. */
static bool leaf_wanted(const struct profile *p, const struct filter *f,
			const struct profile_modules *modules, const struct location *l)
{
	const struct func *func = NULL;
	const char *path = NULL;

	if (l->nr_lines)
		func = &p->funcs[p->lines[l->first_line].func];
	if (f->names[FILTER_SYMBOL].n &&
	    !(func && has_name(f, FILTER_SYMBOL, profile_str(p, func->name))))
		return false;
	if (!f->names[FILTER_DSO].n)
		return true;
	if (l->kind == LOC_DSO && modules)
		path = modules->path(modules->ctx, l->dso);
	return has_name(f, FILTER_DSO, path) ||
	       (func && has_name(f, FILTER_DSO, profile_str(p, func->module)));
}

struct loc_match {
	uint32_t frames; /* which expressions some function of it matches */
	bool leaf;
};

static struct loc_match *match_locs(const struct profile *p, const struct filter *f,
				    const struct profile_modules *modules)
{
	struct loc_match *match = xcalloc(p->nr_locs, sizeof(*match));
	uint32_t *funcs = match_funcs(p, f);

	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		match[i].leaf = leaf_wanted(p, f, modules, l);
		for (uint32_t k = 0; k < l->nr_lines; k++)
			match[i].frames |= funcs[p->lines[l->first_line + k].func];
	}
	free(funcs);
	return match;
}

/* What an event has lost and kept. */
struct kept {
	uint64_t weight, count;
	uint64_t lost_weight, lost_count;
};

static void keep(struct kept *k, uint64_t weight, uint64_t count, bool wanted)
{
	uint64_t *w = wanted ? &k->weight : &k->lost_weight;
	uint64_t *c = wanted ? &k->count : &k->lost_count;

	*w = add_saturating(*w, weight);
	*c = add_saturating(*c, count);
}

static void keep_event(struct profile_event *e, const struct kept *k)
{
	unsigned __int128 sq = (unsigned __int128)e->sum_sq_hi << 64 | e->sum_sq_lo;

	if (k->weight != e->weight) {
		long double part = (long double)k->weight / (long double)e->weight;
		long double scaled = (long double)sq * part + 0.5L;

		sq = scaled < 0x1p128L ? (unsigned __int128)scaled : sq;
	}
	e->sum_sq_hi = (uint64_t)(sq >> 64);
	e->sum_sq_lo = (uint64_t)sq;
	e->weight = k->weight;
	e->samples = k->count;
	e->filtered_weight = add_saturating(e->filtered_weight, k->lost_weight);
	e->filtered_samples = add_saturating(e->filtered_samples, k->lost_count);
}

static void filter_nodes(struct profile *p, const struct loc_match *locs, uint32_t all,
			 struct kept *kept)
{
	uint32_t *frames = xcalloc(p->nr_nodes, sizeof(*frames));

	for (size_t i = 0; i < p->nr_nodes; i++) {
		struct stack_node n = p->nodes[i];
		bool wanted;

		if (n.parent == PROFILE_NONE)
			continue;
		frames[i] = frames[n.parent] | locs[n.loc].frames;
		wanted = frames[i] == all && locs[n.loc].leaf;
		for (size_t k = 0; k < p->nr_events; k++) {
			struct profile_event *e = &p->events[k];

			if (i >= e->node_cap)
				continue;
			keep(&kept[k], e->node_weight[i], e->node_count[i], wanted);
			if (!wanted)
				e->node_weight[i] = e->node_count[i] = 0;
		}
	}
	free(frames);
}

static bool stack_wanted(const struct loc_match *locs, uint32_t all, const uint32_t *stack,
			 size_t n)
{
	uint32_t frames = 0;

	if (!n || !locs[stack[n - 1]].leaf)
		return false;
	for (size_t i = 0; i < n; i++)
		frames |= locs[stack[i]].frames;
	return frames == all;
}

static void filter_set(struct stack_set *s, const struct loc_match *locs, uint32_t all,
		       struct kept *kept)
{
	uint32_t *stack = NULL;
	size_t cap = 0;

	for (uint32_t i = stack_set_first(s, 0); i != STACK_NONE; i = stack_set_next(s, i)) {
		struct stack_rec *rec = stack_set_rec(s, i);
		bool wanted;

		profile_reserve(&stack, 0, &cap, rec->n + 1);
		wanted = stack_wanted(locs, all, stack, stack_set_locs(s, rec, stack));
		for (uint32_t at = CELL_FIRST; at != CELL_NONE;) {
			struct stack_cell c = stack_set_cell(s, rec, at);

			keep(&kept[c.event], c.weight, c.count, wanted);
			at = c.next;
		}
		if (!wanted)
			stack_set_leave_out(s, rec);
	}
	free(stack);
}

void filter_profile(struct profile *p, const struct filter *f,
		    const struct profile_modules *modules)
{
	uint32_t all = (UINT32_C(1) << f->regexes[FILTER_FOCUS].n) - 1;
	struct kept *kept;
	struct loc_match *locs;

	if (!filter_on_stacks(f))
		return;
	assert(!p->priv->has_trie); /* it would have to be filtered too */
	locs = match_locs(p, f, modules);
	kept = xcalloc(p->nr_events, sizeof(*kept));
	if (!p->priv->sets.n)
		filter_nodes(p, locs, all, kept);
	for (size_t i = 0; i < p->priv->sets.n; i++)
		filter_set(&p->priv->sets.v[i], locs, all, kept);
	for (size_t i = 0; i < p->nr_events; i++)
		keep_event(&p->events[i], &kept[i]);
	free(kept);
	free(locs);
}

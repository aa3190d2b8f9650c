/* SPDX-License-Identifier: MIT */
/*
 * Filters: compiling the arguments of options, and deciding about samples.  Stacks are in
 * filter_stacks.c.
 *
 * Lists of names are compared exactly, as perf does.
 */
#include "profile/filter.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "profile/filter_priv.h"

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

	if (kind == FILTER_FOCUS && f->regexes[kind].n == FILTER_MAX_FOCUS)
		return err_set(err, ERR_USAGE, "--focus can be given %d times at most",
			       FILTER_MAX_FOCUS);
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

bool filter_has_name(const struct filter *f, enum filter_kind kind, const char *name)
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
	       (!f->names[FILTER_COMM].n || filter_has_name(f, FILTER_COMM, comm));
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

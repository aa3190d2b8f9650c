/* SPDX-License-Identifier: MIT */
/*
 * A condition is parsed by descent (|| binds less than &&, both less than !) into steps that a
 * small stack of booleans runs.  Nesting is limited, so neither the parser nor the stack can run
 * out.
 */
#include "collect/fields.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "profile/filter.h"

enum { MAX_DEPTH = 64, MAX_STEPS = 1024 };

struct parser {
	struct fields *f;
	const char *start, *s;
	unsigned depth;
	struct err *err;
};

static int complain(struct parser *p, const char *expected)
{
	return err_set(p->err, ERR_USAGE,
		       "--filter: \"%s\": %s is expected at \"%.20s\"; a condition is like "
		       "prev_state==1 && next_comm ~ \"kworker*\"",
		       p->start, expected, *p->s ? p->s : "the end");
}

static void skip_blanks(struct parser *p)
{
	p->s += strspn(p->s, " \t\n");
}

static bool take(struct parser *p, const char *token)
{
	skip_blanks(p);
	if (strncmp(p->s, token, strlen(token)))
		return false;
	p->s += strlen(token);
	return true;
}

static uint32_t name_id(struct fields *f, const char *s, size_t len)
{
	for (size_t i = 0; i < f->names.n; i++)
		if (strlen(f->names.v[i]) == len && !memcmp(f->names.v[i], s, len))
			return (uint32_t)i;
	vec_push(&f->names, xstrndup(s, len));
	return (uint32_t)f->names.n - 1;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.' || s[n] == ':')
		n++;
	return n;
}

static bool take_op(struct parser *p, enum fields_op *op)
{
	static const struct {
		const char *token;
		enum fields_op op;
	} ops[] = {
		{ "==", FIELDS_EQ }, { "!=", FIELDS_NE }, { "<=", FIELDS_LE },  { ">=", FIELDS_GE },
		{ "<", FIELDS_LT },  { ">", FIELDS_GT },  { "~", FIELDS_GLOB },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (take(p, ops[i].token)) {
			*op = ops[i].op;
			return true;
		}
	if (p->s[0] != '&' || p->s[1] == '&')
		return false;
	p->s++;
	*op = FIELDS_BITS;
	return true;
}

/* A number, a word, or anything in quotes. */
static int take_value(struct parser *p, struct fields_step *step)
{
	const char *begin, *end;
	char quote, *stop;
	int64_t number;

	skip_blanks(p);
	quote = *p->s == '"' || *p->s == '\'' ? *p->s : 0;
	begin = quote ? p->s + 1 : p->s;
	end = quote ? strchr(begin, quote) : begin + strcspn(begin, " \t\n()&|\"'");
	if (!end || (!quote && end == begin))
		return complain(p, quote ? "a closing quote" : "a value");
	step->text = xstrndup(begin, (size_t)(end - begin));
	p->s = quote ? end + 1 : end;
	errno = 0;
	number = *step->text == '-' ? strtoll(step->text, &stop, 0)
				    : (int64_t)strtoull(step->text, &stop, 0);
	step->is_number = stop != step->text && !*stop && !errno;
	step->number = (uint64_t)number;
	return 0;
}

static int comparison(struct parser *p)
{
	struct fields_step step = { 0 };
	size_t len;
	int rc;

	skip_blanks(p);
	len = name_length(p->s);
	if (!len || isdigit((unsigned char)*p->s))
		return complain(p, "the name of a field");
	step.name = name_id(p->f, p->s, len);
	p->s += len;
	if (!take_op(p, &step.op))
		return complain(p, "a comparison (== != < <= > >= & ~)");
	rc = take_value(p, &step);
	vec_push(&p->f->steps, step);
	if (!rc && !step.is_number && step.op >= FIELDS_LT && step.op <= FIELDS_BITS)
		return complain(p, "a number before this, to compare with,");
	return rc;
}

static int alternatives(struct parser *p);

static int factor(struct parser *p)
{
	int rc;

	if (++p->depth > MAX_DEPTH || p->f->steps.n > MAX_STEPS)
		return complain(p, "a simpler condition");
	skip_blanks(p);
	if (*p->s == '!' && p->s[1] != '=') {
		p->s++;
		rc = factor(p);
		vec_push(&p->f->steps, (struct fields_step){ .op = FIELDS_NOT });
	} else if (take(p, "(")) {
		rc = alternatives(p);
		if (!rc && !take(p, ")"))
			rc = complain(p, "a closing bracket");
	} else {
		rc = comparison(p);
	}
	p->depth--;
	return rc;
}

static int conjunction(struct parser *p)
{
	int rc = factor(p);

	while (!rc && take(p, "&&")) {
		rc = factor(p);
		vec_push(&p->f->steps, (struct fields_step){ .op = FIELDS_AND });
	}
	return rc;
}

static int alternatives(struct parser *p)
{
	int rc = conjunction(p);

	while (!rc && take(p, "||")) {
		rc = conjunction(p);
		vec_push(&p->f->steps, (struct fields_step){ .op = FIELDS_OR });
	}
	return rc;
}

static int parse(struct fields *f, const char *text, struct err *err)
{
	struct parser p = { .f = f, .start = text, .s = text, .err = err };
	int rc = alternatives(&p);

	skip_blanks(&p);
	return !rc && *p.s ? complain(&p, "&&, || or the end") : rc;
}

static void release_steps(struct fields *f)
{
	for (size_t i = 0; i < f->names.n; i++)
		free(f->names.v[i]);
	for (size_t i = 0; i < f->steps.n; i++)
		free(f->steps.v[i].text);
	vec_release(&f->names);
	vec_release(&f->steps);
}

int session_check_condition(const char *text, struct err *err)
{
	struct fields f = { 0 };
	int rc = parse(&f, text, err);

	release_steps(&f);
	return rc;
}

/* ---- names ---- */

/* NAME is FIELD, EVENT.FIELD or SYSTEM:EVENT.FIELD. */
static const struct tp_field *find(const struct tp_event *ev, const char *name)
{
	const char *dot = strrchr(name, '.'), *colon = strchr(name, ':'), *event = name;

	if (!ev || !dot)
		return tp_event_field(ev, name);
	if (colon && colon < dot) {
		if (strlen(ev->system) != (size_t)(colon - name) ||
		    memcmp(ev->system, name, (size_t)(colon - name)))
			return NULL;
		event = colon + 1;
	}
	if (strlen(ev->name) != (size_t)(dot - event) || memcmp(ev->name, event, strlen(ev->name)))
		return NULL;
	return tp_event_field(ev, dot + 1);
}

/* The fields that there are, for who named one that is not. */
static int unknown(struct fields *f, const struct reader *r, const char *name, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < r->evlist.n; i++) {
		const struct tp_event *ev = formats_event(&f->formats, r, &r->evlist.v[i]);

		for (size_t k = 0; ev && k < ev->nr_fields; k++)
			if (!(ev->fields[k].flags & TP_COMMON))
				strbuf_addf(&sb, "%s%s.%s", sb.n ? ", " : "", ev->name,
					    ev->fields[k].name);
	}
	rc = err_set(err, ERR_NOT_FOUND, "%s: no event has a field %s; %s%.300s", r->name, name,
		     sb.n ? "there are " : "it has no tracepoints with fields", strbuf_str(&sb));
	strbuf_release(&sb);
	return rc;
}

static int find_all(struct fields *f, const struct reader *r, struct err *err)
{
	size_t n = f->names.n;

	f->found = xcalloc(r->evlist.n * n, sizeof(*f->found));
	for (size_t k = 0; k < n; k++) {
		bool any = false;

		for (size_t i = 0; i < r->evlist.n; i++) {
			const struct tp_event *ev = formats_event(&f->formats, r, &r->evlist.v[i]);

			f->found[i * n + k] = find(ev, f->names.v[k]);
			any |= f->found[i * n + k] != NULL;
		}
		if (!any)
			return unknown(f, r, f->names.v[k], err);
	}
	return 0;
}

int fields_init(struct fields *f, const struct reader *r, const struct session_options *opts,
		struct err *err)
{
	int rc;

	for (size_t i = 0; i < opts->nr_fields; i++)
		name_id(f, opts->fields[i], strlen(opts->fields[i]));
	f->nr_keys = f->names.n;
	if (filter_condition(opts->filter)) {
		rc = parse(f, filter_condition(opts->filter), err);
		if (rc < 0)
			return rc;
	}
	if (!f->names.n)
		return 0;
	return find_all(f, r, err);
}

void fields_release(struct fields *f)
{
	release_steps(f);
	free(f->found);
	formats_release(&f->formats);
	*f = (struct fields){ 0 };
}

/* ---- samples ---- */

static bool compare_number(const struct fields_step *step, uint64_t v, bool is_signed)
{
	uint64_t w = step->number;
	bool less = is_signed ? (int64_t)v < (int64_t)w : v < w;

	switch (step->op) {
	case FIELDS_EQ:
		return v == w;
	case FIELDS_NE:
		return v != w;
	case FIELDS_LT:
		return less;
	case FIELDS_LE:
		return less || v == w;
	case FIELDS_GT:
		return !less && v != w;
	case FIELDS_GE:
		return !less;
	case FIELDS_BITS:
		return v & w;
	default:
		return false;
	}
}

static bool compare_text(const struct fields_step *step, const struct tp_field *field,
			 const struct sample *s)
{
	struct strbuf sb = STRBUF_INIT;
	bool yes = false;

	if (tp_text(field, s->raw, s->raw_size, &sb)) {
		const char *text = strbuf_str(&sb);

		if (step->op == FIELDS_GLOB)
			yes = !fnmatch(step->text, text, 0);
		else if (step->op == FIELDS_EQ || step->op == FIELDS_NE)
			yes = !strcmp(step->text, text) == (step->op == FIELDS_EQ);
	}
	strbuf_release(&sb);
	return yes;
}

static bool compare(const struct fields_step *step, const struct tp_field *field,
		    const struct sample *s)
{
	uint64_t v;

	if (!field || !s->raw)
		return false;
	if (step->is_number && step->op != FIELDS_GLOB && tp_number(field, s->raw, s->raw_size, &v))
		return compare_number(step, v, field->flags & TP_SIGNED);
	return compare_text(step, field, s);
}

bool fields_accept(const struct fields *f, const struct evsel *evsel, const struct sample *s)
{
	const struct tp_field **found = f->found + evsel->index * f->names.n;
	bool stack[MAX_DEPTH * 2 + 2];
	size_t n = 0;

	if (!f->steps.n)
		return true;
	for (size_t i = 0; i < f->steps.n; i++) {
		const struct fields_step *step = &f->steps.v[i];

		if (step->op == FIELDS_NOT) {
			stack[n - 1] = !stack[n - 1];
		} else if (step->op == FIELDS_AND || step->op == FIELDS_OR) {
			n--;
			stack[n - 1] = step->op == FIELDS_AND ? stack[n - 1] && stack[n]
							      : stack[n - 1] || stack[n];
		} else {
			stack[n++] = compare(step, found[step->name], s);
		}
	}
	return stack[0];
}

void fields_key(const struct fields *f, const struct evsel *evsel, const struct sample *s,
		struct strbuf *sb)
{
	const struct tp_field **found = f->found + evsel->index * f->names.n;

	for (size_t k = 0; k < f->nr_keys; k++) {
		strbuf_addf(sb, "%s%s=", k ? ", " : "", f->names.v[k]);
		if (!found[k] || !tp_text(found[k], s->raw, s->raw_size, sb))
			strbuf_addc(sb, '-');
	}
}

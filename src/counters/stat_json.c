/* SPDX-License-Identifier: MIT */
/*
 * perf stat -j: one object a line.  perf 6.1 writes some that are no JSON: with -A a separator is
 * missing, and in a locale with a decimal comma bare numbers have one.  So this reader takes pairs of
 * a quoted key and a value, and a bare value goes on until the next key or the end.
 *
 * Source: tools/perf/util/stat-display.c from 6.0.
 */
#include "counters/stat_parse.h"

#include <stdio.h>
#include <string.h>

struct object {
	struct span value, unit, event, cgroup, spread, percent, time, where;
	char place[STAT_PLACE_MAX]; /* what `where` may be in */
	bool metric;
};

struct span stat_json_place(struct span key, struct span value, char text[STAT_PLACE_MAX])
{
	if (!span_is(key, "cpu") || !span_digits(value, 1, 10))
		return value;
	return (struct span){ text, (size_t)snprintf(text, STAT_PLACE_MAX, "CPU%.*s", (int)value.n,
						     value.s) };
}

/* A quoted string from P on, which is at the quote; its end is one behind the closing quote. */
static const char *quoted(const char *p, const char *end, struct span *out)
{
	const char *q = p + 1;

	while (q < end && *q != '"')
		q += *q == '\\' && q + 1 < end ? 2 : 1;
	if (q >= end)
		return NULL;
	*out = (struct span){ p + 1, (size_t)(q - p - 1) };
	return q + 1;
}

/* A bare value ends before `, "` or `}`. */
static const char *bare(const char *p, const char *end, struct span *out)
{
	const char *q = p;

	while (q < end && *q != '"' && *q != '}')
		q++;
	*out = (struct span){ p, (size_t)(q - p) };
	*out = span_trim(*out);
	while (out->n && out->s[out->n - 1] == ',')
		out->n--;
	*out = span_trim(*out);
	return q;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r,", *p) && *p)
		p++;
	return p;
}

static void take_pair(struct object *o, struct span key, struct span value)
{
	static const char *const places[] = { "cpu",   "core",   "die",  "cluster",
					      "cache", "socket", "node", "thread" };

	if (span_is(key, "counter-value"))
		o->value = value;
	else if (span_is(key, "unit"))
		o->unit = value;
	else if (span_is(key, "event"))
		o->event = value;
	else if (span_is(key, "cgroup"))
		o->cgroup = value;
	else if (span_is(key, "variance"))
		o->spread = value;
	else if (span_is(key, "pcnt-running"))
		o->percent = value;
	else if (span_is(key, "interval") || span_is(key, "timestamp"))
		o->time = value;
	else if (span_after(key, "metric").s)
		o->metric = true;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (span_is(key, places[i]))
			o->where = stat_json_place(key, value, o->place);
}

static int read_object(struct stat_parser *p, const char *at, struct object *o)
{
	const char *end = p->line.s + p->line.n;

	at = skip_blanks(at, end);
	while (at < end && *at != '}') {
		struct span key, value;
		const char *next = *at == '"' ? quoted(at, end, &key) : NULL;

		if (!next)
			return stat_fail(p, at, "expected a key in quotes");
		at = skip_blanks(next, end);
		if (at >= end || *at != ':')
			return stat_fail(p, at < end ? at : end, "expected a colon");
		at = skip_blanks(at + 1, end);
		if (at >= end)
			return stat_fail(p, end, "expected a value");
		next = *at == '"' ? quoted(at, end, &value) : bare(at, end, &value);
		if (!next)
			return stat_fail(p, at, "a string without an end");
		take_pair(o, key, value);
		at = skip_blanks(next, end);
	}
	if (at >= end)
		return stat_fail(p, end, "the object has no end");
	return 0;
}

static int read_value(struct stat_parser *p, const struct object *o, struct counter_reading *r)
{
	double percent = 100;

	r->state = stat_not_state(o->value);
	if (!r->state) {
		enum number_result n = stat_number(o->value, &r->value);

		if (n != NUMBER_OK)
			return stat_fail(p, o->value.s,
					 n == NUMBER_RANGE
						 ? "the count %.*s does not fit into 64 bits"
						 : "expected a count, found \"%.*s\"",
					 (int)(o->value.n < 40 ? o->value.n : 40), o->value.s);
		r->state = COUNTER_COUNTED;
	}
	if (o->percent.s && (stat_number(o->percent, &percent) != NUMBER_OK || percent > 100))
		return stat_fail(p, o->percent.s, "expected a percentage up to 100");
	r->running = percent / 100;
	if (o->spread.s && stat_number(o->spread, &r->spread) == NUMBER_OK)
		r->spread /= 100;
	if (o->time.s && stat_number(o->time, &r->time) != NUMBER_OK)
		return stat_fail(p, o->time.s, "expected a time in seconds");
	return 0;
}

int stat_json_line(struct stat_parser *p)
{
	struct span line = span_trim(p->line);
	struct counter_reading r = { .spread = -1, .time = -1 };
	struct object o = { .metric = false };
	int rc;

	while (line.n && strchr("[], ", *line.s)) {
		line.s++;
		line.n--;
	}
	if (!line.n)
		return 0;
	if (*line.s != '{') {
		if (!p->set->skipped++)
			p->set->first_skipped = p->line_no;
		return 0;
	}
	rc = read_object(p, line.s + 1, &o);
	if (rc < 0)
		return rc;
	if (!o.event.n || !o.value.s) {
		if (!o.metric)
			return stat_fail(p, line.s, "expected \"counter-value\" and \"event\"");
		p->set->metrics++;
		return 0;
	}
	rc = read_value(p, &o, &r);
	if (rc < 0)
		return rc;
	r.name = o.event.s;
	r.name_len = o.event.n;
	r.unit = o.unit.s;
	r.unit_len = o.unit.n;
	r.where = o.where.s ? o.where.s : o.cgroup.s;
	r.where_len = o.where.s ? o.where.n : o.cgroup.n;
	counter_set_add(p->set, &r);
	return 0;
}

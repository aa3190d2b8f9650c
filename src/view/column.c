/* SPDX-License-Identifier: MIT */
#include "view/column.h"

#include <math.h>
#include <stdlib.h>

#include <perfrep/statistics.h>

#include "base/vec.h"
#include "view/number.h"
#include "view/ratios.h"

static double share_of(const struct table *t, uint64_t v)
{
	return t->base ? (double)v / (double)t->base : 0;
}

/* ---- for eyes ---- */

/* N is the effective number of samples. */
static void share_eyes(const struct table *t, uint64_t v, double n, struct strbuf *sb,
		       enum colour *colour)
{
	double share = share_of(t, v);

	number_percent(sb, share);
	strbuf_adds(sb, " %");
	if (isfinite(n)) {
		strbuf_adds(sb, " ±");
		number_margin(sb, wilson_margin(share, n));
	}
	*colour = colour_of_share(share);
}

static void self_eyes(const struct table *t, const struct table_row *row, struct strbuf *sb,
		      enum colour *colour)
{
	if (row->self)
		share_eyes(t, row->self, row->self_n, sb, colour);
	else
		strbuf_adds(sb, "–");
}

static void total_eyes(const struct table *t, const struct table_row *row, struct strbuf *sb,
		       enum colour *colour)
{
	share_eyes(t, row->total, row->total_n, sb, colour);
}

static void rank_eyes(const struct table *t, const struct table_row *row, struct strbuf *sb,
		      enum colour *colour)
{
	if (!(t->opts.by_total ? row->total : row->self))
		return;
	*colour = COLOUR_DIM;
	strbuf_addu(sb, row->rank);
	if (row->rank_last != row->rank) {
		strbuf_adds(sb, "–");
		strbuf_addu(sb, row->rank_last);
	}
}

static void samples_eyes(const struct table *t, const struct table_row *row, struct strbuf *sb,
			 enum colour *colour)
{
	uint64_t samples = t->opts.by_total ? row->total_samples : row->self_samples;

	(void)colour;
	if (samples)
		number_thousands(sb, samples);
}

static void weight_eyes(const struct table *t, const struct table_row *row, struct strbuf *sb,
			enum colour *colour)
{
	const struct profile_event *e = &t->profile->events[t->event];

	uint64_t weight = t->opts.by_total ? row->total_weight : row->self_weight;

	(void)colour;
	if (weight)
		number_weight(sb, weight, e->unit ? profile_str(t->profile, e->unit) : "");
}

static void key_eyes(const struct table *t, const struct table_row *row, enum view_key key,
		     struct strbuf *sb, enum colour *colour)
{
	const struct profile *p = t->profile;

	table_key_text(t, row, key, false, sb);
	if (key != KEY_SYM || row->line == PROFILE_NONE)
		return;
	if (row->inlined && row->inlined == row->self)
		strbuf_adds(sb, " (inlined)");
	else if (row->inlined)
		strbuf_adds(sb, " (partly inlined)");
	if (p->funcs[p->lines[row->line].func].flags & LINE_UNKNOWN)
		*colour = COLOUR_WARN;
}

/* ---- for machines ---- */

static struct value uint_value(uint64_t u)
{
	return (struct value){ .kind = VALUE_UINT, .u = u };
}

static struct value real_value(double d)
{
	return (struct value){ .kind = VALUE_REAL, .d = d };
}

#define UINT_COLUMN(name, expression)                                                \
	static struct value name(const struct table *t, const struct table_row *row, \
				 struct strbuf *sb)                                  \
	{                                                                            \
		(void)t;                                                             \
		(void)sb;                                                            \
		return uint_value(expression);                                       \
	}

#define REAL_COLUMN(name, expression)                                                \
	static struct value name(const struct table *t, const struct table_row *row, \
				 struct strbuf *sb)                                  \
	{                                                                            \
		(void)t;                                                             \
		(void)sb;                                                            \
		return real_value(expression);                                       \
	}

UINT_COLUMN(rank_value, row->rank)
UINT_COLUMN(rank_last_value, row->rank_last)
REAL_COLUMN(self_value, share_of(t, row->self) * 100)
REAL_COLUMN(self_low, wilson(share_of(t, row->self), row->self_n).low * 100)
REAL_COLUMN(self_high, wilson(share_of(t, row->self), row->self_n).high * 100)
REAL_COLUMN(total_value, share_of(t, row->total) * 100)
REAL_COLUMN(total_low, wilson(share_of(t, row->total), row->total_n).low * 100)
REAL_COLUMN(total_high, wilson(share_of(t, row->total), row->total_n).high * 100)
UINT_COLUMN(self_samples_value, row->self_samples)
UINT_COLUMN(total_samples_value, row->total_samples)
UINT_COLUMN(self_weight_value, row->self_weight)
UINT_COLUMN(total_weight_value, row->total_weight)
REAL_COLUMN(inlined_value, row->self ? (double)row->inlined * 100 / (double)row->self : 0)

/* Keys that are numbers are numbers for machines too, and nothing when they are not known. */
static struct value key_value(const struct table *t, const struct table_row *row, enum view_key key,
			      struct strbuf *sb)
{
	const struct stack_key *k = &t->profile->keys[row->key];
	int32_t number = key == KEY_PID ? k->pid : key == KEY_TID ? k->tid : k->cpu;

	if (key != KEY_PID && key != KEY_TID && key != KEY_CPU) {
		table_key_text(t, row, key, true, sb);
		return (struct value){ .kind = VALUE_TEXT };
	}
	if (number < 0)
		return (struct value){ .kind = VALUE_NONE };
	return uint_value((uint32_t)number);
}

/* ---- the tables ---- */

#define KEY_COLUMN(fn, key)                                                                \
	static void fn##_eyes(const struct table *t, const struct table_row *row,          \
			      struct strbuf *sb, enum colour *colour)                      \
	{                                                                                  \
		key_eyes(t, row, key, sb, colour);                                         \
	}                                                                                  \
	static struct value fn##_value(const struct table *t, const struct table_row *row, \
				       struct strbuf *sb)                                  \
	{                                                                                  \
		return key_value(t, row, key, sb);                                         \
	}

KEY_COLUMN(comm, KEY_COMM)
KEY_COLUMN(pid, KEY_PID)
KEY_COLUMN(tid, KEY_TID)
KEY_COLUMN(cpu, KEY_CPU)
KEY_COLUMN(dso, KEY_DSO)
KEY_COLUMN(sym, KEY_SYM)
KEY_COLUMN(srcline, KEY_SRCLINE)
KEY_COLUMN(srcfile, KEY_SRCFILE)
KEY_COLUMN(event, KEY_EVENT)
KEY_COLUMN(fields, KEY_FIELDS)

#define NUMBER(name, header)                           \
	{                                              \
		name, header, true, false, false, 0, 0 \
	}
#define DROPPABLE(name, header, order)                     \
	{                                                  \
		name, header, true, false, false, order, 0 \
	}

static const struct column numbers[] = {
	{ { "event", "event", false, true, false, 0, 0 }, FOR_MACHINES, -1, NULL, event_value },
	{ DROPPABLE("rank", "rank", 1), FOR_EYES | FOR_MACHINES, -1, rank_eyes, rank_value },
	{ NUMBER("rank_last", ""), FOR_MACHINES, -1, NULL, rank_last_value },
	{ NUMBER("self", "self"), FOR_EYES, -1, self_eyes, NULL },
	{ NUMBER("self_percent", ""), FOR_MACHINES, -1, NULL, self_value },
	{ NUMBER("self_low", ""), FOR_MACHINES, -1, NULL, self_low },
	{ NUMBER("self_high", ""), FOR_MACHINES, -1, NULL, self_high },
	{ NUMBER("total", "total"), FOR_EYES | OF_TOTAL, -1, total_eyes, NULL },
	{ NUMBER("total_percent", ""), FOR_MACHINES | OF_TOTAL, -1, NULL, total_value },
	{ NUMBER("total_low", ""), FOR_MACHINES | OF_TOTAL, -1, NULL, total_low },
	{ NUMBER("total_high", ""), FOR_MACHINES | OF_TOTAL, -1, NULL, total_high },
	{ DROPPABLE("samples", "samples", 2), FOR_EYES, -1, samples_eyes, NULL },
	{ NUMBER("self_samples", ""), FOR_MACHINES, -1, NULL, self_samples_value },
	{ NUMBER("total_samples", ""), FOR_MACHINES | OF_TOTAL, -1, NULL, total_samples_value },
	{ DROPPABLE("weight", "weight", 3), FOR_EYES | IF_WEIGHTED, -1, weight_eyes, NULL },
	{ NUMBER("self_weight", ""), FOR_MACHINES, -1, NULL, self_weight_value },
	{ NUMBER("total_weight", ""), FOR_MACHINES | OF_TOTAL, -1, NULL, total_weight_value },
	{ NUMBER("inlined_percent", ""), FOR_MACHINES, -1, NULL, inlined_value },
};

#define BOTH (FOR_EYES | FOR_MACHINES)

/* By enum view_key. */
static const struct column key_columns[KEY_MAX] = {
	{ { "comm", "command", false, true, false, 0, 8 }, BOTH, KEY_COMM, comm_eyes, comm_value },
	{ { "pid", "pid", true, false, false, 0, 0 }, BOTH, KEY_PID, pid_eyes, pid_value },
	{ { "tid", "tid", true, false, false, 0, 0 }, BOTH, KEY_TID, tid_eyes, tid_value },
	{ { "cpu", "cpu", true, false, false, 0, 0 }, BOTH, KEY_CPU, cpu_eyes, cpu_value },
	{ { "dso", "module", false, true, false, 0, 12 }, BOTH, KEY_DSO, dso_eyes, dso_value },
	{ { "sym", "function", false, true, true, 0, 24 }, BOTH, KEY_SYM, sym_eyes, sym_value },
	{ { "srcline", "source line", false, true, false, 0, 16 },
	  BOTH,
	  KEY_SRCLINE,
	  srcline_eyes,
	  srcline_value },
	{ { "srcfile", "source file", false, true, false, 0, 16 },
	  BOTH,
	  KEY_SRCFILE,
	  srcfile_eyes,
	  srcfile_value },
	{ { "event", "event", false, true, false, 0, 12 },
	  FOR_EYES,
	  KEY_EVENT,
	  event_eyes,
	  event_value },
	{ { "fields", "fields", false, true, false, 0, 16 },
	  BOTH,
	  KEY_FIELDS,
	  fields_eyes,
	  fields_value },
};

static bool wanted(const struct column *c, const struct table *t, bool eyes, bool no_total)
{
	const struct profile_event *e = &t->profile->events[t->event];

	if (!(c->forms & (eyes ? FOR_EYES : FOR_MACHINES)))
		return false;
	if ((c->forms & OF_TOTAL) && (no_total || (eyes && !t->has_total)))
		return false;
	return !(c->forms & IF_WEIGHTED) || (!t->opts.by_count && e->weight != e->samples);
}

size_t columns_of(const struct table *t, bool eyes, bool no_total, const struct column ***out)
{
	VEC(const struct column *) list = { 0 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (wanted(&numbers[i], t, eyes, no_total))
			vec_push(&list, &numbers[i]);
	if (t->ratios) {
		vec_reserve(&list, RATIO_COLUMNS_MAX);
		list.n = ratio_columns(t, eyes, list.v, list.n);
	}
	for (size_t i = 0; i < t->opts.keys.n; i++) {
		const struct column *c = &key_columns[t->opts.keys.v[i]];

		if (wanted(c, t, eyes, no_total))
			vec_push(&list, c);
	}
	*out = list.v;
	return list.n;
}

void value_text(struct value v, struct strbuf *sb)
{
	if (v.kind == VALUE_UINT)
		strbuf_addu(sb, v.u);
	else if (v.kind == VALUE_REAL)
		strbuf_addf(sb, "%.4f", v.d);
}

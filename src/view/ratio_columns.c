/* SPDX-License-Identifier: MIT */
/* Ratios as text and JSON, and as the columns of a table. */
#include "view/column.h"
#include "view/json.h"
#include "view/number.h"
#include "view/ratios.h"

#include <math.h>
#include <string.h>

/* X(kind, function, header for eyes, names of value and half-width for machines) */
#define RATIO_LIST(X)                                                                            \
	X(RATIO_IPC, ipc, "IPC", "ipc", "ipc_half")                                              \
	X(RATIO_BRANCH_MISS, branch_miss, "branch miss %", "branch_miss_percent",                \
	  "branch_miss_half")                                                                    \
	X(RATIO_MPKI, mpki, "LLC MPKI", "llc_mpki", "llc_mpki_half")                             \
	X(RATIO_FAULTS, faults, "faults/s", "faults_per_cpu_second", "faults_half")              \
	X(RATIO_SWITCHES, switches, "switches/s", "switches_per_cpu_second", "switches_half")    \
	X(RATIO_RETIRING, retiring, "retiring %", "retiring_percent", "retiring_half")           \
	X(RATIO_HEAVY, heavy, "heavy %", "heavy_operations_percent", "heavy_operations_half")    \
	X(RATIO_BAD_SPECULATION, bad_speculation, "bad spec %", "bad_speculation_percent",       \
	  "bad_speculation_half")                                                                \
	X(RATIO_MISPREDICT, mispredict, "mispredict %", "mispredict_percent", "mispredict_half") \
	X(RATIO_FRONTEND, frontend, "front end %", "frontend_bound_percent",                     \
	  "frontend_bound_half")                                                                 \
	X(RATIO_FETCH_LATENCY, fetch_latency, "fetch %", "fetch_latency_percent",                \
	  "fetch_latency_half")                                                                  \
	X(RATIO_BACKEND, backend, "back end %", "backend_bound_percent", "backend_bound_half")   \
	X(RATIO_MEMORY, memory, "memory %", "memory_bound_percent", "memory_bound_half")

#define TEXTS(kind, fn, header, value, half) [kind] = { header, value, half },

static const struct {
	const char *header, *value, *half;
} texts[RATIO_KINDS] = { RATIO_LIST(TEXTS) };

/* The order of columns; the verdict comes last. */
static const uint8_t order[RATIO_KINDS] = {
	RATIO_IPC,           RATIO_MPKI,    RATIO_BRANCH_MISS,     RATIO_FAULTS,     RATIO_SWITCHES,
	RATIO_RETIRING,      RATIO_HEAVY,   RATIO_BAD_SPECULATION, RATIO_MISPREDICT, RATIO_FRONTEND,
	RATIO_FETCH_LATENCY, RATIO_BACKEND, RATIO_MEMORY,
};

size_t ratios_order(const struct ratio_shape *shape, int kinds[RATIO_KINDS + 1])
{
	size_t n = 0;

	for (int i = 0; i < RATIO_KINDS; i++)
		if (shape->has[order[i]])
			kinds[n++] = order[i];
	if (shape->verdicts)
		kinds[n++] = RATIO_KINDS;
	return n;
}

const char *ratio_header(int kind)
{
	return kind == RATIO_KINDS ? "bound by" : texts[kind].header;
}

static void verdict_text(const struct row_verdict *v, struct strbuf *sb)
{
	static const char *const names[] = { "memory", "branches", "compute" };
	bool more = false;

	if (v->state == RATIO_TOO_FEW)
		strbuf_adds(sb, "too few");
	for (int i = MEMORY; i <= COMPUTE; i++) {
		if (!(v->may_be >> i & 1))
			continue;
		strbuf_addf(sb, "%s%s", more ? "/" : "", names[i]);
		more = true;
	}
}

static int decimals_of(int kind, double value)
{
	if (kind >= RATIO_TOPDOWN)
		return 1;
	return kind == RATIO_IPC || kind == RATIO_BRANCH_MISS || value < 10 ? 2 : 0;
}

void ratio_text(const struct ratio_row *row, int kind, struct strbuf *sb, enum colour *colour)
{
	const struct ratio_cell *c = &row->cells[kind == RATIO_KINDS ? 0 : kind];
	enum ratio_state state = kind == RATIO_KINDS ? row->verdict.state : c->state;
	int decimals;

	if (state == RATIO_TOO_FEW)
		*colour = COLOUR_DIM;
	if (kind == RATIO_KINDS) {
		verdict_text(&row->verdict, sb);
		return;
	}
	decimals = decimals_of(kind, c->value);
	if (state == RATIO_TOO_FEW) {
		strbuf_adds(sb, "too few");
	} else if (state == RATIO_KNOWN && !decimals && c->value < 1e15 && c->half < 1e15) {
		number_thousands(sb, (uint64_t)llround(c->value));
		strbuf_adds(sb, " ±");
		number_thousands(sb, (uint64_t)llround(c->half));
	} else if (state == RATIO_KNOWN) {
		strbuf_addf(sb, "%.*f ±%.*f", decimals, c->value, decimals, c->half);
	}
}

void ratios_put_json(struct json_object *o, const struct ratio_shape *shape,
		     const struct ratio_row *row)
{
	int kinds[RATIO_KINDS + 1];
	size_t n = ratios_order(shape, kinds);

	for (size_t i = 0; i < n; i++) {
		int k = kinds[i];
		struct strbuf sb = STRBUF_INIT;

		if (k == RATIO_KINDS) {
			verdict_text(&row->verdict, &sb);
			json_put_text(o, "bottleneck", sb.n ? strbuf_str(&sb) : NULL);
		} else if (row->cells[k].state == RATIO_KNOWN) {
			json_put_real(o, texts[k].value, row->cells[k].value, 4);
			json_put_real(o, texts[k].half, row->cells[k].half, 4);
		} else {
			json_put_null(o, texts[k].value);
			json_put_null(o, texts[k].half);
		}
		strbuf_release(&sb);
	}
}

/* ---- columns of a table ---- */

static const struct ratio_row *row_of(const struct table *t, const struct table_row *row)
{
	return &t->ratios->rows[row - t->rows];
}

static struct value machine(const struct table *t, const struct table_row *row,
			    enum ratio_kind kind, bool half)
{
	const struct ratio_cell *c = &row_of(t, row)->cells[kind];

	if (c->state != RATIO_KNOWN)
		return (struct value){ .kind = VALUE_NONE };
	return (struct value){ .kind = VALUE_REAL, .d = half ? c->half : c->value };
}

#define FUNCTIONS(kind, name, header, v, h)                                                  \
	static void name##_eyes(const struct table *t, const struct table_row *row,          \
				struct strbuf *sb, enum colour *colour)                      \
	{                                                                                    \
		ratio_text(row_of(t, row), kind, sb, colour);                                \
	}                                                                                    \
	static struct value name##_value(const struct table *t, const struct table_row *row, \
					 struct strbuf *sb)                                  \
	{                                                                                    \
		(void)sb;                                                                    \
		return machine(t, row, kind, false);                                         \
	}                                                                                    \
	static struct value name##_half(const struct table *t, const struct table_row *row,  \
					struct strbuf *sb)                                   \
	{                                                                                    \
		(void)sb;                                                                    \
		return machine(t, row, kind, true);                                          \
	}

RATIO_LIST(FUNCTIONS)

static void verdict_eyes(const struct table *t, const struct table_row *row, struct strbuf *sb,
			 enum colour *colour)
{
	ratio_text(row_of(t, row), RATIO_KINDS, sb, colour);
}

static struct value verdict_value(const struct table *t, const struct table_row *row,
				  struct strbuf *sb)
{
	const struct row_verdict *v = &row_of(t, row)->verdict;

	if (v->state == RATIO_ABSENT)
		return (struct value){ .kind = VALUE_NONE };
	verdict_text(v, sb);
	return (struct value){ .kind = VALUE_TEXT };
}

#define EYES(name, header)                             \
	{                                              \
		name, header, true, false, false, 1, 0 \
	}
#define MACHINE(name)                              \
	{                                          \
		name, "", true, false, false, 0, 0 \
	}
/* One for eyes, two for machines. */
#define COLUMNS(kind, fn, header, value, half)                          \
	[kind] = {                                                      \
		{ EYES(#fn, header), FOR_EYES, -1, fn##_eyes, NULL },   \
		{ MACHINE(value), FOR_MACHINES, -1, NULL, fn##_value }, \
		{ MACHINE(half), FOR_MACHINES, -1, NULL, fn##_half },   \
	},

static const struct column columns[RATIO_KINDS][3] = { RATIO_LIST(COLUMNS) };

static const struct column verdict_column = {
	{ "bottleneck", "bound by", false, false, false, 1, 0 },
	FOR_EYES | FOR_MACHINES,
	-1,
	verdict_eyes,
	verdict_value,
};

size_t ratio_columns(const struct table *t, bool for_eyes, const struct column **list, size_t n)
{
	int kinds[RATIO_KINDS + 1];
	size_t nr = ratios_order(&t->ratios->shape, kinds);

	for (size_t i = 0; i < nr; i++) {
		if (kinds[i] == RATIO_KINDS) {
			list[n++] = &verdict_column;
		} else if (for_eyes) {
			list[n++] = &columns[kinds[i]][0];
		} else {
			list[n++] = &columns[kinds[i]][1];
			list[n++] = &columns[kinds[i]][2];
		}
	}
	return n;
}

/* SPDX-License-Identifier: MIT */
/* The columns of ratios: "0.61 ±0.02" for eyes, value and half-width for machines. */
#include "view/column.h"
#include "view/ratios.h"

#include <string.h>

static const struct ratio_cell *cell_of(const struct table *t, const struct table_row *row,
					enum ratio_kind kind)
{
	return &t->ratios->cells[row - t->rows][kind];
}

static void eyes(const struct table *t, const struct table_row *row, enum ratio_kind kind,
		 struct strbuf *sb, enum colour *colour)
{
	const struct ratio_cell *c = cell_of(t, row, kind);
	int decimals = kind == RATIO_IPC || kind == RATIO_BRANCH_MISS ? 2 : c->value < 10 ? 2 : 0;

	if (c->state == RATIO_TOO_FEW) {
		strbuf_adds(sb, "too few");
		*colour = COLOUR_DIM;
	} else if (c->state == RATIO_KNOWN) {
		strbuf_addf(sb, "%.*f ±%.*f", decimals, c->value, decimals, c->half);
	}
}

static struct value machine(const struct table *t, const struct table_row *row,
			    enum ratio_kind kind, bool half)
{
	const struct ratio_cell *c = cell_of(t, row, kind);

	if (c->state != RATIO_KNOWN)
		return (struct value){ .kind = VALUE_NONE };
	return (struct value){ .kind = VALUE_REAL, .d = half ? c->half : c->value };
}

#define RATIO(name, kind)                                                                    \
	static void name##_eyes(const struct table *t, const struct table_row *row,          \
				struct strbuf *sb, enum colour *colour)                      \
	{                                                                                    \
		eyes(t, row, kind, sb, colour);                                              \
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

RATIO(ipc, RATIO_IPC)
RATIO(branch_miss, RATIO_BRANCH_MISS)
RATIO(mpki, RATIO_MPKI)
RATIO(faults, RATIO_FAULTS)
RATIO(switches, RATIO_SWITCHES)

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

static void verdict_eyes(const struct table *t, const struct table_row *row, struct strbuf *sb,
			 enum colour *colour)
{
	const struct row_verdict *v = &t->ratios->verdict[row - t->rows];

	verdict_text(v, sb);
	if (v->state == RATIO_TOO_FEW)
		*colour = COLOUR_DIM;
}

static struct value verdict_value(const struct table *t, const struct table_row *row,
				  struct strbuf *sb)
{
	const struct row_verdict *v = &t->ratios->verdict[row - t->rows];

	if (v->state == RATIO_ABSENT)
		return (struct value){ .kind = VALUE_NONE };
	verdict_text(v, sb);
	return (struct value){ .kind = VALUE_TEXT };
}

#define EYES(name, header, drop)                          \
	{                                                 \
		name, header, true, false, false, drop, 0 \
	}
#define MACHINE(name)                              \
	{                                          \
		name, "", true, false, false, 0, 0 \
	}

static const struct ratio_column {
	enum ratio_kind kind;
	struct column c;
} columns[] = {
	{ RATIO_IPC, { EYES("ipc", "IPC", 1), FOR_EYES, -1, ipc_eyes, NULL } },
	{ RATIO_IPC, { MACHINE("ipc"), FOR_MACHINES, -1, NULL, ipc_value } },
	{ RATIO_IPC, { MACHINE("ipc_half"), FOR_MACHINES, -1, NULL, ipc_half } },
	{ RATIO_MPKI, { EYES("llc_mpki", "LLC MPKI", 1), FOR_EYES, -1, mpki_eyes, NULL } },
	{ RATIO_MPKI, { MACHINE("llc_mpki"), FOR_MACHINES, -1, NULL, mpki_value } },
	{ RATIO_MPKI, { MACHINE("llc_mpki_half"), FOR_MACHINES, -1, NULL, mpki_half } },
	{ RATIO_BRANCH_MISS,
	  { EYES("branch_miss", "branch miss %", 1), FOR_EYES, -1, branch_miss_eyes, NULL } },
	{ RATIO_BRANCH_MISS,
	  { MACHINE("branch_miss_percent"), FOR_MACHINES, -1, NULL, branch_miss_value } },
	{ RATIO_BRANCH_MISS,
	  { MACHINE("branch_miss_half"), FOR_MACHINES, -1, NULL, branch_miss_half } },
	{ RATIO_FAULTS, { EYES("faults", "faults/s", 1), FOR_EYES, -1, faults_eyes, NULL } },
	{ RATIO_FAULTS,
	  { MACHINE("faults_per_cpu_second"), FOR_MACHINES, -1, NULL, faults_value } },
	{ RATIO_FAULTS, { MACHINE("faults_half"), FOR_MACHINES, -1, NULL, faults_half } },
	{ RATIO_SWITCHES,
	  { EYES("switches", "switches/s", 1), FOR_EYES, -1, switches_eyes, NULL } },
	{ RATIO_SWITCHES,
	  { MACHINE("switches_per_cpu_second"), FOR_MACHINES, -1, NULL, switches_value } },
	{ RATIO_SWITCHES, { MACHINE("switches_half"), FOR_MACHINES, -1, NULL, switches_half } },
};

static const struct column verdict_column = {
	{ "bottleneck", "bound by", false, false, false, 1, 0 },
	FOR_EYES | FOR_MACHINES,
	-1,
	verdict_eyes,
	verdict_value,
};

size_t ratio_columns(const struct table *t, bool for_eyes, const struct column **list, size_t n)
{
	unsigned form = for_eyes ? FOR_EYES : FOR_MACHINES;

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (t->ratios->has[columns[i].kind] && (columns[i].c.forms & form))
			list[n++] = &columns[i].c;
	if (t->ratios->verdicts)
		list[n++] = &verdict_column;
	return n;
}

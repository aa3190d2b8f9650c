/* SPDX-License-Identifier: MIT */
/*
 * SAMPLE and READ records: the fields in the order of perf_output_sample() of the kernel
 * (kernel/events/core.c), one small function for each that is more than a number.
 */
#include "perfdata_builder_private.h"

#include <string.h>

static const uint64_t *first_id(const struct builder *b, uint32_t ev)
{
	static const uint64_t none = 0;

	return b->evsels[ev].nr_ids ? b->evsels[ev].ids : &none;
}

static void put_read(struct builder *b, const struct builder_attr *a,
		     const struct builder_sample *s)
{
	static const struct record_read_value zero;
	uint64_t nr = s->values ? s->nr_values : 0;
	bool group = a->read_format & READ_GROUP;

	if (group)
		builder_len(b, 8, nr, "read.nr");
	else
		builder_u64(b, nr ? s->values[0].value : 0);
	if (a->read_format & READ_TOTAL_TIME_ENABLED)
		builder_u64(b, s->time_enabled);
	if (a->read_format & READ_TOTAL_TIME_RUNNING)
		builder_u64(b, s->time_running);
	for (uint64_t i = 0; i < (group ? nr : 1); i++) {
		const struct record_read_value *v = nr ? &s->values[i] : &zero;

		if (group)
			builder_u64(b, v->value);
		if (a->read_format & READ_ID)
			builder_u64(b, v->id);
		if (a->read_format & READ_LOST)
			builder_u64(b, v->lost);
	}
}

static void put_chain(struct builder *b, const struct builder_sample *s)
{
	builder_len(b, 8, s->nr_chain, "callchain.nr");
	for (uint64_t i = 0; i < s->nr_chain; i++)
		builder_u64(b, s->chain[i]);
}

/* u32 size and the bytes, together a multiple of 8; the padding counts as data. */
static void put_raw(struct builder *b, const struct builder_sample *s)
{
	uint32_t size = s->raw ? s->raw_size : 4;
	uint32_t pad = (8 - (size + 4) % 8) % 8;

	builder_len(b, 4, size + pad, "raw.size");
	builder_bytes(b, s->raw, size);
	builder_bytes(b, NULL, pad);
}

struct bits {
	uint64_t value;
	unsigned width;
};

/* The bit-fields of perf_branch_entry: from the low end, or from the high end in big-endian. */
static uint64_t branch_flags(const struct branch_entry *e, bool be)
{
	const struct bits fields[] = {
		{ e->mispred, 1 }, { e->predicted, 1 }, { e->in_tx, 1 },
		{ e->abort, 1 },   { e->cycles, 16 },   { e->type, 4 },
		{ e->spec, 2 },    { e->new_type, 4 },  { e->priv, 3 },
	};
	uint64_t flags = 0;
	unsigned at = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		flags |= fields[i].value << (be ? 64 - at - fields[i].width : at);
		at += fields[i].width;
	}
	return flags;
}

static void put_branches(struct builder *b, const struct builder_attr *a,
			 const struct builder_sample *s)
{
	builder_len(b, 8, s->nr_branches, "branch.nr");
	if (a->branch_sample_type & BRANCH_HW_INDEX && !s->no_hw_idx)
		builder_u64(b, s->hw_idx);
	for (uint64_t i = 0; i < s->nr_branches; i++) {
		builder_u64(b, s->branches[i].from);
		builder_u64(b, s->branches[i].to);
		builder_u64(b, branch_flags(&s->branches[i], b->opts.be));
	}
	for (uint64_t i = 0; a->branch_sample_type & BRANCH_COUNTERS && i < s->nr_branches; i++)
		builder_u64(b, s->branch_counters ? s->branch_counters[i] : 0);
}

static void put_regs(struct builder *b, uint64_t abi, uint64_t mask, const uint64_t *regs)
{
	unsigned nr = (unsigned)__builtin_popcountll(mask);

	builder_u64(b, abi);
	for (unsigned i = 0; abi && i < nr; i++)
		builder_u64(b, regs ? regs[i] : i + 1);
}

static void put_stack(struct builder *b, const struct builder_sample *s)
{
	builder_len(b, 8, s->stack_size, "stack.size");
	for (uint64_t i = 0; i < s->stack_size; i++)
		builder_u8(b, s->stack ? ((const uint8_t *)s->stack)[i] : 0x5a);
	if (s->stack_size)
		builder_len(b, 8, s->dyn_size, "stack.dyn_size");
}

static void put_aux(struct builder *b, const struct builder_sample *s)
{
	builder_len(b, 8, s->aux_size, "aux.size");
	builder_bytes(b, s->aux, s->aux_size);
	builder_bytes(b, NULL, (8 - s->aux_size % 8) % 8);
}

static void put_pair(struct builder *b, uint32_t x, uint32_t y)
{
	builder_u32(b, x);
	builder_u32(b, y);
}

/* IDENTIFIER … PERIOD */
static void put_head(struct builder *b, uint64_t type, uint64_t id, const struct builder_sample *s)
{
	if (type & SAMPLE_IDENTIFIER)
		builder_u64(b, id);
	if (type & SAMPLE_IP)
		builder_u64(b, s->ip);
	if (type & SAMPLE_TID)
		put_pair(b, s->pid, s->tid ? s->tid : s->pid);
	if (type & SAMPLE_TIME)
		builder_u64(b, s->time);
	if (type & SAMPLE_ADDR)
		builder_u64(b, s->addr);
	if (type & SAMPLE_ID)
		builder_u64(b, id);
	if (type & SAMPLE_STREAM_ID)
		builder_u64(b, s->stream_id);
	if (type & SAMPLE_CPU)
		put_pair(b, s->cpu, 0);
	if (type & SAMPLE_PERIOD)
		builder_u64(b, s->period);
}

/* READ … STACK_USER */
static void put_middle(struct builder *b, const struct builder_attr *a,
		       const struct builder_sample *s)
{
	if (a->sample_type & SAMPLE_READ)
		put_read(b, a, s);
	if (a->sample_type & SAMPLE_CALLCHAIN)
		put_chain(b, s);
	if (a->sample_type & SAMPLE_RAW)
		put_raw(b, s);
	if (a->sample_type & SAMPLE_BRANCH_STACK)
		put_branches(b, a, s);
	if (a->sample_type & SAMPLE_REGS_USER)
		put_regs(b, s->user_abi, a->sample_regs_user, s->user_regs);
	if (a->sample_type & SAMPLE_STACK_USER)
		put_stack(b, s);
}

/* WEIGHT … AUX */
static void put_tail(struct builder *b, const struct builder_attr *a,
		     const struct builder_sample *s)
{
	if (a->sample_type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		builder_u64(b, s->weight);
	if (a->sample_type & SAMPLE_DATA_SRC)
		builder_u64(b, s->data_src);
	if (a->sample_type & SAMPLE_TRANSACTION)
		builder_u64(b, s->transaction);
	if (a->sample_type & SAMPLE_REGS_INTR)
		put_regs(b, s->intr_abi, a->sample_regs_intr, s->intr_regs);
	if (a->sample_type & SAMPLE_PHYS_ADDR)
		builder_u64(b, s->phys_addr);
	if (a->sample_type & SAMPLE_CGROUP)
		builder_u64(b, s->cgroup);
	if (a->sample_type & SAMPLE_DATA_PAGE_SIZE)
		builder_u64(b, s->data_page_size);
	if (a->sample_type & SAMPLE_CODE_PAGE_SIZE)
		builder_u64(b, s->code_page_size);
	if (a->sample_type & SAMPLE_AUX)
		put_aux(b, s);
}

void builder_sample(struct builder *b, uint32_t ev, const struct builder_sample *s)
{
	const struct builder_attr *a = &b->evsels[ev].attr;
	uint64_t id = s->id || s->id_zero ? s->id : *first_id(b, ev);

	builder_begin(b, RECORD_SAMPLE, s->misc || s->misc_zero ? s->misc : CPUMODE_USER);
	put_head(b, a->sample_type, id, s);
	put_middle(b, a, s);
	put_tail(b, a, s);
	builder_bytes(b, s->extra, s->extra_size);
	builder_end(b);
}

void builder_read(struct builder *b, uint32_t ev, uint32_t pid, uint32_t tid,
		  const struct builder_sample *values)
{
	builder_begin(b, RECORD_READ, 0);
	put_pair(b, pid, tid ? tid : pid);
	put_read(b, &b->evsels[ev].attr, values);
	builder_trailer(b, values->time, pid, tid);
	builder_end(b);
}

/* The sample_id trailer: all zero when perf, not the kernel, wrote the record (TIME 0). */
void builder_trailer(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid)
{
	const struct builder_attr *a;
	uint64_t id;

	if (!b->nr_evsels || b->trailer.none)
		return;
	a = &b->evsels[b->trailer.ev].attr;
	if (!(a->flags >> ATTR_SAMPLE_ID_ALL & 1))
		return;
	id = b->trailer.id ? b->trailer.id : *first_id(b, b->trailer.ev);
	if (b->trailer.pid)
		pid = b->trailer.pid;
	if (b->trailer.tid)
		tid = b->trailer.tid;
	if (a->sample_type & SAMPLE_TID)
		put_pair(b, time ? pid : 0, !time ? 0 : tid ? tid : pid);
	if (a->sample_type & SAMPLE_TIME)
		builder_u64(b, time);
	if (a->sample_type & SAMPLE_ID)
		builder_u64(b, time ? id : 0);
	if (a->sample_type & SAMPLE_STREAM_ID)
		builder_u64(b, time ? b->trailer.stream_id : 0);
	if (a->sample_type & SAMPLE_CPU)
		put_pair(b, time ? b->trailer.cpu : 0, 0);
	if (a->sample_type & SAMPLE_IDENTIFIER)
		builder_u64(b, time ? id : 0);
}

/* SPDX-License-Identifier: MIT */
/*
 * A sample's fields lie one behind the other, each of them there or not by a bit of the event's
 * sample_type, in an order that is not the order of the bits; arrays carry their own length.
 * All of them are walked once; pointers into the record stay in file order.  A length is always
 * compared with what is left of this record before anything is skipped by it.
 *
 * One place is ambiguous.  With HW_INDEX the kernel writes an index behind the number of branch
 * entries, but leaves it out when there was no hardware stack at all; both look like nr == 0.
 * The rest of the sample is tried with the index, then without; the one that uses the record up
 * is taken.
 */
#include <perfrep/sample.h>

#include <string.h>

#include "base/cursor.h"
#include "perfdata/offcpu_time.h"

#define BRANCH_ENTRY_SIZE 24

/* What may come behind the raw data. */
#define TAIL_BITS                                                                              \
	(SAMPLE_KNOWN & ~(uint64_t)(SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | \
				    SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU |  \
				    SAMPLE_PERIOD | SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_RAW))

static void decode_ids(struct cursor *c, uint64_t st, struct sample *s)
{
	if (st & SAMPLE_IDENTIFIER)
		s->id = cursor_u64(c);
	if (st & SAMPLE_IP)
		s->ip = cursor_u64(c);
	if (st & SAMPLE_TID) {
		s->pid = (int32_t)cursor_u32(c);
		s->tid = (int32_t)cursor_u32(c);
	}
	if (st & SAMPLE_TIME)
		s->time = cursor_u64(c);
	if (st & SAMPLE_ADDR)
		s->addr = cursor_u64(c);
	if (st & SAMPLE_ID)
		s->id = cursor_u64(c);
	if (st & SAMPLE_STREAM_ID)
		s->stream_id = cursor_u64(c);
	if (st & SAMPLE_CPU) {
		s->cpu = cursor_u32(c);
		cursor_u32(c);
	}
	if (st & SAMPLE_PERIOD)
		s->period = cursor_u64(c);
}

static size_t read_entry_size(uint64_t format)
{
	return 8 * (1 + !!(format & READ_ID) + !!(format & READ_LOST));
}

static void decode_read(struct cursor *c, uint64_t format, struct sample *s)
{
	s->read_format = format;
	s->read_nr = 1;
	s->read_values = c->p;
	if (format & READ_GROUP)
		s->read_nr = cursor_u64(c);
	else
		cursor_u64(c);
	if (format & READ_TOTAL_TIME_ENABLED)
		s->time_enabled = cursor_u64(c);
	if (format & READ_TOTAL_TIME_RUNNING)
		s->time_running = cursor_u64(c);
	if (!(format & READ_GROUP)) {
		cursor_bytes(c, read_entry_size(format) - 8);
		return;
	}
	s->read_values = c->p;
	if (!cursor_has(c, s->read_nr, read_entry_size(format)))
		c->bad = true;
	else
		cursor_bytes(c, s->read_nr * read_entry_size(format));
}

/* NR items of SIZE bytes, borrowed. */
static const uint8_t *take(struct cursor *c, uint64_t nr, size_t size)
{
	if (!cursor_has(c, nr, size)) {
		c->bad = true;
		return NULL;
	}
	return cursor_bytes(c, nr * size);
}

static void decode_branches(struct cursor *c, uint64_t kind, bool hw_idx, struct sample *s)
{
	s->branch_nr = cursor_u64(c);
	s->branch_has_hw_idx = hw_idx;
	s->branch_hw_idx = hw_idx ? cursor_u64(c) : 0;
	s->branches = take(c, s->branch_nr, BRANCH_ENTRY_SIZE);
	s->branch_counters = NULL;
	if (kind & BRANCH_COUNTERS && s->branch_nr)
		s->branch_counters = take(c, s->branch_nr, 8);
}

static void decode_regs(struct cursor *c, uint64_t mask, uint64_t *abi, uint64_t *out_mask,
			const uint8_t **regs)
{
	*abi = cursor_u64(c);
	*out_mask = 0;
	*regs = NULL;
	if (!*abi)
		return;
	*out_mask = mask;
	*regs = take(c, (uint64_t)__builtin_popcountll(mask), 8);
}

static void decode_stack(struct cursor *c, struct sample *s)
{
	s->stack_dumped = cursor_u64(c);
	s->stack = NULL;
	s->stack_size = 0;
	if (!s->stack_dumped)
		return;
	s->stack = cursor_bytes(c, s->stack_dumped);
	s->stack_size = cursor_u64(c);
	if (s->stack_size > s->stack_dumped)
		s->stack_size = s->stack_dumped;
}

/* Everything behind the branch stack. */
static void decode_tail(struct cursor *c, const struct attr *a, struct sample *s)
{
	uint64_t st = a->sample_type;

	if (st & SAMPLE_REGS_USER)
		decode_regs(c, a->sample_regs_user, &s->user_abi, &s->user_regs_mask,
			    &s->user_regs);
	if (st & SAMPLE_STACK_USER)
		decode_stack(c, s);
	if (st & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		s->weight = cursor_u64(c);
	if (st & SAMPLE_DATA_SRC)
		s->data_src = cursor_u64(c);
	if (st & SAMPLE_TRANSACTION)
		s->transaction = cursor_u64(c);
	if (st & SAMPLE_REGS_INTR)
		decode_regs(c, a->sample_regs_intr, &s->intr_abi, &s->intr_regs_mask,
			    &s->intr_regs);
	if (st & SAMPLE_PHYS_ADDR)
		s->phys_addr = cursor_u64(c);
	if (st & SAMPLE_CGROUP)
		s->cgroup = cursor_u64(c);
	if (st & SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = cursor_u64(c);
	if (st & SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = cursor_u64(c);
	if (st & SAMPLE_AUX) {
		s->aux_size = cursor_u64(c);
		s->aux = cursor_bytes(c, s->aux_size);
	}
	s->left = cursor_left(c);
}

static struct cursor decode_rest(struct cursor c, const struct attr *a, bool hw_idx,
				 struct sample *s)
{
	if (a->sample_type & SAMPLE_BRANCH_STACK)
		decode_branches(&c, a->branch_sample_type, hw_idx, s);
	decode_tail(&c, a, s);
	return c;
}

/* From the branch stack on. */
static void decode_ambiguous(struct cursor *c, const struct attr *a, struct sample *s)
{
	bool hw_idx = a->branch_sample_type & BRANCH_HW_INDEX;
	struct sample before, with;
	struct cursor end;

	if (!(a->sample_type & SAMPLE_BRANCH_STACK) || !hw_idx ||
	    (cursor_has(c, 1, 8) && get_u64(c->p, c->be) != 0)) {
		*c = decode_rest(*c, a, hw_idx, s);
		return;
	}
	before = with = *s;
	end = decode_rest(*c, a, true, &with);
	if (end.bad || with.left) {
		*s = before;
		*c = decode_rest(*c, a, false, s);
		if (!c->bad && (end.bad || !s->left))
			return;
	}
	/* with the index it fits, or neither fits: then believe the flag */
	*s = with;
	*c = end;
}

/* Up to the raw data. */
static inline void decode_head(struct cursor *c, const struct attr *a, struct sample *s)
{
	uint64_t st = a->sample_type;

	decode_ids(c, st, s);
	if (st & SAMPLE_READ)
		decode_read(c, a->read_format, s);
	if (st & SAMPLE_CALLCHAIN) {
		s->chain_nr = cursor_u64(c);
		s->chain = take(c, s->chain_nr, 8);
	}
	if (st & SAMPLE_RAW) {
		s->raw_size = cursor_u32(c);
		s->raw = cursor_bytes(c, s->raw_size);
	}
}

/* Whether the rest, from where HEAD ended, is whole. */
static bool decode_behind(struct cursor head, const struct attr *a, struct sample *s)
{
	struct cursor c = head;

	decode_ambiguous(&c, a, s);
	return !c.bad;
}

int sample_decode(const struct record *rec, const struct evsel *evsel, struct sample *s,
		  struct err *err)
{
	const struct attr *a = &evsel->attr;
	struct cursor c; /* nobody else sees it, so the compiler keeps it in registers */
	bool whole;

	memset(s, 0, sizeof(*s));
	c = cursor_init(rec->data + 8, rec->size < 8 ? 0 : rec->size - 8, rec->be);
	s->pid = s->tid = -1;
	s->be = rec->be;
	s->cpumode = record_cpumode(rec);
	s->exact_ip = rec->misc & MISC_EXACT_IP;
	s->present = a->sample_type & SAMPLE_KNOWN;
	decode_head(&c, a, s);
	if (a->sample_type & TAIL_BITS) {
		whole = decode_behind(c, a, s);
	} else {
		s->left = cursor_left(&c);
		whole = !c.bad;
	}
	if (whole && a->type == PERF_TYPE_SOFTWARE)
		whole = offcpu_time_take(s, evsel);
	if (whole)
		return 0;
	return err_set(err, ERR_FORMAT,
		       "the SAMPLE record of %s at offset 0x%llx is malformed: its %u bytes end "
		       "before its last field does",
		       evsel->name, (unsigned long long)rec->file_offset, rec->size);
}

uint64_t sample_chain_ip(const struct sample *s, uint64_t i)
{
	return get_u64(s->chain + i * 8, s->be);
}

struct record_read_value sample_read_value(const struct sample *s, uint64_t i)
{
	struct record_read_value v = { 0 };
	uint64_t format = s->read_format;
	const uint8_t *p = s->read_values + i * read_entry_size(format);

	v.value = get_u64(p, s->be);
	p += 8;
	if (!(format & READ_GROUP)) /* the times stand between a single value and its id */
		p += 8 *
		     (!!(format & READ_TOTAL_TIME_ENABLED) + !!(format & READ_TOTAL_TIME_RUNNING));
	if (format & READ_ID) {
		v.id = get_u64(p, s->be);
		p += 8;
	}
	if (format & READ_LOST)
		v.lost = get_u64(p, s->be);
	return v;
}

/* Big-endian compilers place the bit-fields of a branch's flags from the other end. */
static void branch_flags_be(uint64_t f, struct branch_entry *b)
{
	b->mispred = f >> 63 & 1;
	b->predicted = f >> 62 & 1;
	b->in_tx = f >> 61 & 1;
	b->abort = f >> 60 & 1;
	b->cycles = f >> 44 & 0xffff;
	b->type = f >> 40 & 15;
	b->spec = f >> 38 & 3;
	b->new_type = f >> 34 & 15;
	b->priv = f >> 31 & 7;
}

struct branch_entry sample_branch(const struct sample *s, uint64_t i)
{
	const uint8_t *p = s->branches + i * BRANCH_ENTRY_SIZE;
	struct branch_entry b = { .from = get_u64(p, s->be), .to = get_u64(p + 8, s->be) };
	uint64_t f = get_u64(p + 16, s->be);

	if (s->be) {
		branch_flags_be(f, &b);
		return b;
	}
	b.mispred = f & 1;
	b.predicted = f >> 1 & 1;
	b.in_tx = f >> 2 & 1;
	b.abort = f >> 3 & 1;
	b.cycles = f >> 4 & 0xffff;
	b.type = f >> 20 & 15;
	b.spec = f >> 24 & 3;
	b.new_type = f >> 26 & 15;
	b.priv = f >> 30 & 7;
	return b;
}

bool sample_user_reg(const struct sample *s, unsigned reg, uint64_t *out)
{
	uint64_t below;

	if (reg > 63 || !s->user_regs || !(s->user_regs_mask >> reg & 1))
		return false;
	below = s->user_regs_mask & (((uint64_t)1 << reg) - 1);
	*out = get_u64(s->user_regs + 8 * __builtin_popcountll(below), s->be);
	return true;
}

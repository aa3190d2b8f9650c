/* SPDX-License-Identifier: MIT */
/*
 * SAMPLE records through sample_decode(): each field alone, all at once, in each variant of
 * container and byte order; group reads; branches; truncated stacks; bits nobody knows.
 */
#include "reader_test.h"

#include "base/cursor.h"

struct trip {
	struct builder b;
	struct reader *r;
	struct record rec;
	struct sample s;
};

static const struct builder_opts orders[] = {
	{ .container = BUILDER_FILE },
	{ .container = BUILDER_FILE, .be = true },
	{ .container = BUILDER_PIPE, .be = true, .compress = BUILDER_COMPRESSED, .chunk = 33 },
	{ .container = BUILDER_PIPE, .compress = BUILDER_COMPRESSED2, .chunk = 1000 },
};
#define NR_ORDERS ((int)(sizeof(orders) / sizeof(*orders)))

static int trip_decode(struct trip *t, const struct builder_opts *o, const struct builder_attr *a,
		       const struct builder_sample *s, struct err *err)
{
	struct record rec;
	bool found = false;

	*t = (struct trip){ 0 };
	builder_init(&t->b, o);
	builder_sample(&t->b, builder_event(&t->b, a), s);
	t->r = test_open(&t->b, 0);
	while (reader_next(t->r, &rec) == 0) {
		if (rec.type != RECORD_SAMPLE)
			continue;
		t->rec = rec;
		found = true;
	}
	ck_assert(found);
	return sample_decode(&t->rec, &t->r->evlist.v[0], &t->s, err);
}

static void trip_read(struct trip *t, const struct builder_opts *o, const struct builder_attr *a,
		      const struct builder_sample *s)
{
	struct err err = { 0 };
	int rc = trip_decode(t, o, a, s, &err);

	ck_assert_msg(rc == 0, "%d: %s", rc, err.text);
	ck_assert_uint_eq(t->s.present, a->sample_type);
	ck_assert_uint_eq(t->s.left, 0);
	ck_assert_int_eq(t->s.be, o->be);
}

static void trip_end(struct trip *t)
{
	reader_free(t->r);
	builder_release(&t->b);
}

static const struct branch_entry branches[] = {
	{ .from = 0x400010,
	  .to = 0x400100,
	  .mispred = true,
	  .in_tx = true,
	  .cycles = 0x1234,
	  .type = 5,
	  .spec = 2,
	  .new_type = 9,
	  .priv = 3 },
	{ .from = 0x400020,
	  .to = 0x400200,
	  .predicted = true,
	  .abort = true,
	  .cycles = 0xffff,
	  .type = 15,
	  .spec = 3,
	  .new_type = 15,
	  .priv = 7 },
	{ .from = 0x400030, .to = 0x400300 },
};

static const struct record_read_value values[] = { { 10, 1000, 1 }, { 20, 1001, 2 } };
static const uint64_t chain[] = { CONTEXT_USER, 0x400010, 0x400099 };
static const uint64_t counters[] = { 7, 8, 9 };
static const uint64_t user_regs[] = { 0x11, 0x7ffff000, 0x400010 };
static const uint64_t intr_regs[] = { 0x22, 0x33 };

static const struct builder_attr full_attr = {
	.read_format = READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING | READ_ID | READ_GROUP |
		       READ_LOST,
	.branch_sample_type = BRANCH_HW_INDEX | BRANCH_COUNTERS,
	.sample_regs_user = 1ull << 6 | 1ull << 7 | 1ull << 8,
	.sample_regs_intr = 1ull << 0 | 1ull << 63,
	.sample_stack_user = 24,
};

static const struct builder_sample full_sample = {
	.misc = CPUMODE_KERNEL | MISC_EXACT_IP,
	.id = 1000,
	.ip = 0x400010,
	.time = 41,
	.addr = 0xdeadbeef00,
	.stream_id = 9000,
	.period = 3,
	.pid = 42,
	.tid = 43,
	.cpu = 6,
	.values = values,
	.nr_values = 2,
	.time_enabled = 500,
	.time_running = 400,
	.chain = chain,
	.nr_chain = 3,
	.raw = "raw data 123",
	.raw_size = 12,
	.branches = branches,
	.nr_branches = 3,
	.hw_idx = 77,
	.branch_counters = counters,
	.user_abi = 2,
	.user_regs = user_regs,
	.intr_abi = 1,
	.intr_regs = intr_regs,
	.stack = "the user stack, 24 bytes",
	.stack_size = 24,
	.dyn_size = 16,
	.weight = 0x1122334455667788,
	.data_src = 0x1e05080021,
	.transaction = 0x500000003,
	.phys_addr = 0x12345000,
	.cgroup = 0x100000001,
	.data_page_size = 4096,
	.code_page_size = 2097152,
	.aux = "aux data",
	.aux_size = 8,
};

static void assert_head(const struct sample *s, uint64_t type)
{
	bool id = type & (SAMPLE_ID | SAMPLE_IDENTIFIER);

	ck_assert_uint_eq(s->id, id ? 1000 : 0);
	ck_assert_uint_eq(s->ip, type & SAMPLE_IP ? 0x400010 : 0);
	ck_assert_uint_eq(s->time, type & SAMPLE_TIME ? 41 : 0);
	ck_assert_uint_eq(s->addr, type & SAMPLE_ADDR ? 0xdeadbeef00 : 0);
	ck_assert_uint_eq(s->stream_id, type & SAMPLE_STREAM_ID ? 9000 : 0);
	ck_assert_uint_eq(s->period, type & SAMPLE_PERIOD ? 3 : 0);
	if (type & SAMPLE_TID) {
		ck_assert_int_eq(s->pid, 42);
		ck_assert_int_eq(s->tid, 43);
	}
	ck_assert_uint_eq(s->cpu, type & SAMPLE_CPU ? 6 : 0);
	ck_assert_int_eq(s->cpumode, CPUMODE_KERNEL);
	ck_assert(s->exact_ip);
}

static void assert_read(const struct sample *s)
{
	ck_assert_uint_eq(s->read_nr, 2);
	ck_assert_uint_eq(s->time_enabled, 500);
	ck_assert_uint_eq(s->time_running, 400);
	for (unsigned i = 0; i < 2; i++) {
		struct record_read_value v = sample_read_value(s, i);

		ck_assert_uint_eq(v.value, values[i].value);
		ck_assert_uint_eq(v.id, values[i].id);
		ck_assert_uint_eq(v.lost, values[i].lost);
	}
}

static void assert_branches(const struct sample *s)
{
	ck_assert_uint_eq(s->branch_nr, 3);
	ck_assert(s->branch_has_hw_idx);
	ck_assert_uint_eq(s->branch_hw_idx, 77);
	for (unsigned i = 0; i < 3; i++) {
		struct branch_entry e = sample_branch(s, i);
		const struct branch_entry *w = &branches[i];

		ck_assert_uint_eq(e.from, w->from);
		ck_assert_uint_eq(e.to, w->to);
		ck_assert_int_eq(e.mispred, w->mispred);
		ck_assert_int_eq(e.predicted, w->predicted);
		ck_assert_int_eq(e.in_tx, w->in_tx);
		ck_assert_int_eq(e.abort, w->abort);
		ck_assert_uint_eq(e.cycles, w->cycles);
		ck_assert_uint_eq(e.type, w->type);
		ck_assert_uint_eq(e.spec, w->spec);
		ck_assert_uint_eq(e.new_type, w->new_type);
		ck_assert_uint_eq(e.priv, w->priv);
		ck_assert_uint_eq(get_u64(s->branch_counters + 8 * i, s->be), counters[i]);
	}
}

static void assert_user_regs(const struct sample *s)
{
	uint64_t v;

	ck_assert_uint_eq(s->user_abi, 2);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(sample_user_reg(s, 6 + i, &v));
		ck_assert_uint_eq(v, user_regs[i]);
	}
	ck_assert(!sample_user_reg(s, 5, &v));
	ck_assert(!sample_user_reg(s, 9, &v));
	ck_assert(!sample_user_reg(s, 64, &v));
}

static void assert_middle(const struct sample *s, uint64_t type)
{
	if (type & SAMPLE_READ)
		assert_read(s);
	ck_assert_uint_eq(s->chain_nr, type & SAMPLE_CALLCHAIN ? 3 : 0);
	for (unsigned i = 0; i < s->chain_nr; i++)
		ck_assert_uint_eq(sample_chain_ip(s, i), chain[i]);
	if (type & SAMPLE_RAW) {
		ck_assert_uint_eq(s->raw_size, 12);
		ck_assert_mem_eq(s->raw, "raw data 123", 12);
	}
	if (type & SAMPLE_BRANCH_STACK)
		assert_branches(s);
	if (type & SAMPLE_REGS_USER)
		assert_user_regs(s);
	if (type & SAMPLE_STACK_USER) {
		ck_assert_uint_eq(s->stack_size, 16);
		ck_assert_uint_eq(s->stack_dumped, 24);
		ck_assert_mem_eq(s->stack, "the user stack, 24 bytes", 24);
	}
}

static void assert_tail(const struct sample *s, uint64_t type)
{
	bool weight = type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT);

	ck_assert_uint_eq(s->weight, weight ? 0x1122334455667788 : 0);
	ck_assert_uint_eq(s->data_src, type & SAMPLE_DATA_SRC ? 0x1e05080021 : 0);
	ck_assert_uint_eq(s->transaction, type & SAMPLE_TRANSACTION ? 0x500000003 : 0);
	if (type & SAMPLE_REGS_INTR) {
		ck_assert_uint_eq(s->intr_abi, 1);
		ck_assert_uint_eq(s->intr_regs_mask, 1ull << 0 | 1ull << 63);
		ck_assert_uint_eq(get_u64(s->intr_regs, s->be), 0x22);
		ck_assert_uint_eq(get_u64(s->intr_regs + 8, s->be), 0x33);
	}
	ck_assert_uint_eq(s->phys_addr, type & SAMPLE_PHYS_ADDR ? 0x12345000 : 0);
	ck_assert_uint_eq(s->cgroup, type & SAMPLE_CGROUP ? 0x100000001 : 0);
	ck_assert_uint_eq(s->data_page_size, type & SAMPLE_DATA_PAGE_SIZE ? 4096 : 0);
	ck_assert_uint_eq(s->code_page_size, type & SAMPLE_CODE_PAGE_SIZE ? 2097152 : 0);
	if (type & SAMPLE_AUX) {
		ck_assert_uint_eq(s->aux_size, 8);
		ck_assert_mem_eq(s->aux, "aux data", 8);
	}
}

static void check_type(const struct builder_opts *o, uint64_t type)
{
	struct builder_attr a = full_attr;
	struct trip t;

	a.sample_type = type;
	a.bare = true;
	trip_read(&t, o, &a, &full_sample);
	assert_head(&t.s, type);
	assert_middle(&t.s, type);
	assert_tail(&t.s, type);
	trip_end(&t);
}

START_TEST(each_field_alone)
{
	for (unsigned bit = 0; bit < 25; bit++)
		check_type(&orders[_i], 1ull << bit);
}
END_TEST

/* Leave one out of all: each field is found behind every other. */
START_TEST(all_but_one_field)
{
	uint64_t all = SAMPLE_KNOWN & ~SAMPLE_WEIGHT_STRUCT;

	check_type(&orders[_i], all);
	check_type(&orders[_i], (all & ~SAMPLE_WEIGHT) | SAMPLE_WEIGHT_STRUCT);
	for (unsigned bit = 0; bit < 24; bit++)
		check_type(&orders[_i], all & ~(1ull << bit));
}
END_TEST

/* Every pair: the order of the fields is not the order of the bits. */
START_TEST(each_pair_of_fields)
{
	for (unsigned a = 0; a < 25; a++)
		for (unsigned b = 0; b < a; b++)
			if (a != 24 || b != 14)
				check_type(&orders[_i], 1ull << a | 1ull << b);
}
END_TEST

/* Every read_format, alone and as a group. */
START_TEST(each_read_format)
{
	for (uint64_t format = 0; format < 32; format++) {
		struct builder_attr a = { .bare = true,
					  .sample_type = SAMPLE_READ | SAMPLE_IP,
					  .read_format = format };
		uint64_t nr = format & READ_GROUP ? 2 : 1;
		struct trip t;

		trip_read(&t, &orders[_i], &a, &full_sample);
		ck_assert_uint_eq(t.s.read_nr, nr);
		ck_assert_uint_eq(t.s.time_enabled, format & READ_TOTAL_TIME_ENABLED ? 500 : 0);
		ck_assert_uint_eq(t.s.time_running, format & READ_TOTAL_TIME_RUNNING ? 400 : 0);
		for (uint64_t i = 0; i < nr; i++) {
			struct record_read_value v = sample_read_value(&t.s, i);

			ck_assert_uint_eq(v.value, values[i].value);
			ck_assert_uint_eq(v.id, format & READ_ID ? values[i].id : 0);
			ck_assert_uint_eq(v.lost, format & READ_LOST ? values[i].lost : 0);
		}
		trip_end(&t);
	}
}
END_TEST

/* nr = 0: the kernel leaves hw_idx out when there were no branches to read, or writes it. */
START_TEST(no_branches)
{
	struct builder_attr a = { .bare = true,
				  .sample_type = SAMPLE_BRANCH_STACK | SAMPLE_WEIGHT,
				  .branch_sample_type = BRANCH_HW_INDEX };

	for (int left_out = 0; left_out < 2; left_out++) {
		struct trip t;

		trip_read(&t, &orders[_i], &a,
			  &(struct builder_sample){
				  .hw_idx = 5, .no_hw_idx = left_out, .weight = 0x99 });
		ck_assert_uint_eq(t.s.branch_nr, 0);
		ck_assert_int_eq(t.s.branch_has_hw_idx, !left_out);
		ck_assert_uint_eq(t.s.weight, 0x99);
		trip_end(&t);
	}
}
END_TEST

START_TEST(branches_without_index)
{
	struct builder_attr a = { .bare = true, .sample_type = SAMPLE_BRANCH_STACK };
	struct trip t;

	trip_read(&t, &orders[_i], &a,
		  &(struct builder_sample){ .branches = branches, .nr_branches = 3 });
	ck_assert_uint_eq(t.s.branch_nr, 3);
	ck_assert(!t.s.branch_has_hw_idx);
	ck_assert_ptr_null(t.s.branch_counters);
	ck_assert_uint_eq(sample_branch(&t.s, 2).to, 0x400300);
	trip_end(&t);
}
END_TEST

/* abi 0: no registers; stack of size 0: no dyn_size. */
START_TEST(kernel_thread)
{
	struct builder_attr a = { .bare = true,
				  .sample_type = SAMPLE_REGS_USER | SAMPLE_STACK_USER |
						 SAMPLE_REGS_INTR | SAMPLE_DATA_SRC,
				  .sample_regs_user = 0xff0fff,
				  .sample_regs_intr = 0xff0fff };
	struct trip t;
	uint64_t v;

	trip_read(&t, &orders[_i], &a, &(struct builder_sample){ .data_src = 0x21 });
	ck_assert_uint_eq(t.s.user_abi, 0);
	ck_assert(!sample_user_reg(&t.s, 7, &v));
	ck_assert_uint_eq(t.s.stack_size, 0);
	ck_assert_uint_eq(t.s.data_src, 0x21);
	trip_end(&t);
}
END_TEST

/* dyn_size above what was dumped: an error, or the dumped size; never more. */
START_TEST(lying_dyn_size)
{
	struct builder_attr a = { .bare = true, .sample_type = SAMPLE_STACK_USER };
	struct trip t;
	int rc = trip_decode(&t, &orders[_i], &a,
			     &(struct builder_sample){ .stack_size = 16, .dyn_size = 1ull << 40 },
			     NULL);

	if (rc == 0)
		ck_assert_uint_le(t.s.stack_size, 16);
	trip_end(&t);
}
END_TEST

START_TEST(raw_of_no_data)
{
	struct builder_attr a = { .bare = true, .sample_type = SAMPLE_RAW | SAMPLE_WEIGHT };
	struct trip t;

	trip_read(&t, &orders[_i], &a, &(struct builder_sample){ .weight = 3 });
	ck_assert_uint_eq(t.s.raw_size, 4);
	ck_assert_mem_eq(t.s.raw, "\0\0\0\0", 4);
	ck_assert_uint_eq(t.s.weight, 3);
	trip_end(&t);
}
END_TEST

/* A bit nobody knows: what comes before its field is decoded, the rest is left. */
START_TEST(unknown_sample_type)
{
	struct builder_attr a = { .bare = true,
				  .sample_type = SAMPLE_IP | SAMPLE_CALLCHAIN | 1ull << 27 };
	struct trip t;
	struct err err = { 0 };
	int rc = trip_decode(&t, &orders[_i], &a,
			     &(struct builder_sample){ .ip = 0x400010,
						       .chain = chain,
						       .nr_chain = 3,
						       .extra = "16 bytes unknown",
						       .extra_size = 16 },
			     &err);

	ck_assert_msg(rc == 0, "%s", err.text);
	ck_assert_uint_eq(t.s.ip, 0x400010);
	ck_assert_uint_eq(t.s.chain_nr, 3);
	ck_assert_uint_eq(sample_chain_ip(&t.s, 2), 0x400099);
	ck_assert_uint_eq(t.s.left, 16);
	ck_assert_uint_eq(t.s.present, SAMPLE_IP | SAMPLE_CALLCHAIN);
	trip_end(&t);
}
END_TEST

/* A record cut at every 8 bytes inside: an error with offset, type and field. */
START_TEST(short_samples)
{
	struct builder_attr a = full_attr;
	struct evsel *ev;
	struct evlist list;
	struct trip t;
	int shorter = 0;

	a.sample_type = SAMPLE_KNOWN & ~SAMPLE_WEIGHT_STRUCT;
	trip_read(&t, &orders[_i], &a, &full_sample);
	evlist_init(&list, orders[_i].be);
	ev = evlist_add(&list, &t.r->evlist.v[0].attr, NULL, 0);
	evlist_index(&list);
	for (uint32_t size = 8; size < t.rec.size; size += 8) {
		struct err err = { 0 };
		struct record rec = t.rec;
		uint8_t *copy = malloc(size);

		memcpy(copy, t.rec.data, size);
		rec.data = copy;
		rec.size = size;
		ck_assert_int_lt(sample_decode(&rec, ev, &t.s, &err), 0);
		ck_assert_int_eq(err.code, ERR_FORMAT);
		ck_assert_msg(strstr(err.text, "SAMPLE") && strstr(err.text, "0x"), "%s", err.text);
		free(copy);
		shorter++;
	}
	ck_assert_int_gt(shorter, 50);
	evlist_release(&list);
	trip_end(&t);
}
END_TEST

/* Whether this lie is told in a length inside the sample, and too big to be true. */
static bool lies_in_sample(const struct builder *b)
{
	uint64_t v = b->lie_width == 4 ? (uint32_t)b->opts.lie_value : b->opts.lie_value;

	return b->lie_what && b->lie_in_record && b->marks[b->lie_mark].type == RECORD_SAMPLE &&
	       strcmp(b->lie_what, "record.size") && strcmp(b->lie_what, "stack.dyn_size") &&
	       v > 10000;
}

/* One lie in one field; whether it was one that had to be found. */
static bool try_lie(const struct builder_opts *o, const struct builder_attr *a)
{
	struct err err = { 0 };
	struct builder probe;
	struct trip t;
	bool must;

	builder_init(&probe, o);
	builder_sample(&probe, builder_event(&probe, a), &full_sample);
	builder_finish(&probe);
	must = lies_in_sample(&probe);
	if (must) {
		ck_assert_msg(trip_decode(&t, o, a, &full_sample, &err) < 0, "%s = %llu",
			      probe.lie_what, (unsigned long long)o->lie_value);
		ck_assert_ptr_nonnull(strstr(err.text, "0x"));
		trip_end(&t);
	}
	builder_release(&probe);
	return must;
}

/* Counts that lie, in an order of size where a multiplication would wrap. */
START_TEST(lying_counts)
{
	static const uint64_t lies[] = { 1ull << 31, 1ull << 61, (1ull << 61) + 3,
					 1ull << 63, UINT64_MAX, UINT64_MAX / 24 + 2 };
	static const uint64_t types[] = { SAMPLE_READ,         SAMPLE_CALLCHAIN,  SAMPLE_RAW,
					  SAMPLE_BRANCH_STACK, SAMPLE_STACK_USER, SAMPLE_AUX };

	for (unsigned i = 0; i < 6; i++) {
		struct builder_attr a = full_attr;
		struct builder_opts o = orders[_i];
		uint32_t fields;
		struct trip t;
		int found = 0;

		a.sample_type = types[i];
		a.bare = true;
		trip_read(&t, &o, &a, &full_sample);
		fields = t.b.nr_fields;
		trip_end(&t);
		for (unsigned k = 0; k < 6; k++) {
			o.lie_value = lies[k];
			for (o.lie = 1; o.lie <= fields; o.lie++)
				found += try_lie(&o, &a);
		}
		ck_assert_int_ge(found, types[i] == SAMPLE_RAW ? 2 : 6);
	}
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_loop_test(tc, each_field_alone, 0, NR_ORDERS);
	tcase_add_loop_test(tc, all_but_one_field, 0, NR_ORDERS);
	tcase_add_loop_test(tc, each_pair_of_fields, 0, NR_ORDERS);
	tcase_add_loop_test(tc, each_read_format, 0, NR_ORDERS);
	tcase_add_loop_test(tc, no_branches, 0, NR_ORDERS);
	tcase_add_loop_test(tc, branches_without_index, 0, NR_ORDERS);
	tcase_add_loop_test(tc, kernel_thread, 0, NR_ORDERS);
	tcase_add_loop_test(tc, lying_dyn_size, 0, NR_ORDERS);
	tcase_add_loop_test(tc, raw_of_no_data, 0, NR_ORDERS);
	tcase_add_loop_test(tc, unknown_sample_type, 0, NR_ORDERS);
	tcase_add_loop_test(tc, short_samples, 0, NR_ORDERS);
	tcase_add_loop_test(tc, lying_counts, 0, NR_ORDERS);
}

int main(void)
{
	return test_run("reader: samples", add, 60);
}

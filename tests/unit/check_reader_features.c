/* SPDX-License-Identifier: MIT */
/*
 * Feature sections and HEADER_FEATURE records: every one with contents, in both orders and both
 * forms of the bitmap; each cut at every byte; names of events by trust.
 */
#include "reader_test.h"

#include "base/cursor.h"

static const struct builder_opts orders[] = {
	{ .container = BUILDER_FILE },
	{ .container = BUILDER_FILE, .be = true },
	{ .container = BUILDER_FILE, .be = true, .bitmap32 = true },
	{ .container = BUILDER_FILE, .attrs_last = true, .gap = 5 },
	{ .container = BUILDER_PIPE },
	{ .container = BUILDER_PIPE, .be = true },
};
#define NR_ORDERS ((int)(sizeof(orders) / sizeof(*orders)))

static struct reader *read_all(struct builder *b)
{
	struct reader *r = test_open(b, 0);

	test_walk(r, b, SIZE_MAX);
	return r;
}

static void assert_who(const struct features *f)
{
	ck_assert_str_eq(f->hostname, BUILDER_HOSTNAME);
	ck_assert_str_eq(f->osrelease, BUILDER_OSRELEASE);
	ck_assert_str_eq(f->version, BUILDER_VERSION);
	ck_assert_str_eq(f->arch, BUILDER_ARCH);
	ck_assert_str_eq(f->cpudesc, BUILDER_CPUDESC);
	ck_assert_str_eq(f->cpuid, BUILDER_CPUID);
	ck_assert_uint_eq(f->cpus_available, 8);
	ck_assert_uint_eq(f->cpus_online, 4);
	ck_assert_uint_eq(f->total_mem_kb, 8000000);
	ck_assert_uint_eq(f->nr_cmdline, 3);
	ck_assert_str_eq(f->cmdline[0], "perf");
	ck_assert_str_eq(f->cmdline[1], "record");
	ck_assert_str_eq(f->cmdline[2], "./prog");
}

static void assert_lists(const struct features *f)
{
	ck_assert_uint_eq(f->nr_build_ids, 2);
	ck_assert_int_eq(f->build_ids[0].pid, -1);
	ck_assert_int_eq(f->build_ids[0].cpumode, CPUMODE_KERNEL);
	ck_assert_str_eq(f->build_ids[0].filename, "[kernel.kallsyms]");
	ck_assert_uint_eq(f->build_ids[0].id.size, 20);
	ck_assert_mem_eq(f->build_ids[0].id.bytes, "\xde\xad\xbe\xef\x05", 5);
	ck_assert_int_eq(f->build_ids[1].cpumode, CPUMODE_USER);
	ck_assert_str_eq(f->build_ids[1].filename, "/bin/prog");
	ck_assert_uint_eq(f->build_ids[1].id.size, 16);
	ck_assert_uint_eq(f->nr_pmus, 2);
	ck_assert_uint_eq(f->pmus[0].type, 4);
	ck_assert_str_eq(f->pmus[0].name, "cpu");
	ck_assert_uint_eq(f->pmus[1].type, 9);
	ck_assert_str_eq(f->pmus[1].name, "uncore");
	ck_assert_uint_eq(f->nr_groups, 1);
	ck_assert_str_eq(f->groups[0].name, "{anon_group}");
	ck_assert_uint_eq(f->groups[0].leader, 0);
	ck_assert_uint_eq(f->groups[0].nr_members, 1);
}

static void assert_numbers(const struct features *f)
{
	ck_assert_uint_eq(f->first_sample_ns, 100);
	ck_assert_uint_eq(f->last_sample_ns, 900);
	ck_assert_uint_eq(f->clock_id, 1);
	ck_assert_uint_eq(f->clock_wall_ns, 1700000000000000000ull);
	ck_assert_uint_eq(f->clock_mono_ns, 5000);
	ck_assert_uint_eq(f->compressed_type, 1);
	ck_assert_uint_eq(f->compressed_level, 1);
	ck_assert_uint_eq(f->compressed_ratio, 3);
	ck_assert_uint_eq(f->e_machine, 62);
	ck_assert_uint_eq(f->e_flags, 0);
	ck_assert(!f->stat);
}

START_TEST(all)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &orders[_i]);
	builder_event(&b, &(struct builder_attr){ .name = "my event" });
	builder_all_features(&b);
	r = read_all(&b);
	assert_who(&r->features);
	assert_lists(&r->features);
	assert_numbers(&r->features);
	ck_assert_str_eq(r->evlist.v[0].name, "my event");
	for (unsigned id = 2; id <= 34; id++)
		ck_assert_msg(feature_present(&r->features, id) ==
				      (id != FEATURE_AUXTRACE && id != FEATURE_STAT),
			      "%s", feature_name(id));
	for (unsigned i = 0; i < FEATURE_MAX / 8; i++)
		ck_assert_uint_eq(r->features.damaged[i], 0);
	ck_assert(r->complete);
	ck_assert_uint_eq(r->nr_damages, 0);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* Features of other writers: unknown bits are present and do no harm. */
START_TEST(unknown)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &orders[_i]);
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_feature_blob(&b, 60, "sixty", 5);
	builder_feature_blob(&b, 200, "two hundred", 11);
	builder_features(&b);
	r = read_all(&b);
	ck_assert_str_eq(r->features.hostname, BUILDER_HOSTNAME);
	ck_assert_str_eq(r->features.arch, BUILDER_ARCH);
	ck_assert(feature_present(&r->features, 60));
	ck_assert(feature_present(&r->features, 200));
	ck_assert(r->complete);
	reader_free(r);
	builder_release(&b);
}
END_TEST

START_TEST(simpleperf)
{
	struct sp_symbol symbols[] = { { 0x2000, 16, (char *)"second" },
				       { 0x1000, 32, (char *)"first" } };
	struct sp_file files[] = {
		{ (char *)"/system/lib64/libc.so", 2, 0x1000, 0x800, symbols, 2 },
		{ (char *)"[kernel.kallsyms]", 0, 0, UINT64_MAX, NULL, 0 },
	};
	struct builder b;
	struct reader *r;

	builder_init(&b, &orders[_i]);
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_features(&b);
	builder_feature_sp_files(&b, files, 2);
	builder_feature_meta_info(
		&b,
		(struct feature_pair[]){ { (char *)"simpleperf_version", (char *)"1.2" },
					 { (char *)"empty", (char *)"" } },
		2);
	r = read_all(&b);
	ck_assert_uint_eq(r->features.nr_meta_info, 2);
	ck_assert_str_eq(r->features.meta_info[1].key, "empty");
	ck_assert_str_eq(r->features.meta_info[1].value, "");
	ck_assert_uint_eq(r->features.nr_sp_files, 2);
	ck_assert_str_eq(r->features.sp_files[0].path, "/system/lib64/libc.so");
	ck_assert_uint_eq(r->features.sp_files[0].type, 2);
	ck_assert_uint_eq(r->features.sp_files[0].min_vaddr, 0x1000);
	ck_assert_uint_eq(r->features.sp_files[0].file_offset_of_min_vaddr, 0x800);
	ck_assert_uint_eq(r->features.sp_files[0].nr_symbols, 2);
	ck_assert_str_eq(r->features.sp_files[0].symbols[0].name, "first");
	ck_assert_uint_eq(r->features.sp_files[0].symbols[0].vaddr, 0x1000);
	ck_assert_uint_eq(r->features.sp_files[0].symbols[0].len, 32);
	ck_assert_str_eq(r->features.sp_files[0].symbols[1].name, "second");
	ck_assert_str_eq(r->features.sp_files[1].path, "[kernel.kallsyms]");
	ck_assert_uint_eq(r->features.sp_files[1].nr_symbols, 0);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* perf stat's files set the bits with nothing behind them. */
START_TEST(stat_zeros)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &orders[_i]);
	builder_event(&b, &(struct builder_attr){ .bare = true, .sample_type = SAMPLE_IDENTIFIER });
	builder_features(&b);
	builder_feature_blob(&b, FEATURE_STAT, NULL, 0);
	builder_feature_compressed(&b, 0, 0, 0, 0);
	builder_feature_clock_data(&b, 0, 0, 0);
	r = read_all(&b);
	ck_assert(r->features.stat);
	ck_assert(r->complete);
	ck_assert_uint_eq(r->nr_damages, 0);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* ---- names ------------------------------------------------------------------------------- */

struct name_case {
	uint32_t type;
	uint64_t config;
	const char *name;
};

START_TEST(default_names)
{
	static const struct name_case cases[] = {
		{ PERF_TYPE_HARDWARE, 0, "cycles" },
		{ PERF_TYPE_HARDWARE, 1, "instructions" },
		{ PERF_TYPE_HARDWARE, 5, "branch-misses" },
		{ PERF_TYPE_SOFTWARE, 0, "cpu-clock" },
		{ PERF_TYPE_SOFTWARE, 1, "task-clock" },
		{ PERF_TYPE_SOFTWARE, 2, "page-faults" },
		{ PERF_TYPE_HW_CACHE, 0x10000, "L1-dcache-load-misses" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct builder b;
		struct reader *r;

		builder_init(&b, &orders[_i]);
		builder_event(&b, &(struct builder_attr){ .type = cases[i].type,
							  .config = cases[i].config });
		r = read_all(&b);
		ck_assert_str_eq(r->evlist.v[0].name, cases[i].name);
		reader_free(r);
		builder_release(&b);
	}
}
END_TEST

/* EVENT_DESC finds its events by id, in whatever order they stand. */
START_TEST(desc_by_id)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &orders[_i]);
	builder_event(&b, &(struct builder_attr){ .name = "one" });
	builder_event(&b, &(struct builder_attr){ .name = "two" });
	builder_feature_begin(&b, FEATURE_EVENT_DESC);
	builder_u32(&b, 2);
	builder_u32(&b, 64);
	for (unsigned i = 0; i < 2; i++) {
		builder_bytes(&b, NULL, 64);
		builder_u32(&b, 1);
		builder_string(&b, i ? "called one" : "called two");
		builder_u64(&b, 1001 - i);
	}
	builder_feature_end(&b);
	builder_feature_string(&b, FEATURE_HOSTNAME, "h");
	r = read_all(&b);
	ck_assert_str_eq(r->evlist.v[0].name, "called one");
	ck_assert_str_eq(r->evlist.v[1].name, "called two");
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* A tracepoint's name is in the tracing data. */
START_TEST(tracepoint_name)
{
	struct builder b;
	struct reader *r;
	size_t size;
	uint8_t *blob = builder_tracing_blob(orders[_i].be, 372, &size);

	builder_init(&b, &orders[_i]);
	builder_event(&b, &(struct builder_attr){ .type = PERF_TYPE_TRACEPOINT, .config = 372 });
	builder_event(&b, &(struct builder_attr){ .type = PERF_TYPE_TRACEPOINT, .config = 373 });
	builder_feature_string(&b, FEATURE_HOSTNAME, "h");
	if (orders[_i].container == BUILDER_PIPE)
		builder_tracing_data(&b, blob, (uint32_t)size);
	else
		builder_feature_blob(&b, FEATURE_TRACING_DATA, blob, size);
	r = read_all(&b);
	ck_assert_str_eq(r->evlist.v[0].name, "sched:sched_switch");
	ck_assert_ptr_nonnull(r->evlist.v[1].name);
	ck_assert_ptr_nonnull(r->features.tracing_data);
	ck_assert_uint_ge(r->features.tracing_size, size);
	ck_assert_mem_eq(r->features.tracing_data, blob, size);
	reader_free(r);
	builder_release(&b);
	free(blob);
}
END_TEST

/* A dynamic PMU's events are named by PMU_MAPPINGS. */
START_TEST(pmu_name)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &orders[_i]);
	builder_event(&b, &(struct builder_attr){ .type = 9, .config = 0x3c });
	builder_feature_string(&b, FEATURE_HOSTNAME, "h");
	builder_feature_pmus(&b, (struct feature_pmu[]){ { 9, (char *)"uncore_x" } }, 1);
	r = read_all(&b);
	ck_assert_msg(strstr(r->evlist.v[0].name, "uncore_x") &&
			      strstr(r->evlist.v[0].name, "0x3c"),
		      "%s", r->evlist.v[0].name);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------ */

/* Decode the first SIZE bytes, from memory of just that size. */
static int decode_cut(unsigned id, const uint8_t *data, size_t size, bool be, struct err *err,
		      bool *damaged)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct features f = { 0 };
	struct evlist list;
	struct attr a = { .size = 64 };
	int rc;

	memcpy(copy, data, size);
	evlist_init(&list, be);
	evlist_add(&list, &a, (uint64_t[]){ 1000 }, 1);
	evlist_index(&list);
	f.cpus_available = f.cpus_online = 8;
	rc = feature_decode(&f, id, copy, size, be, &list, err);
	*damaged = f.damaged[id / 8] >> (id % 8) & 1;
	features_release(&f);
	evlist_release(&list);
	free(copy);
	return rc;
}

static const unsigned cut_at_any_byte[] = {
	FEATURE_BUILD_ID,   FEATURE_HOSTNAME,    FEATURE_OSRELEASE,  FEATURE_VERSION,
	FEATURE_ARCH,       FEATURE_NRCPUS,      FEATURE_CPUDESC,    FEATURE_CPUID,
	FEATURE_TOTAL_MEM,  FEATURE_CMDLINE,     FEATURE_EVENT_DESC, FEATURE_PMU_MAPPINGS,
	FEATURE_GROUP_DESC, FEATURE_SAMPLE_TIME, FEATURE_COMPRESSED, FEATURE_CLOCK_DATA,
	FEATURE_E_MACHINE,
};

static bool must_be_whole(unsigned id)
{
	for (unsigned i = 0; i < sizeof(cut_at_any_byte) / sizeof(*cut_at_any_byte); i++)
		if (cut_at_any_byte[i] == id)
			return true;
	return false;
}

/* Each feature cut at every byte: no read behind its end, and damage is named. */
START_TEST(cut)
{
	struct builder b;
	struct builder_file f;
	unsigned nr_cut = 0;

	builder_init(&b, &(struct builder_opts){ .be = _i });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_all_features(&b);
	f = builder_finish(&b);
	for (size_t i = 0; i < b.nr_features; i++) {
		const uint8_t *entry = f.bytes + b.table_offset + 16 * i;
		uint64_t offset = get_u64(entry, _i), size = get_u64(entry + 8, _i);
		unsigned id = builder_feature_at(&b, i);

		for (uint64_t n = 0; n <= size; n++) {
			struct err err = { 0 };
			bool damaged;
			int rc = decode_cut(id, f.bytes + offset, n, _i, &err, &damaged);

			ck_assert_msg(damaged == (rc < 0), "%s at %llu", feature_name(id),
				      (unsigned long long)n);
			ck_assert_msg((rc < 0) == (err.text[0] != 0), "%s", err.text);
			if (n == size)
				ck_assert_msg(rc == 0, "%s: %s", feature_name(id), err.text);
			else if (must_be_whole(id) && !(id == FEATURE_BUILD_ID && n % 100 == 0))
				ck_assert_msg(rc < 0, "%s of %llu bytes, cut at %llu",
					      feature_name(id), (unsigned long long)size,
					      (unsigned long long)n);
			nr_cut++;
		}
	}
	ck_assert_uint_gt(nr_cut, 2500);
	builder_release(&b);
}
END_TEST

/* A damaged feature is named with the file and its place, and leaves the others alone. */
START_TEST(damaged_one)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &orders[_i]);
	builder_event(&b, &(struct builder_attr){ .name = "my event" });
	builder_feature_blob(&b, FEATURE_CPUDESC, "\xff\xff\xff\xff", 4);
	builder_features(&b);
	r = read_all(&b);
	ck_assert_ptr_null(r->features.cpudesc);
	ck_assert(!feature_present(&r->features, FEATURE_CPUDESC));
	ck_assert_uint_eq(r->features.damaged[FEATURE_CPUDESC / 8], 1 << FEATURE_CPUDESC % 8);
	ck_assert_str_eq(r->features.hostname, BUILDER_HOSTNAME);
	ck_assert_str_eq(r->evlist.v[0].name, "my event");
	ck_assert_uint_eq(r->nr_damages, 1);
	ck_assert_msg(test_is_sentence(r->damages[0].text) && strstr(r->damages[0].text, "CPUDESC"),
		      "%s", r->damages[0].text);
	ck_assert(!r->complete);
	reader_free(r);
	builder_release(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_loop_test(tc, all, 0, NR_ORDERS);
	tcase_add_loop_test(tc, unknown, 0, NR_ORDERS);
	tcase_add_loop_test(tc, simpleperf, 0, NR_ORDERS);
	tcase_add_loop_test(tc, stat_zeros, 0, NR_ORDERS);
	tcase_add_loop_test(tc, default_names, 0, NR_ORDERS);
	tcase_add_loop_test(tc, desc_by_id, 0, NR_ORDERS);
	tcase_add_loop_test(tc, tracepoint_name, 0, NR_ORDERS);
	tcase_add_loop_test(tc, pmu_name, 0, NR_ORDERS);
	tcase_add_loop_test(tc, cut, 0, 2);
	tcase_add_loop_test(tc, damaged_one, 0, NR_ORDERS);
}

int main(void)
{
	return test_run("reader: features", add, 60);
}

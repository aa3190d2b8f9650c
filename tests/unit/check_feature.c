/* SPDX-License-Identifier: MIT */
/*
 * Feature sections from bytes written by hand: the traps of each, and that damage leaves what
 * was known alone.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/feature.h>

#define DECODE(f, id, list, ...)                                \
	feature_decode(f, id, (const uint8_t[]){ __VA_ARGS__ }, \
		       sizeof((const uint8_t[]){ __VA_ARGS__ }), false, list, &err)

static struct err err;

START_TEST(strings)
{
	struct features f = { 0 };

	ck_assert_int_eq(DECODE(&f, FEATURE_HOSTNAME, NULL, 8, 0, 0, 0, 'b', 'o', 'x', 0, 'j', 'u',
				'n', 'k'),
			 0);
	ck_assert_str_eq(f.hostname, "box");
	ck_assert(feature_present(&f, FEATURE_HOSTNAME));
	/* without a NUL the length ends it */
	ck_assert_int_eq(DECODE(&f, FEATURE_ARCH, NULL, 3, 0, 0, 0, 'a', 'r', 'm'), 0);
	ck_assert_str_eq(f.arch, "arm");
	ck_assert_int_eq(DECODE(&f, FEATURE_VERSION, NULL, 0, 0, 0, 0), 0);
	ck_assert_str_eq(f.version, "");
	/* a length beyond the section: the older value stays, the damage is named */
	ck_assert_int_eq(DECODE(&f, FEATURE_HOSTNAME, NULL, 9, 0, 0, 0, 'x'), -ERR_FORMAT);
	ck_assert_str_eq(f.hostname, "box");
	ck_assert(f.damaged[FEATURE_HOSTNAME / 8] >> (FEATURE_HOSTNAME % 8) & 1);
	ck_assert_str_eq(err.text, "the feature HOSTNAME is damaged: its 5 bytes end before its "
				   "contents do");
	features_release(&f);
}
END_TEST

/* Available first; but some writers had it the other way round. */
START_TEST(cpus)
{
	struct features f = { 0 };

	ck_assert_int_eq(DECODE(&f, FEATURE_NRCPUS, NULL, 8, 0, 0, 0, 4, 0, 0, 0), 0);
	ck_assert_uint_eq(f.cpus_available, 8);
	ck_assert_uint_eq(f.cpus_online, 4);
	ck_assert_int_eq(DECODE(&f, FEATURE_NRCPUS, NULL, 4, 0, 0, 0, 8, 0, 0, 0), 0);
	ck_assert_uint_eq(f.cpus_available, 8);
	ck_assert_uint_eq(f.cpus_online, 4);
	ck_assert_int_eq(DECODE(&f, FEATURE_NRCPUS, NULL, 1, 0, 0, 0, 1, 0, 0), -ERR_FORMAT);
	ck_assert_uint_eq(f.cpus_available, 8);
	features_release(&f);
}
END_TEST

/* Two CPUs; three parts, and older perfs end behind the first or the second. */
static const uint8_t topology[] = {
	1, 0, 0, 0, 4,   0,   0,   0,   '0', '-', '1', 0, /* sockets */
	1, 0, 0, 0, 2,   0,   0,   0,   '0', 0, /* threads */
	5, 0, 0, 0, 2,   0,   0,   0, /* core and socket of CPU 0 */
	6, 0, 0, 0, 3,   0,   0,   0,   1,   0,   0,   0, 2, 0, 0, 0, '0', 0, /* dies */
	7, 0, 0, 0, 255, 255, 255, 255,
};

enum { TOPOLOGY_LISTS = 22, TOPOLOGY_CORES = 38, TOPOLOGY_DIES = 48 };

START_TEST(cpu_topology)
{
	struct features f = { 0 };

	ck_assert_int_eq(DECODE(&f, FEATURE_NRCPUS, NULL, 2, 0, 0, 0, 2, 0, 0, 0), 0);
	for (size_t n = 0; n <= sizeof(topology); n++) {
		bool dies = n == sizeof(topology);
		int rc;

		f.nr_cpus = 0;
		rc = feature_decode(&f, FEATURE_CPU_TOPOLOGY, topology, n, false, NULL, &err);
		/* what may be the count of another list, or is in one, is damage */
		ck_assert_int_eq(rc < 0, n < TOPOLOGY_LISTS ||
						 (n >= TOPOLOGY_CORES + 4 && n < TOPOLOGY_DIES));
		if (rc < 0 || n < TOPOLOGY_CORES) {
			ck_assert_uint_eq(f.nr_cpus, 0);
			continue;
		}
		ck_assert_uint_eq(f.nr_cpus, 2);
		ck_assert_uint_eq(f.cpus[0].core, 5);
		ck_assert_uint_eq(f.cpus[1].socket, 3);
		ck_assert_uint_eq(f.cpus[0].die, dies ? 7 : 0);
		ck_assert_uint_eq(f.cpus[1].die, dies ? UINT32_MAX : 0);
	}
	features_release(&f);
}
END_TEST

START_TEST(memory_nodes_and_caches)
{
	struct feature_node nodes[] = { { 0, (char *)"0-1,4294967294" }, { 9, (char *)"2,x" } };
	struct feature_cache caches[] = { { 1, (char *)"0" }, { 2, (char *)"7,3,1-2" } };
	struct features f = { .nodes = nodes, .nr_nodes = 2, .caches = caches, .nr_caches = 2 };
	uint32_t level = 0;

	ck_assert_uint_eq(features_node(&f, 1), 0);
	ck_assert_uint_eq(features_node(&f, 4294967294), 0);
	ck_assert_uint_eq(features_node(&f, 2), 9);
	ck_assert_uint_eq(features_node(&f, 3), UINT32_MAX);
	ck_assert_uint_eq(features_cache(&f, 7, &level), 1);
	ck_assert_uint_eq(level, 2);
	level = 1;
	ck_assert_uint_eq(features_cache(&f, 0, &level), 0);
	ck_assert_uint_eq(features_cache(&f, 7, &level), UINT32_MAX);
	/* instruction caches hold no data, and other versions are not known */
	f = (struct features){ 0 };
	ck_assert_int_eq(DECODE(&f, FEATURE_CACHE, NULL, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 64, 0,
				0, 0, 64, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 'I', 'n', 's', 't', 'r',
				'u', 'c', 't', 'i', 'o', 'n', 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, '0'),
			 0);
	ck_assert_uint_eq(f.nr_caches, 0);
	ck_assert_int_eq(DECODE(&f, FEATURE_CACHE, NULL, 2, 0, 0, 0, 1, 0, 0, 0), 0);
	ck_assert_int_eq(DECODE(&f, FEATURE_CACHE, NULL, 1, 0, 0, 0, 255, 255, 255, 255),
			 -ERR_FORMAT);
	features_release(&f);
}
END_TEST

START_TEST(command_line)
{
	struct features f = { 0 };

	ck_assert_int_eq(DECODE(&f, FEATURE_CMDLINE, NULL, 2, 0, 0, 0, 2, 0, 0, 0, 'p', 0, 2, 0, 0,
				0, '-', 'a'),
			 0);
	ck_assert_uint_eq(f.nr_cmdline, 2);
	ck_assert_str_eq(f.cmdline[0], "p");
	ck_assert_str_eq(f.cmdline[1], "-a");
	/* 2^32 - 1 strings in four bytes: nothing is allocated for them */
	ck_assert_int_eq(DECODE(&f, FEATURE_CMDLINE, NULL, 255, 255, 255, 255, 0, 0, 0, 0),
			 -ERR_FORMAT);
	ck_assert_uint_eq(f.nr_cmdline, 2);
	features_release(&f);
}
END_TEST

static void build_id_entry(uint8_t *p, uint16_t misc, uint8_t size, const char *name)
{
	memset(p, 0, 100);
	p[4] = (uint8_t)misc;
	p[5] = (uint8_t)(misc >> 8);
	p[6] = 100;
	memset(p + 8, 0xff, 4); /* pid -1 */
	for (int i = 0; i < 20; i++)
		p[12 + i] = (uint8_t)(i + 1);
	p[32] = size;
	strcpy((char *)p + 36, name);
}

START_TEST(build_ids)
{
	struct features f = { 0 };
	uint8_t raw[200];

	build_id_entry(raw, CPUMODE_KERNEL, 7, "[kernel.kallsyms]");
	build_id_entry(raw + 100, CPUMODE_USER | MISC_BUILD_ID_SIZE, 16, "/bin/true");
	ck_assert_int_eq(feature_decode(&f, FEATURE_BUILD_ID, raw, 200, false, NULL, &err), 0);
	ck_assert_uint_eq(f.nr_build_ids, 2);
	ck_assert_uint_eq(f.build_ids[0].id.size, 20); /* the size byte is not valid */
	ck_assert_int_eq(f.build_ids[0].cpumode, CPUMODE_KERNEL);
	ck_assert_int_eq(f.build_ids[0].pid, -1);
	ck_assert_uint_eq(f.build_ids[1].id.size, 16);
	ck_assert_mem_eq(f.build_ids[1].id.bytes, "\x01\x02\x03", 3);
	ck_assert_str_eq(f.build_ids[1].filename, "/bin/true");
	/* an entry of size 0 must not loop; what is before it stays */
	raw[106] = 0;
	ck_assert_int_eq(feature_decode(&f, FEATURE_BUILD_ID, raw, 200, false, NULL, &err),
			 -ERR_FORMAT);
	ck_assert_uint_eq(f.nr_build_ids, 3);
	features_release(&f);
}
END_TEST

/* Writers before 2.6.36 had no pid: the id begins 4 bytes earlier, the name at 32. */
START_TEST(build_id_without_pid)
{
	struct features f = { 0 };
	uint8_t raw[64] = { 0, 0, 0, 0, 1, 0, 64, 0, 0xaa, 0xbb };

	strcpy((char *)raw + 32, "[kernel.kallsyms]");
	ck_assert_int_eq(feature_decode(&f, FEATURE_BUILD_ID, raw, 64, false, NULL, &err), 0);
	ck_assert_uint_eq(f.nr_build_ids, 1);
	ck_assert_str_eq(f.build_ids[0].filename, "[kernel.kallsyms]");
	ck_assert_mem_eq(f.build_ids[0].id.bytes, "\xaa\xbb", 2);
	features_release(&f);
}
END_TEST

static void two_events(struct evlist *list)
{
	struct attr a = { .sample_type = SAMPLE_IDENTIFIER };

	evlist_init(list, false);
	evlist_add(list, &a, (uint64_t[]){ 10 }, 1);
	a.type = 9;
	a.config = 0x42;
	evlist_add(list, &a, (uint64_t[]){ 20 }, 1);
	evlist_index(list);
}

/* One entry, by its id: not the first event. */
START_TEST(event_desc)
{
	struct features f = { 0 };
	struct evlist list;

	two_events(&list);
	ck_assert_int_eq(DECODE(&f, FEATURE_EVENT_DESC, &list, 1, 0, 0, 0, 2, 0, 0, 0, 0xee, 0xee,
				1, 0, 0, 0, 4, 0, 0, 0, 'e', '2', 0, 0, 20, 0, 0, 0, 0, 0, 0, 0),
			 0);
	ck_assert_str_eq(list.v[0].name, "cycles");
	ck_assert_str_eq(list.v[1].name, "e2");
	/* a PMU's name is less than the writer's own */
	ck_assert_int_eq(DECODE(&f, FEATURE_PMU_MAPPINGS, &list, 1, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0,
				'p', 'm', 'u'),
			 0);
	ck_assert_str_eq(list.v[1].name, "e2");
	evlist_release(&list);
	features_release(&f);
}
END_TEST

START_TEST(pmu_names)
{
	struct features f = { 0 };
	struct evlist list;

	two_events(&list);
	ck_assert_str_eq(list.v[1].name, "type9/0x42");
	ck_assert_int_eq(DECODE(&f, FEATURE_PMU_MAPPINGS, &list, 1, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0,
				'p', 'm', 'u'),
			 0);
	ck_assert_str_eq(list.v[1].name, "pmu/config=0x42/");
	evlist_release(&list);
	features_release(&f);
}
END_TEST

START_TEST(groups)
{
	struct features f = { 0 };
	struct evlist list;

	two_events(&list);
	ck_assert_int_eq(DECODE(&f, FEATURE_GROUP_DESC, &list, 1, 0, 0, 0, 1, 0, 0, 0, 'g', 0, 0, 0,
				0, 2, 0, 0, 0),
			 0);
	ck_assert_uint_eq(list.v[0].nr_members, 2);
	ck_assert_uint_eq(list.v[1].leader, 0);
	/* a group that leaves the list is not applied */
	ck_assert_int_eq(DECODE(&f, FEATURE_GROUP_DESC, &list, 1, 0, 0, 0, 1, 0, 0, 0, 'g', 1, 0, 0,
				0, 255, 255, 255, 255),
			 0);
	ck_assert_uint_eq(list.v[1].leader, 0);
	ck_assert_uint_eq(list.v[1].nr_members, 1);
	evlist_release(&list);
	features_release(&f);
}
END_TEST

/*
 * Two binaries as protobuf: path "a", type 2, min_vaddr 16, symbols {vaddr 300, len 5, "y"} and
 * {vaddr 8, len 1, "x"}, elf {offset 64}; and one with a path only, and a field nobody knows.
 */
START_TEST(simpleperf_file2)
{
	struct features f = { 0 };
	const struct sp_file *a;

	ck_assert_int_eq(DECODE(&f, FEATURE_SP_FILE2, NULL, 31, 0, 0, 0, 0x0a, 1, 'a', 0x10, 2,
				0x18, 16, 0x22, 8, 0x08, 0xac, 0x02, 0x10, 5, 0x1a, 1, 'y', 0x22, 7,
				0x08, 8, 0x10, 1, 0x1a, 1, 'x', 0x32, 2, 0x08, 64 /* 35 - 4 */, 6,
				0, 0, 0, 0x0a, 1, 'b', 0x7d, 1, 2, 3, 4),
			 -ERR_FORMAT);
	features_release(&f);
	ck_assert_int_eq(DECODE(&f, FEATURE_SP_FILE2, NULL, 30, 0, 0, 0, 0x0a, 1, 'a', 0x10, 2,
				0x18, 16, 0x22, 8, 0x08, 0xac, 0x02, 0x10, 5, 0x1a, 1, 'y', 0x22, 7,
				0x08, 8, 0x10, 1, 0x1a, 1, 'x', 0x32, 2, 0x08, 64, 8, 0, 0, 0, 0x0a,
				1, 'b', 0x7d, 1, 2, 3, 4),
			 0);
	ck_assert_uint_eq(f.nr_sp_files, 2);
	a = &f.sp_files[0];
	ck_assert_str_eq(a->path, "a");
	ck_assert_uint_eq(a->type, 2);
	ck_assert_uint_eq(a->min_vaddr, 16);
	ck_assert_uint_eq(a->file_offset_of_min_vaddr, 64);
	ck_assert_uint_eq(a->nr_symbols, 2);
	ck_assert_uint_eq(a->symbols[0].vaddr, 8); /* sorted */
	ck_assert_str_eq(a->symbols[0].name, "x");
	ck_assert_uint_eq(a->symbols[1].vaddr, 300);
	ck_assert_uint_eq(a->symbols[1].len, 5);
	ck_assert_str_eq(f.sp_files[1].path, "b");
	ck_assert_uint_eq(f.sp_files[1].file_offset_of_min_vaddr, UINT64_MAX);
	features_release(&f);
}
END_TEST

START_TEST(ids)
{
	struct features f = { 0 };

	ck_assert_str_eq(feature_name(FEATURE_SP_META_INFO), "SP_META_INFO");
	ck_assert_str_eq(feature_name(99), "feature 99");
	/* not known, so nothing can be wrong with it */
	ck_assert_int_eq(DECODE(&f, 99, NULL, 1), 0);
	ck_assert(feature_present(&f, 99));
	ck_assert_int_eq(DECODE(&f, 256, NULL, 1), -ERR_UNSUPPORTED);
	ck_assert(!feature_present(&f, 256));
	features_release(&f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("feature");
	TCase *tc = tcase_create("feature");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, strings);
	tcase_add_test(tc, cpus);
	tcase_add_test(tc, cpu_topology);
	tcase_add_test(tc, memory_nodes_and_caches);
	tcase_add_test(tc, command_line);
	tcase_add_test(tc, build_ids);
	tcase_add_test(tc, build_id_without_pid);
	tcase_add_test(tc, event_desc);
	tcase_add_test(tc, pmu_names);
	tcase_add_test(tc, groups);
	tcase_add_test(tc, simpleperf_file2);
	tcase_add_test(tc, ids);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

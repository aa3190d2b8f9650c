/* SPDX-License-Identifier: MIT */
/*
 * Process images against a model that copies all maps at each fork: random maps, forks, execs,
 * ends and pids used again, asked at random points, and at both ends of what each answer says
 * about how long it holds.  And what a made-up recording could do at worst.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/timeline_priv.h"

#define PIDS     8
#define SPAN     40 /* addresses */
#define MAX_MAPS 400 /* of one image of the model */
#define NEVER    UINT64_MAX

static uint64_t seed;

static unsigned rnd(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % below;
}

/* ---- the model ----------------------------------------------------------------------------- */

struct model_map {
	uint64_t when, start, end, pgoff;
	int file;
};

struct model_image {
	int pid, before; /* the image before the exec, -1: began with a fork, or always there */
	uint64_t from;
	uint64_t exec_done;
	int vdso; /* position among its own, counted from 1; 0: none */
	int nr_own;
	int n;
	struct model_map maps[MAX_MAPS];
};

static struct model_image *images;
static int nr_images, current[PIDS];

static struct model_image *model_begin(int pid, uint64_t from)
{
	struct model_image *im = &images[nr_images];

	memset(im, 0, offsetof(struct model_image, maps));
	im->pid = pid;
	im->from = from;
	im->before = -1;
	current[pid] = nr_images++;
	return im;
}

static struct model_image *model_current(int pid)
{
	return current[pid] < 0 ? model_begin(pid, 0) : &images[current[pid]];
}

#define VDSO 9 /* the file that is one */

static void model_add(int pid, const struct model_map *m)
{
	struct model_image *im = model_current(pid);

	im->nr_own++;
	if (m->file == VDSO && !im->vdso)
		im->vdso = im->nr_own;
	if (im->nr_own == 1 || (im->vdso && im->nr_own <= im->vdso + 1))
		im->exec_done = m->when;
	ck_assert_int_lt(im->n, MAX_MAPS);
	im->maps[im->n++] = *m;
}

static void model_fork(int pid, int ppid, uint64_t when)
{
	int parent = current[ppid];
	struct model_image *im = model_begin(pid, when);

	if (parent < 0)
		return;
	im->n = images[parent].n;
	memcpy(im->maps, images[parent].maps, (size_t)im->n * sizeof(im->maps[0]));
}

static void model_exec(int pid, uint64_t when)
{
	int old = current[pid] < 0 ? (int)(model_begin(pid, 0) - images) : current[pid];

	/* nothing mapped since the last exec: still the same execve() as far as maps go */
	if (images[old].n || images[old].before < 0)
		model_begin(pid, when)->before = old;
}

/* The latest map at or before WHEN that covers ADDR. */
static const struct model_map *model_find(int image, uint64_t addr, uint64_t when)
{
	const struct model_image *im = &images[image];

	for (int i = im->n - 1; i >= 0; i--)
		if (im->maps[i].when <= when && addr >= im->maps[i].start && addr < im->maps[i].end)
			return &im->maps[i];
	if (im->before >= 0 && im->nr_own && when < im->exec_done)
		return model_find(im->before, addr, im->from);
	return NULL;
}

static void model_ask(int pid, uint64_t addr, uint64_t when, char *out)
{
	const struct model_map *m = NULL;
	int image = -1;

	for (int i = 0; i < nr_images; i++)
		if (images[i].pid == pid && images[i].from <= when)
			image = i;
	if (image >= 0)
		m = model_find(image, addr, when);
	out[0] = '\0';
	if (m)
		sprintf(out, "%d+%" PRIx64, m->file, addr - m->start + m->pgoff);
}

/* ---- the same with a timeline ---------------------------------------------------------------- */

static void real_map(struct timeline *tl, int pid, const struct model_map *m)
{
	char name[16];
	struct record_mmap rec = { .pid = pid,
				   .tid = pid,
				   .addr = m->start,
				   .len = m->end - m->start,
				   .pgoff = m->pgoff,
				   .is_mmap2 = true,
				   .prot = 5,
				   .filename = name };

	if (m->file == VDSO)
		strcpy(name, "[vdso]");
	else
		sprintf(name, "/%d", m->file);
	timeline_apply_mmap(tl, &rec, CPUMODE_USER, m->when);
}

static void real_ask(const struct timeline *tl, int pid, uint64_t addr, uint64_t when, char *out,
		     struct validity *v)
{
	struct validity image;
	const struct process *p = timeline_process(tl, pid, when, &image);
	const struct map *m = process_map(p, addr, when, v);

	*v = validity_meet(*v, image);
	ck_assert(validity_has(*v, when));
	out[0] = '\0';
	if (m)
		sprintf(out, "%s+%" PRIx64, m->dso->kind == DSO_VDSO ? "9" : m->dso->path + 1,
			map_location(m, addr));
}

/* DEEP: mostly the youngest process maps and forks, so that chains become long; no execs. */
static void step(struct timeline *tl, uint64_t when, bool deep)
{
	static int youngest;
	unsigned forks = deep ? 35 : 12, execs = deep ? 0 : 6;
	int pid = (int)rnd(PIDS), other = deep && rnd(8) ? youngest : (int)rnd(PIDS);
	struct model_map m = { .when = when,
			       .start = 1 + rnd(SPAN),
			       .pgoff = rnd(100),
			       .file = (int)rnd(rnd(3) ? VDSO : VDSO + 1) };
	struct record_task task = {
		.pid = pid, .tid = pid, .ppid = other, .ptid = other, .time = when
	};
	unsigned what = rnd(100);

	if (what < forks && pid != other) {
		timeline_apply_fork(tl, &task, when, false);
		model_fork(pid, other, when);
		youngest = pid;
	} else if (what < forks + execs) {
		struct record_comm c = { .pid = pid, .tid = pid, .comm = "x", .exec = true };

		timeline_apply_comm(tl, &c, when);
		model_exec(pid, when);
	} else if (what < forks + execs + 5) {
		timeline_apply_exit(tl, &task, when);
	} else {
		pid = deep ? other : pid;
		m.end = m.start + 1 + rnd(rnd(4) ? 6 : SPAN);
		real_map(tl, pid, &m);
		model_add(pid, &m);
	}
}

static void compare(const struct timeline *tl, int pid, uint64_t addr, uint64_t when, uint64_t end)
{
	char got[64], want[64];
	struct validity v;
	uint64_t points[4];

	real_ask(tl, pid, addr, when, got, &v);
	points[0] = when;
	points[1] = v.from;
	points[2] = v.until == NEVER ? end + 5 : v.until - 1;
	points[3] = v.from + rnd((unsigned)(points[2] - v.from + 1));
	for (int i = 0; i < 4; i++) {
		model_ask(pid, addr, points[i], want);
		ck_assert_msg(!strcmp(got, want),
			      "pid %d, 0x%" PRIx64 " at %" PRIu64 ": %s, at %" PRIu64 ": %s", pid,
			      addr, when, got, points[i], want);
	}
}

START_TEST(random_history)
{
	static const struct evlist none;
	uint64_t copied = 0;

	seed = 0xabc0000 + (uint64_t)_i;
	images = calloc(400, sizeof(*images));
	for (int round = 0; round < 40; round++) {
		struct timeline *tl = timeline_new(&none);
		uint64_t when = 0;

		nr_images = 0;
		memset(current, -1, sizeof(current));
		for (int i = 0; i < 300; i++)
			step(tl, when += 1 + rnd(3), _i % 2);
		timeline_finish(tl);
		copied += tl->processes.copied;
		for (int k = 0; k < 1500; k++)
			compare(tl, (int)rnd(PIDS + 1), rnd(SPAN * 2), rnd((unsigned)when + 5),
				when);
		timeline_free(tl);
	}
	free(images);
	/* when deep, some chains were longer than what is looked through */
	ck_assert_int_eq(copied != 0, _i % 2);
	printf("random history: seed 0x%x, %" PRIu64 " maps copied\n", 0xabc0000u + (unsigned)_i,
	       copied);
}
END_TEST

/* ---- at worst -------------------------------------------------------------------------------- */

/* Each forks the next and maps something: a chain of 2^17. */
START_TEST(long_chain)
{
	static const struct evlist none;
	struct timeline *tl = timeline_new(&none);
	const uint32_t n = 1 << 17;
	struct validity v;
	char got[64];

	for (uint32_t i = 0; i < n; i++) {
		struct record_task task = { .pid = (int)i + 1,
					    .tid = (int)i + 1,
					    .ppid = (int)i,
					    .ptid = (int)i,
					    .time = 2 * i + 1 };
		struct model_map m = { .when = 2 * i,
				       .start = (uint64_t)i << 12,
				       .end = (uint64_t)(i + 1) << 12,
				       .file = (int)i % 8 };

		real_map(tl, (int)i, &m);
		timeline_apply_fork(tl, &task, 2 * i + 1, false);
	}
	timeline_finish(tl);
	/* the copies are bounded, and what they cost is told */
	ck_assert_uint_le(tl->processes.copied, (1 << 22) + n);
	ck_assert_uint_gt(timeline_stats(tl).forks_cut, 0);
	for (size_t i = 0; i < tl->processes.images.n; i++)
		ck_assert_uint_le(tl->processes.images.v[i]->depth, 16);
	real_ask(tl, 1000, 0x5123, NEVER - 1, got, &v); /* mapped 995 forks before */
	ck_assert_str_eq(got, "5+123");
	timeline_free(tl);
}
END_TEST

/* A parent with 65,536 maps and 2^17 children, each with one map of its own. */
START_TEST(many_children)
{
	static const struct evlist none;
	struct timeline *tl = timeline_new(&none);
	struct validity v;
	char got[64];
	uint64_t when = 0;

	for (uint32_t i = 0; i < 65536; i++) {
		struct model_map m = { .when = when++,
				       .start = (uint64_t)i << 12,
				       .end = ((uint64_t)i << 12) + 0x800,
				       .file = 1 };

		real_map(tl, 1, &m);
	}
	for (int i = 0; i < 1 << 17; i++) {
		struct record_task task = {
			.pid = i + 2, .tid = i + 2, .ppid = 1, .ptid = 1, .time = when
		};
		struct model_map m = {
			.when = when + 1, .start = 0x5000, .end = 0x6000, .file = 2
		};

		timeline_apply_fork(tl, &task, when, false);
		real_map(tl, i + 2, &m);
		when += 2;
	}
	timeline_finish(tl);
	ck_assert_uint_eq(tl->processes.copied, 0);
	ck_assert_uint_eq(timeline_stats(tl).forks_cut, 0);
	real_ask(tl, 1 << 16, 0x5900, NEVER - 1, got, &v);
	ck_assert_str_eq(got, "2+900");
	real_ask(tl, 1 << 16, 0x7010, NEVER - 1, got, &v);
	ck_assert_str_eq(got, "1+10");
	timeline_free(tl);
}
END_TEST

/* Forks of forks that map nothing don't lengthen the chain. */
START_TEST(empty_forks)
{
	static const struct evlist none;
	struct timeline *tl = timeline_new(&none);
	struct model_map m = { .when = 0, .start = 0x1000, .end = 0x2000, .file = 3 };
	struct validity v;
	char got[64];

	real_map(tl, 0, &m);
	for (int i = 0; i < 1000; i++) {
		struct record_task task = {
			.pid = i + 1, .tid = i + 1, .ppid = i, .ptid = i, .time = (uint64_t)i + 1
		};

		timeline_apply_fork(tl, &task, (uint64_t)i + 1, false);
	}
	timeline_finish(tl);
	ck_assert_uint_eq(tl->processes.copied, 0);
	for (size_t i = 0; i < tl->processes.images.n; i++)
		ck_assert_uint_le(tl->processes.images.v[i]->depth, 1);
	real_ask(tl, 1000, 0x1010, NEVER - 1, got, &v);
	ck_assert_str_eq(got, "3+10");
	ck_assert_uint_eq(v.from, 1000);
	timeline_free(tl);
}
END_TEST

/* The same pid forked, exec'd and forked again, a quarter of a million times. */
START_TEST(restless_pid)
{
	static const struct evlist none;
	struct timeline *tl = timeline_new(&none);
	struct validity v;
	char got[64];
	uint64_t when = 1;

	for (int i = 0; i < 1 << 18; i++) {
		struct record_task task = {
			.pid = 5, .tid = 5, .ppid = 5 + i % 2, .ptid = 5, .time = when
		};
		struct record_comm c = { .pid = 5, .tid = 5, .comm = "x", .exec = true };
		struct model_map m = { .when = when,
				       .start = 0x1000,
				       .end = 0x2000,
				       .pgoff = (uint64_t)i << 12,
				       .file = 1 };

		timeline_apply_fork(tl, &task, when, false);
		timeline_apply_comm(tl, &c, when + 1);
		m.when = when + 2;
		real_map(tl, 5, &m);
		when += 3;
	}
	timeline_finish(tl);
	real_ask(tl, 5, 0x1010, 3 * 1000 + 3, got, &v); /* of the last exec before */
	ck_assert_str_eq(got, "1+3e8010");
	timeline_free(tl);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("process");
	TCase *tc = tcase_create("process");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, random_history, 0, 6);
	tcase_add_test(tc, long_chain);
	tcase_add_test(tc, many_children);
	tcase_add_test(tc, empty_forks);
	tcase_add_test(tc, restless_pid);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

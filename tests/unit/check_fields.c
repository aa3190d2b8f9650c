/* SPDX-License-Identifier: MIT */
/*
 * Fields of tracepoints as keys and in conditions, through a whole session: numbers with and
 * without a sign, names, pointers, fixed, dynamic and relative arrays, of two events that call
 * something by the same name; in either byte order.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata_builder.h"
#include "profile/filter.h"

#include <perfrep/session.h>

enum { OPEN_ID = 500, CLOSE_ID = 501 };

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char *const formats[] = {
	"name: open\nID: 500\n" COMMON "\tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] path;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] tail;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u16[] list;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u8[] bytes;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:char comm[8];\toffset:28;\tsize:8;\tsigned:0;\n"
	"\tfield:void * where;\toffset:40;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"ret=%d\", REC->ret\n",
	"name: close\nID: 501\n" COMMON "\tfield:u8 mac[6];\toffset:8;\tsize:6;\tsigned:0;\n"
	"\tfield:s16 ret;\toffset:14;\tsize:2;\tsigned:1;\n\n"
	"print fmt: \"ret=%d\", REC->ret\n",
};

struct recorder {
	struct builder b;
	uint32_t opens, closes;
	uint64_t time;
};

static void sample(struct recorder *r, uint32_t ev, const uint8_t *raw, uint32_t size)
{
	const uint64_t chain[] = { CONTEXT_USER, 0x401000 };

	builder_sample(&r->b, ev,
		       &(struct builder_sample){ .time = ++r->time,
						 .pid = 42,
						 .tid = 42,
						 .ip = chain[1],
						 .period = 1,
						 .chain = chain,
						 .nr_chain = 2,
						 .raw = raw,
						 .raw_size = size });
}

/* The arrays lie behind the fields, in the order path, tail, list, bytes. */
static void opens(struct recorder *r, int ret, const char *path, const char *tail, unsigned nr_list)
{
	uint32_t path_size = (uint32_t)strlen(path) + 1, tail_size = (uint32_t)strlen(tail) + 1;
	uint32_t at = 48;
	uint8_t raw[160] = { 0 };

	builder_encode(&r->b, raw, OPEN_ID, 2);
	builder_encode(&r->b, raw + 8, (uint64_t)ret, 4);
	builder_encode(&r->b, raw + 12, path_size << 16 | at, 4);
	memcpy(raw + at, path, path_size);
	at += path_size;
	builder_encode(&r->b, raw + 16, tail_size << 16 | (at - 20), 4);
	memcpy(raw + at, tail, tail_size);
	at += tail_size;
	builder_encode(&r->b, raw + 20, (2 * nr_list) << 16 | at, 4);
	for (unsigned i = 0; i < nr_list; i++)
		builder_encode(&r->b, raw + at + 2 * i, 1000 * i + 7, 2);
	at += 2 * nr_list;
	builder_encode(&r->b, raw + 24, 2 << 16 | (at - 28), 4);
	raw[at] = 200;
	raw[at + 1] = 1;
	memcpy(raw + 28, "eight ch", 8); /* no NUL */
	builder_encode(&r->b, raw + 40, 0xffff888000000000 + (unsigned)ret, 8);
	sample(r, r->opens, raw, sizeof(raw));
}

static void closes(struct recorder *r, int ret)
{
	uint8_t raw[16] = { 0 };

	builder_encode(&r->b, raw, CLOSE_ID, 2);
	for (uint8_t i = 0; i < 6; i++)
		raw[8 + i] = (uint8_t)(16 * i + 15);
	builder_encode(&r->b, raw + 14, (uint64_t)ret, 2);
	sample(r, r->closes, raw, sizeof(raw));
}

static void record(struct recorder *r, bool be)
{
	struct builder_attr attr = { .name = "test:open",
				     .type = PERF_TYPE_TRACEPOINT,
				     .config = OPEN_ID,
				     .sample_period = 1,
				     .sample_type = BUILDER_SAMPLE_TYPE | SAMPLE_RAW };
	uint8_t *blob;
	size_t size;

	*r = (struct recorder){ .time = 1000 };
	builder_init(&r->b, &(struct builder_opts){ .be = be });
	r->opens = builder_event(&r->b, &attr);
	attr.name = "test:close";
	attr.config = CLOSE_ID;
	r->closes = builder_event(&r->b, &attr);
	blob = builder_tracing(be, "test", formats, 2, &size);
	builder_feature_blob(&r->b, FEATURE_TRACING_DATA, blob, size);
	free(blob);
	builder_comm(&r->b, 0, 42, 42, "prog");
	opens(r, 3, "/etc/passwd", "abc", 2);
	opens(r, -2, "/no/such", "", 0);
	opens(r, 3, "/etc/passwd", "abc", 2);
	opens(r, 4, "/etc/group", "abcd", 3);
	closes(r, 0);
	closes(r, -9);
}

/* A session of what KEY (NULL: none) tells apart and CONDITION (NULL: none) takes. */
static int run(struct session *s, bool be, const char *key, const char *condition, struct err *err)
{
	char path[] = "/tmp/check_fields.XXXXXX";
	struct filter *f = filter_new();
	struct session_options so = { .path = path, .threads = 2, .filter = f };
	struct recorder r;
	int fd = mkstemp(path), rc;

	ck_assert_int_ge(fd, 0);
	close(fd);
	record(&r, be);
	builder_finish(&r.b);
	ck_assert_int_eq(builder_write(&r.b, path), 0);
	builder_release(&r.b);
	so.symbols.where.no_system = true;
	so.fields = &key;
	so.nr_fields = key != NULL;
	if (condition) {
		ck_assert_int_eq(session_check_condition(condition, err), 0);
		filter_add_condition(f, condition);
	}
	rc = session_run(s, &so, err);
	if (!rc)
		ck_assert_msg(profile_check(s->profile, err) == 0, "%s", err->text);
	unlink(path);
	filter_free(f);
	return rc;
}

/* "value count; …" of the event, as they were first met. */
static void expect_keys(bool be, const char *key, const char *event, const char *want)
{
	struct session s;
	struct stack_iter it;
	struct err err;
	char got[400] = "";

	ck_assert_msg(run(&s, be, key, NULL, &err) == 0, "%s", err.text);
	stack_iter_init(&it, s.profile, strcmp(event, "test:open") ? 1 : 0);
	while (stack_iter_next(&it)) {
		const char *text = profile_str(s.profile, s.profile->keys[it.key].fields);
		size_t n = strlen(got);

		snprintf(got + n, sizeof(got) - n, "%s%s %llu", n ? "; " : "", text,
			 (unsigned long long)it.count);
	}
	stack_iter_release(&it);
	ck_assert_msg(!strcmp(got, want), "by %s: %s, not %s", key, got, want);
	session_release(&s);
}

START_TEST(keys)
{
	expect_keys(_i, "ret", "test:open", "ret=3 2; ret=-2 1; ret=4 1");
	expect_keys(_i, "ret", "test:close", "ret=0 1; ret=-9 1");
	expect_keys(_i, "open.ret", "test:open", "open.ret=3 2; open.ret=-2 1; open.ret=4 1");
	expect_keys(_i, "open.ret", "test:close", "open.ret=- 2");
	expect_keys(_i, "test:close.ret", "test:close", "test:close.ret=0 1; test:close.ret=-9 1");
	expect_keys(_i, "path", "test:open",
		    "path=/etc/passwd 2; path=/no/such 1; path=/etc/group 1");
	expect_keys(_i, "tail", "test:open", "tail=abc 2; tail= 1; tail=abcd 1");
	expect_keys(_i, "list", "test:open", "list={7,1007} 2; list={} 1; list={7,1007,2007} 1");
	expect_keys(_i, "bytes", "test:open", "bytes={200,1} 4");
	expect_keys(_i, "comm", "test:open", "comm=eight ch 4");
	expect_keys(_i, "where", "test:open",
		    "where=0xffff888000000003 2; where=0xffff8880fffffffe 1; "
		    "where=0xffff888000000004 1");
	expect_keys(_i, "mac", "test:close", "mac={15,31,47,63,79,95} 2");
	expect_keys(_i, "common_pid", "test:close", "common_pid=0 2");
}
END_TEST

START_TEST(conditions)
{
	static const struct {
		const char *condition;
		uint64_t opens, closes;
	} known[] = {
		{ "ret<0", 1, 1 },
		{ "ret==-2", 1, 0 },
		{ "ret>=3", 3, 0 },
		{ "open.ret != 3", 2, 0 },
		{ "close.ret == -9 || open.ret == 4", 1, 1 },
		{ "path == /etc/passwd", 2, 0 },
		{ "path ~ \"/etc/*\" && !(tail == abc)", 1, 0 },
		{ "tail == \"\"", 1, 0 },
		{ "tail ~ 'abc?'", 1, 0 },
		{ "list == {7,1007}", 2, 0 },
		{ "bytes ~ \"{200,*\"", 4, 0 },
		{ "where > 0xffff8880f0000000", 1, 0 },
		{ "ret & 4", 2, 1 }, /* -2 and -9 & 4 are 4 too */
		{ "common_pid == 0", 4, 2 },
		{ "path == nowhere", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct session s;
		struct err err;

		ck_assert_msg(run(&s, _i, NULL, known[i].condition, &err) == 0, "%s", err.text);
		ck_assert_msg(s.profile->events[0].samples == known[i].opens &&
				      s.profile->events[1].samples == known[i].closes,
			      "%s: %llu and %llu", known[i].condition,
			      (unsigned long long)s.profile->events[0].samples,
			      (unsigned long long)s.profile->events[1].samples);
		session_release(&s);
	}
}
END_TEST

START_TEST(unknown_names)
{
	struct session s;
	struct err err;

	ck_assert_int_lt(run(&s, false, "retval", NULL, &err), 0);
	ck_assert_int_eq(err.code, ERR_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(err.text, "there are open.ret, open.path"));
	ck_assert_int_lt(run(&s, false, "close.path", NULL, &err), 0);
	ck_assert_int_lt(run(&s, false, "other:open.ret", NULL, &err), 0);
	ck_assert_int_lt(session_check_condition("ret=1", &err), 0);
	ck_assert_int_eq(err.code, ERR_USAGE);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fields");
	TCase *tc = tcase_create("fields");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, keys, 0, 2);
	tcase_add_loop_test(tc, conditions, 0, 2);
	tcase_add_test(tc, unknown_names);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}

/* SPDX-License-Identifier: MIT */
/* Tracepoints: formats of either byte order, fields of each kind, refused and cut data. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "perfdata_builder.h"

#include <perfrep/tracepoint.h>

static struct strbuf out;
static bool be;

static void number(uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		strbuf_addc(&out, (char)(v >> 8 * (be ? bytes - 1 - i : i)));
}

static void sized(int width, const char *text)
{
	number(strlen(text), width);
	strbuf_adds(&out, text);
}

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char mixed[] =
	"name: mixed\nID: 900\n" COMMON "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:long state;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:__data_loc char[] path;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] tail;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:u16 pair[2];\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:s16 small;\toffset:48;\tsize:2;\tsigned:1;\n"
	"\tfield:u8 tiny;\toffset:50;\tsize:1;\tsigned:0;\n\n"
	"print fmt: \"comm=%s state=%ld path=%s\", REC->comm, REC->state, __get_str(path)\n";

static const char refused[] = "name: broken\nID: 901\nformat:\n\tfield nonsense without end";

static void blob(const char *const *formats, uint32_t n)
{
	strbuf_clear(&out);
	strbuf_add(&out, "\x17\x08\x44tracing", 10);
	strbuf_add(&out, "0.6", 4);
	number(be, 1);
	number(8, 1);
	number(4096, 4);
	strbuf_add(&out, "header_page", 12);
	sized(8, "page");
	strbuf_add(&out, "header_event", 13);
	sized(8, "event");
	number(1, 4); /* ftrace's own */
	sized(8, "name: function\nID: 1\n");
	number(1, 4);
	strbuf_add(&out, "test", 5);
	number(n, 4);
	for (uint32_t i = 0; i < n; i++)
		sized(8, formats[i]);
	number(0, 4);
	sized(4, "0xffffffff81000000 : \"text\"\n");
	sized(8, "42 prog\n43 other\n");
}

/* Raw data of `mixed`: 51 bytes of fields, then the arrays. */
static void mixed_raw(void)
{
	strbuf_clear(&out);
	number(900, 2);
	number(0, 2);
	number(77, 4);
	strbuf_add(&out, "worker\0..........", 16);
	number((uint64_t)-2, 8);
	number(5 << 16 | 52, 4);
	number(4 << 16 | 17, 4); /* 36 + 4 + 17 = 57 */
	number(8 << 16 | 64, 4);
	number(7, 2);
	number(65535, 2);
	number((uint64_t)-3, 2);
	number(200, 1);
	number(0, 1);
	strbuf_add(&out, "/tmp", 5);
	strbuf_add(&out, "abc", 4);
	strbuf_add(&out, "\0\0", 3);
	number(1, 4);
	number(70000, 4);
	ck_assert_uint_eq(out.n, 72);
}

static struct tracepoints *parse(unsigned options)
{
	struct tracepoints *t;

	ck_assert_int_eq(tracepoints_new(&t, (const uint8_t *)out.s, out.n, options, NULL), 0);
	return t;
}

static void expect_text(const struct tp_event *ev, const char *name, const char *want)
{
	const struct tp_field *f = tp_event_field(ev, name);
	struct strbuf text = STRBUF_INIT;

	ck_assert_msg(f != NULL, "no field %s", name);
	ck_assert(tp_text(f, (const uint8_t *)out.s, out.n, &text));
	ck_assert_str_eq(strbuf_str(&text), want);
	strbuf_release(&text);
}

START_TEST(kinds_of_fields)
{
	const char *formats[] = { mixed };
	struct tracepoints *t;
	const struct tp_event *ev;
	const char *s;
	size_t len;
	uint64_t v;

	be = _i;
	blob(formats, 1);
	t = parse(0);
	ck_assert_uint_eq(tracepoints_count(t), 1);
	ck_assert_ptr_null(tracepoints_damage(t));
	ev = tracepoints_event(t, 900);
	ck_assert_ptr_nonnull(ev);
	ck_assert_ptr_null(tracepoints_event(t, 899));
	ck_assert_ptr_null(tracepoints_event(t, (UINT64_C(1) << 32) + 900));
	ck_assert_str_eq(ev->system, "test");
	ck_assert_str_eq(ev->name, "mixed");
	ck_assert_uint_eq(ev->nr_fields, 12);
	ck_assert_ptr_null(ev->refused);
	mixed_raw();
	expect_text(ev, "common_pid", "77");
	expect_text(ev, "comm", "worker");
	expect_text(ev, "state", "-2");
	expect_text(ev, "path", "/tmp");
	expect_text(ev, "tail", "abc");
	expect_text(ev, "list", "{1,70000}");
	expect_text(ev, "pair", "{7,65535}");
	expect_text(ev, "small", "-3");
	expect_text(ev, "tiny", "200");
	ck_assert_ptr_null(tp_event_field(ev, "stat"));
	ck_assert(!tp_number(tp_event_field(ev, "comm"), (uint8_t *)out.s, out.n, &v));
	ck_assert(!tp_string(tp_event_field(ev, "state"), (uint8_t *)out.s, out.n, &s, &len));
	tracepoints_free(t);
}
END_TEST

/* However short the raw data is, no field is read from outside of it. */
START_TEST(short_raw_data)
{
	const char *formats[] = { mixed };
	struct strbuf text = STRBUF_INIT;
	struct tracepoints *t;
	const struct tp_event *ev;
	uint64_t v;

	be = _i;
	blob(formats, 1);
	t = parse(TP_PRINTABLE);
	ev = tracepoints_event(t, 900);
	mixed_raw();
	for (size_t size = 0; size <= out.n; size++) {
		uint8_t *raw = xmalloc(size ? size : 1);

		memcpy(raw, out.s, size);
		ck_assert_int_eq(tp_number(tp_event_field(ev, "state"), raw, size, &v), size >= 32);
		for (size_t i = 0; i < ev->nr_fields; i++)
			tp_text(&ev->fields[i], raw, size, &text);
		strbuf_clear(&text);
		ck_assert_int_eq(tp_text(tp_event_field(ev, "list"), raw, size, &text), size == 72);
		ck_assert_int_eq(tracepoints_print(t, ev, raw, size, 0, 0, &text), size == 72);
		free(raw);
	}
	strbuf_release(&text);
	tracepoints_free(t);
}
END_TEST

START_TEST(printed_text)
{
	const char *formats[] = { mixed };
	struct strbuf text = STRBUF_INIT;
	struct tracepoints *t;

	be = _i;
	blob(formats, 1);
	t = parse(TP_PRINTABLE);
	mixed_raw();
	ck_assert(tracepoints_print(t, tracepoints_event(t, 900), (uint8_t *)out.s, out.n, 0, 0,
				    &text));
	ck_assert_str_eq(text.s, "comm=worker state=-2 path=/tmp");
	tracepoints_free(t);
	blob(formats, 1);
	t = parse(0);
	mixed_raw();
	ck_assert(!tracepoints_print(t, tracepoints_event(t, 900), (uint8_t *)out.s, out.n, 0, 0,
				     &text));
	tracepoints_free(t);
	strbuf_release(&text);
}
END_TEST

/* A format that is refused costs that event's fields and no other's. */
START_TEST(a_refused_format)
{
	const char *formats[] = { refused, mixed };
	struct tracepoints *t;
	const struct tp_event *ev;

	be = _i;
	blob(formats, 2);
	t = parse(_i ? TP_PRINTABLE : 0);
	ck_assert_uint_eq(tracepoints_count(t), 2);
	ev = tracepoints_event(t, 901);
	ck_assert_str_eq(ev->name, "broken");
	ck_assert_ptr_nonnull(ev->refused);
	ck_assert_uint_eq(ev->nr_fields, 0);
	ck_assert_uint_eq(tracepoints_event(t, 900)->nr_fields, 12);
	tracepoints_free(t);
}
END_TEST

/* A print format that nests without end is not given to a parser that recurses. */
START_TEST(deep_print_format)
{
	struct strbuf text = STRBUF_INIT;
	const char *formats[1];
	struct tracepoints *t;

	be = false;
	strbuf_add(&text, mixed, (size_t)(strstr(mixed, "print fmt") - mixed));
	strbuf_adds(&text, "print fmt: \"%d\", ");
	for (int i = 0; i < 100000; i++)
		strbuf_adds(&text, _i ? "!" : "(");
	strbuf_adds(&text, "REC->tiny\n");
	formats[0] = text.s;
	blob(formats, 1);
	t = parse(TP_PRINTABLE);
	ck_assert_uint_eq(tracepoints_event(t, 900)->nr_fields, 12);
	tracepoints_free(t);
	strbuf_release(&text);
}
END_TEST

/* Cut anywhere: what is whole is there, and the break is told. */
START_TEST(cut_data)
{
	const char *formats[] = { mixed };
	struct tracepoints *t;
	struct err err;

	be = _i;
	blob(formats, 1);
	for (size_t size = 0; size < out.n; size++) {
		uint8_t *data = xmemdup(out.s, size ? size : 1);

		if (tracepoints_new(&t, data, size, 0, &err) < 0) {
			ck_assert_uint_lt(size, 20);
			ck_assert_int_eq(err.code, ERR_FORMAT);
		} else {
			bool whole = tracepoints_count(t) == 1;

			ck_assert_int_eq(tracepoints_damage(t) == NULL, whole);
			tracepoints_free(t);
		}
		free(data);
	}
}
END_TEST

/* What the kernel's own sched_switch looks like, in a recording's blob. */
START_TEST(sched_switch)
{
	size_t size;
	uint8_t *data = builder_tracing_blob(_i, 372, &size);
	const struct tp_event *ev;
	struct tracepoints *t;

	ck_assert_int_eq(tracepoints_new(&t, data, size, TP_PRINTABLE, NULL), 0);
	ev = tracepoints_event(t, 372);
	ck_assert_str_eq(ev->system, "sched");
	ck_assert_uint_eq(ev->nr_fields, 11);
	ck_assert_uint_eq(tp_event_field(ev, "prev_state")->offset, 32);
	ck_assert_uint_eq(tp_event_field(ev, "prev_state")->size, 8);
	ck_assert_uint_eq(tp_event_field(ev, "next_pid")->offset, 56);
	tracepoints_free(t);
	free(data);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tracepoint");
	TCase *tc = tcase_create("tracepoint");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, kinds_of_fields, 0, 2);
	tcase_add_loop_test(tc, short_raw_data, 0, 2);
	tcase_add_loop_test(tc, printed_text, 0, 2);
	tcase_add_loop_test(tc, a_refused_format, 0, 2);
	tcase_add_loop_test(tc, deep_print_format, 0, 2);
	tcase_add_loop_test(tc, cut_data, 0, 2);
	tcase_add_loop_test(tc, sched_switch, 0, 2);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	strbuf_release(&out);
	return failed != 0;
}

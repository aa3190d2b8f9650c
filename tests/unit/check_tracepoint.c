/* SPDX-License-Identifier: MIT */
/* Tracepoints: formats of either byte order, fields of each kind, refused and cut data. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "any_tracepoint.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "perfdata_builder.h"

#include <perfrep/feature.h>
#include <perfrep/tracepoint.h>

static const char refused[] = "name: broken\nID: 901\nformat:\n\tfield nonsense without end";

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
		strbuf_clear(&text);
		ck_assert_int_eq(tracepoints_print(t, ev, raw, size, NULL, &text), size >= 57);
		free(raw);
	}
	strbuf_release(&text);
	tracepoints_free(t);
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

/* Whether the reader takes the data for damaged. */
static bool is_damaged(const uint8_t *data, size_t size)
{
	struct features f = { 0 };
	struct evlist list;
	int rc;

	evlist_init(&list, be);
	evlist_index(&list);
	rc = feature_decode(&f, FEATURE_TRACING_DATA, data, size, be, &list, NULL);
	ck_assert_uint_eq(f.tracing_size, size); /* the formats before the break are used */
	features_release(&f);
	evlist_release(&list);
	return rc < 0;
}

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
			ck_assert_uint_eq(tracepoints_count(t) == 0, is_damaged(data, size));
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
	tcase_add_loop_test(tc, a_refused_format, 0, 2);
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

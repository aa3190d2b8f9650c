/* SPDX-License-Identifier: MIT */
/* Formats of tracepoints by event: when they are parsed, and that what makes no sense is tried once. */
#include <check.h>

#include "any_tracepoint.h"
#include "collect/formats.h"

static const struct evsel mixed_event = { .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 900 } };
static const struct evsel other_event = { .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 901 } };
static const struct evsel no_tracepoint = { .attr = { .type = PERF_TYPE_SOFTWARE, .config = 900 } };

static void put_tracing_data(struct reader *r, const char *format)
{
	blob(&format, 1);
	r->features.tracing_data = (uint8_t *)out.s;
	r->features.tracing_size = out.n;
}

START_TEST(event_has_its_format)
{
	struct reader r = { 0 };
	struct formats f = { 0 };
	const struct tp_event *ev;

	put_tracing_data(&r, mixed);
	ev = formats_event(&f, &r, &mixed_event);
	ck_assert_ptr_nonnull(ev);
	ck_assert_str_eq(ev->name, "mixed");
	ck_assert_uint_eq(ev->nr_fields, 12);
	ck_assert_ptr_null(ev->print);
	ck_assert_ptr_eq(formats_event(&f, &r, &mixed_event), ev);
	ck_assert_ptr_null(formats_event(&f, &r, &other_event));
	ck_assert_ptr_null(formats_event(&f, &r, &no_tracepoint));
	formats_release(&f);
	strbuf_release(&out);
}
END_TEST

START_TEST(options_are_passed_on)
{
	struct reader r = { 0 };
	struct formats f = { .options = TP_PRINTABLE };

	put_tracing_data(&r, mixed);
	ck_assert_ptr_nonnull(formats_event(&f, &r, &mixed_event)->print);
	formats_release(&f);
	strbuf_release(&out);
}
END_TEST

/* As in a pipe, where the record with the tracing data may still be to come. */
START_TEST(data_may_come_late)
{
	struct reader r = { 0 };
	struct formats f = { 0 };

	ck_assert_ptr_null(formats_get(&f, &r));
	ck_assert_ptr_null(formats_event(&f, &r, &mixed_event));
	put_tracing_data(&r, mixed);
	ck_assert_ptr_nonnull(formats_get(&f, &r));
	ck_assert_str_eq(formats_event(&f, &r, &mixed_event)->name, "mixed");
	formats_release(&f);
	strbuf_release(&out);
}
END_TEST

START_TEST(bad_data_is_tried_once)
{
	struct reader r = { .features = { .tracing_data = (uint8_t *)"no tracing data",
					  .tracing_size = 15 } };
	struct formats f = { 0 };

	ck_assert_ptr_null(formats_event(&f, &r, &mixed_event));
	put_tracing_data(&r, mixed);
	ck_assert_ptr_null(formats_event(&f, &r, &mixed_event));
	formats_release(&f);
	ck_assert_ptr_nonnull(formats_event(&f, &r, &mixed_event));
	formats_release(&f);
	strbuf_release(&out);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("formats");
	TCase *tc = tcase_create("core");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, event_has_its_format);
	tcase_add_test(tc, options_are_passed_on);
	tcase_add_test(tc, data_may_come_late);
	tcase_add_test(tc, bad_data_is_tried_once);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}

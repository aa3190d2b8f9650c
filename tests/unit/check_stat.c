/* SPDX-License-Identifier: MIT */
/* perf stat's forms: numbers of any locale, lines of any version, hostile text, record files. */
#include <sys/mman.h>

#include <perfrep/counters.h>

#include "base/strbuf.h"
#include "counters/stat_parse.h"
#include "counters/stat_places.h"
#include "reader_test.h"

static struct span span(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/* ---- numbers ---- */

START_TEST(grouped_numbers)
{
	static const struct {
		const char *text;
		double value;
	} all[] = {
		{ "0", 0 },
		{ "2046", 2046 },
		{ "2,046", 2046 },
		{ "2.046", 2046 },
		{ "2'046", 2046 },
		{ "2\xc2\xa0"
		  "046",
		  2046 },
		{ "2\xe2\x80\xaf"
		  "046",
		  2046 },
		{ "194.35", 194.35 },
		{ "194,35", 194.35 },
		{ "1,194.35", 1194.35 },
		{ "1.194,35", 1194.35 },
		{ "12,34,56,789", 123456789 },
		{ "18446744073709549568", 18446744073709549568.0 },
	};
	static const char *const none[] = { "",     "-1",  "nan", "1..2", ",5",  "5,",
					    "0x10", "1e9", "+3",  "1 2",  "inf", "<not counted>" };
	double v;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		ck_assert_msg(stat_grouped_number(span(all[i].text), &v) == NUMBER_OK, "%s",
			      all[i].text);
		ck_assert_double_eq_tol(v, all[i].value, 1e-9);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		ck_assert_msg(stat_grouped_number(span(none[i]), &v) == NUMBER_NONE, "%s", none[i]);
	ck_assert_int_eq(stat_grouped_number(span("18446744073709551616"), &v), NUMBER_RANGE);
	ck_assert_int_eq(stat_number(span("1.2.3"), &v), NUMBER_NONE);
	ck_assert_int_eq(stat_number(span("10.448"), &v), NUMBER_OK);
	ck_assert_double_eq(v, 10.448);
	ck_assert(stat_time(span("     0.050216782"), &v));
	ck_assert_double_eq_tol(v, 0.050216782, 1e-15);
	ck_assert(!stat_time(span("0.05"), &v));
	ck_assert(!stat_time(span("0050216782"), &v));
}
END_TEST

/* ---- lines ---- */

static void parse(struct counter_set *set, const char *text)
{
	struct err err;

	test_must(counter_set_parse(set, text, strlen(text), "test", &err) == 0, "%s: %s", text,
		  err.text);
}

static void fails(const char *text, const char *where)
{
	struct counter_set set;
	struct err err;

	test_must(counter_set_parse(&set, text, strlen(text), "test", &err) < 0, "%s", text);
	test_must(!strncmp(err.text, where, strlen(where)), "%s: %s", text, err.text);
	ck_assert_uint_eq(set.n, 0);
}

struct expected {
	const char *text, *name, *unit, *where;
	double value, running, spread, time;
};

static void check_line(const struct expected *e)
{
	struct counter_set set;
	const struct counter_part *part;

	parse(&set, e->text);
	test_must(set.n == 1, "%s: %zu counters", e->text, set.n);
	part = &set.parts[0];
	test_must(!strcmp(set.v[0].name, e->name), "%s: %s", e->text, set.v[0].name);
	test_must(!strcmp(set.v[0].unit, e->unit), "%s: unit %s", e->text, set.v[0].unit);
	test_must(!strcmp(set.wheres[part->where], e->where), "%s: at %s", e->text,
		  set.wheres[part->where]);
	ck_assert_double_eq_tol(set.v[0].value, e->value, 1e-9);
	ck_assert_double_eq_tol(set.v[0].running, e->running, 1e-9);
	ck_assert_double_eq_tol(set.v[0].spread, e->spread, 1e-9);
	ck_assert_double_eq_tol(part->time, e->time, 1e-12);
	counter_set_release(&set);
}

START_TEST(csv_lines)
{
	static const struct expected all[] = {
		{ "5,,cycles,100,50.00,0.5,GHz", "cycles", "", "", 5, .5, -1, -1 },
		{ "1.04,msec,task-clock,1035804,100.00,0.010,CPUs utilized", "task-clock", "msec",
		  "", 1.04, 1, -1, -1 },
		{ "5,,cycles,12.11%,100,50.00,,", "cycles", "", "", 5, .5, .1211, -1 },
		{ "5,,cpu/event=0x3c,umask=0x0/,100,50.00", "cpu/event=0x3c,umask=0x0/", "", "", 5,
		  .5, -1, -1 },
		{ "5,,cpu/event=0x3c,umask=0x0/u,1.00%,100,50.00", "cpu/event=0x3c,umask=0x0/u", "",
		  "", 5, .5, .01, -1 },
		{ "5,,cycles,system.slice/a,100,50.00", "cycles", "", "system.slice/a", 5, .5, -1,
		  -1 },
		{ "     0.100169895,5,,cycles,100,50.00", "cycles", "", "", 5, .5, -1,
		  0.100169895 },
		{ "0.100169895,CPU0,5,,cycles,100,50.00", "cycles", "", "CPU0", 5, .5, -1,
		  0.100169895 },
		{ "S0-D0-C1,2,5,,cycles,100,50.00", "cycles", "", "S0-D0-C1", 5, .5, -1, -1 },
		{ "S0-D0-L3-ID0,8,5,Joules,power/energy-pkg/,100,100.00", "power/energy-pkg/",
		  "Joules", "S0-D0-L3-ID0", 5, 1, -1, -1 },
		{ "my, comm 7-12,5,,cycles,100,50.00", "cycles", "", "my, comm 7-12", 5, .5, -1,
		  -1 },
		{ "5;;cycles;0,20%;100;50,00;1,5;GHz", "cycles", "", "", 5, .5, .002, -1 },
		{ "5\t\tcycles\t100\t50.00\t\t", "cycles", "", "", 5, .5, -1, -1 },
		{ "5|msec|task-clock|100|50.00||", "task-clock", "msec", "", 5, .5, -1, -1 },
		/* a comma for both */
		{ "195,79,msec,task-clock:u,0,20%,195793802,99,50,0,CPUs utilized", "task-clock:u",
		  "msec", "", 195.79, .995, .002, -1 },
		{ "2047,,page-faults:u,11,03%,195793802,100,00,10,K/sec", "page-faults:u", "", "",
		  2047, 1, .1103, -1 },
		{ "     0.100245925,S0-D0-C0,1,100,95,msec,task-clock:u,100946187,100,00,1,CPUs "
		  "utilized",
		  "task-clock:u", "msec", "S0-D0-C0", 100.95, 1, -1, 0.100245925 },
		{ "21756,,page-faults:u,/,2564,100,00,55,K/sec", "page-faults:u", "", "/", 21756, 1,
		  -1, -1 },
		/* before 3.13, and before 3.16 */
		{ "1234,cycles", "cycles", "", "", 1234, 1, -1, -1 },
		{ "1234,,cycles", "cycles", "", "", 1234, 1, -1, -1 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		check_line(&all[i]);
}
END_TEST

START_TEST(json_lines)
{
	static const struct expected all[] = {
		{ "{\"counter-value\" : \"5.000000\", \"unit\" : \"\", \"event\" : \"cycles\", "
		  "\"event-runtime\" : 100, \"pcnt-running\" : 50.00, \"metric-value\" : nan, "
		  "\"metric-unit\" : \"\"}",
		  "cycles", "", "", 5, .5, -1, -1 },
		{ "{\"interval\" : 1.5, \"core\" : \"S0-D0-C0\"\"aggregate-number\" : 1, "
		  "\"counter-value\" : \"2,250000\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
		  "\"variance\" : 0,25, \"event-runtime\" : 7, \"pcnt-running\" : 100,00}",
		  "task-clock", "msec", "S0-D0-C0", 2.25, 1, .0025, 1.5 },
		{ "[{\"counters\" : 2, \"thread\" : \"x-7\", \"counter-value\":\"5\",\"event\":\"a\"}]",
		  "a", "", "x-7", 5, 1, -1, -1 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		check_line(&all[i]);
}
END_TEST

#define HEAD " Performance counter stats for 'x y' (3 runs):\n\n"

START_TEST(text_lines)
{
	static const struct expected all[] = {
		{ HEAD "             2.046      cycles:u   # 3,1 GHz   ( +-  5,33% )  (33,21%)\n",
		  "cycles:u", "", "", 2046, .3321, .0533, -1 },
		{ HEAD "S0-D0-C0   2   1,194.35 msec task-clock    # 0.9 CPUs\n", "task-clock",
		  "msec", "S0-D0-C0", 1194.35, 1, -1, -1 },
		{ HEAD "CPU12          7      cycles\n", "cycles", "", "CPU12", 7, 1, -1, -1 },
		{ HEAD "tokio worker-42     7      cycles   \n", "cycles", "", "tokio worker-42", 7,
		  1, -1, -1 },
		{ HEAD "  0.27 Joules power/energy-pkg/\n", "power/energy-pkg/", "Joules", "", .27,
		  1, -1, -1 },
		{ "#           time socket cpus             counts unit events\n"
		  "     1,000101234 S0        2              2.046      cycles\n",
		  "cycles", "", "S0", 2046, 1, -1, 1.000101234 },
	};
	struct counter_set set;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		check_line(&all[i]);
	parse(&set, "hello, 5 worlds\n" HEAD "  7 cycles\n  <not counted> instructions\n\n"
		    "  0,19654 +- 0,00087 seconds time elapsed  ( +-  0,44% )\n\n"
		    "  1.5 seconds user\n  0.25 seconds sys\nbye\n");
	ck_assert_uint_eq(set.n, 2);
	ck_assert_int_eq(set.v[1].state, COUNTER_NOT_COUNTED);
	ck_assert_str_eq(set.what, "x y");
	ck_assert_uint_eq(set.runs, 3);
	ck_assert_double_eq(set.elapsed, 0.19654);
	ck_assert_double_eq(set.user, 1.5);
	ck_assert_double_eq(set.sys, 0.25);
	ck_assert_uint_eq(set.skipped, 1);
	counter_set_release(&set);
}
END_TEST

/* Of several outputs in one file the first is read, and the others are counted. */
START_TEST(several_outputs)
{
	struct counter_set set;

	parse(&set, HEAD "  7 cycles\n\n 1.0 seconds time elapsed\n" HEAD "  9 cycles\n");
	ck_assert_uint_eq(set.outputs, 2);
	ck_assert_double_eq(set.v[0].value, 7);
	counter_set_release(&set);
	parse(&set, "# started on Mon\n7,,cycles,1,100.00\n# started on Tue\n9,,cycles,1,100.00\n");
	ck_assert_uint_eq(set.outputs, 2);
	ck_assert_double_eq(set.v[0].value, 7);
	counter_set_release(&set);
}
END_TEST

START_TEST(metrics_are_no_counters)
{
	struct counter_set set;

	parse(&set, "7,,cycles,1,100.00,,\n,,,,,0.12,stalled cycles per insn\n"
		    "S0,2,,,,,,0.3,x\n9,,instructions,1,100.00,,\n");
	ck_assert_uint_eq(set.n, 2);
	ck_assert_uint_eq(set.metrics, 2);
	counter_set_release(&set);
}
END_TEST

/* ---- --metric-only ---- */

static void assert_metric(const struct counter_set *set, size_t i, const char *name, double value,
			  const char *where, double time)
{
	ck_assert_uint_lt(i, set->nr_metrics);
	ck_assert_str_eq(set->metric[i].name, name);
	ck_assert_double_eq_tol(set->metric[i].value, value, 1e-12);
	ck_assert_str_eq(set->wheres[set->metric[i].where], where);
	ck_assert_double_eq_tol(set->metric[i].time, time, 1e-12);
}

START_TEST(metrics_alone_in_text)
{
	struct counter_set set;

	/* the fourth name is as wide as its column; values of the third stand one to the right */
	parse(&set, HEAD
	      "                            GHz       insn per cycle branch-misses of all branches "
	      "frontend cycles idle \n"
	      "CPU0                       2.95                 0.61                          4.10% "
	      "              12.34% \n"
	      "CPU1                       2.95                                               4.20% "
	      "                 nan \n"
	      "\n 0.5 seconds time elapsed\n");
	ck_assert_uint_eq(set.n, 0);
	ck_assert_uint_eq(set.nr_metrics, 6);
	assert_metric(&set, 0, "GHz", 2.95, "CPU0", -1);
	assert_metric(&set, 1, "insn per cycle", 0.61, "CPU0", -1);
	assert_metric(&set, 2, "branch-misses of all branches", 4.1, "CPU0", -1);
	assert_metric(&set, 3, "frontend cycles idle", 12.34, "CPU0", -1);
	assert_metric(&set, 4, "GHz", 2.95, "CPU1", -1);
	assert_metric(&set, 5, "branch-misses of all branches", 4.2, "CPU1", -1);
	ck_assert_double_eq(set.elapsed, 0.5);
	ck_assert_uint_eq(set.source, SOURCE_TEXT);
	counter_set_release(&set);
	parse(&set, "#           time       insn per cycle \n"
		    "     0.100000000                 0.61 \n"
		    "     0.200000000                 0.71 \n");
	ck_assert_uint_eq(set.nr_metrics, 2);
	ck_assert_uint_eq(set.intervals, 2);
	assert_metric(&set, 1, "insn per cycle", 0.71, "", 0.2);
	counter_set_release(&set);
}
END_TEST

START_TEST(metrics_alone_for_machines)
{
	struct counter_set set;

	parse(&set, "GHz,insn per cycle,\n2.95,0.61,\n");
	ck_assert_uint_eq(set.nr_metrics, 2);
	assert_metric(&set, 1, "insn per cycle", 0.61, "", -1);
	counter_set_release(&set);
	/* 6.1 forgets the separator behind cpus, and with nodes their number */
	parse(&set, " time,socket,cpusGhz,insn per cycle,\n     0.000908461,S0,8,0.950,1.65,\n");
	ck_assert_uint_eq(set.nr_metrics, 2);
	assert_metric(&set, 0, "Ghz", 0.95, "S0", 0.000908461);
	assert_metric(&set, 1, "insn per cycle", 1.65, "S0", 0.000908461);
	counter_set_release(&set);
	parse(&set, "node;GHz;insn per cycle;\nN0;32;0.335;;\n");
	ck_assert_uint_eq(set.nr_metrics, 1);
	assert_metric(&set, 0, "GHz", 0.335, "N0", -1);
	counter_set_release(&set);
	/* JSON of 6.1 and of 6.14 */
	parse(&set,
	      "{\"unit\" : \"GHz\", \"unit\" : \"insn per cycle\"}\n"
	      "{\"interval\" : 0.05}{\"metric-value\" : \"\"}{\"metric-value\" : \"0.61\"}\n");
	ck_assert_uint_eq(set.nr_metrics, 1);
	assert_metric(&set, 0, "insn per cycle", 0.61, "", 0.05);
	counter_set_release(&set);
	parse(&set, "{\"cpu\" : \"3\", \"insn per cycle\" : \"0.53\", \"GHz\" : \"none\"}\n");
	ck_assert_uint_eq(set.nr_metrics, 1);
	assert_metric(&set, 0, "insn per cycle", 0.53, "CPU3", -1);
	counter_set_release(&set);
}
END_TEST

START_TEST(metrics_are_analysed)
{
	const struct counter_options none = { .mlp = 0 };
	struct counter_analysis a;
	struct counter_set set;

	parse(&set, "GHz,insn per cycle,branch-misses of all branches,%  tma_retiring,"
		    "%  tma_bad_speculation,%  tma_frontend_bound,%  tma_backend_bound,\n"
		    "2.95,0.61,4.10,12.0,5.0,8.0,75.0,\n");
	counter_analyse(&a, &set, &none);
	ck_assert(a.no_counts && a.ipc.known && a.branch_miss.known && a.ghz.known);
	ck_assert(!a.mpki.known && !a.verdict.known);
	ck_assert_double_eq(a.ipc.value, 0.61);
	ck_assert_double_eq(a.branch_miss.value, 4.1);
	ck_assert(a.topdown.level1 && !a.topdown.level2);
	ck_assert_double_eq(a.topdown.backend_bound, 0.75);
	ck_assert_int_eq(a.mpki.why, COUNTER_LEFT_OUT);
	ck_assert_int_eq(a.faults.why, COUNTER_LEFT_OUT);
	ck_assert_int_eq(a.verdict.why, COUNTER_LEFT_OUT);
	ck_assert_int_eq(a.verdict.missing, ROLE_CYCLES);
	ck_assert(counter_metrics_whole(&set));
	ck_assert(counter_metric_is_ratio("insn per cycle") && !counter_metric_is_ratio("GHz"));
	counter_analysis_release(&a);
	counter_set_release(&set);
	/* of two places each has its own, all together have none */
	parse(&set, "cpu,insn per cycle,\nCPU0,0.5,\nCPU1,0.7,\n");
	counter_analyse(&a, &set, &none);
	ck_assert(a.no_counts && !a.ipc.known);
	ck_assert_int_eq(a.ipc.why, COUNTER_IN_PARTS);
	ck_assert_int_eq(a.branch_miss.why, COUNTER_LEFT_OUT);
	ck_assert(!counter_metrics_whole(&set));
	counter_analysis_release(&a);
	counter_analyse_part(&a, &set, set.metric[1].where, -1, &none);
	ck_assert_double_eq(a.ipc.value, 0.7);
	ck_assert_int_eq(a.branch_miss.why, COUNTER_LEFT_OUT);
	counter_analysis_release(&a);
	counter_set_release(&set);
}
END_TEST

/* Which of the events that a verdict needs is the first that is not there, and why. */
START_TEST(verdicts_say_what_they_lack)
{
	static const struct {
		const char *text;
		enum counter_role missing;
		enum counter_state why;
	} all[] = {
		{ "9,,instructions,1,100.00,,\n", ROLE_CYCLES, COUNTER_ABSENT },
		{ "0,,cycles,1,100.00,,\n", ROLE_CYCLES, COUNTER_NOT_COUNTED },
		{ "9,,cycles,1,100.00,,\n<not supported>,,branch-misses,0,100.00,,\n",
		  ROLE_BRANCH_MISSES, COUNTER_NOT_SUPPORTED },
		{ "9,,cycles,1,100.00,,\n1,,branch-misses,1,100.00,,\n"
		  "1,,LLC-load-misses,1,5.00,,\n",
		  ROLE_LLC_MISSES, COUNTER_NOT_COUNTED },
	};
	const struct counter_options none = { .mlp = 0 };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct counter_analysis a;
		struct counter_set set;

		parse(&set, all[i].text);
		counter_analyse(&a, &set, &none);
		ck_assert(!a.verdict.known);
		ck_assert_int_eq(a.verdict.missing, all[i].missing);
		ck_assert_int_eq(a.verdict.why, all[i].why);
		counter_analysis_release(&a);
		counter_set_release(&set);
	}
}
END_TEST

START_TEST(hostile_metrics)
{
	fails("GHz,insn per cycle,\n2.95,x.61,\n", "test, line 2, column 6: ");
	fails("GHz,insn per cycle,\n2.95,0.61,\n7,\n", "test, line 3, column 1: ");
	fails("{\"metric-value\" : \"2.95\"}{\"metric-value\" : \"0.61\"}\n",
	      "test, line 1, column 20: ");
	fails(HEAD "                 GHz \n                2,9x \n", "test, line 4, column 17: ");
	fails("{\"unit\" : \"GHz\"}\n{\"metric-value\" : \"\"}\n",
	      "test is of perf stat --metric-only and holds no metric");
}
END_TEST

START_TEST(hostile)
{
	static const char *const ok = "5,,cycles,100,100.00,,\n";
	struct strbuf sb = STRBUF_INIT;

	fails("", "test is empty");
	fails("\n\n", "test, line 1, column 1: ");
	fails("hello", "test, line 1, column 1: ");
	fails("5,,cycles,100,100.00,,\nnan,,x,100,100.00,,\n", "test, line 2, column 1: ");
	fails("5,,cycles,100,100.00,,\nCPU0,-5,,x,100,100.00,,\n", "test, line 2, column 6: ");
	fails("5,,cycles,100,100.00,,\n99999999999999999999,,x,100,100.00,,\n",
	      "test, line 2, column 1: ");
	fails("5,,cycles,100,100.00,,\n5,,x,100,100.01,,\n", "test, line 2, column 10: ");
	fails("{\"counter-value\" : \"5\", \"event\" : \"x\"}\n{\"counter-value\" \"5\"}\n",
	      "test, line 2, column 18: ");
	fails("{\"counter-value\" : \"5\", \"event\" : \"x\"}\n{\"event\" : \"x\"}\n",
	      "test, line 2, column 1: ");
	fails("{\"counter-value\" : \"5\", \"event\" : \"x\"}\n{\"counter-value\" : \"-5\", "
	      "\"event\" : \"x\"}\n",
	      "test, line 2, column 21: ");
	fails(HEAD "  -5 cycles\n", "test, line 3, column 3: ");
	fails(HEAD "  5\n", "test, line 3, column 4: ");
	fails(HEAD "  5 cycles (101.00%)\n", "test, line 3, column ");
	strbuf_adds(&sb, ok);
	for (int i = 0; i < 70; i++)
		strbuf_adds(&sb, "1,");
	fails(sb.s, "test, line 2, column ");
	strbuf_release(&sb);
}
END_TEST

/* Of a line of 4 GB the first 64 KB are looked at: the rest can't even be read. */
START_TEST(endless_line)
{
	size_t size = (size_t)4 << 30, head = 1 << 20;
	char *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct counter_set set;
	struct err err;

	ck_assert_ptr_ne(p, MAP_FAILED);
	ck_assert_int_eq(mprotect(p, head, PROT_READ | PROT_WRITE), 0);
	memset(p, '1', head);
	memcpy(p, "5,,cycles,100,100.00,,\n", 23);
	ck_assert_int_lt(counter_set_parse(&set, p, size, "test", &err), 0);
	ck_assert_str_eq(err.text,
			 "test, line 2, column 65537: the line is longer than 65536 bytes.");
	munmap(p, size);
}
END_TEST

/* ---- files of perf stat record ---- */

static void begin(struct builder *b, const struct builder_opts *opts)
{
	static const uint64_t ids[2][2] = { { 11, 12 }, { 21, 22 } };
	static const char *const names[] = { "cycles", "task-clock" };

	builder_init(b, opts);
	for (int e = 0; e < 2; e++)
		builder_event(b, &(struct builder_attr){ .name = names[e],
							 .bare = true,
							 .type = (uint32_t)e,
							 .config = e ? 1 : 0,
							 .sample_type = SAMPLE_IDENTIFIER,
							 .read_format = READ_TOTAL_TIME_ENABLED |
									READ_TOTAL_TIME_RUNNING,
							 .ids = ids[e],
							 .nr_ids = 2 });
	builder_features(b);
	builder_update_unit(b, 21, "msec");
	builder_update_scale(b, 21, 1e-6);
}

static void read_back(struct builder *b, struct counter_set *set)
{
	struct builder_file f = builder_finish(b);
	struct reader *r;
	struct err err;

	test_must(reader_open_memory(&r, f.bytes, f.size, "stat", &err) == 0, "%s", err.text);
	test_must(counter_set_from_reader(set, r, &err) == 0, "%s", err.text);
	reader_free(r);
}

/* Totals of all CPUs; counted half of the time is scaled; run 0 is not counted. */
START_TEST(stat_record)
{
	for (size_t i = 0; i < 4; i++) {
		struct counter_set set;
		struct builder b;

		begin(&b, &test_variants[i]);
		builder_stat_config(&b, (uint64_t[]){ 0, 1, 1, 0, 2, 1 }, 3);
		builder_stat(&b, 11, 0, 0, 1000, 100, 50);
		builder_stat(&b, 12, 1, 0, 500, 100, 100);
		builder_stat(&b, 21, 0, 0, 0, 100, 0);
		builder_stat(&b, 22, 1, 0, 0, 0, 0);
		builder_stat_round(&b, 1, 2500000000);
		read_back(&b, &set);
		ck_assert_uint_eq(set.n, 2);
		ck_assert_str_eq(set.v[0].name, "cycles");
		ck_assert_double_eq(set.v[0].value, 2500);
		ck_assert_double_eq(set.v[0].running, 0.75);
		ck_assert_int_eq(set.v[1].state, COUNTER_NOT_COUNTED);
		ck_assert_double_eq(set.elapsed, 2.5);
		ck_assert_uint_eq(set.intervals, 0);
		counter_set_release(&set);
		builder_release(&b);
	}
}
END_TEST

/* Running totals: intervals are differences, and the totals behind the last round are none. */
START_TEST(stat_record_intervals)
{
	struct counter_set set;
	struct builder b;

	begin(&b, &test_variants[0]);
	builder_stat_config(&b, (uint64_t[]){ 0, 1, 1, 100, 2, 1 }, 3);
	for (uint64_t round = 1; round <= 2; round++) {
		builder_stat(&b, 11, UINT32_MAX, 0, round == 1 ? 18 : 20, round * 100, round * 100);
		builder_stat(&b, 21, UINT32_MAX, 0, round * 1000000, round * 100, round * 100);
		builder_stat_round(&b, 0, round * 100000000);
	}
	builder_stat(&b, 11, UINT32_MAX, 0, 20, 200, 200);
	builder_stat(&b, 21, UINT32_MAX, 0, 2000000, 200, 200);
	read_back(&b, &set);
	ck_assert_uint_eq(set.nr_parts, 4);
	ck_assert_double_eq(set.parts[0].value, 18);
	ck_assert_double_eq(set.parts[1].value, 1);
	ck_assert_double_eq(set.parts[2].value, 2);
	ck_assert_double_eq(set.parts[2].time, 0.2);
	ck_assert_double_eq(set.v[0].value, 20);
	ck_assert_double_eq(set.v[1].value, 2);
	ck_assert_str_eq(set.v[1].unit, "msec");
	ck_assert_uint_eq(set.intervals, 2);
	counter_set_release(&set);
	builder_release(&b);
}
END_TEST

/* Kept apart by CPU (-A). */
START_TEST(stat_record_cpus)
{
	struct counter_set set;
	struct builder b;

	begin(&b, &test_variants[0]);
	builder_stat_config(&b, (uint64_t[]){ 0, 0, 1, 0, 2, 1 }, 3);
	builder_stat(&b, 11, 0, 0, 7, 100, 100);
	builder_stat(&b, 12, 3, 0, 5, 100, 100);
	builder_stat(&b, 99, 3, 0, 5, 100, 100); /* nobody's */
	builder_stat_round(&b, 1, 100000000);
	read_back(&b, &set);
	ck_assert_uint_eq(set.n, 1);
	ck_assert_double_eq(set.v[0].value, 12);
	ck_assert_uint_eq(set.nr_parts, 2);
	ck_assert_str_eq(set.wheres[set.parts[1].where], "CPU3");
	counter_set_release(&set);
	builder_release(&b);
}
END_TEST

/* Kept apart by thread, with the names of the thread map; under the numbers of both perfs. */
START_TEST(stat_record_threads)
{
	static const char *const comms[] = { "main", "work,1" };
	static const struct {
		uint64_t mode, level; /* level 0: a perf without that tag */
		bool apart;
	} modes[] = { { 5, 0, true }, { 7, 1, true }, { 6, 1, false }, { 6, 0, false } };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		const uint64_t tags[] = { 0, modes[i].mode, 1, 0, 2, 1, 3, 1 };
		struct counter_set set;
		struct builder b;

		begin(&b, &test_variants[i]);
		builder_thread_map(&b, (uint64_t[]){ 42, 43 }, comms, 2);
		builder_stat_config(&b, tags, modes[i].level ? 4 : 3);
		builder_stat(&b, 11, UINT32_MAX, 0, 7, 100, 100);
		builder_stat(&b, 12, UINT32_MAX, 1, 5, 100, 100);
		builder_stat_round(&b, 1, 100000000);
		read_back(&b, &set);
		ck_assert_uint_eq(set.n, 1);
		ck_assert_double_eq(set.v[0].value, 12);
		ck_assert_uint_eq(set.nr_parts, modes[i].apart ? 2 : 1);
		if (modes[i].apart) {
			ck_assert_str_eq(set.wheres[set.parts[0].where], "main-42");
			ck_assert_str_eq(set.wheres[set.parts[1].where], "work,1-43");
			ck_assert_double_eq(set.parts[1].value, 5);
		}
		counter_set_release(&set);
		builder_release(&b);
	}
}
END_TEST

/* ---- places of record files ---- */

START_TEST(numbers_of_modes)
{
	static const struct {
		const char *version;
		uint64_t mode;
		bool levels, any_cpu;
		enum stat_aggr aggr;
	} all[] = {
		{ "6.1.187", 0, false, false, STAT_CPU },
		{ "6.1.187", 1, false, false, STAT_GLOBAL },
		{ "6.1.187", 2, false, false, STAT_SOCKET },
		{ "6.1.187", 3, false, false, STAT_DIE },
		{ "6.1.187", 4, false, false, STAT_CORE },
		{ "6.1.187", 5, false, true, STAT_THREAD },
		{ "6.1.187", 7, false, false, STAT_NODE },
		{ "6.1.187", 6, false, false, STAT_UNKNOWN },
		{ "4.19", 3, false, false, STAT_CORE },
		{ "4.19", 4, false, true, STAT_THREAD },
		{ "6.5.3", 4, true, false, STAT_CACHE },
		{ "6.8", 5, true, false, STAT_CORE },
		{ "6.8", 6, true, true, STAT_THREAD },
		{ "6.8", 8, true, false, STAT_NODE },
		{ "6.9.1", 4, true, false, STAT_CLUSTER },
		{ "7.2.13", 5, true, false, STAT_CACHE },
		{ "7.2.13", 6, true, false, STAT_CORE },
		{ "7.2.13", 7, true, true, STAT_THREAD },
		{ "7.2.13", 9, true, false, STAT_NODE },
		/* threads have no CPUs, and the others have */
		{ "7.2.13", 6, true, true, STAT_UNKNOWN },
		{ "7.2.13", 7, true, false, STAT_UNKNOWN },
		/* without a version, or with one that can't be: where all agree */
		{ NULL, 2, false, false, STAT_SOCKET },
		{ NULL, 3, false, false, STAT_UNKNOWN },
		{ NULL, 4, false, true, STAT_THREAD },
		{ NULL, 4, false, false, STAT_CORE },
		{ NULL, 6, true, false, STAT_CORE },
		{ NULL, 6, true, true, STAT_THREAD },
		{ NULL, 4, true, false, STAT_UNKNOWN },
		{ "6.1.187", 7, true, true, STAT_THREAD },
		{ "hotspot", 2, true, false, STAT_SOCKET },
		{ "6.1.187", 10, false, false, STAT_UNKNOWN },
		{ "6.1.187", UINT64_MAX, false, false, STAT_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		ck_assert_msg(stat_aggr_of(all[i].mode, all[i].levels, all[i].version,
					   all[i].any_cpu) == all[i].aggr,
			      "%s, mode %llu", all[i].version ? all[i].version : "no version",
			      (unsigned long long)all[i].mode);
}
END_TEST

/* CPUs 0 and 1 of the first socket, 2 and 3 of two dies of the second; core 0 has two threads. */
static const struct feature_cpu four_cpus[4] = {
	{ 0, 0, 0 }, { 0, 0, 0 }, { 4, 1, 0 }, { 4, 1, 1 }
};

/* Event 11 counts 1, 2, 4, 8 on CPUs 0 to 3, event 21 counts 10 ms on each. */
static void read_places(struct counter_set *set, const char *version, uint64_t mode, bool levels,
			bool told)
{
	static const uint64_t ids[2] = { 11, 21 };
	static const char *const names[] = { "cycles", "task-clock" };
	struct builder b;

	builder_init(&b, &test_variants[levels ? 0 : 1]);
	for (int e = 0; e < 2; e++)
		builder_event(&b, &(struct builder_attr){ .name = names[e],
							  .bare = true,
							  .type = (uint32_t)e,
							  .config = e ? 1 : 0,
							  .sample_type = SAMPLE_IDENTIFIER,
							  .read_format = READ_TOTAL_TIME_ENABLED |
									 READ_TOTAL_TIME_RUNNING,
							  .ids = &ids[e],
							  .nr_ids = 1 });
	builder_feature_string(&b, FEATURE_VERSION, version);
	builder_feature_nrcpus(&b, 4, 4);
	builder_feature_event_desc(&b);
	if (told) {
		builder_feature_cpu_topology(&b, four_cpus, 4);
		builder_feature_nodes(
			&b, (struct feature_node[]){ { 0, (char *)"0,2" }, { 8, (char *)"1,3" } },
			2);
		builder_feature_caches(&b,
				       (struct feature_cache[]){ { 1, (char *)"0" },
								 { 3, (char *)"0-1" },
								 { 3, (char *)"2-3" } },
				       3, "Unified");
	}
	builder_stat_config(&b, (uint64_t[]){ 0, mode, 1, 0, 2, 1, 3, 0 }, levels ? 4 : 3);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		builder_stat(&b, 11, cpu, 0, UINT64_C(1) << cpu, 100, 100);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		builder_stat(&b, 21, cpu, 0, 10000000, 100, 100);
	builder_stat_round(&b, 1, 100000000);
	read_back(&b, set);
	builder_release(&b);
}

/* The counts of cycles by place, "S0 3 S1 12", as the set has them. */
static void cycles_by_place(const struct counter_set *set, struct strbuf *sb)
{
	for (size_t i = 0; i < set->nr_parts; i++)
		if (!strcmp(set->v[set->parts[i].counter].name, "cycles"))
			strbuf_addf(sb, "%s%s %.0f", sb->n ? " " : "",
				    set->wheres[set->parts[i].where], set->parts[i].value);
}

START_TEST(stat_record_places)
{
	static const struct {
		const char *version;
		uint64_t mode;
		bool levels;
		const char *expected;
	} all[] = {
		{ "6.1.187", 0, false, "CPU0 1 CPU1 2 CPU2 4 CPU3 8" },
		{ "6.1.187", 1, false, " 15" },
		{ "6.1.187", 2, false, "S0 3 S1 12" },
		{ "6.1.187", 3, false, "S0-D0 3 S1-D0 4 S1-D1 8" },
		{ "6.1.187", 4, false, "S0-D0-C0 3 S1-D0-C4 4 S1-D1-C4 8" },
		{ "6.1.187", 7, false, "N0 5 N8 10" },
		{ "4.19.1", 3, false, "S0-D0-C0 3 S1-D0-C4 4 S1-D1-C4 8" },
		{ "7.2.13", 6, true, "S0-D0-C0 3 S1-D0-C4 4 S1-D1-C4 8" },
		{ "7.2.13", 5, true, "S0-D0-L3-ID0 3 S1-D0-L3-ID2 4 S1-D1-L3-ID2 8" },
		{ "7.2.13", 9, true, "N0 5 N8 10" },
		{ "7.2.13", 4, true, " 15" }, /* clusters: no feature has them */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct strbuf sb = STRBUF_INIT;
		struct counter_set set;

		read_places(&set, all[i].version, all[i].mode, all[i].levels, true);
		cycles_by_place(&set, &sb);
		ck_assert_str_eq(strbuf_str(&sb), all[i].expected);
		ck_assert_double_eq(set.v[0].value, 15);
		ck_assert_double_eq(set.v[1].value, 40000000);
		ck_assert_int_eq(set.places_unknown, all[i].mode == 4 && all[i].levels);
		strbuf_release(&sb);
		counter_set_release(&set);
	}
}
END_TEST

/* Where CPUs are is not told: all are added up, and that is told. */
START_TEST(stat_record_no_topology)
{
	static const uint64_t modes[] = { 2, 3, 4, 7 };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct counter_set set;

		read_places(&set, "6.1.187", modes[i], false, false);
		ck_assert_uint_eq(set.nr_parts, 2);
		ck_assert_double_eq(set.v[0].value, 15);
		ck_assert(set.places_unknown);
		counter_set_release(&set);
	}
}
END_TEST

/* A run by core, in each form. */
START_TEST(places_are_the_same_in_every_form)
{
	static const char *const forms[] = {
		HEAD "S0-D0-C0   2   3      cycles\n"
		     "S1-D0-C4   1   4      cycles\n"
		     "S1-D1-C4   1   8      cycles\n",
		"S0-D0-C0,2,3,,cycles,200,100.00,,\nS1-D0-C4,1,4,,cycles,100,100.00,,\n"
		"S1-D1-C4,1,8,,cycles,100,100.00,,\n",
		"{\"core\" : \"S0-D0-C0\", \"aggregate-number\" : 2, \"counter-value\" : \"3.0\", "
		"\"event\" : \"cycles\"}\n"
		"{\"core\" : \"S1-D0-C4\", \"counters\" : 1, \"counter-value\" : \"4.0\", "
		"\"event\" : \"cycles\"}\n"
		"{\"core\" : \"S1-D1-C4\", \"counters\" : 1, \"counter-value\" : \"8.0\", "
		"\"event\" : \"cycles\"}\n",
	};
	static const char *const cpus[] = {
		HEAD "CPU0   3      cycles\nCPU3   4      cycles\n",
		"CPU0,3,,cycles,200,100.00,,\nCPU3,4,,cycles,100,100.00,,\n",
		("{\"cpu\" : \"0\", \"counter-value\" : \"3.0\", \"event\" : \"cycles\"}\n"
		 "{\"cpu\" : \"3\", \"counter-value\" : \"4.0\", \"event\" : \"cycles\"}\n"),
	};

	for (size_t i = 0; i < 6; i++) {
		struct strbuf sb = STRBUF_INIT;
		struct counter_set set;

		parse(&set, i < 3 ? forms[i] : cpus[i - 3]);
		cycles_by_place(&set, &sb);
		ck_assert_str_eq(strbuf_str(&sb),
				 i < 3 ? "S0-D0-C0 3 S1-D0-C4 4 S1-D1-C4 8" : "CPU0 3 CPU3 4");
		strbuf_release(&sb);
		counter_set_release(&set);
	}
}
END_TEST

/* An index beyond the map, or no map: the sum of all threads. */
START_TEST(stat_record_unknown_threads)
{
	static const char *const comms[] = { "main" };

	for (int map = 0; map < 2; map++) {
		struct counter_set set;
		struct builder b;

		begin(&b, &test_variants[0]);
		if (map)
			builder_thread_map(&b, (uint64_t[]){ 42 }, comms, 1);
		builder_stat_config(&b, (uint64_t[]){ 0, 5, 1, 0 }, 2);
		builder_stat(&b, 11, UINT32_MAX, 0, 7, 100, 100);
		builder_stat(&b, 12, UINT32_MAX, 1, 5, 100, 100);
		builder_stat_round(&b, 1, 100000000);
		read_back(&b, &set);
		ck_assert_uint_eq(set.nr_parts, 1);
		ck_assert_double_eq(set.v[0].value, 12);
		counter_set_release(&set);
		builder_release(&b);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stat");
	TCase *tc = tcase_create("stat");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, grouped_numbers);
	tcase_add_test(tc, csv_lines);
	tcase_add_test(tc, json_lines);
	tcase_add_test(tc, text_lines);
	tcase_add_test(tc, several_outputs);
	tcase_add_test(tc, metrics_are_no_counters);
	tcase_add_test(tc, metrics_alone_in_text);
	tcase_add_test(tc, metrics_alone_for_machines);
	tcase_add_test(tc, metrics_are_analysed);
	tcase_add_test(tc, verdicts_say_what_they_lack);
	tcase_add_test(tc, hostile_metrics);
	tcase_add_test(tc, hostile);
	tcase_add_test(tc, endless_line);
	tcase_add_test(tc, stat_record);
	tcase_add_test(tc, stat_record_intervals);
	tcase_add_test(tc, stat_record_cpus);
	tcase_add_test(tc, stat_record_threads);
	tcase_add_test(tc, numbers_of_modes);
	tcase_add_test(tc, stat_record_places);
	tcase_add_test(tc, stat_record_no_topology);
	tcase_add_test(tc, places_are_the_same_in_every_form);
	tcase_add_test(tc, stat_record_unknown_threads);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks out of a profile: the plain form, its escapes and order (against sorted lines),
 * and the compatible forms rule by rule.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/folded.h>

#include "base/strbuf.h"
#include "view/folded.h"

/* ---- profiles ---------------------------------------------------------------------------- */

enum { MAX_MODULES = 64 };

struct made {
	struct profile *p;
	char *modules[MAX_MODULES]; /* by dso id */
	uint32_t nr_modules;
	uint64_t next_addr;
	struct fold_options opts;
	struct strbuf out;
};

static struct made m;

static const char *module_path(const void *ctx, uint32_t dso)
{
	const struct made *made = ctx;

	return made->modules[dso];
}

static void setup(void)
{
	m = (struct made){ .p = profile_new(), .next_addr = 0x1000 };
	m.opts.modules = (struct profile_modules){ module_path, &m };
	profile_event(m.p, "cycles", "cycles");
}

static void teardown(void)
{
	profile_free(m.p);
	for (uint32_t i = 0; i < m.nr_modules; i++)
		free(m.modules[i]);
	strbuf_release(&m.out);
}

static uint32_t str(const char *s)
{
	return profile_string(m.p, s, strlen(s));
}

static uint32_t dso(const char *path)
{
	uint32_t i = 0;

	while (i < m.nr_modules && strcmp(m.modules[i], path))
		i++;
	ck_assert_uint_lt(i, MAX_MODULES);
	if (i == m.nr_modules)
		m.modules[m.nr_modules++] = strdup(path);
	return i;
}

/* A location for a name in a file (NULL: no map) at an address of its own. */
static uint32_t loc(const char *name, const char *path, unsigned flags)
{
	struct line line = { .flags = (uint16_t)flags };
	uint32_t id;

	m.next_addr++;
	id = profile_loc(m.p, path ? LOC_DSO : LOC_ADDR, path ? dso(path) : 0, m.next_addr,
			 m.next_addr + 0x7f0000000000);
	line.func = profile_func(m.p, str(name), 0, (uint16_t)(flags & ~(unsigned)LINE_INLINED));
	profile_set_lines(m.p, id, &line, 1);
	return id;
}

/* Frames that a compiler inlined into OUTER, innermost first. */
static uint32_t inlined_loc(const char *path, const char *inner, const char *middle,
			    const char *outer)
{
	uint32_t id = loc(outer, path, 0);
	struct line lines[3] = {
		{ .func = profile_func(m.p, str(inner), 0, 0), .flags = LINE_INLINED },
		{ .func = profile_func(m.p, str(middle), 0, 0), .flags = LINE_INLINED },
		{ .func = profile_func(m.p, str(outer), 0, 0) },
	};

	profile_set_lines(m.p, id, lines, 3);
	return id;
}

static uint32_t root(const char *comm, int pid, int tid)
{
	struct stack_key key = { .comm = str(comm), .pid = pid, .tid = tid, .cpu = -1 };

	return profile_root(m.p, profile_key(m.p, &key));
}

/* A sample of WEIGHT in a stack of NAMES ("a|b|c", root first), all in /bin/prog. */
static void sample(const char *comm, const char *names, uint64_t weight)
{
	uint32_t node = root(comm, -1, -1);
	char *copy = strdup(names), *at = copy, *name;

	while ((name = strsep(&at, "|")))
		node = profile_child(m.p, node, loc(name, "/bin/prog", 0));
	profile_add_sample(m.p, 0, node, weight);
	free(copy);
}

static void one_frame(const char *comm, uint32_t id, uint64_t weight)
{
	profile_add_sample(m.p, 0, profile_child(m.p, root(comm, -1, -1), id), weight);
}

static int to_strbuf(void *ctx, const char *text, size_t len)
{
	strbuf_add(ctx, text, len);
	return 0;
}

static const char *folded(enum fold_compat compat)
{
	m.opts.compat = compat;
	strbuf_clear(&m.out);
	ck_assert_int_eq(fold_write(m.p, 0, &m.opts, to_strbuf, &m.out), 0);
	return strbuf_str(&m.out);
}

/* ---- the plain form ---------------------------------------------------------------------- */

START_TEST(a_line_is_comm_root_to_leaf_and_weight)
{
	sample("prog", "main|run|add", 60);
	sample("prog", "main|run", 30);
	sample("prog", "main|run|add", 1);
	sample("other", "main", 5);
	ck_assert_str_eq(folded(FOLD_PLAIN), "other;main 5\n"
					     "prog;main;run 30\n"
					     "prog;main;run;add 61\n");
	m.opts.count = true;
	ck_assert_str_eq(folded(FOLD_PLAIN), "other;main 1\n"
					     "prog;main;run 1\n"
					     "prog;main;run;add 2\n");
}
END_TEST

START_TEST(an_empty_profile_is_an_empty_text)
{
	for (int c = FOLD_PLAIN; c <= FOLD_INFERNO; c++)
		ck_assert_str_eq(folded(c), "");
}
END_TEST

START_TEST(one_event_is_written)
{
	sample("prog", "main|a", 1);
	profile_event(m.p, "faults", NULL);
	profile_add_sample(m.p, 1, (uint32_t)m.p->nr_nodes - 2, 7);
	ck_assert_str_eq(folded(FOLD_PLAIN), "prog;main;a 1\n");
	strbuf_clear(&m.out);
	ck_assert_int_eq(fold_write(m.p, 1, &m.opts, to_strbuf, &m.out), 0);
	ck_assert_str_eq(m.out.s, "prog;main 7\n");
}
END_TEST

START_TEST(lines_are_sorted_by_the_whole_stack)
{
	/* below ';': blank, '(', ':'; above: letters, '<', '~' */
	sample("p", "a|z", 1);
	sample("p", "a b|z", 2);
	sample("p", "a(int)|z", 3);
	sample("p", "a::b|z", 4);
	sample("p", "a<b>|z", 5);
	sample("p", "ab|z", 6);
	sample("p", "a", 7);
	sample("p", "a b", 8);
	sample("p", "", 9);
	sample("p", "|x", 10);
	sample("p q", "a", 11);
	ck_assert_str_eq(folded(FOLD_PLAIN), "p q;a 11\n"
					     "p; 9\n"
					     "p;;x 10\n"
					     "p;a 7\n"
					     "p;a b 8\n"
					     "p;a b;z 2\n"
					     "p;a(int);z 3\n"
					     "p;a::b;z 4\n"
					     "p;a;z 1\n"
					     "p;a<b>;z 5\n"
					     "p;ab;z 6\n");
}
END_TEST

START_TEST(a_comm_is_one_frame)
{
	static const char *const comms[] = { "a b  c",
					     "[w 0]",
					     "x;y z",
					     "(sd-pam)",
					     "na\xc3\xafve \xe2\x98\x83",
					     "new\nline",
					     "tab\tq",
					     "12 [003] 4.5:",
					     ("\xff\xfe"
					      "bad"),
					     "c:\\ \"q\"" };

	for (size_t i = 0; i < sizeof(comms) / sizeof(*comms); i++)
		sample(comms[i], "work", 1);
	ck_assert_str_eq(folded(FOLD_PLAIN), "(sd-pam);work 1\n"
					     "12 [003] 4.5:;work 1\n"
					     "[w 0];work 1\n"
					     "\\xff\\xfebad;work 1\n"
					     "a b  c;work 1\n"
					     "c:\\ \"q\";work 1\n"
					     "na\xc3\xafve \xe2\x98\x83;work 1\n"
					     "new\\nline;work 1\n"
					     "tab\\tq;work 1\n"
					     "x:y z;work 1\n");
}
END_TEST

START_TEST(names_are_escaped_and_never_cut)
{
	sample("p", "Ljava/lang/String;::indexOf(Ljava/lang/String;I)I", 1);
	sample("p", "std::function<void (int)>::operator()(int) const", 1);
	sample("p", "(anonymous namespace)::Op::operator()", 1);
	sample("p", "a\x01\x1f\x7f\r", 1);
	/* NEL and the line separator are lines to some readers; overlong, surrogate, cut */
	sample("p", "b\xc2\x85|\xe2\x80\xa8|\xc0\xaf|\xed\xa0\x80|\xe2\x98", 1);
	sample("p", "std::unique_ptr<X>::operator->() const", 1);
	ck_assert_str_eq(folded(FOLD_PLAIN),
			 "p;(anonymous namespace)::Op::operator() 1\n"
			 "p;Ljava/lang/String:::indexOf(Ljava/lang/String:I)I 1\n"
			 "p;a\\x01\\x1f\\x7f\\r 1\n"
			 "p;b\\xc2\\x85;\\xe2\\x80\\xa8;\\xc0\\xaf;\\xed\\xa0\\x80;\\xe2\\x98 1\n"
			 "p;std::function<void (int)>::operator()(int) const 1\n"
			 "p;std::unique_ptr<X>::operator->() const 1\n");
}
END_TEST

START_TEST(marks_are_those_of_flamegraph)
{
	uint32_t node = root("p", -1, -1);

	node = profile_child(m.p, node, inlined_loc("/bin/p", "inner", "middle", "outer"));
	node = profile_child(m.p, node, loc("sys", "[kernel.kallsyms]", LINE_KERNEL));
	node = profile_child(m.p, node, loc("in", "[kernel.kallsyms]", LINE_KERNEL | LINE_INLINED));
	node = profile_child(m.p, node, loc("js", "/tmp/perf-1.map", LINE_JIT));
	profile_add_sample(m.p, 0, node, 1);
	ck_assert_str_eq(folded(FOLD_PLAIN), "p;outer;middle;inner;sys;in;js 1\n");
	m.opts.marks = FOLD_MARK_INLINED | FOLD_MARK_KERNEL | FOLD_MARK_JIT;
	ck_assert_str_eq(folded(FOLD_PLAIN),
			 "p;outer;middle_[i];inner_[i];sys_[k];in_[i];js_[j] 1\n");
	m.opts.marks = FOLD_MARK_KERNEL;
	ck_assert_str_eq(folded(FOLD_PLAIN), "p;outer;middle;inner;sys_[k];in_[k];js 1\n");
}
END_TEST

START_TEST(same_names_at_other_addresses_are_one_stack)
{
	uint32_t a = profile_child(m.p, root("p", -1, -1), inlined_loc("/x", "i", "m", "o"));
	uint32_t b = profile_child(m.p, root("p", -1, -1), inlined_loc("/y", "i", "m", "o"));

	profile_add_sample(m.p, 0, a, 1);
	profile_add_sample(m.p, 0, b, 2);
	profile_add_sample(m.p, 0, profile_child(m.p, b, loc("leaf", "/y", 0)), 4);
	sample("p", "o|m", 8);
	sample("p", "o|m|i|leaf", 16);
	ck_assert_str_eq(folded(FOLD_PLAIN), "p;o;m 8\np;o;m;i 3\np;o;m;i;leaf 20\n");
}
END_TEST

START_TEST(pid_and_tid_stand_behind_the_comm)
{
	uint32_t l = loc("f", "/x", 0);

	profile_add_sample(m.p, 0, profile_child(m.p, root("p", 10, 11), l), 1);
	profile_add_sample(m.p, 0, profile_child(m.p, root("p", 10, 12), l), 2);
	profile_add_sample(m.p, 0, profile_child(m.p, root("p", -1, -1), l), 4);
	ck_assert_str_eq(folded(FOLD_PLAIN), "p;f 7\n");
	m.opts.pid = true;
	ck_assert_str_eq(folded(FOLD_PLAIN), "p-10;f 3\np-?;f 4\n");
	m.opts.tid = true;
	ck_assert_str_eq(folded(FOLD_PLAIN), "p-10/11;f 1\np-10/12;f 2\np-?/?;f 4\n");
}
END_TEST

START_TEST(unknown_frames_may_have_their_address)
{
	uint32_t node = profile_child(m.p, root("p", -1, -1), loc("main", "/bin/p", 0));

	node = profile_child(m.p, node, loc("[libc.so.6]", "/lib/libc.so.6", LINE_UNKNOWN));
	node = profile_child(m.p, node, loc("[unknown]", NULL, LINE_UNKNOWN));
	profile_add_sample(m.p, 0, node, 1);
	ck_assert_str_eq(folded(FOLD_PLAIN), "p;main;[libc.so.6];[unknown] 1\n");
	m.opts.addrs = true;
	ck_assert_str_eq(folded(FOLD_PLAIN),
			 "p;main;[libc.so.6 <7f0000001002>];[unknown <7f0000001003>] 1\n");
}
END_TEST

START_TEST(stacks_may_be_shortened_to_the_innermost)
{
	sample("p", "a|b|c|d", 1);
	sample("p", "x|b|c|d", 2);
	sample("p", "c|d", 4);
	sample("p", "d", 8);
	m.opts.max_stack = 2;
	ck_assert_str_eq(folded(FOLD_PLAIN), "p;c;d 7\np;d 8\n");
	m.opts.max_stack = 3;
	ck_assert_str_eq(folded(FOLD_PLAIN), "p;b;c;d 3\np;c;d 4\np;d 8\n");
	m.opts.max_stack = 4;
	ck_assert_str_eq(folded(FOLD_PLAIN), "p;a;b;c;d 1\np;c;d 4\np;d 8\np;x;b;c;d 2\n");
}
END_TEST

START_TEST(folded_text_is_written_as_it_was_read)
{
	static const char text[] = "a 7\na b;c 1\na;b 2\na;b; 5\na;b;c 3\nb;b;b;b 4\n";
	struct profile *p = profile_new();

	folded_read(p, text, strlen(text), "samples", NULL);
	ck_assert_int_eq(fold_write(p, 0, &m.opts, to_strbuf, &m.out), 0);
	ck_assert_str_eq(m.out.s, text);
	profile_free(p);
}
END_TEST

static int refuse(void *ctx, const char *text, size_t len)
{
	(void)text;
	(void)len;
	++*(int *)ctx;
	return -7;
}

START_TEST(a_sink_that_fails_ends_the_writing)
{
	int calls = 0;
	char name[32];

	for (int i = 0; i < 30000; i++) {
		snprintf(name, sizeof(name), "main|function_%d", i);
		sample("p", name, 1);
	}
	ck_assert_int_eq(fold_write(m.p, 0, &m.opts, refuse, &calls), -7);
	ck_assert_int_eq(calls, 1);
}
END_TEST

/* ---- order, against lines that are really sorted ------------------------------------------ */

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Merge equal stacks of sorted "stack\001count" lines, as a collapser's hash does. */
static void merge_lines(char **lines, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n;) {
		size_t len = strcspn(lines[i], "\001");
		uint64_t sum = 0;
		size_t k = i;

		for (;
		     k < n && strcspn(lines[k], "\001") == len && !memcmp(lines[k], lines[i], len);
		     k++)
			sum += strtoull(lines[k] + len + 1, NULL, 10);
		strbuf_add(out, lines[i], len);
		strbuf_addc(out, ' ');
		strbuf_addu(out, sum);
		strbuf_addc(out, '\n');
		i = k;
	}
}

START_TEST(random_stacks_are_in_the_order_of_lines)
{
	static const char *const parts[] = { "a", "a b", "a:", "a(", "ab",
					     "",  "b",   "a<", "~",  "a\xc3\xa9" };
	enum { N = 3000 };
	char *lines[N];
	struct strbuf want = STRBUF_INIT;
	uint64_t seed = 42 + (uint64_t)_i;

	for (int i = 0; i < N; i++) {
		struct strbuf names = STRBUF_INIT, line = STRBUF_INIT;
		int depth = 1 + (int)((seed = seed * 6364136223846793005u + 1) >> 40) % 7;

		strbuf_adds(&line, i % 2 ? "p" : "p q");
		for (int d = 0; d < depth; d++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			strbuf_addf(&names, "%s%s", d ? "|" : "", parts[(seed >> 40) % 10]);
			strbuf_addf(&line, ";%s", parts[(seed >> 40) % 10]);
		}
		sample(i % 2 ? "p" : "p q", strbuf_str(&names), (uint64_t)i);
		strbuf_addf(&line, "\001%d", i);
		lines[i] = strbuf_detach(&line);
		strbuf_release(&names);
	}
	qsort(lines, N, sizeof(*lines), compare_lines);
	merge_lines(lines, N, &want);
	ck_assert_str_eq(folded(FOLD_PLAIN), want.s);
	for (int i = 0; i < N; i++)
		free(lines[i]);
	strbuf_release(&want);
}
END_TEST

/* ---- the compatible forms ---------------------------------------------------------------- */

/* What each makes of one frame NAME in PATH of comm "p" (the part behind "p;"). */
static void assert_frame(const char *name, const char *path, const char *perl, const char *inferno)
{
	unsigned flags = strcmp(name, "[unknown]") ? 0 : LINE_UNKNOWN;
	char want[512];

	teardown();
	setup();
	m.opts.marks = FOLD_MARK_KERNEL | FOLD_MARK_JIT | FOLD_MARK_INLINED;
	m.opts.addrs = true;
	one_frame("prog", loc(name, path, flags), 3);
	snprintf(want, sizeof(want), "prog%s%s 3\n", *perl ? ";" : "", perl);
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), want);
	snprintf(want, sizeof(want), "prog;%s 3\n", inferno);
	ck_assert_str_eq(folded(FOLD_INFERNO), *inferno ? want : "");
}

START_TEST(argument_lists_are_cut)
{
	assert_frame("main", "/x", "main", "main");
	assert_frame("f(int)", "/x", "f", "f");
	assert_frame("std::function<void (int)>::operator()", "/x", "std::function<void ",
		     "std::function<void (int)>::operator");
	assert_frame("{lambda(int)#2}::operator()", "/x", "{lambda", "{lambda(int)#2}::operator");
	assert_frame("a::(anonymous namespace)::f(int)", "/x", "a::(anonymous namespace)::f",
		     "a::(anonymous namespace)::f");
	assert_frame("net/http.(*Client).Do", "/x", "net/http.(*Client).Do",
		     "net/http.(*Client).Do");
	assert_frame("go.(*T).Do(x)", "/x", "go.(*T).Do(x)", "go.(*T).Do");
	assert_frame(".()V", "/x", ".", ".()V");
	assert_frame("operator>>(a)", "/x", "operator>>", "operator>>(a)");
	assert_frame("call<std::function<unsigned long (unsigned long)> >", "/x",
		     "call<std::function<unsigned long ",
		     "call<std::function<unsigned long (unsigned long)> >");
}
END_TEST

START_TEST(names_that_begin_with_a_bracket_are_dropped)
{
	assert_frame("(anonymous namespace)::Op::operator()", "/x", "", "");
	sample("prog", "main|(anonymous namespace)::f|leaf", 4);
	sample("prog", "main|(anonymous namespace)::g", 8);
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "prog 3\nprog;main 8\nprog;main;leaf 4\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "prog;main 8\nprog;main;leaf 4\n");
}
END_TEST

START_TEST(characters_are_replaced_or_removed)
{
	assert_frame("a;b", "/x", "a:b", "a:b");
	assert_frame("RegExp:[&<>\"']", "/x", "RegExp:[&<>]", "RegExp:[&<>\"']");
	assert_frame("a\xff"
		     "b",
		     "/x",
		     "a\xff"
		     "b",
		     "a\xef\xbf\xbd"
		     "b");
	assert_frame("  a", "/x", "a", "a");
	assert_frame("a ", "/x", "a ", "a ");
	teardown();
	setup();
	sample("prog", "", 3);
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "prog 3\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "prog; 3\n");
}
END_TEST

START_TEST(unknown_names_give_way_to_the_file)
{
	assert_frame("[unknown]", "/lib/x86_64/libc.so.6", "[libc.so.6 <7f0000001001>]",
		     "[libc.so.6 <7f0000001001>]");
	assert_frame("[unknown]", NULL, "[unknown <7f0000001001>]", "[unknown <7f0000001001>]");
	assert_frame("[unknown]", "[kernel.kallsyms]", "[[kernel.kallsyms] <7f0000001001>]_[k]",
		     "[[kernel.kallsyms] <7f0000001001>]_[k]");
	m.opts.addrs = false;
	m.opts.marks = 0;
	one_frame("prog", loc("[x.so]", "/lib/x.so", LINE_UNKNOWN), 5);
	one_frame("prog", loc("[unknown]", NULL, LINE_UNKNOWN), 6);
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH),
			 "prog;[[kernel.kallsyms]] 3\nprog;[unknown] 6\nprog;[x.so] 5\n");
	ck_assert_str_eq(folded(FOLD_INFERNO),
			 "prog;[[kernel.kallsyms]] 3\nprog;[unknown] 6\nprog;[x.so] 5\n");
	/* perf script prints (/memfd:x (deleted)): the last " (" is taken for the file */
	assert_frame("[unknown]", "/memfd:jit x (deleted)", "[unknown] ", "[unknown] ");
	/* a blank in the path: inferno does not see a file in brackets, and drops the frame */
	assert_frame("[unknown]", "/opt/my app/x", "[x <7f0000001001>]", "");
}
END_TEST

START_TEST(kernel_and_jit_files_are_marked)
{
	assert_frame("f", "[kernel.kallsyms]", "f_[k]", "f_[k]");
	assert_frame("f", "[nf_tables]", "f_[k]", "f_[k]");
	assert_frame("f", "[vdso]", "f_[k]", "f_[k]");
	assert_frame("f", NULL, "f", "f");
	assert_frame("f", "/boot/vmlinux", "f_[k]", "f_[k]");
	assert_frame("f", "/boot/vmlinux-6.1.0-13-amd64", "f", "f_[k]");
	assert_frame("f", "/boot/vmlinux+6", "f", "f");
	assert_frame("f", "/lib/modules/6/x.ko", "f", "f_[k]");
	assert_frame("f", "/tmp/perf-12.map", "f_[j]", "f_[j]");
	assert_frame("f", "/tmp/perf-.map", "f", "f_[j]");
	assert_frame("f", "/x/tmp/perf-12.map.old", "f_[j]", "f");
	assert_frame("f", "/tmp/jitted-1-2.so", "f", "f_[j]");
	assert_frame("f_[j]", "/tmp/perf-12.map", "f_[j]", "f_[j]");
}
END_TEST

START_TEST(arrows_are_inlined_calls)
{
	assert_frame("A->B->C", "/tmp/perf-1.map", "A_[j];B_[i];C_[i]", "A_[j];B_[i];C_[i]");
	assert_frame("A->B_[i]", "/x", "A;B_[i]", "A;B_[i]");
	assert_frame("P<X>::operator->() const", "/x", "P<X>::operator;_[i]",
		     "P<X>::operator;_[i]");
	assert_frame("P<X>::operator->", "/x", "P<X>::operator", "P<X>::operator;_[i]");
	assert_frame("->", "/x", "", ";_[i]");
}
END_TEST

START_TEST(lines_that_a_compiler_inlined_have_no_mark)
{
	one_frame("p q", inlined_loc("[x]", "i(int)", "m", "o"), 1);
	m.opts.marks = FOLD_MARK_KERNEL | FOLD_MARK_JIT | FOLD_MARK_INLINED;
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "p_q;o_[k];m;i 1\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "p_q;o_[k];m;i 1\n");
}
END_TEST

START_TEST(java_signatures_lose_their_l)
{
	const char *name = "Lorg/x/A;.call(Lorg/x/B;)V";

	sample("java", name, 1);
	sample("java thread", name, 2);
	sample("javac", "List", 3);
	sample("node", name, 4);
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "java;org/x/A:.call 1\n"
						  "java_thread;org/x/A:.call 2\n"
						  "javac;List 3\n"
						  "node;Lorg/x/A:.call 4\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "java;org/x/A:.call 1\n"
					       "java_thread;org/x/A:.call 2\n"
					       "javac;List 3\n"
					       "node;Lorg/x/A:.call 4\n");
}
END_TEST

START_TEST(half_demangled_rust_is_repaired_by_inferno)
{
	assert_frame("_$LT$F$u20$as$u20$alloc..boxed..FnBox$LT$A$GT$$GT$::call_box::"
		     "h8612a2a83552fc2d",
		     "/x",
		     "_$LT$F$u20$as$u20$alloc..boxed..FnBox$LT$A$GT$$GT$::call_box::"
		     "h8612a2a83552fc2d",
		     "<F as alloc::boxed::FnBox<A>>::call_box");
	assert_frame("a::_$u7b$$u7b$closure$u7d$$u7d$::h6e849b55a66fcd85", "/x",
		     "a::_$u7b$$u7b$closure$u7d$$u7d$::h6e849b55a66fcd85", "a::_{{closure}}");
	assert_frame("a.b$X$c::h6e849b55a66fcd85", "/x", "a.b$X$c::h6e849b55a66fcd85", "a.b$X$c");
	assert_frame("a::h6e849b55a66fcd8g", "/x", "a::h6e849b55a66fcd8g", "a::h6e849b55a66fcd8g");
	teardown();
	setup();
	sample("prog", "h6e849b55a66fcd85", 3);
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "prog;h6e849b55a66fcd85 3\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "prog; 3\n");
}
END_TEST

START_TEST(comms_are_read_from_the_sample_line)
{
	static const char *const comms[] = {
		"a b  c", "x;y z", "new\nline", "12 [003] 4.5:", "a;b (c) 12 x:", "q 3/4 r",
		"#x",     " lead", ""
	};

	for (size_t i = 0; i < sizeof(comms) / sizeof(*comms); i++)
		sample(comms[i], "f", UINT64_C(1) << i);
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "12_[003]_4.5:;f 8\n"
						  "a;b_(c);f 16\n"
						  "a_b__c;f 1\n"
						  "line;f 4\n"
						  "q_3/4_r;f 32\n"
						  "x;y_z;f 2\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "12_[003]_4.5:;f 8\n"
					       ";f 256\n"
					       "a;b_(c);f 16\n"
					       "a_b__c;f 1\n"
					       "lead;f 128\n"
					       "line;f 4\n"
					       "q;f 32\n"
					       "x;y_z;f 2\n");
}
END_TEST

START_TEST(a_pid_is_read_from_the_sample_line)
{
	uint32_t l = loc("f", "/x", 0);

	profile_add_sample(m.p, 0, profile_child(m.p, root("p q", 10, 11), l), 1);
	profile_add_sample(m.p, 0, profile_child(m.p, root("x 7 y", 10, 11), l), 2);
	m.opts.pid = true;
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "p_q-10;f 1\nx_7_y-10;f 2\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "p_q-10;f 1\nx-?;f 2\n");
	m.opts.tid = true;
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "p_q-10/11;f 1\nx_7_y-10/11;f 2\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "p_q-10/11;f 1\nx-?/7;f 2\n");
}
END_TEST

START_TEST(a_period_of_0_is_1_for_the_script)
{
	sample("prog", "f", 0);
	sample("prog", "f", 0);
	ck_assert_str_eq(folded(FOLD_PLAIN), "prog;f 0\n");
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "prog;f 2\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "prog;f 0\n");
}
END_TEST

START_TEST(samples_without_chains_are_not_seen_by_the_script)
{
	sample("prog", "f", 5);
	m.opts.no_chains = true;
	ck_assert_str_eq(folded(FOLD_PLAIN), "prog;f 5\n");
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "");
	ck_assert_str_eq(folded(FOLD_INFERNO), "prog;f 5\n");
}
END_TEST

static size_t count_frames(enum fold_compat compat)
{
	size_t n = 0;

	for (const char *s = folded(compat); *s; s++)
		n += *s == ';';
	return n;
}

START_TEST(deep_stacks_are_whole_unless_asked)
{
	uint32_t node = root("prog", -1, -1), l = loc("f", "/x", 0);

	node = profile_child(m.p, node, loc("main", "/x", 0));
	for (int i = 0; i < 2000; i++)
		node = profile_child(m.p, node, l);
	profile_add_sample(m.p, 0, node, 1);
	for (int c = FOLD_PLAIN; c <= FOLD_INFERNO; c++) {
		m.opts.max_stack = 0;
		ck_assert_uint_eq(count_frames(c), 2001);
		ck_assert_ptr_nonnull(strstr(m.out.s, "main"));
		m.opts.max_stack = 127;
		ck_assert_uint_eq(count_frames(c), 127);
		ck_assert_ptr_null(strstr(m.out.s, "main"));
	}
}
END_TEST

START_TEST(marks_of_our_own_are_not_in_the_compatible_forms)
{
	struct line line = { .func = profile_func(m.p, str("[truncated]"), 0, 0) };
	uint32_t mark = profile_loc(m.p, LOC_MARK, 0, str("[truncated]"), 0);
	uint32_t node = profile_child(m.p, root("prog", -1, -1), mark);

	profile_set_lines(m.p, mark, &line, 1);
	profile_add_sample(m.p, 0, profile_child(m.p, node, loc("f", "/x", 0)), 5);
	ck_assert_str_eq(folded(FOLD_PLAIN), "prog;[truncated];f 5\n");
	ck_assert_str_eq(folded(FOLD_FLAMEGRAPH), "prog;f 5\n");
	ck_assert_str_eq(folded(FOLD_INFERNO), "prog;f 5\n");
}
END_TEST

static void add_plain(TCase *t)
{
	tcase_add_test(t, a_line_is_comm_root_to_leaf_and_weight);
	tcase_add_test(t, an_empty_profile_is_an_empty_text);
	tcase_add_test(t, one_event_is_written);
	tcase_add_test(t, lines_are_sorted_by_the_whole_stack);
	tcase_add_test(t, a_comm_is_one_frame);
	tcase_add_test(t, names_are_escaped_and_never_cut);
	tcase_add_test(t, marks_are_those_of_flamegraph);
	tcase_add_test(t, same_names_at_other_addresses_are_one_stack);
	tcase_add_test(t, pid_and_tid_stand_behind_the_comm);
	tcase_add_test(t, unknown_frames_may_have_their_address);
	tcase_add_test(t, stacks_may_be_shortened_to_the_innermost);
	tcase_add_test(t, folded_text_is_written_as_it_was_read);
	tcase_add_test(t, a_sink_that_fails_ends_the_writing);
	tcase_add_loop_test(t, random_stacks_are_in_the_order_of_lines, 0, 5);
}

static void add_compat(TCase *t)
{
	tcase_add_test(t, argument_lists_are_cut);
	tcase_add_test(t, names_that_begin_with_a_bracket_are_dropped);
	tcase_add_test(t, characters_are_replaced_or_removed);
	tcase_add_test(t, unknown_names_give_way_to_the_file);
	tcase_add_test(t, kernel_and_jit_files_are_marked);
	tcase_add_test(t, arrows_are_inlined_calls);
	tcase_add_test(t, lines_that_a_compiler_inlined_have_no_mark);
	tcase_add_test(t, java_signatures_lose_their_l);
	tcase_add_test(t, half_demangled_rust_is_repaired_by_inferno);
	tcase_add_test(t, comms_are_read_from_the_sample_line);
	tcase_add_test(t, a_pid_is_read_from_the_sample_line);
	tcase_add_test(t, a_period_of_0_is_1_for_the_script);
	tcase_add_test(t, samples_without_chains_are_not_seen_by_the_script);
	tcase_add_test(t, deep_stacks_are_whole_unless_asked);
	tcase_add_test(t, marks_of_our_own_are_not_in_the_compatible_forms);
}

int main(void)
{
	Suite *s = suite_create("fold view");
	TCase *plain = tcase_create("plain"), *compat = tcase_create("compat");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(plain, setup, teardown);
	tcase_add_checked_fixture(compat, setup, teardown);
	add_plain(plain);
	add_compat(compat);
	suite_add_tcase(s, plain);
	suite_add_tcase(s, compat);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

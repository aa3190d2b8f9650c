/* SPDX-License-Identifier: MIT */
/* Demangling: C++ and both Rust manglings, suffixes, what is no mangled name, bombs. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

static const struct {
	const char *in, *out;
} names[] = {
	/* C++: no parameter lists, template arguments stay */
	{ "_ZN3foo3barEi", "foo::bar" },
	{ "_Z3fooIiEvT_", "foo<int>" },
	{ "_ZNKSt8functionIFmmEEclEm", "std::function<unsigned long (unsigned long)>::operator()" },
	{ "_ZN12_GLOBAL__N_12OpclEm", "(anonymous namespace)::Op::operator()" },
	{ "_Znwm", "operator new" },
	{ "_ZTV3foo", "vtable for foo" },
	{ "_ZThn16_N3foo3barEv", "non-virtual thunk to foo::bar()" },
	/* what is hung on stays */
	{ "_ZN3foo3barEi.constprop.0", "foo::bar.constprop.0" },
	{ "_ZN3foo3barEi.isra.0.cold", "foo::bar.isra.0.cold" },
	{ "_ZN3foo3barEi.part.0.llvm.12345", "foo::bar.part.0.llvm.12345" },
	{ "_Znwm@plt", "operator new@plt" },
	/* Rust, legacy: no hash */
	{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt" },
	{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.123",
	  "core::fmt::Write::write_fmt.llvm.123" },
	{ "_ZN2rs4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
	  "rs::main::{{closure}}" },
	/* Rust, v0 */
	{ "_RNvC2rs4main", "rs::main" },
	{ "_RNvC2rs4main.llvm.99", "rs::main.llvm.99" },
	{ "_RINvCs1_2rs4fillKj7_EB2_", "rs::fill::<7>" },
	/* no mangled names */
	{ "main", NULL },
	{ "foo.constprop.0", NULL },
	{ "_start", NULL },
	{ "_Z", NULL },
	{ "_R", NULL },
	{ "_RUBBISH", NULL },
	{ "_Zip", NULL },
	{ "__Z3foov", NULL },
	{ "foo__1", NULL },
	{ "", NULL },
	{ "_", NULL },
	{ "_Z\xff\xfe", NULL },
};

START_TEST(table)
{
	struct strbuf sb = STRBUF_INIT;
	bool ok = demangle(&sb, names[_i].in);

	if (names[_i].out) {
		ck_assert_msg(ok, "%s", names[_i].in);
		ck_assert_str_eq(sb.s, names[_i].out);
	} else if (ok) {
		ck_abort_msg("%s came out as %s", names[_i].in, sb.s);
	} else {
		ck_assert_uint_eq(sb.n, 0);
	}
	strbuf_release(&sb);
}
END_TEST

START_TEST(appends)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "x ");
	ck_assert(demangle(&sb, "_ZN3foo3barEi"));
	ck_assert_str_eq(sb.s, "x foo::bar");
	ck_assert(!demangle(&sb, "_ZN3foo3ba"));
	ck_assert_str_eq(sb.s, "x foo::bar");
	ck_assert_uint_eq(sb.n, 10);
	strbuf_release(&sb);
}
END_TEST

/* The names in a program's symbol table for "<rs::W<[u8; 32]> as rs::Job>::run". */
START_TEST(semicolon_in_rust)
{
	static const char inner[] =
		"_$LT$rs..W$LT$$u5b$u8$u3b$$u20$32$u5d$$GT$$u20$as$u20$rs..Job$GT$";
	struct strbuf name = STRBUF_INIT, sb = STRBUF_INIT;

	strbuf_addf(&name, "_ZN%zu%s3run17hfedcba9876543210E", strlen(inner), inner);
	ck_assert(demangle(&sb, name.s));
	ck_assert_str_eq(sb.s, "<rs::W<[u8; 32]> as rs::Job>::run");
	strbuf_clear(&sb);
	strbuf_adds(&name, ".llvm.1@@V");
	ck_assert(demangle(&sb, name.s));
	ck_assert_str_eq(sb.s, "<rs::W<[u8; 32]> as rs::Job>::run.llvm.1@@V");
	strbuf_release(&name);
	strbuf_release(&sb);
}
END_TEST

/* Longer than the 1,024 characters that libiberty takes by itself. */
START_TEST(long_template)
{
	struct strbuf name = STRBUF_INIT, sb = STRBUF_INIT;

	strbuf_adds(&name, "_Z1fI");
	for (int i = 0; i < 400; i++)
		strbuf_adds(&name, "6foobar");
	strbuf_adds(&name, "EvT_");
	ck_assert(demangle(&sb, name.s));
	ck_assert_uint_eq(sb.n, strlen("f<") + 400 * strlen("foobar, ") - 2 + 1);
	ck_assert(!strncmp(sb.s, "f<foobar, foobar", 16));
	strbuf_release(&name);
	strbuf_release(&sb);
}
END_TEST

/* f<A<i, i>, A<A<i, i>, A<i, i> >, …>: each level names the one before twice. */
static void cxx_levels(struct strbuf *name, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strbuf_adds(name, "_Z1fI1AIiiE"); /* S_ is f, S0_ is A, S1_ is A<int, int> */
	for (int i = 1; i < levels; i++)
		strbuf_addf(name, "S0_IS%c_S%c_E", digits[i], digits[i]);
	strbuf_adds(name, "EvT_");
}

/* A tuple of two references to the place of the one before, in base 62. */
static void rust_levels(struct strbuf *name, int levels)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t before;

	strbuf_adds(name, "_RINvC1a1b");
	before = name->n - 2; /* places count from behind "_R" */
	strbuf_adds(name, "h");
	for (int i = 0; i < levels; i++) {
		size_t v = before - 1, here = name->n - 2;
		char ref[4] = { 0 };

		if (v >= 62)
			sprintf(ref, "%c%c", digits[v / 62], digits[v % 62]);
		else
			sprintf(ref, "%c", digits[v]);
		strbuf_addf(name, "TB%s_B%s_E", ref, ref);
		before = here;
	}
	strbuf_adds(name, "E");
}

/* A few hundred characters that stand for some 2^30: given up, and soon. */
START_TEST(exponential_names)
{
	struct strbuf name = STRBUF_INIT, sb = STRBUF_INIT;

	cxx_levels(&name, 2);
	ck_assert(demangle(&sb, name.s));
	ck_assert_str_eq(sb.s, "f<A<int, int>, A<A<int, int>, A<int, int> > >");
	strbuf_clear(&name);
	strbuf_clear(&sb);
	rust_levels(&name, 2);
	ck_assert(demangle(&sb, name.s));
	ck_assert_str_eq(sb.s, "a::b::<u8, (u8, u8), ((u8, u8), (u8, u8))>");
	strbuf_clear(&name);
	strbuf_clear(&sb);
	cxx_levels(&name, 30);
	ck_assert(!demangle(&sb, name.s));
	ck_assert_uint_eq(sb.n, 0);
	strbuf_clear(&name);
	rust_levels(&name, 30);
	ck_assert(!demangle(&sb, name.s));
	ck_assert_uint_eq(sb.n, 0);
	strbuf_release(&name);
	strbuf_release(&sb);
}
END_TEST

static void *nested(void *arg)
{
	static const char *const open[] = { "P", "PFvv", "1aI", "FvR", "A1_", "ng", "K", "M1a" };
	struct strbuf name = STRBUF_INIT, sb = STRBUF_INIT;

	(void)arg;
	for (size_t kind = 0; kind < sizeof(open) / sizeof(open[0]); kind++) {
		for (size_t len = 900; len < 140000; len = len * 3 / 2) {
			strbuf_clear(&name);
			strbuf_clear(&sb);
			strbuf_adds(&name, kind == 5 ? "_Z1fIX" : "_Z1fI");
			while (name.n < len)
				strbuf_adds(&name, open[kind]);
			strbuf_adds(&name, kind == 5 ? "Li1EEEvv" : "iEvv");
			demangle(&sb, name.s);
			strbuf_clear(&name);
			strbuf_adds(&name, "_RINvC1a1b");
			while (name.n < len)
				strbuf_adds(&name, "RS");
			strbuf_adds(&name, "hE");
			demangle(&sb, name.s);
		}
	}
	strbuf_release(&name);
	strbuf_release(&sb);
	return NULL;
}

/* Nesting as deep as a name allows, on the stack of a thread. */
START_TEST(deep_nesting)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, nested, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

START_TEST(mutations)
{
	uint64_t seed = 3;

	for (int round = 0; round < 20000; round++) {
		const char *from = names[round % (int)(sizeof(names) / sizeof(names[0]))].in;
		struct strbuf sb = STRBUF_INIT;
		char *copy = strdup(from);
		size_t len = strlen(copy);

		for (int i = 0; i < 3 && len > 2; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[2 + (seed >> 33) % (len - 2)] = (char)(1 + (seed >> 20) % 126);
		}
		if (!demangle(&sb, copy))
			ck_assert_uint_eq(sb.n, 0);
		free(copy);
		strbuf_release(&sb);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("demangle");
	TCase *tc = tcase_create("demangle");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, table, 0, (int)(sizeof(names) / sizeof(names[0])));
	tcase_add_test(tc, appends);
	tcase_add_test(tc, semicolon_in_rust);
	tcase_add_test(tc, long_template);
	tcase_add_test(tc, exponential_names);
	tcase_add_test(tc, deep_nesting);
	tcase_add_test(tc, mutations);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

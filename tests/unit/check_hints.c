/* SPDX-License-Identifier: MIT */
/* Hints: names as patterns see them, own code, each hint by a stack made for it, and none without. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/hints.h>
#include <perfrep/view.h>

#include "base/strbuf.h"
#include "view/hint_name.h"
#include "view/json.h"
#include "view_profile.h"

static const struct view_style plain = { .format = VIEW_TEXT };

/* ---- names ---- */

static const char *name_of(const char *name)
{
	static struct strbuf sb;

	hint_name(&sb, name);
	return strbuf_str(&sb);
}

START_TEST(names)
{
	static const char *const cases[][2] = {
		{ "malloc", "malloc" },
		{ "void std::sort<int*>(int*, int*)", "std::sort" },
		{ "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char)",
		  "std::operator<<" },
		{ "std::vector<int, std::allocator<int> >::operator[](unsigned long) const",
		  "std::vector::operator[]" },
		{ "Foo::operator()(int)", "Foo::operator()" },
		{ "operator new(unsigned long)", "operator new" },
		{ "operator delete[](void*)", "operator delete[]" },
		{ "operator new[](unsigned long)", "operator new[]" },
		{ "mine::serve(std::map<int, int>&)", "mine::serve" },
		{ "mine::Pool<std::map<int, int> >::get()", "mine::Pool::get" },
		{ "std::enable_if<(1 > 0), int>::type mine::pick<int>(int)", "mine::pick" },
		{ "(anonymous namespace)::step(int)", "(anonymous)::step" },
		{ "main::{lambda(int)#1}::operator()(int) const",
		  "main::{lambda(int)#1}::operator()" },
		{ "<core::hash::sip::Hasher<S> as core::hash::Hasher>::finish",
		  "core::hash::sip::Hasher as core::hash::Hasher::finish" },
		{ "<u64>::wrapping_add", "u64::wrapping_add" },
		{ "alloc::vec::Vec<T,A>::push", "alloc::vec::Vec::push" },
		{ "core::ptr::mut_ptr::<impl *mut T>::sub", "core::ptr::mut_ptr::sub" },
		{ "words::count::{{closure}}", "words::count::{{closure}}" },
		{ "malloc.part.0", "malloc" },
		{ "__GI_____strtod_l_internal", "____strtod_l_internal" },
		{ "step(int) [clone .cold]", "step" },
		{ "memcpy@@GLIBC_2.14", "memcpy" },
		{ "do_futex_[k]", "do_futex" },
		{ "", "" },
		{ "<", "" },
		{ "<<<", "" },
		{ "a<b", "a" },
		{ ">>", ">>" },
		{ "operator", "operator" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ck_assert_str_eq(name_of(cases[i][0]), cases[i][1]);
}
END_TEST

START_TEST(patterns)
{
	ck_assert(hint_match("malloc", "malloc"));
	ck_assert(!hint_match("malloc", "malloc_stats"));
	ck_assert(!hint_match("malloc", "mallo"));
	ck_assert(hint_match("std::_Rb_tree*", "std::_Rb_tree"));
	ck_assert(hint_match("a*b*c", "axxbxbxc"));
	ck_assert(!hint_match("a*b*c", "axxbxbx"));
	ck_assert(hint_match("* as B", "A as B"));
	ck_assert(hint_match("*", ""));
	ck_assert(!hint_match("", "x"));
}
END_TEST

START_TEST(standard_libraries)
{
	static const char *const std[] = {
		"strings.",
		"fmt.Sprint",
		"internal/reflectlite.Swapper.func4",
		"net/http.",
		"runtime.mallocgc",
		"std::vector::push_back",
		"core::hash::BuildHasher::hash_one",
		"alloc::vec::Vec::push",
		"__gnu_cxx::__ops::x",
		"usize::wrapping_add",
		"&T as core::fmt::Debug::fmt",
		"T as core::convert::Into::into",
		"_int_malloc",
		"__libc_start_main",
		"usize as core::iter::traits::accum::Sum::sum",
		"GC_allocobj",
	};
	static const char *const own[] = {
		"main.main.func1",
		"github.com/me/strings.Repeat",
		"stringsx.Repeat",
		"time",
		"sort::by_name",
		"os/2",
		"main",
		"book::Book::add",
		"words::Word as core::hash::Hash::hash",
		"T as mine::Trait::run",
		"stdlib::x",
		"corelib",
		"u64ify::x",
		"A::run",
	};

	for (size_t i = 0; i < sizeof(std) / sizeof(*std); i++)
		ck_assert_msg(hint_is_std(std[i]), "%s", std[i]);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		ck_assert_msg(!hint_is_std(own[i]), "%s", own[i]);
	ck_assert(hint_is_system_path("/usr/lib/x86_64-linux-gnu/libssl.so.3"));
	ck_assert(!hint_is_system_path("/home/me/build/libmine.so"));
	ck_assert(!hint_is_system_path("/usr/lib/thing/server"));
	ck_assert(!hint_is_system_path(NULL));
}
END_TEST

/* ---- finding ---- */

static struct profile *profile;
static struct hints hints;

static void find(const char *stacks, const struct hint_options *o)
{
	profile = profile_new();
	view_profile_add(profile, "cycles", "cycles", stacks);
	hints_find(&hints, profile, 0, o);
}

static void done(void)
{
	hints_release(&hints);
	profile_free(profile);
}

static const char *owner(size_t hint, size_t i)
{
	return profile_str(profile, profile->funcs[hints.v[hint].owners[i].func].name);
}

START_TEST(each_hint)
{
	static const char *const frames[][2] = {
		{ "allocation", "std::vector<int>::push_back(int)@app;malloc@libc.so.6;"
				"_int_malloc@libc.so.6" },
		{ "garbage-collection", "runtime.gcAssistAlloc1@app" },
		{ "hashing", "<core::hash::sip::Hasher<S> as core::hash::Hasher>::write@app" },
		{ "hash-table", "std::_Hashtable<int, int>::find(int const&)@app" },
		{ "tree-search", "std::_Rb_tree<int, int>::_M_lower_bound(int)@app" },
		{ "list-walk", "std::__cxx11::list<int>::size() const@app" },
		{ "formatting", "snprintf@libc.so.6;__vfprintf_internal@libc.so.6" },
		{ "parsing", "____strtod_l_internal@libc.so.6" },
		{ "regular-expressions", "regexec@libc.so.6" },
		{ "copying", "__memmove_avx_unaligned_erms@libc.so.6" },
		{ "memory-clearing", "__memset_avx2_unaligned@libc.so.6" },
		{ "string-comparing", "__strcmp_avx2@libc.so.6" },
		{ "sorting", "void std::__introsort_loop<int*, long>(int*, int*, long)@app" },
		{ "locking", "___pthread_mutex_lock@libc.so.6" },
		{ "blocking", "pthread_cond_wait@@GLIBC_2.3.2@libc.so.6" },
		{ "system-calls", "do_syscall_64@[kernel];vfs_read@[kernel]" },
		{ "kernel-entry", "syscall_return_via_sysret@[kernel]" },
		{ "page-faults", "asm_exc_page_fault@[kernel]" },
		{ "memory-mapping", "__munmap@libc.so.6" },
		{ "exceptions", "__cxa_throw@libstdc++.so.6" },
		{ "reference-counting",
		  "std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2>::_M_release()@app" },
		{ "clock-reading", "__vdso_clock_gettime@[vdso]" },
		{ "random-numbers",
		  "std::mersenne_twister_engine<unsigned long, 32ul>::operator()()@app" },
		{ "dynamic-casts", "__dynamic_cast@libstdc++.so.6" },
		{ "mathematics", "__pow_fma@libm.so.6" },
		{ "dynamic-linking", "_dl_runtime_resolve_xsavec@ld-linux-x86-64.so.2" },
	};
	const struct hint_options none = { 0 };
	size_t n;

	hint_kinds(&n);
	ck_assert_uint_eq(n, sizeof(frames) / sizeof(*frames));
	for (size_t i = 0; i < n; i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_addf(&sb,
			    "app;main@app;book::Book::add(int)@app;%s 300 300\n"
			    "app;main@app;other(int)@app 700 700\n",
			    frames[i][1]);
		find(strbuf_str(&sb), &none);
		ck_assert_msg(hints.n == 1, "%s: %zu hints", frames[i][0], hints.n);
		ck_assert_str_eq(hints.v[0].kind->name, frames[i][0]);
		ck_assert_ptr_eq(hints.v[0].kind, hint_kind(frames[i][0]));
		ck_assert_uint_eq(hints.v[0].weight, 300);
		ck_assert_uint_eq(hints.v[0].nr_owners, 1);
		ck_assert_str_eq(owner(0, 0), "book::Book::add(int)");
		ck_assert_uint_eq(hints.v[0].unowned, 0);
		done();
		strbuf_release(&sb);
	}
}
END_TEST

START_TEST(no_hint)
{
	const struct hint_options none = { 0 };

	/* arguments don't make a hint, nor do names that only begin like one */
	find("app;main@app;mine::serve(std::map<int, int>&)@app 10 10\n"
	     "app;main@app;mine::Pool<std::list<int> >::get()@app 10 10\n"
	     "app;main@app;malloc_free_parser@app 10 10\n"
	     "app;main@app;sorting_office@app 10 10\n"
	     "app;main@app;<mine::Shape as mine::Draw>::draw@app 10 10\n",
	     &none);
	ck_assert_uint_eq(hints.n, 0);
	done();
	/* below the threshold; at it; too few samples */
	find("app;main@app;malloc@libc.so.6 299 299\napp;main@app 9701 9701\n", &none);
	ck_assert_uint_eq(hints.n, 0);
	done();
	find("app;main@app;malloc@libc.so.6 300 300\napp;main@app 9700 9700\n", &none);
	ck_assert_uint_eq(hints.n, 1);
	done();
	find("app;main@app;malloc@libc.so.6 9 9\napp;main@app 1 1\n", &none);
	ck_assert_uint_eq(hints.n, 0);
	done();
}
END_TEST

START_TEST(a_stack_counts_once)
{
	const struct hint_options none = { 0 };

	find("app;main@app;f@app;malloc@libc.so.6;_int_malloc@libc.so.6;sysmalloc@libc.so.6 60 60\n"
	     "app;main@app;f@app;malloc@libc.so.6;hook@app;free@libc.so.6 30 30\n"
	     "app;malloc@libc.so.6 10 10\n",
	     &none);
	ck_assert_uint_eq(hints.n, 1);
	ck_assert_uint_eq(hints.v[0].weight, 100);
	ck_assert_uint_eq(hints.v[0].samples, 100);
	/* the nearest above the innermost */
	ck_assert_uint_eq(hints.v[0].nr_owners, 2);
	ck_assert_str_eq(owner(0, 0), "f");
	ck_assert_uint_eq(hints.v[0].owners[0].weight, 60);
	ck_assert_str_eq(owner(0, 1), "hook");
	ck_assert_uint_eq(hints.v[0].owners[1].weight, 30);
	ck_assert_uint_eq(hints.v[0].unowned, 10);
	done();
}
END_TEST

START_TEST(inlined_frames)
{
	const struct hint_options none = { 0 };

	find("app;main@app;add@app+core::hash::BuildHasher::hash_one@app+"
	     "<core::hash::sip::Hasher<S> as core::hash::Hasher>::finish@app 50 50\n"
	     "app;main@app 50 50\n",
	     &none);
	ck_assert_uint_eq(hints.n, 1);
	ck_assert_str_eq(hints.v[0].kind->name, "hashing");
	ck_assert_str_eq(owner(0, 0), "add");
	done();
}
END_TEST

START_TEST(only_the_leaf)
{
	const struct hint_options none = { 0 };
	struct hint_options quiet = { 0 };
	struct err err;

	find("app;main@app;do_syscall_64@[kernel];vfs_read@[kernel] 90 90\n"
	     "app;main@app;do_syscall_64@[kernel] 10 10\n",
	     &none);
	ck_assert_uint_eq(hints.n, 2);
	ck_assert_str_eq(hints.v[0].kind->name, "system-calls");
	ck_assert_uint_eq(hints.v[0].weight, 100);
	ck_assert_str_eq(hints.v[1].kind->name, "kernel-entry");
	ck_assert_uint_eq(hints.v[1].weight, 10);
	ck_assert_str_eq(owner(1, 0), "main");
	done();
	ck_assert_int_eq(hint_silence(&quiet, "system-calls,kernel-entry", &err), 0);
	find("app;main@app;do_syscall_64@[kernel] 10 10\n", &quiet);
	ck_assert_uint_eq(hints.n, 0);
	done();
	ck_assert_int_lt(hint_silence(&quiet, "hashing,nothing", &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "\"nothing\" is no hint; there are: allocation, "));
}
END_TEST

START_TEST(own_code)
{
	struct hint_options o = { .own = "^lib|Engine" };
	struct err err;
	static const char stacks[] =
		"app;main@app;Engine::run@app;step@app;malloc@libc.so.6 50 50\n"
		"app;main@app;step@libmine.so;malloc@libx.so 50 50\n";

	find(stacks, &o);
	ck_assert_str_eq(owner(0, 0), "Engine::run");
	ck_assert_str_eq(owner(0, 1), "step");
	done();
	o.own = NULL;
	find(stacks, &o);
	ck_assert_uint_eq(hints.v[0].nr_owners, 2);
	ck_assert_str_eq(owner(0, 0), "step");
	done();
	ck_assert_int_eq(hint_own_check("a|b", &err), 0);
	ck_assert_int_lt(hint_own_check("a(", &err), 0);
	ck_assert_int_eq(err.code, ERR_USAGE);
}
END_TEST

static const char *path_of(const void *ctx, uint32_t dso)
{
	(void)ctx;
	(void)dso;
	return "/usr/lib/libother.so.1";
}

START_TEST(system_libraries_by_path)
{
	const struct profile_modules modules = { path_of, NULL };
	const struct hint_options o = { .modules = &modules };

	find("app;main@app;malloc@libc.so.6 50 50\n", &o);
	ck_assert_uint_eq(hints.v[0].nr_owners, 0);
	ck_assert_uint_eq(hints.v[0].unowned, 50);
	done();
}
END_TEST

START_TEST(the_event_itself)
{
	const struct hint_options none = { 0 };

	profile = profile_new();
	view_profile_add(profile, "page-faults", "",
			 "app;main@app;asm_exc_page_fault@[kernel] 50 50\n");
	hints_find(&hints, profile, 0, &none);
	ck_assert_uint_eq(hints.n, 0);
	done();
}
END_TEST

START_TEST(printed)
{
	const struct hint_options none = { 0 };
	struct strbuf sb = STRBUF_INIT;
	struct json_object *json;

	find("app;main@app;f@app;__dynamic_cast@libstdc++.so.6 200 200\n"
	     "app;main@app;g@app;__dynamic_cast@libstdc++.so.6 100 100\n"
	     "app;main@app 700 700\n",
	     &none);
	hints_print(&hints, &plain, &sb);
	ck_assert_str_eq(strbuf_str(&sb),
			 "hints       dynamic-casts 30.0 % ±2.9: types are asked for at run time, "
			 "under f (20.0 %), g (10.0 %) → a virtual function, a tag or a variant "
			 "instead of dynamic_cast\n");
	strbuf_clear(&sb);
	json = hints_json(&hints);
	json_print(json, false, &sb);
	json_free(json);
	ck_assert_str_eq(
		strbuf_str(&sb),
		"[{\"name\":\"dynamic-casts\",\"percent\":30.0000,\"low\":27.2407,\"high\":32.9124,"
		"\"samples\":300,\"means\":\"types are asked for at run time\",\"advice\":\"a "
		"virtual function, a tag or a variant instead of dynamic_cast\",\"own\":[{\"sym\":"
		"\"f\",\"dso\":\"app\",\"percent\":20.0000},{\"sym\":\"g\",\"dso\":\"app\","
		"\"percent\":10.0000}],\"owners\":2,\"unowned_percent\":0.0000}]\n");
	done();
	strbuf_release(&sb);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hints");
	TCase *tc = tcase_create("hints");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, names);
	tcase_add_test(tc, patterns);
	tcase_add_test(tc, standard_libraries);
	tcase_add_test(tc, each_hint);
	tcase_add_test(tc, no_hint);
	tcase_add_test(tc, a_stack_counts_once);
	tcase_add_test(tc, inlined_frames);
	tcase_add_test(tc, only_the_leaf);
	tcase_add_test(tc, own_code);
	tcase_add_test(tc, system_libraries_by_path);
	tcase_add_test(tc, the_event_itself);
	tcase_add_test(tc, printed);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

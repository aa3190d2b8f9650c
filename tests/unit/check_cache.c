/* SPDX-License-Identifier: MIT */
/*
 * The cache of names: a table there and back, tables that lie, and which files of which
 * directories are used, renewed and removed.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "must.h"
#include "symbol/cache_dir.h"
#include "symbol/cache_table.h"

/* --- tables --- */

static struct strbuf bytes;

static void make_table(void)
{
	struct cache_table t = { .reason = UNKNOWN_NO_SYMBOLS };

	cache_table_add(&t, 0x1000, UNKNOWN_NOT);
	cache_table_add_line(&t, "leaf", 4, "leaf.h", 6, 7, LINE_INLINED);
	cache_table_add_line(&t, "outer", 5, "main.c", 6, 70, LINE_KERNEL);
	cache_table_add(&t, 0x1004, UNKNOWN_NO_SYMBOL);
	cache_table_add_line(&t, NULL, 0, NULL, 0, 0, LINE_UNKNOWN);
	cache_table_add(&t, 0xffffffffffffffff, UNKNOWN_NOT);
	cache_table_add_line(&t, "outer", 5, NULL, 0, 0, 0);
	strbuf_clear(&bytes);
	cache_table_write(&t, "key", &bytes);
	cache_table_release(&t);
}

static void check_string(const struct cache_table *t, uint32_t nr, const char *want)
{
	size_t len;
	const char *s;

	ck_assert_uint_ne(nr, 0);
	s = cache_table_string(t, nr - 1, &len);
	ck_assert_uint_eq(len, strlen(want));
	ck_assert_mem_eq(s, want, len);
}

START_TEST(there_and_back)
{
	const struct cache_entry *e;
	struct cache_table t;

	make_table();
	ck_assert(cache_table_read(&t, bytes.s, bytes.n, "key"));
	ck_assert_uint_eq(t.reason, UNKNOWN_NO_SYMBOLS);
	ck_assert_uint_eq(t.nr_strings, 4); /* equal ones once */
	ck_assert(!cache_table_find(&t, 0x0fff, &e));
	ck_assert(!cache_table_find(&t, 0x1001, &e));
	ck_assert(cache_table_find(&t, 0x1000, &e));
	ck_assert_uint_eq(e->n, 2);
	ck_assert_uint_eq(e->reason, UNKNOWN_NOT);
	check_string(&t, t.lines.v[e->first].name, "leaf");
	check_string(&t, t.lines.v[e->first].file, "leaf.h");
	ck_assert_uint_eq(t.lines.v[e->first].line, 7);
	ck_assert_uint_eq(t.lines.v[e->first].flags, LINE_INLINED);
	check_string(&t, t.lines.v[e->first + 1].name, "outer");
	/* what a dso is, it is not by its file */
	ck_assert_uint_eq(t.lines.v[e->first + 1].flags, 0);
	ck_assert(cache_table_find(&t, 0x1004, &e));
	ck_assert_uint_eq(e->reason, UNKNOWN_NO_SYMBOL);
	ck_assert_uint_eq(t.lines.v[e->first].name, 0);
	ck_assert_uint_eq(t.lines.v[e->first].flags, LINE_UNKNOWN);
	ck_assert(cache_table_find(&t, UINT64_MAX, &e));
	ck_assert_uint_eq(t.lines.v[e->first].file, 0);
	cache_table_release(&t);
}
END_TEST

START_TEST(other_keys)
{
	static const char *const keys[] = { "", "ke", "kez", "keys", "Key" };
	struct cache_table t;

	make_table();
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		ck_assert(!cache_table_read(&t, bytes.s, bytes.n, keys[i]));
	ck_assert(cache_table_read(&t, bytes.s, bytes.n, "key"));
	cache_table_release(&t);
}
END_TEST

START_TEST(damage_is_found)
{
	struct cache_table t;

	make_table();
	for (size_t n = 0; n < bytes.n; n++)
		ck_assert(!cache_table_read(&t, bytes.s, n, "key"));
	for (size_t i = 0; i < bytes.n; i++) {
		char was = bytes.s[i];

		for (int flip = 1; flip < 256; flip++) {
			bytes.s[i] = (char)(was ^ flip);
			test_must(!cache_table_read(&t, bytes.s, bytes.n, "key"),
				  "byte %zu may be another", i);
		}
		bytes.s[i] = was;
	}
	strbuf_addc(&bytes, 0);
	ck_assert(!cache_table_read(&t, bytes.s, bytes.n, "key"));
}
END_TEST

/* A checksum that fits the first N bytes, as somebody could write it. */
static void fit_checksum(size_t n)
{
	uint64_t sum = hash_bytes(bytes.s + CACHE_TABLE_HEADER, n - CACHE_TABLE_HEADER);

	memcpy(bytes.s + CACHE_TABLE_HEADER - sizeof(sum), &sum, sizeof(sum));
}

/* All that a table of N bytes leads to: a reader must be able to use it without a look. */
static void use(const struct cache_table *t, size_t n)
{
	const struct cache_entry *e;
	uint32_t strings[2];
	size_t len;

	test_must(t->entries.n <= n && t->lines.n <= n && t->nr_strings <= n, "larger than it is");
	for (size_t i = 0; i < t->entries.n; i++) {
		test_must(cache_table_find(t, t->entries.v[i].addr, &e) && e == &t->entries.v[i],
			  "entry %zu is not found", i);
		test_must(e->first <= t->lines.n && e->n <= t->lines.n - e->first,
			  "entry %zu has lines that are not there", i);
	}
	for (size_t i = 0; i < t->lines.n; i++) {
		strings[0] = t->lines.v[i].name;
		strings[1] = t->lines.v[i].file;
		for (int k = 0; k < 2; k++) {
			const char *s = strings[k] ? cache_table_string(t, strings[k] - 1, &len)
						   : NULL;

			test_must(!s || (s >= bytes.s && s + len <= bytes.s + n),
				  "line %zu has a string outside", i);
		}
	}
}

/* Each byte behind the checksum with each value, then each length: none, or a sound one. */
START_TEST(whatever_fits_is_sound)
{
	struct cache_table t;
	unsigned sound = 0;

	make_table();
	for (size_t i = CACHE_TABLE_HEADER; i < bytes.n; i++) {
		char was = bytes.s[i];

		for (int v = 0; v < 256; v++) {
			bytes.s[i] = (char)v;
			fit_checksum(bytes.n);
			if (!cache_table_read(&t, bytes.s, bytes.n, "key"))
				continue;
			use(&t, bytes.n);
			cache_table_release(&t);
			sound++;
		}
		bytes.s[i] = was;
	}
	ck_assert_uint_gt(sound, 1000); /* texts and numbers of lines may be anything */
	for (size_t n = CACHE_TABLE_HEADER; n < bytes.n; n++) {
		char *cut = malloc(n); /* so that a read behind its end is found */

		fit_checksum(n);
		memcpy(cut, bytes.s, n);
		test_must(!cache_table_read(&t, cut, n, "key"), "%zu bytes are a table", n);
		free(cut);
	}
}
END_TEST

static bool read_with(size_t at, uint32_t value, struct cache_table *t)
{
	bool ok;

	make_table();
	memcpy(bytes.s + at, &value, sizeof(value));
	fit_checksum(bytes.n);
	ok = cache_table_read(t, bytes.s, bytes.n, "key");
	if (ok)
		cache_table_release(t);
	return ok;
}

START_TEST(lies_are_found)
{
	/* key: length and 3 bytes; reason and three numbers; entries of 20, lines of 16 bytes */
	const size_t head = CACHE_TABLE_HEADER + 7, entries = head + 16, lines = entries + 3 * 20,
		     ends = lines + 4 * 16;
	struct cache_table t;

	ck_assert(read_with(head, UNKNOWN_MAX - 1, &t));
	ck_assert(!read_with(head, UNKNOWN_MAX, &t));
	for (size_t i = 0; i < 3; i++) {
		ck_assert(!read_with(head + 4 + 4 * i, 0, &t));
		ck_assert(!read_with(head + 4 + 4 * i, 5, &t));
		ck_assert(!read_with(head + 4 + 4 * i, UINT32_MAX, &t));
	}
	ck_assert(!read_with(entries, 0x1004, &t)); /* twice the same address */
	ck_assert(!read_with(entries, 0x2000, &t)); /* not in order */
	ck_assert(read_with(entries + 8, 2, &t)); /* other lines */
	ck_assert(!read_with(entries + 8, 3, &t)); /* the second is behind the last */
	ck_assert(!read_with(entries + 8, UINT32_MAX, &t)); /* wraps */
	ck_assert(!read_with(entries + 12, 5, &t));
	ck_assert(!read_with(entries + 12, UINT32_MAX, &t));
	ck_assert(!read_with(entries + 16, UNKNOWN_MAX, &t));
	ck_assert(!read_with(lines, 0, &t)); /* no name, and not unknown */
	ck_assert(!read_with(lines, 5, &t));
	ck_assert(!read_with(lines + 4, 5, &t));
	ck_assert(!read_with(lines + 12, LINE_KERNEL, &t));
	ck_assert(!read_with(lines + 12, LINE_UNKNOWN, &t)); /* although it has a name */
	ck_assert(!read_with(ends, 11, &t)); /* falls */
	ck_assert(!read_with(ends + 12, 40, &t)); /* past the end */
	ck_assert(!read_with(ends + 16, 0, &t)); /* a NUL in a name */
}
END_TEST

/* --- directories --- */

static char top[64], path[128];
static struct cache_dir dir;

static void make_top(void)
{
	strcpy(top, "/tmp/check-cache-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/cache/perfrep", top);
	cache_dir_open(&dir, path);
}

static void remove_top(void)
{
	char command[256];

	cache_dir_close(&dir);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	ck_assert_int_eq(system(command), 0);
}

static bool holds(const char *name, const char *want)
{
	size_t size;
	char *data = cache_dir_read(&dir, name, &size);
	bool same = data && size == strlen(want) && !memcmp(data, want, size);

	free(data);
	return same;
}

static unsigned mode_of(const char *name)
{
	char file[256];
	struct stat st;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	return stat(file, &st) == 0 ? st.st_mode & 07777 : 0;
}

#define A "0123456789abcdef0123456789abcdef.sym"
#define B "fedcba9876543210fedcba9876543210.sym"

START_TEST(files)
{
	umask(0);
	ck_assert(!holds(A, "one"));
	ck_assert_uint_eq(mode_of(""), 0); /* reading makes nothing */
	ck_assert(cache_dir_write(&dir, A, "one", 3));
	ck_assert_uint_eq(mode_of(""), 0700);
	ck_assert_uint_eq(mode_of(A), 0600);
	ck_assert(holds(A, "one"));
	ck_assert(cache_dir_write(&dir, A, "another", 7));
	ck_assert(holds(A, "another"));
	ck_assert(!holds(B, "one"));
	ck_assert_int_eq(symlinkat(A, dir.fd, B), 0);
	ck_assert(!holds(B, "another"));
	ck_assert_int_eq(fchmodat(dir.fd, A, 0620, 0), 0);
	ck_assert(!holds(A, "another"));
	ck_assert_int_eq(mkdirat(dir.fd, "d", 0700), 0);
	ck_assert(!holds("d", ""));
	ck_assert_int_eq(mkfifoat(dir.fd, "fifo", 0600), 0);
	ck_assert(!holds("fifo", "")); /* and does not wait */
}
END_TEST

START_TEST(directories_of_others)
{
	char target[128];

	ck_assert(cache_dir_write(&dir, A, "one", 3));
	ck_assert_int_eq(chmod(path, 0770), 0);
	cache_dir_close(&dir);
	cache_dir_open(&dir, path);
	ck_assert(!holds(A, "one"));
	ck_assert(!cache_dir_write(&dir, B, "two", 3));
	ck_assert_int_eq(chmod(path, 0750), 0);
	cache_dir_open(&dir, path);
	ck_assert(holds(A, "one"));
	/* nor through a link */
	snprintf(target, sizeof(target), "%s/target", top);
	ck_assert_int_eq(rename(path, target), 0);
	ck_assert_int_eq(symlink(target, path), 0);
	cache_dir_close(&dir);
	cache_dir_open(&dir, path);
	ck_assert(!holds(A, "one"));
	ck_assert(!cache_dir_write(&dir, B, "two", 3));
	cache_dir_open(&dir, "relative");
	ck_assert(!cache_dir_write(&dir, B, "two", 3));
	cache_dir_open(&dir, "/perfrep");
	ck_assert_int_eq(dir.fd, -1);
}
END_TEST

static void set_age(const char *name, time_t seconds)
{
	struct timespec t[2] = { { .tv_sec = time(NULL) - seconds }, { 0 } };

	t[1] = t[0];
	ck_assert_int_eq(utimensat(dir.fd, name, t, 0), 0);
}

static bool is_there(const char *name)
{
	return faccessat(dir.fd, name, F_OK, 0) == 0;
}

START_TEST(the_oldest_go)
{
	static const char big[1000];

	ck_assert(cache_dir_write(&dir, A, big, sizeof(big)));
	ck_assert(cache_dir_write(&dir, B, big, sizeof(big)));
	ck_assert(cache_dir_write(&dir, "notes.txt", big, sizeof(big)));
	ck_assert(cache_dir_write(&dir, A ".12ab.tmp", big, sizeof(big)));
	ck_assert(cache_dir_write(&dir, B ".12ab.tmp", big, sizeof(big)));
	set_age("notes.txt", 1000000);
	set_age(A, 10000);
	set_age(B, 20000);
	set_age(A ".12ab.tmp", 4000);
	cache_dir_prune(&dir, 2000);
	ck_assert(is_there(A) && is_there(B) && is_there("notes.txt"));
	ck_assert(!is_there(A ".12ab.tmp") && is_there(B ".12ab.tmp"));
	cache_dir_prune(&dir, 1999);
	ck_assert(is_there(A) && !is_there(B) && is_there("notes.txt"));
	cache_dir_prune(&dir, 999);
	ck_assert(!is_there(A) && is_there("notes.txt"));
}
END_TEST

START_TEST(use_renews)
{
	struct stat st;

	ck_assert(cache_dir_write(&dir, A, "one", 3));
	set_age(A, 10);
	ck_assert(holds(A, "one"));
	ck_assert_int_eq(fstatat(dir.fd, A, &st, 0), 0);
	ck_assert_int_le(st.st_mtime, time(NULL) - 10); /* young enough */
	set_age(A, 25 * 3600);
	ck_assert(holds(A, "one"));
	ck_assert_int_eq(fstatat(dir.fd, A, &st, 0), 0);
	ck_assert_int_ge(st.st_mtime, time(NULL) - 100);
}
END_TEST

START_TEST(names)
{
	char a[CACHE_NAME_MAX], b[CACHE_NAME_MAX];

	cache_dir_name(a, "one key");
	cache_dir_name(b, "one kez");
	ck_assert_uint_eq(strlen(a), 36);
	ck_assert_uint_eq(strspn(a, "0123456789abcdef"), 32);
	ck_assert_str_eq(a + 32, ".sym");
	ck_assert_str_ne(a, b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cache");
	TCase *tables = tcase_create("tables"), *dirs = tcase_create("directories");
	SRunner *sr;
	int failed;

	tcase_add_test(tables, there_and_back);
	tcase_add_test(tables, other_keys);
	tcase_add_test(tables, damage_is_found);
	tcase_add_test(tables, whatever_fits_is_sound);
	tcase_add_test(tables, lies_are_found);
	tcase_add_checked_fixture(dirs, make_top, remove_top);
	tcase_add_test(dirs, files);
	tcase_add_test(dirs, directories_of_others);
	tcase_add_test(dirs, the_oldest_go);
	tcase_add_test(dirs, use_renews);
	tcase_add_test(dirs, names);
	suite_add_tcase(s, tables);
	suite_add_tcase(s, dirs);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	strbuf_release(&bytes);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Sources: files, pipes, memory; the spool on both sides of its limit; segments in memory and in
 * a file.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfrep/source.h>

#include "perfdata/segments.h"

static char path[64];

static void write_file(const void *data, size_t size)
{
	int fd;

	strcpy(path, "/tmp/check_source.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
}

START_TEST(a_file)
{
	struct source src;
	struct err err;

	write_file("PERFILE2 and more", 17);
	ck_assert_int_eq(source_open(&src, path, &err), 0);
	ck_assert_uint_eq(src.size, 17);
	ck_assert_mem_eq(src.data, "PERFILE2 and more", 17);
	ck_assert_str_eq(src.name, path);
	/* dropped pages come back */
	source_drop(&src, 0, src.size);
	ck_assert_mem_eq(src.data, "PERFILE2 and more", 17);
	source_release(&src);
	ck_assert_ptr_null(src.data);
	unlink(path);
}
END_TEST

START_TEST(an_empty_file)
{
	struct source src;
	struct err err;

	write_file("", 0);
	ck_assert_int_eq(source_open(&src, path, &err), 0);
	ck_assert_uint_eq(src.size, 0);
	source_release(&src);
	unlink(path);
}
END_TEST

/* Files in /proc say that they have no bytes. */
START_TEST(a_file_without_a_size)
{
	struct source src;
	struct err err;

	ck_assert_int_eq(source_open(&src, "/proc/self/status", &err), 0);
	ck_assert_uint_gt(src.size, 100);
	ck_assert_mem_eq(src.data, "Name:", 5);
	source_release(&src);
}
END_TEST

START_TEST(what_cannot_be_opened)
{
	struct source src;
	struct err err = { 0 };

	ck_assert_int_eq(source_open(&src, "/nonexistent/perf.data", &err), -ERR_NOT_FOUND);
	ck_assert_str_eq(err.text, "/nonexistent/perf.data cannot be opened: No such file or "
				   "directory");
	ck_assert_int_eq(source_open(&src, "/tmp", &err), -ERR_FORMAT);
	ck_assert_str_eq(err.text, "/tmp is a directory, expected a file");
}
END_TEST

START_TEST(standard_input_is_a_pipe)
{
	static uint8_t big[300000];
	struct source src;
	struct err err;
	int fds[2], keep = dup(STDIN_FILENO);
	pid_t pid;

	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (uint8_t)(i * 7 >> 3);
	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		size_t done = 0;

		while (done < sizeof(big))
			done += (size_t)write(fds[1], big + done, sizeof(big) - done);
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	ck_assert_int_eq(source_open(&src, "-", &err), 0);
	ck_assert_uint_eq(src.size, sizeof(big));
	ck_assert_mem_eq(src.data, big, sizeof(big));
	ck_assert_str_eq(src.name, "-");
	source_release(&src);
	dup2(keep, STDIN_FILENO);
}
END_TEST

/* Somebody read the first bytes: only the rest is ours. */
START_TEST(standard_input_is_a_file_at_an_offset)
{
	int keep = dup(STDIN_FILENO), fd;
	struct source src;
	struct err err;
	char c[4];

	write_file("abcdefgh", 8);
	fd = open(path, O_RDONLY);
	dup2(fd, STDIN_FILENO);
	ck_assert_int_eq(source_open(&src, "-", &err), 0);
	ck_assert_uint_eq(src.size, 8);
	source_release(&src);
	ck_assert_int_eq(read(STDIN_FILENO, c, 3), 3);
	ck_assert_int_eq(source_open(&src, "-", &err), 0);
	ck_assert_uint_eq(src.size, 5);
	ck_assert_mem_eq(src.data, "defgh", 5);
	source_release(&src);
	dup2(keep, STDIN_FILENO);
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(memory)
{
	static const char data[] = "borrowed";
	struct source src;

	source_from_memory(&src, data, 8, "name");
	ck_assert_ptr_eq(src.data, data);
	source_drop(&src, 0, 8); /* nothing happens to memory */
	ck_assert_mem_eq(src.data, "borrowed", 8);
	source_release(&src);
}
END_TEST

/* With a limit of 10 bytes: below, at, above it, in one piece or byte by byte. */
START_TEST(spool)
{
	static const char text[] = "0123456789abcdefghij";
	struct err err = { 0 };

	for (size_t len = 0; len <= 20; len++) {
		for (size_t piece = 1; piece <= 20; piece++) {
			struct spool *sp = spool_new(10);
			struct source src;

			for (size_t at = 0; at < len; at += piece) {
				size_t n = len - at < piece ? len - at : piece;

				ck_assert_int_eq(spool_add(sp, text + at, n, &err), 0);
				ck_assert_uint_eq(spool_size(sp), at + n);
			}
			ck_assert_int_eq(spool_finish(sp, "spooled", &src, &err), 0);
			ck_assert_uint_eq(src.size, len);
			ck_assert_mem_eq(src.data, text, len);
			ck_assert_str_eq(src.name, "spooled");
			source_release(&src);
		}
	}
	spool_free(spool_new(1));
	spool_free(NULL);
}
END_TEST

START_TEST(segments)
{
	size_t size = 65536;
	struct segments s;
	struct err err;
	uint8_t *maps[5];

	segments_init(&s, 2 * size);
	for (int i = 0; i < 5; i++) {
		maps[i] = segments_add(&s, size, &err);
		ck_assert_ptr_nonnull(maps[i]);
		ck_assert_int_eq(s.fd >= 0, i >= 2);
		memset(maps[i], i + 1, size);
	}
	ck_assert_uint_eq(s.total, 5 * size);
	ck_assert_uint_eq(s.fd_size, 3 * size);
	for (int i = 0; i < 5; i++) {
		segments_drop(&s, maps[i] + 1, size - 1); /* comes back */
		ck_assert_uint_eq(maps[i][0], i + 1);
		ck_assert_uint_eq(maps[i][size - 1], i + 1);
	}
	segments_release(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source");
	TCase *tc = tcase_create("source");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, a_file);
	tcase_add_test(tc, an_empty_file);
	tcase_add_test(tc, a_file_without_a_size);
	tcase_add_test(tc, what_cannot_be_opened);
	tcase_add_test(tc, standard_input_is_a_pipe);
	tcase_add_test(tc, standard_input_is_a_file_at_an_offset);
	tcase_add_test(tc, memory);
	tcase_add_test(tc, spool);
	tcase_add_test(tc, segments);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

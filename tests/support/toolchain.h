/* SPDX-License-Identifier: MIT */
/*
 * For tests that make their own ELF files: a temporary directory, and the machine's compiler and
 * binutils run in it.  TOOLCHAIN_DIR is the working directory from toolchain_begin() on.
 */
#ifndef PERFREP_TESTS_TOOLCHAIN_H
#define PERFREP_TESTS_TOOLCHAIN_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"

/* Absolute, without a slash at the end. */
static char toolchain_dir[] = "/tmp/check_elf.XXXXXX";

static inline void toolchain_begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(toolchain_dir));
	ck_assert_int_eq(chdir(toolchain_dir), 0);
}

/* A shell command that may fail. */
__attribute__((format(printf, 1, 2))) static inline int toolchain_try(const char *fmt, ...)
{
	char command[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	ck_assert_int_lt(n, (int)sizeof(command));
	return system(command);
}

/* A shell command that must not. */
#define toolchain_run(...) ck_assert_int_eq(toolchain_try(__VA_ARGS__), 0)

static inline void toolchain_write(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
}

static inline void toolchain_source(const char *path, const char *text)
{
	toolchain_write(path, text, strlen(text));
}

/* For the caller to free. */
static inline unsigned char *toolchain_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct strbuf sb = STRBUF_INIT;
	char buf[4096];

	ck_assert_ptr_nonnull(f);
	while ((*size = fread(buf, 1, sizeof(buf), f)) > 0)
		strbuf_add(&sb, buf, *size);
	fclose(f);
	*size = sb.n;
	return (unsigned char *)strbuf_detach(&sb);
}

/* Absolute path of a file in the directory, in one of a few buffers that take turns. */
static inline const char *toolchain_path(const char *name)
{
	static char paths[8][256];
	static unsigned turn;
	char *path = paths[turn++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", toolchain_dir, name);
	return path;
}

static inline void toolchain_end(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	toolchain_run("rm -rf %s", toolchain_dir);
}

#endif

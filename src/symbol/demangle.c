/* SPDX-License-Identifier: MIT */
/*
 * The work is libiberty's.  Around it:
 *
 * - A suffix is cut off before and put back after, as libiberty drops it when parameters are not
 *   wanted.  In C++ and Rust's v0 mangling it begins at the first dot; legacy Rust names may have
 *   dots inside ("..") and end after the hash, "17h", 16 digits and "E".
 * - libiberty refuses to parse what is longer than 1,024 characters, to spare the stack.
 *   Templates get longer; up to MAX_LONG the stack of a thread is enough for the worst
 *   nesting, so those are parsed without that limit.
 * - A short name may describe an astronomically long one.  The output comes through a callback,
 *   which jumps out when it gets too much (libiberty holds no memory at that time, but for
 *   identifiers in punycode).
 */
#include "symbol/demangle.h"

#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

#define MAX_NAME   65536
#define MAX_LONG   8192
#define MAX_OUTPUT (1u << 20)

struct sink {
	struct strbuf *sb;
	size_t start;
	jmp_buf overflow;
};

static void sink_add(const char *s, size_t len, void *arg)
{
	struct sink *sink = arg;

	if (sink->sb->n - sink->start + len > MAX_OUTPUT)
		longjmp(sink->overflow, 1);
	strbuf_add(sink->sb, s, len);
}

/* The length of a legacy Rust name up to its "E", 0 when it is none. */
static size_t legacy_rust_length(const char *name)
{
	for (const char *p = name; (p = strstr(p, "17h")); p++) {
		if (strspn(p + 3, "0123456789abcdef") >= 16 && p[19] == 'E' &&
		    (!p[20] || p[20] == '.' || p[20] == '@'))
			return (size_t)(p + 20 - name);
	}
	return 0;
}

/* Where what was mangled ends and the suffix begins. */
static size_t mangled_length(const char *name)
{
	size_t n = !strncmp(name, "_ZN", 3) ? legacy_rust_length(name) : 0;

	return n ? n : strcspn(name, ".@");
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R') && name[2];
}

static bool run(struct sink *sink, const char *mangled, size_t len)
{
	int options = DMGL_ANSI | (len > 1000 && len <= MAX_LONG ? DMGL_NO_RECURSE_LIMIT : 0);

	if (setjmp(sink->overflow))
		return false;
	if (rust_demangle_callback(mangled, options, sink_add, sink))
		return true;
	sink->sb->n = sink->start;
	return mangled[1] == 'Z' && cplus_demangle_v3_callback(mangled, options, sink_add, sink);
}

bool demangle(struct strbuf *sb, const char *name)
{
	struct sink sink = { .sb = sb, .start = sb->n };
	struct strbuf mangled = STRBUF_INIT;
	size_t len;
	bool ok;

	if (!is_mangled(name) || strnlen(name, MAX_NAME + 1) > MAX_NAME)
		return false;
	len = mangled_length(name);
	strbuf_add(&mangled, name, len);
	ok = run(&sink, strbuf_str(&mangled), len) && sb->n > sink.start;
	strbuf_release(&mangled);
	if (ok) {
		strbuf_adds(sb, name + len);
	} else {
		sb->n = sink.start;
		if (sb->s)
			sb->s[sb->n] = 0;
	}
	return ok;
}

/* SPDX-License-Identifier: MIT */
/*
 * A pattern is about what a function is, not about what it is made with: "std::map<…>::find" is a
 * search in a tree, "mine::serve(std::map<…>&)" and "mine::Pool<std::map<…>>::get" are not.  So
 * arguments, of both kinds, are removed before names are compared.  Rust writes the method of a
 * trait as <Type as Trait>::method; its outermost brackets are removed, what they hold is kept.
 */
#include "view/hint_name.h"

#include <string.h>

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

/* The length of "operator<<" and the like at S, where a word begins; 0 when it is none. */
static size_t operator_length(const char *s)
{
	size_t n = 8;

	if (!starts(s, "operator") || is_word(s[n]))
		return 0;
	if (starts(s + n, "()"))
		return n + 2;
	if (starts(s + n, " new") || starts(s + n, " delete"))
		return n + strcspn(s + n + 1, " (<[") + 1;
	/* a conversion: "operator std::string" */
	if (s[n] == ' ')
		return n;
	return n + strspn(s + n, "+-*/%^&|~!=<>[],");
}

/* Just behind the bracket that belongs to the one at S. */
static const char *skip_brackets(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		if (*s == '<' || *s == '(' || *s == '[' || *s == '{')
			depth++;
		else if ((*s == '>' && s[-1] != '-' && s[-1] != '=') || *s == ')' || *s == ']' ||
			 *s == '}')
			if (--depth == 0)
				return s + 1;
	}
	return s;
}

static bool ends_path(const struct strbuf *sb)
{
	return sb->n >= 2 && !strcmp(sb->s + sb->n - 2, "::");
}

static const char *add_rust(struct strbuf *sb, const char *s);

/* Append what is at S up to END (or up to the parameters), without arguments. */
static void add_path(struct strbuf *sb, const char *s, const char *end)
{
	while (s < end) {
		size_t op = !sb->n || !is_word(sb->s[sb->n - 1]) ? operator_length(s) : 0;

		if (op) {
			strbuf_add(sb, s, op);
			s += op;
		} else if (starts(s, "(anonymous namespace)")) {
			strbuf_adds(sb, "(anonymous)");
			s += strlen("(anonymous namespace)");
		} else if (*s == '<' && ends_path(sb)) { /* ::<impl Trait for Type> */
			s = skip_brackets(s);
			if (starts(s, "::"))
				s += 2;
		} else if (*s == '<') {
			s = skip_brackets(s);
		} else if (*s == '{') {
			const char *to = skip_brackets(s);

			strbuf_add(sb, s, (size_t)(to - s));
			s = to;
		} else if (*s == '(' && sb->n) {
			return;
		} else if (*s == ' ' && s[1] == '[') { /* " [clone .cold]" */
			return;
		} else {
			strbuf_addc(sb, *s++);
		}
	}
}

/* "<A as B>::f" or "<A>::f": its inside, then what follows. */
static const char *add_rust(struct strbuf *sb, const char *s)
{
	const char *close = skip_brackets(s);
	const char *inside = s + 1, *end = close > inside ? close - 1 : close;

	if (*inside == '<') {
		inside = add_rust(sb, inside);
		add_path(sb, inside, end);
	} else if (*inside == '(' || *inside == '[') {
		const char *to = skip_brackets(inside);

		strbuf_add(sb, inside, (size_t)(to - inside));
		add_path(sb, to < end ? to : end, end);
	} else {
		add_path(sb, inside, end);
	}
	return close;
}

/* Remove the type of the result: all before the last blank that is in no operator's name. */
static void cut_result(struct strbuf *sb)
{
	char *op = strstr(sb->s, "operator");
	size_t end = op ? (size_t)(op - sb->s) : sb->n;

	if (strstr(sb->s, " as ") || strchr(sb->s, '{'))
		return;
	while (end > 0 && sb->s[end - 1] != ' ')
		end--;
	memmove(sb->s, sb->s + end, sb->n - end + 1);
	sb->n -= end;
}

static void cut_decoration(struct strbuf *sb)
{
	static const char *const suffixes[] = { ".constprop.", ".isra.",     ".part.",     ".cold",
						".llvm.",      ".lto_priv.", ".localalias" };
	char *at = sb->n ? strchr(sb->s + 1, '@') : NULL;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *found = strstr(sb->s, suffixes[i]);

		if (found && found > sb->s && (!at || found < at))
			at = found;
	}
	/* as stackcollapse-perf.pl marks kernel, inlined and compiled frames */
	if (!at && sb->n > 4 && sb->s[sb->n - 4] == '_' && sb->s[sb->n - 3] == '[' &&
	    sb->s[sb->n - 1] == ']')
		at = sb->s + sb->n - 4;
	if (at) {
		*at = '\0';
		sb->n = (size_t)(at - sb->s);
	}
	/* glibc's name for its own calls of a function */
	if (starts(sb->s, "__GI_") && sb->n > 5) {
		memmove(sb->s, sb->s + 5, sb->n - 4);
		sb->n -= 5;
	}
}

void hint_name(struct strbuf *sb, const char *name)
{
	strbuf_clear(sb);
	if (*name == '<')
		name = add_rust(sb, name);
	add_path(sb, name, name + strlen(name));
	if (!sb->n)
		return;
	while (sb->n && sb->s[sb->n - 1] == ' ')
		sb->s[--sb->n] = '\0';
	cut_decoration(sb);
	cut_result(sb);
}

bool hint_match(const char *pattern, const char *text)
{
	const char *star = NULL, *back = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			back = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++back;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool starts_with_any(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (starts(s, list[i]))
			return true;
	return false;
}

#define STARTS_WITH_ANY(s, list) starts_with_any(s, list, sizeof(list) / sizeof(*(list)))

/* A type that has no path of its own: the trait says whose the method is. */
static bool is_plain_type(const char *path, size_t len)
{
	static const char *const types[] = { "bool", "char", "str",   "u8",  "u16", "u32",
					     "u64",  "u128", "usize", "i8",  "i16", "i32",
					     "i64",  "i128", "isize", "f32", "f64" };

	if (len == 1 && *path >= 'A' && *path <= 'Z')
		return true;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i]) == len && !memcmp(path, types[i], len))
			return true;
	return false;
}

/* Packages of Go's: "net/http.(*conn).serve".  Those of others have a dot before any slash. */
static bool is_go_std(const char *path)
{
	static const char *const packages[] = {
		"archive", "bufio",   "bytes",   "cmp",      "compress", "container", "context",
		"crypto",  "debug",   "embed",   "encoding", "errors",   "expvar",    "flag",
		"fmt",     "go",      "hash",    "html",     "image",    "index",     "internal",
		"io",      "iter",    "log",     "maps",     "math",     "mime",      "net",
		"os",      "path",    "plugin",  "reflect",  "regexp",   "runtime",   "slices",
		"sort",    "strconv", "strings", "sync",     "syscall",  "testing",   "text",
		"time",    "unicode", "unique",  "unsafe",   "vendor",
	};
	size_t len = strcspn(path, "/. :");

	if (path[len] != '.' && !(path[len] == '/' && strchr(path + len, '.')))
		return false;
	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (strlen(packages[i]) == len && !memcmp(path, packages[i], len))
			return true;
	return false;
}

bool hint_is_std(const char *path)
{
	static const char *const namespaces[] = {
		"std::",
		"core::",
		"alloc::",
		"__gnu_cxx::",
		"__cxxabiv1::",
		"__cxx11::",
		"hashbrown::",
		"compiler_builtins::",
		"std_detect::",
		"rustc_demangle::",
		"gimli::",
		"addr2line::",
		"miniz_oxide::",
		"__rust",
		"rust_begin_unwind",
		"rust_panic",
		"operator new",
		"operator delete",
		"GC_", /* libgc's, when it is not a library of its own */
		"__",
		"_int_",
		"_IO_",
		"_Unwind_",
		"_start",
		"_dl_",
		"_fini",
		"_init",
		"start_thread",
		"clone3",
		"[",
	};
	const char *as = strstr(path, " as ");

	while (*path == '&' || *path == '*' || starts(path, "mut ") || starts(path, "dyn "))
		path += *path == 'm' || *path == 'd' ? 4 : 1;
	if (STARTS_WITH_ANY(path, namespaces) || is_go_std(path))
		return true;
	if (as && as > path &&
	    (is_plain_type(path, (size_t)(as - path)) || *path == '[' || *path == '('))
		return hint_is_std(as + 4);
	return strstr(path, "::") && is_plain_type(path, (size_t)(strstr(path, "::") - path)) &&
	       strlen(path) > 3 && !(path[0] >= 'A' && path[0] <= 'Z');
}

bool hint_is_system_module(const char *module)
{
	static const char *const names[] = {
		"libc.so",     "libc-2.",     "libm.so",     "libm-2.",   "libpthread", "libdl.so",
		"libdl-2.",    "librt.so",    "librt-2.",    "libstdc++", "libc++",     "libgcc_s",
		"libgomp",     "libomp",      "ld-linux",    "ld-2.",     "ld-musl",    "libstd-",
		"libjemalloc", "libtcmalloc", "libmimalloc", "libpython", "libjvm.so",  "libtbb",
		"libatomic",   "[",
	};

	return STARTS_WITH_ANY(module, names);
}

bool hint_is_system_path(const char *path)
{
	static const char *const folders[] = { "/lib/",        "/lib64/",     "/lib32/",
					       "/usr/lib/",    "/usr/lib64/", "/usr/lib32/",
					       "/usr/libexec/" };

	return path && (strstr(path, ".so.") || strstr(path, ".so")) &&
	       STARTS_WITH_ANY(path, folders);
}

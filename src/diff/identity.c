/* SPDX-License-Identifier: MIT */
/*
 * What a function is called in every build of it.
 *
 * Compilers put suffixes behind the names of clones: GCC's .constprop.0, .isra.1, .part.2, .cold,
 * .lto_priv.3, LLVM's .llvm.4711; a demangler prints them as " [clone .isra.1]".  Rust's old
 * mangling ends in ::h and 16 digits of a hash of the build, the new one has the crate's in
 * brackets.  Folded files may mark kinds of frames with _[i], _[k] and so on.  All of that may
 * differ between two builds of the same source, and none of it names another function.
 *
 * A profile is made comparable by giving its lines the function of their identity: then every table
 * and walk over it counts a stack once for a function and all of its clones.
 */
#include <perfrep/diff.h>

#include <ctype.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/strbuf.h"
#include "base/vec.h"

/*
 * Whether the LEN bytes at S are a clone's word.  Those that always have a number behind them must
 * have it here: other languages have dots in names too.
 */
static bool is_clone_word(const char *s, size_t len, bool numbered)
{
	static const char *const words[] = {
		"cold",      "localalias", /* without a number too */
		"constprop", "isra",       "part", "lto_priv", "llvm", "specialized", "clone",
	};

	for (size_t i = 0; i < (numbered ? sizeof(words) / sizeof(*words) : 2); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return true;
	return false;
}

static size_t digits_before(const char *s, size_t end)
{
	size_t n = 0;

	while (n < end && isdigit((unsigned char)s[end - 1 - n]))
		n++;
	return n;
}

/* The length without one suffix ".word" or ".word.4711"; LEN when there is none. */
static size_t cut_dotted(const char *s, size_t len)
{
	size_t digits = digits_before(s, len), end = len, start;

	if (digits && len > digits && s[len - digits - 1] == '.')
		end = len - digits - 1;
	for (start = end; start && s[start - 1] != '.'; start--)
		;
	if (start < 2 || !is_clone_word(s + start, end - start, end < len))
		return len;
	return start - 1;
}

/* " [clone .isra.0]" */
static size_t cut_bracketed(const char *s, size_t len)
{
	static const char open[] = " [clone ";
	size_t at = len;

	if (!len || s[len - 1] != ']')
		return len;
	while (at && s[at - 1] != '[')
		at--;
	if (at < 2 || strncmp(s + at - 2, open, sizeof(open) - 1))
		return len;
	return at - 2;
}

/* "::h0123456789abcdef" */
static size_t cut_rust_hash(const char *s, size_t len)
{
	if (len <= 19 || memcmp(s + len - 19, "::h", 3))
		return len;
	for (size_t i = len - 16; i < len; i++)
		if (!isdigit((unsigned char)s[i]) && !(s[i] >= 'a' && s[i] <= 'f'))
			return len;
	return len - 19;
}

/* "_[i]" */
static size_t cut_mark(const char *s, size_t len, bool *inlined)
{
	if (len <= 4 || s[len - 4] != '_' || s[len - 3] != '[' || s[len - 1] != ']' ||
	    !strchr("ikjw", s[len - 2]))
		return len;
	*inlined |= s[len - 2] == 'i';
	return len - 4;
}

/* The length of a crate's hash "[0123456789abcdef]" that S starts with, else 0. */
static size_t crate_hash(const char *s, size_t left)
{
	size_t n = 1;

	while (n < left && isxdigit((unsigned char)s[n]) && !isupper((unsigned char)s[n]))
		n++;
	/* shorter ones may be an index of something */
	return n >= 9 && n <= 17 && n + 2 < left && s[n] == ']' && s[n + 1] == ':' ? n + 1 : 0;
}

static void copy_without_hashes(struct strbuf *sb, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		size_t skip = 0;

		if (s[i] == '[' && i && (isalnum((unsigned char)s[i - 1]) || s[i - 1] == '_'))
			skip = crate_hash(s + i, len - i);
		if (skip)
			i += skip - 1;
		else
			strbuf_addc(sb, s[i]);
	}
}

char *diff_identity(const char *name, bool *inlined)
{
	size_t len = strlen(name), before;
	struct strbuf sb = STRBUF_INIT;
	bool mark = false;

	len = cut_mark(name, len, &mark);
	do {
		before = len;
		len = cut_rust_hash(name, cut_bracketed(name, cut_dotted(name, len)));
	} while (len != before);
	if (inlined)
		*inlined = mark;
	copy_without_hashes(&sb, name, len);
	return sb.n ? strbuf_detach(&sb) : xstrdup(name);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* What functions are joined by. */
struct identities {
	struct profile *p;
	bool by_name;
	struct hashidx index; /* (name, module) -> function */
	uint32_t *to; /* by function: its identity's */
	uint8_t *marked; /* by function: a folded file said that it is inlined */
};

static uint32_t find_function(struct identities *ids, uint32_t name, uint32_t module,
			      uint16_t flags)
{
	uint64_t hash = hash_pair(name, module);
	struct hashidx_iter it = hashidx_first(&ids->index, hash);
	uint32_t id = hashidx_next(&ids->index, &it);

	if (id != HASHIDX_NONE)
		return id;
	id = profile_func(ids->p, name, module, flags);
	hashidx_add(&ids->index, hash, id);
	return id;
}

static void identify(struct identities *ids, uint32_t f)
{
	struct profile *p = ids->p;
	struct func func = p->funcs[f];
	bool marked;
	char *name = diff_identity(profile_str(p, func.name), &marked);
	const char *module = base_name(profile_str(p, func.module));

	func.name = profile_string(p, name, strlen(name));
	func.module = ids->by_name ? 0 : profile_string(p, module, strlen(module));
	ids->to[f] = find_function(ids, func.name, func.module, func.flags);
	ids->marked[f] = marked;
	free(name);
}

void diff_identify(struct profile *p, bool by_name)
{
	struct identities ids = { .p = p, .by_name = by_name };
	size_t n = p->nr_funcs;

	ids.to = xreallocarray(NULL, n + 1, sizeof(*ids.to));
	ids.marked = xcalloc(n + 1, 1);
	for (uint32_t f = 0; f < n; f++)
		identify(&ids, f);
	for (size_t i = 0; i < p->nr_lines; i++) {
		struct line *l = &p->lines[i];

		l->flags |= ids.marked[l->func] ? LINE_INLINED : 0;
		l->func = ids.to[l->func];
	}
	hashidx_release(&ids.index);
	free(ids.to);
	free(ids.marked);
}

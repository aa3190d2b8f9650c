/* SPDX-License-Identifier: MIT */
/*
 * What stackcollapse-perf.pl and inferno-collapse-perf make of the lines of perf script.
 *
 * Both read text: "PC NAME+OFFSET (FILE)" for a frame and "COMM TID …" for a sample, and their
 * rules are rules on that text, so the text is built here and taken apart as they do it.  The
 * offset that both take off again is always 0 here.  The facts are from FlameGraph's
 * stackcollapse-perf.pl and inferno's src/collapse/perf.rs and matcher.rs.
 */
#include <string.h>

#include "view/escape.h"
#include "view/folded_frames.h"

/* A frame, taken apart.  All borrowed. */
struct parts {
	const char *name;
	size_t name_len;
	const char *file;
	size_t file_len;
};

/* Of ASCII, whatever the locale. */
static bool is_white(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* What a version is made of. */
static bool is_version(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
	       c == '.' || c == '_';
}

static bool starts_with(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(s, word, n);
}

static bool ends_with(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(s + len - n, word, n);
}

static bool equals(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(s, word, len);
}

static bool contains(const char *s, size_t len, const char *word)
{
	return len && memmem(s, len, word, strlen(word));
}

#define OFFSET "+0x0"

/* ---- the frame's text -------------------------------------------------------------------- */

static const char *file_of(const struct frames *f, const struct location *l,
			   const struct line *line)
{
	const struct profile_modules *m = &f->opts->modules;
	const char *path = NULL;

	if (line->flags & LINE_INLINED)
		return "inlined";
	if (l->kind == LOC_DSO && m->path)
		path = m->path(m->ctx, l->dso);
	return path && *path ? path : "[unknown]";
}

/*
 * "NAME+OFFSET (FILE)", as perf script prints it behind the address; inferno reads it as UTF-8.
 * When the file's name holds " (" the offset would stay in the name: then there is none.
 */
static void frame_text(struct frames *f, const struct location *l, const struct line *line,
		       struct strbuf *out)
{
	const struct func *func = &f->p->funcs[line->func];
	const char *file = file_of(f, l, line);
	struct strbuf *raw = &f->scratch;

	strbuf_clear(raw);
	if ((line->flags | func->flags) & LINE_UNKNOWN)
		strbuf_adds(raw, "[unknown]");
	else
		strbuf_add(raw, profile_str(f->p, func->name), profile_strlen(f->p, func->name));
	if (!((line->flags | func->flags) & LINE_UNKNOWN) && !strstr(file, " ("))
		strbuf_adds(raw, OFFSET);
	strbuf_adds(raw, " (");
	strbuf_adds(raw, file);
	strbuf_addc(raw, ')');
	strbuf_clear(out);
	if (f->opts->compat == FOLD_INFERNO)
		escape_utf8(out, raw->s, raw->n);
	else
		strbuf_add(out, raw->s, raw->n);
}

/* /(.+) \((.*)\)/: the last " (" separates, what is behind it runs to the last ')'. */
static bool split_perl(const char *s, size_t len, struct parts *out)
{
	size_t at = len;

	while (at && is_white(*s)) {
		s++;
		at = --len;
	}
	while (at >= 2 && !(s[at - 2] == ' ' && s[at - 1] == '('))
		at--;
	if (at < 2)
		*out = (struct parts){ " ", 1, s + 1, len - 2 }; /* no name: "(FILE)" is left */
	else
		*out = (struct parts){ s, at - 2, s + at, len - at - 1 };
	return true;
}

/* Behind the last blank is the file, which must stand in brackets. */
static bool split_inferno(const char *s, size_t len, struct parts *out)
{
	const char *space = memrchr(s, ' ', len), *end = s + len;
	size_t n = (size_t)(space - s);

	if (space[1] != '(' || end[-1] != ')')
		return false;
	while (n && is_white(*s)) {
		s++;
		n--;
	}
	while (n && is_white(s[n - 1]))
		n--;
	*out = (struct parts){ n ? s : " ", n ? n : 1, space + 2, (size_t)(end - space) - 3 };
	return true;
}

/* ---- names ------------------------------------------------------------------------------- */

/* A name such as net/http.(*Client).Do: ".(" and behind it ")." */
static bool looks_like_go(const char *s, size_t len)
{
	const char *open = memmem(s, len, ".(", 2);

	return open && contains(open + 2, (size_t)(s + len - open - 2), ").");
}

static size_t cut_perl(const char *s, size_t len)
{
	if (looks_like_go(s, len))
		return len;
	for (size_t i = 0; i < len; i++)
		if (s[i] == '(' && !starts_with(s + i, len - i, "(anonymous namespace)"))
			return i;
	return len;
}

static size_t cut_inferno(const char *s, size_t len)
{
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (strchr("<{[", s[i]) && s[i])
			depth++;
		if (strchr(">}])", s[i]) && s[i])
			depth--;
		if (s[i] != '(')
			continue;
		if (!depth && !(i && s[i - 1] == '.') &&
		    !starts_with(s + i, len - i, "(anonymous namespace)"))
			return i;
		depth++;
	}
	return len;
}

/* Escapes of Rust's legacy mangling that inferno knows. */
static const char *const rust_escapes[][2] = {
	{ "$SP$", "@" },  { "$BP$", "*" },  { "$RF$", "&" },  { "$LT$", "<" },  { "$GT$", ">" },
	{ "$LP$", "(" },  { "$RP$", ")" },  { "$C$", "," },   { "$u7e$", "~" }, { "$u20$", " " },
	{ "$u27$", "'" }, { "$u3d$", "=" }, { "$u5b$", "[" }, { "$u5d$", "]" }, { "$u7b$", "{" },
	{ "$u7d$", "}" }, { "$u3b$", ";" }, { "$u2b$", "+" }, { "$u21$", "!" }, { "$u22$", "\"" },
};

static size_t rust_escape(const char *s, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < sizeof(rust_escapes) / sizeof(*rust_escapes); i++)
		if (starts_with(s, len, rust_escapes[i][0])) {
			strbuf_adds(out, rust_escapes[i][1]);
			return strlen(rust_escapes[i][0]);
		}
	strbuf_add(out, s, len);
	return len;
}

/* inferno: a name that ends in a hash (h and 16 digits) is half-demangled Rust. */
static bool fix_rust(const char *s, size_t len, struct strbuf *out)
{
	enum { HASH = 17 };

	if (len < HASH || s[len - HASH] != 'h')
		return false;
	for (size_t i = len - HASH + 1; i < len; i++)
		if (!is_hex(s[i]))
			return false;
	len -= HASH;
	if (ends_with(s, len, "::"))
		len -= 2;
	if (starts_with(s, len, "_$")) {
		s++;
		len--;
	}
	strbuf_clear(out);
	for (size_t i = 0; i < len;) {
		if (s[i] == '$') {
			i += rust_escape(s + i, len - i, out);
		} else if (starts_with(s + i, len - i, "..")) {
			strbuf_adds(out, "::");
			i += 2;
		} else {
			strbuf_addc(out, s[i++]);
		}
	}
	return true;
}

/* ---- one name ---------------------------------------------------------------------------- */

struct compat_frame {
	struct frames *f;
	const struct location *l;
	const char *file;
	size_t file_len;
	bool java, first;
};

/* "[unknown]" gives way to the file, and may have the address. */
static void add_unknown(const struct compat_frame *c, struct strbuf *out)
{
	const char *file = c->file;
	size_t len = c->file_len;
	const char *slash = memrchr(file, '/', len);

	if (slash) {
		len -= (size_t)(slash + 1 - file);
		file = slash + 1;
	}
	if (equals(c->file, c->file_len, "[unknown]")) {
		file = "unknown";
		len = strlen(file);
	}
	strbuf_addc(out, '[');
	strbuf_add(out, file, len);
	if (c->f->opts->addrs) {
		strbuf_adds(out, " <");
		strbuf_addx(out, c->l->ip);
		strbuf_addc(out, '>');
	}
	strbuf_addc(out, ']');
}

/* /vmlinux$/ and /^\[/, but not /unknown/ */
static bool is_kernel_perl(const char *s, size_t len)
{
	return (starts_with(s, len, "[") || ends_with(s, len, "vmlinux")) &&
	       !contains(s, len, "unknown");
}

static bool is_kernel_inferno(const char *s, size_t len)
{
	size_t at = len;

	if (equals(s, len, "[unknown]"))
		return false;
	if (starts_with(s, len, "[") || ends_with(s, len, ".ko"))
		return true;
	/* vmlinux, or one with a version behind: vmlinux-6.1.0-13-amd64 */
	while (at && is_version(s[at - 1]) && !starts_with(s + at, len - at, "vmlinux"))
		at--;
	return starts_with(s + at, len - at, "vmlinux");
}

/* m:/tmp/perf-\d+\.map: */
static bool is_jit_perl(const char *s, size_t len)
{
	static const char word[] = "/tmp/perf-";
	const char *at = s, *end = s + len;

	while ((at = memmem(at, (size_t)(end - at), word, sizeof(word) - 1))) {
		const char *digits = at + sizeof(word) - 1, *p = digits;

		while (p < end && is_digit(*p))
			p++;
		if (p > digits && starts_with(p, (size_t)(end - p), ".map"))
			return true;
		at++;
	}
	return false;
}

static bool is_jit_inferno(const char *s, size_t len)
{
	return (starts_with(s, len, "/tmp/perf-") && ends_with(s, len, ".map")) ||
	       (contains(s, len, "/jitted-") && ends_with(s, len, ".so"));
}

static const char *compat_mark(const struct compat_frame *c, const struct strbuf *name)
{
	bool inferno = c->f->opts->compat == FOLD_INFERNO;
	bool kernel = inferno ? is_kernel_inferno(c->file, c->file_len)
			      : is_kernel_perl(c->file, c->file_len);
	bool jit = inferno ? is_jit_inferno(c->file, c->file_len)
			   : is_jit_perl(c->file, c->file_len);

	if (!c->first)
		return contains(name->s, name->n, "_[i]") ? "" : "_[i]";
	if ((c->f->opts->marks & FOLD_MARK_KERNEL) && kernel)
		return "_[k]";
	if ((c->f->opts->marks & FOLD_MARK_JIT) && jit)
		return contains(name->s, name->n, "_[j]") ? "" : "_[j]";
	return "";
}

static void remove_quotes(struct strbuf *sb)
{
	size_t to = 0;

	for (size_t i = 0; i < sb->n; i++)
		if (sb->s[i] != '"' && sb->s[i] != '\'')
			sb->s[to++] = sb->s[i];
	sb->n = to;
}

static void compat_name(const struct compat_frame *c, const char *s, size_t len)
{
	struct strbuf *out = &c->f->scratch;
	size_t skip = 0;

	strbuf_clear(out);
	if (equals(s, len, "[unknown]"))
		add_unknown(c, out);
	else
		strbuf_add(out, s, len);
	for (size_t i = 0; i < out->n; i++)
		if (out->s[i] == ';')
			out->s[i] = ':';
	if (c->f->opts->compat == FOLD_FLAMEGRAPH) {
		out->n = cut_perl(strbuf_str(out), out->n);
		remove_quotes(out);
	} else {
		out->n = cut_inferno(strbuf_str(out), out->n);
	}
	if (c->java && starts_with(strbuf_str(out), out->n, "L") && contains(out->s, out->n, "/"))
		skip = 1;
	strbuf_adds(out, compat_mark(c, out));
	frames_push(c->f, strbuf_str(out) + skip, out->n - skip);
}

/* A->B->C, as perf-map-agent names what was inlined, is a frame for each. */
static void split_arrows(struct compat_frame *c, const char *s, size_t len)
{
	/* perl's split gives no empty fields at the end */
	while (c->f->opts->compat == FOLD_FLAMEGRAPH && ends_with(s, len, "->"))
		len -= 2;
	if (!len && c->f->opts->compat == FOLD_FLAMEGRAPH)
		return;
	for (;;) {
		const char *arrow = len ? memmem(s, len, "->", 2) : NULL;
		size_t n = arrow ? (size_t)(arrow - s) : len;

		compat_name(c, s, n);
		c->first = false;
		if (!arrow)
			return;
		s += n + 2;
		len -= n + 2;
	}
}

void compat_line(struct frames *f, const struct location *l, const struct line *line, bool java)
{
	struct compat_frame c = { .f = f, .l = l, .java = java, .first = true };
	bool inferno = f->opts->compat == FOLD_INFERNO;
	struct strbuf text = STRBUF_INIT, fixed = STRBUF_INIT;
	struct parts parts;

	if (l->kind == LOC_MARK) /* ours, perf script has none */
		return;
	frame_text(f, l, line, &text);
	if ((inferno ? split_inferno : split_perl)(text.s, text.n, &parts) && *parts.name != '(') {
		if (ends_with(parts.name, parts.name_len, OFFSET))
			parts.name_len -= strlen(OFFSET);
		c.file = parts.file;
		c.file_len = parts.file_len;
		if (inferno && fix_rust(parts.name, parts.name_len, &fixed))
			split_arrows(&c, strbuf_str(&fixed), fixed.n);
		else
			split_arrows(&c, parts.name, parts.name_len);
	}
	strbuf_release(&text);
	strbuf_release(&fixed);
}

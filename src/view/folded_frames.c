/* SPDX-License-Identifier: MIT */
/*
 * The frames of every root and location, made once, before any stack is looked at: names are
 * escaped and marked once per distinct location, and stacks are compared by ids.
 */
#include "view/folded_frames.h"

#include <stdlib.h>
#include <string.h>

#include "view/utf8.h"

void frames_push(struct frames *f, const char *s, size_t len)
{
	vec_push(&f->v, intern_add(&f->names, s, len));
}

static void add_byte_escape(struct strbuf *sb, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char text[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };

	switch (c) {
	case '\n':
		return strbuf_add(sb, "\\n", 2);
	case '\t':
		return strbuf_add(sb, "\\t", 2);
	case '\r':
		return strbuf_add(sb, "\\r", 2);
	default:
		return strbuf_add(sb, text, 4);
	}
}

/* Whether a reader of lines, or a terminal, would not take the character as text. */
static bool is_plain(int32_t cp)
{
	return cp >= 0x20 && !(cp >= 0x7f && cp < 0xa0) && cp != 0x2028 && cp != 0x2029;
}

/* The rule of folded.h. */
static void add_escaped(struct strbuf *sb, const char *s, size_t len)
{
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		int32_t cp = utf8_decode(s + i, len - i, &size);

		if (cp == ';')
			strbuf_addc(sb, ':');
		else if (is_plain(cp))
			strbuf_add(sb, s + i, size);
		else
			for (size_t k = 0; k < size; k++)
				add_byte_escape(sb, (unsigned char)s[i + k]);
	}
}

static const char *mark_of(const struct frames *f, unsigned flags)
{
	unsigned marks = f->opts->marks;

	if ((marks & FOLD_MARK_INLINED) && (flags & LINE_INLINED))
		return "_[i]";
	if ((marks & FOLD_MARK_KERNEL) && (flags & LINE_KERNEL))
		return "_[k]";
	if ((marks & FOLD_MARK_JIT) && (flags & LINE_JIT))
		return "_[j]";
	return "";
}

/* "[libc.so.6]" to "[libc.so.6 <7f12…>]". */
static void add_address(struct strbuf *sb, const struct location *l)
{
	bool bracket = sb->n && sb->s[sb->n - 1] == ']';

	if (bracket)
		sb->n--;
	strbuf_adds(sb, " <");
	strbuf_addx(sb, l->ip ? l->ip : l->addr);
	strbuf_adds(sb, bracket ? ">]" : ">");
}

static void plain_line(struct frames *f, const struct location *l, const struct line *line)
{
	const struct func *func = &f->p->funcs[line->func];
	unsigned flags = line->flags | func->flags;

	strbuf_clear(&f->text);
	add_escaped(&f->text, profile_str(f->p, func->name), profile_strlen(f->p, func->name));
	if (f->opts->addrs && (flags & LINE_UNKNOWN))
		add_address(&f->text, l);
	strbuf_adds(&f->text, mark_of(f, flags));
	frames_push(f, strbuf_str(&f->text), f->text.n);
}

static void add_id(struct strbuf *sb, int32_t id)
{
	if (id < 0)
		strbuf_addc(sb, '?');
	else
		strbuf_addu(sb, (uint64_t)id);
}

static void plain_key(struct frames *f, const struct stack_key *key)
{
	if (f->p->folded)
		return;
	strbuf_clear(&f->text);
	add_escaped(&f->text, profile_str(f->p, key->comm), profile_strlen(f->p, key->comm));
	if (f->opts->pid || f->opts->tid) {
		strbuf_addc(&f->text, '-');
		add_id(&f->text, key->pid);
	}
	if (f->opts->tid) {
		strbuf_addc(&f->text, '/');
		add_id(&f->text, key->tid);
	}
	frames_push(f, strbuf_str(&f->text), f->text.n);
}

static void make_loc(struct frames *f, uint32_t id, bool java)
{
	const struct location *l = &f->p->locs[id];
	uint32_t first = (uint32_t)f->v.n;

	for (uint32_t i = l->nr_lines; i-- > 0;) {
		const struct line *line = &f->p->lines[l->first_line + i];

		if (f->opts->compat == FOLD_PLAIN)
			plain_line(f, l, line);
		else
			compat_line(f, l, line, java);
	}
	f->locs[java][id] = (struct frames_range){ first, (uint32_t)f->v.n - first };
}

static void make_key(struct frames *f, uint32_t id)
{
	uint32_t first = (uint32_t)f->v.n;

	if (f->opts->compat == FOLD_PLAIN || f->p->folded)
		plain_key(f, &f->p->keys[id]);
	else
		compat_key(f, &f->p->keys[id], id);
	f->keys[id] = (struct frames_range){ first, (uint32_t)f->v.n - first };
}

void frames_init(struct frames *f, const struct profile *p, const struct fold_options *opts)
{
	bool java = false;

	*f = (struct frames){ .p = p, .opts = opts };
	f->keys = xcalloc(p->nr_keys, sizeof(*f->keys));
	f->dropped = xcalloc(p->nr_keys, sizeof(*f->dropped));
	f->java = xcalloc(p->nr_keys, sizeof(*f->java));
	for (uint32_t i = 0; i < p->nr_keys; i++) {
		make_key(f, i);
		java |= f->java[i];
	}
	for (int k = 0; k <= java; k++) {
		f->locs[k] = xcalloc(p->nr_locs, sizeof(*f->locs[k]));
		for (uint32_t i = 0; i < p->nr_locs; i++)
			make_loc(f, i, k);
	}
}

void frames_release(struct frames *f)
{
	intern_release(&f->names);
	vec_release(&f->v);
	free(f->keys);
	free(f->dropped);
	free(f->java);
	free(f->locs[0]);
	free(f->locs[1]);
	strbuf_release(&f->text);
	strbuf_release(&f->scratch);
}

/* SPDX-License-Identifier: MIT */
/*
 * The root of a stack as the collapsers find it: in the first line of a sample of perf script,
 * "COMM TID [CPU] TIME: …", which nothing keeps a comm with blanks and digits from confusing.
 * As with frames, the text is built and taken apart by the rule of each.
 */
#include <string.h>

#include "view/escape.h"
#include "view/folded_frames.h"

/* Of ASCII, whatever the locale. */
static bool is_white(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* What was found in "COMM TID …". */
struct sample_line {
	const char *comm, *pid, *tid;
	size_t comm_len, pid_len, tid_len;
};

static size_t count_digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* ^(\S.+?)\s+(\d+)[/]*(\d+)*\s+ */
static bool sample_perl(const char *s, struct sample_line *out)
{
	if (!*s || is_white(*s))
		return false;
	for (size_t i = 2; i < strlen(s); i++) {
		const char *p = s + i;
		struct sample_line l = { .comm = s, .comm_len = i };

		p += strspn(p, " \t\r\f\v");
		if (p == s + i)
			continue;
		l.pid = p;
		l.pid_len = count_digits(p);
		if (!l.pid_len)
			continue;
		p += l.pid_len;
		p += strspn(p, "/");
		l.tid = p;
		l.tid_len = count_digits(p);
		if (!is_white(p[l.tid_len]))
			continue;
		*out = l;
		return true;
	}
	return false;
}

/* The first word of digits (and slashes) that is not the line's first; comm is trimmed. */
static bool sample_inferno(const char *s, struct sample_line *out)
{
	for (const char *at = strchr(s, ' '); at; at = strchr(at + 1, ' ')) {
		const char *word = at + 1, *slash;
		size_t n = strspn(word, "0123456789/");

		if (!n || word[n] != ' ')
			continue;
		slash = memrchr(word, '/', n);
		out->pid = word;
		out->pid_len = slash ? (size_t)(slash - word) : n;
		out->tid = slash ? slash + 1 : word;
		out->tid_len = slash ? n - out->pid_len - 1 : 0;
		out->comm = s;
		out->comm_len = (size_t)(at - s);
		while (out->comm_len && is_white(*out->comm)) {
			out->comm++;
			out->comm_len--;
		}
		while (out->comm_len && is_white(out->comm[out->comm_len - 1]))
			out->comm_len--;
		return true;
	}
	return false;
}

/*
 * The start of the sample's line, with one number as tid, or PID/TID when they are asked for
 * (perf script -F +pid, which the collapsers want for that).  A newline in the comm splits the
 * line: what is behind the last one is what counts.
 */
static void sample_text(struct frames *f, const struct stack_key *key, struct strbuf *out)
{
	const char *comm = profile_str(f->p, key->comm), *nl = strrchr(comm, '\n');

	strbuf_clear(&f->scratch);
	strbuf_adds(&f->scratch, nl ? nl + 1 : comm);
	if (f->opts->pid || f->opts->tid)
		strbuf_addf(&f->scratch, " %5d/%-5d ", key->pid < 0 ? 0 : key->pid,
			    key->tid < 0 ? 0 : key->tid);
	else
		strbuf_addf(&f->scratch, " %5d ", key->tid < 0 ? 99999 : key->tid);
	strbuf_clear(out);
	if (f->opts->compat == FOLD_INFERNO)
		escape_utf8(out, f->scratch.s, f->scratch.n);
	else
		strbuf_add(out, f->scratch.s, f->scratch.n);
}

static void add_root(struct frames *f, const struct sample_line *l, struct strbuf *out)
{
	bool has_tid = l->tid_len != 0;

	strbuf_add(out, l->comm, l->comm_len);
	if (f->opts->pid || f->opts->tid) {
		strbuf_addc(out, '-');
		if (has_tid)
			strbuf_add(out, l->pid, l->pid_len);
		else
			strbuf_addc(out, '?');
	}
	if (f->opts->tid) {
		strbuf_addc(out, '/');
		strbuf_add(out, has_tid ? l->tid : l->pid, has_tid ? l->tid_len : l->pid_len);
	}
	/* perl translates the finished name, inferno the comm: there is no blank in the rest */
	for (size_t i = 0; i < out->n; i++)
		if (out->s[i] == ' ')
			out->s[i] = '_';
}

/* A ';' in a comm is not replaced: to whoever reads the line it separates frames. */
static void push_root(struct frames *f, const char *s, size_t len)
{
	for (;;) {
		const char *semi = memchr(s, ';', len);
		size_t n = semi ? (size_t)(semi - s) : len;

		frames_push(f, s, n);
		if (!semi)
			return;
		s += n + 1;
		len -= n + 1;
	}
}

void compat_key(struct frames *f, const struct stack_key *key, uint32_t id)
{
	bool inferno = f->opts->compat == FOLD_INFERNO;
	struct strbuf text = STRBUF_INIT, root = STRBUF_INIT;
	struct sample_line l;
	bool ok;

	sample_text(f, key, &text);
	ok = (inferno ? sample_inferno : sample_perl)(text.s, &l);
	if (!ok && !inferno && !is_white(*text.s)) {
		/* one letter and no blank to spare: as with a tid of fewer than five digits */
		l = (struct sample_line){ .comm = text.s, .comm_len = 2, .pid = "?", .pid_len = 1 };
		ok = true;
	}
	if (!ok || *text.s == '#') {
		f->dropped[id] = true;
	} else {
		add_root(f, &l, &root);
		push_root(f, strbuf_str(&root), root.n);
		f->java[id] = !strncmp(strbuf_str(&root), "java", 4);
	}
	strbuf_release(&text);
	strbuf_release(&root);
}

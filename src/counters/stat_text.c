/* SPDX-License-Identifier: MIT */
/*
 * perf stat's output for eyes.  A block begins with "Performance counter stats for …" or, with -I,
 * with a comment that names the columns; what the program printed before it is passed over.  In a
 * line the value is the first word that is a number or "<not …>"; before it stand a time (-I) and
 * a place (-A, --per-core …), behind it perhaps a unit, the event, a comment, and in brackets the
 * spread (-r) and the share of time (when events took turns).
 *
 * Source: tools/perf/util/stat-display.c.
 */
#include "counters/stat_parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

#define BEGINS "Performance counter stats for "

static struct span next_word(struct span *rest)
{
	struct span w;
	size_t n = 0;

	*rest = span_trim(*rest);
	while (n < rest->n && rest->s[n] != ' ' && rest->s[n] != '\t')
		n++;
	if (rest->n >= 5 && !memcmp(rest->s, "<not ", 5)) {
		const char *close = memchr(rest->s, '>', rest->n);

		n = close ? (size_t)(close - rest->s) + 1 : n;
	}
	w = (struct span){ rest->s, n };
	rest->s += n;
	rest->n -= n;
	return w;
}

/* "'CMD' (3 runs):" */
static void begin_block(struct stat_parser *p, struct span rest)
{
	const char *runs = span_find(rest, " runs)");
	size_t n = rest.n;

	p->set->outputs++;
	if (p->set->outputs > 1)
		return;
	p->in_block = true;
	if (runs) {
		const char *open = memrchr(rest.s, '(', (size_t)(runs - rest.s));

		if (open)
			p->set->runs = (unsigned)strtoul(open + 1, NULL, 10);
		n = open ? (size_t)(open - rest.s) : n;
	}
	while (n && strchr(" :", rest.s[n - 1]))
		n--;
	if (n >= 2 && *rest.s == '\'' && rest.s[n - 1] == '\'') {
		rest.s++;
		n -= 2;
	}
	p->set->what = xstrndup(rest.s, n);
}

/* "0.195 seconds time elapsed", "0.0814 +- 0.0000064 seconds time elapsed  ( +-  0.01% )" */
static bool take_seconds(struct stat_parser *p, struct span line)
{
	struct span word = next_word(&line);
	double v;

	if (stat_number(word, &v) != NUMBER_OK)
		return false;
	if (span_find(line, "seconds time elapsed"))
		p->set->elapsed = v;
	else if (span_find(line, "seconds user"))
		p->set->user = v;
	else if (span_find(line, "seconds sys"))
		p->set->sys = v;
	else
		return false;
	return true;
}

/* A bracket "( +- 5.33% )" or "(33.21%)" at the end of LINE, which is cut before it. */
static bool take_bracket(struct span *line, double *spread, double *running)
{
	struct span in, after;
	const char *open;
	double v;

	*line = span_trim(*line);
	if (!line->n || line->s[line->n - 1] != ')')
		return false;
	open = memrchr(line->s, '(', line->n);
	if (!open)
		return false;
	in = span_trim((struct span){ open + 1, (size_t)(line->s + line->n - open - 2) });
	if (!in.n || in.s[in.n - 1] != '%')
		return false;
	in.n--;
	after = span_after(in, "+-");
	if (stat_number(span_trim(after.s ? after : in), &v) != NUMBER_OK)
		return false;
	*(after.s ? spread : running) = v / 100;
	line->n = (size_t)(open - line->s);
	return true;
}

static bool is_unit(struct span s)
{
	static const char *const units[] = {
		"msec", "ns",  "us",    "ms",     "s",     "Joules",       "KiB",
		"MiB",  "GiB", "KB",    "MB",     "GB",    "Bytes",        "bytes",
		"C",    "%",   "Watts", "MB/sec", "MiB/s", "duration_time"
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (span_is(s, units[i]))
			return true;
	return false;
}

/* Unit and event: one word is an event; of two the first is a unit. */
static bool take_names(struct span text, struct counter_reading *r)
{
	struct span rest = span_trim(text), first = next_word(&rest), event = span_trim(rest);

	if (!first.n)
		return false;
	if (!event.n || (!is_unit(first) && span_find(event, " "))) {
		event = span_trim(text);
	} else {
		r->unit = first.s;
		r->unit_len = first.n;
	}
	r->name = event.s;
	r->name_len = event.n;
	return true;
}

/* "S0  2", "CPU0", "comm-42": all before the value. */
static void take_place(struct span words, struct counter_reading *r)
{
	const char *blank;

	words = span_trim(words);
	blank = words.n ? memrchr(words.s, ' ', words.n) : NULL;
	if (blank &&
	    span_digits((struct span){ blank + 1, (size_t)(words.s + words.n - blank - 1) }, 1,
			9) &&
	    (*words.s == 'S' || *words.s == 'N' || *words.s == 'D'))
		words = span_trim((struct span){ words.s, (size_t)(blank - words.s) });
	if (words.n) {
		r->where = words.s;
		r->where_len = words.n;
	}
}

/* Whether a number here may be the count of CPUs behind "S0": then the value is yet to come. */
static bool value_follows(struct span rest)
{
	struct span word = next_word(&rest);
	double v;

	return stat_not_state(word) || stat_grouped_number(word, &v) != NUMBER_NONE;
}

/* The value, with all before it in FRONT and all behind it in REST; false if there is none. */
static bool find_value(struct span line, struct span *front, struct span *value, struct span *rest)
{
	struct span left = line;
	double v;

	for (;;) {
		*value = next_word(&left);
		if (!value->n)
			return false;
		if (stat_not_state(*value) ||
		    (stat_grouped_number(*value, &v) != NUMBER_NONE && !value_follows(left)))
			break;
	}
	*front = (struct span){ line.s, (size_t)(value->s - line.s) };
	*rest = left;
	return true;
}

static int reading(struct stat_parser *p, struct span line)
{
	struct counter_reading r = { .running = 1, .spread = -1, .time = -1 };
	struct span front, value, rest, word, before = line;
	const char *hash;

	while (take_bracket(&line, &r.spread, &r.running))
		;
	hash = memchr(line.s, '#', line.n);
	if (hash)
		line.n = (size_t)(hash - line.s);
	line = span_trim(line);
	if (!line.n) {
		p->set->metrics++;
		return 0;
	}
	word = next_word(&before);
	if (stat_time(word, &r.time))
		line = span_trim((struct span){ before.s, (size_t)(line.s + line.n - before.s) });
	else
		r.time = -1;
	if (!find_value(line, &front, &value, &rest))
		return stat_fail(p, line.s, "expected a count, found \"%.*s\"",
				 (int)(line.n < 40 ? line.n : 40), line.s);
	r.state = stat_not_state(value);
	if (!r.state) {
		if (stat_grouped_number(value, &r.value) != NUMBER_OK)
			return stat_fail(p, value.s, "the count %.*s does not fit into 64 bits",
					 (int)(value.n < 40 ? value.n : 40), value.s);
		r.state = COUNTER_COUNTED;
	}
	if (r.running > 1)
		return stat_fail(p, line.s, "expected a percentage up to 100 in brackets");
	if (!take_names(rest, &r))
		return stat_fail(p, value.s + value.n, "expected an event behind the count");
	take_place(front, &r);
	counter_set_add(p->set, &r);
	return 0;
}

int stat_text_line(struct stat_parser *p)
{
	struct span line = span_trim(p->line), rest = span_after(line, BEGINS);
	bool names_columns = line.n && *line.s == '#' && span_find(line, "counts") &&
			     span_find(line, "time");

	if (rest.s) {
		begin_block(p, rest);
		return 0;
	}
	if (names_columns) {
		p->in_block = true;
		p->set->outputs += !p->set->outputs;
		return 0;
	}
	if (p->set->outputs > 1 || !p->in_block || !line.n || *line.s == '#') {
		if (p->in_block && line.n > 1 && *line.s == '#' && line.s[1] == ' ')
			p->set->metrics++;
		return 0;
	}
	if (take_seconds(p, line)) {
		p->past_block = true;
		return 0;
	}
	if (p->past_block) {
		if (!p->set->skipped++)
			p->set->first_skipped = p->line_no;
		return 0;
	}
	return reading(p, line);
}

/* SPDX-License-Identifier: MIT */
/*
 * Lines of perf stat --metric-only:
 *
 *	text	names and values end in the same column, or the value some columns behind
 *	-x	NAME,NAME,  below it [time,][place,[n,]]value,value,
 *	-j	{"unit" : NAME, …}, below it {"interval" : …}{"metric-value" : …}{…} (6.x), or since
 *		6.14 one object with the names for keys
 */
#include "counters/stat_metrics_line.h"

#include <string.h>
#include <strings.h>

#define SHIFT_MAX 8 /* columns that values may end behind their name */

/* ---- values ---- */

/* "0.53", "12.5%"; "nan", "none" and nothing are not known, which is no error. */
static bool take_value(struct span s, double *v)
{
	static const char *const unknown[] = { "nan", "-nan", "inf", "-inf", "none", "--" };

	s = span_trim(s);
	*v = -1;
	if (s.n && s.s[s.n - 1] == '%')
		s.n--;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		if (s.n == strlen(unknown[i]) && !strncasecmp(s.s, unknown[i], s.n))
			return true;
	return !s.n || stat_not_state(s) || stat_number(s, v) == NUMBER_OK;
}

static void add(struct metrics *m, struct span name, double value, double time, struct span where)
{
	if (value >= 0)
		counter_set_add_metric(m->p->set,
				       &(struct counter_metric_reading){ .name = name.s,
									 .name_len = name.n,
									 .where = where.s,
									 .where_len = where.n,
									 .time = time,
									 .value = value });
}

static bool is_place(struct span s)
{
	static const char *const words[] = {
		"time",    "cpu",   "cpus", "core",   "die",      "socket", "node",
		"cluster", "cache", "comm", "thread", "interval", "pid",    "aggregate-number",
		"counters"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_is(s, words[i]))
			return true;
	return false;
}

/* ---- CSV ---- */

static struct span next_field(struct span *rest, char sep)
{
	const char *at = memchr(rest->s, sep, rest->n);
	struct span f = { rest->s, at ? (size_t)(at - rest->s) : rest->n };
	size_t used = f.n + (at != NULL);

	rest->s += used;
	rest->n -= used;
	return span_trim(f);
}

static bool has_letter(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.s[i] >= 'a' && s.s[i] <= 'z') || (s.s[i] >= 'A' && s.s[i] <= 'Z'))
			return true;
	return false;
}

/* The names of a header of -x; false when the line is none. */
bool stat_metrics_csv_header(struct metrics *m, struct span line, char sep)
{
	struct span rest = line;
	double v;

	m->nr_names = 0;
	if (!line.n || line.s[line.n - 1] != sep)
		return false;
	while (rest.n) {
		struct span f = next_field(&rest, sep);

		if (!has_letter(f) || stat_number(f, &v) != NUMBER_NONE || stat_not_state(f))
			return false;
		if (is_place(f))
			continue;
		if (!m->nr_names && span_after(f, "cpus").s) /* 6.1 forgets the separator */
			f = span_after(f, "cpus");
		if (m->nr_names == STAT_METRICS_MAX)
			return false;
		m->names[m->nr_names++] = f;
	}
	m->sep = sep;
	return m->nr_names > 0;
}

/* The values are the last fields: how many stand before them differs between versions. */
int stat_metrics_csv_line(struct metrics *m)
{
	struct span rest = m->p->line, fields[STAT_METRICS_MAX + 4], where = { NULL, 0 };
	size_t n = 0, first;
	double time = -1, v;

	while (rest.n && n < STAT_METRICS_MAX + 4)
		fields[n++] = next_field(&rest, m->sep);
	if (rest.n || n < m->nr_names)
		return stat_fail(m->p, m->p->line.s, "expected %zu metrics, found %zu fields",
				 m->nr_names, n);
	first = n - m->nr_names;
	for (size_t i = 0; i < first; i++) {
		if (stat_time(fields[i], &v))
			time = v;
		else if (has_letter(fields[i]))
			where = fields[i];
	}
	for (size_t i = 0; i < m->nr_names; i++) {
		if (!take_value(fields[first + i], &v))
			return stat_fail(m->p, fields[first + i].s,
					 "expected the value of a metric, found \"%.*s\"",
					 (int)(fields[first + i].n < 40 ? fields[first + i].n : 40),
					 fields[first + i].s);
		add(m, m->names[i], v, time, where);
	}
	return 0;
}

/* Whether some field of the line is a number. */
bool stat_metrics_csv_values(struct span line, char sep)
{
	double v;

	while (line.n)
		if (stat_number(next_field(&line, sep), &v) == NUMBER_OK)
			return true;
	return false;
}

/* ---- text ---- */

/* A line of names: no word of it is a number, or would be one. */
bool stat_metrics_text_header(struct span line)
{
	struct span rest = span_trim(line);
	double v;

	if (!has_letter(rest))
		return false;
	while (rest.n) {
		struct span word = next_field(&rest, ' ');

		if (word.n && (strchr("0123456789-+.<", *word.s) || take_value(word, &v)))
			return false;
	}
	return true;
}

/* The end of the name above a value that ends at END; 0: there is none. */
static size_t name_end(const struct metrics *m, size_t after, size_t end)
{
	const struct span *h = &m->header;
	size_t least = end > SHIFT_MAX ? end - SHIFT_MAX : 0;

	for (size_t e = end < h->n ? end : h->n; e > after && e > m->skip && e >= least; e--)
		if (h->s[e - 1] != ' ' && (e == h->n || h->s[e] == ' '))
			return e;
	return 0;
}

/*
 * The name that ends at END of the header: behind the column before it, which another line may
 * have had a value in, and without what two blanks divide off.
 */
static struct span name_at(struct metrics *m, size_t after, size_t end)
{
	struct span s;
	size_t i = 0;

	after = after > m->skip ? after : m->skip;
	for (; i < m->nr_ends && m->ends[i] < end; i++)
		after = m->ends[i] > after ? m->ends[i] : after;
	if ((i == m->nr_ends || m->ends[i] != end) && m->nr_ends < STAT_METRICS_MAX) {
		memmove(&m->ends[i + 1], &m->ends[i], (m->nr_ends - i) * sizeof(*m->ends));
		m->ends[i] = end;
		m->nr_ends++;
	}
	s = span_trim((struct span){ m->header.s + after, end - after });
	for (i = s.n; i-- > 1;)
		if (s.s[i] == ' ' && s.s[i - 1] == ' ')
			return span_trim((struct span){ s.s + i, s.n - i });
	return s;
}

int stat_metrics_text_line(struct metrics *m)
{
	struct span line = m->p->line, where = { NULL, 0 };
	size_t at = 0, after = 0;
	double time = -1, v;

	while (at < line.n) {
		size_t begin, end;
		struct span word;

		while (at < line.n && line.s[at] == ' ')
			at++;
		for (begin = at; at < line.n && line.s[at] != ' ';)
			at++;
		word = span_trim((struct span){ line.s + begin, at - begin });
		end = name_end(m, after, begin + word.n);
		if (!word.n)
			continue;
		if (!end && !after && time < 0 && stat_time(word, &v))
			time = v;
		else if (!end && !after && (has_letter(word) || where.s))
			where = where.s ? where : word;
		else if (!end || !take_value(word, &v))
			return stat_fail(m->p, word.s,
					 "expected the value of a metric, found \"%.*s\"",
					 (int)(word.n < 40 ? word.n : 40), word.s);
		else
			add(m, name_at(m, after, end), v, time, where);
		after = end ? end : after;
	}
	return 0;
}

/* ---- JSON ---- */

/* A pair of an object, from *REST on; false at its end, or where it is broken. */
static bool next_pair(struct span *rest, struct span *key, struct span *value)
{
	struct span *const parts[] = { key, value };

	for (int i = 0; i < 2; i++) {
		const char *end = rest->s + rest->n, *p = rest->s, *q;

		while (p < end && (strchr(" ,:\t", *p) || (!i && strchr("{}", *p))))
			p++;
		if (p < end && *p == '"') {
			q = memchr(p + 1, '"', (size_t)(end - p - 1));
			if (!q)
				return false;
			*parts[i] = span_trim((struct span){ p + 1, (size_t)(q - p - 1) });
			q++;
		} else if (i && p < end) {
			for (q = p; q < end && !strchr(",}", *q);)
				q++;
			*parts[i] = span_trim((struct span){ p, (size_t)(q - p) });
		} else {
			return false;
		}
		rest->s = q;
		rest->n = (size_t)(end - q);
	}
	return true;
}

/* Whether the line is an object, or several, of metrics and nothing else. */
bool stat_metrics_json_fits(struct span line)
{
	struct span rest = span_trim(line), key, value;
	bool any = false;
	double v;

	if (rest.n < 2 || *rest.s != '{' || rest.s[rest.n - 1] != '}')
		return false;
	while (next_pair(&rest, &key, &value)) {
		if (span_is(key, "counter-value") || span_is(key, "event"))
			return false;
		if (span_is(key, "unit") || span_is(key, "metric-value"))
			any = true;
		else if (!is_place(key) && !take_value(value, &v))
			return false;
		else if (!is_place(key))
			any |= has_letter(key);
	}
	return any;
}

int stat_metrics_json_line(struct metrics *m)
{
	struct span rest = m->p->line, key, value, where = { NULL, 0 };
	char place[STAT_PLACE_MAX];
	double time = -1, v;
	size_t column = 0;

	while (next_pair(&rest, &key, &value)) {
		struct span name = key;

		if (span_is(key, "unit")) {
			if (m->nr_names < STAT_METRICS_MAX)
				m->names[m->nr_names++] = value;
			continue;
		}
		if (span_is(key, "interval")) {
			if (stat_number(value, &time) != NUMBER_OK)
				return stat_fail(m->p, value.s, "expected a time in seconds");
			continue;
		}
		if (is_place(key)) {
			where = span_is(key, "aggregate-number") || span_is(key, "counters")
					? where
					: stat_json_place(key, value, place);
			continue;
		}
		if (!take_value(value, &v))
			return stat_fail(m->p, value.s,
					 "expected the value of a metric, found \"%.*s\"",
					 (int)(value.n < 40 ? value.n : 40), value.s);
		if (span_is(key, "metric-value")) {
			if (column >= m->nr_names)
				return stat_fail(m->p, value.s,
						 "a value without a name: perf stat's first line, "
						 "which has them, is missing");
			name = m->names[column++];
		}
		add(m, name, v, time, where);
	}
	return 0;
}

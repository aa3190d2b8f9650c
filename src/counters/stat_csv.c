/* SPDX-License-Identifier: MIT */
/*
 * perf stat -x SEP: [time,][place,[n,]]value,unit,event[,cgroup][,spread%],run-time,percent[,…]
 *
 * Which of the optional fields are there depends on perf's options and version, nothing is quoted,
 * events and comms may hold the separator, and with a comma as separator and as decimal sign a
 * number may be two fields.  So the line is not split by position: the place is looked for where
 * a value, a unit, an event, and behind it a run-time and its percentage fit together.
 *
 * Source: tools/perf/util/stat-display.c, from 3.4 (value,event) to 7.
 */
#include "counters/stat_parse.h"

#include <string.h>
#include <strings.h>

#define FIELDS_MAX 64

struct fields {
	struct span v[FIELDS_MAX];
	size_t n;
	char sep;
	bool decimal_comma;
};

/* Where the parts of a line were found, as indices of fields. */
struct layout {
	size_t value, value_n; /* fields of the value */
	size_t unit, event; /* SIZE_MAX: it has no unit */
	size_t run; /* the run-time's; n when it has none */
	size_t percent_n; /* fields of the percentage */
};

static bool split(struct fields *f, struct span line, char sep)
{
	const char *p = line.s, *end = line.s + line.n;

	f->n = 0;
	f->sep = sep;
	for (;;) {
		const char *next = memchr(p, sep, (size_t)(end - p));

		if (f->n == FIELDS_MAX)
			return false;
		f->v[f->n++] = span_trim((struct span){ p, (size_t)((next ? next : end) - p) });
		if (!next)
			return true;
		p = next + 1;
	}
}

/* The fields [from, to) as they are in the line. */
static struct span join(const struct fields *f, size_t from, size_t to)
{
	const struct span *last = &f->v[to - 1];

	return (struct span){ f->v[from].s, (size_t)(last->s + last->n - f->v[from].s) };
}

static bool is_unit(struct span s)
{
	return s.n <= 32 && (!s.n || !strchr("0123456789.-+<", *s.s));
}

static bool is_event(struct span s)
{
	return s.n &&
	       ((*s.s >= 'a' && *s.s <= 'z') || (*s.s >= 'A' && *s.s <= 'Z') || strchr("_{", *s.s));
}

/* Fields of a number that starts at I: 1, 2 with a decimal comma, 0 if none does. */
static size_t number_fields(const struct fields *f, size_t i, size_t decimals, bool whole_too)
{
	double v;

	if (whole_too && stat_number(f->v[i], &v) != NUMBER_NONE)
		return 1;
	if (f->decimal_comma && i + 1 < f->n && span_digits(f->v[i], 1, 20) &&
	    span_digits(f->v[i + 1], decimals, decimals))
		return 2;
	return 0;
}

/* "100.00": one field, or two. */
static size_t percent_fields(const struct fields *f, size_t i)
{
	struct span s;

	if (i >= f->n)
		return 0;
	s = f->v[i];
	if (s.n >= 4 && s.n <= 6 && strchr(".,", s.s[s.n - 3]) &&
	    span_digits((struct span){ s.s, s.n - 3 }, 1, 3) &&
	    span_digits((struct span){ s.s + s.n - 2, 2 }, 2, 2))
		return 1;
	return s.n <= 3 ? number_fields(f, i, 2, false) : 0;
}

/* The rest behind a value of VALUE_N fields at I. */
static bool fits_behind(const struct fields *f, size_t i, size_t value_n, struct layout *l)
{
	size_t unit = i + value_n;

	if (f->n == 2 && i == 0 && value_n == 1 && is_event(f->v[1])) { /* before 3.13 */
		*l = (struct layout){ 0, 1, SIZE_MAX, 1, f->n, 0 };
		return true;
	}
	if (unit + 1 >= f->n || !is_unit(f->v[unit]) || !is_event(f->v[unit + 1]))
		return false;
	*l = (struct layout){ i, value_n, unit, unit + 1, f->n, 0 };
	for (size_t run = unit + 2; run < f->n; run++) {
		if (!span_digits(f->v[run], 1, 20))
			continue;
		l->percent_n = percent_fields(f, run + 1);
		if (l->percent_n) {
			l->run = run;
			return true;
		}
	}
	return f->n == unit + 2; /* before 3.16: it ends with the event */
}

static bool find_layout(const struct fields *f, struct layout *l)
{
	for (size_t i = 0; i < f->n && i < 12; i++) {
		if (stat_not_state(f->v[i]) && fits_behind(f, i, 1, l))
			return true;
		for (size_t n = 1; n <= 2; n++)
			if (number_fields(f, i, 2, n == 1) == n && fits_behind(f, i, n, l))
				return true;
	}
	return false;
}

bool stat_csv_fits(const struct span *line, char sep)
{
	struct fields f = { .decimal_comma = sep == ',' };
	struct layout l;

	return split(&f, *line, sep) && f.n > 1 && find_layout(&f, &l);
}

/* Three empty fields where value, unit and event would be: another metric of the event above. */
static bool is_metric_line(const struct fields *f)
{
	for (size_t i = 0; i < 4 && i + 2 < f->n; i++)
		if (!f->v[i].n && !f->v[i + 1].n && !f->v[i + 2].n)
			return true;
	return false;
}

/* Time and place in front of the value. */
static void read_front(const struct fields *f, const struct layout *l, struct counter_reading *r)
{
	size_t first = 0, last = l->value;
	double time;

	r->time = -1;
	if (last && stat_time(f->v[0], &time)) {
		r->time = time;
		first = 1;
	}
	if (last - first > 1 && span_digits(f->v[last - 1], 1, 9))
		last--; /* how many CPUs were added up */
	if (last > first) {
		struct span where = join(f, first, last);

		r->where = where.s;
		r->where_len = where.n;
	}
}

static double number_of(const struct fields *f, size_t i, size_t n)
{
	struct span s = join(f, i, i + n);
	double v = 0;

	stat_number(s, &v);
	return v;
}

/* Event, then perhaps a cgroup, then perhaps a spread. */
static void read_event(const struct fields *f, const struct layout *l, struct counter_reading *r)
{
	size_t to = l->run, next = l->event;
	unsigned slashes = 0;
	struct span name;

	r->spread = -1;
	if (to > l->event + 1 && f->v[to - 1].n && f->v[to - 1].s[f->v[to - 1].n - 1] == '%') {
		struct span number = f->v[to - 1];

		to--;
		if (f->decimal_comma &&
		    span_digits((struct span){ number.s, number.n - 1 }, 2, 2) &&
		    to > l->event + 1 && span_digits(f->v[to - 1], 1, 9))
			to--;
		number = join(f, to, l->run);
		number.n--;
		if (stat_number(number, &r->spread) == NUMBER_OK)
			r->spread /= 100;
	}
	/* Between slashes a PMU's event may hold the separator. */
	do {
		for (size_t i = 0; i < f->v[next].n; i++)
			slashes += f->v[next].s[i] == '/';
		next++;
	} while (next < to && slashes % 2);
	name = join(f, l->event, next);
	r->name = name.s;
	r->name_len = name.n;
	if (next < to && !r->where) {
		struct span cgroup = join(f, next, to);

		r->where = cgroup.s;
		r->where_len = cgroup.n;
	}
}

static int fail(struct stat_parser *p, const struct fields *f)
{
	size_t at = 0;
	double v;

	/* The field that is to blame, if one is seen to be. */
	for (size_t i = 0; i < f->n && i < 5; i++) {
		struct span s = f->v[i];

		if (s.n && (*s.s == '-' || !strncasecmp(s.s, "nan", s.n < 3 ? s.n : 3) ||
			    !strncasecmp(s.s, "inf", s.n < 3 ? s.n : 3))) {
			at = i;
			break;
		}
	}
	if (!at && f->n > 1 && stat_time(f->v[0], &v))
		at = 1;
	return stat_fail(p, f->v[at].s,
			 "expected a line of perf stat -x (value, unit, event, run-time, percent), "
			 "found \"%.*s\"",
			 (int)(f->v[at].n < 40 ? f->v[at].n : 40), f->v[at].s);
}

int stat_csv_line(struct stat_parser *p)
{
	struct fields f = { .decimal_comma = p->decimal_comma };
	struct counter_reading r = { .running = 1 };
	struct layout l;

	if (!split(&f, p->line, p->sep))
		return stat_fail(p, f.v[FIELDS_MAX - 1].s, "more than %d fields", FIELDS_MAX);
	if (f.n == 1) { /* the program's own output, or a note of perf's */
		if (!p->set->skipped++)
			p->set->first_skipped = p->line_no;
		return 0;
	}
	if (!find_layout(&f, &l)) {
		if (!is_metric_line(&f))
			return fail(p, &f);
		p->set->metrics++;
		return 0;
	}
	r.state = stat_not_state(f.v[l.value]);
	if (!r.state) {
		struct span value = join(&f, l.value, l.value + l.value_n);

		if (stat_number(value, &r.value) != NUMBER_OK)
			return stat_fail(p, value.s, "the count %.*s does not fit into 64 bits",
					 (int)(value.n < 40 ? value.n : 40), value.s);
		r.state = COUNTER_COUNTED;
	}
	if (l.unit != SIZE_MAX) {
		r.unit = f.v[l.unit].s;
		r.unit_len = f.v[l.unit].n;
	}
	read_front(&f, &l, &r);
	read_event(&f, &l, &r);
	if (l.run < f.n)
		r.running = number_of(&f, l.run + 1, l.percent_n) / 100;
	if (r.running > 1)
		return stat_fail(p, f.v[l.run + 1].s, "expected a percentage up to 100");
	counter_set_add(p->set, &r);
	return 0;
}

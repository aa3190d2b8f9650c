/* SPDX-License-Identifier: MIT */
/*
 * How samples were taken: in step with a clock or with the program, at which rate, how evenly.
 * Findings for the quality line, and all of it for programs.
 */
#include "view/quality_sampling.h"

#include "view/json.h"
#include "view/number.h"

#define FEW  1000 /* samples: of fewer neither rate nor periods are judged */
#define SLOW 0.7 /* of the rate that was asked for */
#define WIDE 10.0 /* largest period by the smallest */

static void add_odd_rate(const struct view_quality *q, struct strbuf *sb)
{
	if (q->wish.frequency > 1)
		strbuf_addf(sb, "-F %.0f)", q->wish.frequency - 1);
	else
		strbuf_addf(sb, "-c %.0f)", q->sampling->period_median * 1.001 + 1);
}

/* A sampler that is in step with a cycle sees one part of it, and never the others. */
static void find_lockstep(const struct view_quality *q, struct finding *f)
{
	const struct sampling *s = q->sampling;
	struct strbuf *sb;

	if (!s || s->lockstep <= 0)
		return;
	sb = finding_complain(f);
	strbuf_adds(sb, "in step: they fall on the same point of each ");
	number_duration(sb, s->lockstep / 1e9);
	strbuf_adds(sb,
		    ", so what is done in that rhythm gets too much or too little; record at an "
		    "odd rate (");
	add_odd_rate(q, sb);
}

/* The others may be its multiples, or those and the sampler's rate mixed; NULL: there is none. */
static const struct sampling_line *slowest(const struct sampling *s, bool in_step)
{
	const struct sampling_line *best = NULL;

	for (size_t i = 0; i < s->nr_lines; i++)
		if ((in_step ? s->lines[i].points > 0 : s->lines[i].kept_up) &&
		    (!best || s->lines[i].hz < best->hz))
			best = &s->lines[i];
	return best;
}

/* "first_half has 0 to 97 %" */
static void add_shares(const struct view_quality *q, const struct sampling_shares *sh,
		       const char *before, struct strbuf *sb)
{
	strbuf_addf(sb, "%s%s has %.0f to %.0f %%", before, q->shares_row[sh - q->sampling->shares],
		    100 * sh->low, 100 * sh->high);
}

static void warn_in_step(const struct view_quality *q, const struct sampling_line *line,
			 const struct sampling_shares *sh, struct strbuf *sb)
{
	strbuf_addf(sb, "in step: they fall on the same %u points of each ", line->points);
	number_duration(sb, 1 / line->hz);
	strbuf_adds(sb, ", in which rhythm the program works, so what it does between them is "
			"missed");
	if (sh)
		add_shares(q, sh, " (at them ", sb);
	strbuf_adds(sb, sh ? "); record at an odd rate (" : "; record at an odd rate (");
	add_odd_rate(q, sb);
}

/*
 * What the program does in a rhythm: a warning when the sampler is in step, else a word.  It shows
 * in when samples come, or in which functions they hit.
 */
static void find_rhythm(const struct view_quality *q, struct finding *f)
{
	const struct sampling *s = q->sampling;
	const struct sampling_shares *sh = s ? sampling_dependent(s) : NULL;
	const struct sampling_line *line = NULL;
	struct strbuf *sb;

	if (!s || s->lockstep > 0)
		return;
	line = slowest(s, true);
	if (line) {
		warn_in_step(q, line, sh, finding_complain(f));
		return;
	}
	line = slowest(s, false);
	if (!line && !sh)
		return;
	sb = finding_add(f);
	strbuf_adds(sb, line ? "the program works in a rhythm of "
			     : "what is done depends on the point of each ");
	number_duration(sb, line ? 1 / line->hz : sh->cycle / 1e9);
	if (sh)
		add_shares(q, sh, ", of whose eighths ", sb);
	strbuf_adds(sb, ": keep the rate odd, out of step with it");
}

/* The frequency that was asked for was not reached. */
static void find_rate(const struct view_quality *q, struct finding *f)
{
	const struct sampling *s = q->sampling;
	double rate = s && s->interval > 0 ? 1e9 / s->interval : 0;
	struct strbuf *sb;

	if (!s || s->points < FEW || !(q->wish.frequency > 0) || !(rate > 0) ||
	    rate >= SLOW * q->wish.frequency)
		return;
	sb = finding_complain(f);
	strbuf_adds(sb, "taken at ");
	number_thousands(sb, (uint64_t)(rate + 0.5));
	strbuf_adds(sb, " Hz instead of ");
	number_thousands(sb, (uint64_t)q->wish.frequency);
}

static void find_spread(const struct view_quality *q, struct finding *f)
{
	const struct sampling *s = q->sampling;
	struct strbuf *sb;

	if (!s || s->points < FEW || !(q->wish.frequency > 0) ||
	    s->period_high < WIDE * s->period_low || !(s->period_low > 0))
		return;
	sb = finding_complain(f);
	strbuf_adds(sb, "their periods differ, 90 % lie between ");
	number_si(sb, s->period_low);
	strbuf_adds(sb, " and ");
	number_si(sb, s->period_high);
	strbuf_adds(sb, ": few samples carry most of the weight; record with a fixed period (-c)");
}

void quality_sampling(const struct view_quality *q, struct finding *f)
{
	find_lockstep(q, f);
	find_rhythm(q, f);
	find_rate(q, f);
	find_spread(q, f);
}

static struct json_object *phases_json(const struct sampling *s)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < SAMPLING_PHASES; i++) {
		struct json_object *o = json_new();

		json_put_real(o, "cycle_ms", s->phases[i].cycle / 1e6, 3);
		json_put_real(o, "r", s->phases[i].r, 4);
		json_put_real(o, "p", s->phases[i].p, 6);
		json_append(list, o);
	}
	return list;
}

static struct json_object *lines_json(const struct sampling *s)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < s->nr_lines; i++) {
		struct json_object *o = json_new();

		json_put_real(o, "hz", s->lines[i].hz, 1);
		json_put_real(o, "power", s->lines[i].power, 1);
		json_put_real(o, "p", s->lines[i].p, 9);
		json_put_bool(o, "kept_up", s->lines[i].kept_up);
		json_put_uint(o, "in_step_points", s->lines[i].points);
		json_append(list, o);
	}
	return list;
}

static struct json_object *shares_json(const struct view_quality *q)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < q->sampling->nr_shares; i++) {
		const struct sampling_shares *sh = &q->sampling->shares[i];
		struct json_object *o = json_new();

		json_put_real(o, "cycle_ms", sh->cycle / 1e6, 4);
		json_put_real(o, "chi2", sh->chi2, 2);
		json_put_real(o, "df", sh->df, 0);
		json_put_real(o, "spread", sh->spread, 3);
		json_put_real(o, "p", sh->p, 9);
		json_put_text(o, "sym", q->shares_row[i]);
		json_put_real(o, "low", sh->low, 4);
		json_put_real(o, "high", sh->high, 4);
		json_append(list, o);
	}
	return list;
}

struct json_object *quality_sampling_json(const struct view_quality *q)
{
	const struct sampling *s = q->sampling;
	struct json_object *o;

	if (!s || !s->points)
		return NULL;
	o = json_new();
	json_put_uint(o, "points", s->points);
	if (q->wish.frequency > 0)
		json_put_real(o, "frequency", q->wish.frequency, 0);
	if (s->interval > 0)
		json_put_real(o, "rate", 1e9 / s->interval, 1);
	json_put_real(o, "period_low", s->period_low, 0);
	json_put_real(o, "period_median", s->period_median, 0);
	json_put_real(o, "period_high", s->period_high, 0);
	json_put(o, "phases", phases_json(s));
	json_put(o, "lines", lines_json(s));
	json_put(o, "shares", shares_json(q));
	if (s->lockstep > 0)
		json_put_real(o, "lockstep_ms", s->lockstep / 1e6, 3);
	else
		json_put_null(o, "lockstep_ms");
	return o;
}

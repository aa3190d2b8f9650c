/* SPDX-License-Identifier: MIT */
/*
 * What stands above the tables: what was recorded, what of it was lost, and what is hottest.
 * How good the data of an event is: quality.c.
 */
#include <perfrep/statistics.h>
#include <perfrep/view.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "view/json.h"
#include "view/line.h"
#include "view/number.h"
#include "view/shorten.h"
#include "view/precision.h"
#include "view/quality.h"

static void add_count(struct strbuf *sb, uint64_t n, const char *noun)
{
	number_thousands(sb, n);
	strbuf_addf(sb, " %s%s", noun, n == 1 ? "" : "s");
}

/* "cycles:u at 999 Hz, frame pointers", or "4 events". */
static void add_events(const struct view_recording *rec, struct strbuf *sb)
{
	const struct view_event *e = rec->events;

	if (rec->nr_events != 1) {
		add_count(sb, rec->nr_events, "event");
		return;
	}
	strbuf_adds(sb, e->name);
	if (e->rate)
		strbuf_addf(sb, " %s", e->rate);
	if (!rec->folded)
		strbuf_addf(sb, ", %s", quality_stacks_text(e->quality.stacks));
}

/* Folded text has one event, "samples": the number of them says it. */
static bool only_counts(const struct view_recording *rec)
{
	return rec->folded && rec->nr_events == 1 && !strcmp(rec->events->name, "samples");
}

static void print_what(const struct view_recording *rec, const struct view_style *style,
		       struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	if (!only_counts(rec))
		add_events(rec, &line);
	if (rec->seconds >= 0) {
		strbuf_adds(&line, " · ");
		number_duration(&line, rec->seconds);
	}
	strbuf_adds(&line, line.n ? " · " : "");
	add_count(&line, rec->samples, "sample");
	if (rec->threads) {
		strbuf_adds(&line, " · ");
		add_count(&line, rec->threads, "thread");
		if (rec->cpus) {
			strbuf_adds(&line, " on ");
			add_count(&line, rec->cpus, "CPU");
		}
	}
	line_print(sb, style, "", strbuf_str(&line));
	strbuf_release(&line);
}

static void print_where(const struct view_recording *rec, const struct view_style *style,
			struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	line_part(&line, rec->host);
	if (rec->kernel)
		strbuf_addf(&line, "%sLinux %s", line.n ? " · " : "", rec->kernel);
	line_part(&line, rec->arch);
	line_part(&line, rec->cpu);
	if (rec->perf_version && *rec->perf_version)
		strbuf_addf(&line, "%sperf %s", line.n ? " · " : "", rec->perf_version);
	line_part(&line, rec->how);
	line_print(sb, style, "", strbuf_str(&line));
	strbuf_release(&line);
}

static void print_lost(const struct view_recording *rec, const struct view_style *style,
		       struct strbuf *sb)
{
	uint64_t lost = rec->lost_samples + rec->lost_events;
	struct strbuf line = STRBUF_INIT;

	if (lost) {
		add_count(&line, lost, rec->lost_events ? "record" : "sample");
		strbuf_adds(&line, " (");
		number_percent(&line, (double)lost / (double)(lost + rec->samples));
		strbuf_adds(&line,
			    " %) did not reach the file: record with larger buffers (-m 16M) "
			    "or at a lower rate (-F)");
		line_print(sb, style, "lost", strbuf_str(&line));
	}
	if (rec->throttled) {
		strbuf_clear(&line);
		strbuf_adds(&line, "the kernel stopped sampling ");
		add_count(&line, rec->throttled, "time");
		strbuf_adds(&line, " because samples came too fast: record at a lower rate (-F)");
		line_print(sb, style, "throttled", strbuf_str(&line));
	}
	strbuf_release(&line);
}

void overview_print(const struct view_recording *rec, const struct view_style *style,
		    struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	line_part(&line, rec->file);
	line_part(&line, rec->cmdline);
	line_print(sb, style, rec->folded ? "folded" : "recording", strbuf_str(&line));
	print_what(rec, style, sb);
	print_where(rec, style, sb);
	print_lost(rec, style, sb);
	for (size_t i = 0; i < rec->nr_problems; i++)
		line_print(sb, style, "problem", rec->problems[i]);
	strbuf_release(&line);
}

/* ---- an event ---- */

void overview_event(const struct view_recording *rec, uint32_t event,
		    const struct view_style *style, struct strbuf *sb)
{
	const struct view_event *e = &rec->events[event];
	struct strbuf line = STRBUF_INIT;

	if (rec->nr_events > 1) {
		strbuf_adds(&line, e->name);
		if (e->rate)
			strbuf_addf(&line, " %s", e->rate);
		if (!rec->folded)
			strbuf_addf(&line, ", %s", quality_stacks_text(e->quality.stacks));
		strbuf_adds(&line, " · ");
		number_thousands(&line, e->quality.samples);
		strbuf_adds(&line, e->quality.samples == 1 ? " sample" : " samples");
		if (e->quality.weight != e->quality.samples) {
			strbuf_adds(&line, " · ");
			number_weight(&line, e->quality.weight, e->unit);
		}
		line_print(sb, style, "event", strbuf_str(&line));
	}
	quality_print(rec, &e->quality, style, sb);
	strbuf_release(&line);
}

/* ---- the hottest function ---- */

static double share_of(const struct table *t, uint64_t v)
{
	return t->base ? (double)v / (double)t->base : 0;
}

static const char *row_name(const struct table *t, const struct table_row *row)
{
	const struct profile *p = t->profile;

	return row->line == PROFILE_NONE ? "[no frame]"
					 : profile_str(p, p->funcs[p->lines[row->line].func].name);
}

/*
 * The function that most of the row's inlined self time was inlined into (the one that has an
 * address of its own), or NULL.
 */
static const char *inlined_into(const struct table *t, const struct table_row *row)
{
	const struct profile *p = t->profile;
	uint64_t *into = xcalloc(p->nr_funcs + 1, sizeof(*into));
	uint32_t func = p->lines[row->line].func, best = PROFILE_NONE;

	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *loc = &p->locs[i];

		if (loc->nr_lines > 1 && p->lines[loc->first_line].func == func)
			into[p->lines[loc->first_line + loc->nr_lines - 1].func] +=
				t->leaves[i].weight;
	}
	for (uint32_t f = 0; f < p->nr_funcs; f++)
		if (into[f] && (best == PROFILE_NONE || into[f] > into[best]))
			best = f;
	free(into);
	return best == PROFILE_NONE ? NULL : profile_str(p, p->funcs[best].name);
}

static void add_share(struct strbuf *sb, const struct table *t, const struct table_row *row)
{
	double share = share_of(t, row->self);

	number_percent(sb, share);
	strbuf_adds(sb, " %");
	if (isfinite(row->self_n)) {
		strbuf_adds(sb, " ±");
		number_margin(sb, wilson_margin(share, row->self_n));
	}
}

/* How its time is spread over the recording, when that is not evenly. */
static void print_course(const struct table *t, const struct table_row *row,
			 const struct view_style *style, struct strbuf *sb)
{
	static const char *const names[] = { "first", "second", "last" };
	struct strbuf line = STRBUF_INIT;

	if (precision_drifts(t, row)) {
		strbuf_adds(&line, "its share changes over time: ");
		for (unsigned i = 0; i < 3; i++) {
			strbuf_adds(&line, i ? ", " : "");
			number_percent(&line, precision_part(t, row, i, 3));
			strbuf_addf(&line, " %% in the %s third", names[i]);
		}
		strbuf_adds(&line, "; another recording may differ by more than ±: record several, "
				   "or longer");
	} else if (t->samples > PRECISION_BURSTS * row->self_n) {
		strbuf_adds(&line, "it comes in bursts: its ");
		number_thousands(&line, row->self_samples);
		strbuf_adds(&line, " samples tell as much as ");
		number_thousands(
			&line,
			(uint64_t)((double)row->self_samples * row->self_n / t->samples + 0.5));
		strbuf_adds(&line, " independent ones would; ± counts that");
	}
	line_print(sb, style, "", strbuf_str(&line));
	strbuf_release(&line);
}

void overview_hottest(const struct table *t, const struct view_style *style, struct strbuf *sb)
{
	const struct table_row *row = t->rows;
	struct strbuf line = STRBUF_INIT;
	const char *into;

	if (!t->n || !row->self)
		return;
	shorten_in_sentence(&line, row_name(t, row), style->width);
	strbuf_adds(&line, ", ");
	add_share(&line, t, row);
	strbuf_addf(&line, " of %s",
		    t->opts.by_count ? "samples"
				     : profile_str(t->profile, t->profile->events[t->event].name));
	into = row->inlined && row->line != PROFILE_NONE ? inlined_into(t, row) : NULL;
	if (into) {
		strbuf_adds(&line, row->inlined == row->self ? ", inlined into "
							     : ", partly inlined into ");
		shorten_in_sentence(&line, into, style->width);
	}
	if (row->rank_last > 1) {
		strbuf_adds(&line, "; within the noise of it: ");
		shorten_in_sentence(&line, row_name(t, &t->rows[1]), style->width);
		strbuf_adds(&line, ", ");
		add_share(&line, t, &t->rows[1]);
		if (row->rank_last > 2)
			strbuf_addf(&line, ", and %u more", row->rank_last - 2);
	}
	line_print(sb, style, "hottest", strbuf_str(&line));
	print_course(t, row, style, sb);
	strbuf_release(&line);
}

struct json_object *overview_hottest_json(const struct table *t)
{
	const struct table_row *row = t->rows;
	const struct profile *p = t->profile;
	struct json_object *o;
	struct interval ci;

	if (!t->n || !row->self)
		return NULL;
	ci = wilson(share_of(t, row->self), row->self_n);
	o = json_new();
	json_put_text(o, "sym", row_name(t, row));
	if (row->line != PROFILE_NONE) {
		json_put_text(o, "dso", profile_str(p, p->funcs[p->lines[row->line].func].module));
		json_put_text(o, "inlined_into", row->inlined ? inlined_into(t, row) : NULL);
	}
	json_put_real(o, "self_percent", share_of(t, row->self) * 100, 4);
	json_put_real(o, "self_low", ci.low * 100, 4);
	json_put_real(o, "self_high", ci.high * 100, 4);
	json_put_uint(o, "rank_last", row->rank_last);
	json_put_real(o, "design_effect", row->self_n > 0 ? t->samples / row->self_n : 1, 2);
	json_put_bool(o, "changes_over_time", precision_drifts(t, row));
	return o;
}

static struct json_object *unwinding_json(const struct view_unwinding *u)
{
	struct json_object *o = json_new(), *cut = json_new();

	json_put_uint(o, "samples", u->samples);
	json_put_uint(o, "frames", u->frames);
	json_put_uint(o, "repaired_samples", u->repaired);
	json_put_uint(o, "repaired_whole_samples", u->repaired_whole);
	json_put_uint(o, "repaired_frames", u->repaired_frames);
	for (size_t i = 0; i < u->nr_cut; i++)
		json_put_uint(cut, u->cut[i].why, u->cut[i].samples);
	json_put(o, "cut_samples", cut);
	json_put_uint(o, "dump_bytes", u->dump_size);
	if (u->needed_dump)
		json_put_uint(o, "needed_dump_bytes", u->needed_dump);
	else
		json_put_null(o, "needed_dump_bytes");
	return o;
}

struct json_object *overview_json(const struct view_recording *rec)
{
	struct json_object *o = json_new(), *problems = json_new_array();

	json_put_text(o, "file", rec->file);
	json_put_text(o, "cmdline", rec->cmdline);
	json_put_text(o, "hostname", rec->host);
	json_put_text(o, "kernel", rec->kernel);
	json_put_text(o, "arch", rec->arch);
	json_put_text(o, "cpu", rec->cpu);
	json_put_text(o, "perf_version", rec->perf_version);
	if (rec->seconds >= 0)
		json_put_real(o, "seconds", rec->seconds, 9);
	else
		json_put_null(o, "seconds");
	json_put_uint(o, "samples", rec->samples);
	json_put_uint(o, "threads", rec->threads);
	json_put_uint(o, "cpus", rec->cpus);
	json_put_uint(o, "lost_events", rec->lost_events);
	json_put_uint(o, "lost_samples", rec->lost_samples);
	json_put_uint(o, "throttled", rec->throttled);
	if (rec->unwinding.samples)
		json_put(o, "unwinding", unwinding_json(&rec->unwinding));
	json_append_texts(problems, rec->problems, rec->nr_problems);
	json_put(o, "problems", problems);
	return o;
}

struct json_object *overview_event_json(const struct view_recording *rec, uint32_t event)
{
	const struct view_event *e = &rec->events[event];
	struct json_object *o = json_new();

	json_put_text(o, "name", e->name);
	json_put_text(o, "unit", e->unit);
	json_put_text(o, "rate", e->rate);
	json_put_uint(o, "samples", e->quality.samples);
	json_put_uint(o, "weight", e->quality.weight);
	json_put_real(o, "effective_samples", e->quality.effective, 1);
	json_put_uint(o, "filtered_samples", e->quality.filtered_samples);
	json_put_uint(o, "filtered_weight", e->quality.filtered_weight);
	json_put(o, "quality", quality_json(rec, &e->quality));
	return o;
}

/* SPDX-License-Identifier: MIT */
/*
 * Where a run's time and memory went.  Rates are by wall time of the whole run, as that is what
 * one waits for; CPU time is that of all threads.
 */
#include "cli/timings.h"

#include <stdio.h>

#include "base/strbuf.h"

#define MB 1e6

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static double per(double x, double whole)
{
	return whole > 0 ? x / whole : 0;
}

static void text_row(struct strbuf *sb, const char *name, struct step_time t, uint64_t wall_ns)
{
	strbuf_addf(sb, "  %-10s %9.1f %9.1f %9.1f %6.1f %%\n", name, ms(t.wall_ns), ms(t.user_ns),
		    ms(t.sys_ns), 100 * per((double)t.wall_ns, (double)wall_ns));
}

static void text_symbols(struct strbuf *sb, const struct symbolizer_counts *c)
{
	strbuf_addf(sb,
		    "symbols   %llu addresses: %llu from the cache, %llu looked up; cache files: "
		    "%llu used, %llu written\n"
		    "dwarf     %llu of %llu units read, %llu entries\n",
		    (unsigned long long)c->addresses, (unsigned long long)c->cached,
		    (unsigned long long)(c->addresses - c->cached),
		    (unsigned long long)c->cache_files, (unsigned long long)c->cache_written,
		    (unsigned long long)c->units_walked, (unsigned long long)c->units,
		    (unsigned long long)c->dies);
}

static void text(struct strbuf *sb, const struct session *s, const struct timings *t)
{
	struct step_time total = timings_total(t);
	double seconds = (double)total.wall_ns / 1e9;
	struct memory_use m;

	strbuf_addf(sb, "  %-10s %9s %9s %9s %8s\n", "step", "wall ms", "user ms", "sys ms",
		    "of wall");
	for (int i = 0; i < STEP_MAX; i++)
		text_row(sb, step_name((enum step)i), t->step[i], total.wall_ns);
	text_row(sb, "all", total, total.wall_ns);
	strbuf_addf(sb, "input     %.1f MB, %llu samples; %.0f MB/s, %.0f samples/s; threads: %u\n",
		    (double)s->input_bytes / MB, (unsigned long long)s->samples,
		    per((double)s->input_bytes / MB, seconds), per((double)s->samples, seconds),
		    s->threads);
	text_symbols(sb, &s->symbols.counts);
	if (memory_use(&m))
		strbuf_addf(sb,
			    "memory    %.1f MB at most, mapped files included; without them %.1f "
			    "MB at the end of a step\n",
			    (double)m.peak / MB, (double)t->peak_own / MB);
}

static void json_times(struct strbuf *sb, const char *name, struct step_time t, const char *after)
{
	strbuf_addf(sb, "\"%s\": {\"wall_ms\": %.3f, \"user_ms\": %.3f, \"sys_ms\": %.3f}%s", name,
		    ms(t.wall_ns), ms(t.user_ns), ms(t.sys_ns), after);
}

static void json(struct strbuf *sb, const struct session *s, const struct timings *t)
{
	const struct symbolizer_counts *c = &s->symbols.counts;
	struct memory_use m;

	memory_use(&m);
	strbuf_adds(sb, "{\"steps\": {");
	for (int i = 0; i < STEP_MAX; i++)
		json_times(sb, step_name((enum step)i), t->step[i],
			   i + 1 < STEP_MAX ? ", " : "}, ");
	json_times(sb, "all", timings_total(t), ", ");
	strbuf_addf(sb, "\"input_bytes\": %llu, \"samples\": %llu, \"threads\": %u, ",
		    (unsigned long long)s->input_bytes, (unsigned long long)s->samples, s->threads);
	strbuf_addf(sb,
		    "\"addresses\": %llu, \"cached_addresses\": %llu, \"cache_files_used\": %llu, "
		    "\"cache_files_written\": %llu, \"units\": %llu, \"units_read\": %llu, "
		    "\"dies_read\": %llu, ",
		    (unsigned long long)c->addresses, (unsigned long long)c->cached,
		    (unsigned long long)c->cache_files, (unsigned long long)c->cache_written,
		    (unsigned long long)c->units, (unsigned long long)c->units_walked,
		    (unsigned long long)c->dies);
	strbuf_addf(sb, "\"peak_bytes\": %llu, \"peak_own_bytes\": %llu, \"mapped_bytes\": %llu}\n",
		    (unsigned long long)m.peak, (unsigned long long)t->peak_own,
		    (unsigned long long)m.file);
}

void timings_tell(const struct session *s, bool as_json)
{
	struct timings t = s->timings;
	struct strbuf sb = STRBUF_INIT;

	timings_step(&t, STEP_OUTPUT);
	if (as_json)
		json(&sb, s, &t);
	else
		text(&sb, s, &t);
	fputs(strbuf_str(&sb), stderr);
	strbuf_release(&sb);
}

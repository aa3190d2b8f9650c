/* SPDX-License-Identifier: MIT */
/* The form of perfrep info for eyes: lines with a label, then tables. */
#include "cli/info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view/escape.h"
#include "view/cell.h"
#include "view/number.h"
#include "view/wrap.h"

const char *info_mode(const struct reader *r)
{
	return r->mode == READER_PIPE ? "pipe" : r->mode == READER_DIRECTORY ? "directory" : "file";
}

/* Delivered samples of PID, 0 if none. */
static uint64_t pid_samples(const struct session *s, int32_t pid)
{
	for (size_t i = 0; i < s->nr_pids; i++)
		if (s->pids[i].pid == pid)
			return s->pids[i].samples;
	return 0;
}

/* Append a part of a line, " · " between parts. */
static void part(struct strbuf *sb, const char *text)
{
	if (!text || !*text)
		return;
	if (sb->n)
		strbuf_adds(sb, " · ");
	strbuf_adds(sb, text);
}

static void file_line(const struct session *s, const struct view_style *style, struct strbuf *sb)
{
	const struct reader *r = s->reader;
	struct strbuf line = STRBUF_INIT;

	strbuf_adds(&line, r->name);
	strbuf_adds(&line, " · ");
	number_bytes(&line, r->file_size);
	part(&line, info_mode(r));
	part(&line, r->be ? "big-endian" : "little-endian");
	if (r->simpleperf)
		part(&line, "simpleperf's dialect");
	if (r->compressed_bytes) {
		strbuf_adds(&line, " · zstd: ");
		number_bytes(&line, r->compressed_bytes);
		strbuf_adds(&line, " hold ");
		number_bytes(&line, r->decompressed_bytes);
	}
	part(&line, r->complete      ? "complete"
		    : r->unfinalised ? "never finalised: the recorder was killed"
				     : "incomplete");
	wrap_line(sb, style, "file", strbuf_str(&line));
	strbuf_release(&line);
}

static void host_lines(const struct session *s, const struct view_style *style, struct strbuf *sb)
{
	const struct features *f = &s->reader->features;
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < f->nr_cmdline; i++)
		strbuf_addf(&line, "%s%s", i ? " " : "", f->cmdline[i]);
	wrap_line(sb, style, "command", strbuf_str(&line));
	strbuf_clear(&line);
	part(&line, f->hostname);
	part(&line, f->arch);
	if (f->osrelease)
		strbuf_addf(&line, "%sLinux %s", line.n ? " · " : "", f->osrelease);
	part(&line, f->cpudesc);
	if (f->cpus_online)
		strbuf_addf(&line, " · %u of %u CPUs online", f->cpus_online, f->cpus_available);
	if (f->total_mem_kb) {
		strbuf_adds(&line, " · ");
		number_bytes(&line, f->total_mem_kb * 1024);
		strbuf_adds(&line, " of memory");
	}
	wrap_line(sb, style, "machine", strbuf_str(&line));
	wrap_line(sb, style, "perf", f->version ? f->version : "");
	strbuf_release(&line);
}

static void time_line(const struct session *s, const struct view_style *style, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	number_thousands(&line, s->samples);
	strbuf_adds(&line, s->samples == 1 ? " sample" : " samples");
	if (s->has_time) {
		strbuf_addf(&line, " from %" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 " (",
			    s->first_ns / 1000000000, s->first_ns % 1000000000,
			    s->last_ns / 1000000000, s->last_ns % 1000000000);
		number_duration(&line, (double)(s->last_ns - s->first_ns) / 1e9);
		strbuf_addc(&line, ')');
	}
	strbuf_addf(&line, " · %u thread%s", s->nr_threads, s->nr_threads == 1 ? "" : "s");
	if (s->nr_cpus)
		strbuf_addf(&line, ", %u CPU%s", s->nr_cpus, s->nr_cpus == 1 ? "" : "s");
	wrap_line(sb, style, "samples", strbuf_str(&line));
	strbuf_clear(&line);
	number_thousands(&line, s->lost_samples);
	strbuf_adds(&line, " samples, ");
	number_thousands(&line, s->lost_events);
	strbuf_adds(&line, " records · throttled ");
	number_thousands(&line, s->throttled);
	strbuf_adds(&line, s->throttled == 1 ? " time" : " times");
	wrap_line(sb, style, "lost", strbuf_str(&line));
	strbuf_release(&line);
}

static void feature_lines(const struct session *s, const struct view_style *style,
			  struct strbuf *sb)
{
	const struct features *f = &s->reader->features;
	struct strbuf present = STRBUF_INIT, damaged = STRBUF_INIT;

	for (unsigned id = 0; id < FEATURE_MAX; id++) {
		struct strbuf *line;

		if (!feature_present(f, id) && !(f->damaged[id / 8] >> (id % 8) & 1))
			continue;
		line = f->damaged[id / 8] >> (id % 8) & 1 ? &damaged : &present;
		strbuf_addf(line, "%s%s", line->n ? " " : "", feature_name(id));
	}
	wrap_line(sb, style, "features", strbuf_str(&present));
	wrap_line(sb, style, "damaged", strbuf_str(&damaged));
	for (size_t i = 0;
	     s->reader->nr_feature_damages > 1 && i < s->reader->nr_damages && i < 100; i++)
		if (s->reader->damages[i].feature)
			wrap_line(sb, style, "", s->reader->damages[i].text);
	strbuf_release(&present);
	strbuf_release(&damaged);
}

/* 0 is said: it is what was found. */
static void number_cell(struct grid *g, uint64_t v)
{
	struct strbuf sb = STRBUF_INIT;

	number_thousands(&sb, v);
	cell_take(g, &sb, COLOUR_NONE);
}

static void heading(struct strbuf *sb, const struct view_style *style, const char *text)
{
	strbuf_addc(sb, '\n');
	colour_text(sb, style->colour, COLOUR_HEADING, text);
	strbuf_addc(sb, '\n');
}

static struct grid_column right(const char *header)
{
	return (struct grid_column){ .name = header, .header = header, .right = true };
}

static struct grid_column left(const char *header)
{
	return (struct grid_column){ .name = header, .header = header, .shrink = 16 };
}

static void finish(struct grid *g, const struct view_style *style, struct strbuf *sb)
{
	grid_print(g, style, sb);
	grid_release(g);
}

static void event_table(const struct session *s, const struct view_style *style, struct strbuf *sb)
{
	const struct grid_column list[] = { left("event"), right("samples"), right("weight"),
					    right("lost") };
	struct strbuf line = STRBUF_INIT;
	struct grid g = { 0 };

	GRID_COLUMNS(&g, list);
	for (size_t i = 0; i < s->nr_events; i++) {
		grid_cell(&g, s->events[i].evsel->name, COLOUR_NONE);
		number_cell(&g, s->events[i].samples);
		number_cell(&g, s->events[i].period);
		number_cell(&g, s->events[i].lost);
	}
	strbuf_addc(sb, '\n');
	finish(&g, style, sb);
	for (size_t i = 0; i < s->nr_events; i++) {
		strbuf_clear(&line);
		info_attr_text(&s->events[i].evsel->attr, &line);
		wrap_line(sb, style, s->events[i].evsel->name, strbuf_str(&line));
	}
	strbuf_release(&line);
}

static void record_table(const struct session *s, const struct view_style *style, struct strbuf *sb)
{
	const struct grid_column list[] = { right("records"), left("type") };
	const struct reader *r = s->reader;
	struct grid g = { 0 };

	GRID_COLUMNS(&g, list);
	for (uint32_t t = 0; t < sizeof(r->nr_by_type) / sizeof(*r->nr_by_type); t++) {
		if (!r->nr_by_type[t])
			continue;
		number_cell(&g, r->nr_by_type[t]);
		grid_cell(&g, record_type_name(t), COLOUR_NONE);
	}
	for (size_t i = 0; i < r->nr_other_types; i++) {
		number_cell(&g, r->other_types[i].count);
		grid_cell(&g, record_type_name(r->other_types[i].type), COLOUR_NONE);
	}
	strbuf_addc(sb, '\n');
	finish(&g, style, sb);
}

static void process_table(const struct session *s, const struct view_style *style,
			  struct strbuf *sb)
{
	const struct grid_column list[] = { right("pid"), right("threads"), right("parent"),
					    right("samples"), left("command") };
	struct timeline_thread *threads;
	size_t n = timeline_threads(s->timeline, &threads);
	struct grid g = { 0 };

	GRID_COLUMNS(&g, list);
	for (size_t i = 0; i < n; i++) {
		uint64_t members = 0;

		if (threads[i].pid != threads[i].tid)
			continue;
		for (size_t k = 0; k < n; k++)
			members += threads[k].pid == threads[i].pid;
		cell_id(&g, threads[i].pid);
		number_cell(&g, members);
		cell_id(&g, threads[i].ppid);
		number_cell(&g, pid_samples(s, threads[i].pid));
		grid_cell(&g, timeline_comm_str(s->timeline, threads[i].comm), COLOUR_NONE);
	}
	if (grid_rows(&g))
		heading(sb, style, "processes");
	if (grid_rows(&g))
		grid_print(&g, style, sb);
	grid_release(&g);
	free(threads);
}

static void build_id_table(const struct session *s, const struct view_style *style,
			   struct strbuf *sb)
{
	const struct dso_table *dsos = timeline_dsos(s->timeline);
	const struct grid_column list[] = { { .name = "id", .header = "build-id" }, left("file") };
	struct strbuf hex = STRBUF_INIT;
	struct grid g = { 0 };

	GRID_COLUMNS(&g, list);
	for (size_t i = 0; i < dsos->n; i++) {
		if (!dsos->v[i]->build_id.size)
			continue;
		strbuf_clear(&hex);
		info_build_id_text(&dsos->v[i]->build_id, &hex);
		grid_cell(&g, strbuf_str(&hex), COLOUR_NONE);
		grid_cell(&g, dsos->v[i]->path, COLOUR_NONE);
	}
	if (grid_rows(&g)) {
		strbuf_addc(sb, '\n');
		grid_print(&g, style, sb);
	}
	grid_release(&g);
	strbuf_release(&hex);
}

void info_text(const struct session *s, const struct view_style *style, struct strbuf *sb)
{
	file_line(s, style, sb);
	host_lines(s, style, sb);
	time_line(s, style, sb);
	feature_lines(s, style, sb);
	event_table(s, style, sb);
	record_table(s, style, sb);
	process_table(s, style, sb);
	build_id_table(s, style, sb);
}

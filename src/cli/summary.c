/* SPDX-License-Identifier: MIT */
#include "cli/summary.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "view/number.h"

static enum view_stacks stacks_of(const struct evsel *evsel)
{
	const struct attr *a = &evsel->attr;

	if (a->sample_type & SAMPLE_STACK_USER)
		return STACKS_DWARF;
	if ((a->sample_type & SAMPLE_BRANCH_STACK) && (a->branch_sample_type & BRANCH_CALL_STACK))
		return STACKS_LBR;
	return evsel_has_chains(evsel) ? STACKS_FP : STACKS_NONE;
}

/* "at 999 Hz", "every 250,000"; of an event that is counted in ns, "every 250 µs". */
static char *rate_of(const struct evsel *evsel, const char *unit)
{
	const struct attr *a = &evsel->attr;
	struct strbuf sb = STRBUF_INIT;

	if (!a->sample_period)
		return NULL;
	if (evsel_is_offcpu_time(evsel))
		return xstrdup("summed up by the recorder");
	if (attr_has(a, ATTR_FREQ)) {
		strbuf_adds(&sb, "at ");
		number_thousands(&sb, a->sample_period);
		strbuf_adds(&sb, " Hz");
	} else if (!strcmp(unit, "ns")) {
		strbuf_adds(&sb, "every ");
		number_duration(&sb, (double)a->sample_period / 1e9);
	} else if (a->sample_period == 1) {
		strbuf_adds(&sb, "each time");
	} else {
		strbuf_adds(&sb, "every ");
		number_thousands(&sb, a->sample_period);
	}
	return strbuf_detach(&sb);
}

/* What ended the stacks that stayed cut. */
static void fill_cut(struct view_quality *v, const struct session_unwind *u)
{
	uint64_t all = 0, most = 0;

	for (int i = 0; i < UNWIND_END_MAX; i++) {
		all += u->cut[i];
		if (i != UNWIND_DUMP_END && u->cut[i] > most) {
			most = u->cut[i];
			v->cut_elsewhere = unwind_end_text((enum unwind_end)i);
			v->fp_would_do = i == UNWIND_OTHER_STACK;
		}
	}
	if (all)
		v->cut_by_dump = u->cut[UNWIND_DUMP_END] * 1000 / all;
}

/* Whether any word of the recorder's command line, before the program's, has TEXT in it. */
static bool asked_for(const struct features *f, const char *text)
{
	for (size_t i = 0; i < f->nr_cmdline && strcmp(f->cmdline[i], "--"); i++)
		if (strstr(f->cmdline[i], text))
			return true;
	return false;
}

/* Whether an event was asked for with the modifier u: "cycles:u", "cpu/cycles/u", "{…}:Su". */
static bool asked_for_user(const struct features *f)
{
	for (size_t i = 0; i < f->nr_cmdline && strcmp(f->cmdline[i], "--"); i++)
		for (const char *c = strpbrk(f->cmdline[i], ":/"); c; c = strpbrk(c + 1, ":/")) {
			size_t n = strspn(c + 1, "ukhGHpPSDWIeb");

			if (memchr(c + 1, 'u', n) && (!c[n + 1] || strchr(",}", c[n + 1])))
				return true;
		}
	return false;
}

/*
 * perf record leaves the kernel out, and takes a clock for cycles, when it may or can do no more;
 * what it was asked for is in its command line.
 */
static void fill_fallbacks(struct view_quality *v, const struct session *s,
			   const struct evsel *evsel)
{
	const struct features *f = &s->reader->features;
	const struct attr *a = &evsel->attr;

	if (!f->nr_cmdline || s->reader->simpleperf)
		return;
	v->no_kernel = attr_has(a, ATTR_EXCLUDE_KERNEL) && !attr_has(a, ATTR_EXCLUDE_USER) &&
		       !asked_for_user(f) && !asked_for(f, "--all-user");
	v->fell_back = a->type == PERF_TYPE_SOFTWARE && a->config == 0 && !asked_for(f, "clock");
}

static void fill_shares(struct view_quality *v, const struct profile *p)
{
	for (size_t i = 0; i < v->sampling->nr_shares; i++)
		if (v->sampling->shares[i].df > 0)
			v->shares_row[i] =
				profile_str(p, p->funcs[v->sampling->shares[i].row].name);
}

static void fill_quality(struct view_quality *v, const struct session *s, size_t i, bool by_count)
{
	const struct quality *q = &s->events[i].quality;
	const struct profile_event *e = &s->profile->events[i];
	const struct profile *p = s->profile;
	const struct evsel *evsel = s->events[i].evsel;

	*v = (struct view_quality){
		.stacks = evsel ? stacks_of(evsel) : STACKS_FOLDED,
		.weight = e->weight,
		.samples = e->samples,
		.effective = by_count ? (double)e->samples : profile_effective_samples(e),
		.truncated = q->truncated_weight,
		.no_chain = q->no_chain_weight,
		.not_unwound = q->not_unwound_weight,
		.repaired = q->repaired_weight,
		.truncated_module = q->truncated_module ? profile_str(p, q->truncated_module)
							: NULL,
		.truncated_module_weight = q->truncated_module_weight,
		.dump_size = s->unwind.dump_size,
		.needed_dump = s->unwind.needed_dump,
		.leaf_unknown = q->leaf_unknown_weight,
		.any_unknown = q->any_unknown_weight,
		.unknown_module = q->unknown_module ? profile_str(p, q->unknown_module) : NULL,
		.unknown_module_weight = q->unknown_module_weight,
		.unknown_module_reason = q->unknown_module_reason,
		.lost = s->nr_events > 1 ? s->events[i].lost : 0,
		.filtered_samples = e->filtered_samples,
		.filtered_weight = e->filtered_weight,
	};
	if (evsel && !s->events[i].derived) {
		v->sampling = &s->events[i].sampling;
		v->wish = s->events[i].wish;
		fill_shares(v, p);
		fill_fallbacks(v, s, evsel);
	}
	memcpy(v->reasons, q->reason_weight, sizeof(v->reasons));
	fill_cut(v, &s->unwind);
}

static void fill_events(struct summary *sum, const struct session *s, bool by_count)
{
	const struct profile *p = s->profile;

	sum->events = xcalloc(s->nr_events + 1, sizeof(*sum->events));
	sum->rates = xcalloc(s->nr_events + 1, sizeof(*sum->rates));
	for (size_t i = 0; i < s->nr_events; i++) {
		struct view_event *v = &sum->events[i];

		v->name = profile_str(p, p->events[i].name);
		v->unit = p->events[i].unit ? profile_str(p, p->events[i].unit) : "";
		if (s->events[i].evsel && !s->events[i].derived)
			sum->rates[i] = rate_of(s->events[i].evsel, v->unit);
		v->rate = sum->rates[i];
		fill_quality(&v->quality, s, i, by_count);
	}
	sum->rec.events = sum->events;
	sum->rec.nr_events = s->nr_events;
}

/* A word of a command as a shell would need it. */
static void add_word(struct strbuf *sb, const char *word)
{
	bool plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-+=.,:/@%{}") == strlen(word);

	if (sb->n)
		strbuf_addc(sb, ' ');
	if (plain) {
		strbuf_adds(sb, word);
		return;
	}
	strbuf_addc(sb, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_adds(sb, "'\\'");
		strbuf_addc(sb, *word);
	}
	strbuf_addc(sb, '\'');
}

static char *quote_path(const char *path)
{
	struct strbuf sb = STRBUF_INIT;

	add_word(&sb, path);
	return strbuf_detach(&sb);
}

static char *join_cmdline(const struct features *f)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < f->nr_cmdline; i++) {
		const char *word = f->cmdline[i], *slash = i ? NULL : strrchr(word, '/');

		add_word(&sb, slash ? slash + 1 : word);
	}
	return sb.n ? strbuf_detach(&sb) : NULL;
}

static const char *how(struct summary *sum, const struct reader *r)
{
	const char *mode = r->mode == READER_PIPE        ? "from a pipe"
			   : r->mode == READER_DIRECTORY ? "a directory"
							 : "";

	snprintf(sum->how, sizeof(sum->how), "%s%s%s%s%s", mode, *mode && r->simpleperf ? ", " : "",
		 r->simpleperf ? "simpleperf" : "", (*mode || r->simpleperf) && r->be ? ", " : "",
		 r->be ? "big-endian" : "");
	return sum->how;
}

static void fill_reader(struct summary *sum, const struct session *s)
{
	const struct features *f = &s->reader->features;
	struct view_recording *rec = &sum->rec;

	sum->cmdline = join_cmdline(f);
	rec->cmdline = sum->cmdline;
	rec->host = f->hostname;
	rec->kernel = f->osrelease;
	rec->arch = f->arch;
	rec->cpu = f->cpudesc;
	rec->perf_version = f->version;
	rec->how = how(sum, s->reader);
}

static void fill_unwinding(struct summary *sum, const struct session_unwind *u)
{
	struct view_unwinding *v = &sum->rec.unwinding;

	*v = (struct view_unwinding){ .samples = u->samples,
				      .frames = u->frames,
				      .repaired = u->repaired,
				      .repaired_whole = u->repaired_whole,
				      .repaired_frames = u->repaired_frames,
				      .dump_size = u->dump_size,
				      .needed_dump = u->needed_dump,
				      .cut = sum->cut };
	for (int i = 0; i < UNWIND_END_MAX; i++)
		if (u->cut[i])
			sum->cut[v->nr_cut++] =
				(struct view_cut){ unwind_end_text((enum unwind_end)i), u->cut[i] };
}

void summary_init(struct summary *sum, const struct session *s, const char *path, bool by_count)
{
	struct view_recording *rec = &sum->rec;

	*sum = (struct summary){ 0 };
	rec->file = !strcmp(path, "-") ? "standard input" : path;
	sum->path = strcmp(path, "-") ? quote_path(path) : NULL;
	rec->path = sum->path;
	rec->seconds = s->has_time ? (double)(s->last_ns - s->first_ns) / 1e9 : -1;
	rec->threads = s->nr_threads;
	rec->cpus = s->nr_cpus;
	rec->samples = s->samples;
	rec->lost_events = s->lost_events;
	rec->lost_samples = s->lost_samples;
	rec->throttled = s->throttled;
	rec->folded = !s->reader;
	rec->problems = s->problems;
	rec->nr_problems = s->nr_problems;
	if (s->reader)
		fill_reader(sum, s);
	fill_unwinding(sum, &s->unwind);
	fill_events(sum, s, by_count);
}

void summary_release(struct summary *sum)
{
	for (size_t i = 0; i < sum->rec.nr_events; i++)
		free(sum->rates[i]);
	free(sum->rates);
	free(sum->events);
	free(sum->cmdline);
	free(sum->path);
	*sum = (struct summary){ 0 };
}

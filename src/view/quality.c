/* SPDX-License-Identifier: MIT */
/*
 * The quality of an event's data, as findings: each has a topic, a sentence with the share of the
 * weight that it concerns, and what to do.  Where nothing is wrong the findings are short, and
 * share one line.
 */
#include "view/quality.h"

#include <string.h>

#include <perfrep/statistics.h>

#include "view/json.h"
#include "view/line.h"
#include "view/number.h"
#include "view/quality_sampling.h"

/* Smaller shares of the weight are not worth a command. */
#define NOTABLE     0.001
#define NOTABLE_CUT 0.005 /* some stacks are always cut: those of a process that begins */
#define FEW         1000 /* samples: fewer get a word on what that means */
/* What a reader who has few samples may want to see, and how many it takes. */
#define SMALL_SHARE  0.003
#define SMALL_MARGIN 0.001

enum {
	MAX_DUMP = 65528, /* what the kernel takes for a size */
	DUMP_STEP = 1024,
};

enum topic {
	TOPIC_STACKS,
	TOPIC_NAMES,
	TOPIC_SAMPLES,
	TOPIC_MAX,
};

static const char *const topic_names[] = { "stacks", "names", "samples" };

static double share(const struct view_quality *q, uint64_t weight)
{
	return q->weight ? (double)weight / (double)q->weight : 0;
}

const char *quality_stacks_text(enum view_stacks stacks)
{
	static const char *const texts[] = {
		[STACKS_NONE] = "no stacks",          [STACKS_FP] = "frame pointers",
		[STACKS_DWARF] = "DWARF stack dumps", [STACKS_LBR] = "LBR stacks",
		[STACKS_FOLDED] = "folded stacks",
	};

	return texts[stacks];
}

static void add_percent(struct strbuf *sb, double s)
{
	if (s >= 1)
		strbuf_adds(sb, "100");
	else
		number_percent(sb, s);
	strbuf_adds(sb, " %");
}

/* ---- stacks ---- */

static void add_larger_dump(const struct view_quality *q, struct strbuf *sb)
{
	uint64_t size = 0;

	if (q->needed_dump > q->dump_size && q->needed_dump <= MAX_DUMP)
		size = (q->needed_dump + DUMP_STEP - 1) / DUMP_STEP * DUMP_STEP;
	else if (q->dump_size < MAX_DUMP)
		size = q->dump_size < 32768 ? q->dump_size * 2 : MAX_DUMP;
	if (size)
		strbuf_addf(sb, "; record with --call-graph dwarf,%llu",
			    (unsigned long long)(size < MAX_DUMP ? size : MAX_DUMP));
}

/* What cut them: the end of the dump, or something that a larger one would not change. */
static void add_cut_dwarf(const struct view_quality *q, struct strbuf *sb)
{
	if (!q->dump_size) { /* simpleperf keeps none */
		strbuf_adds(sb,
			    ": the recorder unwound them itself, and left no dumps to go on with");
		return;
	}
	if (!q->cut_by_dump && q->cut_elsewhere) {
		strbuf_addf(sb, ": %s", q->cut_elsewhere);
		if (q->truncated_module)
			strbuf_addf(sb, ", %s in %s",
				    q->truncated_module_weight == q->truncated ? "all" : "most",
				    q->truncated_module);
		if (q->fp_would_do)
			strbuf_adds(sb, "; record with --call-graph fp");
		return;
	}
	strbuf_adds(sb, ": the dump of ");
	number_thousands(sb, q->dump_size);
	strbuf_adds(sb, " bytes is too small for ");
	if (q->cut_elsewhere) {
		add_percent(sb, (double)q->cut_by_dump / 1000);
		strbuf_addf(sb, " of them, the others: %s", q->cut_elsewhere);
	} else {
		strbuf_adds(sb, "them");
	}
	add_larger_dump(q, sb);
}

/* Why stacks were cut, by how they were recorded, and how to record whole ones. */
static void add_cut(const struct view_quality *q, struct strbuf *sb)
{
	add_percent(sb, share(q, q->truncated));
	strbuf_adds(sb, " cut");
	if (q->truncated_module && q->stacks != STACKS_DWARF)
		strbuf_addf(sb, ", %s in %s",
			    q->truncated_module_weight == q->truncated ? "all" : "most",
			    q->truncated_module);
	if (q->stacks == STACKS_DWARF)
		add_cut_dwarf(q, sb);
	else if (q->stacks == STACKS_LBR)
		strbuf_adds(sb, ": deeper than the branch records; record with --call-graph dwarf");
	else
		strbuf_addf(sb, "%s: record with --call-graph dwarf",
			    q->truncated_module ? ", built without frame pointers" : "");
}

static void find_stacks(const struct view_quality *q, struct finding *f)
{
	struct strbuf *sb = &f->text;

	if (q->stacks == STACKS_FOLDED)
		return;
	if (q->stacks == STACKS_NONE) {
		strbuf_adds(sb, "none recorded, only where time is spent, not by whose call: "
				"record with perf record -g");
		return;
	}
	add_percent(sb, share(q, q->weight - q->truncated));
	strbuf_adds(sb, " whole");
	if (share(q, q->repaired) >= NOTABLE) {
		strbuf_adds(sb, " (");
		add_percent(sb, share(q, q->repaired));
		strbuf_adds(sb, " completed from others of the thread)");
	}
	if (share(q, q->truncated) >= NOTABLE_CUT) {
		f->bad = true;
		strbuf_adds(sb, ", ");
		add_cut(q, sb);
	}
	if (share(q, q->not_unwound) >= NOTABLE) {
		f->bad = true;
		strbuf_adds(sb, "; stack dumps not unwound: ");
		add_percent(sb, share(q, q->not_unwound));
	}
	if (share(q, q->no_chain) >= NOTABLE) {
		f->bad = true;
		strbuf_adds(sb, "; without a chain: ");
		add_percent(sb, share(q, q->no_chain));
	}
}

/* ---- names ---- */

/* What to do about the reason; the module is named before it. */
static const char *repair_of(enum unknown_reason reason)
{
	static const char *const repairs[UNKNOWN_MAX] = {
		[UNKNOWN_NO_MAP] = "the recording does not say what is mapped there",
		[UNKNOWN_NO_FILE] = "give its folder with --search-dir DIR or --symfs DIR",
		[UNKNOWN_BUILD_ID] = "give the folder of the recorded build with --search-dir DIR",
		[UNKNOWN_NO_SYMBOLS] =
			"install its debug symbols, or give them with --debug-dir DIR",
		[UNKNOWN_NO_SYMBOL] = "give its debug symbols with --debug-dir DIR",
		[UNKNOWN_BAD_FILE] = "give an undamaged file with --search-dir DIR",
		[UNKNOWN_KERNEL] =
			"give root's copy of that machine's /proc/kallsyms with --kallsyms "
			"FILE",
		[UNKNOWN_JIT] = "let the JIT write perf-PID.map or a jitdump file",
		[UNKNOWN_SPECIAL] = NULL,
	};

	return repairs[reason];
}

static enum unknown_reason main_reason(const struct view_quality *q)
{
	enum unknown_reason best = UNKNOWN_NO_MAP;

	for (int r = UNKNOWN_NO_MAP; r < UNKNOWN_MAX; r++)
		if (q->reasons[r] > q->reasons[best])
			best = (enum unknown_reason)r;
	return best;
}

/* The command that has the whole list. */
static void add_see(const struct view_recording *rec, const char *between, struct strbuf *sb)
{
	strbuf_addf(sb, "%ssee perfrep symbols%s%s", between, rec->path ? " " : "",
		    rec->path ? rec->path : "");
}

static void add_unknown(const struct view_recording *rec, const struct view_quality *q,
			struct strbuf *sb)
{
	bool module = q->unknown_module && q->unknown_module_reason != UNKNOWN_NOT;
	enum unknown_reason reason = module ? q->unknown_module_reason : main_reason(q);
	uint64_t weight = module ? q->unknown_module_weight : q->reasons[reason];
	const char *repair = repair_of(reason);

	add_percent(sb, share(q, weight));
	strbuf_adds(sb, " unknown");
	if (module)
		strbuf_addf(sb, ", in %s", q->unknown_module);
	strbuf_addf(sb, " (%s)", unknown_reason_text(reason));
	if (repair)
		strbuf_addf(sb, ": %s", repair);
	if (weight < q->leaf_unknown && share(q, q->leaf_unknown - weight) >= NOTABLE) {
		strbuf_adds(sb, "; ");
		add_percent(sb, share(q, q->leaf_unknown - weight));
		strbuf_adds(sb, " elsewhere");
	}
	add_see(rec, "; ", sb);
}

static void find_names(const struct view_recording *rec, const struct view_quality *q,
		       struct finding *f)
{
	struct strbuf *sb = &f->text;

	if (rec->folded)
		return;
	add_percent(sb, share(q, q->weight - q->leaf_unknown));
	strbuf_adds(sb, " known");
	if (share(q, q->leaf_unknown) >= NOTABLE) {
		f->bad = true;
		strbuf_adds(sb, ", ");
		add_unknown(rec, q, sb);
	}
	if (share(q, q->any_unknown) >= NOTABLE && q->any_unknown > q->leaf_unknown) {
		strbuf_adds(sb, "; some caller without a name in ");
		add_percent(sb, share(q, q->any_unknown));
		if (!f->bad)
			add_see(rec, ": ", sb);
		f->bad = true;
	}
}

/* ---- samples ---- */

static void find_few(const struct view_quality *q, struct finding *f)
{
	double needed = samples_needed(SMALL_SHARE, SMALL_MARGIN);
	struct strbuf *sb;

	if (!q->samples || q->effective >= FEW)
		return;
	sb = finding_complain(f);
	strbuf_adds(sb, "only ");
	number_thousands(sb, q->samples);
	if (q->effective < 0.5 * (double)q->samples) {
		strbuf_adds(sb, ", and their periods differ so much that they are worth ");
		number_thousands(sb, (uint64_t)(q->effective + 0.5));
	}
	strbuf_adds(sb, ": a share of 10 % would be ±");
	number_margin(sb, wilson_margin(0.1, q->effective));
	strbuf_adds(sb, "; record longer (one of 0.3 % needs ");
	number_thousands(sb, (uint64_t)needed);
	strbuf_adds(sb, " samples for ±0.1)");
}

static void find_fallbacks(const struct view_quality *q, struct finding *f)
{
	if (q->no_kernel)
		strbuf_adds(finding_complain(f),
			    "time in the kernel was not recorded: record as root, or "
			    "with kernel.perf_event_paranoid at 1 or below");
	if (q->fell_back)
		strbuf_adds(finding_complain(f),
			    "a clock was sampled, not cycles: no hardware counters "
			    "there, as in many virtual machines");
}

static void find_samples(const struct view_recording *rec, const struct view_quality *q,
			 struct finding *f)
{
	struct strbuf *sb = &f->text;

	if (rec->folded)
		strbuf_adds(sb,
			    "a count is taken for a sample: where it is a weight, ± is too small");
	if (q->filtered_samples) {
		strbuf_adds(sb, sb->n ? "; " : "");
		number_thousands(sb, q->filtered_samples);
		strbuf_adds(sb, " left out by filters");
	}
	if (q->lost) {
		sb = finding_complain(f);
		number_thousands(sb, q->lost);
		strbuf_adds(sb, " of this event lost");
	}
	find_few(q, f);
	quality_sampling(q, f);
	find_fallbacks(q, f);
}

static void print_findings(struct finding *f, const struct view_style *style, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;
	const char *label = "quality";
	bool bad = false;

	for (int i = 0; i < TOPIC_MAX; i++)
		bad |= f[i].bad;
	for (int i = 0; i < TOPIC_MAX; i++) {
		if (!f[i].text.n)
			continue;
		if (bad) {
			strbuf_clear(&line);
			strbuf_addf(&line, "%-7s %s", topic_names[i], strbuf_str(&f[i].text));
			line_print(sb, style, label, strbuf_str(&line));
			label = "";
			strbuf_clear(&line);
		} else {
			strbuf_addf(&line, "%s%s %s", line.n ? " · " : "", topic_names[i],
				    strbuf_str(&f[i].text));
		}
	}
	line_print(sb, style, "quality", strbuf_str(&line));
	strbuf_release(&line);
}

void quality_print(const struct view_recording *rec, const struct view_quality *q,
		   const struct view_style *style, struct strbuf *sb)
{
	struct finding f[TOPIC_MAX] = { 0 };

	if (!q->samples)
		return;
	find_stacks(q, &f[TOPIC_STACKS]);
	find_names(rec, q, &f[TOPIC_NAMES]);
	find_samples(rec, q, &f[TOPIC_SAMPLES]);
	print_findings(f, style, sb);
	for (int i = 0; i < TOPIC_MAX; i++)
		strbuf_release(&f[i].text);
}

struct json_object *quality_json(const struct view_recording *rec, const struct view_quality *q)
{
	struct json_object *o = json_new(), *reasons = json_new();

	json_put_text(o, "stacks", rec->folded ? "folded" : quality_stacks_text(q->stacks));
	json_put_uint(o, "truncated_weight", q->truncated);
	json_put_text(o, "truncated_module", q->truncated_module);
	json_put_uint(o, "repaired_weight", q->repaired);
	json_put_uint(o, "no_chain_weight", q->no_chain);
	json_put_uint(o, "not_unwound_weight", q->not_unwound);
	json_put_uint(o, "leaf_unknown_weight", q->leaf_unknown);
	json_put_uint(o, "any_unknown_weight", q->any_unknown);
	json_put_text(o, "unknown_module", q->unknown_module);
	for (int r = UNKNOWN_NOT + 1; r < UNKNOWN_MAX; r++)
		if (q->reasons[r])
			json_put_uint(reasons, unknown_reason_text((enum unknown_reason)r),
				      q->reasons[r]);
	json_put(o, "unknown_reasons", reasons);
	json_put_uint(o, "lost_samples", q->lost);
	json_put_bool(o, "kernel_left_out", q->no_kernel);
	json_put_bool(o, "no_counters", q->fell_back);
	json_put(o, "sampling", quality_sampling_json(q));
	return o;
}

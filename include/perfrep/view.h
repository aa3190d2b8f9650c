/* SPDX-License-Identifier: MIT */
/*
 * What is shown of a profile: tables, call trees, a function's callers and callees, and the
 * overview that stands above them.
 *
 * A view reads a symbolised profile, which it borrows and does not change, and writes text into
 * a strbuf.  Every view is of one event: events are never added up.  Every view states its
 * event, unit and base, and its self column adds up to the total; what is not shown is said.
 *
 * The text is UTF-8 in every locale, with escape sequences only when asked for; whatever comes
 * from the recording is escaped for the place it goes to.
 */
#ifndef PERFREP_VIEW_H
#define PERFREP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>
#include <perfrep/profile.h>
#include <perfrep/sampling.h>
#include <perfrep/sums.h>

struct strbuf;
struct table_ratios; /* src/view/ratios.h */
struct json_object; /* json-c's */

enum view_format {
	VIEW_TEXT,
	VIEW_CSV,
	VIEW_TSV,
	VIEW_SEPARATED, /* perf's --field-separator */
	VIEW_MARKDOWN,
	VIEW_JSON,
};

/* How text is laid out. */
struct view_style {
	enum view_format format;
	char separator; /* of VIEW_SEPARATED */
	unsigned width; /* of the terminal; 0: no limit */
	bool colour;
};

/* Whether people read it: titles, notes and rests stand around tables for them only. */
static inline bool view_for_eyes(const struct view_style *style)
{
	return style->format == VIEW_TEXT || style->format == VIEW_MARKDOWN;
}

/* ---- keys: what rows are told apart by ---- */

enum view_key {
	KEY_COMM,
	KEY_PID,
	KEY_TID,
	KEY_CPU,
	KEY_DSO,
	KEY_SYM,
	KEY_SRCLINE,
	KEY_SRCFILE,
	KEY_EVENT,
	KEY_FIELDS, /* of tracepoints */
	KEY_MAX,
};

struct view_keys {
	enum view_key v[KEY_MAX];
	size_t n;
};

/*
 * Parse "dso,sym": perf's names of keys ("symbol" is "sym"); names of tracepoints' fields, of
 * whatever number, are one key.  On failure ERR lists them.
 */
int view_keys_parse(struct view_keys *keys, const char *text, struct err *err);
/* Whether NAME is that of a field: it has an underscore, or an event's name and a dot before it. */
bool view_key_is_field(const char *name, size_t len);
bool view_keys_have(const struct view_keys *keys, enum view_key key);

/* ---- tables ---- */

struct table_options {
	struct view_keys keys;
	bool by_count; /* a sample weighs 1, whatever its period */
	bool by_total; /* order by total (perf's --children), else by self */
	bool blocks; /* sums by slices of time too: the ± comes from them */
};

struct table_row {
	uint32_t key; /* in profile.keys: one that the row stands for */
	uint32_t line; /* in profile.lines; PROFILE_NONE: samples without any frame */
	uint64_t self, total; /* by the chosen weight */
	uint64_t self_samples, total_samples;
	uint64_t self_weight, total_weight; /* periods, also when counting */
	uint64_t inlined; /* how much of `self` was in an inlined copy */
	uint32_t depth; /* of the place that is nearest to the root: frames up to it */
	uint32_t sum; /* the row of table.blocks; or the first of its table.cells */
	double self_n, total_n; /* effective number of samples: what the ± of each comes from */
	uint32_t rank, rank_last; /* from 1; rows within the noise of the first of them share it */
};

/* What of a row fell into a slice of time, by the chosen weight. */
struct table_cell {
	uint64_t self, total;
	uint32_t next; /* of the same row; UINT32_MAX: none */
	uint32_t block;
};

/*
 * Owned: table_release().  Every row has self or total above 0.  The sum of self over the rows is
 * `base`; a row's total counts a stack once, however often the row is in it.
 */
struct table {
	const struct profile *profile; /* borrowed */
	uint32_t event;
	struct table_options opts;
	uint64_t base; /* weight (or samples) of the event that 100 % is */
	double samples; /* effective number, if they are independent */
	struct table_row *rows;
	size_t n;
	bool has_total; /* totals differ from self: rows are frames, some stack has several */
	struct leaf_sum *leaves; /* of the event, by location */
	struct row_blocks blocks; /* n is 0 when there are none */
	struct table_cell *cells; /* when roots are kept apart: in the place of blocks' rows */
	const struct table_ratios *ratios; /* of events, to be shown too; borrowed, may be NULL */
};

/* Rows of EVENT in order: (self or total) descending, the other one, then the keys' text. */
void table_build(struct table *t, const struct profile *p, uint32_t event,
		 const struct table_options *opts);
void table_release(struct table *t);
/* The text of KEY for a row, unescaped, into SB.  FULL: paths whole, for machines. */
void table_key_text(const struct table *t, const struct table_row *row, enum view_key key,
		    bool full, struct strbuf *sb);

/* Which rows and columns of a table to print. */
struct table_print {
	double percent_limit; /* rows with both shares below are left out */
	size_t limit; /* at most so many rows; 0: all */
	bool no_total; /* perf's --no-children */
	bool callers; /* text only: below, the hottest by total of those left out */
};

void table_print(const struct table *t, const struct table_print *what,
		 const struct view_style *style, struct strbuf *sb);
/* The header line of the formats that have one for all events (csv, tsv, separated). */
void table_print_header(const struct table *t, const struct table_print *what,
			const struct view_style *style, struct strbuf *sb);
struct json_object *table_json(const struct table *t, const struct table_print *what);

/* ---- call trees ---- */

enum tree_type {
	TREE_NONE,
	TREE_GRAPH, /* shares of the event */
	TREE_FRACTAL, /* shares of the parent */
	TREE_FLAT, /* one chain after the other */
	TREE_FOLDED, /* one chain a line */
};

struct tree_options {
	enum tree_type type;
	double threshold; /* percent; smaller branches are left out */
	size_t limit; /* chains, or branches of one node; 0: all */
	bool callees; /* roots are the functions where time is spent, below are their callers
			   * (perf's order "callee"); else from the outermost frame inwards */
	bool by_count;
	enum { TREE_PERCENT, TREE_PERIOD, TREE_COUNT } value; /* what is printed */
	unsigned max_depth; /* 0: any */
};

/* Defaults, then perf's print_type,threshold,limit,order,sort_key,value in any order. */
void tree_options_init(struct tree_options *o);
int tree_options_parse(struct tree_options *o, const char *text, struct err *err);
/* Whether TEXT could be an argument of --call-graph: only words that it knows, and numbers. */
bool tree_options_plausible(const char *text);

/* A node of a built tree; children are in order: weight descending, then name, then module. */
struct tree_node {
	uint32_t func; /* in profile.funcs; PROFILE_NONE for the root */
	uint32_t parent, first_child, next; /* PROFILE_NONE: none */
	uint64_t total, total_samples;
	uint64_t self; /* what ends here: below is nothing for it */
	uint64_t repaired; /* of `total`: the frame was taken from another stack of the thread */
	bool inlined; /* always inlined into its caller */
};

struct tree {
	const struct profile *profile; /* borrowed */
	uint32_t event;
	struct tree_options opts;
	uint64_t base; /* what 100 % is */
	struct tree_node *nodes; /* 0 is the root: everything */
	size_t n;
	struct tree_detail *detail; /* src/view/tree_detail.h; NULL unless it was asked for */
};

void tree_build(struct tree *t, const struct profile *p, uint32_t event,
		const struct tree_options *opts);
void tree_release(struct tree *t);
/* For eyes; the formats with fields have tree_fields_nodes() of view/tree.h. */
void tree_print(const struct tree *t, const struct view_style *style, struct strbuf *sb);
struct json_object *tree_json(const struct tree *t);

/* ---- one function ---- */

/*
 * Who calls a function and what it calls.  A stack counts once: its caller is that of the
 * outermost place where the function is in it, its callee that of the innermost.  So the callers
 * (and the places without one) add up to `total`, the callees and `self` too.
 */
struct callers {
	const struct profile *profile; /* borrowed */
	uint32_t event;
	bool by_count;
	uint64_t base; /* of the event */
	double samples; /* effective number, of the event */
	uint64_t total, self, recursive; /* recursive: stacks that have it more than once */
	uint64_t total_samples;
	uint32_t *funcs; /* those that the name means */
	size_t nr_funcs;
	struct tree above, below; /* rooted at the function */
	struct callers_detail *detail; /* as a tree's */
};

/*
 * FUNCTION is a name as tables print it; if no function is called so, a part of one name.  Fails
 * with the candidates when it is a part of several.
 */
int callers_build(struct callers *c, const struct profile *p, uint32_t event, const char *function,
		  const struct tree_options *opts, struct err *err);
void callers_release(struct callers *c);
/* For eyes; the formats with fields have callers_fields() of view/tree.h. */
void callers_print(const struct callers *c, const struct view_style *style, struct strbuf *sb);
struct json_object *callers_json(const struct callers *c);

/* ---- the overview ---- */

enum view_stacks { /* how stacks were recorded */
		   STACKS_NONE,
		   STACKS_FP,
		   STACKS_DWARF,
		   STACKS_LBR,
		   STACKS_FOLDED,
};

/* How far an event's numbers can be trusted.  Strings are borrowed, NULL when not known. */
struct view_quality {
	enum view_stacks stacks;
	uint64_t weight, samples; /* accepted */
	double effective; /* number of samples: Kish's */
	uint64_t truncated, no_chain, not_unwound, repaired; /* weights */
	const char *truncated_module;
	uint64_t truncated_module_weight;
	uint64_t dump_size; /* STACKS_DWARF: bytes of stack that a sample has */
	uint64_t needed_dump; /* … and should have; 0: not known */
	uint64_t cut_by_dump; /* of 1,000 cut stacks, those that the dump was too small for */
	const char *cut_elsewhere; /* what most of the others ended with; NULL: no others */
	bool fp_would_do; /* … and frame pointers go on there */
	uint64_t leaf_unknown, any_unknown; /* weights */
	uint64_t reasons[UNKNOWN_MAX]; /* leaf weights */
	const char *unknown_module;
	uint64_t unknown_module_weight;
	enum unknown_reason unknown_module_reason;
	uint64_t lost; /* samples that the recorder says it lost, of this event */
	uint64_t filtered_samples, filtered_weight; /* left out by filters */
	const struct sampling *sampling; /* NULL: not known */
	const char *shares_row[SAMPLING_PHASES + SAMPLING_LINES]; /* names of its shares' rows */
	struct sampling_wish wish;
	bool no_kernel; /* the kernel's part was not recorded, and nobody asked for that */
	bool fell_back; /* a clock was sampled since there were no hardware counters */
};

struct view_event {
	const char *name, *unit; /* unit "" when a weight has none */
	const char *rate; /* "at 999 Hz", "every 250,000"; NULL when not known */
	struct view_quality quality;
};

/* What became of stack dumps, all events together. */
struct view_unwinding {
	uint64_t samples, frames;
	uint64_t repaired, repaired_whole; /* stacks that got outer frames; that became whole */
	uint64_t repaired_frames; /* not among `frames` */
	uint64_t dump_size, needed_dump; /* bytes; needed: for 99 % of those that did not fit */
	const struct view_cut { /* of the stacks that stayed cut, why; static texts */
		const char *why;
		uint64_t samples;
	} * cut;
	size_t nr_cut;
};

/* What was recorded.  Strings are borrowed, NULL when not known. */
struct view_recording {
	const char *file;
	const char *path; /* as the shell needs it; NULL for standard input */
	const char *cmdline;
	const char *host, *kernel, *arch, *perf_version, *cpu;
	const char *how; /* "from a pipe", "simpleperf" …: NULL when a plain file of perf */
	double seconds; /* from the first sample to the last; below 0: not known */
	unsigned threads, cpus;
	uint64_t samples; /* of all events, before filters */
	uint64_t lost_events, lost_samples, throttled;
	bool folded;
	struct view_unwinding unwinding; /* samples 0: nothing was unwound */
	const struct view_event *events; /* by index in the profile */
	size_t nr_events;
	char *const *problems; /* sentences, each shown once */
	size_t nr_problems;
};

/* Text and Markdown: what was recorded, what was lost, what is wrong with the file. */
void overview_print(const struct view_recording *rec, const struct view_style *style,
		    struct strbuf *sb);
/*
 * The line above an event's table: name, samples, weight; then how good its stacks and names
 * are, with the command that repairs what isn't.
 */
void overview_event(const struct view_recording *rec, uint32_t event,
		    const struct view_style *style, struct strbuf *sb);
/* "hottest  NAME, 23.4 % ±0.7 of cycles …" of a table by dso and sym; nothing when it is empty. */
void overview_hottest(const struct table *t, const struct view_style *style, struct strbuf *sb);

struct json_object *overview_json(const struct view_recording *rec);
struct json_object *overview_event_json(const struct view_recording *rec, uint32_t event);
/* null when the table is empty */
struct json_object *overview_hottest_json(const struct table *t);

#endif

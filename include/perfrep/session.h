/* SPDX-License-Identifier: MIT */
/*
 * The whole way from a path to a symbolised profile: the one place where the stages meet.
 *
 * session_run() opens the input (recording or folded text: it looks), walks it once for the
 * timeline, collapses its samples in worker threads, merges, symbolises and applies the filters
 * that need names.  The result does not depend on the number of threads.
 */
#ifndef PERFREP_SESSION_H
#define PERFREP_SESSION_H

#include <perfrep/offcpu.h>
#include <perfrep/profile.h>
#include <perfrep/reader.h>
#include <perfrep/sampling.h>
#include <perfrep/symbolizer.h>
#include <perfrep/timeline.h>
#include <perfrep/timings.h>
#include <perfrep/unwind.h>

struct filter; /* src/profile/filter.h */
struct source;

enum session_stage {
	SESSION_READ, /* the sequential pass */
	SESSION_COLLAPSE, /* samples to stacks */
	SESSION_MERGE, /* what the threads collected, put together; not counted: 0 of 0 */
	SESSION_SYMBOLIZE, /* addresses to functions */
	SESSION_JUDGE, /* names to stacks, filters by name, quality; not counted */
};

/* Called from the calling thread only. */
typedef void session_progress_fn(void *ctx, enum session_stage stage, uint64_t done,
				 uint64_t total);

enum session_key { /* what stacks are kept apart by, besides the comm */
		   SESSION_KEY_PID = 1 << 0,
		   SESSION_KEY_TID = 1 << 1,
		   SESSION_KEY_CPU = 1 << 2,
};

struct session_options {
	const char *path;
	const struct source *source; /* the bytes, of a recording or folded text, when they were
				      * read already: borrowed until session_release(); else NULL */
	unsigned threads; /* 0: the CPUs that there are */
	unsigned keys; /* enum session_key */
	bool keep_ip; /* locations keep run-time addresses (fold --addrs) */
	bool no_stacks; /* leaf only */
	bool script_chains; /* recorded chains as perf script prints them: see stack.h */
	bool keep_order; /* samples keep their time: moments.h */
	bool no_symbols; /* don't symbolise: for info */
	bool no_hints; /* don't judge stacks: no quality */
	bool no_unwind; /* leave user stack dumps alone */
	bool one_event; /* what is shown is the first event with samples: others may be left out */
	bool offcpu; /* keep each absence from the CPU: session.offcpu */
	bool offcpu_wakers; /* … with the stack of who ended it by waking */
	bool no_repair; /* leave stacks that were cut as they are */
	bool stitch_lbr; /* longer call stacks from LBR, of several samples: stack/stitch.h */
	unsigned max_stack; /* frames kept of a stack, leaf first; 0: all */
	struct filter *filter; /* may be NULL; borrowed */
	/* Fields of tracepoints, as FIELD, EVENT.FIELD or SYSTEM:EVENT.FIELD; borrowed. */
	const char *const *fields; /* that stacks are kept apart by */
	size_t nr_fields;
	struct symbolizer_options symbols;
	session_progress_fn *progress;
	void *progress_ctx;
};

/* How far a profile can be trusted, for one event; weights and samples of accepted samples. */
struct quality {
	uint64_t weight, samples;
	uint64_t truncated_weight; /* stacks that don't reach a root of a thread */
	uint64_t no_chain_weight; /* samples without a chain, in a recording that has chains */
	uint64_t not_unwound_weight; /* user stack dumps that were not used */
	uint64_t repaired_weight; /* outer frames came from the thread's other stacks */
	uint64_t leaf_unknown_weight; /* by the leaf */
	uint64_t any_unknown_weight; /* some frame has no name */
	uint64_t reason_weight[UNKNOWN_MAX]; /* of leaves */
	/* the module in which most of the truncated weight ends, and why leaves are unknown */
	uint32_t truncated_module; /* string id, 0: none */
	uint64_t truncated_module_weight;
	uint32_t unknown_module;
	uint64_t unknown_module_weight;
	enum unknown_reason unknown_module_reason;
};

/* What became of the user stack dumps, all events together. */
struct session_unwind {
	uint64_t samples, frames;
	uint64_t ends[UNWIND_END_MAX]; /* by enum unwind_end, before any repair */
	uint64_t cut[UNWIND_END_MAX]; /* of those that stayed cut */
	uint64_t repaired, repaired_whole, repaired_frames;
	uint64_t dump_size; /* the largest that was recorded, in bytes */
	uint64_t needed_dump; /* what would have held 99 % of the stacks that did
			       * not fit; 0: not known */
};

/* What was counted while samples were collapsed. */
struct session_event {
	const struct evsel *evsel; /* NULL for folded input */
	bool derived; /* off-cpu, wall-clock: EVSEL is that of their stacks */
	uint64_t samples; /* delivered: group reads expanded; before filters */
	uint64_t period;
	uint64_t raw_samples; /* SAMPLE records of this event */
	uint64_t lost; /* LOST / LOST_SAMPLES / READ_LOST told for it */
	struct quality quality;
	struct sampling_wish wish; /* how it was to be sampled */
	struct sampling sampling; /* how it was */
};

struct session_count { /* per comm and per pid; name is a string id of the profile */
	uint32_t comm;
	int32_t pid;
	uint64_t samples;
};

struct session {
	struct reader *reader; /* NULL for folded input */
	struct timeline *timeline; /* NULL for folded input */
	struct profile *profile; /* one event per session_event, same index */
	struct offcpu_detail *offcpu; /* NULL: not wanted, or nothing tells of it */
	bool offcpu_left_out; /* it could be told, but another event is shown: opts.one_event */
	struct symbolizer_result symbols;
	struct session_event *events;
	size_t nr_events;
	uint64_t samples; /* delivered, all events */
	uint64_t first_ns, last_ns; /* of samples; both 0 without times */
	bool has_time;
	uint64_t lost_events, lost_samples;
	uint64_t throttled; /* THROTTLE records */
	uint64_t bad_samples; /* malformed, left out */
	uint64_t unknown_id_samples; /* their id belongs to no event; left out */
	uint64_t leftover_samples; /* had bytes that this program doesn't know */
	uint64_t folded_skipped; /* lines of folded text that were none */
	uint64_t deferred_missing; /* user chains that were promised and did not come */
	unsigned nr_cpus; /* distinct CPUs seen in samples, 0: not recorded */
	unsigned nr_threads; /* distinct tids seen in samples */
	struct session_count *comms; /* delivered samples, by count descending then name */
	size_t nr_comms;
	struct session_count *pids; /* comm unused */
	size_t nr_pids;
	struct session_unwind unwind;
	unsigned threads; /* that were used */
	uint64_t input_bytes; /* of the recording or the text */
	struct timings timings;
	char **problems; /* sentences: what is damaged, missing or doubtful */
	size_t nr_problems;
	bool incomplete; /* exit status 1 */
	struct source *input; /* private: the bytes that the reader reads, unless lent */
	char **long_names; /* of the dsos, by id: see session_modules() */
	size_t nr_long_names;
};

/* Fails only when nothing can be reported; then there is nothing to release. */
int session_run(struct session *s, const struct session_options *opts, struct err *err);

/* A record of the sequential pass, its event (NULL: none), and S with what is known so far. */
typedef void session_record_fn(void *ctx, const struct session *s, const struct record *rec,
			       const struct evsel *evsel);
/*
 * The sequential pass alone, for those who look at records and not at samples' stacks: S gets the
 * reader, the timeline (not to be asked before the end), what was lost, and the problems; no
 * profile.  FN gets each record but COMPRESSED ones; its bytes stay until session_release().
 */
int session_walk(struct session *s, const struct session_options *opts, session_record_fn *fn,
		 void *ctx, struct err *err);

/* Whether a condition on fields of tracepoints makes sense, whatever they are; else a sentence. */
int session_check_condition(const char *text, struct err *err);

/* The long names of the dsos, for views that print them; valid as long as S. */
struct profile_modules session_modules(const struct session *s);
void session_release(struct session *s);

#endif

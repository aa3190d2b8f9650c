/* SPDX-License-Identifier: MIT */
/*
 * The profile: what is left of a recording (or of a folded file) once its samples are collapsed.
 *
 * Everything is an array of small structs with u32 ids: strings, locations, keys, events.  A
 * location is what was seen (a dso and an address in it, or a name); its lines (function, file,
 * line, innermost inlined first) are filled in afterwards, once for each location, by the
 * symbolizer.  A stack is a run of locations below a *key* (comm, pid, tid, cpu: those parts that
 * the caller wants kept apart), with a weight and a count of samples for each event.
 *
 * The stacks of a recording are stored as they come, those of folded text in a trie; stack_iter
 * walks over either, and profile_need_trie() makes a trie of either.
 *
 * Ids are those of one profile.  profile_merge() translates.
 */
#ifndef PERFREP_PROFILE_H
#define PERFREP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

#define PROFILE_NONE UINT32_MAX

enum loc_kind {
	LOC_DSO, /* `dso` (an id the caller gives meaning to) and `addr` in it */
	LOC_ADDR, /* an address that no map covers; `dso` is the enum cpumode */
	LOC_NAME, /* a name from a folded file; `addr` is a string id */
	LOC_MARK, /* a frame of our own such as [truncated]; `addr` is a string id */
};

struct location {
	uint64_t addr;
	uint64_t ip; /* run-time address, only when the caller keeps it (else 0) */
	uint32_t dso;
	uint8_t kind; /* enum loc_kind */
	uint8_t reason; /* enum unknown_reason, set by the symbolizer */
	bool repaired; /* as a frame that was taken from another stack of its thread */
	uint32_t first_line, nr_lines; /* in profile.lines; at least 1 after symbolising */
};

/* Why a location has no function. */
enum unknown_reason {
	UNKNOWN_NOT, /* it has one */
	UNKNOWN_NO_MAP, /* no mapping covers the address */
	UNKNOWN_NO_FILE, /* the file is not there */
	UNKNOWN_BUILD_ID, /* the file that is there is another build */
	UNKNOWN_NO_SYMBOLS, /* the file is stripped, and no debug file was found */
	UNKNOWN_NO_SYMBOL, /* it has symbols, but none covers the address */
	UNKNOWN_BAD_FILE, /* the file is no ELF, or damaged */
	UNKNOWN_KERNEL, /* no kallsyms for this kernel, or its addresses are hidden */
	UNKNOWN_JIT, /* no perf-PID.map, or it does not cover the address */
	UNKNOWN_SPECIAL, /* [vsyscall] and the like */
	UNKNOWN_MAX,
};

enum line_flags {
	LINE_INLINED = 1 << 0,
	LINE_KERNEL = 1 << 1,
	LINE_JIT = 1 << 2,
	LINE_UNKNOWN = 1 << 3, /* `func` stands for an address without a name */
	LINE_GUEST = 1 << 4,
};

/* One frame of source for a location: lines[first_line] is the innermost. */
struct line {
	uint32_t func; /* in profile.funcs */
	uint32_t file; /* string id, 0 when not known */
	uint32_t line; /* 0 when not known */
	uint16_t flags; /* enum line_flags */
};

/* What a row of a table stands for: a name in a module. */
struct func {
	uint32_t name; /* string id, demangled; "[libfoo.so]" or "[unknown]" when unknown */
	uint32_t module; /* string id of the dso's short name, 0 in folded files */
	uint16_t flags; /* LINE_KERNEL, LINE_JIT, LINE_UNKNOWN, LINE_GUEST */
};

/* A root of the trie: what samples were kept apart by.  Unused parts are 0 (pid, tid, cpu: -1). */
struct stack_key {
	uint32_t comm; /* string id */
	int32_t pid, tid;
	int32_t cpu;
	uint32_t fields; /* string id: values of tracepoints' fields, 0: none are told apart */
};

struct stack_node {
	uint32_t parent; /* a node; PROFILE_NONE for a root; always below the node's own id */
	uint32_t loc; /* a location; for a root: a key */
};

/*
 * An event.  The stacks of a recording are in the profile as they were met (see stack_iter); the
 * node columns are filled when the trie is asked for.
 */
struct profile_event {
	uint32_t name; /* string id */
	uint32_t unit; /* string id of what a weight counts: "ns", "cycles" …, may be 0 */
	uint64_t samples, weight; /* accepted: the sums over the stacks */
	uint64_t filtered_samples, filtered_weight; /* left out by filters */
	bool exact; /* nothing was sampled: the sums are the truth, not an estimate */
	uint64_t sum_sq_hi, sum_sq_lo; /* 128-bit sum of squared sample weights: Kish's n */
	uint64_t *node_weight; /* self, by node; room for node_cap, 0 beyond what was touched */
	uint64_t *node_count;
	size_t node_cap;
};

struct profile {
	struct intern *strings;
	struct location *locs;
	size_t nr_locs;
	struct stack_key *keys;
	size_t nr_keys;
	struct stack_node *nodes;
	size_t nr_nodes;
	struct profile_event *events;
	size_t nr_events;
	struct line *lines;
	size_t nr_lines;
	struct func *funcs;
	size_t nr_funcs;
	bool folded; /* from folded text: the first frame of a stack is a frame, not a comm */
	bool timed; /* stacks have a slice of time */
	unsigned threads; /* that may work on it; 0: one */
	struct profile_priv *priv;
};

/* What the caller can tell about its dso ids. */
struct profile_modules {
	/*
	 * The long name, as perf script prints it in brackets behind a symbol: the path as it was
	 * recorded, with " (deleted)", "[kernel.kallsyms]", "[nf_tables]", "[vdso]",
	 * "/tmp/perf-42.map"; NULL when not known.
	 */
	const char *(*path)(const void *ctx, uint32_t dso);
	const void *ctx;
};

struct profile *profile_new(void);
void profile_free(struct profile *p);

/* The id of a string, copied when it is new; and the string, which stays where it is. */
uint32_t profile_string(struct profile *p, const char *s, size_t len);
const char *profile_str(const struct profile *p, uint32_t id);
size_t profile_strlen(const struct profile *p, uint32_t id);
/* The event of that name, made when it is new; and a further event, also under a known name. */
uint32_t profile_event(struct profile *p, const char *name, const char *unit);
uint32_t profile_event_add(struct profile *p, const char *name, const char *unit);
uint32_t profile_loc(struct profile *p, enum loc_kind kind, uint32_t dso, uint64_t addr,
		     uint64_t ip);
/* The location that is like L in all that is no symbol. */
uint32_t profile_loc_like(struct profile *p, const struct location *l);
/* The same if there is one, else PROFILE_NONE. */
uint32_t profile_find_loc(const struct profile *p, const struct location *l);
uint32_t profile_key(struct profile *p, const struct stack_key *key);
/* The root node of a key, and the child of a node for a location: made when they are new. */
uint32_t profile_root(struct profile *p, uint32_t key);
uint32_t profile_child(struct profile *p, uint32_t node, uint32_t loc);
/* The child if there is one, else PROFILE_NONE. */
uint32_t profile_find_child(const struct profile *p, uint32_t node, uint32_t loc);
uint32_t profile_func(struct profile *p, uint32_t name, uint32_t module, uint16_t flags);
/* Give location LOC its lines (innermost first, copied). */
void profile_set_lines(struct profile *p, uint32_t loc, const struct line *lines, size_t n);
/*
 * The other way to fill a profile, for large recordings: a sample with the stack LOCS (N > 0,
 * root first) below KEY counts for the event of each of its weights.  BLOCK is the slice of time
 * that it fell into.  A profile is filled in one way or the other; profile_end_stacks() when all
 * is there, before anything else is asked of it.
 */
struct stack_weight {
	uint64_t weight;
	uint32_t event;
	uint8_t block;
	uint8_t mark; /* the caller's; nothing to the profile */
};

void profile_add_stack(struct profile *p, const uint32_t *locs, size_t n, uint32_t key,
		       const struct stack_weight *weights, size_t nr_weights);
/*
 * For charts over time: the stack that was added last was seen at WHEN for EVENT; see moments.h.
 * ORDER tells samples with equal times apart, a place in the recording.  Costs 24 bytes each time.
 */
void profile_add_moment(struct profile *p, uint64_t when, uint64_t order, uint32_t event);
void profile_end_stacks(struct profile *p);

/*
 * The distinct stacks of one event with their samples, one after the other, in no particular
 * order; a stack comes once for each worker that met it.
 *
 *	stack_iter_init(&it, p, event);
 *	while (stack_iter_next(&it))
 *		… it.locs, it.n, it.key, it.weight, it.count …
 *	stack_iter_release(&it);
 *
 * With by_block set before the first step a stack comes once for each slice of time that has some
 * of its samples.  P must not change meanwhile.
 */
struct stack_iter {
	const uint32_t *locs; /* root first: the leaf is locs[n - 1]; borrowed until the next */
	size_t n;
	uint32_t key; /* in profile.keys */
	uint32_t event;
	uint64_t weight, count;
	unsigned block; /* slice of time: 0 … PROFILE_BLOCKS - 1 */
	bool by_block;
	/* private: */
	const struct profile *profile;
	uint32_t want;
	size_t set, at; /* at: a stack of the set, or a node */
	bool one_piece;
	uint32_t stack; /* that `locs` is of */
	uint32_t cell;
	uint32_t *buf;
	size_t cap;
};

/* Slices of equal length that a recording is cut into: 40, 20 and 10 blocks come from them. */
enum { PROFILE_BLOCKS = 40 };

/* EVENT may be PROFILE_NONE: all of them; then by block an event at a time, else together. */
void stack_iter_init(struct stack_iter *it, const struct profile *p, uint32_t event);
bool stack_iter_next(struct stack_iter *it);
void stack_iter_release(struct stack_iter *it);
/* For several threads: iterators over pieces 0 … stack_pieces() - 1 together see every stack. */
size_t stack_pieces(const struct profile *p);
void stack_iter_piece(struct stack_iter *it, size_t piece);
/* How many threads that is worth, profile.threads at the most. */
unsigned stack_threads(const struct profile *p);

/*
 * Make sure that `nodes` and the events' node columns hold every stack: who reads them asks for it
 * first.  Cheap when they do.
 */
void profile_need_trie(const struct profile *p);
/* COUNT samples of together WEIGHT end in NODE.  Sums saturate. */
void profile_add(struct profile *p, uint32_t event, uint32_t node, uint64_t weight, uint64_t count);
/* One sample of WEIGHT: the same, and the square goes into sum_sq. */
void profile_add_sample(struct profile *p, uint32_t event, uint32_t node, uint64_t weight);
/* Only the square, for a sample whose weight is added with others by profile_add(). */
void profile_add_square(struct profile *p, uint32_t event, uint64_t weight);
/*
 * SRC, made by a worker with the same list of events, becomes part of DST: its locations, keys
 * and sums are added, its stacks change hands.  SRC is freed.
 */
void profile_adopt(struct profile *dst, struct profile *src);
/* Add all of SRC (before symbolising) to DST; events are matched by index when both have the
 * same list, else by name. */
void profile_merge(struct profile *dst, const struct profile *src);

/* Kish's effective number of samples of an event: (sum w)^2 / sum w^2; infinite if exact. */
double profile_effective_samples(const struct profile_event *e);

/*
 * The invariants; 0, or negative and a sentence that names the one that is broken.
 * Samples must have a frame: a root has no weight of its own.
 */
int profile_check(const struct profile *p, struct err *err);

/* "no file", "other build-id" …: a few words for a reason. */
const char *unknown_reason_text(enum unknown_reason r);

#endif

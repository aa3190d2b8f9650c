/* SPDX-License-Identifier: MIT */
/*
 * Who was mapped where, and called what, at which time.
 *
 * During the sequential pass the side-band records (MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL …) are
 * added as they come; timeline_finish() puts them in order of (time, place in the file) and
 * builds, for each process image, the rectangles [start, end) x [from, until) in which a map was
 * in force.  From then on the timeline is immutable and any number of threads may ask it.
 *
 * Every answer comes with the span of time in which it stays the same, so that a caller can
 * remember it.  "Time" is the record's timestamp when the evlist is `timed`, else its `pos`:
 * timeline_when().
 */
#ifndef PERFREP_TIMELINE_H
#define PERFREP_TIMELINE_H

#include <perfrep/dso.h>
#include <perfrep/record.h>

/* Half-open. */
struct validity {
	uint64_t from, until;
};

#define VALIDITY_ALWAYS ((struct validity){ 0, UINT64_MAX })

static inline struct validity validity_meet(struct validity a, struct validity b)
{
	return (struct validity){ a.from > b.from ? a.from : b.from,
				  a.until < b.until ? a.until : b.until };
}

static inline bool validity_has(struct validity v, uint64_t when)
{
	return when >= v.from && when < v.until;
}

struct map {
	uint64_t start, end; /* of this piece */
	uint64_t pgoff; /* of `start` */
	const struct dso *dso;
	uint32_t prot; /* 0: not known (MMAP) */
	struct validity valid;
};

/* The address that a location in the map's dso has: see enum dso_kind. */
uint64_t map_location(const struct map *map, uint64_t addr);

struct process; /* one image of one process: from fork or exec to the next exec or its end */
struct timeline;

struct timeline *timeline_new(const struct evlist *evlist);
/*
 * Take a record (any; those that are no side-band are ignored).  REC's bytes must stay valid
 * until timeline_finish().  Malformed records are counted and left out.
 */
void timeline_add(struct timeline *tl, const struct record *rec);
/* A function of a JIT: known by name from WHEN on. */
void timeline_add_code(struct timeline *tl, int32_t pid, uint64_t when, uint64_t addr, uint64_t len,
		       const char *symbol, const char *path);
void timeline_finish(struct timeline *tl);
void timeline_free(struct timeline *tl);

/* What maps are of: the timeline's own; more come as long as records do. */
struct dso_table *timeline_dsos(struct timeline *tl);
/* What the timeline goes by: the sample's time, or the record's place in an untimed recording. */
static inline uint64_t timeline_when(bool timed, uint64_t time, uint64_t pos)
{
	return timed ? time : pos;
}

/* The image that PID ran at WHEN; never NULL (an unknown process has no maps). */
const struct process *timeline_process(const struct timeline *tl, int32_t pid, uint64_t when,
				       struct validity *valid);
/* The kernel's maps: image, modules, KSYMBOL code. MODE: CPUMODE_KERNEL or CPUMODE_GUEST_KERNEL */
const struct process *timeline_kernel(const struct timeline *tl, enum cpumode mode);
/*
 * The map of ADDR at WHEN, or NULL.  *VALID: as long as the answer stays the same in this image
 * (meet it with that of timeline_process()); it is what counts, not the map's own `valid`, which
 * for a map that was there before a fork is the time it was in force in the parent.
 */
const struct map *process_map(const struct process *proc, uint64_t addr, uint64_t when,
			      struct validity *valid);
/*
 * The process that an image belongs to: a small number, dense, stable: for hashing.  The images
 * before and after an exec have the same; a pid that is used again gets another.  0: all pids
 * that nothing was heard of; 1 and 2: the kernel and the guest's.
 */
uint32_t process_id(const struct process *proc);

/*
 * The name of thread TID at WHEN: an id in the timeline's table of names; "swapper" for tid 0,
 * ":TID" when nothing was heard of it.  Equal names have equal ids, whoever asks and in whatever
 * order, but the ids are not dense (those of ":TID" have the top bit set): hash them.
 */
uint32_t timeline_comm(const struct timeline *tl, int32_t pid, int32_t tid, uint64_t when,
		       struct validity *valid);
/* Borrowed from the timeline; any thread may ask. */
const char *timeline_comm_str(const struct timeline *tl, uint32_t comm);

/* A map that a walk over all maps visits: for info and for unwinders that want ranges. */
typedef void timeline_map_fn(void *ctx, int32_t pid, const struct map *map);
void timeline_each_map(const struct timeline *tl, timeline_map_fn *fn, void *ctx);

/* For `info`: processes and threads that were seen. */
struct timeline_thread {
	int32_t pid, tid, ppid; /* ppid -1: not known */
	uint32_t comm; /* the last one */
	uint64_t from, until; /* 0 and UINT64_MAX when not seen to begin and end */
};
size_t timeline_threads(const struct timeline *tl, struct timeline_thread **out); /* to free */

struct timeline_stats {
	uint64_t malformed; /* records left out */
	uint64_t maps_timed_out; /* perf gave up reading /proc/PID/maps */
	uint64_t forks_cut; /* forks whose maps were not inherited: absurdly long chains */
	uint64_t maps, comms, tasks;
};
struct timeline_stats timeline_stats(const struct timeline *tl);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Group reads: a sample of a leader with PERF_SAMPLE_READ carries the running totals of the
 * counters of its group, and stands for one weight for each counter: what it moved by since the
 * sample before.
 *
 * The differences need the samples in order, so they are taken in the sequential pass and kept
 * by place in the file; the worker threads look them up.
 */
#ifndef PERFREP_COLLECT_DELTAS_H
#define PERFREP_COLLECT_DELTAS_H

#include "base/hashidx.h"
#include "base/vec.h"

#include <perfrep/sample.h>

struct delta {
	uint32_t event; /* index of the evsel that moved */
	uint8_t mark; /* off-cpu: 1 + the frame on top that tells the state; else 0 */
	uint64_t weight;
};

struct delta_sample {
	uint64_t pos; /* of the record */
	uint32_t first; /* in `deltas` */
	uint32_t n;
};

struct delta_total { /* the last value seen of one counter */
	uint64_t id;
	int32_t tid; /* -1 unless the event is inherited */
	uint64_t value;
};

struct deltas {
	VEC(struct delta_sample) samples; /* by pos */
	VEC(struct delta) deltas;
	VEC(struct delta_total) totals;
	struct hashidx index;
};

/* Take the reads of one decoded sample; call in file order. */
void deltas_add(struct deltas *d, const struct evlist *list, const struct evsel *evsel,
		const struct sample *s, uint64_t pos);
/*
 * The deltas of the sample at POS: their number.  *HINT speeds up asking in ascending order;
 * start with 0.
 */
size_t deltas_find(const struct deltas *d, uint64_t pos, size_t *hint, const struct delta **out);
void deltas_release(struct deltas *d);

#endif

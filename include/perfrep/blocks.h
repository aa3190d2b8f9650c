/* SPDX-License-Identifier: MIT */
/*
 * Weights by function and slice of time: what the ± of a share comes from when samples are not
 * independent of their neighbours.
 */
#ifndef PERFREP_BLOCKS_H
#define PERFREP_BLOCKS_H

#include <stdint.h>

#include <perfrep/profile.h>

struct blocks {
	unsigned n; /* PROFILE_BLOCKS, or 0: samples have no time, or it is folded text */
	uint64_t *weight, *samples; /* [n]: all accepted samples of the event */
	uint64_t *self, *total; /* [func * n + block]: weights; total once a stack */
	uint64_t *self_samples, *total_samples;
};

/* Owned: blocks_release(). */
void profile_blocks(const struct profile *p, uint32_t event, struct blocks *b);
void blocks_release(struct blocks *b);

#endif

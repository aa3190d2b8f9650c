/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of the threads whose stacks were cut.  The pass has left most of it; chunks
 * that it found too late to be of use are unwound once more.
 */
#ifndef PERFREP_COLLECT_OBSERVE_H
#define PERFREP_COLLECT_OBSERVE_H

#include "collect/gather.h"

/*
 * Put what the workers remember together in ALL, with what is still lacking for the cut stacks of C,
 * and find what size of dumps they would have needed.
 */
void observe_run(struct collapse *c, struct repair *all);

#endif

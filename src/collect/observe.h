/* SPDX-License-Identifier: MIT */
/*
 * The second look at stack dumps: when some stacks were cut, the samples of their threads are
 * unwound once more, to remember what may complete them.  Most recordings need none of it.
 */
#ifndef PERFREP_COLLECT_OBSERVE_H
#define PERFREP_COLLECT_OBSERVE_H

#include "collect/gather.h"

/* Fill the workers' memories with what the cut stacks of C need. */
void observe_run(struct collapse *c);

#endif

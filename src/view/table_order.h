/* SPDX-License-Identifier: MIT */
/* The order of a table's rows, and their ranks. */
#ifndef PERFREP_VIEW_TABLE_ORDER_H
#define PERFREP_VIEW_TABLE_ORDER_H

#include <perfrep/view.h>

/* By the weight that was chosen. */
void table_order(struct table *t);
/* Once rows are in order and it is known how sure they are. */
void table_rank(struct table *t);

#endif

/* SPDX-License-Identifier: MIT */
/* How sure the shares of a table's rows are. */
#ifndef PERFREP_VIEW_PRECISION_H
#define PERFREP_VIEW_PRECISION_H

#include <perfrep/view.h>

#define PRECISION_BURSTS 4 /* samples by effective samples: more is worth a word */

/* Fill in self_n and total_n of all rows. */
void precision_find(struct table *t);
/* Whether the row's share of self changes in the course of the recording. */
bool precision_drifts(const struct table *t, const struct table_row *row);
/* Its share in one of equal PARTS of the recording, from 0. */
double precision_part(const struct table *t, const struct table_row *row, unsigned part,
		      unsigned parts);

#endif

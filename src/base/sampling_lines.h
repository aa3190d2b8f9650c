/* SPDX-License-Identifier: MIT */
/* Lines in the spectrum of sample times. */
#ifndef PERFREP_BASE_SAMPLING_LINES_H
#define PERFREP_BASE_SAMPLING_LINES_H

#include <perfrep/sampling.h>

/*
 * Those that are too strong for chance, strongest first; V is in no particular order.  GAPS: whole
 * windows of points were left out.
 */
void sampling_find_lines(struct sampling *s, const struct sample_point *v, size_t n, bool gaps,
			 const struct sampling_wish *wish);

#endif

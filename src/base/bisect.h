/* SPDX-License-Identifier: MIT */
/*
 * Binary search in whatever is in order, without a function for each comparison.
 *
 *	size_t at = bisect(i, n, v[i].addr <= addr);
 *
 * tells for how many of the N elements the condition holds.  It has to hold for the first ones and
 * for none behind these; I is the index that it is evaluated with, and is known in it only.
 */
#ifndef PERFREP_BASE_BISECT_H
#define PERFREP_BASE_BISECT_H

#include <stddef.h>

#define bisect(i, n, condition)                                                    \
	({                                                                         \
		size_t bisect_low_ = 0, bisect_high_ = (n);                        \
                                                                                   \
		while (bisect_low_ < bisect_high_) {                               \
			size_t i = bisect_low_ + (bisect_high_ - bisect_low_) / 2; \
                                                                                   \
			if (condition)                                             \
				bisect_low_ = i + 1;                               \
			else                                                       \
				bisect_high_ = i;                                  \
		}                                                                  \
		bisect_low_;                                                       \
	})

#endif

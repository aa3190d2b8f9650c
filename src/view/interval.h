/* SPDX-License-Identifier: MIT */
/* How sure a share is, from the number of samples. */
#ifndef PERFREP_VIEW_INTERVAL_H
#define PERFREP_VIEW_INTERVAL_H

#include <stdbool.h>

struct interval {
	double low, high; /* shares of 1 */
};

/*
 * Wilson's 95 % score interval of the share P among N independent samples (N need not be whole:
 * it may be Kish's effective number); [0, 1] when N is 0.
 */
struct interval wilson(double p, double n);
/* Half its width: what is printed behind ±. */
double wilson_margin(double p, double n);
/*
 * Whether two shares of the same N samples, that no sample has in common, differ significantly
 * (p < 0.05).  For shares that have samples in common it errs towards "no".
 */
bool shares_differ(double p1, double p2, double n);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927:
 * the interval is the set of true shares that the observed one is not significantly away from.
 * Unlike p ± z·sqrt(p(1-p)/n) it never leaves [0, 1] and is right for few samples.
 *
 * Two shares of one set of samples are a multinomial's: they compete, their covariance is
 * -p1·p2/n, so Var(p1 - p2) = (p1 + p2 - (p1 - p2)²) / n.
 */
#include "view/interval.h"

#include <math.h>

#define Z 1.959963984540054 /* 97.5 % quantile of the normal distribution */

struct interval wilson(double p, double n)
{
	double z2 = Z * Z, centre, half, scale;

	if (!(n > 0))
		return (struct interval){ 0, 1 };
	scale = 1 / (1 + z2 / n);
	centre = (p + z2 / (2 * n)) * scale;
	half = Z * sqrt(fmax(p * (1 - p), 0) / n + z2 / (4 * n * n)) * scale;
	/* none and all are exact bounds, whatever the rounding */
	return (struct interval){ p <= 0 ? 0 : fmax(centre - half, 0),
				  p >= 1 ? 1 : fmin(centre + half, 1) };
}

double wilson_margin(double p, double n)
{
	struct interval i = wilson(p, n);

	return (i.high - i.low) / 2;
}

bool shares_differ(double p1, double p2, double n)
{
	double d = fabs(p1 - p2), var;

	if (!(n > 0))
		return false;
	var = (p1 + p2 - d * d) / n;
	return d > Z * sqrt(fmax(var, 0)) && d > 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * The normal, Student's and the χ² distribution.
 *
 * Tails come from libm's erfc() and lgamma(), and from the continued fractions of the incomplete
 * beta and gamma functions (Abramowitz and Stegun 26.5.8 and 26.4.10, evaluated by Lentz's method).
 * Quantiles are found by halving an interval of their tail function: slow, exact to the last bits,
 * and nobody asks for many.
 */
#include <perfrep/statistics.h>

#include <math.h>

#define TINY       1e-300
#define ITERATIONS 400
#define EPSILON    1e-15

double normal_tail(double z)
{
	return erfc(fabs(z) / M_SQRT2);
}

/* One step of Lentz's evaluation of b0 + a1/(b1 + a2/(b2 + …)). */
struct lentz {
	double f, c, d;
};

static bool lentz_step(struct lentz *l, double a, double b)
{
	double change;

	l->d = b + a * l->d;
	l->c = b + a / l->c;
	if (fabs(l->d) < TINY)
		l->d = TINY;
	if (fabs(l->c) < TINY)
		l->c = TINY;
	l->d = 1 / l->d;
	change = l->c * l->d;
	l->f *= change;
	return fabs(change - 1) < EPSILON;
}

/* The fraction of the incomplete beta function, good for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	struct lentz l = { TINY, TINY, 0 };

	lentz_step(&l, 1, 1);
	for (int i = 1; i < ITERATIONS; i++) {
		int m = i / 2;
		double num = i % 2 ? -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1))
				   : m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m));

		if (lentz_step(&l, num * x, 1))
			break;
	}
	return l.f;
}

/* Regularised incomplete beta function I_x(a, b). */
static double beta_inc(double x, double a, double b)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_tail(double t, double df)
{
	if (isinf(df))
		return normal_tail(t);
	if (isinf(t))
		return 0;
	return beta_inc(df / (df + t * t), df / 2, 0.5);
}

/* The value whose two-sided tail is P (0 < P < 1). */
static double tail_inverse(double p, double df)
{
	double low = 0, high = 1;

	while (student_tail(high, df) > p && high < 1e300)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
		double mid = (low + high) / 2;

		if (student_tail(mid, df) > p)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2;
}

double student_quantile(double p, double df)
{
	if (!(p > 0))
		return -INFINITY;
	if (p >= 1)
		return INFINITY;
	return p < 0.5 ? -tail_inverse(2 * p, df) : p > 0.5 ? tail_inverse(2 * (1 - p), df) : 0;
}

/* The lower regularised incomplete gamma function by its series, good for x < a + 1. */
static double gamma_series(double a, double x)
{
	double term = 1 / a, sum = term;

	for (int i = 1; i < ITERATIONS * 4 && term > sum * EPSILON; i++) {
		term *= x / (a + i);
		sum += term;
	}
	return sum * exp(a * log(x) - x - lgamma(a));
}

/* The upper one by its fraction, good for the rest. */
static double gamma_fraction(double a, double x)
{
	struct lentz l = { TINY, TINY, 0 };

	lentz_step(&l, 1, x + 1 - a);
	for (int i = 1; i < ITERATIONS; i++)
		if (lentz_step(&l, -i * (i - a), x + 2 * i + 1 - a))
			break;
	return l.f * exp(a * log(x) - x - lgamma(a));
}

double chi2_tail(double x, double df)
{
	double a = df / 2, y = x / 2;

	if (!(y > 0))
		return 1;
	return y < a + 1 ? 1 - gamma_series(a, y) : gamma_fraction(a, y);
}

/* SPDX-License-Identifier: MIT */
/*
 * How sure a number is: what a profile, which is a sample, allows to be said.
 *
 * Pure functions: arrays of numbers in, numbers out; nothing is kept and nothing is allocated for
 * the caller.  Shares are of 1, p-values are two-sided, "significant" is p < 0.05.
 *
 * Samples are not independent: a program has phases, bursts, threads that do the same.  So a share
 * is estimated from blocks, equal slices of the recording's time: x[b] is the weight in block b
 * that hit, w[b] all weight in it, and how much x[b] - p·w[b] varies between blocks tells how sure
 * p = Σx / Σw is.
 */
#ifndef PERFREP_STATISTICS_H
#define PERFREP_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAT_Z95 1.959963984540054 /* 97.5 % quantile of the normal distribution */

struct interval {
	double low, high; /* shares of 1 */
};

/* ---- a share of N independent samples ---- */

/*
 * Wilson's 95 % score interval of the share P among N independent samples (N need not be whole:
 * it may be an effective number); [0, 1] when N is 0.
 */
struct interval wilson(double p, double n);
/* Half its width: what is printed behind ±. */
double wilson_margin(double p, double n);
/*
 * Whether two shares of the same N samples, that no sample has in common, differ significantly.
 * For shares that have samples in common it errs towards "no".
 */
bool shares_differ(double p1, double p2, double n);
/* The share that a row without a hit among N samples may still have (95 %); 1 when N is small. */
double zero_hit_bound(double n);
/* How many independent samples tell the share P to ± HALF (95 %). */
double samples_needed(double p, double half);
/* Kish's effective number of samples from the sums of the weights and of their squares. */
double kish_samples(double sum, double sum_of_squares);

/* ---- a share from blocks ---- */

/*
 * The variance of Σx / Σw over N blocks, N / (N - 1) · Σ (x - p·w)² / (Σw)².  It is that of any
 * ratio of two sums over the same blocks (instructions by cycles, misses by loads …), by the delta
 * method.  0 when there is nothing to tell it from: fewer than 2 blocks, or Σw = 0.
 */
double block_variance(const uint64_t *x, const uint64_t *w, size_t n);

struct share {
	double p;
	double half; /* 95 % half-width, the largest of the binomial one and those over blocks */
	double n; /* effective number n*: independent samples that would be as sure */
	double design; /* samples / n*: above 4 they come in bursts */
	unsigned blocks; /* that HALF is from; 0: binomial */
	struct interval ci; /* Wilson's for n* */
};

/*
 * The share Σx / Σw over the NR blocks (40, or any number that 4 divides), taken together to NR,
 * NR/2 and NR/4 blocks: blocks must be longer than the program's phases.  SAMPLES are all samples
 * of each block; a division whose blocks would hold fewer than 25 samples on average is left out.
 * N is the number of independent samples that they would be at best (Kish's).
 */
struct share share_of_blocks(const uint64_t *x, const uint64_t *w, const uint64_t *samples,
			     size_t nr, double n);
/* The same without blocks: P of N samples. */
struct share share_binomial(double p, double n);
/* The variance that belongs to the half-width. */
double share_variance(const struct share *s);
/*
 * Whether the halves or thirds of the recording have different shares (corrected for four
 * comparisons): then the ± does not cover a further recording, and the reader has to be told.
 */
bool share_drifts(const uint64_t *x, const uint64_t *w, const uint64_t *samples, size_t nr);

/* ---- ratios of two events ---- */

struct ratio {
	double r;
	double half; /* 95 % */
};

#define RATIO_MIN_SAMPLES 30 /* of either event: fewer are too few */

/* Σy / Σx of the same samples (a group read together), over NR blocks as above. */
struct ratio ratio_of_blocks(const uint64_t *y, const uint64_t *x, size_t nr);
/*
 * 95 % half-width of any other number made of sums over the same blocks: D[b] is the difference
 * that block b makes to it (the delta method: for a ratio (y - r·x) / Σx), all together none.
 */
double half_of_blocks(const double *d, size_t nr);
/* Σy / Σx of events that were sampled apart: relative variances of both sums add up. */
struct ratio ratio_apart(double y, double var_y, double x, double var_x);

/* ---- differences ---- */

struct difference {
	double delta; /* second - first */
	double se; /* standard error */
	double half; /* 95 % */
	double z; /* delta / se (for Welch's: t) */
	double df; /* degrees of freedom; infinite for the normal distribution */
	double p; /* two-sided; 1 when nothing can be said */
};

/* Of two independent estimates with their variances. */
struct difference difference_z(double a, double var_a, double b, double var_b);
/* Welch's test: the means of two sets of runs; at least 2 a side, else p is 1 and se infinite. */
struct difference difference_welch(const double *a, size_t na, const double *b, size_t nb);
double mean_of(const double *v, size_t n);
/* Of the values, by n - 1; 0 for fewer than 2. */
double variance_of(const double *v, size_t n);

/*
 * Benjamini and Hochberg's adjusted p-values (the false discovery rate at which each would be
 * called significant), in place.
 */
void benjamini_hochberg(double *p, size_t n);

/* ---- phases ---- */

struct rayleigh {
	double r; /* 0: spread evenly, 1: all at the same phase */
	double p; /* that evenly spread phases look like this */
};

/* Phases in radians. */
struct rayleigh rayleigh_test(const double *phases, size_t n);

/* ---- distributions ---- */

double normal_tail(double z); /* P(|Z| >= |z|) */
double student_tail(double t, double df); /* P(|T| >= |t|); DF may be INFINITY: the normal one */
double student_quantile(double p, double df); /* the t with P(T <= t) = p */
double chi2_tail(double x, double df); /* P(X >= x) */

#endif

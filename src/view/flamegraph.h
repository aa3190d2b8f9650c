/* SPDX-License-Identifier: MIT */
/*
 * A flame graph as one SVG file that needs nothing else: a frame is a <rect> with a <title>
 *
 *	NAME (1,234 samples, 5.67% ±0.12)
 *
 * and, on a second line, its module, what it is, its self share; labels are <text> above them.  It
 * is whole without its script (which zooms, searches …), and follows the reader's light or dark.
 *
 * Names come from somebody else: they are escaped, and no name is ever part of the style or the
 * script.
 */
#ifndef PERFREP_VIEW_FLAMEGRAPH_H
#define PERFREP_VIEW_FLAMEGRAPH_H

#include "view/flame_chart.h"
#include "view/flame_palette.h"
#include "view/flame_tree.h"

#define FLAMEGRAPH_WIDTH     1200
#define FLAMEGRAPH_MIN_WIDTH 0.1

struct flamegraph_options {
	const char *title;
	const char *subtitle; /* what is shown: event, samples …; may be "" */
	const char *count_name; /* what a sample is called: "samples" */
	const char *unit; /* of weights, when they are not the samples; else NULL */
	unsigned width; /* pixels; 0: FLAMEGRAPH_WIDTH, and as wide as the window with a script */
	unsigned frame_height; /* 0: 16 */
	double min_width; /* pixels, or percent of the width */
	bool min_percent;
	bool inverted; /* the outermost frame on top */
	bool margins; /* ± is known: samples are samples */
	enum flame_palette palette;
	const struct flame_chart *chart; /* of the same tree: drawn instead of it; or NULL */
	bool compare; /* side 0 is before, 1 is after */
};

/* What became of the frames. */
struct flamegraph_stats {
	size_t drawn, left_out;
	double few; /* of a comparison: the share of before that is gone, but not for sure */
};

/* Takes the text piece by piece; a value other than 0 ends the writing. */
typedef int flamegraph_sink(void *ctx, const char *text, size_t len);

/* The least weight that is drawn when WEIGHT is all of it, with nothing to compare. */
double flamegraph_least(const struct flamegraph_options *opts, uint64_t weight);

/* Write side 1 of a finished tree.  Returns 0, or what SINK returned. */
int flamegraph_write(const struct flame_tree *t, const struct flamegraph_options *opts,
		     struct flamegraph_stats *stats, flamegraph_sink *sink, void *ctx);

#endif

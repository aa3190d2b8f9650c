/* SPDX-License-Identifier: MIT */
/*
 * Colours of frames.  A colour is a hue, which tells something, and a shade, which only tells
 * neighbours apart; the shade comes from the name, so that a function looks the same in every
 * graph.  A class of the SVG is the hue's letter and the shade's digit.
 */
#ifndef PERFREP_VIEW_FLAME_PALETTE_H
#define PERFREP_VIEW_FLAME_PALETTE_H

#include "base/strbuf.h"
#include "view/flame_tree.h"

#define FLAME_SHADES 8

enum flame_palette {
	PALETTE_AUTO, /* KIND when frames tell what they are, else HOT */
	PALETTE_KIND, /* C red, C++ and Rust yellow, kernel orange, JIT green, inlined aqua */
	PALETTE_MODULE,
	PALETTE_HOT,
	PALETTE_MEM,
	PALETTE_IO,
	PALETTE_RED,
	PALETTE_GREEN,
	PALETTE_BLUE,
	PALETTE_AQUA,
	PALETTE_YELLOW,
	PALETTE_PURPLE,
	PALETTE_ORANGE,
};

enum flame_hue { /* the order of the table of colours */
		 HUE_GREY, /* commands, what has no name, separators */
		 HUE_RED,
		 HUE_YELLOW,
		 HUE_ORANGE,
		 HUE_GREEN,
		 HUE_AQUA,
		 HUE_BLUE,
		 HUE_PURPLE,
		 HUE_HOT,
		 HUE_MEM,
		 HUE_IO,
		 /* of a comparison; shades are magnitudes */
		 HUE_SLOWER,
		 HUE_FASTER,
		 HUE_SAME,
		 HUE_NEW,
		 HUE_GONE,
		 HUE_AROUND, /* callers of what is gone */
		 HUE_MODULE, /* the first of the modules' */
		 HUE_MAX = HUE_MODULE + 12,
};

/* By flamegraph.pl's name, or "auto", "kind", "module"; "java" is "kind".  ERR lists them. */
int flame_palette_parse(enum flame_palette *palette, const char *name, struct err *err);
/* Not for PALETTE_AUTO. */
enum flame_hue flame_palette_hue(enum flame_palette palette, const struct flame_tree *t,
				 uint32_t node);
unsigned flame_palette_shade(const struct flame_tree *t, uint32_t node);
/* Whether a tree's frames have anything that PALETTE_KIND would show. */
bool flame_palette_has_kinds(const struct flame_tree *t);
char flame_hue_letter(enum flame_hue hue);
/* What a hue means, for the legend; NULL: nothing. */
const char *flame_hue_meaning(enum flame_palette palette, enum flame_hue hue);
/* Style rules for the hues that were USED, light and dark. */
void flame_palette_css(struct strbuf *sb, const bool used[HUE_MAX]);

#endif

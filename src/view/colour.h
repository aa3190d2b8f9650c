/* SPDX-License-Identifier: MIT */
/* What text looks like, by what it means; nothing is added when colour is off. */
#ifndef PERFREP_VIEW_COLOUR_H
#define PERFREP_VIEW_COLOUR_H

#include <stdbool.h>

#include "base/strbuf.h"

enum colour {
	COLOUR_NONE,
	COLOUR_HEADING,
	COLOUR_LABEL, /* of a line of the overview */
	COLOUR_HOT, /* a share of 5 % or more */
	COLOUR_WARM, /* of half a percent or more */
	COLOUR_DIM, /* what explains */
	COLOUR_WARN, /* what is wrong */
	COLOUR_GOOD,
	COLOUR_STRONG,
};

void colour_on(struct strbuf *sb, bool wanted, enum colour c);
void colour_off(struct strbuf *sb, bool wanted, enum colour c);
/* TEXT in C. */
void colour_text(struct strbuf *sb, bool wanted, enum colour c, const char *text);
/* By perf's rule: red from 5 %, green from 0.5 %. */
enum colour colour_of_share(double share);

#endif

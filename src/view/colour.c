/* SPDX-License-Identifier: MIT */
#include "view/colour.h"

static const char *const codes[] = {
	[COLOUR_NONE] = "",          [COLOUR_HEADING] = "\033[1m", [COLOUR_LABEL] = "\033[36m",
	[COLOUR_HOT] = "\033[1;31m", [COLOUR_WARM] = "\033[32m",   [COLOUR_DIM] = "\033[2m",
	[COLOUR_WARN] = "\033[33m",  [COLOUR_GOOD] = "\033[32m",   [COLOUR_STRONG] = "\033[1m",
};

void colour_on(struct strbuf *sb, bool wanted, enum colour c)
{
	if (wanted)
		strbuf_adds(sb, codes[c]);
}

void colour_off(struct strbuf *sb, bool wanted, enum colour c)
{
	if (wanted && c != COLOUR_NONE)
		strbuf_adds(sb, "\033[0m");
}

void colour_text(struct strbuf *sb, bool wanted, enum colour c, const char *text)
{
	colour_on(sb, wanted, c);
	strbuf_adds(sb, text);
	colour_off(sb, wanted, c);
}

enum colour colour_of_share(double share)
{
	return share >= 0.05 ? COLOUR_HOT : share >= 0.005 ? COLOUR_WARM : COLOUR_NONE;
}

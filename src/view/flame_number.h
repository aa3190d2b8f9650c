/* SPDX-License-Identifier: MIT */
/*
 * Numbers of a flame graph: there are several for each frame, so they are written digit by digit;
 * with escapes where the text is XML.
 */
#ifndef PERFREP_VIEW_FLAME_NUMBER_H
#define PERFREP_VIEW_FLAME_NUMBER_H

#include <stdint.h>

#include "base/strbuf.h"

/* V / 10^DIGITS, without zeros at the end. */
void flame_decimal(struct strbuf *sb, uint64_t v, unsigned digits);
/* V / 100 with two digits. */
void flame_hundredths(struct strbuf *sb, uint64_t v);
/* A share in percent: 12.34%, &lt;0.01%, and 100% for all only. */
void flame_share(struct strbuf *sb, double share);
/* " ±0.53", in percent, rounded up. */
void flame_margin(struct strbuf *sb, double half);
/* Of a pixel, for flame_decimal(…, 3). */
uint64_t flame_thousandths(double pixels);

#endif

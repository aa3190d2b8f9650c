/* SPDX-License-Identifier: MIT */
/* Numbers for eyes, the same in every locale: comma for thousands, point for decimals. */
#ifndef PERFREP_VIEW_NUMBER_H
#define PERFREP_VIEW_NUMBER_H

#include "base/strbuf.h"

/* 12,345,678 */
void number_thousands(struct strbuf *sb, uint64_t v);
/* Three significant digits and a prefix: 999, 1.23 k, 45.6 M, 789 G. */
void number_si(struct strbuf *sb, double v);
/* A span of time: 250 µs, 1.25 ms, 30.0 s, 12 min 5 s, 3 h 2 min. */
void number_duration(struct strbuf *sb, double seconds);
/* 512 bytes, 1.2 KB, 30.1 MB (powers of 1,000). */
void number_bytes(struct strbuf *sb, uint64_t v);
/* A weight of an event: a span of time when UNIT is "ns", else number_si() and the unit. */
void number_weight(struct strbuf *sb, uint64_t v, const char *unit);
/* A share of 1 in percent with one decimal, "<0.1" when it would look like none: 23.4, <0.1, 0. */
void number_percent(struct strbuf *sb, double share);
/* Half a width of an interval in percent, rounded up so that it does not claim too much. */
void number_margin(struct strbuf *sb, double share);

#endif

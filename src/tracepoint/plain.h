/* SPDX-License-Identifier: MIT */
/* Whether a format text may be given to libtraceevent, which trusts what it reads. */
#ifndef PERFREP_TRACEPOINT_PLAIN_H
#define PERFREP_TRACEPOINT_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* The LEN bytes at TEXT up to the print format: name, ID and well-formed lines of fields. */
bool plain_head(const char *text, size_t len);

#endif

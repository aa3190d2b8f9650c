/* SPDX-License-Identifier: MIT */
/* What struct source's `kind` says: who owns the bytes. */
#ifndef PERFREP_PERFDATA_SOURCE_KIND_H
#define PERFREP_PERFDATA_SOURCE_KIND_H

enum source_kind {
	SOURCE_BORROWED, /* somebody else's memory */
	SOURCE_LENT, /* somebody else's mapping: its pages can be dropped, it cannot be unmapped */
	SOURCE_MALLOCED,
	SOURCE_MAPPED, /* a file: its pages can be dropped and come back */
};

#endif

/* SPDX-License-Identifier: MIT */
/* What the files of the builder share, and its users don't see. */
#ifndef PERFREP_TESTS_BUILDER_PRIVATE_H
#define PERFREP_TESTS_BUILDER_PRIVATE_H

#include "perfdata_builder.h"

struct ZSTD_CCtx_s;

struct builder_evsel {
	struct builder_attr attr; /* its pointers are owned */
	uint64_t *ids;
	uint32_t nr_ids;
	char *name;
};

struct builder_section {
	unsigned id;
	struct builder_buf buf;
};

struct builder_stream {
	struct builder_buf buf; /* as in the file */
	struct builder_buf plain; /* all its records, plain, one after the other */
	struct builder_buf pending; /* kernel records that are not compressed yet */
	uint64_t pending_from; /* offset in `plain_kernel` of pending's first byte */
	struct builder_mark *marks;
	size_t nr_marks, cap_marks;
	uint64_t *kernel_at; /* for each mark: where it is among the compressed bytes, or ~0 */
	size_t cap_kernel_at;
	size_t unresolved; /* first mark that may wait for compression */
	struct ZSTD_CCtx_s *zstd;
};

/* Begin and end of a record, with the stream's compression passed by. */
void builder_append_record(struct builder *b, const uint8_t *payload, size_t len);
void builder_write_attr(struct builder *b, const struct builder_evsel *e, uint32_t size);
uint32_t builder_attr_size(const struct builder *b, const struct builder_evsel *e);

#endif

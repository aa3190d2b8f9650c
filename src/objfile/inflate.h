/* SPDX-License-Identifier: MIT */
/* Decompression for object files: the only user of zlib, liblzma and (here) libzstd. */
#ifndef PERFREP_OBJFILE_INFLATE_H
#define PERFREP_OBJFILE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inflate_kind {
	INFLATE_NONE, /* not compressed, as far as the first bytes tell */
	INFLATE_GZIP,
	INFLATE_XZ,
	INFLATE_ZSTD,
};

enum inflate_kind inflate_detect(const uint8_t *in, size_t n);

/*
 * The whole of a compressed file, at most CAP bytes: for the caller to free; NULL when it is
 * damaged, cut or too large.
 */
uint8_t *inflate_file(enum inflate_kind kind, const uint8_t *in, size_t n, size_t cap,
		      size_t *out_size);

/* A section compressed with zstd that must come out as exactly SIZE bytes. */
bool inflate_zstd(const uint8_t *in, size_t n, uint8_t *out, size_t size);

/* Whether a claim that N compressed bytes hold SIZE is one worth an allocation. */
bool inflate_plausible(uint64_t n, uint64_t size);

/* CRC-32 as .gnu_debuglink has it. */
uint32_t inflate_crc32(const uint8_t *p, size_t n);

#endif

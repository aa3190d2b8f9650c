/* SPDX-License-Identifier: MIT */
/*
 * Errors as sentences.
 *
 * A function that can fail takes a struct err as its last argument, leaves it untouched on
 * success, and on failure returns a negative code with one whole sentence in it: what, where
 * (file, offset), what was expected and what was found.  A caller may put context in front with
 * err_prefix(), once a layer.  Only src/cli prints errors.
 */
#ifndef PERFREP_ERR_H
#define PERFREP_ERR_H

enum err_code {
	ERR_NONE = 0,
	ERR_IO, /* a system call failed */
	ERR_FORMAT, /* the bytes are not what the format says */
	ERR_UNSUPPORTED, /* valid, but not something this program reads */
	ERR_NOT_FOUND, /* a file, symbol or event that does not exist */
	ERR_USAGE, /* an option or argument that makes no sense */
};

struct err {
	enum err_code code;
	char text[512];
};

/* Fill ERR (may be NULL) and return -CODE. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Put words in front of the sentence that is there. */
void err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

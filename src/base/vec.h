/* SPDX-License-Identifier: MIT */
/*
 * A growing array: VEC(int) numbers = { 0 }; vec_push(&numbers, 3); numbers.v[0]; numbers.n.
 * Zero-initialised is empty.  Elements move when it grows: keep indices, not pointers.
 */
#ifndef PERFREP_BASE_VEC_H
#define PERFREP_BASE_VEC_H

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

#define VEC(type)           \
	struct {            \
		type *v;    \
		size_t n;   \
		size_t cap; \
	}

/* Room for EXTRA more elements. */
#define vec_reserve(vec, extra)                                                          \
	do {                                                                             \
		size_t vec_want_ = (vec)->n + (extra);                                   \
		if (vec_want_ > (vec)->cap) {                                            \
			size_t vec_cap_ = (vec)->cap ? (vec)->cap * 2 : 8;               \
			if (vec_cap_ < vec_want_)                                        \
				vec_cap_ = vec_want_;                                    \
			(vec)->v = xreallocarray((vec)->v, vec_cap_, sizeof(*(vec)->v)); \
			(vec)->cap = vec_cap_;                                           \
		}                                                                        \
	} while (0)

#define vec_push(vec, ...)                          \
	do {                                        \
		vec_reserve(vec, 1);                \
		(vec)->v[(vec)->n++] = __VA_ARGS__; \
	} while (0)

/* Make it N elements long; new ones are zero. */
#define vec_resize(vec, count)                                               \
	do {                                                                 \
		size_t vec_count_ = (count);                                 \
		if (vec_count_ > (vec)->n) {                                 \
			vec_reserve(vec, vec_count_ - (vec)->n);             \
			memset((vec)->v + (vec)->n, 0,                       \
			       (vec_count_ - (vec)->n) * sizeof(*(vec)->v)); \
		}                                                            \
		(vec)->n = vec_count_;                                       \
	} while (0)

#define vec_release(vec)         \
	do {                     \
		free((vec)->v);  \
		(vec)->v = NULL; \
		(vec)->n = 0;    \
		(vec)->cap = 0;  \
	} while (0)

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERFREP_TESTS_MUST_H
#define PERFREP_TESTS_MUST_H

#include <check.h>

/*
 * ck_assert_msg() for inner loops: check tells its parent process of every assertion that it
 * comes by, which takes longer than what is tested.
 */
#define test_must(condition, ...)                  \
	do {                                       \
		if (!(condition))                  \
			ck_abort_msg(__VA_ARGS__); \
	} while (0)

#endif

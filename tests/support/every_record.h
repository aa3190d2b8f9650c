/* SPDX-License-Identifier: MIT */
/* A small recording with a record of every type, for damage tests, fuzz seeds and dumps. */
#ifndef PERFREP_TESTS_EVERY_RECORD_H
#define PERFREP_TESTS_EVERY_RECORD_H

#include "perfdata_builder.h"

#define EVERY_UNKNOWN_TYPE 93

enum every_part {
	EVERY_KERNEL = 1, /* each record type of the kernel */
	EVERY_USER = 2, /* each record type of perf that may stand in any recording */
	EVERY_FIELD = 4, /* an event whose samples have all fields at once */
	EVERY_FEATURE = 8, /* all features instead of the usual ones */
	EVERY_PAYLOAD = 16, /* records 66 and 71 */
};

/* Fill B, which is initialised and empty; parts is a set of every_part. */
void every_record(struct builder *b, unsigned parts);

#endif

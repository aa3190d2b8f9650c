/* SPDX-License-Identifier: MIT */
/* The formats of a recording's tracepoints, parsed when the first sample needs one. */
#ifndef PERFREP_COLLECT_FORMATS_H
#define PERFREP_COLLECT_FORMATS_H

#include <perfrep/reader.h>
#include <perfrep/tracepoint.h>

/* Zero-initialised is ready; release it in any case. */
struct formats {
	unsigned options; /* enum tp_options */
	/* private: */
	struct tracepoints *tracepoints;
	bool tried;
};

/* NULL: R has no tracing data, or has not come to it yet, or it is not what it should be. */
const struct tracepoints *formats_get(struct formats *f, const struct reader *r);
/* The format of EVSEL's samples, borrowed from F; NULL: there is none, or it is no tracepoint. */
const struct tp_event *formats_event(struct formats *f, const struct reader *r,
				     const struct evsel *evsel);
void formats_release(struct formats *f);

#endif

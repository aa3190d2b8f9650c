/* SPDX-License-Identifier: MIT */
/* Counters on both sides: from output of perf stat, or from the events of the recordings. */
#include "cli/diff.h"

#include <stdlib.h>

#include "cli/recorded.h"

/* What the inputs of one set count. */
struct side {
	struct recorded *recorded; /* NULL: output of perf stat */
	struct counter_analysis *analyses; /* of that */
	struct diff_counter_input *in;
	size_t n;
};

static void side_init(struct side *side, const struct diff_inputs *in, const struct diff_command *c,
		      size_t set)
{
	const struct diff_set *s = &in->sets.v[set];
	const struct counter_options o = { 0 };

	side->n = s->n;
	side->in = xcalloc(s->n, sizeof(*side->in));
	side->recorded = in->counted ? NULL : xcalloc(s->n, sizeof(*side->recorded));
	side->analyses = in->counted ? xcalloc(s->n, sizeof(*side->analyses)) : NULL;
	for (size_t k = 0; k < s->n; k++) {
		struct diff_counter_input *i = &side->in[k];

		if (in->counted) {
			counter_analyse(&side->analyses[k], &in->counts[s->from + k], &o);
			i->set = &in->counts[s->from + k];
			i->analysis = &side->analyses[k];
		} else {
			recorded_init(&side->recorded[k], &in->sessions[s->from + k], false, &o);
			i->set = &side->recorded[k].set;
			i->analysis = &side->recorded[k].analysis;
		}
		i->work = diff_work_of(in, c, set, s->from + k);
	}
}

static void side_release(struct side *side)
{
	for (size_t k = 0; k < side->n; k++) {
		if (side->recorded)
			recorded_release(&side->recorded[k]);
		else
			counter_analysis_release(&side->analyses[k]);
	}
	free(side->recorded);
	free(side->analyses);
	free(side->in);
}

void diff_count(struct diff_counters *dc, const struct diff_inputs *in,
		const struct diff_command *c, size_t set)
{
	struct side side[2];

	side_init(&side[0], in, c, 0);
	side_init(&side[1], in, c, set);
	diff_counters_build(dc,
			    (const struct diff_counter_input *const[]){ side[0].in, side[1].in },
			    (const size_t[]){ side[0].n, side[1].n });
	side_release(&side[0]);
	side_release(&side[1]);
}

/* SPDX-License-Identifier: MIT */
/*
 * A recording's events count too: each sample stands for its period.  Output of perf stat counted
 * every one, so where both are given it comes first.
 */
#include "cli/log_counters.h"

#include <stdio.h>
#include <string.h>

#include "cli/counter_input.h"
#include "cli/recorded.h"

static bool has_any(const struct counter_set *set)
{
	return set->n || set->nr_metrics;
}

void log_counters_add_recording(struct log_counters *c, const struct session *s)
{
	const struct counter_options o = { 0 };
	struct recorded r;

	if (has_any(&c->set) || s->profile->folded)
		return;
	recorded_init(&r, s, false, &o);
	c->set = r.set;
	r.set = (struct counter_set){ 0 };
	recorded_release(&r);
}

int log_counters_add_file(struct log_counters *c, const char *path, const struct source *held,
			  struct err *err)
{
	struct counter_set set;
	bool incomplete;
	int rc;

	if (!counter_input_read(&set, path, held, &incomplete))
		return 0;
	c->incomplete |= incomplete;
	rc = counter_input_whole(&set, path, err);
	if (rc == 0 && has_any(&c->set) && c->set.source != SOURCE_RECORDING)
		rc = err_set(err, ERR_USAGE,
			     "%s is the second output of perf stat; a row has room for one.", path);
	if (rc < 0) {
		counter_set_release(&set);
		return rc;
	}
	counter_set_release(&c->set);
	c->set = set;
	return 1;
}

static const struct counter_analysis *analyse(struct log_counters *c)
{
	const struct counter_options o = { 0 };

	if (!c->analysed)
		counter_analyse(&c->analysis, &c->set, &o);
	c->analysed = true;
	return &c->analysis;
}

static const char *write(const struct derived *d, int decimals, char *text)
{
	if (!d->known)
		return NULL;
	snprintf(text, LOG_COUNTERS_TEXT, "%.*f", decimals, d->value);
	return text;
}

const char *log_counters_ipc(struct log_counters *c, char *text)
{
	return write(&analyse(c)->ipc, 2, text);
}

const char *log_counters_mpki(struct log_counters *c, char *text)
{
	return write(&analyse(c)->mpki, 2, text);
}

const char *log_counters_branch_miss(struct log_counters *c, char *text)
{
	return write(&analyse(c)->branch_miss, 2, text);
}

void log_counters_release(struct log_counters *c)
{
	if (c->analysed)
		counter_analysis_release(&c->analysis);
	counter_set_release(&c->set);
}

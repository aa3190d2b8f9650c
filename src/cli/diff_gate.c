/* SPDX-License-Identifier: MIT */
/* What a script asks of a comparison: did it get slower, and did a theory hold. */
#include "cli/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perfrep/statistics.h>

#include "cli/cmd.h"
#include "cli/message.h"
#include "view/diff.h"

static void tell(const struct diff *d, const char *name, const struct diff_measure *m,
		 double percent)
{
	struct strbuf sb = STRBUF_INIT;

	diff_delta(d, m, &sb);
	message("%s is slower: %s%s (%s), above %g %% of everything.", name, strbuf_str(&sb),
		d->opts.norm == DIFF_SHARE ? " points" : "", d->event, percent);
	strbuf_release(&sb);
}

int diff_gate(const struct diff *d, double percent)
{
	double limit = d->whole[0] * percent / 100;
	int status = EXIT_FINE;

	if (percent < 0)
		return EXIT_FINE;
	if (d->total.p < DIFF_LEVEL && d->total.delta > limit) {
		tell(d, "Everything", &d->total, percent);
		status = EXIT_CHANGED;
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *row = &d->rows[i];
		const struct diff_measure *m = d->opts.by_total ? &row->total : &row->self;

		/* a function that only has another name now is not slower */
		if ((row->kind != DIFF_SLOWER && row->kind != DIFF_NEW) ||
		    row->twin != PROFILE_NONE || m->delta <= limit)
			continue;
		tell(d, row->name, m, percent);
		status = EXIT_CHANGED;
	}
	return status;
}

/* ---- expectations ---- */

struct expectation {
	char *event, *function; /* function NULL: everything */
	bool below;
	double limit;
};

/* "EVENT@FUNCTION<0.8": names may hold < and >, so the last one that a number follows counts. */
static bool parse(const char *text, struct expectation *x)
{
	const char *at = text + strlen(text), *sep = strchr(text, '@');
	char *end;

	while (at > text && *at != '<' && *at != '>')
		at--;
	if (at == text)
		return false;
	x->below = *at == '<';
	x->limit = strtod(at + 1, &end);
	if (end == at + 1 || *end || !(x->limit >= 0))
		return false;
	if (sep && sep < at) {
		x->event = xstrndup(text, (size_t)(sep - text));
		x->function = xstrndup(sep + 1, (size_t)(at - sep - 1));
	} else {
		x->event = xstrndup(text, (size_t)(at - text));
	}
	return true;
}

static void release(struct expectation *x)
{
	free(x->event);
	free(x->function);
}

static const char *pair_event(const struct diff_pair *pair)
{
	const struct diff_recording *r = &pair->side[0].v[0];

	return profile_str(r->profile, r->profile->events[r->event].name);
}

/* The name, with or without a modifier behind a colon. */
static bool same_event(const char *have, const char *wanted)
{
	size_t len = strlen(wanted);

	return !strncmp(have, wanted, len) && (!have[len] || have[len] == ':');
}

/* The function's total, or everything; false and ERR when there is no such function. */
static bool measure(const struct expectation *x, const struct diff *d, struct diff_measure *m,
		    struct err *err)
{
	char *identity;
	bool found = false;

	if (!x->function) {
		*m = d->total;
		return true;
	}
	identity = diff_identity(x->function, NULL);
	for (size_t i = 0; i < d->n && !found; i++) {
		found = !strcmp(d->rows[i].name, identity);
		*m = d->rows[i].total;
	}
	free(identity);
	if (!found)
		err_set(err, ERR_NOT_FOUND,
			"No stack of the event %s has the function \"%s\" in it.", d->event,
			x->function);
	return found;
}

static int compare(const struct expectation *x, const struct ratio *r, struct strbuf *sb)
{
	double low = r->r - r->half, high = r->r + r->half;
	int result = 0;

	if (x->below ? high < x->limit : low > x->limit)
		result = 1;
	else if (x->below ? low >= x->limit : high <= x->limit)
		result = 2;
	strbuf_adds(sb, result == 1 ? "held" : result ? "not held" : "undecided");
	strbuf_addf(sb, " (%.3g", r->r);
	if (r->half > 0)
		strbuf_addf(sb, " ±%.2g", r->half);
	strbuf_addc(sb, ')');
	return result;
}

static int judge(const struct expectation *x, const struct diff_measure *m, struct strbuf *sb)
{
	struct ratio r;

	if (m->hits[0] < RATIO_MIN_SAMPLES) {
		strbuf_addf(sb, "undecided (%.0f samples before are too few)", m->hits[0]);
		return 0;
	}
	/* the number of hits is Poisson's: its variance is itself */
	r = ratio_apart(m->cost[1], m->cost[1] * m->cost[1] / fmax(m->hits[1], 1), m->cost[0],
			m->cost[0] * m->cost[0] / m->hits[0]);
	if (!(m->hits[1] > 0)) /* none: what may still be there by chance */
		r.half = zero_hit_bound(m->hits[0]);
	return compare(x, &r, sb);
}

/* By its name, or one of the short ones of ratios. */
static const struct diff_counter *find_counter(const struct diff_counters *dc, const char *name)
{
	static const struct {
		const char *is, *means;
	} shorts[] = { { "MPKI", "LLC MPKI" }, { "branch-miss", "branch-miss %" } };

	for (size_t i = 0; i < sizeof(shorts) / sizeof(*shorts); i++)
		if (!strcasecmp(name, shorts[i].is))
			name = shorts[i].means;
	for (size_t i = 0; i < dc->n; i++)
		if (!strcasecmp(dc->rows[i].name, name) || same_event(dc->rows[i].name, name))
			return &dc->rows[i];
	return NULL;
}

/* What was counted once is taken for exact. */
static int judge_counter(const struct expectation *x, const struct diff_counter *row,
			 struct strbuf *sb)
{
	struct ratio r;

	if (!row->known[0] || !row->known[1] || !(row->v[0] > 0)) {
		strbuf_addf(sb, "undecided (not counted on both sides)");
		return 0;
	}
	r = (struct ratio){ row->v[1] / row->v[0], fmax(row->half, 0) / row->v[0] };
	return compare(x, &r, sb);
}

static int expect(const struct expectation *x, const struct diff_pair *pairs, size_t n,
		  const struct diff_counters *dc, const struct diff_command *c, struct strbuf *sb,
		  struct err *err)
{
	const struct diff_counter *counter = x->function ? NULL : find_counter(dc, x->event);
	struct diff_options o = c->diff;

	if (counter)
		return judge_counter(x, counter, sb);
	if (o.norm == DIFF_SHARE)
		o.norm = DIFF_TIME; /* a theory is about the number of events */
	for (size_t i = 0; i < n; i++) {
		const struct diff_side *side = pairs[i].side;
		struct diff_measure m;
		struct diff d;
		int r;

		if (!same_event(pair_event(&pairs[i]), x->event))
			continue;
		diff_build(&d, side, &o);
		r = measure(x, &d, &m, err) ? judge(x, &m, sb) : -ERR_NOT_FOUND;
		diff_release(&d);
		return r;
	}
	return err_set(err, ERR_NOT_FOUND, "The sides have no event \"%s\" in common.", x->event);
}

int diff_expect(const char *text, const struct diff_pair *pairs, size_t n,
		const struct diff_counters *dc, const struct diff_command *c, struct strbuf *sb,
		struct err *err)
{
	struct expectation x = { 0 };
	int r;

	if (!parse(text, &x))
		return err_set(err, ERR_USAGE,
			       "\"%s\" is no expectation; one looks like EVENT@FUNCTION<0.8, or "
			       "IPC>1.1: after divided by before.",
			       text);
	strbuf_addf(sb, "%s: ", text);
	r = expect(&x, pairs, n, dc, c, sb, err);
	release(&x);
	return r;
}

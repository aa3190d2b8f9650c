/* SPDX-License-Identifier: MIT */
/*
 * The inputs of a comparison.  "A B C" compares B and C with A; "A1 A2 : B1 B2" compares two sets,
 * each of which is one side.  Each input is a session of its own, and all stay until the end.
 */
#include "cli/diff.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/counter_input.h"
#include "cli/events.h"
#include "cli/message.h"
#include "cli/run.h"

static bool has_colon(const struct diff_command *c)
{
	for (size_t i = 0; i < c->words.n; i++)
		if (!strcmp(c->words.v[i], ":"))
			return true;
	return false;
}

static void add_path(struct diff_inputs *in, const char *path)
{
	struct diff_set *set = &in->sets.v[in->sets.n - 1];

	if (set->n)
		strbuf_adds(&set->name, ", ");
	strbuf_adds(&set->name, path);
	in->paths[in->n++] = path;
	set->n++;
}

static void new_set(struct diff_inputs *in)
{
	vec_push(&in->sets, (struct diff_set){ .from = in->n });
}

static int check(const struct diff_inputs *in, const struct diff_command *c, struct err *err)
{
	if (in->sets.n < 2)
		return err_set(err, ERR_USAGE, "A comparison needs two sides.");
	for (size_t i = 0; i < in->sets.n; i++)
		if (!in->sets.v[i].n)
			return err_set(err, ERR_USAGE, "There is no file on one side of a colon.");
	if (c->diff.norm == DIFF_WORK && c->work.n != in->n && c->work.n != in->sets.n)
		return err_set(
			err, ERR_USAGE,
			"--normalize=work= has %zu numbers; it needs one for each of the %zu "
			"sides, or one for each of the %zu recordings.",
			c->work.n, in->sets.n, in->n);
	return 0;
}

int diff_inputs_init(struct diff_inputs *in, const struct diff_command *c, struct err *err)
{
	bool colon = has_colon(c);

	*in = (struct diff_inputs){ 0 };
	in->paths = xcalloc(c->words.n + 2, sizeof(*in->paths));
	if (c->words.n < 2) { /* as perf diff: what was recorded last against the one before */
		new_set(in);
		add_path(in, "perf.data.old");
		new_set(in);
		add_path(in, c->words.n ? c->words.v[0] : "perf.data");
		return check(in, c, err);
	}
	for (size_t i = 0; i < c->words.n; i++) {
		bool is_colon = !strcmp(c->words.v[i], ":");

		if (!i || !colon || is_colon)
			new_set(in);
		if (!is_colon)
			add_path(in, c->words.v[i]);
	}
	return check(in, c, err);
}

static int load(struct diff_inputs *in, size_t i, struct diff_command *c)
{
	struct session_options so;
	int status;

	c->common.in.path = in->paths[i];
	so = opts_common_session(&c->common);
	so.source = in->held[i].name ? &in->held[i] : NULL;
	so.no_hints = so.symbols.no_lines = true;
	status = run_session(&in->sessions[i], &so, &c->common.in);
	if (status != EXIT_FINE)
		return status;
	in->loaded = i + 1;
	status = run_status(&in->sessions[i], &c->common.in, false);
	in->status = status > in->status ? status : in->status;
	return EXIT_FINE;
}

static int check_whole(const struct diff_inputs *in)
{
	struct err err;

	for (size_t i = 0; i < in->n; i++) {
		if (counter_input_whole(&in->counts[i], in->paths[i], &err) == 0)
			continue;
		message("%s", err.text);
		return EXIT_FAILED;
	}
	return EXIT_FINE;
}

static int hold(struct diff_inputs *in)
{
	struct err err;

	in->held = xcalloc(in->n, sizeof(*in->held));
	for (size_t i = 0; i < in->n; i++) {
		if (counter_input_hold(&in->held[i], in->paths[i], &err) < 0) {
			message("%s", err.text);
			return EXIT_FAILED;
		}
	}
	return EXIT_FINE;
}

/* What perf stat counted has no functions: all inputs are counts, or none. */
static int load_counts(struct diff_inputs *in)
{
	size_t counted = 0, odd[2] = { 0, 0 };

	in->counts = xcalloc(in->n, sizeof(*in->counts));
	for (size_t i = 0; i < in->n; i++) {
		bool incomplete, yes = counter_input_read(&in->counts[i], in->paths[i],
							  &in->held[i], &incomplete);

		if (incomplete)
			in->status = EXIT_PROBLEMS;
		counted += yes;
		odd[yes] = i;
	}
	in->counted = counted == in->n;
	if (in->counted)
		return check_whole(in);
	if (!counted)
		return EXIT_FINE;
	message("%s has counts of perf stat, %s has not: counts can be compared with counts only.",
		in->paths[odd[1]], in->paths[odd[0]]);
	return EXIT_FAILED;
}

int diff_inputs_load(struct diff_inputs *in, struct diff_command *c)
{
	bool folded = false;

	if (hold(in) != EXIT_FINE || load_counts(in) != EXIT_FINE)
		return EXIT_FAILED;
	if (in->counted)
		return EXIT_FINE;

	in->sessions = xcalloc(in->n, sizeof(*in->sessions));
	for (size_t i = 0; i < in->n; i++) {
		int status = load(in, i, c);

		if (status != EXIT_FINE)
			return status;
		folded |= in->sessions[i].profile->folded;
	}
	for (size_t i = 0; i < in->n && !c->common.out.own; i++)
		diff_identify(in->sessions[i].profile, folded);
	return EXIT_FINE;
}

void diff_inputs_release(struct diff_inputs *in)
{
	for (size_t i = 0; i < in->loaded; i++)
		session_release(&in->sessions[i]);
	for (size_t i = 0; in->counts && i < in->n; i++)
		counter_set_release(&in->counts[i]);
	for (size_t i = 0; in->held && i < in->n; i++)
		source_release(&in->held[i]);
	free(in->held);
	free(in->counts);
	for (size_t i = 0; i < in->sets.n; i++)
		strbuf_release(&in->sets.v[i].name);
	vec_release(&in->sets);
	free(in->sessions);
	free(in->paths);
}

/* ---- events ---- */

static const char *event_name(const struct profile *p, uint32_t e)
{
	return profile_str(p, p->events[e].name);
}

/* The only event that has samples; PROFILE_NONE when there are none or several. */
static uint32_t only_event(const struct profile *p)
{
	uint32_t found = PROFILE_NONE;

	for (uint32_t e = 0; e < p->nr_events; e++) {
		if (!p->events[e].samples)
			continue;
		if (found != PROFILE_NONE)
			return PROFILE_NONE;
		found = e;
	}
	return found;
}

double diff_work_of(const struct diff_inputs *in, const struct diff_command *c, size_t set,
		    size_t i)
{
	if (c->diff.norm != DIFF_WORK)
		return 0;
	return c->work.v[c->work.n == in->n ? i : set];
}

/*
 * One side for the event NAME, or the only one when NAME is NULL; n is 0 when some recording lacks
 * it.
 */
static struct diff_side make_side(const struct diff_inputs *in, const struct diff_command *c,
				  size_t set, const char *name)
{
	const struct diff_set *s = &in->sets.v[set];
	struct diff_recording *v = xcalloc(s->n, sizeof(*v));

	for (size_t k = 0; k < s->n; k++) {
		const struct profile *p = in->sessions[s->from + k].profile;
		uint32_t e = name ? events_find(p, name) : only_event(p);

		if (e == PROFILE_NONE) {
			free(v);
			return (struct diff_side){ NULL, 0 };
		}
		v[k] = (struct diff_recording){ p, e, diff_work_of(in, c, set, s->from + k) };
	}
	return (struct diff_side){ v, s->n };
}

static bool make_pair(const struct diff_inputs *in, const struct diff_command *c, size_t set,
		      const char *name, struct diff_pair *pair)
{
	*pair = (struct diff_pair){ .note = STRBUF_INIT };
	pair->side[0] = make_side(in, c, 0, name);
	pair->side[1] = make_side(in, c, set, name);
	if (pair->side[0].n && pair->side[1].n)
		return true;
	free((void *)pair->side[0].v);
	free((void *)pair->side[1].v);
	return false;
}

static void note_different_events(struct diff_pair *pair)
{
	const struct diff_recording *a = &pair->side[0].v[0], *b = &pair->side[1].v[0];

	strbuf_addf(&pair->note,
		    "The events differ, %s before and %s after: only their shares can be compared.",
		    event_name(a->profile, a->event), event_name(b->profile, b->event));
}

size_t diff_pairs(const struct diff_inputs *in, const struct diff_command *c, size_t set,
		  struct diff_pair **out)
{
	const struct profile *first = in->sessions[0].profile;
	struct diff_pair *pairs = xcalloc(first->nr_events + 1, sizeof(*pairs));
	size_t n = 0;

	for (uint32_t e = 0; e < first->nr_events; e++)
		if (first->events[e].samples &&
		    make_pair(in, c, set, event_name(first, e), &pairs[n]))
			n++;
	if (!n && make_pair(in, c, set, NULL, &pairs[0]))
		note_different_events(&pairs[n++]);
	*out = pairs;
	return n;
}

void diff_pairs_free(struct diff_pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free((void *)pairs[i].side[0].v);
		free((void *)pairs[i].side[1].v);
		strbuf_release(&pairs[i].note);
	}
	free(pairs);
}

/* SPDX-License-Identifier: MIT */
/*
 * The line: what is done, how far, at which rate, and how long it will still take at that rate.
 * It is drawn at most ten times a second, and when something else begins.
 */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "view/number.h"

#define PATIENCE 0.5 /* seconds without a line */
#define EVERY    0.1 /* seconds between two drawings */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void progress_init(struct progress *p, bool wanted)
{
	*p = (struct progress){ .on = wanted && isatty(STDERR_FILENO) };
	p->start = p->stage_start = p->last = now();
}

/* Reading is counted in bytes, looking up in addresses; collapsing in chunks, which say nothing. */
static void add_rate(struct strbuf *sb, enum session_stage stage, double rate)
{
	if (stage != SESSION_READ && stage != SESSION_SYMBOLIZE)
		return;
	strbuf_adds(sb, "  ");
	number_si(sb, (double)(uint64_t)rate);
	strbuf_adds(sb, stage == SESSION_READ ? "B/s" : " addresses/s");
}

static void draw(struct progress *p, uint64_t done, uint64_t total, double t)
{
	static const char *const what[] = {
		[SESSION_READ] = "reading records",
		[SESSION_COLLAPSE] = "collapsing stacks",
		[SESSION_MERGE] = "putting stacks together",
		[SESSION_SYMBOLIZE] = "looking up functions",
		[SESSION_JUDGE] = "adding up",
	};
	double share = total ? (double)done / (double)total : 0, spent = t - p->stage_start;
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, what[p->stage]);
	if (total)
		strbuf_addf(&sb, "  %.0f %%", (share > 1 ? 1 : share) * 100);
	if (done && spent > 0.1)
		add_rate(&sb, p->stage, (double)done / spent);
	if (share > 0.02 && share < 1 && spent > PATIENCE) {
		strbuf_adds(&sb, "  ");
		number_duration(&sb, (double)(uint64_t)(spent / share * (1 - share) + 1));
		strbuf_adds(&sb, " left");
	}
	fprintf(stderr, "\r\033[K%s", strbuf_str(&sb));
	fflush(stderr);
	p->shown = true;
	strbuf_release(&sb);
}

void progress_update(void *ctx, enum session_stage stage, uint64_t done, uint64_t total)
{
	struct progress *p = ctx;
	bool new_stage = stage != p->stage;
	double t;

	if (!p->on)
		return;
	t = now();
	if (new_stage) {
		p->stage = stage;
		p->stage_start = t;
	}
	if (t - p->start < PATIENCE || (!new_stage && t - p->last < EVERY))
		return;
	p->last = t;
	draw(p, done, total, t);
}

void progress_finish(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

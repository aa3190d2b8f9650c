/* SPDX-License-Identifier: MIT */
#include "cli/run.h"

#include <stdio.h>

#include "cli/cmd.h"
#include "cli/counter_input.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/timings.h"
#include "view/number.h"

/* --verbose: what became of each file that has addresses. */
static void tell_symbols(const struct session *s)
{
	const struct dso_table *dsos = s->timeline ? timeline_dsos(s->timeline) : NULL;

	for (size_t i = 0; dsos && i < s->symbols.n; i++) {
		const struct symbolizer_dso *d = &s->symbols.dsos[i];
		const char *path = d->dso < dsos->n ? dsos->v[d->dso]->path : "?";

		message("%s: %s%s%s%s (%u of %u addresses have no name)%s%s", path,
			d->path ? "symbols of " : unknown_reason_text(d->reason),
			d->path ? d->path : "", d->debug_path ? " and " : "",
			d->debug_path ? d->debug_path : "", d->unknown, d->locations,
			d->note ? "; " : "", d->note ? d->note : "");
	}
}

static int verify(const struct session *s)
{
	struct err err;

	if (profile_check(s->profile, &err) >= 0)
		return EXIT_FINE;
	message("The profile contradicts itself: %s", err.text);
	return EXIT_FAILED;
}

void run_tell_failure(const char *path, const struct err *err)
{
	struct counter_set set;
	bool incomplete;

	if (counter_input_read(&set, path, NULL, &incomplete)) {
		message("%s is output of perf stat: perfrep stat %s tells what it means.", path,
			path);
		counter_set_release(&set);
	} else {
		message("%s", err->text);
	}
}

static int session_work(struct session *s, const struct session_options *so, void *ctx,
			struct err *err)
{
	(void)ctx;
	return session_run(s, so, err);
}

static int work_on(run_work_fn *fn, struct session *s, struct session_options *so,
		   const struct opts_input *in, void *ctx)
{
	struct progress progress;
	struct err err;
	int status, rc;

	progress_init(&progress, !in->no_progress && !in->quiet);
	so->progress = progress_update;
	so->progress_ctx = &progress;
	rc = fn(s, so, ctx, &err);
	progress_finish(&progress);
	if (rc < 0) {
		run_tell_failure(so->path, &err);
		return EXIT_FAILED;
	}
	if (in->verbose && !so->no_symbols)
		tell_symbols(s);
	status = in->verify ? verify(s) : EXIT_FINE;
	if (status != EXIT_FINE)
		session_release(s);
	return status;
}

int run_session(struct session *s, struct session_options *so, const struct opts_input *in)
{
	return work_on(session_work, s, so, in, NULL);
}

int run_recording(const struct run *r, struct session_options *so, const struct opts_input *in,
		  void *ctx)
{
	struct strbuf sb = STRBUF_INIT;
	struct session s;
	int status = work_on(r->work ? r->work : session_work, &s, so, in, ctx);

	if (status != EXIT_FINE)
		return status;
	status = r->show(&s, ctx, &sb);
	run_output(&sb);
	if (status == EXIT_FINE)
		status = run_status(&s, in, r->told);
	session_release(&s);
	return status;
}

int run_status(const struct session *s, const struct opts_input *in, bool told)
{
	if (in->timings != TIMINGS_NO)
		timings_tell(s, in->timings == TIMINGS_JSON);
	if (!told && !in->quiet)
		message_all(s->problems, s->nr_problems);
	return s->incomplete ? EXIT_PROBLEMS : EXIT_FINE;
}

void run_output(struct strbuf *sb)
{
	fwrite(strbuf_str(sb), 1, sb->n, stdout);
	strbuf_release(sb);
}

void run_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	argp_parse(argp, argc, argv, 0, NULL, input);
}

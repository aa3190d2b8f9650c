/* SPDX-License-Identifier: MIT */
#include "cli/run.h"

#include <stdio.h>

#include "cli/cmd.h"
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

int run_session(struct session *s, struct session_options *so, const struct opts_input *in)
{
	struct progress progress;
	struct err err;
	int status, r;

	progress_init(&progress, !in->no_progress && !in->quiet);
	so->progress = progress_update;
	so->progress_ctx = &progress;
	r = session_run(s, so, &err);
	progress_finish(&progress);
	if (r < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	if (in->verbose && !so->no_symbols)
		tell_symbols(s);
	status = in->verify ? verify(s) : EXIT_FINE;
	if (status != EXIT_FINE)
		session_release(s);
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

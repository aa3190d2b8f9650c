/* SPDX-License-Identifier: MIT */
/* perfrep info: what is in the file, without symbols. */
#include "cli/info.h"

#include "cli/cmd.h"
#include "cli/message.h"
#include "cli/opts.h"
#include "cli/run.h"
#include "view/json.h"

struct info_options {
	struct opts_input in;
	struct opts_output out;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct info_options *o = state->input;

	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = &o->in;
	state->child_inputs[1] = &o->out;
	return 0;
}

static const struct argp_child children[] = {
	{ &opts_input_argp, 0, NULL, 0 },
	{ &opts_text_json_argp, 0, "Output:", 0 },
	{ 0 },
};

static const struct argp info_argp = {
	NULL,
	parse,
	"[FILE]",
	"Tell what is in a recording: how it was made, events, record counts, processes, build-ids.",
	children,
	NULL,
	NULL,
};

static int show(const struct session *s, void *ctx, struct strbuf *sb)
{
	const struct info_options *o = ctx;

	if (!s->reader) {
		message("%s holds folded stacks: perfrep info tells about recordings.", o->in.path);
		return EXIT_FAILED;
	}
	if (o->out.style.format == VIEW_JSON)
		json_finish(info_json(s), sb);
	else
		info_text(s, &o->out.style, sb);
	return EXIT_FINE;
}

static int run(int argc, char **argv)
{
	static const struct run how = { .show = show };
	struct info_options o = { 0 };
	struct session_options so;

	run_parse(&info_argp, argc, argv, &o);
	so = opts_session(&o.in, NULL);
	so.no_symbols = so.no_hints = so.no_stacks = true;
	return run_recording(&how, &so, &o.in, &o);
}

const struct command cmd_info = {
	"info",
	"what is in the file: events, records, processes, build-ids",
	run,
};

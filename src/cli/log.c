/* SPDX-License-Identifier: MIT */
/*
 * perfrep log: the experiment log.  The loop of optimising is hypothesis, one change, profile,
 * counters, latency; this keeps a row of each round in a file of the user's repository.
 */
#include "cli/log.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cli/cmd.h"
#include "cli/git_head.h"
#include "cli/message.h"
#include "cli/run.h"

enum {
	OPT_LOG = OPT_COMMAND_FIRST,
	OPT_CELL, /* and on: one for each column that has an option */
};

/* Options that fill a cell. */
static const struct {
	const char *name, *arg, *help;
	enum log_column column;
} cells[] = {
	{ "change", "TEXT", "add: the one thing that was changed", LOG_CHANGE },
	{ "hypothesis", "TEXT", "add: what it is expected to do", LOG_HYPOTHESIS },
	{ "offered", "RATE", "add: the load that was offered", LOG_OFFERED },
	{ "throughput", "N", "add: what was achieved", LOG_THROUGHPUT },
	{ "p99", "TIME", "add: 99 % of latencies are below", LOG_P99 },
	{ "p999", "TIME", "add: 99.9 % of latencies are below", LOG_P999 },
	{ "ipc", "N", "add: instructions per cycle, when no FILE has it", LOG_IPC },
	{ "mpki", "N", "add: LLC misses per 1,000 instructions", LOG_MPKI },
	{ "branch-miss", "PERCENT", "add: branch misses of all branches", LOG_BRANCH_MISS },
	{ "flamegraph", "PATH", "add: where the flame graph is", LOG_FLAMEGRAPH },
	{ "commit", "ID", "add: the commit, when it isn't that of the directory", LOG_COMMIT },
	{ "date", "DATE", "add: when (default: when it was recorded)", LOG_DATE },
};

#define NR_CELLS (sizeof(cells) / sizeof(*cells))

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct log_command *c = state->input;

	if (key >= OPT_CELL && key < OPT_CELL + (int)NR_CELLS) {
		c->cell[cells[key - OPT_CELL].column] = arg;
		c->has_cells = true;
		return 0;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->in;
		state->child_inputs[1] = &c->symbols;
		state->child_inputs[2] = &c->out;
		return 0;
	case OPT_LOG:
		c->path = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!c->action)
			c->action = arg;
		else
			vec_push(&c->files, arg);
		return 0;
	case ARGP_KEY_END:
		if (!c->action || (strcmp(c->action, "add") && strcmp(c->action, "show")))
			argp_error(state, "Say add or show.");
		if (!strcmp(c->action, "add") && !c->files.n)
			argp_error(state, "Which recording, or output of perf stat, is it about?");
		if (!strcmp(c->action, "add") && !c->cell[LOG_CHANGE])
			argp_error(state, "--change says what was changed; a row needs it.");
		if (!strcmp(c->action, "show") && (c->files.n || c->has_cells))
			argp_error(state, "show takes the log alone: --log=FILE.");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &opts_input_argp, 0, "Recordings, for add:", 1 },
	{ &opts_symbols_argp, 0, "Symbols, for add:", 2 },
	{ &opts_table_argp, 0, "Output, of show:", 3 },
	{ 0 },
};

/* argp's table from ours; to be freed. */
static struct argp_option *make_options(void)
{
	struct argp_option *o = xcalloc(NR_CELLS + 2, sizeof(*o));

	o[0] = (struct argp_option){
		.name = "log",
		.key = OPT_LOG,
		.arg = "FILE",
		.doc = "The log: CSV, or Markdown when it ends in .md (default: perf-log.md or "
		       "perf-log.csv at the top of the repository)",
	};
	for (size_t i = 0; i < NR_CELLS; i++)
		o[i + 1] = (struct argp_option){
			.name = cells[i].name,
			.key = OPT_CELL + (int)i,
			.arg = cells[i].arg,
			.doc = cells[i].help,
		};
	return o;
}

/* The log that is meant when none is named; to be freed. */
static char *default_path(void)
{
	static const char *const files[] = { "perf-log.md", "perf-log.csv" };
	struct strbuf sb = STRBUF_INIT;
	struct git_head head;
	struct err err;

	if (git_head_read(&head, ".", &err) < 0)
		head = (struct git_head){ 0 };
	for (size_t i = 0; i < 2; i++) {
		strbuf_clear(&sb);
		if (head.root)
			strbuf_addf(&sb, "%s/", head.root);
		strbuf_adds(&sb, files[i]);
		if (!access(strbuf_str(&sb), F_OK))
			break;
	}
	git_head_release(&head);
	return strbuf_detach(&sb);
}

static int run(int argc, char **argv)
{
	struct log_command c = { 0 };
	struct argp_option *options = make_options();
	const struct argp argp = {
		options,
		parse,
		"add FILE...\nshow",
		"Keep an experiment log: one change, what it was meant to do, and what recordings and "
		"counters say it did. The commit is read from the repository that the directory is in.",
		children,
		NULL,
		NULL,
	};
	char *path = NULL;
	int status;

	run_parse(&argp, argc, argv, &c);
	if (!c.path)
		c.path = path = default_path();
	status = strcmp(c.action, "add") ? log_show(&c, c.path) : log_add(&c, c.path);
	opts_symbols_release(&c.symbols);
	vec_release(&c.files);
	free(options);
	free(path);
	return status;
}

const struct command cmd_log = {
	"log",
	"the experiment log: change, counters, commit, a row each",
	run,
};

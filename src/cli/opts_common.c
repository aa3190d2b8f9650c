/* SPDX-License-Identifier: MIT */
/* Lists of the parsers in opts.h and opts_filter.h, and which member each of them fills. */
#include "cli/opts_common.h"

static error_t give(int key, struct argp_state *state, void *const *inputs, size_t n)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	for (size_t i = 0; i < n; i++)
		state->child_inputs[i] = inputs[i];
	return 0;
}

static error_t give_all(int key, char *arg, struct argp_state *state)
{
	struct opts_common *c = state->input;
	void *const inputs[] = { &c->in, &c->filter, &c->symbols, &c->out };

	(void)arg;
	return give(key, state, inputs, 4);
}

static error_t give_all_but_output(int key, char *arg, struct argp_state *state)
{
	struct opts_common *c = state->input;
	void *const inputs[] = { &c->in, &c->filter, &c->symbols };

	(void)arg;
	return give(key, state, inputs, 3);
}

static error_t give_all_but_symbols(int key, char *arg, struct argp_state *state)
{
	struct opts_common *c = state->input;
	void *const inputs[] = { &c->in, &c->filter, &c->out };

	(void)arg;
	return give(key, state, inputs, 3);
}

static const struct argp_child samples[] = {
	{ &opts_input_argp, 0, "Input:", 1 },
	{ &opts_filter_argp, 0, "Which samples:", 2 },
	{ &opts_symbols_argp, 0, "Symbols:", 3 },
	{ &opts_output_argp, 0, "Output:", 4 },
	{ 0 },
};

static const struct argp_child unweighed[] = {
	{ &opts_input_argp, 0, "Input:", 1 },
	{ &opts_filter_argp, 0, "Which samples:", 2 },
	{ &opts_symbols_argp, 0, "Symbols:", 3 },
	{ &opts_table_argp, 0, "Output:", 4 },
	{ 0 },
};

static const struct argp_child stacks[] = {
	{ &opts_input_argp, 0, "Input:", 1 },
	{ &opts_filter_argp, 0, "Which samples:", 2 },
	{ &opts_symbols_argp, 0, "Symbols:", 3 },
	{ 0 },
};

static const struct argp_child calls[] = {
	{ &opts_walk_argp, 0, "Input:", 1 },
	{ &opts_threads_argp, 0, "Which threads:", 2 },
	{ &opts_symbols_argp, 0, "Symbols:", 3 },
	{ &opts_table_argp, 0, "Output:", 4 },
	{ 0 },
};

static const struct argp_child threads[] = {
	{ &opts_walk_argp, 0, "Input:", 1 },
	{ &opts_threads_argp, 0, "Which threads:", 2 },
	{ &opts_table_argp, 0, "Output:", 3 },
	{ 0 },
};

const struct argp opts_samples_argp = { NULL, give_all, NULL, NULL, samples, NULL, NULL };
const struct argp opts_unweighed_argp = { NULL, give_all, NULL, NULL, unweighed, NULL, NULL };
const struct argp opts_stacks_argp = { NULL, give_all_but_output, NULL, NULL, stacks, NULL, NULL };
const struct argp opts_calls_argp = { NULL, give_all, NULL, NULL, calls, NULL, NULL };
const struct argp opts_threads_only_argp = { NULL, give_all_but_symbols, NULL, NULL, threads, NULL,
					     NULL };

void opts_common_init(struct opts_common *c)
{
	opts_filter_init(&c->filter);
}

void opts_common_release(struct opts_common *c)
{
	opts_filter_release(&c->filter);
	opts_symbols_release(&c->symbols);
}

struct session_options opts_common_session(const struct opts_common *c)
{
	struct session_options so = opts_session(&c->in, &c->symbols);

	so.filter = c->filter.f;
	return so;
}

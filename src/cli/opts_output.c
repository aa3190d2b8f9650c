/* SPDX-License-Identifier: MIT */
/*
 * How output looks.  The lists of options build on each other, and all fill one struct:
 *
 *	look: colours, width  <-  table: formats  <-  output: what samples weigh
 *	                      <-  text or JSON
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/opts.h"

enum {
	OPT_FORMAT = OPT_OUTPUT_FIRST,
	OPT_COLOUR,
	OPT_WIDTH,
	OPT_WEIGHT,
};

static enum view_format parse_format(struct argp_state *state, const char *arg, const char *own)
{
	static const struct {
		const char *name;
		enum view_format format;
	} formats[] = {
		{ "text", VIEW_TEXT }, { "csv", VIEW_CSV },           { "tsv", VIEW_TSV },
		{ "json", VIEW_JSON }, { "markdown", VIEW_MARKDOWN },
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, arg))
			return formats[i].format;
	argp_error(state, "--format is text, csv, tsv, json%s markdown%s%s, not \"%s\".",
		   own ? "," : " or", own ? " or " : "", own ? own : "", arg);
	return VIEW_TEXT;
}

static int parse_when(struct argp_state *state, const char *arg)
{
	if (!strcmp(arg, "always"))
		return 1;
	if (!strcmp(arg, "never"))
		return -1;
	if (strcmp(arg, "auto"))
		argp_error(state, "--color is always, never or auto, not \"%s\".", arg);
	return 0;
}

static char parse_separator(struct argp_state *state, const char *arg)
{
	if (!strcmp(arg, "\\t"))
		return '\t';
	if (strlen(arg) != 1)
		argp_error(state, "--field-separator is one character (or \\t), not \"%s\".", arg);
	return arg[0];
}

static bool terminal_likes_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

static void finish_output(struct opts_output *o)
{
	struct winsize ws;

	o->style.colour = o->colour_when > 0 || (!o->colour_when && terminal_likes_colour());
	if (!o->width_given && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws))
		o->style.width = ws.ws_col;
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	struct opts_output *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		if (state->child_inputs)
			state->child_inputs[0] = o;
		return 0;
	case OPT_FORMAT:
		o->own = o->own_format && !strcmp(arg, o->own_format);
		if (!o->own)
			o->style.format = parse_format(state, arg, o->own_format);
		return 0;
	case 't':
		o->style.format = VIEW_SEPARATED;
		o->style.separator = parse_separator(state, arg);
		return 0;
	case OPT_WEIGHT:
		o->by_count = opts_counts(state, arg);
		return 0;
	case OPT_COLOUR:
		o->colour_when = parse_when(state, arg);
		return 0;
	case OPT_WIDTH:
		o->style.width = (unsigned)opts_number(state, "--width", arg, 100000);
		o->width_given = true;
		return 0;
	case ARGP_KEY_END:
		finish_output(o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option look_options[] = {
	{ "color", OPT_COLOUR, "WHEN", 0, "always, never or auto (default)", 0 },
	{ "stdio-color", OPT_COLOUR, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "width", OPT_WIDTH, "N", 0,
	  "Fit N columns (default: the terminal's, no limit elsewhere; 0: no limit)", 0 },
	{ 0 },
};

static const struct argp look_argp = { look_options, parse_output, NULL, NULL, NULL, NULL, NULL };
static const struct argp_child look[] = { { &look_argp, 0, NULL, 0 }, { 0 } };

static const struct argp_option table_options[] = {
	{ "format", OPT_FORMAT, "FORMAT", 0, "text (default), csv, tsv, json or markdown", 0 },
	{ "field-separator", 't', "CHAR", 0,
	  "Columns without padding, CHAR between them, a dot for CHAR inside names", 0 },
	{ 0 },
};

const struct argp opts_table_argp = { table_options, parse_output, NULL, NULL, look, NULL, NULL };
static const struct argp_child table[] = { { &opts_table_argp, 0, NULL, 0 }, { 0 } };

static const struct argp_option output_options[] = {
	{ "weight", OPT_WEIGHT, "WHAT", 0,
	  "Weigh samples by their period (default), or count them: period or count", 0 },
	{ 0 },
};

const struct argp opts_output_argp = {
	output_options, parse_output, NULL, NULL, table, NULL, NULL
};

static const struct argp_option text_json_options[] = {
	{ "format", OPT_FORMAT, "FORMAT", 0, "text (default) or json", 0 },
	{ 0 },
};

static error_t parse_text_json(int key, char *arg, struct argp_state *state)
{
	if (key == OPT_FORMAT && strcmp(arg, "text") && strcmp(arg, "json"))
		argp_error(state, "--format is text or json, not \"%s\".", arg);
	return parse_output(key, arg, state);
}

const struct argp opts_text_json_argp = {
	text_json_options, parse_text_json, NULL, NULL, look, NULL, NULL
};

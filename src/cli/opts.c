/* SPDX-License-Identifier: MIT */
/*
 * Each parser is a table of options and a function with one case for each.  Options of perf that
 * make no difference here (--stdio, -f …) are accepted, so that fingers and scripts keep working.
 */
#include "cli/opts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned long opts_number(const struct argp_state *state, const char *option, const char *text,
			  unsigned long max)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || v > max)
		argp_error(state, "%s wants a number from 0 to %lu, not \"%s\".", option, max,
			   text);
	return v;
}

double opts_percent(const struct argp_state *state, const char *option, const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(v >= 0 && v <= 100))
		argp_error(state, "%s wants a percentage from 0 to 100, not \"%s\".", option, text);
	return v;
}

uint64_t opts_duration(const struct argp_state *state, const char *option, const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "µs", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double v = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (end != text && !strcmp(end, units[i].unit) && v > 0 && v * units[i].ns < 1e18)
			return (uint64_t)(v * units[i].ns);
	argp_error(state, "%s wants a span of time such as 10us, 1.5ms or 2s, not \"%s\".", option,
		   text);
	return 0;
}

/* ---- input ---- */

enum {
	OPT_THREADS = OPT_INPUT_FIRST,
	OPT_NO_PROGRESS,
	OPT_MAX_STACK,
	OPT_VERIFY,
	OPT_NO_UNWIND,
	OPT_NO_REPAIR,
	OPT_STITCH_LBR,
	OPT_TIMINGS,
	OPT_IGNORED,
};

static const struct argp_option input_options[] = {
	{ "input", 'i', "FILE", 0, "The recording: FILE, or - for standard input", 0 },
	{ "threads", OPT_THREADS, "N", 0, "Work with N threads (default: as many as CPUs)", 0 },
	{ "max-stack", OPT_MAX_STACK, "N", 0, "Keep at most N frames of a stack, leaf first", 0 },
	{ "no-unwind", OPT_NO_UNWIND, NULL, 0, "Leave dumps of user stacks alone", 0 },
	{ "no-repair", OPT_NO_REPAIR, NULL, 0,
	  "Leave stacks that were cut as they are, don't complete them from others of the thread",
	  0 },
	{ "stitch-lbr", OPT_STITCH_LBR, NULL, 0,
	  "Complete call stacks that the CPU recorded from the thread's sample before, which can join "
	  "what does not belong together",
	  0 },
	{ "no-progress", OPT_NO_PROGRESS, NULL, 0, "Don't show progress on the terminal", 0 },
	{ "timings", OPT_TIMINGS, "FORMAT", OPTION_ARG_OPTIONAL,
	  "Tell on stderr what each step took, and the memory used: text (default) or json", 0 },
	{ "verify", OPT_VERIFY, NULL, 0, "Check that the numbers add up", 0 },
	{ "quiet", 'q', NULL, 0, "No notices on stderr (errors only)", 0 },
	{ "verbose", 'v', NULL, 0, "Say which files were used for symbols, or why not", 0 },
	{ "stdio", OPT_IGNORED, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "force", 'f', NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

static const struct argp_option walk_options[] = {
	{ "input", 'i', "FILE", 0, "The recording: FILE, or - for standard input", 0 },
	{ "no-progress", OPT_NO_PROGRESS, NULL, 0, "Don't show progress on the terminal", 0 },
	{ "quiet", 'q', NULL, 0, "No notices on stderr (errors only)", 0 },
	{ "stdio", OPT_IGNORED, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "force", 'f', NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

/* What perf report reads when it is not told: a pipe on standard input, else perf.data. */
static const char *default_input(void)
{
	struct stat st;

	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	return "perf.data";
}

static enum opts_timings parse_timings(struct argp_state *state, const char *arg)
{
	if (arg && !strcmp(arg, "json"))
		return TIMINGS_JSON;
	if (arg && strcmp(arg, "text"))
		argp_error(state, "--timings is text or json, not \"%s\".", arg);
	return TIMINGS_TEXT;
}

static error_t parse_input(int key, char *arg, struct argp_state *state)
{
	struct opts_input *in = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (in->path)
			argp_error(state, "One input only: \"%s\" comes after \"%s\".", arg,
				   in->path);
		/* fall through */
	case 'i':
		in->path = arg;
		return 0;
	case OPT_THREADS:
		in->threads = (unsigned)opts_number(state, "--threads", arg, 1024);
		return 0;
	case OPT_MAX_STACK:
		in->max_stack = (unsigned)opts_number(state, "--max-stack", arg, 1 << 20);
		return 0;
	case OPT_NO_PROGRESS:
		in->no_progress = true;
		return 0;
	case OPT_NO_UNWIND:
		in->no_unwind = true;
		return 0;
	case OPT_NO_REPAIR:
		in->no_repair = true;
		return 0;
	case OPT_STITCH_LBR:
		in->stitch_lbr = true;
		return 0;
	case OPT_TIMINGS:
		in->timings = parse_timings(state, arg);
		return 0;
	case OPT_VERIFY:
		in->verify = true;
		return 0;
	case 'q':
		in->quiet = true;
		return 0;
	case 'v':
		in->verbose++;
		return 0;
	case OPT_IGNORED:
	case 'f':
		return 0;
	case ARGP_KEY_END:
		if (!in->path)
			in->path = default_input();
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp opts_input_argp = { input_options, parse_input, NULL, NULL, NULL, NULL, NULL };

const struct argp opts_walk_argp = { walk_options, parse_input, NULL, NULL, NULL, NULL, NULL };

/* ---- symbols ---- */

enum {
	OPT_SYMFS = OPT_SYMBOLS_FIRST,
	OPT_KALLSYMS,
	OPT_DEBUG_DIR,
	OPT_SEARCH_DIR,
	OPT_BUILDID_DIR,
	OPT_PERF_MAP_DIR,
	OPT_INLINE,
	OPT_NO_INLINE,
	OPT_DEMANGLE,
	OPT_NO_DEMANGLE,
	OPT_NO_CACHE,
};

static const struct argp_option symbols_options[] = {
	{ "symfs", OPT_SYMFS, "DIR", 0, "Look for all files below DIR", 0 },
	{ "search-dir", OPT_SEARCH_DIR, "DIR", 0,
	  "Look for binaries in DIR too, by build-id and by name (may be repeated)", 0 },
	{ "symbol-dir", OPT_SEARCH_DIR, NULL, OPTION_ALIAS, NULL, 0 },
	{ "debug-dir", OPT_DEBUG_DIR, "DIR", 0,
	  "Look for debug files in DIR before /usr/lib/debug (may be repeated)", 0 },
	{ "buildid-dir", OPT_BUILDID_DIR, "DIR", 0, "perf's build-id cache (default: ~/.debug)",
	  0 },
	{ "kallsyms", OPT_KALLSYMS, "FILE", 0, "A copy of the recorded machine's /proc/kallsyms",
	  0 },
	{ "vmlinux", 'k', "FILE", 0, "The kernel's image", 0 },
	{ "perf-map-dir", OPT_PERF_MAP_DIR, "DIR", 0,
	  "Where perf-PID.map files of JITs are (default: /tmp)", 0 },
	{ "no-inline", OPT_NO_INLINE, NULL, 0, "Don't show inlined functions as frames", 0 },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL, 0, "Names as the linker has them", 0 },
	{ "no-cache", OPT_NO_CACHE, NULL, 0,
	  "Don't use or write the cache of names ($XDG_CACHE_HOME/perfrep)", 0 },
	{ "inline", OPT_INLINE, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "demangle", OPT_DEMANGLE, NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

/* $XDG_CACHE_HOME/perfrep or ~/.cache/perfrep; relative paths are to be ignored. */
static void find_cache(struct opts_symbols *o)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (o->no_cache)
		return;
	if (xdg && xdg[0] == '/') {
		if (asprintf(&o->cache_dir, "%s/perfrep", xdg) < 0)
			o->cache_dir = NULL;
	} else if (home && home[0] == '/') {
		if (asprintf(&o->cache_dir, "%s/.cache/perfrep", home) < 0)
			o->cache_dir = NULL;
	}
	o->s.cache_dir = o->cache_dir;
}

static error_t parse_symbols(int key, char *arg, struct argp_state *state)
{
	struct opts_symbols *o = state->input;

	switch (key) {
	case OPT_SYMFS:
		o->s.where.symfs = arg;
		o->s.where.no_system = true; /* what lies there is of another machine */
		return 0;
	case OPT_SEARCH_DIR:
		vec_push(&o->search_dirs, arg);
		return 0;
	case OPT_DEBUG_DIR:
		vec_push(&o->debug_dirs, arg);
		return 0;
	case OPT_BUILDID_DIR:
		o->s.where.buildid_dir = arg;
		return 0;
	case OPT_KALLSYMS:
		o->s.where.kallsyms = arg;
		return 0;
	case 'k':
		o->s.where.vmlinux = arg;
		return 0;
	case OPT_PERF_MAP_DIR:
		o->s.perf_map_dir = arg;
		return 0;
	case OPT_INLINE:
	case OPT_NO_INLINE:
		o->s.no_inline = key == OPT_NO_INLINE;
		return 0;
	case OPT_DEMANGLE:
	case OPT_NO_DEMANGLE:
		o->s.no_demangle = key == OPT_NO_DEMANGLE;
		return 0;
	case OPT_NO_CACHE:
		o->no_cache = true;
		return 0;
	case ARGP_KEY_END:
		find_cache(o);
		o->s.where.debug_dirs = o->debug_dirs.v;
		o->s.where.nr_debug_dirs = o->debug_dirs.n;
		o->s.where.search_dirs = o->search_dirs.v;
		o->s.where.nr_search_dirs = o->search_dirs.n;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp opts_symbols_argp = {
	symbols_options, parse_symbols, NULL, NULL, NULL, NULL, NULL
};

void opts_symbols_release(struct opts_symbols *o)
{
	vec_release(&o->debug_dirs);
	vec_release(&o->search_dirs);
	free(o->cache_dir);
}

/* ---- output ---- */

enum {
	OPT_FORMAT = OPT_OUTPUT_FIRST,
	OPT_COLOUR,
	OPT_WIDTH,
	OPT_WEIGHT,
};

static const struct argp_option output_options[] = {
	{ "format", OPT_FORMAT, "FORMAT", 0, "text (default), csv, tsv, json or markdown", 0 },
	{ "field-separator", 't', "CHAR", 0,
	  "Columns without padding, CHAR between them, a dot for CHAR inside names", 0 },
	{ "weight", OPT_WEIGHT, "WHAT", 0,
	  "Weigh samples by their period (default), or count them: period or count", 0 },
	{ "color", OPT_COLOUR, "WHEN", 0, "always, never or auto (default)", 0 },
	{ "stdio-color", OPT_COLOUR, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "width", OPT_WIDTH, "N", 0,
	  "Fit N columns (default: the terminal's, no limit elsewhere; 0: no limit)", 0 },
	{ 0 },
};

static const struct argp_option table_options[] = {
	{ "format", OPT_FORMAT, "FORMAT", 0, "text (default), csv, tsv, json or markdown", 0 },
	{ "field-separator", 't', "CHAR", 0,
	  "Columns without padding, CHAR between them, a dot for CHAR inside names", 0 },
	{ "color", OPT_COLOUR, "WHEN", 0, "always, never or auto (default)", 0 },
	{ "stdio-color", OPT_COLOUR, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "width", OPT_WIDTH, "N", 0,
	  "Fit N columns (default: the terminal's, no limit elsewhere; 0: no limit)", 0 },
	{ 0 },
};

static enum view_format parse_format(struct argp_state *state, const char *arg)
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
	argp_error(state, "--format is text, csv, tsv, json or markdown, not \"%s\".", arg);
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
	case OPT_FORMAT:
		o->own = o->own_format && !strcmp(arg, o->own_format);
		if (!o->own)
			o->style.format = parse_format(state, arg);
		return 0;
	case 't':
		o->style.format = VIEW_SEPARATED;
		o->style.separator = parse_separator(state, arg);
		return 0;
	case OPT_WEIGHT:
		if (strcmp(arg, "period") && strcmp(arg, "count"))
			argp_error(state, "--weight is period or count, not \"%s\".", arg);
		o->by_count = !strcmp(arg, "count");
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

const struct argp opts_output_argp = { output_options, parse_output, NULL, NULL, NULL, NULL, NULL };

const struct argp opts_table_argp = { table_options, parse_output, NULL, NULL, NULL, NULL, NULL };

static const struct argp_option text_json_options[] = {
	{ "format", OPT_FORMAT, "FORMAT", 0, "text (default) or json", 0 },
	{ "color", OPT_COLOUR, "WHEN", 0, "always, never or auto (default)", 0 },
	{ "stdio-color", OPT_COLOUR, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "width", OPT_WIDTH, "N", 0,
	  "Fit N columns (default: the terminal's, no limit elsewhere; 0: no limit)", 0 },
	{ 0 },
};

static error_t parse_text_json(int key, char *arg, struct argp_state *state)
{
	if (key == OPT_FORMAT && strcmp(arg, "text") && strcmp(arg, "json"))
		argp_error(state, "--format is text or json, not \"%s\".", arg);
	return parse_output(key, arg, state);
}

const struct argp opts_text_json_argp = {
	text_json_options, parse_text_json, NULL, NULL, NULL, NULL, NULL
};

void opts_session(struct session_options *so, const struct opts_input *in,
		  const struct opts_symbols *sym)
{
	*so = (struct session_options){ 0 };
	so->path = in->path;
	so->threads = in->threads;
	so->max_stack = in->max_stack;
	so->no_unwind = in->no_unwind;
	so->no_repair = in->no_repair;
	so->stitch_lbr = in->stitch_lbr;
	if (sym)
		so->symbols = sym->s;
	so->symbols.threads = in->threads;
}

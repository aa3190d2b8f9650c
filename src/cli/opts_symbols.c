/* SPDX-License-Identifier: MIT */
/* Where symbols come from: the options of struct objfile_search and struct symbolizer_options. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/opts.h"

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
	  "Look for debug files in DIR before /usr/lib/debug, by build-id and by name (may be repeated)",
	  0 },
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

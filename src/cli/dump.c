/* SPDX-License-Identifier: MIT */
/*
 * perfrep dump: every record of a recording, in its order, decoded, with its place in the file.
 * Damaged files are dumped as far as they can be read; a record that is malformed is shown with
 * the reason.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"
#include "cli/cmd.h"
#include "cli/damage.h"
#include "cli/dump_emit.h"
#include "cli/dump_fields.h"
#include "cli/message.h"
#include "cli/opts.h"
#include "cli/run.h"
#include "collect/restack.h"

#include <perfrep/reader.h>

#define FLUSH (1 << 16) /* bytes of text that are kept together */

enum {
	OPT_TYPE = OPT_COMMAND_FIRST,
	OPT_EVENT,
	OPT_STACKS,
	OPT_SYMFS,
	OPT_KALLSYMS,
};

struct options {
	struct opts_input in;
	struct opts_output out;
	VEC(const char *) types; /* names, or all */
	const char *event;
	bool stacks;
	struct objfile_search where;
};

static const struct argp_option dump_options[] = {
	{ "type", OPT_TYPE, "TYPE", 0, "Only records of this type, such as MMAP2 (may be repeated)",
	  0 },
	{ "event", OPT_EVENT, "NAME", 0, "Only samples of this event", 0 },
	{ "stacks", OPT_STACKS, NULL, 0,
	  "With samples that have stack dumps, the frames that these give", 0 },
	{ "symfs", OPT_SYMFS, "DIR", 0, "Look for binaries below DIR, for --stacks", 0 },
	{ "kallsyms", OPT_KALLSYMS, "FILE", 0,
	  "A copy of the recorded machine's /proc/kallsyms, for functions in texts of tracepoints",
	  0 },
	{ 0 },
};

/* The name of a type that there is, or "type 99". */
static void check_type(const struct argp_state *state, const char *name)
{
	enum { TYPES = 128 };

	if (!strncasecmp(name, "type ", 5))
		return;
	for (uint32_t i = 0; i < TYPES; i++)
		if (!strcasecmp(name, record_type_name(i)) ||
		    !strcasecmp(name, record_type_name(RECORD_SIMPLEPERF_FIRST + i)))
			return;
	argp_error(state,
		   "there are no records of type \"%s\"; types are SAMPLE, MMAP2, COMM, FORK, "
		   "SWITCH_CPU_WIDE and others that dump shows, or \"type 99\".",
		   name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		state->child_inputs[1] = &o->out;
		return 0;
	case OPT_TYPE:
		check_type(state, arg);
		vec_push(&o->types, arg);
		return 0;
	case OPT_EVENT:
		o->event = arg;
		return 0;
	case OPT_STACKS:
		o->stacks = true;
		return 0;
	case OPT_SYMFS:
		o->where.symfs = arg;
		return 0;
	case OPT_KALLSYMS:
		o->where.kallsyms = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &opts_input_argp, 0, "Input:", 1 },
	{ &opts_text_json_argp, 0, "Output:", 2 },
	{ 0 },
};

static const struct argp dump_argp = {
	dump_options,
	parse,
	"[FILE]",
	"Show every record of a recording, decoded, with its offset in the file; with --format=json "
	"one object a line.",
	children,
	NULL,
	NULL,
};

static bool wanted(const struct options *o, const struct record *rec, const struct evsel *evsel)
{
	bool by_type = !o->types.n;

	for (size_t i = 0; i < o->types.n; i++)
		by_type |= !strcasecmp(o->types.v[i], record_type_name(rec->type));
	if (!by_type || !o->event)
		return by_type;
	return rec->type == RECORD_SAMPLE && evsel && !strcmp(evsel->name, o->event);
}

/* File of a directory, offset and type; eyes get the time next to them. */
static void emit_start(struct emit *e, const struct reader *r, const struct record *rec,
		       const struct evsel *evsel, bool has_time, uint64_t time)
{
	const char *member = reader_member(r);

	e->first = true;
	e->break_line = false;
	if (e->json) {
		strbuf_addc(e->sb, '{');
		emit_text(e, "file", member);
		emit_uint(e, "offset", rec->file_offset);
		emit_text(e, "type", record_type_name(rec->type));
		emit_uint(e, "size", rec->size);
		emit_uint(e, "misc", rec->misc);
		if (has_time)
			emit_uint(e, "time", time);
	} else {
		if (member)
			strbuf_addf(e->sb, "%-7s ", member);
		strbuf_addf(e->sb, "0x%08" PRIx64 "  ", rec->file_offset);
		if (has_time)
			strbuf_addf(e->sb, "%6" PRIu64 ".%09" PRIu64 "  ", time / 1000000000,
				    time % 1000000000);
		strbuf_addf(e->sb, "%-8s", record_type_name(rec->type));
	}
	if (rec->type == RECORD_SAMPLE && evsel)
		emit_text(e, "event", evsel->name);
}

static void emit_end(struct emit *e)
{
	strbuf_adds(e->sb, e->json ? "}\n" : "\n");
}

/* What every kernel record but a sample may carry behind its body. */
static void emit_trailer(struct emit *e, const struct record *rec, const struct sample_id *id)
{
	bool has_pid = rec->type != RECORD_MMAP && rec->type != RECORD_MMAP2 &&
		       rec->type != RECORD_COMM && rec->type != RECORD_FORK &&
		       rec->type != RECORD_EXIT;

	if (id->tid >= 0 && has_pid) {
		emit_int(e, "sample_pid", id->pid);
		emit_int(e, "sample_tid", id->tid);
	}
	if (id->has_cpu)
		emit_uint(e, "cpu", id->cpu);
	if (id->id)
		emit_uint(e, "id", id->id);
}

/* The frames, leaf first; in text those that other stacks told are marked. */
static void emit_stack(struct emit *e, struct restack *rs, const struct sample *s, uint64_t pos)
{
	const struct stack *st;
	enum unwind_end end;
	size_t repaired;

	if (!restack_sample(rs, s, pos, &st, &repaired, &end))
		return;
	emit_list(e, "stack");
	for (size_t i = 0; i < st->n; i++) {
		char text[64];

		snprintf(text, sizeof(text), "0x%" PRIx64 " (repaired)", st->frames[i].addr);
		if (e->json || i + repaired < st->n)
			emit_hex(e, NULL, st->frames[i].addr);
		else
			emit_text(e, NULL, text);
	}
	emit_list_end(e);
	emit_text(e, "stack_end", unwind_end_text(end));
	emit_uint(e, "repaired_frames", repaired);
}

static void dump_sample(struct emit *e, struct restack *rs, struct dump_fields *fields,
			const struct reader *r, const struct record *rec, const struct evsel *evsel)
{
	struct sample s;
	struct err err;

	if (!evsel) {
		emit_start(e, r, rec, NULL, false, 0);
		emit_text(e, "error", "its id belongs to no event");
		return;
	}
	if (sample_decode(rec, evsel, &s, &err) < 0) {
		emit_start(e, r, rec, evsel, false, 0);
		emit_text(e, "error", err.text);
		return;
	}
	emit_start(e, r, rec, evsel, s.present & SAMPLE_TIME, s.time);
	emit_sample(e, &s);
	emit_fields(e, fields, r, evsel, &s);
	if (rs)
		emit_stack(e, rs, &s, rec->pos);
}

static void dump_other(struct emit *e, const struct reader *r, const struct record *rec,
		       const struct evsel *evsel)
{
	struct record_body body;
	struct err err;
	int rc = record_decode(rec, evsel, &body, &err);

	if (rc < 0) {
		emit_start(e, r, rec, evsel, false, 0);
		emit_text(e, "error", err.text);
		return;
	}
	emit_start(e, r, rec, evsel, body.id.has_time, body.id.time);
	if (!rc && rec->type == RECORD_HEADER_FEATURE)
		emit_text(e, "feature", feature_name((unsigned)body.feature.id));
	else if (!rc)
		emit_body(e, rec, &body);
	else if (rec->type != RECORD_FINISHED_ROUND && rec->size > 8)
		emit_bytes(e, "bytes", rec->data + 8, rec->size - 8);
	if (rec->type < RECORD_USER_FIRST)
		emit_trailer(e, rec, &body.id);
}

static void dump_all(struct reader *r, struct restack *rs, const struct options *o)
{
	struct strbuf sb = STRBUF_INIT;
	struct emit e = { .sb = &sb, .json = o->out.style.format == VIEW_JSON };
	struct dump_fields fields;
	struct record rec;

	dump_fields_init(&fields, o->in.path, &o->where);
	while (!reader_next(r, &rec)) {
		bool kernel = rec.type < RECORD_USER_FIRST;
		const struct evsel *evsel = kernel ? evlist_evsel(&r->evlist, &rec) : NULL;

		if (!wanted(o, &rec, evsel))
			continue;
		if (rec.type == RECORD_SAMPLE)
			dump_sample(&e, rs, &fields, r, &rec, evsel);
		else
			dump_other(&e, r, &rec, evsel);
		emit_end(&e);
		if (sb.n < FLUSH)
			continue;
		fwrite(sb.s, 1, sb.n, stdout);
		strbuf_clear(&sb);
		if (ferror(stdout))
			break;
	}
	run_output(&sb);
	dump_fields_release(&fields);
}

/* Whether the event that was asked for is one of the recording's. */
static bool has_event(const struct reader *r, const struct options *o)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; o->event && i < r->evlist.n; i++) {
		if (!strcmp(r->evlist.v[i].name, o->event)) {
			strbuf_release(&names);
			return true;
		}
		strbuf_addf(&names, "%s%s", i ? ", " : "", r->evlist.v[i].name);
	}
	if (o->event)
		message("%s: none of its events is the one asked for; it has: %s", o->in.path,
			strbuf_str(&names));
	strbuf_release(&names);
	return !o->event;
}

/* What went wrong, behind the records. */
static int tell_damage(const struct reader *r, const struct opts_input *in)
{
	if (!in->quiet)
		damage_tell(r);
	if (!in->quiet)
		message_all(r->warnings, r->nr_warnings);
	return r->complete ? EXIT_FINE : EXIT_PROBLEMS;
}

/* NULL when no stacks are wanted; false when they can't be had. */
static bool open_stacks(const struct options *o, struct restack **rs)
{
	struct err err;

	*rs = NULL;
	if (!o->stacks)
		return true;
	if (!strcmp(o->in.path, "-")) {
		message("--stacks needs a file: it is read several times, and standard input can be "
			"read once.");
		return false;
	}
	*rs = restack_new(o->in.path, &o->where, !o->in.no_repair, &err);
	if (!*rs)
		message("%s", err.text);
	return *rs != NULL;
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	struct restack *rs;
	struct reader *r;
	struct err err;
	int status;

	run_parse(&dump_argp, argc, argv, &o);
	if (!open_stacks(&o, &rs)) {
		vec_release(&o.types);
		return EXIT_FAILED;
	}
	if (reader_open(&r, o.in.path, &err) < 0) {
		restack_free(rs);
		run_tell_failure(o.in.path, &err);
		vec_release(&o.types);
		return EXIT_FAILED;
	}
	dump_all(r, rs, &o);
	status = has_event(r, &o) ? tell_damage(r, &o.in) : EXIT_FAILED;
	reader_free(r);
	restack_free(rs);
	vec_release(&o.types);
	return status;
}

const struct command cmd_dump = {
	"dump",
	"every record, decoded, with its offset in the file",
	run,
};

/* SPDX-License-Identifier: MIT */
/*
 * Fields of tracepoints.  A recording carries the format files of its tracepoints (its "tracing
 * data"); they say where in a sample's raw data each field is.  They are parsed once, into arrays
 * of plain descriptions; reading a field afterwards is a bounds-checked load:
 *
 *	tracepoints_new(&t, features->tracing_data, features->tracing_size, 0, &err);
 *	ev = tracepoints_event(t, evsel->attr.config);	(NULL: no such format)
 *	pid = tp_event_field(ev, "next_pid");		(NULL: no such field)
 *	for each sample
 *		if (pid && tp_number(pid, s->raw, s->raw_size, &value)) …
 *
 * A struct tracepoints never changes after tracepoints_new(): any number of threads may read it.
 * Everything that it hands out is borrowed from it.
 */
#ifndef PERFREP_TRACEPOINT_H
#define PERFREP_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

struct print_format;
struct strbuf;
struct tracepoints;

enum tp_flags {
	TP_SIGNED = 1 << 0,
	TP_STRING = 1 << 1, /* characters up to a NUL or to the end of the array */
	TP_ARRAY = 1 << 2, /* of `elem` bytes each */
	TP_DYNAMIC = 1 << 3, /* the place holds where the array is: __data_loc */
	TP_RELATIVE = 1 << 4, /* … counted from behind that place: __rel_loc */
	TP_COMMON = 1 << 5, /* of every event: common_pid … */
	TP_BE = 1 << 6, /* the raw data is big-endian */
	TP_POINTER = 1 << 7,
};

struct tp_field {
	const char *name;
	const char *type; /* as the format file has it: "pid_t", "__data_loc char[]" */
	uint32_t offset, size;
	uint32_t elem; /* bytes of an element; the size when it is no array */
	uint16_t flags; /* enum tp_flags */
};

struct tp_event {
	const char *system, *name; /* "sched", "sched_switch" */
	uint32_t id;
	const struct tp_field *fields; /* common ones first */
	size_t nr_fields;
	/* Why the format could not be read, a few words; the event then has no fields.  Else NULL. */
	const char *refused;
	const struct print_format
		*print; /* opaque; NULL: not asked for, or says what is not known */
};

enum tp_options {
	TP_PRINTABLE = 1 << 0, /* keep what tracepoints_print() needs */
};

/*
 * Parse the SIZE bytes at DATA (feature TRACING_DATA, or the payload of record
 * HEADER_TRACING_DATA), which need not stay.  Negative and a sentence when it is no tracing data;
 * data that breaks off, which the reader has told, gives the events before the break.
 */
int tracepoints_new(struct tracepoints **out, const uint8_t *data, size_t size, unsigned options,
		    struct err *err);
void tracepoints_free(struct tracepoints *t);

size_t tracepoints_count(const struct tracepoints *t);
const struct tp_event *tracepoints_at(const struct tracepoints *t, size_t i); /* in order of id */
/* The event with this id (attr.config of a tracepoint), or NULL. */
const struct tp_event *tracepoints_event(const struct tracepoints *t, uint64_t id);

/* The field of that name, or NULL; EV may be NULL. */
const struct tp_field *tp_event_field(const struct tp_event *ev, const char *name);

/*
 * Field F of the SIZE bytes of raw data at RAW; each is false when the field is not a value of
 * that kind, or lies outside of the raw data.
 */
/* A number, sign-extended to 64 bits when the field is signed. */
bool tp_number(const struct tp_field *f, const uint8_t *raw, size_t size, uint64_t *out);
/* The bytes of a field, of an array those that its place points to. */
bool tp_bytes(const struct tp_field *f, const uint8_t *raw, size_t size, const uint8_t **out,
	      size_t *len);
/* A string, without its NUL: LEN bytes that may be anything. */
bool tp_string(const struct tp_field *f, const uint8_t *raw, size_t size, const char **out,
	       size_t *len);
/* Append whatever it is as text: a number in decimal, a string as it is, an array as {1,2,3}. */
bool tp_text(const struct tp_field *f, const uint8_t *raw, size_t size, struct strbuf *out);

/* The function of the recorded kernel that an address is in. */
struct tp_name {
	const char *name, *module; /* LEN bytes; a module's length is 0 for the kernel's image */
	size_t len, module_len;
	uint64_t offset, size; /* of the address in it; up to the next symbol */
};

struct tp_names {
	bool (*find)(void *ctx, uint64_t addr, struct tp_name *out); /* false: it has no name */
	void *ctx;
};

/*
 * Append the text that the event's own print format makes of a sample, as the kernel's trace has it.
 * False, and nothing is appended, when the event has no format, when T was not made with
 * TP_PRINTABLE, and when the format says what only a kernel can do.  Addresses of functions are
 * printed by NAMES, and as numbers when they have none.  T, EV, RAW and NAMES may be NULL.
 */
bool tracepoints_print(const struct tracepoints *t, const struct tp_event *ev, const uint8_t *raw,
		       size_t size, const struct tp_names *names, struct strbuf *out);
/* Whether some event's text has functions by their addresses; T may be NULL. */
bool tracepoints_want_names(const struct tracepoints *t);

#endif

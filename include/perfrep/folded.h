/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks: one line a stack, "frame;frame;frame COUNT", root first, as
 * stackcollapse-perf.pl and inferno-collapse-perf write them.
 *
 * Frames may hold spaces, so the count is what follows the last space.  (ASCII) white space
 * around a line is ignored.  Blank and malformed lines are no lines: they are skipped.
 *
 * Names are handed out as C strings: of a name with a NUL in it only the part before is seen.
 */
#ifndef PERFREP_FOLDED_H
#define PERFREP_FOLDED_H

#include <perfrep/err.h>
#include <perfrep/profile.h>

struct folded_frame {
	const char *s; /* borrowed from the line, not NUL-terminated */
	size_t len;
};

/* A parsed line.  Frames are owned, what they point to is borrowed. */
struct folded_line {
	struct folded_frame *frames;
	size_t nr_frames, cap;
	uint64_t count;
};

/*
 * Parse the LEN bytes of one line.  false for a blank or malformed one (no space, no decimal
 * count, a count above 2^64 - 1); OUT is reused from line to line.  A frame may be empty.
 */
bool folded_parse_line(const char *line, size_t len, struct folded_line *out);
void folded_line_release(struct folded_line *line);

/*
 * Whether TEXT begins as folded text does: its first line that is not blank is one, and is not
 * perf stat's "# started on Mon Nov 30 09:00:00 2026", which has the shape of one.
 */
bool folded_begins(const char *text, size_t len);

/* A row of a table: owned array, names owned by the table. */
struct folded_row {
	char *name;
	uint64_t count;
};

struct folded_table {
	struct folded_row *rows; /* count descending, then name ascending (bytewise) */
	size_t n;
};

/* Of a whole text.  Sums saturate at UINT64_MAX. */
uint64_t folded_total(const char *text, size_t len);
/* Each line's count goes to its leaf only. */
void folded_self(const char *text, size_t len, struct folded_table *out);
/* Each frame of a line gets its count, once a line however often it is in it. */
void folded_inclusive(const char *text, size_t len, struct folded_table *out);
/*
 * The frame with the most self samples (ties: the smallest name), in *NAME for the caller to
 * free, and its share of all samples in percent.  false when the profile is empty: no samples.
 */
bool folded_hottest(const char *text, size_t len, char **name, double *percent);
void folded_table_release(struct folded_table *t);

/*
 * Read folded text into P as one event.  A count is both weight and samples; the locations get
 * their lines at once.  *SKIPPED (may be NULL): the number of malformed lines (blank ones lose
 * nothing and aren't counted).
 */
void folded_read(struct profile *p, const char *text, size_t len, const char *event_name,
		 uint64_t *skipped);

/* The same semantics on a profile (its lines must be set): self and inclusive by function. */
struct profile_row {
	uint32_t func;
	uint64_t self, self_count; /* weight, samples */
	uint64_t total, total_count; /* inclusive */
};

/*
 * One row per function that occurs in EVENT, self descending, then name ascending, then module.
 * Returns the number; *out is to be freed.
 */
size_t profile_rows(const struct profile *p, uint32_t event, struct profile_row **out);

#endif

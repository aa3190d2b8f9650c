/* SPDX-License-Identifier: MIT */
/*
 * The feature sections of a file: a bitmap in the header says which there are, and a table
 * behind the data has the place of each, in the order of the bits.  A section that is damaged
 * is named and left out; all others are used.
 */
#include "perfdata/reader_priv.h"

#include <string.h>

#include "base/cursor.h"
#include "perfdata/feature_priv.h"

#define BITMAP_OFFSET 72
#define U(x)          ((unsigned long long)(x))

struct bitmap {
	uint8_t bits[FEATURE_MAX / 8];
};

static bool has(const struct bitmap *b, unsigned id)
{
	return b->bits[id / 8] >> (id % 8) & 1;
}

/* The bitmap as words of WORD bytes in big-endian order. */
static struct bitmap from_words(const uint8_t *p, unsigned word)
{
	struct bitmap b;

	for (unsigned i = 0; i < sizeof(b.bits); i++)
		b.bits[i] = p[i / word * word + (word - 1 - i % word)];
	return b;
}

static bool empty(const struct bitmap *b)
{
	static const struct bitmap none;

	return !memcmp(b, &none, sizeof(none));
}

struct entry {
	uint64_t offset, size;
	bool in_table, in_file;
};

static struct entry read_entry(const struct source *src, uint64_t table, unsigned nr, bool be)
{
	struct entry e = { 0 };
	uint64_t at = table + (uint64_t)nr * 16;

	e.in_table = at <= src->size && src->size - at >= 16;
	if (!e.in_table)
		return e;
	e.offset = get_u64(src->data + at, be);
	e.size = get_u64(src->data + at + 8, be);
	e.in_file = e.offset <= src->size && e.size <= src->size - e.offset;
	return e;
}

/* Whether MAP's features can have their table at TABLE. */
static bool fits(const struct bitmap *map, const struct source *src, uint64_t table, bool be)
{
	uint64_t first = UINT64_MAX;
	unsigned n = 0;

	for (unsigned id = 0; id < FEATURE_MAX; id++) {
		struct entry e;

		if (!has(map, id))
			continue;
		e = read_entry(src, table, n++, be);
		if (!e.in_table || !e.in_file)
			return false;
		if (e.offset && e.offset < first)
			first = e.offset;
	}
	/* writers put the first section right behind the table */
	return n && first == table + (uint64_t)n * 16;
}

/*
 * The writer dumped an array of its `unsigned long`.  In little-endian order the size of that
 * doesn't show.  In big-endian order it does: HOSTNAME, which perf always sets, tells which, and
 * where it is not set, the one that has its table in the file.  When neither does, only
 * BUILD_ID is taken to be there.
 */
static struct bitmap read_bitmap(const struct source *src, uint64_t table, bool be)
{
	const uint8_t *p = src->data + BITMAP_OFFSET;
	struct bitmap wide, narrow;

	if (!be) {
		memcpy(wide.bits, p, sizeof(wide.bits));
		return wide;
	}
	wide = from_words(p, 8);
	narrow = from_words(p, 4);
	if (has(&wide, FEATURE_HOSTNAME) || empty(&wide))
		return wide;
	if (has(&narrow, FEATURE_HOSTNAME))
		return narrow;
	if (fits(&wide, src, table, be))
		return wide;
	if (fits(&narrow, src, table, be))
		return narrow;
	memset(&wide, 0, sizeof(wide));
	wide.bits[0] = 1 << FEATURE_BUILD_ID;
	return wide;
}

bool file_features_plausible(const struct reader *r, const struct source *src, uint64_t table)
{
	struct bitmap map = read_bitmap(src, table, r->be);

	return fits(&map, src, table, r->be);
}

static void read_feature(struct reader *r, const struct source *src, unsigned id, struct entry e)
{
	struct err err;

	if (!e.in_table || !e.in_file) {
		r->features.damaged[id / 8] |= (uint8_t)(1 << (id % 8));
		/* bits that nobody has defined may be set without a section */
		if (!feature_known(id))
			reader_warn(r, "%s: %s has no section in the file and is left out",
				    src->name, feature_name(id));
		else
			reader_damage_feature(
				r,
				reader_damage(
					r, e.offset, 0,
					"%s: the feature %s should be %llu bytes at offset 0x%llx, "
					"the file has %llu bytes",
					src->name, feature_name(id), U(e.size), U(e.offset),
					U(src->size)));
		return;
	}
	if (!e.offset && !e.size)
		return; /* the writer dropped it */
	if (feature_decode(&r->features, id, src->data + e.offset, e.size, r->be, &r->evlist,
			   &err)) {
		reader_damage_feature(r,
				      reader_damage(r, e.offset, e.size, "%s: at offset 0x%llx %s",
						    src->name, U(e.offset), err.text));
		return;
	}
	if (id == FEATURE_SP_INIT_MAP)
		reader_add_stream(r, src, e.offset, e.offset + e.size);
}

void file_features_read(struct reader *r, const struct source *src, uint64_t table)
{
	struct bitmap map = read_bitmap(src, table, r->be);
	unsigned n = 0;

	for (unsigned id = 0; id < FEATURE_MAX; id++)
		if (has(&map, id))
			read_feature(r, src, id, read_entry(src, table, n++, r->be));
	for (unsigned id = FEATURE_SP_FILE; id <= FEATURE_SP_INIT_MAP; id++)
		if (feature_present(&r->features, id))
			r->simpleperf = true;
}

/* SPDX-License-Identifier: MIT */
/* Folded text: the tables agree with the total, and so does the profile that is made of it. */
#include <stdint.h>
#include <stdlib.h>

#include <perfrep/folded.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* In order, each name once; the sum of the counts. */
static uint64_t check_table(const struct folded_table *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n; i++) {
		sum = add(sum, t->rows[i].count);
		if (i && t->rows[i].count > t->rows[i - 1].count)
			abort();
	}
	return sum;
}

static void check_profile(const char *text, size_t size)
{
	struct profile *p = profile_new();
	struct profile_row *rows = NULL;
	struct err err;
	uint64_t skipped;

	folded_read(p, text, size, "samples", &skipped);
	if (skipped > size || profile_check(p, &err))
		abort();
	if (p->nr_events)
		profile_rows(p, 0, &rows);
	free(rows);
	profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct folded_table self, inclusive;
	uint64_t total = folded_total(text, size);
	char *name = NULL;
	double percent;

	folded_self(text, size, &self);
	folded_inclusive(text, size, &inclusive);
	if (check_table(&self) != total || check_table(&inclusive) < total)
		abort();
	for (size_t i = 0; i < inclusive.n; i++)
		if (inclusive.rows[i].count > total)
			abort();
	if (folded_hottest(text, size, &name, &percent) != (total > 0))
		abort();
	free(name);
	folded_table_release(&self);
	folded_table_release(&inclusive);
	check_profile(text, size);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * One record and the attr that says how to decode it.  The input begins with what the attr has:
 *
 *	u8 byte order (bit 0), sample_id_all (bit 1), a second event (bit 2)
 *	u64 sample_type, u64 read_format, u64 branch_sample_type,
 *	u64 sample_regs_user, u64 sample_regs_intr             little-endian
 *
 * and the rest is the record; its size is made right.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "perfdata/record_layout.h"
#include "use_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fill(struct evlist *list, struct cursor *c, unsigned flags)
{
	struct attr a = { .size = 136 };

	a.sample_type = cursor_u64(c);
	a.read_format = cursor_u64(c);
	a.branch_sample_type = cursor_u64(c);
	a.sample_regs_user = cursor_u64(c);
	a.sample_regs_intr = cursor_u64(c);
	a.flags = (uint64_t)(flags >> 1 & 1) << ATTR_SAMPLE_ID_ALL;
	evlist_init(list, flags & 1);
	evlist_add(list, &a, (uint64_t[]){ 1000 }, 1);
	if (flags & 4) { /* with another plan */
		a.sample_type ^= SAMPLE_ADDR;
		evlist_add(list, &a, (uint64_t[]){ 1001 }, 1);
	}
	evlist_index(list);
}

static void use_all(const struct evlist *list, const uint8_t *data, uint32_t size, bool be)
{
	/* exactly this memory, for the sanitizer */
	uint8_t *copy = malloc(size);
	struct record rec = { 0 };

	memcpy(copy, data, size);
	record_header(&rec, copy, be);
	rec.size = size;
	use_record(list, &rec);
	rec.type = RECORD_SAMPLE;
	use_record(list, &rec);
	for (size_t i = 0; i < list->n; i++)
		use_sink += record_sample_id(&rec, &list->v[i]).id;
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = cursor_init(data, size, false);
	struct evlist list;
	unsigned flags = cursor_u8(&c);

	if (size < 1 + 5 * 8 + 8 || size > UINT16_MAX)
		return 0;
	fill(&list, &c, flags);
	use_all(&list, c.p, (uint32_t)cursor_left(&c), flags & 1);
	evlist_release(&list);
	return 0;
}

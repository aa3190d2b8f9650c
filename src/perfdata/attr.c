/* SPDX-License-Identifier: MIT */
/*
 * struct perf_event_attr from its bytes.  The struct has grown from 64 bytes to 144 and goes on
 * growing: what the writer did not have is 0, and what this program doesn't know is left alone,
 * because a longer attr changes nothing about the fields before it.
 *
 * The flags are C bit-fields: a big-endian compiler puts the first one at the top of each byte.
 * They are brought to the little-endian numbering here, and nobody else has to think of it.
 * Source: include/uapi/linux/perf_event.h.
 */
#include <perfrep/attr.h>

#include <string.h>

#include "base/cursor.h"

#define ATTR_SIZE_VER0  64
#define ATTR_SIZE_KNOWN 144 /* config4 is its last field */

static uint8_t reverse_bits(uint8_t b)
{
	b = (uint8_t)((b & 0xf0) >> 4 | (b & 0x0f) << 4);
	b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
	return (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
}

static uint64_t decode_flags(const uint8_t *p, bool be)
{
	uint64_t flags = 0;
	unsigned precise;

	for (unsigned i = 0; i < 8; i++)
		flags |= (uint64_t)(be ? reverse_bits(p[i]) : p[i]) << (8 * i);
	if (!be)
		return flags;
	/* the one field of two bits came out mirrored */
	precise = flags >> ATTR_PRECISE_IP & 3;
	flags &= ~((uint64_t)3 << ATTR_PRECISE_IP);
	return flags | (uint64_t)((precise & 1) << 1 | precise >> 1) << ATTR_PRECISE_IP;
}

/* BUF has ATTR_SIZE_KNOWN bytes, those that are not in the file are 0. */
static void decode_fields(const uint8_t *buf, bool be, struct attr *a)
{
	a->type = get_u32(buf, be);
	a->config = get_u64(buf + 8, be);
	a->sample_period = get_u64(buf + 16, be);
	a->sample_type = get_u64(buf + 24, be);
	a->read_format = get_u64(buf + 32, be);
	a->flags = decode_flags(buf + 40, be);
	a->wakeup_events = get_u32(buf + 48, be);
	a->bp_type = get_u32(buf + 52, be);
	a->config1 = get_u64(buf + 56, be);
	a->config2 = get_u64(buf + 64, be);
	a->branch_sample_type = get_u64(buf + 72, be);
	a->sample_regs_user = get_u64(buf + 80, be);
	a->sample_stack_user = get_u32(buf + 88, be);
	a->clockid = (int32_t)get_u32(buf + 92, be);
	a->sample_regs_intr = get_u64(buf + 96, be);
	a->aux_watermark = get_u32(buf + 104, be);
	a->sample_max_stack = get_u16(buf + 108, be);
	a->aux_sample_size = get_u32(buf + 112, be);
}

int attr_decode(const uint8_t *data, size_t size, bool be, struct attr *out, struct err *err)
{
	uint8_t buf[ATTR_SIZE_KNOWN] = { 0 };
	uint32_t said;
	size_t use;

	if (size < ATTR_SIZE_VER0)
		return err_set(err, ERR_FORMAT,
			       "an event's attr has %zu bytes, expected at least %d", size,
			       ATTR_SIZE_VER0);
	said = get_u32(data + 4, be);
	if (said == 0)
		said = ATTR_SIZE_VER0;
	if (said < ATTR_SIZE_VER0)
		return err_set(err, ERR_FORMAT,
			       "an event's attr says that its size is %u, expected at least %d",
			       said, ATTR_SIZE_VER0);
	use = said < size ? said : size;
	memset(out, 0, sizeof(*out));
	out->size = said;
	for (size_t i = ATTR_SIZE_KNOWN; i < use && !out->unknown_tail; i++)
		out->unknown_tail = data[i] != 0;
	memcpy(buf, data, use < sizeof(buf) ? use : sizeof(buf));
	decode_fields(buf, be, out);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * The file is a header and records that carry their size.  A load record has the address, the
 * name and the code of one function; a move record says that a function (known by its index)
 * is at another address from then on, which becomes a load of the same name.  Line numbers and
 * unwinding data are passed over.
 */
#include "symbol/jitdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/hashidx.h"
#include "base/vec.h"

#define MAGIC               0x4A695444u /* "JiTD" */
#define HEADER_SIZE         40
#define RECORD_HEADER       16
#define FLAG_ARCH_TIMESTAMP 1

enum { CODE_LOAD = 0, CODE_MOVE = 1 };

struct parser {
	struct jitdump *jd;
	VEC(struct jitdump_load) loads;
	struct hashidx by_index; /* the last load of each code index */
};

static int parse_header(struct cursor *c, struct jitdump *jd, struct err *err)
{
	uint32_t magic, version, total;
	const uint8_t *start = c->p;

	if (cursor_left(c) < HEADER_SIZE)
		return err_set(err, ERR_FORMAT, "jitdump: %zu bytes, the header alone has %d",
			       cursor_left(c), HEADER_SIZE);
	magic = get_u32(start, false);
	if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
		return err_set(err, ERR_FORMAT,
			       "jitdump: the magic number is 0x%08" PRIx32 ", expected 0x%08x",
			       magic, MAGIC);
	c->be = magic != MAGIC;
	cursor_u32(c);
	version = cursor_u32(c);
	total = cursor_u32(c);
	jd->e_machine = cursor_u32(c);
	cursor_u32(c);
	jd->pid = cursor_u32(c);
	cursor_u64(c);
	jd->arch_timestamp = cursor_u64(c) & FLAG_ARCH_TIMESTAMP;
	if (version != 1)
		return err_set(err, ERR_UNSUPPORTED, "jitdump: version %" PRIu32 ", expected 1",
			       version);
	if (total < HEADER_SIZE || !cursor_bytes(c, total - HEADER_SIZE))
		return err_set(err, ERR_FORMAT,
			       "jitdump: the header claims %" PRIu32 " bytes of %zu", total,
			       (size_t)(c->end - start));
	return 0;
}

static bool add(struct parser *ps, struct jitdump_load load)
{
	if (!load.size || load.size > UINT64_MAX - load.addr || ps->loads.n >= UINT32_MAX - 1)
		return false;
	hashidx_add(&ps->by_index, hash_u64(load.index), (uint32_t)ps->loads.n);
	vec_push(&ps->loads, load);
	return true;
}

static bool parse_load(struct parser *ps, struct cursor *c, uint64_t when)
{
	struct jitdump_load load = { .when = when };

	cursor_u32(c); /* pid, */
	cursor_u32(c); /* tid, */
	cursor_u64(c); /* vma: where it runs is code_addr */
	load.addr = cursor_u64(c);
	load.size = cursor_u64(c);
	load.index = cursor_u64(c);
	load.name = cursor_cstr(c);
	return !c->bad && *load.name && add(ps, load);
}

static bool parse_move(struct parser *ps, struct cursor *c, uint64_t when)
{
	struct hashidx_iter it;
	struct jitdump_load load;
	uint64_t addr, size, index;
	uint32_t id, found = HASHIDX_NONE;

	cursor_u32(c);
	cursor_u32(c);
	cursor_u64(c); /* vma */
	cursor_u64(c); /* the old address */
	addr = cursor_u64(c);
	size = cursor_u64(c);
	index = cursor_u64(c);
	it = hashidx_first(&ps->by_index, hash_u64(index));
	while ((id = hashidx_next(&ps->by_index, &it)) != HASHIDX_NONE)
		if (ps->loads.v[id].index == index && (found == HASHIDX_NONE || id > found))
			found = id;
	if (c->bad || found == HASHIDX_NONE)
		return false;
	load = ps->loads.v[found];
	load.when = when;
	load.addr = addr;
	load.size = size;
	return add(ps, load);
}

/* False when no whole record is left. */
static bool parse_record(struct parser *ps, struct cursor *c)
{
	struct cursor body = *c;
	uint32_t id = cursor_u32(&body), total = cursor_u32(&body);
	uint64_t when = cursor_u64(&body);
	bool ok = true;

	if (body.bad || total < RECORD_HEADER || total > cursor_left(c))
		return false;
	body.end = c->p + total;
	c->p += total;
	ps->jd->records++;
	if (id == CODE_LOAD)
		ok = parse_load(ps, &body, when);
	else if (id == CODE_MOVE)
		ok = parse_move(ps, &body, when);
	ps->jd->malformed += !ok;
	return true;
}

int jitdump_parse(const uint8_t *data, size_t size, struct jitdump *out, struct err *err)
{
	struct cursor c = cursor_init(data, size, false);
	struct parser ps = { .jd = out };
	int ret;

	memset(out, 0, sizeof(*out));
	ret = parse_header(&c, out, err);
	if (ret < 0)
		return ret;
	while (parse_record(&ps, &c))
		;
	out->undecoded = cursor_left(&c);
	out->loads = ps.loads.v;
	out->n = ps.loads.n;
	hashidx_release(&ps.by_index);
	return 0;
}

void jitdump_release(struct jitdump *jd)
{
	free(jd->loads);
	memset(jd, 0, sizeof(*jd));
}

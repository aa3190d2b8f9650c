/* SPDX-License-Identifier: MIT */
/*
 * A decoder of zlib streams (RFC 1950 and 1951) that can stop and go on.
 *
 * The size of the result is known before, so it has its place in memory as a whole, and matches
 * are copied from there: no window, and nothing to keep between two calls but the bits at hand
 * and the tables of the block.  Pages that are never reached cost nothing.
 *
 * Codes are looked up in two steps: the next 11 bits (8 for distances) give the symbol, or the
 * table to which the bits behind them are the index.  While there is plenty of input and of room,
 * 56 bits at least are at hand for each round, and nothing else has to be asked; the last bytes
 * go through careful().
 */
#include "objfile/deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cursor.h"
#include "base/xmalloc.h"

enum {
	CODE_MAX = 15,
	LITERAL_ROOT = 11,
	DISTANCE_ROOT = 8,
	NR_LITERALS = 288,
	NR_DISTANCES = 32,
	NR_CODES = 19,
	/* a table behind the first one for each long code at the most */
	LITERAL_TABLE = (1 << LITERAL_ROOT) + (NR_LITERALS << (CODE_MAX - LITERAL_ROOT)),
	DISTANCE_TABLE = (1 << DISTANCE_ROOT) + (NR_DISTANCES << (CODE_MAX - DISTANCE_ROOT)),
	MATCH_MAX = 258,
	OUT_SLACK = MATCH_MAX + 16, /* what a round may write */
	IN_SLACK = 24, /* what it may read */
};

/* An entry: bits to take | extra bits << 4 | kind << 8 | value << 16. */
enum { KIND_NONE, KIND_LITERAL, KIND_BASE, KIND_END, KIND_TABLE };

#define ENTRY(bits, extra, kind, value) \
	((uint32_t)(bits) | (uint32_t)(extra) << 4 | (uint32_t)(kind) << 8 | (uint32_t)(value) << 16)
#define ENTRY_BITS(e)  ((e) & 15)
#define ENTRY_EXTRA(e) ((e) >> 4 & 15)
#define ENTRY_KIND(e)  ((e) >> 8 & 7)
#define ENTRY_VALUE(e) ((e) >> 16)

enum block { BLOCK_NONE, BLOCK_STORED, BLOCK_CODES };

struct deflate {
	const uint8_t *in, *in_end;
	uint8_t *start, *out, *out_end;
	uint64_t bits; /* the lowest come first; those above nr_bits may be there already */
	unsigned nr_bits;
	enum block block;
	size_t stored; /* bytes left of a stored block */
	bool last, done, bad, checked;
	uint32_t literals[LITERAL_TABLE], distances[DISTANCE_TABLE];
};

static const uint16_t length_base[] = { 3,  4,  5,  6,	7,  8,	9,  10, 11,  13,  15,  17,  19,	 23, 27,
					31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
static const uint8_t length_extra[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
					2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
static const uint16_t distance_base[] = { 1,	2,    3,    4,	  5,	7,    9,    13,	  17,	25,
					  33,	49,   65,   97,	  129,	193,  257,  385,  513,	769,
					  1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };

static uint32_t literal_entry(unsigned symbol)
{
	if (symbol < 256)
		return ENTRY(0, 0, KIND_LITERAL, symbol);
	if (symbol == 256)
		return ENTRY(0, 0, KIND_END, 0);
	symbol -= 257;
	return symbol < 29 ? ENTRY(0, length_extra[symbol], KIND_BASE, length_base[symbol]) : 0;
}

static uint32_t distance_entry(unsigned symbol)
{
	return symbol < 30 ? ENTRY(0, symbol < 2 ? 0 : symbol / 2 - 1, KIND_BASE,
				   distance_base[symbol])
			   : 0;
}

static uint32_t plain_entry(unsigned symbol)
{
	return ENTRY(0, 0, KIND_LITERAL, symbol);
}

static unsigned reversed(unsigned code, unsigned len)
{
	unsigned r = 0;

	for (; len; len--, code >>= 1)
		r = r << 1 | (code & 1);
	return r;
}

/*
 * Whether codes of these lengths are possible.  A set that leaves codes over is only allowed when
 * it has nothing longer than one bit.
 */
static bool lengths_fit(const unsigned count[CODE_MAX + 1], unsigned longest)
{
	int left = 1;

	for (unsigned len = 1; len <= CODE_MAX; len++) {
		left = (left << 1) - (int)count[len];
		if (left < 0)
			return false;
	}
	return !left || longest <= 1;
}

static void fill(uint32_t *table, size_t size, unsigned first, unsigned step, uint32_t entry)
{
	for (size_t i = first; i < size; i += step)
		table[i] = entry;
}

static bool build(uint32_t *table, unsigned root, const uint8_t *lens, unsigned n,
		  uint32_t (*entry_of)(unsigned))
{
	unsigned count[CODE_MAX + 1] = { 0 }, next[CODE_MAX + 2] = { 0 }, longest = 0, sub_bits;
	size_t size = (size_t)1 << root, used = size;

	for (unsigned i = 0; i < n; i++) {
		count[lens[i]]++;
		longest = lens[i] > longest ? lens[i] : longest;
	}
	count[0] = 0;
	if (!lengths_fit(count, longest))
		return false;
	for (unsigned len = 1; len <= CODE_MAX; len++)
		next[len + 1] = (next[len] + count[len]) << 1;
	sub_bits = longest > root ? longest - root : 0;
	memset(table, 0, size * sizeof(*table));
	for (unsigned i = 0; i < n; i++) {
		unsigned len = lens[i], code;
		uint32_t entry = entry_of(i), *head;

		if (!len)
			continue;
		code = reversed(next[len]++, len);
		if (len <= root) {
			fill(table, size, code, 1u << len, entry ? entry | len : 0);
			continue;
		}
		head = &table[code & (size - 1)];
		if (!*head) {
			*head = ENTRY(root, sub_bits, KIND_TABLE, used);
			memset(table + used, 0, sizeof(*table) << sub_bits);
			used += (size_t)1 << sub_bits;
		}
		fill(table + ENTRY_VALUE(*head), (size_t)1 << sub_bits, code >> root,
		     1u << (len - root), entry ? entry | (len - root) : 0);
	}
	return true;
}

static void refill(struct deflate *d)
{
	for (; d->nr_bits < 56 && d->in < d->in_end; d->nr_bits += 8)
		d->bits |= (uint64_t)*d->in++ << d->nr_bits;
}

/* N bits, 32 at most; 0 and `bad` when there are fewer. */
static unsigned take(struct deflate *d, unsigned n)
{
	unsigned v;

	if (d->nr_bits < n)
		refill(d);
	if (d->nr_bits < n) {
		d->bad = true;
		return 0;
	}
	v = (unsigned)(d->bits & (((uint64_t)1 << n) - 1));
	d->bits >>= n;
	d->nr_bits -= n;
	return v;
}

/* The next symbol's entry, its bits taken; 0 and `bad` when there is none. */
static uint32_t symbol(struct deflate *d, const uint32_t *table, unsigned root)
{
	uint32_t e;

	refill(d);
	e = table[d->bits & ((1u << root) - 1)];
	if (ENTRY_KIND(e) == KIND_TABLE) {
		take(d, root);
		e = table[ENTRY_VALUE(e) + (d->bits & ((1u << ENTRY_EXTRA(e)) - 1))];
	}
	take(d, ENTRY_BITS(e));
	d->bad |= !e;
	return d->bad ? 0 : e;
}

/* --- blocks --- */

static bool read_code_lengths(struct deflate *d, uint8_t *lens, unsigned n, unsigned nr_codes)
{
	static const uint8_t order[NR_CODES] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
						 11, 4,	 12, 3, 13, 2, 14, 1, 15 };
	uint32_t table[1 << 7];
	uint8_t code_lens[NR_CODES] = { 0 };
	unsigned at = 0;

	for (unsigned i = 0; i < nr_codes; i++)
		code_lens[order[i]] = (uint8_t)take(d, 3);
	if (d->bad || !build(table, 7, code_lens, NR_CODES, plain_entry))
		return false;
	while (at < n && !d->bad) {
		unsigned v = ENTRY_VALUE(symbol(d, table, 7)), repeat = 1, len = v;

		if (v == 16) {
			if (!at)
				return false;
			len = lens[at - 1];
			repeat = 3 + take(d, 2);
		} else if (v > 16) {
			len = 0;
			repeat = v == 17 ? 3 + take(d, 3) : 11 + take(d, 7);
		}
		if (repeat > n - at)
			return false;
		memset(lens + at, (int)len, repeat);
		at += repeat;
	}
	return !d->bad;
}

static bool dynamic_codes(struct deflate *d)
{
	uint8_t lens[NR_LITERALS + NR_DISTANCES];
	unsigned literals = 257 + take(d, 5), distances = 1 + take(d, 5), codes = 4 + take(d, 4);

	return !d->bad && literals <= 286 && distances <= 30 &&
	       read_code_lengths(d, lens, literals + distances, codes) && lens[256] &&
	       build(d->literals, LITERAL_ROOT, lens, literals, literal_entry) &&
	       build(d->distances, DISTANCE_ROOT, lens + literals, distances, distance_entry);
}

static bool fixed_codes(struct deflate *d)
{
	uint8_t lens[NR_LITERALS], five[NR_DISTANCES];

	memset(lens, 8, 144);
	memset(lens + 144, 9, 112);
	memset(lens + 256, 7, 24);
	memset(lens + 280, 8, 8);
	memset(five, 5, sizeof(five));
	return build(d->literals, LITERAL_ROOT, lens, NR_LITERALS, literal_entry) &&
	       build(d->distances, DISTANCE_ROOT, five, NR_DISTANCES, distance_entry);
}

static bool stored_block(struct deflate *d)
{
	unsigned len, complement;

	take(d, d->nr_bits & 7);
	len = take(d, 16);
	complement = take(d, 16);
	d->in -= d->nr_bits / 8;
	d->bits = d->nr_bits = 0;
	d->stored = len;
	return !d->bad && (len ^ complement) == 0xffff;
}

static void begin_block(struct deflate *d)
{
	bool ok;

	refill(d); /* so that nothing but whole bytes is given back by a stored block */
	d->last = take(d, 1);
	switch (take(d, 2)) {
	case 0:
		d->block = BLOCK_STORED;
		ok = stored_block(d);
		break;
	case 1:
		d->block = BLOCK_CODES;
		ok = fixed_codes(d);
		break;
	case 2:
		d->block = BLOCK_CODES;
		ok = dynamic_codes(d);
		break;
	default:
		ok = false;
	}
	d->bad |= !ok;
}

static void end_block(struct deflate *d)
{
	d->block = BLOCK_NONE;
	d->done = d->last;
}

static void run_stored(struct deflate *d, const uint8_t *want)
{
	size_t n = (size_t)(want - d->out);

	n = n < d->stored ? n : d->stored;
	if (n > (size_t)(d->in_end - d->in) || (!n && d->stored)) {
		d->bad = true;
		return;
	}
	memcpy(d->out, d->in, n);
	d->out += n;
	d->in += n;
	d->stored -= n;
	if (!d->stored)
		end_block(d);
}

/* One symbol, with a look at every border. */
static void careful(struct deflate *d)
{
	uint32_t e = symbol(d, d->literals, LITERAL_ROOT);
	size_t len, distance;

	if (ENTRY_KIND(e) == KIND_END) {
		end_block(d);
		return;
	}
	if (ENTRY_KIND(e) == KIND_LITERAL) {
		if (d->out == d->out_end)
			d->bad = true;
		else
			*d->out++ = (uint8_t)ENTRY_VALUE(e);
		return;
	}
	len = ENTRY_VALUE(e) + take(d, ENTRY_EXTRA(e));
	e = symbol(d, d->distances, DISTANCE_ROOT);
	distance = ENTRY_VALUE(e) + take(d, ENTRY_EXTRA(e));
	if (d->bad || distance > (size_t)(d->out - d->start) ||
	    len > (size_t)(d->out_end - d->out)) {
		d->bad = true;
		return;
	}
	for (; len; len--, d->out++)
		*d->out = d->out[-(ptrdiff_t)distance];
}

/* LEN bytes from DISTANCE before OUT; a few more may be written. */
static inline uint8_t *copy_match(uint8_t *out, size_t distance, size_t len)
{
	const uint8_t *from = out - distance;
	uint8_t *end = out + len;

	if (distance >= 8) {
		do {
			memcpy(out, from, 8);
			out += 8;
			from += 8;
		} while (out < end);
	} else if (distance == 1) {
		memset(out, *from, len);
	} else {
		while (out < end)
			*out++ = *from++;
	}
	return end;
}

#define TAKE(n) (bits >>= (n), nr_bits -= (n))
#define MORE() (bits |= get_u64(in, false) << nr_bits, in += (63 - nr_bits) >> 3, nr_bits |= 56)
#define LOOK(table, root) ((table)[bits & ((1u << (root)) - 1)])
#define LOOK_BEHIND(table, e) ((table)[ENTRY_VALUE(e) + (bits & ((1u << ENTRY_EXTRA(e)) - 1))])
#define NUMBER(e) (ENTRY_VALUE(e) + (bits & ((1u << ENTRY_EXTRA(e)) - 1)))

/*
 * Up to WANT, while there is plenty on both sides: IN_SLACK to read and OUT_SLACK to write.  The
 * bits are kept in registers; each round takes up to three literals, or those and a match.
 */
static void fast(struct deflate *d, const uint8_t *want)
{
	const uint8_t *in = d->in, *in_last = d->in_end - IN_SLACK;
	const uint8_t *out_last = d->out_end - OUT_SLACK;
	uint8_t *out = d->out;
	uint64_t bits = d->bits;
	unsigned nr_bits = d->nr_bits;
	bool ended = false;

	out_last = want < out_last ? want : out_last;
	while (in <= in_last && out < out_last) {
		size_t len, distance;
		uint32_t e;

		MORE();
		e = LOOK(d->literals, LITERAL_ROOT);
		for (int i = 0; i < 3 && ENTRY_KIND(e) == KIND_LITERAL; i++) {
			TAKE(ENTRY_BITS(e));
			*out++ = (uint8_t)ENTRY_VALUE(e);
			e = LOOK(d->literals, LITERAL_ROOT);
		}
		if (ENTRY_KIND(e) == KIND_LITERAL)
			continue; /* with more bits */
		if (ENTRY_KIND(e) == KIND_TABLE) {
			TAKE(LITERAL_ROOT);
			e = LOOK_BEHIND(d->literals, e);
		}
		TAKE(ENTRY_BITS(e));
		if (ENTRY_KIND(e) == KIND_LITERAL) {
			*out++ = (uint8_t)ENTRY_VALUE(e);
			continue;
		}
		if (ENTRY_KIND(e) != KIND_BASE) {
			ended = e != 0;
			d->bad = !ended;
			break;
		}
		len = NUMBER(e);
		TAKE(ENTRY_EXTRA(e));
		MORE();
		e = LOOK(d->distances, DISTANCE_ROOT);
		if (ENTRY_KIND(e) == KIND_TABLE) {
			TAKE(DISTANCE_ROOT);
			e = LOOK_BEHIND(d->distances, e);
		}
		TAKE(ENTRY_BITS(e));
		distance = NUMBER(e);
		TAKE(ENTRY_EXTRA(e));
		if (!e || distance > (size_t)(out - d->start)) {
			d->bad = true;
			break;
		}
		out = copy_match(out, distance, len);
	}
	d->in = in;
	d->out = out;
	d->bits = bits;
	d->nr_bits = nr_bits;
	if (ended)
		end_block(d);
}

/* --- the stream --- */

struct deflate *deflate_begin(const uint8_t *in, size_t n, size_t size)
{
	struct deflate *d;

	/* deflate, no larger window than there is, no dictionary */
	if (n < 6 || (in[0] & 15) != 8 || in[0] >> 4 > 7 || (in[0] << 8 | in[1]) % 31 ||
	    (in[1] & 32))
		return NULL;
	d = xcalloc(1, sizeof(*d));
	d->in = in + 2;
	d->in_end = in + n;
	d->start = d->out = calloc(size ? size : 1, 1);
	d->out_end = d->start + size;
	if (!d->start) {
		free(d);
		return NULL;
	}
	return d;
}

const uint8_t *deflate_bytes(const struct deflate *d)
{
	return d->start;
}

static void run_codes(struct deflate *d, const uint8_t *want)
{
	if (d->in_end - d->in >= IN_SLACK && d->out_end - d->out > OUT_SLACK)
		fast(d, want);
	/* the last bytes of either side, or the symbol at which a round had too little */
	if (!d->bad && d->block == BLOCK_CODES &&
	    (d->out < want || d->out == d->out_end))
		careful(d);
}

/* The end of the last block, behind which the check sum stands. */
static bool sum_is_right(struct deflate *d)
{
	const uint8_t *sum = d->in - d->nr_bits / 8;

	return d->in_end - sum >= 4 &&
	       get_u32(sum, true) == adler32_z(1, d->start, (size_t)(d->out_end - d->start));
}

size_t deflate_upto(struct deflate *d, size_t want)
{
	size_t size = (size_t)(d->out_end - d->start);
	const uint8_t *to = d->start + (want < size ? want : size);

	/* for all of it, up to the end of the stream too */
	while (!d->bad && !d->done && (d->out < to || to == d->out_end)) {
		if (d->block == BLOCK_NONE)
			begin_block(d);
		else if (d->block == BLOCK_STORED)
			run_stored(d, to);
		else
			run_codes(d, to);
	}
	if (!d->bad && d->done && !d->checked) {
		d->checked = true;
		d->bad = d->out != d->out_end || !sum_is_right(d);
	}
	if (d->bad && (d->done || d->out == d->out_end))
		d->out = d->start; /* it is not what it says: none of it is to be believed */
	return (size_t)(d->out - d->start);
}

void deflate_end(struct deflate *d)
{
	if (!d)
		return;
	free(d->start);
	free(d);
}

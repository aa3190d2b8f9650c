/* SPDX-License-Identifier: MIT */
/*
 * Line programs (DWARF 2 to 5, section 6.2 of each).
 *
 * A program is run once into rows (address, file, line), which are kept per sequence, the runs of
 * code that the linker moves as a whole.  Only what answers "which line has this address" is
 * kept: the last row of several at one address, and no row that repeats its predecessor's line
 * (columns, views and statement flags make every second row such a one).
 *
 * Tables are kept by their offset: type units and LTO partitions share them.
 */
#include <limits.h>

#include "base/bisect.h"
#include "base/strbuf.h"
#include "symbol/dwarf_private.h"

#define NO_FILE UINT32_MAX

struct row {
	uint64_t pc;
	uint32_t file, line;
};

struct sequence {
	uint64_t lo, hi;
	size_t first, n; /* rows */
};

struct file_entry {
	const char *name;
	uint64_t dir;
	const char *path; /* put together when it is asked for */
};

struct dw_lines {
	uint64_t offset;
	struct dw_file *file;
	uint16_t version;
	const char *comp_dir;
	VEC(const char *) dirs;
	VEC(struct file_entry) files;
	VEC(struct row) rows;
	VEC(struct sequence) sequences; /* by lo */
	struct arena *arena;
};

/* The header, and the state machine's registers. */
struct program {
	struct dw_lines *l;
	struct dw_unit form; /* what reading a form needs, with this header's offset size */
	struct cursor c;
	uint8_t min_inst, max_ops, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *lengths; /* of standard opcodes, from 1 */
	uint64_t pc;
	uint32_t op_index, file, line;
	size_t first; /* row of this sequence */
	bool unsorted;
};

/* --- header --- */

#define MAX_FORMATS 32

struct formats {
	struct dw_attr v[MAX_FORMATS]; /* name is DW_LNCT_* */
	unsigned n;
};

static void read_formats(struct program *p, struct formats *f)
{
	unsigned n = cursor_u8(&p->c);

	if (n > MAX_FORMATS)
		p->c.bad = true;
	f->n = p->c.bad ? 0 : n;
	for (unsigned i = 0; i < f->n; i++) {
		uint64_t type = dw_uleb(&p->c), form = dw_uleb(&p->c);

		f->v[i].name = type <= UINT16_MAX ? (uint16_t)type : 0;
		f->v[i].form = form <= UINT16_MAX ? (uint16_t)form : 0;
		f->v[i].implicit = 0;
	}
}

static struct file_entry read_entry(struct program *p, const struct formats *f)
{
	struct file_entry e = { 0 };

	for (unsigned i = 0; i < f->n; i++) {
		struct dw_value v;

		dw_form_read(&p->form, &p->c, &f->v[i], &v);
		if (f->v[i].name == DW_LNCT_path)
			e.name = dw_value_string(&p->form, &v);
		else if (f->v[i].name == DW_LNCT_directory_index)
			e.dir = v.u;
	}
	return e;
}

/* Version 5: directories or files, each with its own list of forms. */
static void read_entries(struct program *p, bool dirs)
{
	struct formats f;
	uint64_t n;

	read_formats(p, &f);
	n = dw_uleb(&p->c);
	if (!cursor_has(&p->c, n, 1) || (n && !f.n))
		p->c.bad = true;
	for (uint64_t i = 0; i < n && !p->c.bad; i++) {
		const uint8_t *before = p->c.p;
		struct file_entry e = read_entry(p, &f);

		if (p->c.p == before) /* entries of no bytes: the number can be any */
			p->c.bad = true;
		else if (dirs)
			vec_push(&p->l->dirs, e.name);
		else
			vec_push(&p->l->files, e);
	}
}

/* Up to version 4; number 0 of both is the unit's. */
static void read_old_entries(struct program *p, struct dw_unit *u)
{
	const char *s;

	vec_push(&p->l->dirs, u->comp_dir);
	while ((s = cursor_cstr(&p->c)) && *s)
		vec_push(&p->l->dirs, s);
	vec_push(&p->l->files, (struct file_entry){ .name = u->name });
	while ((s = cursor_cstr(&p->c)) && *s) {
		struct file_entry e = { .name = s, .dir = dw_uleb(&p->c) };

		dw_uleb(&p->c);
		dw_uleb(&p->c);
		vec_push(&p->l->files, e);
	}
}

static bool read_header(struct program *p, struct dw_unit *u)
{
	struct cursor *c = &p->c;
	uint64_t length = cursor_u32(c), header;
	const uint8_t *start;

	p->form = *u;
	p->form.off_size = 4;
	if (length == 0xffffffff) {
		p->form.off_size = 8;
		length = cursor_u64(c);
	}
	if (c->bad || !length)
		return false;
	if (length < cursor_left(c)) /* a cut one is used as far as it goes */
		c->end = c->p + length;
	p->l->version = cursor_u16(c);
	if (p->l->version < 2 || p->l->version > 5)
		return false;
	if (p->l->version == 5) {
		p->form.addr_size = cursor_u8(c);
		cursor_u8(c); /* segment selectors: no machine here has them */
	}
	header = dw_fixed(c, p->form.off_size);
	if (c->bad || header > cursor_left(c))
		return false;
	start = c->p + header;
	p->min_inst = cursor_u8(c);
	p->max_ops = p->l->version >= 4 ? cursor_u8(c) : 1;
	cursor_u8(c); /* default_is_stmt */
	p->line_base = (int8_t)cursor_u8(c);
	p->line_range = cursor_u8(c);
	p->opcode_base = cursor_u8(c);
	if (!p->max_ops)
		p->max_ops = 1;
	if (c->bad || !p->line_range || !p->opcode_base)
		return false;
	p->lengths = cursor_bytes(c, p->opcode_base - 1u);
	if (p->l->version == 5) {
		read_entries(p, true);
		read_entries(p, false);
	} else {
		read_old_entries(p, u);
	}
	c->bad = false; /* the names may be damaged, the program still has its lines */
	c->p = start;
	return p->lengths != NULL;
}

/* --- state machine --- */

static void reset(struct program *p)
{
	p->pc = 0;
	p->op_index = 0;
	p->file = 1;
	p->line = 1;
	p->first = p->l->rows.n;
	p->unsorted = false;
}

static inline void advance(struct program *p, uint64_t ops)
{
	if (p->max_ops == 1) {
		p->pc += p->min_inst * ops;
		return;
	}
	p->pc += p->min_inst * ((p->op_index + ops) / p->max_ops);
	p->op_index = (uint32_t)((p->op_index + ops) % p->max_ops);
}

static inline void add_row(struct program *p)
{
	struct dw_lines *l = p->l;

	if (l->rows.n > p->first) {
		struct row *last = &l->rows.v[l->rows.n - 1];

		if (last->pc == p->pc) {
			last->file = p->file;
			last->line = p->line;
			return;
		}
		if (p->pc < last->pc)
			p->unsorted = true;
		else if (last->file == p->file && last->line == p->line)
			return;
	}
	vec_push(&l->rows, (struct row){ p->pc, p->file, p->line });
}

static int by_pc(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void end_sequence(struct program *p)
{
	struct dw_lines *l = p->l;
	struct sequence s = { .hi = p->pc, .first = p->first, .n = l->rows.n - p->first };

	if (s.n && p->unsorted)
		qsort(l->rows.v + s.first, s.n, sizeof(*l->rows.v), by_pc);
	s.lo = s.n ? l->rows.v[s.first].pc : s.hi;
	if (s.lo < s.hi && dw_file_has_code(l->file, s.lo))
		vec_push(&l->sequences, s);
	else
		l->rows.n = s.first; /* dropped by the linker */
	reset(p);
}

static void extended_opcode(struct program *p)
{
	struct cursor *c = &p->c;
	uint64_t n = dw_uleb(c);
	const uint8_t *start = c->p;
	struct cursor in;

	if (!cursor_bytes(c, n) || !n)
		return;
	in = cursor_init(start, (size_t)n, c->be);
	switch (cursor_u8(&in)) {
	case DW_LNE_end_sequence:
		end_sequence(p);
		break;
	case DW_LNE_set_address:
		p->pc = dw_fixed(&in, (unsigned)(n - 1 <= 8 ? n - 1 : 0));
		p->op_index = 0;
		break;
	case DW_LNE_define_file: {
		struct file_entry e = { .name = cursor_cstr(&in), .dir = dw_uleb(&in) };

		if (e.name)
			vec_push(&p->l->files, e);
		break;
	}
	default:
		break;
	}
}

static void unknown_opcode(struct program *p, uint8_t op)
{
	for (unsigned i = p->lengths[op - 1]; i; i--)
		dw_uleb(&p->c);
}

static void standard_opcode(struct program *p, uint8_t op)
{
	struct cursor *c = &p->c;
	uint64_t v;

	switch (op) {
	case DW_LNS_copy:
		add_row(p);
		break;
	case DW_LNS_advance_pc:
		advance(p, dw_uleb(c));
		break;
	case DW_LNS_advance_line:
		p->line += (uint32_t)dw_sleb(c);
		break;
	case DW_LNS_set_file:
		v = dw_uleb(c);
		p->file = v < NO_FILE ? (uint32_t)v : NO_FILE;
		break;
	case DW_LNS_const_add_pc:
		advance(p, (255u - p->opcode_base) / p->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->pc += cursor_u16(c);
		p->op_index = 0;
		break;
	case DW_LNS_set_column:
	case DW_LNS_set_isa:
		dw_uleb(c);
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	default:
		unknown_opcode(p, op);
	}
}

static int by_lo(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	if (x->hi != y->hi)
		return x->hi < y->hi ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void run(struct program *p)
{
	reset(p);
	while (!p->c.bad && cursor_left(&p->c)) {
		uint8_t op = *p->c.p++;

		if (op >= p->opcode_base) {
			op -= p->opcode_base;
			advance(p, op / p->line_range);
			p->line += (uint32_t)(p->line_base + op % p->line_range);
			add_row(p);
		} else if (op) {
			standard_opcode(p, op);
		} else {
			extended_opcode(p);
		}
	}
	p->l->rows.n = p->first; /* a sequence without end has no extent */
	if (p->l->sequences.n)
		qsort(p->l->sequences.v, p->l->sequences.n, sizeof(*p->l->sequences.v), by_lo);
}

/* --- the table --- */

/* The bytes of the table, which may have to be inflated yet: its length comes first. */
static bool has_bytes(struct dw_unit *u, struct dw_bytes b)
{
	struct cursor c = cursor_init(b.p, b.n, u->file->be);
	uint64_t length, end;

	cursor_bytes(&c, u->stmt_list);
	if (c.bad || dw_section_upto(u->file, DW_SEC_LINE, u->stmt_list + 12) < u->stmt_list + 12)
		return false;
	length = cursor_u32(&c);
	if (length == 0xffffffff)
		length = cursor_u64(&c);
	end = length < cursor_left(&c) ? (uint64_t)(c.p - b.p) + length : b.n;
	return dw_section_upto(u->file, DW_SEC_LINE, end) >= end;
}

static struct dw_lines *decode(struct dw_unit *u)
{
	struct dwarf_index *di = u->file->di;
	struct dw_bytes b = dw_section_place(u->file, DW_SEC_LINE);
	struct program p = { .c = cursor_init(b.p, b.n, u->file->be) };
	struct dw_lines *l;
	const uint8_t *start;

	if (!has_bytes(u, b))
		return NULL;
	cursor_bytes(&p.c, u->stmt_list);
	/* tables overlap in made-up files only: see dwarf_abbrev.c */
	if (p.c.bad || !cursor_left(&p.c) || di->line_bytes > 4 * (uint64_t)b.n)
		return NULL;
	start = p.c.p;
	l = p.l = xcalloc(1, sizeof(*l));
	l->offset = u->stmt_list;
	l->file = u->file;
	l->comp_dir = u->comp_dir;
	l->arena = &di->arena;
	if (read_header(&p, u))
		run(&p);
	di->line_bytes += (uint64_t)(p.c.p - start);
	return l;
}

static struct dw_lines *find_or_decode(struct dw_unit *u)
{
	struct dwarf_index *di = u->file->di;
	uint64_t hash = hash_u64(u->stmt_list);
	struct hashidx_iter it = hashidx_first(&di->line_index, hash);
	struct dw_lines *l;
	uint32_t id;

	while ((id = hashidx_next(&di->line_index, &it)) != HASHIDX_NONE)
		if (di->lines.v[id]->offset == u->stmt_list && di->lines.v[id]->file == u->file)
			return di->lines.v[id];
	l = decode(u);
	if (l) {
		hashidx_add(&di->line_index, hash, (uint32_t)di->lines.n);
		vec_push(&di->lines, l);
	}
	return l;
}

struct dw_lines *dw_unit_lines(struct dw_unit *u)
{
	if (!u->lines_tried) {
		u->lines_tried = true;
		if (dw_unit_prepare(u) && u->has_stmt_list)
			u->lines = find_or_decode(u);
	}
	return u->lines;
}

static const struct sequence *find_sequence(const struct dw_lines *l, uint64_t addr)
{
	size_t at = bisect(i, l->sequences.n, l->sequences.v[i].lo <= addr);

	/* identical code folding leaves several for one place; more than some are not real */
	for (size_t tries = 0; at && tries < 64; tries++)
		if (l->sequences.v[--at].hi > addr)
			return &l->sequences.v[at];
	return NULL;
}

bool dw_lines_find(const struct dw_lines *l, uint64_t addr, uint32_t *file, uint32_t *line)
{
	const struct sequence *s = find_sequence(l, addr);
	const struct row *row;

	if (!s)
		return false;
	row = l->rows.v + s->first; /* which is at the sequence's `lo` */
	row += bisect(i, s->n, row[i].pc <= addr) - 1;
	*file = row->file;
	*line = row->line;
	return true;
}

/* DIR/NAME, unless NAME says it all. */
static void put_in_front(struct strbuf *sb, const char *dir)
{
	struct strbuf whole = STRBUF_INIT;

	if (!dir || !*dir || strbuf_str(sb)[0] == '/' || strlen(dir) > PATH_MAX)
		return;
	strbuf_adds(&whole, dir);
	if (dir[strlen(dir) - 1] != '/')
		strbuf_addc(&whole, '/');
	strbuf_add(&whole, strbuf_str(sb), sb->n);
	strbuf_release(sb);
	*sb = whole;
}

const char *dw_lines_path(struct dw_lines *l, uint32_t file)
{
	struct file_entry *e;
	struct strbuf sb = STRBUF_INIT;

	if (file >= l->files.n)
		return NULL;
	e = &l->files.v[file];
	if (e->path || !e->name || strlen(e->name) > PATH_MAX)
		return e->path;
	strbuf_adds(&sb, e->name);
	if (e->dir < l->dirs.n)
		put_in_front(&sb, l->dirs.v[e->dir]);
	if (e->dir) /* number 0 is the compilation directory */
		put_in_front(&sb, l->comp_dir);
	e->path = arena_strndup(l->arena, strbuf_str(&sb), sb.n);
	strbuf_release(&sb);
	return e->path;
}

void dw_lines_free(struct dw_lines *l)
{
	vec_release(&l->dirs);
	vec_release(&l->files);
	vec_release(&l->rows);
	vec_release(&l->sequences);
	free(l);
}

/* SPDX-License-Identifier: MIT */
/*
 * Parsing kallsyms.  The format is the kernel's (kernel/kallsyms.c, s_show()): a hexadecimal
 * address, one letter as nm prints it, a name, and for modules the module's name in brackets
 * after a tab.  Functions have the letters t and w, capital when they are global.
 *
 * There are no sizes: a function reaches up to the next symbol.  Data symbols are kept as nameless
 * boundaries, so that the last function before them does not swallow what follows.
 */
#include "symbol/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MAX_REACH (UINT64_C(1) << 20) /* of a function for which nothing comes next */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_address(const char **p, uint64_t *addr)
{
	unsigned digits = 0;
	int d;

	for (*addr = 0; (d = hex_digit(**p)) >= 0; (*p)++, digits++)
		*addr = *addr << 4 | (uint64_t)d;
	return digits && digits <= 16;
}

static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

/* Split one line, which ends with a NUL, in place. */
static bool parse_line(char *line, struct kallsym *sym)
{
	const char *p = line;
	char *name, *end, *module;

	if (!parse_address(&p, &sym->addr) || *p != ' ' || !p[1] || p[2] != ' ')
		return false;
	sym->type = p[1];
	name = line + (p - line) + 3;
	end = name + strcspn(name, " \t");
	if (end == name)
		return false;
	module = *end ? end + strspn(end, " \t") : end;
	*end = 0;
	sym->module = NULL;
	if (*module == '[') {
		sym->module = ++module;
		module[strcspn(module, "]")] = 0;
	}
	sym->name = name;
	return true;
}

static bool is_function(const struct kallsym *s)
{
	char type = s->type | 0x20;

	return (type == 't' || type == 'w') && !is_mapping_symbol(s->name);
}

/* Functions before data, global before weak before local, then as for ELF symbols. */
static int rank(const struct kallsym *s)
{
	if (!s->name)
		return 3;
	return s->type == 'T' ? 0 : s->type == 't' ? 2 : 1;
}

static int by_address(const void *a, const void *b)
{
	const struct kallsym *x = a, *y = b;
	size_t lx, ly;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (!x->name)
		return 0;
	lx = strspn(x->name, "_");
	ly = strspn(y->name, "_");
	if (lx != ly)
		return lx < ly ? -1 : 1;
	lx = strlen(x->name);
	ly = strlen(y->name);
	if (lx != ly)
		return lx > ly ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* One for each address; of data in a row only the first is a boundary. */
static size_t squeeze(struct kallsym *v, size_t n)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		if (out && v[out - 1].addr == v[i].addr)
			continue;
		if (!v[i].name && (!out || !v[out - 1].name))
			continue;
		v[out++] = v[i];
	}
	return out;
}

static void keep(struct kallsyms *ks, struct kallsym *sym, const char *ref_name)
{
	ks->lines++;
	if (ref_name && !ks->has_ref && !sym->module && !strcmp(sym->name, ref_name)) {
		ks->has_ref = true;
		ks->ref = sym->addr;
	}
	if (!is_function(sym))
		sym->name = sym->module = NULL;
}

void kallsyms_parse(struct kallsyms *ks, const char *text, size_t len, const char *ref_name)
{
	VEC(struct kallsym) v = { 0 };
	bool any = false;
	char *p, *end;

	memset(ks, 0, sizeof(*ks));
	ks->text = xstrndup(text, len);
	end = ks->text + len;
	for (p = ks->text; p < end;) {
		char *eol = memchr(p, '\n', (size_t)(end - p));
		struct kallsym sym;

		eol = eol ? eol : end;
		*eol = 0;
		if (parse_line(p, &sym)) {
			any |= sym.addr != 0;
			keep(ks, &sym, ref_name);
			vec_push(&v, sym);
		}
		p = eol + 1;
	}
	ks->hidden = ks->lines && !any;
	if (v.n && any)
		qsort(v.v, v.n, sizeof(*v.v), by_address);
	ks->n = any ? squeeze(v.v, v.n) : 0;
	ks->v = v.v;
}

void kallsyms_release(struct kallsyms *ks)
{
	free(ks->v);
	free(ks->text);
	memset(ks, 0, sizeof(*ks));
}

const struct kallsym *kallsyms_find(const struct kallsyms *ks, uint64_t addr)
{
	size_t lo = 0, hi = ks->n;
	const struct kallsym *s;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	s = &ks->v[lo - 1];
	return s->name && addr - s->addr < MAX_REACH ? s : NULL;
}

bool kallsyms_same_module(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
			return false;
	return *a == *b;
}

bool kallsyms_module_start(const struct kallsyms *ks, const char *module, uint64_t *addr)
{
	for (size_t i = 0; i < ks->n; i++) {
		if (ks->v[i].module && kallsyms_same_module(ks->v[i].module, module)) {
			*addr = ks->v[i].addr;
			return true;
		}
	}
	return false;
}

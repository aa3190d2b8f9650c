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

/* The value of a hexadecimal digit, plus 1; 0: it is none. */
static const uint8_t digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,	['6'] = 7,  ['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool parse_address(const char **p, uint64_t *addr)
{
	const char *start = *p;
	uint64_t v = 0;
	uint8_t d;

	for (; (d = digits[(uint8_t)**p]); (*p)++)
		v = v << 4 | (d - 1u);
	*addr = v;
	return *p != start && *p - start <= 16;
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
	for (end = name; *end && *end != ' ' && *end != '\t'; end++)
		; /* faster than strcspn() for so few characters */
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

/* Two sorted halves, of MIDDLE and N - MIDDLE symbols. */
static void merge(struct kallsym *v, size_t middle, size_t n)
{
	struct kallsym *low = xreallocarray(NULL, middle, sizeof(*low));
	size_t i = 0, j = middle, out = 0;

	memcpy(low, v, middle * sizeof(*low));
	while (i < middle)
		v[out++] = j < n && by_address(&v[j], &low[i]) < 0 ? v[j++] : low[i++];
	free(low);
}

/* The image's symbols come sorted but for those of one address; modules follow, which are few. */
static void sort(struct kallsym *v, size_t n)
{
	size_t sorted = n ? 1 : 0, end;

	while (sorted < n && v[sorted].addr >= v[sorted - 1].addr)
		sorted++;
	for (size_t i = 0; i < sorted; i = end) {
		for (end = i + 1; end < sorted && v[end].addr == v[i].addr;)
			end++;
		if (end - i > 1)
			qsort(v + i, end - i, sizeof(*v), by_address);
	}
	if (sorted == n)
		return;
	qsort(v + sorted, n - sorted, sizeof(*v), by_address);
	merge(v, sorted, n);
}

void kallsyms_take(struct kallsyms *ks, char *text, size_t len, const char *ref_name)
{
	VEC(struct kallsym) v = { 0 };
	bool any = false;
	char *p, *end;

	memset(ks, 0, sizeof(*ks));
	ks->text = text;
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
	if (any)
		sort(v.v, v.n);
	ks->n = any ? squeeze(v.v, v.n) : 0;
	ks->v = v.v;
}

void kallsyms_parse(struct kallsyms *ks, const char *text, size_t len, const char *ref_name)
{
	kallsyms_take(ks, xstrndup(text, len), len, ref_name);
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

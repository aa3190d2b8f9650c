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

#include "base/bisect.h"
#include "base/cursor.h"
#include "base/vec.h"

enum {
	ADDRESS = 16, /* digits */
	NAME = ADDRESS + 3, /* where it begins in a line of the usual form */
	PLACE_LINES = 4,
	ALIKE_MAX = 32, /* lines with one address */
};

#define MAX_REACH (UINT64_C(1) << 20) /* of a function for which nothing comes next */

/* The value of a hexadecimal digit, plus 1; 0: it is none. */
static const uint8_t digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool parse_address(const char **p, const char *eol, uint64_t *addr)
{
	const char *start = *p;
	uint64_t v = 0;
	uint8_t d;

	for (; *p < eol && (d = digits[(uint8_t) * *p]); (*p)++)
		v = v << 4 | (d - 1u);
	*addr = v;
	return *p != start && *p - start <= 16;
}

/* "$x", "$d.12" */
static bool is_mapping_symbol(const struct kallsym *s)
{
	return s->name_len >= 2 && s->name[0] == '$' && memchr("adtx", s->name[1], 4) &&
	       (s->name_len == 2 || s->name[2] == '.');
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* One line, up to EOL; a NUL in it ends it, too. */
static bool parse_line(const char *line, const char *eol, struct kallsym *sym)
{
	const char *nul = memchr(line, 0, (size_t)(eol - line)), *p = line, *end;

	*sym = (struct kallsym){ 0 };
	eol = nul ? nul : eol;
	if (!parse_address(&p, eol, &sym->addr) || eol - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	sym->type = p[1];
	sym->name = p += 3;
	for (end = p; end < eol && !is_blank(*end); end++)
		;
	sym->name_len = (uint32_t)(end - p);
	while (end < eol && is_blank(*end))
		end++;
	if (end < eol && *end == '[') {
		const char *close;

		sym->module = ++end;
		close = memchr(end, ']', (size_t)(eol - end));
		sym->module_len = (uint32_t)((close ? close : eol) - end);
	}
	return sym->name_len > 0;
}

static bool is_function(const struct kallsym *s)
{
	char type = s->type | 0x20;

	return (type == 't' || type == 'w') && !is_mapping_symbol(s);
}

/* Functions before data, global before weak before local, then as for ELF symbols. */
static int rank(const struct kallsym *s)
{
	if (!s->name)
		return 3;
	return s->type == 'T' ? 0 : s->type == 't' ? 2 : 1;
}

static uint32_t underscores(const struct kallsym *s)
{
	uint32_t n = 0;

	while (n < s->name_len && s->name[n] == '_')
		n++;
	return n;
}

static int by_address(const void *a, const void *b)
{
	const struct kallsym *x = a, *y = b;
	uint32_t lx, ly;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (!x->name)
		return 0;
	lx = underscores(x);
	ly = underscores(y);
	if (lx != ly)
		return lx < ly ? -1 : 1;
	if (x->name_len != y->name_len)
		return x->name_len > y->name_len ? -1 : 1;
	return memcmp(x->name, y->name, x->name_len);
}

/* One for each address. */
static void squeeze(struct kallsyms *ks)
{
	struct kallsym *v = ks->v;
	size_t out = 0;

	for (size_t i = 0; i < ks->n; i++) {
		if (out && v[out - 1].addr == v[i].addr)
			continue;
		ks->has_functions |= v[i].name != NULL;
		v[out++] = v[i];
	}
	ks->n = out;
}

static void note_ref(struct kallsyms *ks, const char *name, size_t len, uint64_t addr,
		     const char *ref_name)
{
	if (ks->has_ref || !ref_name || len != strlen(ref_name) || memcmp(name, ref_name, len))
		return;
	ks->has_ref = true;
	ks->ref = addr;
}

static void keep(struct kallsyms *ks, struct kallsym *sym, const char *ref_name)
{
	ks->lines++;
	if (!sym->module)
		note_ref(ks, sym->name, sym->name_len, sym->addr, ref_name);
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

/* ---- the image ---- */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * Eight digits as the kernel prints them, all at once, a byte of a word for each.  '0' to '9' are
 * 0x30 to 0x39, 'a' to 'f' are 0x61 to 0x66, and only letters have the bit 0x40.
 */
static bool eight_digits(const char *p, uint64_t *v)
{
	uint64_t text = get_u64((const uint8_t *)p, true);
	uint64_t letters = text >> 6 & EACH(1);
	uint64_t n = (text ^ EACH(0x30)) - letters * 0x47;
	uint64_t above_9 = (n + EACH(6)) >> 4 & EACH(1);
	bool valid = !(n & EACH(0xf0)) && above_9 == letters;

	n = (n | n >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	n = (n | n >> 8) & UINT64_C(0x0000ffff0000ffff);
	*v = (n | n >> 16) & UINT32_MAX;
	return valid;
}

/* What comes before the name, in the usual form. */
static bool parse_usual(const char *p, uint64_t *addr)
{
	uint64_t high, low;
	bool valid = eight_digits(p, &high);

	valid &= eight_digits(p + ADDRESS / 2, &low);
	*addr = high << 32 | low;
	return valid && p[ADDRESS] == ' ' && p[ADDRESS + 1] > ' ' && p[ADDRESS + 2] == ' ';
}

/* A line of the image, which ends at EOL. */
static struct kallsym usual_line(const char *line, const char *eol)
{
	struct kallsym sym = { .type = line[ADDRESS + 1],
			       .name = line + NAME,
			       .name_len = (uint32_t)(eol - line - NAME) };

	parse_usual(line, &sym.addr);
	if (!is_function(&sym))
		sym.name = NULL;
	return sym;
}

/* Nothing in the names that would end them: each line has two blanks and its end. */
static bool is_plain(const char *text, size_t len, size_t lines)
{
	size_t blanks = 0;

	for (size_t i = 0; i < len; i++)
		blanks += (uint8_t)text[i] <= ' ';
	return blanks == 3 * lines;
}

/* What is known of the lines so far. */
struct image {
	VEC(struct kallsyms_place) places;
	size_t lines, alike;
	uint64_t last;
	bool functions;
};

static void add_line(struct image *im, const struct kallsyms *ks, const char *line, const char *eol,
		     uint64_t addr)
{
	if (im->lines++ % PLACE_LINES == 0)
		vec_push(&im->places, (struct kallsyms_place){ addr, (uint32_t)(line - ks->text) });
	if (!im->functions)
		im->functions = usual_line(line, eol).name != NULL;
	im->alike = addr == im->last ? im->alike + 1 : 0;
	im->last = addr;
}

/*
 * Take the lines from the beginning on that are in order and of the usual form; modules, which
 * have a tab, come behind them.
 */
static void take_image(struct kallsyms *ks, size_t len, const char *ref_name)
{
	const char *tab = memchr(ks->text, '\t', len), *end = tab ? tab : ks->text + len;
	const char *p = ks->text, *eol;
	struct image im = { .places = { 0 } };

	while (end - p > NAME && (eol = memchr(p + NAME, '\n', (size_t)(end - p - NAME)))) {
		uint64_t addr;

		if (eol - p == NAME || !parse_usual(p, &addr) || addr < im.last ||
		    im.alike >= ALIKE_MAX)
			break;
		if (ref_name && p[NAME] == *ref_name)
			note_ref(ks, p + NAME, (size_t)(eol - p - NAME), addr, ref_name);
		add_line(&im, ks, p, eol, addr);
		p = eol + 1;
	}
	ks->image_end = (size_t)(p - ks->text);
	ks->places = im.places.v;
	ks->nr_places = im.places.n;
	ks->lines = im.lines;
	ks->has_functions = im.functions;
	if (im.last && is_plain(ks->text, ks->image_end, im.lines))
		return;
	free(ks->places);
	*ks = (struct kallsyms){ .text = ks->text };
}

/* The last place at or below ADDR, or below it only; the first one when there is none. */
static size_t find_place(const struct kallsyms *ks, uint64_t addr, bool below)
{
	size_t at = bisect(i, ks->nr_places,
			   below ? ks->places[i].addr < addr : ks->places[i].addr <= addr);

	return at ? at - 1 : 0;
}

/* The line at *P, which moves to the next one. */
static struct kallsym read_line(const struct kallsyms *ks, size_t *p)
{
	const char *line = ks->text + *p;
	const char *eol = memchr(line + NAME, '\n', ks->image_end - *p - NAME);

	*p = (size_t)(eol + 1 - ks->text);
	return usual_line(line, eol);
}

/* The last symbol at or below ADDR, read from a place on; of those at one address the best. */
static void read_from(const struct kallsyms *ks, size_t place, uint64_t addr, struct kallsym *best)
{
	size_t p = ks->places[place].line;
	struct kallsym sym;

	*best = read_line(ks, &p);
	while (p < ks->image_end && (sym = read_line(ks, &p)).addr <= addr)
		if (sym.addr > best->addr || by_address(&sym, best) < 0)
			*best = sym;
}

/* The same of the whole image. */
static bool find_in_image(const struct kallsyms *ks, uint64_t addr, struct kallsym *best)
{
	size_t place;

	if (!ks->nr_places || addr < ks->places[0].addr)
		return false;
	place = find_place(ks, addr, false);
	read_from(ks, place, addr, best);
	if (best->addr == ks->places[place].addr) /* there may be others of it before the place */
		read_from(ks, find_place(ks, best->addr, true), addr, best);
	return true;
}

/* ---- all ---- */

static void take_others(struct kallsyms *ks, size_t len, const char *ref_name)
{
	VEC(struct kallsym) v = { 0 };
	bool any = ks->nr_places != 0;
	const char *end = ks->text + len;

	for (const char *p = ks->text + ks->image_end; p < end;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		struct kallsym sym;

		eol = eol ? eol : end;
		if (parse_line(p, eol, &sym)) {
			any |= sym.addr != 0;
			keep(ks, &sym, ref_name);
			vec_push(&v, sym);
		}
		p = eol + 1;
	}
	ks->hidden = ks->lines && !any;
	ks->v = v.v;
	ks->n = any ? v.n : 0;
	sort(ks->v, ks->n);
	squeeze(ks);
}

void kallsyms_parse(struct kallsyms *ks, const char *text, size_t len, const char *ref_name)
{
	*ks = (struct kallsyms){ .text = text };
	if (len)
		take_image(ks, len, ref_name);
	take_others(ks, len, ref_name);
}

void kallsyms_release(struct kallsyms *ks)
{
	free(ks->places);
	free(ks->v);
	memset(ks, 0, sizeof(*ks));
}

static const struct kallsym *find_in_others(const struct kallsyms *ks, uint64_t addr)
{
	size_t at = bisect(i, ks->n, ks->v[i].addr <= addr);

	return at ? &ks->v[at - 1] : NULL;
}

bool kallsyms_find(const struct kallsyms *ks, uint64_t addr, struct kallsym *out)
{
	const struct kallsym *other = find_in_others(ks, addr);
	bool found = find_in_image(ks, addr, out);

	if (other && (!found || other->addr > out->addr ||
		      (other->addr == out->addr && by_address(other, out) < 0)))
		*out = *other;
	return (found || other) && out->name && addr - out->addr < MAX_REACH;
}

bool kallsyms_of_module(const struct kallsym *s, const char *module)
{
	const char *a = s->module;

	for (uint32_t i = 0; a && i < s->module_len; i++)
		if (a[i] != module[i] &&
		    !((a[i] == '-' || a[i] == '_') && (module[i] == '-' || module[i] == '_')))
			return false;
	return a && !module[s->module_len];
}

bool kallsyms_module_start(const struct kallsyms *ks, const char *module, uint64_t *addr)
{
	for (size_t i = 0; i < ks->n; i++) {
		if (kallsyms_of_module(&ks->v[i], module)) {
			*addr = ks->v[i].addr;
			return true;
		}
	}
	return false;
}

/* SPDX-License-Identifier: MIT */
/*
 * From symbol tables to one array that a binary search goes over.
 *
 * Several names may stand for one address, and the same name in several tables: the best
 * is kept (see better()).  Ranges may also lie inside each other, as hand-written assembly and
 * folded code have them: each symbol knows the one around it, so that an address past the end of
 * the inner one still finds the outer.
 *
 *	A [0 ...................... 100)          outer: none
 *	     B [20 ... 50)                        outer: A
 *	              C [60 .. 70)                outer: A
 *
 * A symbol without a size reaches up to the next one, or to the end of its section.
 */
#include "objfile/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/keyed.h"

#define MAX_UNSIZED 65536 /* how far a symbol without a size may reach */
#define MAX_NESTING 64

/* What is needed of each section; index 0 is no section. */
struct sections {
	VEC(GElf_Shdr) v;
	size_t text; /* the one named .text */
};

static void read_sections(const struct image *img, struct sections *s)
{
	Elf_Scn *scn = NULL;
	size_t strings;
	bool named = elf_getshdrstrndx(img->elf, &strings) == 0;

	vec_push(&s->v, (GElf_Shdr){ 0 });
	while ((scn = elf_nextscn(img->elf, scn))) {
		GElf_Shdr sh = { 0 };
		const char *name;

		gelf_getshdr(scn, &sh);
		name = named ? elf_strptr(img->elf, strings, sh.sh_name) : NULL;
		if (name && !strcmp(name, ".text"))
			s->text = s->v.n;
		vec_push(&s->v, sh);
	}
}

/* Marks for the disassembler, not functions: "$a", "$d.12", "$x" of ARM and RISC-V. */
static bool is_mapping_symbol(uint16_t machine, const char *name)
{
	if (name[0] != '$' || (machine != EM_ARM && machine != EM_AARCH64 && machine != EM_RISCV))
		return false;
	if (machine == EM_RISCV && name[1] == 'x')
		return true; /* may be followed by the name of an instruction set */
	return name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_function(const struct image *img, const GElf_Sym *sym, const GElf_Shdr *sh,
			const char *name)
{
	uint8_t type = GELF_ST_TYPE(sym->st_info);

	if (!name || !*name || (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
		return false;
	if (!(sh->sh_flags & SHF_EXECINSTR))
		return false;
	if (type == STT_NOTYPE && (name[0] == '.' || is_mapping_symbol(img->ehdr.e_machine, name)))
		return false;
	return true;
}

/* Without "@VERSION" or "@@VERSION", which some symbol tables have in the name. */
static const char *plain_name(struct symtab *st, const char *name)
{
	const char *at = strchr(name, '@');

	return at && at != name ? arena_strndup(&st->names, name, (size_t)(at - name)) : name;
}

static void add_symbol(struct symtab *st, const struct image *img, const struct sections *sections,
		       const GElf_Sym *sym, const char *name, uint64_t bias)
{
	const GElf_Shdr *sh;
	struct symtab_entry e;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= sections->v.n)
		return;
	sh = &sections->v.v[sym->st_shndx];
	if (!is_function(img, sym, sh, name))
		return;
	/* In a relocatable file addresses are offsets in a section: those in .text have meaning. */
	if (img->ehdr.e_type == ET_REL && sym->st_shndx != sections->text)
		return;
	e.sym = (struct objfile_symbol){ sym->st_value + bias, sym->st_size, plain_name(st, name),
					 GELF_ST_BIND(sym->st_info), GELF_ST_TYPE(sym->st_info) };
	if (img->ehdr.e_machine == EM_ARM && e.sym.type == STT_FUNC)
		e.sym.addr &= ~UINT64_C(1); /* says that it is Thumb code */
	e.limit = sh->sh_addr + sh->sh_size + bias;
	if (e.sym.size > UINT64_MAX - e.sym.addr)
		e.sym.size = 0;
	vec_push(&st->entries, e);
}

void symtab_add(struct symtab *st, const struct image *img, uint32_t type, uint64_t bias)
{
	struct sections sections = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	read_sections(img, &sections);
	while ((scn = elf_nextscn(img->elf, scn))) {
		Elf_Data *d;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type || !sh.sh_entsize ||
		    !(d = elf_getdata(scn, NULL)))
			continue;
		for (int i = 0; gelf_getsym(d, i, &sym); i++)
			add_symbol(st, img, &sections, &sym,
				   elf_strptr(img->elf, sh.sh_link, sym.st_name), bias);
	}
	vec_release(&sections.v);
}

bool symtab_address_of(const struct image *img, const char *name, uint64_t *vaddr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(img->elf, scn))) {
		Elf_Data *d;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB || !sh.sh_entsize ||
		    !(d = elf_getdata(scn, NULL)))
			continue;
		for (int i = 0; gelf_getsym(d, i, &sym); i++) {
			const char *s = elf_strptr(img->elf, sh.sh_link, sym.st_name);

			if (sym.st_shndx == SHN_UNDEF || !s || strcmp(s, name) != 0)
				continue;
			*vaddr = sym.st_value;
			return true;
		}
	}
	return false;
}

static int rank_bind(uint8_t bind)
{
	return bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 2 : bind == STB_WEAK ? 1 : 0;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Negative when A is the better name for an address that both have; never 0 for unequal names. */
static int better(const struct objfile_symbol *a, const struct objfile_symbol *b)
{
	size_t la, lb;

	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if ((a->type == STT_NOTYPE) != (b->type == STT_NOTYPE))
		return a->type == STT_NOTYPE ? 1 : -1;
	if (rank_bind(a->bind) != rank_bind(b->bind))
		return rank_bind(b->bind) - rank_bind(a->bind);
	la = underscores(a->name);
	lb = underscores(b->name);
	if (la != lb)
		return la < lb ? -1 : 1;
	la = strlen(a->name);
	lb = strlen(b->name);
	if (la != lb)
		return la > lb ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int better_first(const void *a, const void *b)
{
	const struct symtab_entry *x = a, *y = b;

	return better(&x->sym, &y->sym);
}

/* By address, the best of each address first. */
static void sort(struct symtab *st)
{
	size_t n = st->entries.n, end;
	struct symtab_entry *sorted = xreallocarray(NULL, n + 1, sizeof(*sorted));
	struct keyed *keys = xreallocarray(NULL, n + 1, sizeof(*keys));

	for (size_t i = 0; i < n; i++)
		keys[i] = (struct keyed){ st->entries.v[i].sym.addr, (uint32_t)i };
	keyed_sort(keys, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = st->entries.v[keys[i].at];
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && keys[end].key == keys[i].key;)
			end++;
		if (end - i > 1)
			qsort(sorted + i, end - i, sizeof(*sorted), better_first);
	}
	free(keys);
	free(st->entries.v);
	st->entries.v = sorted;
	st->entries.cap = n + 1;
}

/*
 * One entry for each address, the first of its equals.  A label without size or type inside a
 * function is no function of its own.
 */
static void drop_aliases(struct symtab *st)
{
	struct symtab_entry *v = st->entries.v;
	uint64_t covered = 0; /* the furthest end of a function with a size so far */
	size_t n = 0;

	for (size_t i = 0; i < st->entries.n; i++) {
		const struct objfile_symbol *s = &v[i].sym;

		if (n && v[n - 1].sym.addr == s->addr)
			continue;
		if (!s->size && s->type == STT_NOTYPE && s->addr < covered)
			continue;
		if (s->size && s->addr + s->size > covered)
			covered = s->addr + s->size;
		v[n++] = v[i];
	}
	st->entries.n = n;
}

static void fill_sizes(struct symtab *st)
{
	for (size_t i = 0; i < st->entries.n; i++) {
		struct symtab_entry *e = &st->entries.v[i];
		uint64_t room = MAX_UNSIZED;

		if (e->sym.size)
			continue;
		if (i + 1 < st->entries.n && st->entries.v[i + 1].sym.addr - e->sym.addr < room)
			room = st->entries.v[i + 1].sym.addr - e->sym.addr;
		if (e->limit > e->sym.addr && e->limit - e->sym.addr < room)
			room = e->limit - e->sym.addr;
		e->sym.size = room < UINT64_MAX - e->sym.addr ? room : UINT64_MAX - e->sym.addr;
	}
}

/* For each: the nearest one before it that ends after it does. */
static uint32_t *find_outer(const struct objfile_symbol *v, size_t n)
{
	uint32_t *outer = xreallocarray(NULL, n, sizeof(*outer));

	for (size_t i = 0; i < n; i++) {
		uint32_t o = i ? (uint32_t)(i - 1) : UINT32_MAX;

		while (o != UINT32_MAX && v[o].addr + v[o].size <= v[i].addr + v[i].size)
			o = outer[o];
		outer[i] = o;
	}
	return outer;
}

size_t symtab_finish(struct symtab *st, struct objfile_symbol **symbols, uint32_t **outer)
{
	size_t n;

	*symbols = NULL;
	*outer = NULL;
	sort(st);
	drop_aliases(st);
	fill_sizes(st);
	n = st->entries.n;
	if (n && n < UINT32_MAX) {
		*symbols = xreallocarray(NULL, n, sizeof(**symbols));
		for (size_t i = 0; i < n; i++)
			(*symbols)[i] = st->entries.v[i].sym;
		*outer = find_outer(*symbols, n);
	} else {
		n = 0;
	}
	vec_release(&st->entries);
	return n;
}

const struct objfile_symbol *symtab_find(const struct objfile_symbol *symbols,
					 const uint32_t *outer, size_t n, uint64_t vaddr)
{
	size_t lo = bisect(i, n, symbols[i].addr <= vaddr);
	uint32_t at;

	at = lo ? (uint32_t)(lo - 1) : UINT32_MAX;
	for (unsigned depth = 0; at != UINT32_MAX && depth < MAX_NESTING; depth++) {
		if (vaddr - symbols[at].addr < symbols[at].size)
			return &symbols[at];
		at = outer[at];
	}
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Names for the stubs that calls into other objects go through.
 *
 * A stub jumps through a slot of the global offset table; the relocation of that slot names the
 * function.  The slot is read off the stub's instructions, so every layout works (.plt with its
 * first entry, .plt.sec of indirect branch tracking, .plt.got, and the linkers' own ideas):
 *
 *	x86-64   [endbr64] [bnd] jmp *disp(%rip)           ff 25 disp32
 *	aarch64  [bti c] adrp x16, page; ldr x17, [x16, #offset]; add …; br x17
 */
#include <string.h>

#include "base/cursor.h"
#include "base/strbuf.h"
#include "objfile/symtab.h"

struct slot {
	uint64_t addr;
	const char *name;
};

struct slots {
	VEC(struct slot) v;
};

static int by_addr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The name of an indirect function by the address of its resolver.  They are few: a file that has
 * more is given up on. */
static const char *resolver_name(const struct symtab *st, uint64_t addr, unsigned *budget)
{
	if (!*budget)
		return NULL;
	--*budget;
	for (size_t i = 0; i < st->entries.n; i++)
		if (st->entries.v[i].sym.addr == addr && st->entries.v[i].sym.type == STT_GNU_IFUNC)
			return st->entries.v[i].sym.name;
	return NULL;
}

static bool is_indirect(const struct image *img, uint64_t type)
{
	return img->ehdr.e_machine == EM_X86_64 ? type == R_X86_64_IRELATIVE
						: type == R_AARCH64_IRELATIVE;
}

static const char *symbol_name(const struct image *img, Elf_Data *symbols, uint32_t strings,
			       uint64_t index)
{
	GElf_Sym sym;

	if (!symbols || !index || index > INT32_MAX || !gelf_getsym(symbols, (int)index, &sym))
		return NULL;
	return elf_strptr(img->elf, strings, sym.st_name);
}

static void read_relocations(const struct symtab *st, const struct image *img, Elf_Scn *scn,
			     const GElf_Shdr *sh, struct slots *slots)
{
	Elf_Scn *symscn = elf_getscn(img->elf, sh->sh_link);
	Elf_Data *d = elf_getdata(scn, NULL), *symbols = NULL;
	GElf_Shdr symsh = { 0 };
	unsigned budget = 1000;
	GElf_Rela r;

	if (symscn && gelf_getshdr(symscn, &symsh) && symsh.sh_type == SHT_DYNSYM)
		symbols = elf_getdata(symscn, NULL);
	for (int i = 0; d && gelf_getrela(d, i, &r); i++) {
		const char *name =
			is_indirect(img, GELF_R_TYPE(r.r_info))
				? resolver_name(st, (uint64_t)r.r_addend, &budget)
				: symbol_name(img, symbols, symsh.sh_link, GELF_R_SYM(r.r_info));

		if (name && *name)
			vec_push(&slots->v, (struct slot){ r.r_offset, name });
	}
}

/* Names by slot: from .rela.plt first, so that it wins over .rela.dyn. */
static void read_slots(const struct symtab *st, const struct image *img, struct slots *slots)
{
	static const char *const names[] = { ".rela.plt", ".rela.iplt", ".rela.dyn" };
	GElf_Shdr sh;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		Elf_Scn *scn = image_section(img, names[i], &sh);

		if (scn && sh.sh_type == SHT_RELA)
			read_relocations(st, img, scn, &sh, slots);
	}
	if (slots->v.n)
		qsort(slots->v.v, slots->v.n, sizeof(*slots->v.v), by_addr);
}

static void add_stub(struct symtab *st, const struct slots *slots, uint64_t slot, uint64_t addr,
		     uint64_t size, uint64_t limit)
{
	struct slot key = { .addr = slot }, *found = NULL;
	struct strbuf name = STRBUF_INIT;
	struct symtab_entry e = { .limit = limit };

	if (slots->v.n)
		found = bsearch(&key, slots->v.v, slots->v.n, sizeof(key), by_addr);
	if (!found)
		return;
	strbuf_add(&name, found->name, strcspn(found->name, "@"));
	strbuf_adds(&name, "@plt");
	e.sym = (struct objfile_symbol){ addr, size, arena_strndup(&st->names, name.s, name.n),
					 STB_LOCAL, STT_FUNC };
	vec_push(&st->entries, e);
	strbuf_release(&name);
}

static void stubs_x86_64(struct symtab *st, const struct slots *slots, const uint8_t *p,
			 uint64_t size, const GElf_Shdr *sh)
{
	uint64_t step = sh->sh_entsize == 8 ? 8 : 16;

	for (uint64_t at = 0; at < size; at += step) {
		uint64_t end = size - at < step ? size : at + step;

		for (uint64_t i = at; i + 6 <= end; i++) {
			if (p[i] != 0xff || p[i + 1] != 0x25)
				continue;
			add_stub(st, slots,
				 sh->sh_addr + i + 6 + (uint64_t)(int32_t)get_u32(p + i + 2, false),
				 sh->sh_addr + at, end - at, sh->sh_addr + size);
			break;
		}
	}
}

static void stubs_aarch64(struct symtab *st, const struct slots *slots, const uint8_t *p,
			  uint64_t size, const GElf_Shdr *sh)
{
	for (uint64_t at = 0; size >= 16 && at <= size - 16; at += 4) {
		uint32_t adrp = get_u32(p + at, false), ldr = get_u32(p + at + 4, false);
		uint64_t begin = at, page, imm;

		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		imm = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
		if (imm >> 20)
			imm |= ~UINT64_C(0) << 21;
		page = ((sh->sh_addr + at) & ~UINT64_C(0xfff)) + (imm << 12);
		if (at >= 4 && get_u32(p + at - 4, false) == 0xd503245f)
			begin -= 4; /* bti c */
		add_stub(st, slots, page + (ldr >> 10 & 0xfff) * 8, sh->sh_addr + begin,
			 at + 16 - begin, sh->sh_addr + size);
	}
}

void symtab_add_plt(struct symtab *st, struct image *img)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };
	struct slots slots = { 0 };
	bool x86 = img->ehdr.e_machine == EM_X86_64;
	const uint8_t *p;
	uint64_t size;
	GElf_Shdr sh;

	if (!x86 && img->ehdr.e_machine != EM_AARCH64)
		return;
	read_slots(st, img, &slots);
	for (size_t i = 0; slots.v.n && i < sizeof(names) / sizeof(names[0]); i++) {
		Elf_Scn *scn = image_section(img, names[i], &sh);

		if (!scn || !image_section_data(img, scn, &p, &size))
			continue;
		if (x86)
			stubs_x86_64(st, &slots, p, size, &sh);
		else
			stubs_aarch64(st, &slots, p, size, &sh);
	}
	vec_release(&slots.v);
}

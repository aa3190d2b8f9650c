/* SPDX-License-Identifier: MIT */
/* Written byte by byte, little-endian: System V ABI, chapters 4 and 5. */
#include "any_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { SECTIONS = 8 };

struct writer {
	struct strbuf sb;
	bool wide; /* ELF64 */
};

struct section {
	uint32_t name, type, link, info;
	uint64_t flags, addr, offset, size, entry;
};

static void put(struct writer *w, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_addc(&w->sb, (char)(v >> 8 * i));
}

/* A field that is as wide as an address. */
static void put_word(struct writer *w, uint64_t v)
{
	put(w, v, w->wide ? 8 : 4);
}

static void pad_to(struct writer *w, size_t offset)
{
	while (w->sb.n < offset)
		put(w, 0, 1);
}

static void put_header(struct writer *w, const struct any_elf *e, uint64_t sections)
{
	unsigned ehdr = w->wide ? 64 : 52;

	put(w, 0x464c457f, 4);
	put(w, w->wide ? ELFCLASS64 : ELFCLASS32, 1);
	put(w, ELFDATA2LSB, 1);
	put(w, EV_CURRENT, 1);
	pad_to(w, EI_NIDENT);
	put(w, ET_DYN, 2);
	put(w, e->machine, 2);
	put(w, EV_CURRENT, 4);
	put_word(w, 0);
	put_word(w, ehdr);
	put_word(w, sections);
	put(w, 0, 4);
	put(w, ehdr, 2);
	put(w, w->wide ? 56 : 32, 2);
	put(w, 1, 2);
	put(w, w->wide ? 64 : 40, 2);
	put(w, SECTIONS, 2);
	put(w, 5, 2);
}

static void put_segment(struct writer *w, uint64_t size)
{
	put(w, PT_LOAD, 4);
	if (w->wide)
		put(w, PF_R | PF_X, 4);
	put_word(w, 0);
	put_word(w, ANY_ELF_BASE);
	put_word(w, ANY_ELF_BASE);
	put_word(w, size);
	put_word(w, size);
	if (!w->wide)
		put(w, PF_R | PF_X, 4);
	put_word(w, 0x1000);
}

static void put_symbol(struct writer *w, uint32_t name, uint64_t addr, uint64_t size)
{
	const uint8_t info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);

	put(w, name, 4);
	if (w->wide) {
		put(w, info, 1);
		put(w, 0, 1);
		put(w, 1, 2);
		put(w, addr, 8);
		put(w, size, 8);
	} else {
		put(w, addr, 4);
		put(w, size, 4);
		put(w, info, 1);
		put(w, 0, 1);
		put(w, 1, 2);
	}
}

static void put_section(struct writer *w, const struct section *s)
{
	put(w, s->name, 4);
	put(w, s->type, 4);
	put_word(w, s->flags);
	put_word(w, s->addr);
	put_word(w, s->offset);
	put_word(w, s->size);
	put(w, s->link, 4);
	put(w, s->info, 4);
	put_word(w, 8);
	put_word(w, s->entry);
}

static size_t align8(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

uint64_t any_elf_cfi_addr(const struct any_elf *e)
{
	return ANY_ELF_BASE + align8(ANY_ELF_CODE + e->code_size);
}

static const char names[] = "\0.text\0.eh_frame\0.debug_frame\0.symtab\0.strtab\0first\0second\0"
			    ".debug_info\0_start\0.gopclntab\0runtime.systemstack.abi0";
enum { NAME_TEXT = 1, NAME_EH = 7, NAME_DEBUG = 17, NAME_SYMTAB = 30, NAME_STRTAB = 38 };
enum { NAME_FIRST = 46, NAME_SECOND = 52, NAME_INFO = 59, NAME_START = 71 };
enum { NAME_GO = 78, NAME_SWITCH = 89 };

static void put_contents(struct writer *w, const struct any_elf *e, size_t cfi, size_t symtab)
{
	const uint64_t code = ANY_ELF_BASE + ANY_ELF_CODE;
	size_t second = e->second ? e->second : e->code_size / 2;
	uint32_t name = e->second_starts ? NAME_START : NAME_SECOND;

	pad_to(w, ANY_ELF_CODE);
	if (e->code_size)
		strbuf_add(&w->sb, (const char *)e->code, e->code_size);
	pad_to(w, cfi);
	if (e->cfi_size)
		strbuf_add(&w->sb, (const char *)e->cfi, e->cfi_size);
	pad_to(w, symtab);
	pad_to(w, symtab + (w->wide ? 24 : 16)); /* the first is none */
	put_symbol(w, NAME_FIRST, code, second);
	put_symbol(w, e->go ? NAME_SWITCH : name, code + second, e->code_size - second);
	strbuf_add(&w->sb, names, sizeof(names));
}

static void put_file(struct writer *w, const struct any_elf *e)
{
	const unsigned symbol = w->wide ? 24 : 16;
	const size_t cfi = align8(ANY_ELF_CODE + e->code_size), symtab = align8(cfi + e->cfi_size);
	const size_t strtab = symtab + 3 * symbol, end = align8(strtab + sizeof(names));
	const struct section sections[SECTIONS] = {
		{ 0 },
		{ .name = NAME_TEXT,
		  .type = SHT_PROGBITS,
		  .flags = SHF_ALLOC | SHF_EXECINSTR,
		  .addr = ANY_ELF_BASE + ANY_ELF_CODE,
		  .offset = ANY_ELF_CODE,
		  .size = e->code_size },
		{ .name = e->debug_frame ? NAME_DEBUG : NAME_EH,
		  .type = SHT_PROGBITS,
		  .flags = e->debug_frame ? 0 : SHF_ALLOC,
		  .addr = e->debug_frame ? 0 : any_elf_cfi_addr(e),
		  .offset = cfi,
		  .size = e->cfi_size },
		{ .name = NAME_SYMTAB,
		  .type = SHT_SYMTAB,
		  .link = 4,
		  .info = 1,
		  .offset = symtab,
		  .size = 3 * symbol,
		  .entry = symbol },
		{ .name = NAME_STRTAB,
		  .type = SHT_STRTAB,
		  .offset = strtab,
		  .size = sizeof(names) },
		{ .name = NAME_STRTAB,
		  .type = SHT_STRTAB,
		  .offset = strtab,
		  .size = sizeof(names) },
		/* a file without it has no DWARF, and is not looked at for .debug_frame */
		{ .name = NAME_INFO,
		  .type = e->debug_frame ? SHT_PROGBITS : SHT_NOBITS,
		  .offset = strtab,
		  .size = 1 },
		{ .name = e->go ? NAME_GO : NAME_TEXT,
		  .type = e->go ? SHT_PROGBITS : SHT_NULL,
		  .offset = strtab,
		  .size = 1 },
	};

	put_header(w, e, end);
	put_segment(w, symtab);
	put_contents(w, e, cfi, symtab);
	pad_to(w, end);
	for (size_t i = 0; i < SECTIONS; i++)
		put_section(w, &sections[i]);
}

bool any_elf_write(const struct any_elf *e, char path[ANY_ELF_PATH])
{
	struct writer w = { .sb = STRBUF_INIT, .wide = e->machine != EM_386 };
	bool written;
	int fd;

	strcpy(path, "/tmp/any_elf.XXXXXX");
	fd = mkstemp(path);
	put_file(&w, e);
	written = fd >= 0 && write(fd, w.sb.s, w.sb.n) == (ssize_t)w.sb.n;
	if (fd >= 0)
		close(fd);
	strbuf_release(&w.sb);
	return written;
}

/* SPDX-License-Identifier: MIT */
/*
 * A module is opened on the first pc that falls in it.  Order of sources: .eh_frame of the file
 * that runs, then .debug_frame of the file that has the DWARF, then the function's code.  Nobody
 * calls _start, where the kernel lets a program or its dynamic linker begin; the linker's has no
 * call frame information that would say so.
 */
#include "stack/modules.h"

#include <gelf.h>
#include <libelf.h>
#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/vec.h"
#include "objfile/elf_handle.h"
#include "stack/cfi.h"

struct module {
	bool opened;
	struct objfile *obj; /* NULL: not to be had */
	struct cfi eh; /* .eh_frame */
	struct cfi debug; /* .debug_frame, read when .eh_frame does not know a pc */
	bool debug_tried;
	bool is_go; /* made by Go's own linker */
	uint64_t debug_bias;
};

struct unwind_modules {
	pthread_mutex_t lock;
	const struct objfile_search *where;
	uint16_t e_machine;
	VEC(struct module) modules; /* by dso id */
	struct arena exprs;
};

struct unwind_modules *unwind_modules_new(const struct objfile_search *where, uint16_t e_machine)
{
	struct unwind_modules *um = xcalloc(1, sizeof(*um));

	pthread_mutex_init(&um->lock, NULL);
	um->where = where;
	um->e_machine = e_machine;
	elf_version(EV_CURRENT);
	return um;
}

void unwind_modules_free(struct unwind_modules *um)
{
	if (!um)
		return;
	for (size_t i = 0; i < um->modules.n; i++) {
		struct module *m = &um->modules.v[i];

		cfi_release(&m->eh);
		cfi_release(&m->debug);
		objfile_free(m->obj);
	}
	vec_release(&um->modules);
	arena_release(&um->exprs);
	pthread_mutex_destroy(&um->lock);
	free(um);
}

uint16_t modules_machine(const struct unwind_modules *um)
{
	return um->e_machine;
}

/* SIZE bytes of the file at FILE_OFFSET; NULL when it has fewer. */
static const uint8_t *file_bytes(const struct module *m, uint64_t file_offset, uint64_t size)
{
	size_t whole;
	const char *raw = elf_rawfile(objfile_elf(m->obj), &whole);

	if (!raw || file_offset > whole || whole - file_offset < size)
		return NULL;
	return (const uint8_t *)raw + file_offset;
}

static const struct objfile_segment *segment_of(const struct objfile *o, uint64_t vaddr)
{
	for (size_t i = 0; i < o->nr_segments; i++)
		if (vaddr >= o->segments[i].vaddr &&
		    vaddr - o->segments[i].vaddr < o->segments[i].filesz)
			return &o->segments[i];
	return NULL;
}

/*
 * A file without section headers: the segment PT_GNU_EH_FRAME begins with a header whose second
 * field, of the encoding in byte 1, is the address of .eh_frame.
 */
static void eh_frame_of_segment(struct module *m)
{
	const struct objfile_segment *seg;
	Elf *elf = objfile_elf(m->obj);
	struct cfi hdr = { .word = m->eh.word, .be = m->eh.be };
	uint64_t addr;
	struct cursor c;
	GElf_Phdr ph;
	size_t n = 0;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME)
			continue;
		hdr.data = file_bytes(m, ph.p_offset, ph.p_filesz);
		hdr.addr = ph.p_vaddr;
		if (!hdr.data)
			return;
		c = cursor_init(hdr.data, ph.p_filesz, hdr.be);
		if (!cursor_bytes(&c, 4) || !cfi_address(&hdr, &c, hdr.data[1], &addr))
			return;
		seg = segment_of(m->obj, addr);
		if (!seg)
			return;
		m->eh.addr = addr;
		m->eh.size = seg->filesz - (addr - seg->vaddr);
		m->eh.data = file_bytes(m, seg->offset + (addr - seg->vaddr), m->eh.size);
		m->eh.ends_at_zero = true;
		return;
	}
}

static void open_module(struct unwind_modules *um, const struct dso *dso, struct module *m)
{
	enum unknown_reason reason;
	const uint8_t *data;
	uint64_t size, addr;

	m->opened = true;
	if (objfile_open(dso, um->where, &m->obj, &reason, NULL) < 0) {
		m->obj = NULL;
		return;
	}
	m->eh.word = m->obj->elf_class == ELFCLASS32 ? 4 : 8;
	m->eh.be = m->obj->be;
	m->debug = m->eh;
	if (!objfile_section(m->obj, ".eh_frame", &m->eh.data, &m->eh.size, &m->eh.addr))
		eh_frame_of_segment(m);
	if (m->eh.data)
		cfi_index(&m->eh);
	m->is_go = objfile_section(m->obj, ".gopclntab", &data, &size, &addr);
}

static struct module *module_of(struct unwind_modules *um, const struct dso *dso)
{
	struct module *m;

	if (dso->kind != DSO_FILE && dso->kind != DSO_VDSO)
		return NULL;
	if (dso->id >= um->modules.n)
		vec_resize(&um->modules, dso->id + 1);
	m = &um->modules.v[dso->id];
	if (!m->opened)
		open_module(um, dso, m);
	return m->obj ? m : NULL;
}

/* .debug_frame, read late: most files have everything in .eh_frame. */
static const struct cfi *debug_frame(struct module *m)
{
	if (!m->debug_tried) {
		m->debug_tried = true;
		m->debug.debug_frame = true;
		m->debug_bias = objfile_dwarf_bias(m->obj);
		if (objfile_section(m->obj, ".debug_frame", &m->debug.data, &m->debug.size,
				    &m->debug.addr))
			cfi_index(&m->debug);
	}
	return &m->debug;
}

/*
 * The rule of a pc by either source, and where the function begins.  EXACT: only if that is the pc.
 */
static bool rule_at(struct unwind_modules *um, const struct arch *arch, struct module *m,
		    uint64_t vaddr, bool exact, struct unwind_rule *r, uint64_t *start)
{
	const struct cfi *cfi = &m->eh;
	const struct cfi_fde *fde = cfi_find(cfi, vaddr);
	uint64_t bias = 0;

	if (!fde) {
		cfi = debug_frame(m);
		bias = m->debug_bias;
		fde = cfi_find(cfi, vaddr + bias);
	}
	if (!fde || (exact && fde->start != vaddr + bias))
		return false;
	cfi_rule(cfi, fde, arch, vaddr + bias, &um->exprs, r);
	*start = fde->start - bias;
	return true;
}

/*
 * A function without CFI: its rule is read from its code when that keeps a frame pointer in the
 * usual way.  SYM covers VADDR, which is at FILE_OFFSET.
 */
static void rule_from_code(const struct module *m, const struct arch *arch,
			   const struct objfile_symbol *sym, uint64_t vaddr, uint64_t file_offset,
			   struct unwind_rule *r)
{
	uint64_t into = vaddr - sym->addr;
	const uint8_t *code;

	if (!sym->size || into >= sym->size || into > file_offset)
		return;
	code = file_bytes(m, file_offset - into, sym->size);
	if (code)
		prologue_rule(arch, code, sym->size, into, r);
}

/*
 * No call returns into a signal trampoline: the kernel makes its beginning a return address.  Its
 * call frame information begins a byte before, for those who look there, but its name does not.
 */
static bool trampoline_begins(const struct module *m, uint64_t vaddr)
{
	const struct objfile_symbol *sym = objfile_symbol(m->obj, vaddr);

	return sym && sym->addr == vaddr;
}

/*
 * Go's runtime goes to a thread's own stack and back by these.  What calls them is on a stack that
 * was not recorded; their call frame information tells of what lies there from earlier.
 */
static bool goes_to_other_stack(const struct module *m, uint64_t vaddr)
{
	static const char *const names[] = { "systemstack", "mcall", "morestack", "asmcgocall" };
	static const char package[] = "runtime.";
	const struct objfile_symbol *sym = m->is_go ? objfile_symbol(m->obj, vaddr) : NULL;
	const char *name;

	if (!sym || strncmp(sym->name, package, strlen(package)) != 0)
		return false;
	name = sym->name + strlen(package);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(name, names[i], len) && (!name[len] || name[len] == '.'))
			return true;
	}
	return false;
}

static void find_facts(struct unwind_modules *um, const struct arch *arch, struct module *m,
		       const struct dso *dso, uint64_t vaddr, uint64_t file_offset,
		       struct pc_facts *out)
{
	const struct objfile_symbol *sym;
	uint64_t start;
	bool found = rule_at(um, arch, m, vaddr, false, &out->rule, &start);

	if (!found)
		out->begins = rule_at(um, arch, m, vaddr + 1, true, &out->rule, &start);
	else if (out->rule.signal)
		out->begins = trampoline_begins(m, vaddr + 1);
	if (found && goes_to_other_stack(m, vaddr))
		out->rule.kind = RULE_SWITCH;
	if (found || out->begins) { /* also where no symbol is: most C libraries are stripped */
		out->func = hash_mix(dso->id + 1, start);
		return;
	}
	sym = objfile_symbol(m->obj, vaddr);
	if (!sym)
		return;
	out->func = hash_mix(dso->id + 1, sym->addr);
	if (!strcmp(sym->name, "_start"))
		out->rule.kind = RULE_END;
	else
		rule_from_code(m, arch, sym, vaddr, file_offset, &out->rule);
}

void modules_facts(struct unwind_modules *um, const struct arch *arch, const struct dso *dso,
		   uint64_t file_offset, struct pc_facts *out)
{
	struct module *m;
	uint64_t vaddr;

	*out = (struct pc_facts){ .rule.kind = RULE_NONE };
	pthread_mutex_lock(&um->lock);
	m = module_of(um, dso);
	if (m && objfile_vaddr(m->obj, file_offset, &vaddr))
		find_facts(um, arch, m, dso, vaddr, file_offset, out);
	pthread_mutex_unlock(&um->lock);
}

const uint8_t *modules_read_only(struct unwind_modules *um, const struct dso *dso,
				 uint64_t file_offset, unsigned size)
{
	const uint8_t *found = NULL;
	struct module *m;

	pthread_mutex_lock(&um->lock);
	m = module_of(um, dso);
	for (size_t i = 0; m && i < m->obj->nr_segments; i++) {
		const struct objfile_segment *seg = &m->obj->segments[i];

		if (seg->flags & PF_W || file_offset < seg->offset ||
		    file_offset - seg->offset >= seg->filesz ||
		    seg->filesz - (file_offset - seg->offset) < size)
			continue;
		found = file_bytes(m, file_offset, size);
		break;
	}
	pthread_mutex_unlock(&um->lock);
	return found;
}

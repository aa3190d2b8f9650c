/* SPDX-License-Identifier: MIT */
/*
 * From one address to its lines.
 *
 * The symbol table names the function that the code belongs to, DWARF the functions inlined into
 * it and the places in the source.  The outermost name is the symbol table's, as compilers give
 * clones (".cold", ".constprop.0") and versions names there that DWARF does not have.
 */
#include <elf.h>
#include <string.h>

#include "symbol/target.h"

static uint32_t add_file(struct target_reader *r, const char *file, bool wanted)
{
	return file && wanted ? intern_adds(&r->lines.strings, file) : 0;
}

/* The name of a frame from DWARF, 0 when it has none. */
static uint32_t frame_name(struct target_reader *r, const struct dwarf_frame *f)
{
	struct strbuf sb = STRBUF_INIT;
	uint32_t id;

	if (f->linkage_name && *f->linkage_name)
		return linebuf_symbol(&r->lines, f->linkage_name, strlen(f->linkage_name));
	if (!f->name || !*f->name)
		return 0;
	if (!f->scope || !*f->scope)
		return intern_adds(&r->lines.strings, f->name);
	strbuf_addf(&sb, "%s::%s", f->scope, f->name);
	id = intern_add(&r->lines.strings, sb.s, sb.n);
	strbuf_release(&sb);
	return id;
}

static enum unknown_reason unknown(struct target *t, struct target_reader *r,
				   enum unknown_reason reason)
{
	struct strbuf sb = STRBUF_INIT;

	target_unknown_name(t->dso, &sb);
	linebuf_add(&r->lines, intern_add(&r->lines.strings, sb.s, sb.n), 0, 0,
		    target_flags(t->dso) | LINE_UNKNOWN);
	strbuf_release(&sb);
	return reason;
}

/* One frame that has a name, or stands for one: then its line may still be known. */
static void add_frame(struct target *t, struct target_reader *r, uint32_t name,
		      const struct dwarf_frame *f, bool lines, bool inlined)
{
	uint16_t flags = target_flags(t->dso) | (inlined ? LINE_INLINED : 0);
	uint32_t file = f ? add_file(r, f->file, lines) : 0;

	if (!name) {
		struct strbuf sb = STRBUF_INIT;

		target_unknown_name(t->dso, &sb);
		name = intern_add(&r->lines.strings, sb.s, sb.n);
		strbuf_release(&sb);
		flags |= LINE_UNKNOWN;
	}
	linebuf_add(&r->lines, name, file, f && lines ? f->line : 0, flags);
}

/*
 * SYMBOL of LEN bytes (may be NULL) and what DWARF has at VADDR of the file that R's index was made from.  False
 * when neither has anything; *REASON says whether the function has a name.
 */
static bool add_lines(struct target *t, struct target_reader *r,
		      const struct symbolizer_options *opts, const char *symbol, size_t len,
		      uint64_t vaddr, enum unknown_reason *reason)
{
	const struct dwarf_frame *frames = NULL;
	bool lines = !opts->no_lines, need = lines || !opts->no_inline || !symbol;
	size_t n = r->dwarf && need ? dwarf_index_lookup(r->dwarf, vaddr, &frames) : 0;
	uint32_t outer = symbol ? linebuf_symbol(&r->lines, symbol, len) : 0;

	if (!n && !outer)
		return false;
	if (!outer)
		outer = frame_name(r, &frames[n - 1]);
	*reason = outer ? UNKNOWN_NOT : UNKNOWN_NO_SYMBOL;
	if (!n || opts->no_inline) {
		add_frame(t, r, outer, n ? &frames[0] : NULL, lines, false);
		return true;
	}
	for (size_t i = 0; i + 1 < n; i++)
		add_frame(t, r, frame_name(r, &frames[i]), &frames[i], lines, true);
	add_frame(t, r, outer, &frames[n - 1], lines, false);
	return true;
}

/*
 * A chain of frame pointers has the address at which a signal's trampoline begins as that of a
 * call; it was not called, so the byte before it is nobody's.
 */
static const struct objfile_symbol *trampoline_behind(const struct objfile *o, uint64_t vaddr)
{
	static const char *const names[] = { "__restore_rt", "__restore", "__kernel_sigreturn",
					     "__kernel_rt_sigreturn" };
	const struct objfile_symbol *sym = objfile_symbol(o, vaddr + 1);

	for (size_t i = 0; sym && sym->addr == vaddr + 1 && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(sym->name, names[i]))
			return sym;
	return NULL;
}

static enum unknown_reason lookup_object(struct target *t, struct target_reader *r,
					 const struct symbolizer_options *opts, uint64_t addr)
{
	const struct objfile_symbol *sym;
	uint64_t vaddr = addr - t->dso->start;
	enum unknown_reason reason;

	if (!t->obj)
		return unknown(t, r, t->reason);
	/* A module's location is a run-time address, and only its .text has a known place. */
	if (t->dso->kind != DSO_MODULE && !objfile_vaddr(t->obj, addr, &vaddr))
		return unknown(t, r, t->reason ? t->reason : UNKNOWN_NO_SYMBOL);
	sym = objfile_symbol(t->obj, vaddr);
	if (!sym)
		sym = trampoline_behind(t->obj, vaddr);
	if (add_lines(t, r, opts, sym ? sym->name : NULL, sym ? strlen(sym->name) : 0,
		      vaddr + r->bias, &reason))
		return reason;
	return unknown(t, r, t->reason ? t->reason : UNKNOWN_NO_SYMBOL);
}

static enum unknown_reason add_name(struct target *t, struct target_reader *r, const char *name,
				    size_t len)
{
	linebuf_add(&r->lines, linebuf_symbol(&r->lines, name, len), 0, 0, target_flags(t->dso));
	return UNKNOWN_NOT;
}

static enum unknown_reason lookup_kernel(struct target *t, struct target_reader *r,
					 const struct symbolizer_options *opts, uint64_t addr)
{
	const struct kernelsyms *k = &t->kernel->syms;
	size_t len = 0;
	const char *name = kernelsyms_find(k, addr, &len);
	enum unknown_reason reason;

	if (k->vmlinux &&
	    add_lines(t, r, opts, name, len, addr - k->vmlinux_delta + r->bias, &reason))
		return reason;
	if (name)
		return add_name(t, r, name, len);
	return unknown(t, r, t->reason ? t->reason : UNKNOWN_NO_SYMBOL);
}

static enum unknown_reason lookup_module(struct target *t, struct target_reader *r,
					 const struct symbolizer_options *opts, uint64_t addr)
{
	size_t len;
	const char *name;

	if (!t->module_kallsyms)
		return lookup_object(t, r, opts, addr);
	name = kernelsyms_find_module(&t->kernel->syms, t->dso, addr, &len);
	return name ? add_name(t, r, name, len) : unknown(t, r, UNKNOWN_NO_SYMBOL);
}

static enum unknown_reason lookup_jit(struct target *t, struct target_reader *r, uint64_t addr)
{
	const struct perfmap_range *range = perfmap_find(&t->map, addr);

	return range ? add_name(t, r, range->name, range->len) : unknown(t, r, UNKNOWN_JIT);
}

static enum unknown_reason lookup_simpleperf(struct target *t, struct target_reader *r,
					     uint64_t addr)
{
	const struct sp_symbol *sym = simpleperf_syms_find(&t->simpleperf, t->dso, addr);

	return sym ? add_name(t, r, sym->name, strlen(sym->name))
		   : unknown(t, r, UNKNOWN_NO_SYMBOL);
}

/* The file whose DWARF serves for T, if any. */
static const struct objfile *dwarf_file(const struct target *t)
{
	if (t->dso->kind == DSO_KERNEL)
		return t->kernel->syms.vmlinux;
	return t->obj && t->obj->e_type != ET_REL ? t->obj : NULL;
}

/* Where else further debug data may be: a file from a cache has none beside it. */
static void tell_places(struct target_reader *r, const struct target *t, const struct objfile *o,
			const struct objfile_search *where)
{
	const char *root = where->symfs ? where->symfs : "";
	struct strbuf sb = STRBUF_INIT;

	if (o->debug_path)
		dwarf_index_also_at(r->dwarf, o->path);
	if (t->dso->path[0] == '/' && (*root || !where->no_system)) {
		strbuf_addf(&sb, "%s%s", root, t->dso->path);
		dwarf_index_also_at(r->dwarf, strbuf_str(&sb));
		strbuf_clear(&sb);
		strbuf_addf(&sb, "%s/usr/lib/debug%s.debug", root, t->dso->path);
		dwarf_index_also_at(r->dwarf, strbuf_str(&sb));
	}
	strbuf_release(&sb);
}

/* Each thread has its own index, as libelf's handles cannot be shared. */
static void reader_enter(struct target_reader *r, struct target *t,
			 const struct symbolizer_options *opts)
{
	const struct objfile *o = dwarf_file(t);
	const char *problem = NULL;
	struct err err;
	int fd;

	target_reader_leave(r);
	r->at = t;
	if (t->obj && !atomic_load(&t->symbols_loaded)) {
		pthread_mutex_lock(&t->lock);
		target_need_symbols(t);
		pthread_mutex_unlock(&t->lock);
	}
	if (!o || (opts->no_inline && opts->no_lines && o->nr_symbols))
		return;
	fd = objfile_dwarf_fd(o);
	if (fd < 0) {
		problem = objfile_dwarf_error(o);
	} else if (dwarf_index_new(fd, o->debug_path ? o->debug_path : o->path, &r->dwarf, &err) <
		   0) {
		r->dwarf = NULL;
		problem = err.text;
	}
	if (r->dwarf)
		tell_places(r, t, o, &opts->where);
	if (r->dwarf && opts->no_lines)
		dwarf_index_no_lines(r->dwarf);
	r->bias = objfile_dwarf_bias(o);
	if (problem) {
		atomic_store(&t->cache.unsound, true);
		pthread_mutex_lock(&t->lock);
		target_note(t, problem);
		pthread_mutex_unlock(&t->lock);
	}
}

static void note_missing(struct target *t)
{
	atomic_store(&t->cache.unsound, true);
	pthread_mutex_lock(&t->lock);
	target_note(t, "a .dwo file, a .dwp beside the program, or what dwz moved, was not found: "
		       "inlined functions are missing");
	pthread_mutex_unlock(&t->lock);
}

void target_reader_leave(struct target_reader *r)
{
	if (r->dwarf) {
		struct dwarf_index_stats stats = dwarf_index_stats(r->dwarf);

		r->units += stats.units;
		r->units_walked += stats.units_walked;
		r->dies += stats.dies;
		if (stats.missing)
			note_missing(r->at);
	}
	dwarf_index_free(r->dwarf);
	r->dwarf = NULL;
	r->at = NULL;
	r->bias = 0;
}

uint32_t target_unit(struct target *t, struct target_reader *r,
		     const struct symbolizer_options *opts, uint64_t addr)
{
	uint64_t vaddr;

	if (r->at != t)
		reader_enter(r, t, opts);
	if (!r->dwarf)
		return UINT32_MAX;
	if (t->dso->kind == DSO_KERNEL)
		vaddr = addr - t->kernel->syms.vmlinux_delta;
	else if (t->dso->kind == DSO_MODULE || !objfile_vaddr(t->obj, addr, &vaddr))
		return UINT32_MAX;
	return dwarf_index_unit(r->dwarf, vaddr + r->bias);
}

enum unknown_reason target_lookup(struct target *t, struct target_reader *r,
				  const struct symbolizer_options *opts, uint64_t addr)
{
	if (r->at != t)
		reader_enter(r, t, opts);
	if (t->simpleperf.file)
		return lookup_simpleperf(t, r, addr);
	switch (t->dso->kind) {
	case DSO_FILE:
	case DSO_VDSO:
		return lookup_object(t, r, opts, addr);
	case DSO_KERNEL:
		return lookup_kernel(t, r, opts, addr);
	case DSO_MODULE:
		return lookup_module(t, r, opts, addr);
	case DSO_JIT:
		return lookup_jit(t, r, addr);
	case DSO_CODE:
		return add_name(t, r, t->dso->symbol, strlen(t->dso->symbol));
	case DSO_GUEST_KERNEL:
	case DSO_SPECIAL:
		break;
	}
	return unknown(t, r, t->reason);
}

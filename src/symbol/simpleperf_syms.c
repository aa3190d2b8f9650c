/* SPDX-License-Identifier: MIT */
/*
 * Addresses in these tables are what simpleperf's Dso::IpToVaddrInFile() makes of an address:
 * for an ELF file the virtual address, found through one segment (min_vaddr is at
 * file_offset_of_min_vaddr); for the kernel the run-time address, or one relative to the address
 * that the kernel was linked for; for a module an offset from its start.
 */
#include "symbol/simpleperf_syms.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/xmalloc.h"

enum { SP_KERNEL = 0, SP_MODULE = 1, SP_ELF = 2, SP_SYMBOL_MAP = 4 };

static bool is_file_of(const struct sp_file *f, const struct dso *dso)
{
	if (!f->path || !f->nr_symbols)
		return false;
	if (dso->kind == DSO_KERNEL)
		return f->type == SP_KERNEL;
	return !strcmp(f->path, dso->path) && f->type != SP_KERNEL;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct sp_symbol *x = *(const struct sp_symbol *const *)a;
	const struct sp_symbol *y = *(const struct sp_symbol *const *)b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	return x->len < y->len ? -1 : x->len > y->len;
}

bool simpleperf_syms_init(struct simpleperf_syms *sp, const struct features *features,
			  const struct dso *dso)
{
	memset(sp, 0, sizeof(*sp));
	for (size_t i = 0; features && i < features->nr_sp_files && !sp->file; i++)
		if (is_file_of(&features->sp_files[i], dso))
			sp->file = &features->sp_files[i];
	if (!sp->file)
		return false;
	sp->n = sp->file->nr_symbols;
	sp->v = xreallocarray(NULL, sp->n, sizeof(const struct sp_symbol *));
	for (size_t i = 0; i < sp->n; i++)
		sp->v[i] = &sp->file->symbols[i];
	qsort(sp->v, sp->n, sizeof(const struct sp_symbol *), by_vaddr);
	return true;
}

void simpleperf_syms_release(struct simpleperf_syms *sp)
{
	free(sp->v);
	memset(sp, 0, sizeof(*sp));
}

static uint64_t to_vaddr(const struct sp_file *f, const struct dso *dso, uint64_t addr)
{
	uint64_t at = f->file_offset_of_min_vaddr;

	switch (f->type) {
	case SP_KERNEL:
		return f->min_vaddr && dso->start ? addr - dso->start + f->min_vaddr : addr;
	case SP_MODULE:
		return addr - dso->start + f->min_vaddr - (at == UINT64_MAX ? 0 : at);
	case SP_ELF:
		if (at != UINT64_MAX)
			return addr - at + f->min_vaddr;
		/*
		 * Older ones don't say where the segment lies in the file.  Shared objects had
		 * equal offsets and addresses; what has not begins at 0.
		 */
		return addr >= f->min_vaddr ? addr : addr + f->min_vaddr;
	default:
		return addr;
	}
}

const struct sp_symbol *simpleperf_syms_find(const struct simpleperf_syms *sp,
					     const struct dso *dso, uint64_t addr)
{
	uint64_t vaddr = to_vaddr(sp->file, dso, addr);
	size_t at = bisect(i, sp->n, sp->v[i]->vaddr <= vaddr);
	const struct sp_symbol *s;

	if (!at)
		return NULL;
	s = sp->v[at - 1];
	return s->name && vaddr - s->vaddr < s->len ? s : NULL;
}

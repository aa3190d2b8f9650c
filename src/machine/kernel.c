/* SPDX-License-Identifier: MIT */
/*
 * The kernel's address space.
 *
 * perf writes a record for the kernel's image and one for each module, wherever it likes in the
 * file: they describe the kernel during the whole recording, so they hold from its beginning.
 * In them pgoff is no offset: for the image it is the address of a symbol (kept by the dso as its
 * reference), for modules it is 0.  Here a kernel map's pgoff is the run-time address of its
 * start, which is what map_location() gives; only the entry trampolines of old x86-64 kernels
 * say in pgoff where their code is in the image.
 *
 * A length of 0 or nearly 2^64 means "not known": such a map goes on to the next one.  The image
 * of an Android recording may be the whole address space; modules lie over it.
 *
 * KSYMBOL records tell of code that comes and goes (BPF programs, trampolines): they are a layer
 * over all this, see process.c.
 */
#include "machine/kernel.h"

#include <stdlib.h>
#include <string.h>

#define KSYMBOL_UNREGISTER 1

void kernel_init(struct kernel *k, uint32_t id)
{
	*k = (struct kernel){ .proc = { .id = id, .pid = -1 } };
}

void kernel_release(struct kernel *k)
{
	process_release(&k->proc);
	vec_release(&k->images);
	vec_release(&k->modules);
	vec_release(&k->extra);
}

static bool is_trampoline(const char *filename)
{
	return !strncmp(filename, "__entry_SYSCALL_64_trampoline", 29);
}

void kernel_add_map(struct kernel *k, struct dso_table *dsos, const struct record_mmap *m,
		    enum cpumode mode)
{
	struct map map = {
		.start = m->addr, .end = m->addr + m->len, .pgoff = m->addr, .prot = m->prot
	};

	if (is_trampoline(m->filename)) {
		map.pgoff = m->pgoff;
		vec_push(&k->extra, map);
		return;
	}
	if (map.end <= map.start || m->len == UINT64_MAX)
		map.end = 0; /* not known, for now */
	map.dso = dso_table_add(dsos, m, mode);
	if (map.dso->kind == DSO_MODULE) {
		vec_push(&k->modules, map);
		return;
	}
	k->image = map.dso;
	if (!map.end && !map.start)
		map.end = UINT64_MAX;
	vec_push(&k->images, map);
}

void kernel_add_symbol(struct kernel *k, struct dso_table *dsos, const struct record_ksymbol *sym,
		       uint64_t when)
{
	struct map map = { .start = sym->addr,
			   .end = sym->addr + sym->len,
			   .pgoff = sym->addr,
			   .valid.from = when };

	if (map.end <= map.start)
		return;
	if (!(sym->flags & KSYMBOL_UNREGISTER))
		map.dso = dso_table_add_code(dsos, sym->name, NULL, -1, sym->addr, sym->len);
	process_add_code(&k->proc, &map);
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

/* The first of the N sorted STARTS above ADDR, or the end of all addresses. */
static uint64_t next_start(const uint64_t *starts, size_t n, uint64_t addr)
{
	size_t lo = 0;

	while (n) {
		size_t half = n / 2;

		if (starts[lo + half] <= addr) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return starts[lo] > addr ? starts[lo] : UINT64_MAX; /* behind the last one is 0 */
}

static void add_all(struct kernel *k, const struct map *v, size_t n, const uint64_t *starts,
		    size_t nr_starts)
{
	for (size_t i = 0; i < n; i++) {
		struct map map = v[i];

		if (!map.end)
			map.end = next_start(starts, nr_starts, map.start);
		process_add_map(&k->proc, &map);
	}
}

void kernel_finish(struct kernel *k)
{
	size_t n = 0;
	/* one place more, so that the search may look behind the last */
	uint64_t *starts = xcalloc(k->images.n + k->modules.n + 1, sizeof(*starts));

	for (size_t i = 0; i < k->images.n; i++)
		starts[n++] = k->images.v[i].start;
	for (size_t i = 0; i < k->modules.n; i++)
		starts[n++] = k->modules.v[i].start;
	qsort(starts, n, sizeof(*starts), by_value);
	add_all(k, k->images.v, k->images.n, starts, n);
	add_all(k, k->modules.v, k->modules.n, starts, n);
	for (size_t i = 0; i < k->extra.n; i++) {
		k->extra.v[i].dso = k->image;
		if (k->image)
			process_add_map(&k->proc, &k->extra.v[i]);
	}
	free(starts);
	process_build(&k->proc);
}

/* SPDX-License-Identifier: MIT */
/*
 * Which kernel it was the recording says in its maps, so these are read once more.  The texts name few
 * functions, each many times: what was found is remembered by address.
 */
#include "collect/kernel_names.h"

#include <stdlib.h>
#include <sys/utsname.h>

#include "base/xmalloc.h"
#include "collect/timeline_only.h"
#include "symbol/kernelsyms.h"

enum { REMEMBERED = 1 << 10, MAX_SIZE = 1 << 20 };

struct kernel_names {
	struct reader *reader;
	struct timeline *timeline;
	struct kernelsyms syms;
	struct remembered {
		uint64_t addr; /* 0: free */
		bool found;
		struct tp_name name;
	} remembered[REMEMBERED];
};

static const struct dso *kernel_of(const struct timeline *tl)
{
	const struct dso_table *dsos = timeline_dsos((struct timeline *)tl);

	for (size_t i = 0; i < dsos->n; i++)
		if (dsos->v[i]->kind == DSO_KERNEL)
			return dsos->v[i];
	return NULL;
}

struct kernel_names *kernel_names_new(const char *path, const struct objfile_search *where,
				      struct err *err)
{
	struct kernel_names *k = xcalloc(1, sizeof(*k));
	struct kernelsyms_live live;
	struct utsname running;

	if (reader_open(&k->reader, path, err) < 0) {
		free(k);
		return NULL;
	}
	k->timeline = timeline_only(k->reader);
	kernelsyms_live_init(&live, where, &running);
	kernelsyms_open(&k->syms, kernel_of(k->timeline), &k->reader->features, where, &live);
	return k;
}

static bool same_symbol(const struct kernel_names *k, uint64_t addr, uint64_t start)
{
	struct kallsym s;

	return kernelsyms_symbol(&k->syms, addr, &s) && s.addr == start;
}

/* Up to the next symbol: the table has no sizes. */
static uint64_t size_of(const struct kernel_names *k, uint64_t start)
{
	uint64_t in = 0, out = 1;

	while (out < MAX_SIZE && same_symbol(k, start + out, start)) {
		in = out;
		out *= 2;
	}
	while (out - in > 1) {
		uint64_t mid = in + (out - in) / 2;

		if (same_symbol(k, start + mid, start))
			in = mid;
		else
			out = mid;
	}
	return out;
}

static bool look_up(const struct kernel_names *k, uint64_t addr, struct tp_name *name)
{
	struct kallsym s;

	if (!kernelsyms_symbol(&k->syms, addr, &s))
		return false;
	*name = (struct tp_name){ .name = s.name,
				  .len = s.name_len,
				  .module = s.module,
				  .module_len = s.module_len,
				  .offset = addr - s.addr,
				  .size = size_of(k, s.addr) };
	return true;
}

bool kernel_names_find(void *ctx, uint64_t addr, struct tp_name *name)
{
	struct kernel_names *k = ctx;
	struct remembered *r = &k->remembered[(addr ^ addr >> 12) % REMEMBERED];

	if (r->addr != addr || !addr) {
		r->addr = addr;
		r->found = look_up(k, addr, &r->name);
	}
	*name = r->name;
	return r->found;
}

void kernel_names_free(struct kernel_names *k)
{
	if (!k)
		return;
	kernelsyms_release(&k->syms);
	timeline_free(k->timeline);
	reader_free(k->reader);
	free(k);
}

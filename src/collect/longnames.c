/* SPDX-License-Identifier: MIT */
/*
 * For a file it is the path as it was recorded, for the kernel and its modules the name in
 * brackets, for code of a JIT the file where its symbols would be.
 */
#include "collect/longnames.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

static char *long_name(const struct dso *d)
{
	struct strbuf sb = STRBUF_INIT;

	if (d->kind == DSO_KERNEL || d->kind == DSO_MODULE || d->kind == DSO_GUEST_KERNEL)
		strbuf_adds(&sb, d->name);
	else if (dso_is_perf_map(d))
		strbuf_addf(&sb, "/tmp/perf-%d.map", d->pid);
	else
		strbuf_addf(&sb, "%s%s", d->path, d->deleted ? " (deleted)" : "");
	return strbuf_detach(&sb);
}

char **longnames_new(const struct dso_table *dsos)
{
	char **names = xcalloc(dsos->n, sizeof(*names));

	for (size_t i = 0; i < dsos->n; i++)
		names[i] = long_name(dsos->v[i]);
	return names;
}

void longnames_free(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

/* SPDX-License-Identifier: MIT */
#include "collect/jit.h"

#include <string.h>

#include "base/strbuf.h"
#include "symbol/jitdump.h"

#include <perfrep/source.h>

/* "jit-PID.dump", as perf's specification of jitdump names the file. */
static bool is_dump_name(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	name = name ? name + 1 : path;
	if (strncmp(name, "jit-", 4) != 0)
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && !strcmp(name + 4 + digits, ".dump");
}

void jit_note_map(struct jit_dumps *jd, const struct record_mmap *m)
{
	if (!is_dump_name(m->filename))
		return;
	for (size_t i = 0; i < jd->dumps.n; i++)
		if (jd->dumps.v[i].pid == m->pid && !strcmp(jd->dumps.v[i].path, m->filename))
			return;
	vec_push(&jd->dumps, (struct jit_dump){ m->pid, xstrdup(m->filename) });
}

static void load_dump(const struct jit_dump *d, struct timeline *tl, const char *symfs)
{
	struct strbuf path = STRBUF_INIT;
	struct jitdump dump;
	struct source src;

	strbuf_addf(&path, "%s%s", symfs ? symfs : "", d->path);
	if (source_open(&src, path.s, NULL) == 0) {
		if (jitdump_parse(src.data, src.size, &dump, NULL) == 0) {
			for (size_t i = 0; i < dump.n; i++)
				timeline_add_code(tl, d->pid, dump.loads[i].when,
						  dump.loads[i].addr, dump.loads[i].size,
						  dump.loads[i].name, d->path);
			jitdump_release(&dump);
		}
		source_release(&src);
	}
	strbuf_release(&path);
}

void jit_load_dumps(struct jit_dumps *jd, struct timeline *tl, const struct objfile_search *where)
{
	for (size_t i = 0; i < jd->dumps.n; i++) {
		load_dump(&jd->dumps.v[i], tl, where->symfs);
		free(jd->dumps.v[i].path);
	}
	vec_release(&jd->dumps);
}

/* SPDX-License-Identifier: MIT */
/* Opening what can name the addresses of a dso: see target.h. */
#include "symbol/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objfile/regular.h"

void target_note(struct target *t, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	if (!text || !*text || (t->note && strstr(t->note, text)))
		return;
	if (t->note)
		strbuf_addf(&sb, "%s; ", t->note);
	strbuf_adds(&sb, text);
	free(t->note);
	t->note = strbuf_detach(&sb);
}

void target_need_symbols(struct target *t)
{
	if (atomic_load(&t->symbols_loaded) || !t->obj)
		return;
	objfile_load_symbols(t->obj);
	t->reason = t->obj->nr_symbols || t->obj->has_dwarf ? UNKNOWN_NOT : UNKNOWN_NO_SYMBOLS;
	atomic_store(&t->symbols_loaded, true);
}

static void open_object(struct target *t, const struct target_context *ctx)
{
	struct objfile_search where = ctx->opts->where;
	enum unknown_reason reason;
	struct err err;

	where.no_symbols = true; /* until they are needed */
	if (objfile_open(t->dso, &where, &t->obj, &reason, &err) < 0) {
		t->reason = reason;
		target_note(t, err.text);
		return;
	}
	t->path = xstrdup(t->obj->path);
	t->debug_path = t->obj->debug_path ? xstrdup(t->obj->debug_path) : NULL;
	target_note(t, t->obj->note);
	target_cache_open(t, ctx);
	if (!t->cache.used)
		target_need_symbols(t);
}

static const struct kernelsyms *open_kernel(struct target_kernel *kernel,
					    const struct target_context *ctx)
{
	pthread_mutex_lock(&kernel->lock);
	if (!kernel->opened) {
		kernelsyms_open(&kernel->syms, kernel->dso, ctx->features, &ctx->opts->where,
				ctx->live);
		kernel->opened = true;
	}
	pthread_mutex_unlock(&kernel->lock);
	return &kernel->syms;
}

static void open_image(struct target *t, const struct target_context *ctx)
{
	const struct kernelsyms *k = open_kernel(t->kernel, ctx);

	t->reason = k->have_kallsyms || k->vmlinux ? UNKNOWN_NOT : UNKNOWN_KERNEL;
	t->path = k->path ? xstrdup(k->path) : NULL;
	target_note(t, k->note.s);
}

static void open_module(struct target *t, const struct target_context *ctx)
{
	const struct kernelsyms *k = open_kernel(t->kernel, ctx);

	t->module_kallsyms = kernelsyms_has_module(k, t->dso);
	if (t->module_kallsyms) {
		t->path = xstrdup(k->path);
		return;
	}
	open_object(t, ctx);
	if (!t->obj)
		target_note(t, k->note.s);
}

/* perf-PID.map, below symfs unless a directory was given for it. */
static void open_perf_map(struct target *t, const struct target_context *ctx)
{
	const char *dir = ctx->opts->perf_map_dir;
	struct strbuf path = STRBUF_INIT;
	struct err err;
	size_t size;

	strbuf_addf(&path, "%s/perf-%d.map", dir ? dir : "/tmp", t->dso->pid);
	t->reason = UNKNOWN_JIT;
	if (regular_read(dir ? NULL : ctx->opts->where.symfs, path.s, PERFMAP_CAP, &t->map_text,
			 &size, &err) < 0) {
		target_note(t, err.text);
	} else {
		perfmap_parse(&t->map, t->map_text, size);
		t->path = strbuf_detach(&path);
	}
	strbuf_release(&path);
}

void target_init(struct target *t)
{
	pthread_mutex_init(&t->open_lock, NULL);
	pthread_mutex_init(&t->lock, NULL);
}

void target_release(struct target *t)
{
	target_cache_close(t);
	vec_release(&t->groups);
	pthread_mutex_destroy(&t->open_lock);
	pthread_mutex_destroy(&t->lock);
}

void target_open(struct target *t, const struct target_context *ctx)
{
	t->reason = UNKNOWN_NOT;
	if (simpleperf_syms_init(&t->simpleperf, ctx->features, t->dso))
		return;
	switch (t->dso->kind) {
	case DSO_FILE:
	case DSO_VDSO:
		open_object(t, ctx);
		break;
	case DSO_KERNEL:
		open_image(t, ctx);
		break;
	case DSO_MODULE:
		open_module(t, ctx);
		break;
	case DSO_JIT:
		open_perf_map(t, ctx);
		break;
	case DSO_GUEST_KERNEL:
		t->reason = UNKNOWN_KERNEL;
		break;
	case DSO_SPECIAL:
		t->reason = UNKNOWN_SPECIAL;
		break;
	case DSO_CODE:
		break;
	}
}

void target_close(struct target *t)
{
	simpleperf_syms_release(&t->simpleperf);
	objfile_free(t->obj);
	t->obj = NULL;
	perfmap_release(&t->map);
	free(t->map_text);
	t->map_text = NULL;
}

uint16_t target_flags(const struct dso *dso)
{
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_MODULE:
		return LINE_KERNEL;
	case DSO_GUEST_KERNEL:
		return LINE_KERNEL | LINE_GUEST;
	case DSO_JIT:
		return LINE_JIT;
	case DSO_CODE:
		return dso->pid >= 0 ? LINE_JIT : LINE_KERNEL;
	case DSO_FILE:
		/* perf inject --jit writes each compiled function into a file of this name. */
		return strncmp(dso->name, "jitted-", 7) ? 0 : LINE_JIT;
	case DSO_VDSO:
	case DSO_SPECIAL:
		break;
	}
	return 0;
}

void target_unknown_name(const struct dso *dso, struct strbuf *sb)
{
	const char *name = strrchr(dso->name, '/');

	name = name && name[1] ? name + 1 : dso->name;
	strbuf_clear(sb);
	if (dso->kind == DSO_KERNEL)
		strbuf_adds(sb, "[kernel]");
	else if (dso->kind == DSO_GUEST_KERNEL)
		strbuf_adds(sb, "[guest.kernel]");
	else if (name[0] == '[' || !name[0])
		strbuf_adds(sb, name[0] ? name : "[unknown]");
	else
		strbuf_addf(sb, "[%s]", name);
}

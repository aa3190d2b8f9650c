/* SPDX-License-Identifier: MIT */
/*
 * The order: a vmlinux given by the user, one found by the build-id; for what it lacks and for
 * modules a kallsyms: the one that the user gave (or that was recorded with the data) and no
 * other; without one, that in perf's build-id cache, and last the running kernel's, which is
 * only taken when it is the recorded kernel: same release and machine, and the same build-id, or,
 * when none was recorded, the reference symbol at the same address.
 */
#include "symbol/kernelsyms.h"

#include <elf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/cursor.h"
#include "base/xmalloc.h"
#include "objfile/find.h"
#include "objfile/regular.h"

#define MODULE_SPAN (UINT64_C(64) << 20) /* of a module whose end is not known */
#define PAGE_MASK   0xfff

static void __attribute__((format(printf, 2, 3))) note(struct kernelsyms *k, const char *fmt, ...)
{
	va_list ap;

	if (k->note.n)
		strbuf_adds(&k->note, "; ");
	va_start(ap, fmt);
	strbuf_addv(&k->note, fmt, ap);
	va_end(ap);
}

static const char *ref_name(const struct dso *kernel)
{
	return kernel && kernel->ref_name ? kernel->ref_name : "_stext";
}

/* The run-time address of the reference symbol; without one, where the kernel's map begins. */
static uint64_t ref_addr(const struct dso *kernel)
{
	if (!kernel)
		return 0;
	return kernel->ref_name && kernel->ref_addr ? kernel->ref_addr : kernel->start;
}

/* How far the table with the reference symbol at ADDR is away from the recorded kernel. */
static bool find_delta(struct kernelsyms *k, const struct dso *kernel, const char *path, bool found,
		       uint64_t addr, uint64_t *delta)
{
	*delta = 0;
	if (!ref_addr(kernel)) {
		/* The recorder could not see addresses, or there is no kernel map at all. */
		note(k, "%s: cannot be checked, as the recording has no address of the kernel",
		     path);
		return true;
	}
	if (!found) {
		note(k, "%s: has no symbol %s, so it is not of the recorded kernel", path,
		     ref_name(kernel));
		return false;
	}
	*delta = ref_addr(kernel) - addr;
	if (*delta & PAGE_MASK) {
		note(k,
		     "%s: %s is at 0x%llx there and was at 0x%llx, no whole pages away: it is "
		     "not of the recorded kernel",
		     path, ref_name(kernel), (unsigned long long)addr,
		     (unsigned long long)ref_addr(kernel));
		return false;
	}
	return true;
}

static void take_path(struct kernelsyms *k, const char *path)
{
	if (!k->path)
		k->path = xstrdup(path);
}

static void drop_kallsyms(struct kernelsyms *k)
{
	kallsyms_release(&k->kallsyms);
	regular_text_close(&k->text);
	k->have_kallsyms = false;
}

/* Take the kallsyms at PATH if it fits. */
static bool use_kallsyms(struct kernelsyms *k, const struct dso *kernel, const char *path)
{
	struct kallsyms *ks = &k->kallsyms;
	struct err err;

	if (regular_text_open(&k->text, path, KALLSYMS_CAP, &err) < 0) {
		note(k, "%s", err.text);
		return false;
	}
	kallsyms_parse(ks, k->text.data, k->text.size, ref_name(kernel));
	if (ks->hidden)
		note(k,
		     "%s: all addresses are zero, as kernel.kptr_restrict hides them: read it as "
		     "root, or set kernel.kptr_restrict to 0",
		     path);
	else if (!ks->has_functions)
		note(k, "%s: has no symbols", path);
	else if (find_delta(k, kernel, path, ks->has_ref, ks->ref, &k->kallsyms_delta))
		k->have_kallsyms = true;
	if (k->have_kallsyms)
		take_path(k, path);
	else
		drop_kallsyms(k);
	return k->have_kallsyms;
}

static void use_vmlinux(struct kernelsyms *k, const struct dso *kernel, struct objfile *o)
{
	uint64_t addr = 0;
	bool found = objfile_address_of(o, ref_name(kernel), &addr);

	if (!ref_addr(kernel))
		note(k, "%s: cannot be used, as the recording has no address of the kernel",
		     o->path);
	else if (find_delta(k, kernel, o->path, found, addr, &k->vmlinux_delta))
		k->vmlinux = o;
	if (k->vmlinux)
		take_path(k, o->path);
	else
		objfile_free(o);
}

static void given_vmlinux(struct kernelsyms *k, const struct dso *kernel, const char *path)
{
	char found[BUILD_ID_TEXT], want[BUILD_ID_TEXT];
	struct objfile *o;
	struct err err;

	if (objfile_open_path(path, &o, &err) < 0) {
		note(k, "%s", err.text);
	} else if (kernel && kernel->build_id.size &&
		   !build_id_equal(&kernel->build_id, &o->build_id)) {
		note(k, "%s has build-id %s, the recorded kernel has %s", path,
		     build_id_text(&o->build_id, found), build_id_text(&kernel->build_id, want));
		objfile_free(o);
	} else {
		use_vmlinux(k, kernel, o);
	}
}

/* The file with the kernel's build-id that lies at PATH, or wherever build-ids are looked up. */
static void try_vmlinux(struct kernelsyms *k, const struct dso *kernel, const char *path,
			const struct objfile_search *where)
{
	struct dso dso = { .kind = DSO_FILE, .path = path, .build_id = kernel->build_id };
	enum unknown_reason reason;
	struct objfile *o;

	if (objfile_open(&dso, where, &o, &reason, NULL) == 0)
		use_vmlinux(k, kernel, o);
}

static void vmlinux_by_id(struct kernelsyms *k, const struct dso *kernel,
			  const struct features *features, const struct objfile_search *where)
{
	/* Where distributions put the file that the kernel was made from. */
	static const struct {
		const char *before, *after;
	} places[] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/boot/vmlinux-", "" },
	};
	const char *release = features ? features->osrelease : NULL;
	struct strbuf path = STRBUF_INIT;

	if (!kernel || !kernel->build_id.size)
		return;
	if (!release || strchr(release, '/') || where->no_system) {
		try_vmlinux(k, kernel, "vmlinux", where);
		return;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !k->vmlinux; i++) {
		strbuf_clear(&path);
		strbuf_addf(&path, "%s%s%s", places[i].before, release, places[i].after);
		try_vmlinux(k, kernel, path.s, where);
	}
	strbuf_release(&path);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The copy that perf made when it recorded: [kernel.kallsyms]/BUILD-ID/kallsyms. */
static bool cached_kallsyms(struct kernelsyms *k, const struct dso *kernel,
			    const struct objfile_search *where)
{
	struct strbuf cache = STRBUF_INIT, path = STRBUF_INIT;
	char id[BUILD_ID_TEXT];
	bool ok = false;

	if (kernel && kernel->build_id.size && find_cache_dir(where, &cache)) {
		build_id_text(&kernel->build_id, id);
		strbuf_addf(&path, "%s/[kernel.kallsyms]/%s/kallsyms", cache.s, id);
		if (!is_file(path.s)) {
			find_id_path(&path, cache.s, &kernel->build_id);
			strbuf_adds(&path, "/kallsyms");
		}
		ok = is_file(path.s) && use_kallsyms(k, kernel, path.s);
	}
	strbuf_release(&cache);
	strbuf_release(&path);
	return ok;
}

/* The build-id in a file of ELF notes, such as /sys/kernel/notes. */
static bool notes_build_id(const char *path, struct build_id *id)
{
	const uint8_t *name, *desc;
	struct cursor c;
	bool found = false;
	size_t size;
	char *data;

	if (regular_read(NULL, path, 1 << 20, &data, &size, NULL) < 0)
		return false;
	c = cursor_init(data, size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	while (!found && cursor_left(&c) >= 12) {
		uint32_t namesz = cursor_u32(&c), descsz = cursor_u32(&c), type = cursor_u32(&c);

		name = cursor_bytes(&c, ((uint64_t)namesz + 3) & ~UINT64_C(3));
		desc = cursor_bytes(&c, ((uint64_t)descsz + 3) & ~UINT64_C(3));
		if (c.bad)
			break;
		found = type == NT_GNU_BUILD_ID && namesz == 4 && !memcmp(name, "GNU", 4) &&
			descsz && descsz <= sizeof(id->bytes);
		if (found) {
			id->size = (uint8_t)descsz;
			memcpy(id->bytes, desc, descsz);
		}
	}
	free(data);
	return found;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Whether the running kernel may be asked at all. */
static bool is_live(struct kernelsyms *k, const struct dso *kernel, const struct features *features,
		    const struct kernelsyms_live *live)
{
	char found[BUILD_ID_TEXT] = "", want[BUILD_ID_TEXT];
	struct build_id id = { 0 };

	if (!kernel || !features || !live->kallsyms)
		return false;
	if (!same_text(features->osrelease, live->release) ||
	    !same_text(features->arch, live->machine)) {
		note(k, "the recorded kernel is %s, %s, the running one %s, %s",
		     features->osrelease ? features->osrelease : "of unknown release",
		     features->arch ? features->arch : "of unknown machine", live->release,
		     live->machine);
		return false;
	}
	if (!kernel->build_id.size)
		return true; /* the reference symbol has to be at the same place */
	if (live->notes && notes_build_id(live->notes, &id) &&
	    build_id_equal(&id, &kernel->build_id))
		return true;
	note(k, "the running kernel has build-id %s, the recorded one %s",
	     id.size ? build_id_text(&id, found) : "that cannot be read",
	     build_id_text(&kernel->build_id, want));
	return false;
}

static void live_kallsyms(struct kernelsyms *k, const struct dso *kernel,
			  const struct features *features, const struct kernelsyms_live *live)
{
	if (!is_live(k, kernel, features, live))
		return;
	if (!ref_addr(kernel)) {
		note(k, "the recording has no address of the kernel: kernel.kptr_restrict hid it "
			"from the recorder");
		return;
	}
	if (!use_kallsyms(k, kernel, live->kallsyms))
		return;
	if (!kernel->build_id.size && k->kallsyms_delta) {
		note(k,
		     "%s of the running kernel is elsewhere than it was recorded, and there is no "
		     "build-id to know the kernel by",
		     ref_name(kernel));
		drop_kallsyms(k);
		free(k->path);
		k->path = k->vmlinux ? xstrdup(k->vmlinux->path) : NULL;
	}
}

void kernelsyms_open(struct kernelsyms *k, const struct dso *kernel,
		     const struct features *features, const struct objfile_search *where,
		     const struct kernelsyms_live *live)
{
	memset(k, 0, sizeof(*k));
	if (where->vmlinux && *where->vmlinux)
		given_vmlinux(k, kernel, where->vmlinux);
	if (!k->vmlinux)
		vmlinux_by_id(k, kernel, features, where);
	if (where->kallsyms && *where->kallsyms)
		use_kallsyms(k, kernel, where->kallsyms); /* that one or none */
	else if (!cached_kallsyms(k, kernel, where))
		live_kallsyms(k, kernel, features, live);
}

void kernelsyms_release(struct kernelsyms *k)
{
	drop_kallsyms(k);
	objfile_free(k->vmlinux);
	free(k->path);
	strbuf_release(&k->note);
	memset(k, 0, sizeof(*k));
}

void kernelsyms_live_init(struct kernelsyms_live *live, const struct objfile_search *where,
			  struct utsname *u)
{
	*live = (struct kernelsyms_live){ 0 };
	if (!where->no_system && uname(u) == 0)
		*live = (struct kernelsyms_live){ "/proc/kallsyms", "/sys/kernel/notes", u->release,
						  u->machine };
}

bool kernelsyms_symbol(const struct kernelsyms *k, uint64_t addr, struct kallsym *out)
{
	const struct objfile_symbol *sym =
		k->vmlinux ? objfile_symbol(k->vmlinux, addr - k->vmlinux_delta) : NULL;

	if (sym) {
		*out = (struct kallsym){ .addr = sym->addr + k->vmlinux_delta,
					 .name = sym->name,
					 .name_len = (uint32_t)strlen(sym->name) };
		return true;
	}
	if (!k->have_kallsyms || !kallsyms_find(&k->kallsyms, addr - k->kallsyms_delta, out))
		return false;
	out->addr += k->kallsyms_delta;
	return !out->module || !k->kallsyms_delta; /* modules move on their own */
}

const char *kernelsyms_find(const struct kernelsyms *k, uint64_t addr, size_t *len)
{
	struct kallsym s;

	if (!kernelsyms_symbol(k, addr, &s) || s.module)
		return NULL;
	*len = s.name_len;
	return s.name;
}

static bool in_module(const struct dso *module, uint64_t addr)
{
	uint64_t end = module->end > module->start ? module->end : module->start + MODULE_SPAN;

	return addr >= module->start && addr < end;
}

/* Whether S is of the module, whose dso has its name in brackets. */
static bool is_of(const struct kallsym *s, const struct dso *module)
{
	struct strbuf plain = STRBUF_INIT;
	bool same;

	strbuf_add(&plain, module->name + 1, strcspn(module->name + 1, "]"));
	same = kallsyms_of_module(s, strbuf_str(&plain));
	strbuf_release(&plain);
	return same;
}

bool kernelsyms_has_module(const struct kernelsyms *k, const struct dso *module)
{
	struct strbuf plain = STRBUF_INIT;
	uint64_t start;
	bool found;

	if (!k->have_kallsyms || k->kallsyms_delta || module->name[0] != '[')
		return false;
	strbuf_add(&plain, module->name + 1, strcspn(module->name + 1, "]"));
	found = kallsyms_module_start(&k->kallsyms, strbuf_str(&plain), &start);
	strbuf_release(&plain);
	return found && in_module(module, start);
}

const char *kernelsyms_find_module(const struct kernelsyms *k, const struct dso *module,
				   uint64_t addr, size_t *len)
{
	struct kallsym ks;

	if (!kallsyms_find(&k->kallsyms, addr, &ks) || !is_of(&ks, module))
		return NULL;
	*len = ks.name_len;
	return ks.name;
}

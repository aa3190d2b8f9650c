/* SPDX-License-Identifier: MIT */
/*
 * Names for the addresses of one kernel: from a vmlinux, from a kallsyms, or from both.
 *
 * A kernel is known by its build-id and by its reference symbol, whose run-time address the
 * recording has.  Kernels move from boot to boot: what a table says is shifted by the distance
 * between the two addresses of that symbol.
 */
#ifndef PERFREP_SYMBOL_KERNELSYMS_H
#define PERFREP_SYMBOL_KERNELSYMS_H

#include "base/strbuf.h"
#include "objfile/regular.h"
#include "symbol/kallsyms.h"

#include <perfrep/dso.h>
#include <perfrep/feature.h>
#include <perfrep/objfile.h>

/* The running kernel; NULL strings: don't look.  Tests make one up. */
struct kernelsyms_live {
	const char *kallsyms; /* paths */
	const char *notes;
	const char *release, *machine; /* as uname() has them */
};

struct utsname;

/* As the machine has it; U keeps the names.  Nothing when WHERE does not want the system looked at. */
void kernelsyms_live_init(struct kernelsyms_live *live, const struct objfile_search *where,
			  struct utsname *u);

struct kernelsyms {
	bool have_kallsyms;
	struct kallsyms kallsyms;
	struct regular_text text; /* of it */
	uint64_t kallsyms_delta; /* run-time address - address in kallsyms */
	struct objfile *vmlinux; /* NULL: none */
	uint64_t vmlinux_delta;
	char *path; /* of the first that is used */
	struct strbuf note; /* sentences about what was refused */
};

/* KERNEL may be NULL: then nothing but a file that the user gave can be used. */
void kernelsyms_open(struct kernelsyms *k, const struct dso *kernel,
		     const struct features *features, const struct objfile_search *where,
		     const struct kernelsyms_live *live);
void kernelsyms_release(struct kernelsyms *k);

/*
 * The function at a run-time address of the kernel or of any of its modules, whose `addr` is run-time,
 * too; texts are borrowed.  False when there is none.
 */
bool kernelsyms_symbol(const struct kernelsyms *k, uint64_t addr, struct kallsym *out);
/* The function at a run-time address in the kernel's image, or NULL: LEN bytes, borrowed. */
const char *kernelsyms_find(const struct kernelsyms *k, uint64_t addr, size_t *len);
/*
 * The function at ADDR in MODULE, the same way.  Modules lie elsewhere in each boot, so only a kallsyms
 * of the recorded boot has them where they were.
 */
const char *kernelsyms_find_module(const struct kernelsyms *k, const struct dso *module,
				   uint64_t addr, size_t *len);
/* Whether kernelsyms_find_module() has anything for MODULE. */
bool kernelsyms_has_module(const struct kernelsyms *k, const struct dso *module);

#endif

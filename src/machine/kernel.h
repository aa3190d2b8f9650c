/* SPDX-License-Identifier: MIT */
/* The maps of a kernel, the host's or a guest's: image, modules, code that has names. */
#ifndef PERFREP_MACHINE_KERNEL_H
#define PERFREP_MACHINE_KERNEL_H

#include "machine/process.h"

struct kernel {
	struct process proc;
	VEC(struct map) images, modules, extra;
	const struct dso *image; /* the kernel's own, NULL if not recorded */
};

void kernel_init(struct kernel *k, uint32_t id);
void kernel_add_map(struct kernel *k, struct dso_table *dsos, const struct record_mmap *m,
		    enum cpumode mode);
void kernel_add_symbol(struct kernel *k, struct dso_table *dsos, const struct record_ksymbol *sym,
		       uint64_t when);
void kernel_finish(struct kernel *k);
void kernel_release(struct kernel *k);

#endif

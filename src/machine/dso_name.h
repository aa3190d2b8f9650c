/* SPDX-License-Identifier: MIT */
/* What the file name of a mapping record says. */
#ifndef PERFREP_MACHINE_DSO_NAME_H
#define PERFREP_MACHINE_DSO_NAME_H

#include <perfrep/dso.h>

#define PROT_EXEC_BIT   4u /* PROT_EXEC and MAP_HUGETLB of the recorded machine; all that */
#define MAP_HUGETLB_BIT 0x40000u /* perf records agree on these two */

struct dso_name {
	enum dso_kind kind;
	const char *path; /* borrowed; PATH_LEN bytes of it: without " (deleted)" and the kernel's
			   * reference symbol */
	size_t path_len;
	bool deleted;
	const char *ref_name; /* kernel only: the reference symbol, else NULL */
};

struct dso_name dso_name_user(const struct record_mmap *m);
struct dso_name dso_name_kernel(const char *filename, enum cpumode mode);
/* "[nf_conntrack]" of "/lib/modules/6.1/…/nf-conntrack.ko.xz" or of "[nf-conntrack]"; to free. */
char *dso_name_module(const char *path, size_t len);

#endif

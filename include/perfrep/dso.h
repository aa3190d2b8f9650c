/* SPDX-License-Identifier: MIT */
/*
 * The things that code is mapped from: executables, shared objects, the kernel, modules, the
 * vdso, JIT code.  A dso_table interns them: one id for one (kind, name, identity).
 */
#ifndef PERFREP_DSO_H
#define PERFREP_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/record.h>

#define DSO_NONE UINT32_MAX

/* With each: what the address of a location in it means. */
enum dso_kind {
	DSO_FILE, /* ELF or other file; addresses are file offsets */
	DSO_VDSO, /* [vdso], [vdso32], [vdsox32]; file offsets */
	DSO_KERNEL, /* the kernel's image; run-time addresses */
	DSO_MODULE, /* a kernel module; run-time addresses, `start` is its base */
	DSO_GUEST_KERNEL, /* run-time addresses */
	DSO_JIT, /* anonymous or memfd code of process `pid`; run-time addresses */
	DSO_CODE, /* one function that the recording names itself (KSYMBOL, jitdump):
			   * `symbol` is its name; run-time addresses */
	DSO_SPECIAL, /* [vsyscall], [uprobes], [stack] …: no symbols anywhere */
};

struct dso {
	uint32_t id;
	enum dso_kind kind;
	const char *path; /* as recorded, " (deleted)" taken off; [vdso32] for a [vdso] below
			     * 4 GiB */
	const char *name; /* short, for showing: last part of the path, "[kernel.kallsyms]",
			     * "[vdso]", "//anon" */
	bool deleted; /* the recorded name ended in " (deleted)" */
	const char *symbol; /* DSO_CODE only */
	struct build_id build_id; /* from MMAP2 or the BUILD_ID feature; size 0: not known */
	uint32_t maj, min;
	uint64_t ino, ino_generation; /* 0: not known */
	int32_t pid; /* DSO_JIT and DSO_CODE of a process; else -1 */
	uint64_t start; /* DSO_KERNEL, DSO_MODULE: first address */
	uint64_t end; /* … and the one after the last, 0 when not known */
	const char *ref_name; /* DSO_KERNEL: reference symbol ("_text", "_stext"), else NULL */
	uint64_t ref_addr; /* … its run-time address */
};

/*
 * Whether perf looks for the symbols of this code in /tmp/perf-PID.map of its `pid`, and shows
 * that as its name.  (The file may be there for the others too.)
 */
bool dso_is_perf_map(const struct dso *dso);

struct dso_table {
	struct dso **v;
	size_t n;
	struct dso_table_priv *priv;
};

void dso_table_init(struct dso_table *t);
/*
 * The dso that a mapping record names, made when it is new.  The record's filename, identity and
 * pid decide about the kind (perf's rules: //anon, /dev/zero, /anon_hugepage, MAP_HUGETLB, /SYSV,
 * [stack, [heap] with PROT_EXEC and memfd are JIT candidates).  KERNEL: the record's cpumode.
 */
const struct dso *dso_table_add(struct dso_table *t, const struct record_mmap *m,
				enum cpumode mode);
/* A function that the recording names (KSYMBOL, jitdump; pid -1 for the kernel's). */
const struct dso *dso_table_add_code(struct dso_table *t, const char *symbol, const char *path,
				     int32_t pid, uint64_t start, uint64_t len);
/* Give build-ids of the BUILD_ID feature (by file name) to those that have none. */
void dso_table_build_id(struct dso_table *t, const char *filename, const struct build_id *id);
void dso_table_release(struct dso_table *t);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The kernel names what is mapped by the path of the file, and where there is none by a word of
 * its own (perf_event_mmap_event() in kernel/events/core.c, and the file names of shmem, hugetlb
 * and memfd).  For its own maps perf writes records in the same form: "[kernel.kallsyms]"
 * followed by the name of a symbol whose address is in pgoff, and a path or "[name]" for a
 * module (tools/perf/util/synthetic-events.c).
 *
 * Code without a file is where JIT compilers put theirs.  perf looks for its symbols in
 * /tmp/perf-PID.map for anonymous memory, huge pages, SysV segments, stack and heap; memfd is
 * added here, as newer JITs map their code from one.
 */
#include "machine/dso_name.h"

#include <string.h>

#include "base/xmalloc.h"

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_one_of(const char *s, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(s, *names))
			return true;
	return false;
}

static bool starts_with_one_of(const char *s, const char *const *names)
{
	for (; *names; names++)
		if (starts(s, *names))
			return true;
	return false;
}

static enum dso_kind user_kind(const struct record_mmap *m)
{
	static const char *const vdso[] = { "[vdso]", "[vdso32]", "[vdsox32]", NULL };
	static const char *const no_file[] = { "//anon", "/dev/zero", "/anon_hugepage", "[stack",
					       "/SYSV",  "/memfd:",   "[anon:",         NULL };
	static const char *const other[] = { "[", "//", "anon_inode:", "socket:", "pipe:", NULL };
	bool exec = !m->is_mmap2 || m->prot & PROT_EXEC_BIT;

	if (is_one_of(m->filename, vdso))
		return DSO_VDSO;
	if (m->is_mmap2 && m->flags & MAP_HUGETLB_BIT)
		return exec ? DSO_JIT : DSO_SPECIAL;
	if (starts_with_one_of(m->filename, no_file) || !strcmp(m->filename, "[heap]"))
		return exec ? DSO_JIT : DSO_SPECIAL;
	return starts_with_one_of(m->filename, other) ? DSO_SPECIAL : DSO_FILE;
}

/*
 * The kernel has a vdso for programs of 32 bits, and names both alike.  Those who record give its
 * build-id under a name of its own, as perf does.
 */
static bool is_vdso_32(const struct record_mmap *m)
{
	const uint64_t limit = UINT64_C(1) << 32;

	return !strcmp(m->filename, "[vdso]") && m->len && m->addr < limit &&
	       m->len <= limit - m->addr;
}

struct dso_name dso_name_user(const struct record_mmap *m)
{
	static const char suffix[] = " (deleted)";
	struct dso_name n = { .kind = user_kind(m), .path = m->filename };
	size_t len = strlen(m->filename), cut = sizeof(suffix) - 1;

	n.deleted = len > cut && !strcmp(m->filename + len - cut, suffix);
	n.path_len = n.deleted ? len - cut : len;
	if (is_vdso_32(m)) {
		n.path = "[vdso32]";
		n.path_len = strlen(n.path);
	}
	return n;
}

struct dso_name dso_name_kernel(const char *filename, enum cpumode mode)
{
	struct dso_name n = { .path = filename, .path_len = strlen(filename) };
	bool guest = mode == CPUMODE_GUEST_KERNEL;
	const char *end = strchr(filename, ']');

	if (!starts(filename, "[kernel") && !starts(filename, "[guest.kernel")) {
		n.kind = DSO_MODULE;
		return n;
	}
	n.kind = guest || starts(filename, "[guest") ? DSO_GUEST_KERNEL : DSO_KERNEL;
	if (end) {
		n.path_len = (size_t)(end + 1 - filename);
		n.ref_name = end[1] ? end + 1 : NULL;
	}
	return n;
}

bool dso_is_perf_map(const struct dso *dso)
{
	return dso->kind == DSO_JIT && !starts(dso->path, "/memfd:") &&
	       !starts(dso->path, "[anon:");
}

char *dso_name_module(const char *path, size_t len)
{
	const char *base = memrchr(path, '/', len);
	size_t skip = base ? (size_t)(base + 1 - path) : 0, n = 0;
	char *name;
	const char *ko;

	path += skip;
	len -= skip;
	if (len > 2 && path[0] == '[' && path[len - 1] == ']') {
		path++;
		len -= 2;
	}
	ko = memmem(path, len, ".ko", 3);
	if (ko && ko > path && (ko + 3 == path + len || ko[3] == '.'))
		len = (size_t)(ko - path);
	name = xmalloc(len + 3);
	name[n++] = '[';
	for (size_t i = 0; i < len; i++)
		name[n++] = path[i] == '-' ? '_' : path[i];
	name[n++] = ']';
	name[n] = '\0';
	return name;
}

/* SPDX-License-Identifier: MIT */
/*
 * The vdso is a small ELF image that the kernel maps into every process, this one too.  It ends
 * with its section headers.
 */
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "objfile/find.h"

#define MAX_VDSO 65536

struct image *vdso_of_this_kernel(void)
{
	const uint8_t *base = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	uint64_t size;
	ElfW(Ehdr) eh;

	if (!base)
		return NULL;
	memcpy(&eh, base, sizeof(eh));
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_shoff > MAX_VDSO)
		return NULL;
	size = eh.e_shoff + (uint64_t)eh.e_shnum * eh.e_shentsize;
	if (size < sizeof(eh) || size > MAX_VDSO)
		return NULL;
	return image_from_memory(xmemdup(base, size), size, "[vdso]", NULL);
}

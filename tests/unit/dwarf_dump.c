/* SPDX-License-Identifier: MIT */
/*
 * dwarf-frames FILE < ADDRESSES: the frames that the DWARF index gives, for the script that
 * compares them with other symbolizers.
 *
 * One hexadecimal address (ELF virtual address) per line of input.  For each: the address, then
 * a line "linkage name TAB name TAB scope TAB file TAB line TAB i|-" per frame, innermost first,
 * then an empty line.  Missing strings are empty.  At the end, on stderr, what it cost.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbol/dwarf.h"

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static void print_frames(struct dwarf_index *di, uint64_t addr)
{
	const struct dwarf_frame *f;
	size_t n = dwarf_index_lookup(di, addr, &f);

	printf("0x%" PRIx64 "\n", addr);
	for (size_t i = 0; i < n; i++)
		printf("%s\t%s\t%s\t%s\t%" PRIu32 "\t%c\n", or_empty(f[i].linkage_name),
		       or_empty(f[i].name), or_empty(f[i].scope), or_empty(f[i].file), f[i].line,
		       f[i].inlined ? 'i' : '-');
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct dwarf_index *di = NULL;
	struct dwarf_index_stats s;
	struct err err = { 0 };
	char line[256];
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: dwarf-frames FILE < ADDRESSES\n");
		return 64;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[1]);
		return 2;
	}
	if (dwarf_index_new(fd, argv[1], &di, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	while (fgets(line, sizeof(line), stdin))
		print_frames(di, strtoull(line, NULL, 16));
	s = dwarf_index_stats(di);
	fprintf(stderr, "%" PRIu64 " of %" PRIu64 " units walked, %" PRIu64 " DIEs\n",
		s.units_walked, s.units, s.dies);
	dwarf_index_free(di);
	return fflush(stdout) ? 2 : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * floor FILE: maps a recording and looks at the header of every record: the least that a
 * reader has to do.  Prints how many records there are, and samples among them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	uint64_t at, size, records = 0, samples = 0;
	struct perf_event_header h;
	const unsigned char *data;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_size < 56) {
		fprintf(stderr, "usage: floor FILE (a finished perf.data of this machine)\n");
		return 2;
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED || memcmp(data, "PERFILE2", 8))
		return 2;
	memcpy(&at, data + 40, sizeof(at)); /* the data section: offset, size */
	memcpy(&size, data + 48, sizeof(size));
	if (at > (uint64_t)st.st_size || size > (uint64_t)st.st_size - at)
		return 2;
	for (size += at; size - at >= sizeof(h); at += h.size) {
		memcpy(&h, data + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > size - at)
			break;
		records++;
		samples += h.type == PERF_RECORD_SAMPLE;
	}
	printf("%" PRIu64 " %" PRIu64 "\n", records, samples);
	return 0;
}

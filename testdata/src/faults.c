/* SPDX-License-Identifier: MIT */
/*
 * Page faults and system calls, to be recorded with several events and with kernel stacks:
 *
 *	main
 *	 ├ touch   one fault for each page of a fresh mapping; hardly any work of its own
 *	 ├ fill	   reads /dev/zero: time in the kernel
 *	 └ spin	   work without faults, on the stack: gcc gives a function that doesn't touch it
 *		   no frame, whatever the options, and its caller would be missing
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64 };

static __attribute__((noinline)) void touch(void)
{
	volatile char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	for (int i = 0; i < PAGES; i++)
		p[i * PAGE] = 1;
	munmap((void *)p, PAGES * PAGE);
}

static __attribute__((noinline)) void fill(int fd)
{
	static char buf[16 * PAGE];

	if (read(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
		exit(1);
}

static __attribute__((noinline)) uint64_t spin(uint64_t x)
{
	volatile uint64_t on_stack = x;

	for (int i = 0; i < 4000; i++)
		on_stack = (on_stack ^ (on_stack >> 29)) * 0x9e3779b97f4a7c15ULL;
	return on_stack;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000;
	int fd = open("/dev/zero", O_RDONLY);
	uint64_t x = 1;

	for (int i = 0; i < rounds; i++) {
		if (i % 40 == 0)
			touch();
		fill(fd);
		x = spin(x);
	}
	printf("%llu\n", (unsigned long long)x);
	return 0;
}

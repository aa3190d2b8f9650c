/* SPDX-License-Identifier: MIT */
/*
 * A small ELF file with given code and call frame information, for tests of the unwinder: one
 * segment, readable and executable, and two functions, `first` and `second`, which share the code.
 * The C compiler is not needed, and the bytes may be nonsense.
 */
#ifndef PERFREP_TESTS_ANY_ELF_H
#define PERFREP_TESTS_ANY_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ANY_ELF_BASE = 0x10000, /* address of the file's first byte */
	ANY_ELF_CODE = 0x1000, /* the code's offset in the file: it is at 0x11000 */
};

struct any_elf {
	uint16_t machine; /* EM_386 makes a 32-bit file */
	bool debug_frame; /* the CFI is .debug_frame; else .eh_frame */
	const uint8_t *cfi, *code; /* may be NULL when their size is 0 */
	size_t cfi_size, code_size;
	size_t second; /* where in the code `second` begins; 0: in the middle */
	bool second_starts; /* its name is _start */
	bool go; /* made by Go; `second` is runtime.systemstack.abi0 */
};

/* The address at which .eh_frame begins, for pc-relative pointers in it. */
uint64_t any_elf_cfi_addr(const struct any_elf *e);
/* Makes the file, under a new name; false when that is not possible. */
#define ANY_ELF_PATH 32
bool any_elf_write(const struct any_elf *e, char path[ANY_ELF_PATH]);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERFREP_COLLECT_SYSCALL_NAMES_H
#define PERFREP_COLLECT_SYSCALL_NAMES_H

#include <stdint.h>

/* The system call NR of MACHINE (an E_MACHINE of ELF), or NULL when it is not known. */
const char *syscall_name(uint16_t machine, uint64_t nr);
/* The same of EM_386 and EM_ARM, below 424. */
const char *syscall_name_32(uint16_t machine, uint64_t nr);

#endif

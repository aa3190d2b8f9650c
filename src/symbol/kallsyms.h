/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own list of symbols, in the form of /proc/kallsyms: "address type name [module]".
 */
#ifndef PERFREP_SYMBOL_KALLSYMS_H
#define PERFREP_SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_CAP ((size_t)256 << 20) /* bytes of text; 10 MB are usual */

/* Texts are borrowed, and end by their length. */
struct kallsym {
	uint64_t addr;
	const char *name; /* NULL: data begins here, which only ends the function before */
	const char *module; /* without brackets; NULL for the kernel's image */
	uint32_t name_len, module_len;
	char type;
};

struct kallsyms {
	const char *text;
	/*
	 * Lines of the kernel's image that come in order and in the usual form are left as they
	 * are: few of them are ever asked for.  Every few lines there is a place to begin looking
	 * at.
	 */
	struct kallsyms_place {
		uint64_t addr;
		uint32_t line; /* in `text` */
	} * places;
	size_t nr_places, image_end;
	struct kallsym *v; /* the others, by address, one for each */
	size_t n;
	size_t lines; /* well-formed ones */
	bool has_functions;
	bool hidden; /* all addresses are 0: kernel.kptr_restrict */
	bool has_ref;
	uint64_t ref; /* the address of the reference symbol */
};

/*
 * Parse TEXT, which is borrowed until the release; lines that are not well-formed are left out.
 * REF_NAME (may be NULL): the symbol of the kernel's image whose address is wanted in `ref`,
 * whatever its type.
 */
void kallsyms_parse(struct kallsyms *ks, const char *text, size_t len, const char *ref_name);
void kallsyms_release(struct kallsyms *ks);

/* The function that covers ADDR: it reaches up to the next symbol.  False when there is none. */
bool kallsyms_find(const struct kallsyms *ks, uint64_t addr, struct kallsym *out);
/* The lowest function of a module ("-" and "_" are the same in its name). */
bool kallsyms_module_start(const struct kallsyms *ks, const char *module, uint64_t *addr);
/* Whether S is of MODULE. */
bool kallsyms_of_module(const struct kallsym *s, const char *module);

#endif

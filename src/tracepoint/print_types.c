/* SPDX-License-Identifier: MIT */
/* Types in casts and sizeof: what C has, and the kernel's names for some of it. */
#include "tracepoint/print_parse.h"

/* Those of one word that are not made of others; size 0: as long as a long. */
static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} type_names[] = {
	{ "bool", 1, false },       { "u8", 1, false },          { "s8", 1, true },
	{ "u16", 2, false },        { "s16", 2, true },          { "u32", 4, false },
	{ "s32", 4, true },         { "u64", 8, false },         { "s64", 8, true },
	{ "__u8", 1, false },       { "__s8", 1, true },         { "__u16", 2, false },
	{ "__s16", 2, true },       { "__u32", 4, false },       { "__s32", 4, true },
	{ "__u64", 8, false },      { "__s64", 8, true },        { "uint8_t", 1, false },
	{ "int8_t", 1, true },      { "uint16_t", 2, false },    { "int16_t", 2, true },
	{ "uint32_t", 4, false },   { "int32_t", 4, true },      { "uint64_t", 8, false },
	{ "int64_t", 8, true },     { "uint", 4, false },        { "size_t", 0, false },
	{ "ssize_t", 0, true },     { "loff_t", 8, true },       { "dev_t", 4, false },
	{ "gfp_t", 4, false },      { "pid_t", 4, true },        { "sector_t", 8, false },
	{ "pgoff_t", 0, false },    { "umode_t", 2, false },     { "ino_t", 0, false },
	{ "ktime_t", 8, true },     { "blk_opf_t", 4, false },   { "uintptr_t", 0, false },
	{ "dma_addr_t", 8, false }, { "phys_addr_t", 8, false }, { "xfs_ino_t", 8, false },
};

/* One word of "unsigned long long": false when it is none. */
static bool type_word(struct print_parser *p, struct print_type *t, size_t n)
{
	const char *s = p->t.p;

	if (print_is_word(s, n, "unsigned")) {
		t->is_signed = false;
		t->size = t->size ? t->size : 4;
	} else if (print_is_word(s, n, "signed") || print_is_word(s, n, "int")) {
		t->size = t->size ? t->size : 4;
	} else if (print_is_word(s, n, "long")) {
		t->size = t->longs++ ? 8 : p->long_size;
	} else if (print_is_word(s, n, "short") || print_is_word(s, n, "char")) {
		t->size = *s == 's' ? 2 : 1;
	} else if (print_is_word(s, n, "void") || print_is_word(s, n, "const")) {
		;
	} else {
		for (size_t i = 0; i < sizeof(type_names) / sizeof(*type_names); i++) {
			if (!print_is_word(s, n, type_names[i].name))
				continue;
			t->size = type_names[i].size ? type_names[i].size : p->long_size;
			t->is_signed = type_names[i].is_signed;
			return true;
		}
		return false;
	}
	return true;
}

struct print_type print_take_type(struct print_parser *p)
{
	struct text before = p->t;
	struct print_type t = { .is_signed = true };
	unsigned words = 0;
	size_t n;

	if (print_take(p, "(")) {
		if (print_take_word(p, "struct") && (n = print_peek_word(p))) {
			p->t.p += n;
			words++;
		}
		while ((n = print_peek_word(p)) && type_word(p, &t, n)) {
			p->t.p += n;
			words++;
		}
		if (words && print_take(p, "*"))
			t = (struct print_type){ .size = p->long_size };
		if (words && t.size && print_take(p, ")"))
			return t;
	}
	p->t = before;
	return (struct print_type){ 0 };
}

/* SPDX-License-Identifier: MIT */
/* An event whose fields are of each kind, in tracing data of either byte order. */
#ifndef PERFREP_TESTS_ANY_TRACEPOINT_H
#define PERFREP_TESTS_ANY_TRACEPOINT_H

#include <check.h>
#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"

#include <perfrep/tracepoint.h>

static struct strbuf out;
static bool be;

static inline void number(uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		strbuf_addc(&out, (char)(v >> 8 * (be ? bytes - 1 - i : i)));
}

static inline void sized(int width, const char *text)
{
	number(strlen(text), width);
	strbuf_adds(&out, text);
}

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char mixed[] =
	"name: mixed\nID: 900\n" COMMON "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:long state;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:__data_loc char[] path;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] tail;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:u16 pair[2];\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:s16 small;\toffset:48;\tsize:2;\tsigned:1;\n"
	"\tfield:u8 tiny;\toffset:50;\tsize:1;\tsigned:0;\n\n"
	"print fmt: \"comm=%s state=%ld path=%s\", REC->comm, REC->state, __get_str(path)\n";

static inline void blob(const char *const *formats, uint32_t n)
{
	strbuf_clear(&out);
	strbuf_add(&out, "\x17\x08\x44tracing", 10);
	strbuf_add(&out, "0.6", 4);
	number(be, 1);
	number(8, 1);
	number(4096, 4);
	strbuf_add(&out, "header_page", 12);
	sized(8, "page");
	strbuf_add(&out, "header_event", 13);
	sized(8, "event");
	number(1, 4); /* ftrace's own */
	sized(8, "name: function\nID: 1\n");
	number(1, 4);
	strbuf_add(&out, "test", 5);
	number(n, 4);
	for (uint32_t i = 0; i < n; i++)
		sized(8, formats[i]);
	number(0, 4);
	sized(4, "0xffffffff81000000 : \"text\"\n");
	sized(8, "42 prog\n43 other\n");
}

/* Raw data of `mixed`: 51 bytes of fields, then the arrays. */
static inline void mixed_raw(void)
{
	strbuf_clear(&out);
	number(900, 2);
	number(0, 2);
	number(77, 4);
	strbuf_add(&out, "worker\0..........", 16);
	number((uint64_t)-2, 8);
	number(5 << 16 | 52, 4);
	number(4 << 16 | 17, 4); /* 36 + 4 + 17 = 57 */
	number(8 << 16 | 64, 4);
	number(7, 2);
	number(65535, 2);
	number((uint64_t)-3, 2);
	number(200, 1);
	number(0, 1);
	strbuf_add(&out, "/tmp", 5);
	strbuf_add(&out, "abc", 4);
	strbuf_add(&out, "\0\0", 3);
	number(1, 4);
	number(70000, 4);
	ck_assert_uint_eq(out.n, 72);
}

static inline struct tracepoints *parse(unsigned options)
{
	struct tracepoints *t;

	ck_assert_int_eq(tracepoints_new(&t, (const uint8_t *)out.s, out.n, options, NULL), 0);
	return t;
}

#endif

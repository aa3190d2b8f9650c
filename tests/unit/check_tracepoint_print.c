/* SPDX-License-Identifier: MIT */
/* The text that print formats make: the kernel's forms, hostile ones, and those of this machine. */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_tracepoint.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "perfdata_builder.h"

#include <perfrep/tracepoint.h>

START_TEST(printed_text)
{
	const char *formats[] = { mixed };
	struct strbuf text = STRBUF_INIT;
	struct tracepoints *t;

	be = _i;
	blob(formats, 1);
	t = parse(TP_PRINTABLE);
	mixed_raw();
	ck_assert(tracepoints_print(t, tracepoints_event(t, 900), (uint8_t *)out.s, out.n, NULL,
				    &text));
	ck_assert_str_eq(text.s, "comm=worker state=-2 path=/tmp");
	tracepoints_free(t);
	blob(formats, 1);
	t = parse(0);
	mixed_raw();
	ck_assert(!tracepoints_print(t, tracepoints_event(t, 900), (uint8_t *)out.s, out.n, NULL,
				     &text));
	tracepoints_free(t);
	strbuf_release(&text);
}
END_TEST

/* `mixed` with another print format. */
static struct tracepoints *with_print(const char *print)
{
	struct strbuf format = STRBUF_INIT;
	const char *formats[1];
	struct tracepoints *t;

	strbuf_add(&format, mixed, (size_t)(strstr(mixed, "print fmt") - mixed));
	strbuf_addf(&format, "print fmt: %s\n", print);
	formats[0] = format.s;
	blob(formats, 1);
	t = parse(TP_PRINTABLE);
	ck_assert_uint_eq(tracepoints_event(t, 900)->nr_fields, 12);
	strbuf_release(&format);
	return t;
}

/* Its text, or NULL when it has none. */
static char *text_of(const char *print)
{
	struct strbuf text = STRBUF_INIT;
	struct tracepoints *t = with_print(print);
	bool is_text;

	mixed_raw();
	is_text = tracepoints_print(t, tracepoints_event(t, 900), (uint8_t *)out.s, out.n, NULL,
				    &text);
	tracepoints_free(t);
	if (!is_text)
		strbuf_release(&text);
	return is_text ? strbuf_detach(&text) : NULL;
}

/* The kernel's forms: what sched_switch, block_rq_issue, kmalloc and others are made of. */
static const struct {
	const char *print, *text;
} forms[] = {
	{ "\"100%%\"", "100%" },
	{ "\"tiny %03u\" \" small %d\", REC->tiny, REC->small", "tiny 200 small -3" },
	{ "\"%d,%d\", ((unsigned int) ((REC->tiny) >> 4)), REC->tiny & ((1U << 4) - 1)", "12,8" },
	{ "\"%#x %llu\", REC->pair[1], (unsigned long long)REC->tiny", "0xffff 200" },
	{ "\"%s\", REC->tiny ? \"yes\" : \"no\"", "yes" },
	/* as probes of user space are */
	{ "\"(%lx) arg1=%Lu name=\\\"%s\\\"\", REC->state, REC->tiny, __get_str(path)",
	  "(fffffffffffffffe) arg1=200 name=\"/tmp\"" },
	{ "\"%s\", !REC->tiny ? \"a\" : (REC->pair[0] == 7 && REC->small < 0 ? \"b\" : \"c\")",
	  "b" },
	{ "\"%s\", __print_symbolic(REC->tiny, { 199, \"HI\" }, {0xc8, \"NET_\" \"RX\" }, { -1, ((void *)0) })",
	  "NET_RX" },
	{ "\"%s\", __print_symbolic(REC->tiny, { 1, \"one\" })", "0xc8" },
	{ "\"[%s]\", __print_flags(REC->tiny, \"|\", { (1UL << 3), \"A\" }, { 0x40 | 0x80, \"B\" })",
	  "[A|B]" },
	/* names without a letter, and nothing else that has one */
	{ "\"[%s]\", __print_flags(REC->tiny, \"|\", { 8, \"\" }, { 0x40, \"\" }, { 0x80, \"\" })",
	  "[||]" },
	{ "\"%s%s\", (REC->tiny & ((((0x00000000 | 0x00000008) + 1) << 1) - 1)) ? "
	  "__print_flags(REC->tiny & ((((0x00000000 | 0x00000008) + 1) << 1) - 1), \"|\", "
	  "{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }) : \"R\", REC->tiny & 0x80 ? \"+\" : \"\"",
	  "R+" },
	{ "\"%s %s\", __get_str(path), __get_rel_str(tail)", "/tmp abc" },
	{ "\"%.*s\", REC->pair[0] - 4, __get_str(path)", "/tm" },
	{ "\"%s of %d\", __print_array(__get_dynamic_array(list), "
	  "__get_dynamic_array_len(list) / 4, 4), __get_dynamic_array_len(list)",
	  "{0x1,0x11170} of 8" },
	{ "\"%s\", __print_array(REC->pair, 2, 2)", "{0x7,0xffff}" },
	{ "\"%lu\", (REC->pair[1] * 3) / 5", "39321" },
	{ "\"%d %d %d\", REC->tiny / 10 - 10, REC->small / 2, REC->small % 2", "10 -1 -1" },
	{ "\"%d %d\", 1 + 2 * 3 << 1 | 1, 7 & 3 == 3", "15 1" },
	{ "\"%d %d\", REC->small < 0, REC->pair[0] - 8 < 0U", "1 0" },
	{ "\"%s\", __print_symbolic(REC->small, { -3, \"minus three\" })", "minus three" },
	{ "\"%ld %llu %u\", (long)REC->small, (unsigned long long)REC->small, (u8)REC->small",
	  "-3 18446744073709551613 253" },
	{ "\"%x %#x %#x %X\", 0, 0, 10, 0xabcdef", "0 0x0 0xa ABCDEF" },
	{ "\"%*d|%-*d|%.3d|%+d\", 4, 1, 3, 2, 7, 5", "   1|2  |007|+5" },
	{ "\"%5s|%-5s|%.1s\", \"ab\", \"cd\", \"ef\"", "   ab|cd   |e" },
	{ "\"%d\", REC->tiny || REC->tiny / 0", "1" },
	{ "\"%d\", REC->pair[0] == 7 ? REC->pair[1] : REC->pair[REC->tiny]", "65535" },
	{ "\"%c%c\\t%%\", 97, REC->pair[0] + 91", "ab\t%" },
	{ "\"%s\", __print_symbolic(REC->tiny, { })", "0xc8" },
	{ "\"%s\", REC->pair[0] > 7 ? __get_str(path) : ((void *)0)", "(null)" },
	{ "\"%d\", __builtin_expect(!!(REC->tiny), 0) ? 3 : 4", "3" },
	{ "\"%5d|%-5d|%ld\", REC->pair[0], REC->pair[0], REC->state", "    7|7    |-2" },
	{ "\"%pS %5ps|%p\", (void *)REC->tiny, (void *)1, (void *)2", "0xc8   0x1|0x2" },
	{ "\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 2, REC->pair, 4, false)",
	  "\n0007 ffff\n" },
	{ "\"%s\", __print_hex_dump(\"x: \", DUMP_PREFIX_OFFSET, 16, 1, __get_dynamic_array(path), "
	  "__get_dynamic_array_len(path), true)",
	  "\nx: 00000000: 2f 74 6d 70 00                                   /tmp.\n" },
	{ "\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 32, 4, __get_dynamic_array(path), 5, 0)",
	  "\n2f 74 6d 70 00\n" }, /* 5 bytes are no words of 4 */
	{ "\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 4, __get_dynamic_array(list), 8, 0)",
	  "\n00000001 00011170\n" },
	{ "\"%s %s\", __print_symbolic(REC->pair[0] - 5, { IOPRIO_CLASS_NONE, \"none\" }, "
	  "{ IOPRIO_CLASS_BE, \"be\" }), __print_symbolic(REC->pair[0], { TCP_LISTEN, \"listen\" }, "
	  "{ TCP_CLOSE, \"close\" })",
	  "be close" },
	{ "\"[%*pbl] [%*pb]\", 0, __get_dynamic_array(list), 0, __get_dynamic_array(list)",
	  "[] []" },
	{ "\"%s %d\", __print_flags(REC->tiny, \"|\", { 8, \"\" }, { 0xc0, \"B\" }), true",
	  "|B 1" },
};

START_TEST(forms_of_print_formats)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char *text;

		be = _i;
		text = text_of(forms[i].print);
		ck_assert_msg(text && !strcmp(text, forms[i].text), "%s: %s, not %s",
			      forms[i].print, text ? text : "no text", forms[i].text);
		free(text);
	}
}
END_TEST

/* Bytes as they lie there, and bits of longs. */
START_TEST(bytes_of_either_order)
{
	char *text;

	be = _i;
	text = text_of("\"%s %s\", __print_hex(REC->pair, sizeof(u16)), "
		       "__print_hex_str(__get_dynamic_array(path), REC->pair[0] - 3)");
	ck_assert_str_eq(text, be ? "00 07 2f746d70" : "07 00 2f746d70");
	free(text);
	text = text_of("\"%s\", __get_bitmask(list)");
	ck_assert_str_eq(text, be ? "00000001,00011170" : "00011170,00000001");
	free(text);
	text = text_of("\"%*pb %*pb %*pb\", 64, __get_dynamic_array(list), 33, "
		       "__get_dynamic_array(list), 7, __get_dynamic_array(list)");
	ck_assert_str_eq(text, be ? "00000001,00011170 1,00011170 70"
				  : "00011170,00000001 0,00000001 01");
	free(text);
	text = text_of("\"%*pbl %*pbl\", 64, __get_dynamic_array(list), 7 * REC->pair[0], "
		       "__get_dynamic_array(list)");
	ck_assert_str_eq(text, be ? "4-6,8,12,16,32 4-6,8,12,16,32"
				  : "0,36-38,40,44,48 0,36-38,40,44,48");
	free(text);
	text = text_of("\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 8, "
		       "__get_dynamic_array(list), 8, true)");
	ck_assert_str_eq(text, be ? "\n0000000100011170                   .......p\n"
				  : "\n0001117000000001                   ....p...\n");
	free(text);
}
END_TEST

static bool find_name(void *ctx, uint64_t addr, struct tp_name *name)
{
	static const struct {
		uint64_t from, size;
		const char *name, *module;
	} functions[] = {
		{ 0xffffffff81000000, 0x60, "schedule", "" },
		{ 0xffffffff81000060, 0x10, "next", "" },
		{ 0xffffffffc0000000, 0x20, "ext4_sync", "ext4" },
	};

	++*(int *)ctx;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (addr < functions[i].from || addr - functions[i].from >= functions[i].size)
			continue;
		*name = (struct tp_name){ .name = functions[i].name,
					  .module = functions[i].module,
					  .len = strlen(functions[i].name),
					  .module_len = strlen(functions[i].module),
					  .offset = addr - functions[i].from,
					  .size = functions[i].size };
		return true;
	}
	return false;
}

/* Functions by their addresses, where somebody knows their names. */
START_TEST(names_of_functions)
{
	static const struct {
		const char *print, *text;
	} prints[] = {
		{ "\"%pS %ps\", (void *)0xffffffff8100002aUL, (void *)0xffffffff81000000UL",
		  "schedule+0x2a/0x60 schedule" },
		{ "\"%pF %pf %pS\", (void *)0xffffffffc0000001UL, (void *)0xffffffffc000001fUL, "
		  "(void *)0xffffffff81000000UL",
		  "ext4_sync+0x1/0x20 [ext4] ext4_sync [ext4] schedule+0x0/0x60" },
		/* a return address is behind its call */
		{ "\"%pB %pS\", (void *)0xffffffff81000060UL, (void *)0xffffffff81000060UL",
		  "schedule+0x60/0x60 next+0x0/0x10" },
		{ "\"%12ps|%-6ps|%pS\", (void *)0xffffffff81000000UL, (void *)0xffffffff81000060UL, "
		  "(void *)0x10",
		  "    schedule|next  |0x10" },
	};
	int asked = 0;
	const struct tp_names names = { find_name, &asked };

	be = _i;
	for (size_t i = 0; i < sizeof(prints) / sizeof(*prints); i++) {
		struct strbuf text = STRBUF_INIT;
		struct tracepoints *t = with_print(prints[i].print);

		ck_assert(tracepoints_want_names(t));
		mixed_raw();
		ck_assert(tracepoints_print(t, tracepoints_event(t, 900), (uint8_t *)out.s, out.n,
					    &names, &text));
		ck_assert_str_eq(text.s, prints[i].text);
		strbuf_release(&text);
		tracepoints_free(t);
	}
	ck_assert_int_eq(asked, 10);
	for (int i = 0; i < 2; i++) {
		struct tracepoints *t = with_print(i ? "\"%p\", REC->state" : "\"%d\", 1");

		ck_assert(!tracepoints_want_names(t));
		tracepoints_free(t);
	}
	ck_assert(!tracepoints_want_names(NULL));
}
END_TEST

START_TEST(hex_dump_of_several_lines)
{
	static const struct {
		const char *arguments, *text;
	} dumps[] = {
		{ "\"\", DUMP_PREFIX_OFFSET, 16, 1, REC->data, 20, true",
		  "\n00000000: 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\n"
		  "00000010: 51 52 53 54                                      QRST\n" },
		{ "\"d \", DUMP_PREFIX_NONE, 16, 3, REC->data, 17, false", /* words of 3 are bytes */
		  "\nd 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50\nd 51\n" },
		{ "\"\", DUMP_PREFIX_NONE, 32, 1, REC->data, 20, false",
		  "\n41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50 51 52 53 54\n" },
		{ "\"\", DUMP_PREFIX_NONE, 16, 1, REC->data, 0, false", "\n" },
	};

	be = false;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(*dumps); i++) {
		struct strbuf format = STRBUF_INIT, text = STRBUF_INIT;
		uint8_t raw[28] = { 0x84, 3, 0, 0, 0, 0, 0, 0, 0 };
		const char *formats[1];
		struct tracepoints *t;

		memcpy(raw + 8, "ABCDEFGHIJKLMNOPQRST", 20);
		strbuf_addf(&format,
			    "name: mixed\nID: 900\n" COMMON
			    "\tfield:u8 data[20];\toffset:8;\tsize:20;\tsigned:0;\n\n"
			    "print fmt: \"%%s\", __print_hex_dump(%s)\n",
			    dumps[i].arguments);
		formats[0] = format.s;
		blob(formats, 1);
		t = parse(TP_PRINTABLE);
		ck_assert(tracepoints_print(t, tracepoints_event(t, 900), raw, 28, NULL, &text));
		ck_assert_str_eq(text.s, dumps[i].text);
		tracepoints_free(t);
		strbuf_release(&format);
		strbuf_release(&text);
	}
}
END_TEST

/* What would make the library read what is not there, divide by 0, or print what it should not. */
static const char *const hostile[] = {
	"\"%d\", REC->nothing",
	"\"%d\", REC->tiny / (REC->pair[0] - 7)",
	"\"%d\", REC->tiny % (REC->pair[0] - 7)",
	"\"%d\", REC->tiny / 0",
	"\"%*pbl\", 65, __get_dynamic_array(list)",
	"\"%*pb\", 4096, __get_dynamic_array(list)",
	"\"%*pbl\", 1, REC->pair", /* half a long */
	"\"%*pbl\", 1, REC->tiny",
	"\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_ADDRESS, 16, 1, REC->pair, 4, false)",
	"\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 1, REC->pair, 5, false)",
	"\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 1, REC->pair, 0 - 1, false)",
	"\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 1, REC->pair, 4)",
	"\"%s\", __print_hex_dump(1, DUMP_PREFIX_NONE, 16, 1, REC->pair, 4, false)",
	"\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 1, REC->tiny, 1, false)",
	"\"%d\", REC->tiny % (1 - 1)",
	"\"%d\", REC->pair[2]",
	"\"%d\", REC->pair[REC->tiny]",
	"\"%d\", REC->list",
	"\"%d\", __get_dynamic_array(list)[100]",
	"\"%d\", __get_dynamic_array_len(tiny)",
	"\"%s\", __get_str(list)",
	"\"%s\", __get_str(nothing)",
	"\"%s\", REC->tiny",
	"\"%s\", REC->pair",
	"\"%s\", __print_array(REC->pair, 3, 2)",
	"\"%s\", __print_array(REC->pair, 2, 3)",
	"\"%s\", __print_array(__get_dynamic_array(list), 1000, 4)",
	"\"%s\", __print_array(__get_dynamic_array(list), __get_dynamic_array_len(list) / 2, 4)",
	"\"%s\", __print_hex(REC->pair, REC->tiny)",
	"\"%s\", __print_hex(REC->pair, 5)",
	"\"%s\", __print_symbolic(REC->tiny, { ONE, \"one\" })",
	"\"%s\", REC->tiny / 0 ? \"a\" : \"b\"",
	"\"%d\", 'a'",
	"\"%s\", __print_symbolic(REC->tiny, { 1 })",
	"\"%s\", __print_flags(REC->tiny, \"|\", { 1, \"one\" ",
	"\"%d %d\", REC->tiny",
	"\"%d\", REC->tiny, REC->small",
	"\"%n\", REC->tiny",
	"\"%99999d\", REC->tiny",
	"\"%pU\", REC->pair",
	"\"%d\", mc_event_error_type(REC->tiny)",
	"\"%d\", (REC->tiny",
	"\"%d\", REC->tiny ? 1",
	"\"%d\", \"one\" + 1",
	"\"%d",
	"\"%",
	"REC->tiny",
};

START_TEST(hostile_print_formats)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		char *text;

		be = _i;
		text = text_of(hostile[i]);
		ck_assert_msg(!text, "%s: %s", hostile[i], text);
	}
}
END_TEST

/* A field may be the address of a text, which the recording has in another place. */
START_TEST(text_by_address)
{
	const char *formats[1] = {
		"name: mixed\nID: 900\n" COMMON
		"\tfield:const char * s;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"%s\", REC->s\n",
	};
	struct strbuf text = STRBUF_INIT;
	struct tracepoints *t;
	uint8_t raw[16] = { 0x84, 3 };

	be = false;
	blob(formats, 1);
	t = parse(TP_PRINTABLE);
	memcpy(raw + 8, "\0\0\0\x81\xff\xff\xff\xff", 8);
	ck_assert(tracepoints_print(t, tracepoints_event(t, 900), raw, 16, NULL, &text));
	ck_assert_str_eq(text.s, "text");
	strbuf_release(&text);
	raw[8] = 1;
	ck_assert(tracepoints_print(t, tracepoints_event(t, 900), raw, 16, NULL, &text));
	ck_assert_str_eq(text.s, "0xffffffff81000001");
	tracepoints_free(t);
	strbuf_release(&text);
}
END_TEST

/* sched_switch as Linux 6.18 describes it, and what its trace says of each state. */
START_TEST(the_kernels_sched_switch)
{
	static const struct {
		uint64_t state;
		const char *text;
	} states[] = {
		{ 0, "R" },    { 1, "S" },      { 2, "D" },      { 4, "T" },
		{ 8, "t" },    { 0x10, "X" },   { 0x20, "Z" },   { 0x40, "P" },
		{ 0x80, "I" }, { 0x100, "R+" }, { 0x82, "D|I" }, { 0x101, "S+" },
	};
#define ALL                                                                                 \
	"(((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | " \
	"0x00000020 | 0x00000040) + 1) << 1)"
	const char *formats[1] = {
		"name: sched_switch\nID: 372\n" COMMON
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
		"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
		"(REC->prev_state & (" ALL " - 1)) ? __print_flags(REC->prev_state & (" ALL
		" - 1), \"|\", "
		"{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "
		"{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, "
		"{ 0x00000080, \"I\" }) : \"R\", REC->prev_state & " ALL " ? \"+\" : \"\", "
		"REC->next_comm, REC->next_pid, REC->next_prio\n",
	};
#undef ALL

	be = _i;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		struct strbuf text = STRBUF_INIT;
		struct tracepoints *t;
		char want[200];

		blob(formats, 1);
		t = parse(TP_PRINTABLE);
		strbuf_clear(&out);
		number(372, 2);
		number(0, 2);
		number(42, 4);
		strbuf_add(&out, "worker\0\0\0\0\0\0\0\0\0", 16);
		number(42, 4);
		number((uint64_t)-1, 4);
		number(states[i].state, 8);
		strbuf_add(&out, "a name of sixteen", 16);
		number(7, 4);
		number(120, 4);
		ck_assert(tracepoints_print(t, tracepoints_event(t, 372), (uint8_t *)out.s, out.n,
					    NULL, &text));
		snprintf(want, sizeof(want),
			 "prev_comm=worker prev_pid=42 prev_prio=-1 prev_state=%s ==> "
			 "next_comm=a name of sixtee next_pid=7 next_prio=120",
			 states[i].text);
		ck_assert_str_eq(text.s, want);
		tracepoints_free(t);
		strbuf_release(&text);
	}
}
END_TEST

/* A print format that nests without end is not given to a parser that recurses. */
START_TEST(deep_print_format)
{
	struct strbuf text = STRBUF_INIT;
	const char *formats[1];
	struct tracepoints *t;

	be = false;
	strbuf_add(&text, mixed, (size_t)(strstr(mixed, "print fmt") - mixed));
	strbuf_adds(&text, "print fmt: \"%d\", ");
	for (int i = 0; i < 100000; i++)
		strbuf_adds(&text, _i ? "!" : "(");
	strbuf_adds(&text, "REC->tiny\n");
	formats[0] = text.s;
	blob(formats, 1);
	t = parse(TP_PRINTABLE);
	ck_assert_uint_eq(tracepoints_event(t, 900)->nr_fields, 12);
	tracepoints_free(t);
	strbuf_release(&text);
}
END_TEST

/* Of a file of tracefs, which has no size of its own; NULL: it can't be read. */
static char *file_text(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	FILE *f = fopen(path, "r");
	char buf[4096];
	size_t n;

	if (!f)
		return NULL;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		strbuf_add(&text, buf, n);
	fclose(f);
	return strbuf_detach(&text);
}

/* All formats of the machine's own kernel, if we may read them: each has its fields, most a text. */
START_TEST(the_machines_own_formats)
{
	glob_t files = { 0 };
	const char **texts;
	uint32_t n = 0, known = 0, printed = 0;
	struct tracepoints *t;
	uint8_t *data;
	size_t size;

	glob("/sys/kernel/tracing/events/*/*/format", 0, NULL, &files);
	texts = xcalloc(files.gl_pathc + 1, sizeof(*texts));
	for (size_t i = 0; i < files.gl_pathc; i++) {
		texts[n] = file_text(files.gl_pathv[i]);
		n += texts[n] != NULL;
	}
	globfree(&files);
	data = builder_tracing(false, "live", texts, n, &size);
	ck_assert_int_eq(tracepoints_new(&t, data, size, TP_PRINTABLE, NULL), 0);
	ck_assert_uint_eq(tracepoints_count(t), n);
	for (uint32_t i = 0; i < n; i++) {
		const struct tp_event *ev = tracepoints_at(t, i);
		const struct tp_field *last = ev->nr_fields ? &ev->fields[ev->nr_fields - 1] : NULL;
		struct strbuf text = STRBUF_INIT;
		uint8_t *zeros = xcalloc(1, 1 << 16);

		ck_assert_msg(!ev->refused && last, "%s is refused: %s", ev->name, ev->refused);
		known += ev->print != NULL;
		printed += tracepoints_print(t, ev, zeros, 1 << 16, NULL, &text);
		strbuf_release(&text);
		free(zeros);
	}
	/* the others want enums without values and functions of the kernel */
	ck_assert_msg(printed >= n / 10 * 9, "%u of %u have a text", printed, n);
	printf("%u of this kernel's %u formats are known, of %u zeros make a text\n", known, n,
	       printed);
	if (!n)
		printf("skipped: tracefs is not mounted, or may not be read\n");
	tracepoints_free(t);
	free(data);
	for (uint32_t i = 0; i < n; i++)
		free((char *)texts[i]);
	free(texts);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tracepoint_print");
	TCase *tc = tcase_create("print");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, printed_text, 0, 2);
	tcase_add_loop_test(tc, forms_of_print_formats, 0, 2);
	tcase_add_loop_test(tc, bytes_of_either_order, 0, 2);
	tcase_add_loop_test(tc, names_of_functions, 0, 2);
	tcase_add_test(tc, hex_dump_of_several_lines);
	tcase_add_loop_test(tc, hostile_print_formats, 0, 2);
	tcase_add_test(tc, text_by_address);
	tcase_add_loop_test(tc, the_kernels_sched_switch, 0, 2);
	tcase_add_test(tc, the_machines_own_formats);
	tcase_add_loop_test(tc, deep_print_format, 0, 2);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	strbuf_release(&out);
	return failed != 0;
}

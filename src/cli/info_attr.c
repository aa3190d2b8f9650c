/* SPDX-License-Identifier: MIT */
/* An attr in words, from tables of its bits. */
#include "cli/info.h"

#include "view/number.h"

struct bit_name {
	unsigned bit;
	const char *name;
};

/* enum perf_event_sample_format, bit by bit. */
static const char *const sample_bits[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static const struct bit_name flag_bits[] = {
	{ ATTR_INHERIT, "inherit" },
	{ ATTR_EXCLUDE_USER, "exclude_user" },
	{ ATTR_EXCLUDE_KERNEL, "exclude_kernel" },
	{ ATTR_EXCLUDE_HV, "exclude_hv" },
	{ ATTR_EXCLUDE_GUEST, "exclude_guest" },
	{ ATTR_EXCLUDE_CALLCHAIN_KERNEL, "exclude_callchain_kernel" },
	{ ATTR_EXCLUDE_CALLCHAIN_USER, "exclude_callchain_user" },
	{ ATTR_ENABLE_ON_EXEC, "enable_on_exec" },
	{ ATTR_MMAP, "mmap" },
	{ ATTR_MMAP2, "mmap2" },
	{ ATTR_COMM, "comm" },
	{ ATTR_TASK, "task" },
	{ ATTR_SAMPLE_ID_ALL, "sample_id_all" },
	{ ATTR_CONTEXT_SWITCH, "context_switch" },
	{ ATTR_WRITE_BACKWARD, "write_backward" },
	{ ATTR_BUILD_ID, "build_id" },
	{ ATTR_DEFER_CALLCHAIN, "defer_callchain" },
};

static void add_rate(const struct attr *a, struct strbuf *sb)
{
	if (attr_has(a, ATTR_FREQ)) {
		strbuf_adds(sb, "at ");
		number_thousands(sb, a->sample_period);
		strbuf_adds(sb, " Hz");
	} else {
		strbuf_adds(sb, "every ");
		number_thousands(sb, a->sample_period);
	}
}

static void add_sample_type(const struct attr *a, struct strbuf *sb)
{
	const char *between = ", samples have ";

	for (unsigned i = 0; i < 64; i++) {
		if (!(a->sample_type >> i & 1))
			continue;
		strbuf_adds(sb, between);
		if (i < sizeof(sample_bits) / sizeof(*sample_bits))
			strbuf_adds(sb, sample_bits[i]);
		else
			strbuf_addf(sb, "bit %u", i);
		between = "|";
	}
}

static void add_flags(const struct attr *a, struct strbuf *sb)
{
	const char *between = ", ";

	for (size_t i = 0; i < sizeof(flag_bits) / sizeof(*flag_bits); i++) {
		if (!(a->flags >> flag_bits[i].bit & 1))
			continue;
		strbuf_adds(sb, between);
		strbuf_adds(sb, flag_bits[i].name);
		between = " ";
	}
	if (a->flags >> ATTR_PRECISE_IP & 3)
		strbuf_addf(sb, " precise_ip=%u", (unsigned)(a->flags >> ATTR_PRECISE_IP & 3));
}

void info_attr_text(const struct attr *a, struct strbuf *sb)
{
	add_rate(a, sb);
	strbuf_addf(sb, ", type %u config 0x%llx", a->type, (unsigned long long)a->config);
	add_sample_type(a, sb);
	if (a->branch_sample_type)
		strbuf_addf(sb, ", branch_sample_type 0x%llx",
			    (unsigned long long)a->branch_sample_type);
	if (a->sample_stack_user)
		strbuf_addf(sb, ", %u bytes of user stack", a->sample_stack_user);
	if (a->read_format)
		strbuf_addf(sb, ", read_format 0x%llx", (unsigned long long)a->read_format);
	add_flags(a, sb);
}

void info_build_id_text(const struct build_id *id, struct strbuf *sb)
{
	for (unsigned i = 0; i < id->size && i < sizeof(id->bytes); i++)
		strbuf_addf(sb, "%02x", id->bytes[i]);
}

/* SPDX-License-Identifier: MIT */
/* A sample's fields, in the order in which the kernel writes them; only those that are there. */
#include "cli/dump_emit.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cursor.h"

static bool has(const struct sample *s, enum sample_type bit)
{
	return s->present & bit;
}

static void emit_read(struct emit *e, const struct sample *s)
{
	if (s->read_format & READ_TOTAL_TIME_ENABLED)
		emit_uint(e, "time_enabled", s->time_enabled);
	if (s->read_format & READ_TOTAL_TIME_RUNNING)
		emit_uint(e, "time_running", s->time_running);
	emit_list(e, "read");
	for (uint64_t i = 0; i < s->read_nr; i++) {
		struct record_read_value v = sample_read_value(s, i);
		char text[96];

		snprintf(text, sizeof(text), "id %" PRIu64 " value %" PRIu64 " lost %" PRIu64, v.id,
			 v.value, v.lost);
		emit_text(e, NULL, text);
	}
	emit_list_end(e);
}

static const char *context_name(uint64_t ip)
{
	switch (ip) {
	case CONTEXT_HV:
		return "[hypervisor]";
	case CONTEXT_KERNEL:
		return "[kernel]";
	case CONTEXT_USER:
		return "[user]";
	case CONTEXT_USER_DEFERRED:
		return "[user deferred]";
	case CONTEXT_GUEST:
		return "[guest]";
	case CONTEXT_GUEST_KERNEL:
		return "[guest kernel]";
	case CONTEXT_GUEST_USER:
		return "[guest user]";
	default:
		return NULL;
	}
}

/* Markers are words for eyes; in JSON the chain is the numbers as recorded. */
static void emit_chain(struct emit *e, const struct sample *s)
{
	emit_list(e, "callchain");
	for (uint64_t i = 0; i < s->chain_nr; i++) {
		uint64_t ip = sample_chain_ip(s, i);
		const char *context = context_name(ip);

		if (context && !e->json)
			emit_text(e, NULL, context);
		else
			emit_hex(e, NULL, ip);
	}
	emit_list_end(e);
}

static void emit_branches(struct emit *e, const struct sample *s)
{
	if (s->branch_has_hw_idx)
		emit_hex(e, "branch_hw_idx", s->branch_hw_idx);
	emit_list(e, "branches");
	for (uint64_t i = 0; i < s->branch_nr; i++) {
		struct branch_entry b = sample_branch(s, i);
		char text[128];

		snprintf(text, sizeof(text),
			 "0x%" PRIx64 "->0x%" PRIx64 "%s%s%s%s cycles %u type %u", b.from, b.to,
			 b.mispred ? " mispredicted" : "", b.predicted ? " predicted" : "",
			 b.in_tx ? " in_tx" : "", b.abort ? " abort" : "", b.cycles, b.type);
		emit_text(e, NULL, text);
	}
	emit_list_end(e);
}

static void emit_regs(struct emit *e, const char *name, uint64_t abi, uint64_t mask,
		      const uint8_t *regs, bool be)
{
	char abi_name[32], mask_name[32];

	snprintf(abi_name, sizeof(abi_name), "%s_abi", name);
	snprintf(mask_name, sizeof(mask_name), "%s_mask", name);
	emit_uint(e, abi_name, abi);
	if (!abi || !regs)
		return;
	emit_hex(e, mask_name, mask);
	emit_list(e, name);
	for (unsigned i = 0, n = (unsigned)__builtin_popcountll(mask); i < n; i++)
		emit_hex(e, NULL, get_u64(regs + 8 * (size_t)i, be));
	emit_list_end(e);
}

static void emit_where(struct emit *e, const struct sample *s)
{
	if (has(s, SAMPLE_IP))
		emit_hex(e, "ip", s->ip);
	if (s->exact_ip)
		emit_bool(e, "exact_ip", true);
	if (has(s, SAMPLE_TID)) {
		emit_int(e, "pid", s->pid);
		emit_int(e, "tid", s->tid);
	}
	if (has(s, SAMPLE_ADDR))
		emit_hex(e, "addr", s->addr);
	if (has(s, SAMPLE_ID) || has(s, SAMPLE_IDENTIFIER))
		emit_uint(e, "id", s->id);
	if (has(s, SAMPLE_STREAM_ID))
		emit_uint(e, "stream_id", s->stream_id);
	if (has(s, SAMPLE_CPU))
		emit_uint(e, "cpu", s->cpu);
	if (has(s, SAMPLE_PERIOD))
		emit_uint(e, "period", s->period);
}

static void emit_small(struct emit *e, const struct sample *s)
{
	static const struct {
		enum sample_type bit;
		const char *name;
		size_t offset;
	} fields[] = {
		{ SAMPLE_WEIGHT, "weight", offsetof(struct sample, weight) },
		{ SAMPLE_WEIGHT_STRUCT, "weight_struct", offsetof(struct sample, weight) },
		{ SAMPLE_DATA_SRC, "data_src", offsetof(struct sample, data_src) },
		{ SAMPLE_TRANSACTION, "transaction", offsetof(struct sample, transaction) },
		{ SAMPLE_PHYS_ADDR, "phys_addr", offsetof(struct sample, phys_addr) },
		{ SAMPLE_CGROUP, "cgroup", offsetof(struct sample, cgroup) },
		{ SAMPLE_DATA_PAGE_SIZE, "data_page_size",
		  offsetof(struct sample, data_page_size) },
		{ SAMPLE_CODE_PAGE_SIZE, "code_page_size",
		  offsetof(struct sample, code_page_size) },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (has(s, fields[i].bit))
			emit_hex(e, fields[i].name,
				 *(const uint64_t *)((const char *)s + fields[i].offset));
}

void emit_sample(struct emit *e, const struct sample *s)
{
	emit_where(e, s);
	emit_small(e, s);
	if (has(s, SAMPLE_STACK_USER)) {
		emit_uint(e, "user_stack", s->stack_size);
		emit_uint(e, "user_stack_dumped", s->stack_dumped);
	}
	if (has(s, SAMPLE_AUX))
		emit_uint(e, "aux_size", s->aux_size);
	if (s->left)
		emit_uint(e, "bytes_not_known", s->left);
	if (has(s, SAMPLE_READ))
		emit_read(e, s);
	if (has(s, SAMPLE_CALLCHAIN))
		emit_chain(e, s);
	if (has(s, SAMPLE_RAW)) {
		emit_uint(e, "raw_size", s->raw_size);
		emit_bytes(e, "raw", s->raw, s->raw_size);
	}
	if (has(s, SAMPLE_BRANCH_STACK))
		emit_branches(e, s);
	if (has(s, SAMPLE_REGS_USER))
		emit_regs(e, "user_regs", s->user_abi, s->user_regs_mask, s->user_regs, s->be);
	if (has(s, SAMPLE_REGS_INTR))
		emit_regs(e, "intr_regs", s->intr_abi, s->intr_regs_mask, s->intr_regs, s->be);
}

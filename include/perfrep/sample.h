/* SPDX-License-Identifier: MIT */
/*
 * SAMPLE records, field by field in the order in which the kernel writes them
 * (perf_output_sample() in kernel/events/core.c).
 */
#ifndef PERFREP_SAMPLE_H
#define PERFREP_SAMPLE_H

#include <perfrep/record.h>

/* Callchain context markers; everything from CONTEXT_MAX up is a marker, not an address. */
#define CONTEXT_HV            ((uint64_t)-32)
#define CONTEXT_KERNEL        ((uint64_t)-128)
#define CONTEXT_USER          ((uint64_t)-512)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define CONTEXT_GUEST         ((uint64_t)-2048)
#define CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define CONTEXT_GUEST_USER    ((uint64_t)-2560)
#define CONTEXT_MAX           ((uint64_t)-4095)

struct branch_entry {
	uint64_t from, to;
	bool mispred, predicted, in_tx, abort;
	uint16_t cycles;
	uint8_t type, spec, new_type, priv;
};

/*
 * A decoded sample.  Pointers are borrowed from the record and hold file-order bytes: read them
 * with get_u64() or the accessors below.  Absent fields are 0 / NULL; `present` has the
 * sample_type bits that were decoded.
 */
struct sample {
	uint64_t present;
	uint64_t id, ip, time, addr, stream_id, period;
	int32_t pid, tid;
	uint32_t cpu;
	enum cpumode cpumode;
	bool exact_ip;
	bool be;
	/* READ */
	uint64_t read_nr; /* 1 without GROUP */
	uint64_t time_enabled, time_running;
	const uint8_t *read_values; /* read_nr entries; see sample_read_value() */
	uint64_t read_format;
	/* CALLCHAIN */
	uint64_t chain_nr;
	const uint8_t *chain;
	/* RAW */
	uint32_t raw_size;
	const uint8_t *raw;
	/* BRANCH_STACK */
	uint64_t branch_nr;
	uint64_t branch_hw_idx;
	bool branch_has_hw_idx;
	const uint8_t *branches;
	const uint8_t *branch_counters; /* branch_nr u64, or NULL */
	/* REGS_USER, REGS_INTR: one u64 for each bit of the mask, ascending; abi 0: none */
	uint64_t user_abi, user_regs_mask;
	const uint8_t *user_regs;
	uint64_t intr_abi, intr_regs_mask;
	const uint8_t *intr_regs;
	/* STACK_USER */
	uint64_t stack_size; /* bytes that are valid: dyn_size, at most what was dumped */
	uint64_t stack_dumped;
	const uint8_t *stack;
	uint64_t weight; /* the whole u64; WEIGHT_STRUCT packs three numbers in it */
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	uint64_t aux_size;
	const uint8_t *aux;
	uint64_t left; /* bytes behind the last known field */
};

/*
 * Decode REC, a SAMPLE of EVSEL.  Those of perf record --off-cpu are given as what they mean:
 * without SAMPLE_TIME when they are sums over the whole recording.  When EVSEL's sample_type has bits that this program doesn't
 * know, the fields before them are decoded and `left` is what remains.
 */
int sample_decode(const struct record *rec, const struct evsel *evsel, struct sample *out,
		  struct err *err);

uint64_t sample_chain_ip(const struct sample *s, uint64_t i);
struct record_read_value sample_read_value(const struct sample *s, uint64_t i);
struct branch_entry sample_branch(const struct sample *s, uint64_t i);
/* Register with perf's number REG; false when it is not in the mask or abi is 0. */
bool sample_user_reg(const struct sample *s, unsigned reg, uint64_t *out);

#endif

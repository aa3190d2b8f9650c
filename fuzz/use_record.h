/* SPDX-License-Identifier: MIT */
/* Decode a record and read every byte that the result points to. */
#ifndef PERFREP_FUZZ_USE_RECORD_H
#define PERFREP_FUZZ_USE_RECORD_H

#include <stdlib.h>
#include <string.h>

#include <perfrep/sample.h>

static volatile uint64_t use_sink; /* so that no read is optimised away */

static inline void use_bytes(const void *p, uint64_t n)
{
	const uint8_t *bytes = p;
	uint64_t sum = 0;

	for (uint64_t i = 0; p && i < n; i++)
		sum += bytes[i];
	use_sink += sum;
}

static inline void use_text(const char *s)
{
	if (s)
		use_sink += strlen(s);
}

static inline void use_sample(const struct sample *s)
{
	uint64_t reg;

	for (uint64_t i = 0; i < s->chain_nr; i++)
		use_sink += sample_chain_ip(s, i);
	for (uint64_t i = 0; s->present & SAMPLE_READ && i < s->read_nr; i++)
		use_sink += sample_read_value(s, i).value + sample_read_value(s, i).lost;
	for (uint64_t i = 0; i < s->branch_nr; i++)
		use_sink += sample_branch(s, i).to + sample_branch(s, i).cycles;
	for (unsigned i = 0; i < 70; i++)
		use_sink += sample_user_reg(s, i, &reg) ? reg : 0;
	use_bytes(s->raw, s->raw_size);
	use_bytes(s->branch_counters, s->branch_counters ? 8 * s->branch_nr : 0);
	use_bytes(s->stack, s->stack_size);
	use_bytes(s->intr_regs, 8 * (uint64_t)__builtin_popcountll(s->intr_regs_mask));
	use_bytes(s->aux, s->aux_size);
}

static inline void use_body(const struct record *rec, const struct record_body *b)
{
	switch (rec->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		use_text(b->mmap.filename);
		if (b->mmap.build_id.size > 20)
			abort();
		break;
	case RECORD_COMM:
		use_text(b->comm.comm);
		break;
	case RECORD_READ:
		use_bytes(b->read.values, 8 * b->read.nr);
		break;
	case RECORD_NAMESPACES:
		use_bytes(b->namespaces.entries, 16 * b->namespaces.nr);
		break;
	case RECORD_KSYMBOL:
		use_text(b->ksymbol.name);
		break;
	case RECORD_CGROUP:
		use_text(b->cgroup.path);
		break;
	case RECORD_TEXT_POKE:
		use_bytes(b->text_poke.bytes,
			  (uint64_t)b->text_poke.old_len + b->text_poke.new_len);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		use_bytes(b->deferred.ips, 8 * b->deferred.nr);
		break;
	case RECORD_EVENT_UPDATE:
		use_text(b->event_update.text);
		break;
	case RECORD_HEADER_BUILD_ID:
		use_text(b->build_id.filename);
		break;
	case RECORD_HEADER_EVENT_TYPE:
		use_bytes(b->event_type.name, b->event_type.name_len);
		break;
	case RECORD_THREAD_MAP:
	case RECORD_ID_INDEX:
	case RECORD_STAT_CONFIG:
		use_bytes(b->list.entries, b->list.nr * b->list.entry_size);
		break;
	case RECORD_CPU_MAP:
		use_bytes(b->cpu_map.data, b->cpu_map.size);
		break;
	case RECORD_HEADER_FEATURE:
		use_bytes(b->feature.data, b->feature.size);
		break;
	case RECORD_AUXTRACE_ERROR:
		use_text(b->auxtrace_error.msg);
		break;
	default:
		break;
	}
}

static inline void use_record(const struct evlist *evlist, const struct record *rec)
{
	const struct evsel *evsel = evlist_evsel(evlist, rec);
	struct err err = { 0 };
	int rc;

	use_bytes(rec->payload, rec->payload_size);
	use_text(record_type_name(rec->type));
	if (rec->type == RECORD_SAMPLE) {
		struct sample s;

		if (!evsel)
			return;
		rc = sample_decode(rec, evsel, &s, &err);
		if (rc == 0)
			use_sample(&s);
	} else {
		struct record_body body;

		rc = record_decode(rec, evsel, &body, &err);
		if (rc == 0)
			use_body(rec, &body);
	}
	if ((rc < 0) != (err.text[0] != 0))
		abort();
}

#endif

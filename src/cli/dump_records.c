/* SPDX-License-Identifier: MIT */
/* The fields of every record that is not a sample: a function for each layout, a table of types. */
#include "cli/dump_emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

#define EMITTER(name)                                                                      \
	static void name(struct emit *e, __attribute__((unused)) const struct record *rec, \
			 const struct record_body *b)

static void emit_build_id(struct emit *e, const struct build_id *id)
{
	if (id->size)
		emit_bytes(e, "build_id", id->bytes, id->size);
}

EMITTER(emit_mmap)
{
	const struct record_mmap *m = &b->mmap;
	char prot[8];

	emit_int(e, "pid", m->pid);
	emit_int(e, "tid", m->tid);
	emit_hex(e, "addr", m->addr);
	emit_hex(e, "len", m->len);
	emit_hex(e, "pgoff", m->pgoff);
	if (m->is_mmap2) {
		snprintf(prot, sizeof(prot), "%c%c%c%c", m->prot & 1 ? 'r' : '-',
			 m->prot & 2 ? 'w' : '-', m->prot & 4 ? 'x' : '-',
			 m->flags & 1 ? 's' : 'p');
		emit_text(e, "prot", prot);
		emit_hex(e, "flags", m->flags);
		emit_build_id(e, &m->build_id);
		if (!m->build_id.size) {
			emit_uint(e, "maj", m->maj);
			emit_uint(e, "min", m->min);
			emit_uint(e, "ino", m->ino);
			emit_uint(e, "ino_generation", m->ino_generation);
		}
	}
	emit_text(e, "filename", m->filename);
}

EMITTER(emit_comm)
{
	emit_int(e, "pid", b->comm.pid);
	emit_int(e, "tid", b->comm.tid);
	emit_bool(e, "exec", b->comm.exec);
	emit_text(e, "comm", b->comm.comm);
}

EMITTER(emit_task)
{
	emit_int(e, "pid", b->task.pid);
	emit_int(e, "ppid", b->task.ppid);
	emit_int(e, "tid", b->task.tid);
	emit_int(e, "ptid", b->task.ptid);
}

EMITTER(emit_lost)
{
	if (rec->type == RECORD_LOST)
		emit_uint(e, "event_id", b->lost.id);
	if (b->lost.filtered)
		emit_uint(e, "filtered", b->lost.filtered);
	else
		emit_uint(e, "lost", b->lost.lost);
}

EMITTER(emit_throttle)
{
	emit_uint(e, "event_id", b->throttle.id);
	emit_uint(e, "stream_id", b->throttle.stream_id);
}

EMITTER(emit_read)
{
	const struct record_read *r = &b->read;
	size_t words = 1 + !!(r->read_format & READ_ID) + !!(r->read_format & READ_LOST);

	emit_int(e, "pid", r->pid);
	emit_int(e, "tid", r->tid);
	emit_uint(e, "nr", r->nr);
	if (r->read_format & READ_TOTAL_TIME_ENABLED)
		emit_uint(e, "time_enabled", r->time_enabled);
	if (r->read_format & READ_TOTAL_TIME_RUNNING)
		emit_uint(e, "time_running", r->time_running);
	emit_list(e, "values");
	for (uint64_t i = 0; r->values && i < r->nr; i++)
		emit_uint(e, NULL, get_u64(r->values + i * words * 8, rec->be));
	emit_list_end(e);
}

EMITTER(emit_aux)
{
	emit_hex(e, "aux_offset", b->aux.offset);
	emit_hex(e, "aux_size", b->aux.size);
	emit_hex(e, "aux_flags", b->aux.flags);
}

EMITTER(emit_pids)
{
	emit_int(e, "pid", b->pids.pid);
	emit_int(e, "tid", b->pids.tid);
}

EMITTER(emit_switch)
{
	emit_text(e, "direction", b->sw.out ? "out" : "in");
	emit_bool(e, "preempt", b->sw.preempt);
	if (b->sw.cpu_wide) {
		emit_int(e, "next_prev_pid", b->sw.next_prev_pid);
		emit_int(e, "next_prev_tid", b->sw.next_prev_tid);
	}
}

EMITTER(emit_namespaces)
{
	emit_int(e, "pid", b->namespaces.pid);
	emit_int(e, "tid", b->namespaces.tid);
	emit_list(e, "dev_inode");
	for (uint64_t i = 0; i < 2 * b->namespaces.nr; i++)
		emit_uint(e, NULL, get_u64(b->namespaces.entries + i * 8, rec->be));
	emit_list_end(e);
}

EMITTER(emit_ksymbol)
{
	emit_hex(e, "addr", b->ksymbol.addr);
	emit_uint(e, "len", b->ksymbol.len);
	emit_uint(e, "ksym_type", b->ksymbol.ksym_type);
	emit_hex(e, "flags", b->ksymbol.flags);
	emit_text(e, "name", b->ksymbol.name);
}

EMITTER(emit_bpf_event)
{
	emit_uint(e, "bpf_type", b->bpf_event.type);
	emit_hex(e, "flags", b->bpf_event.flags);
	emit_uint(e, "bpf_id", b->bpf_event.id);
	emit_bytes(e, "tag", b->bpf_event.tag, sizeof(b->bpf_event.tag));
}

EMITTER(emit_cgroup)
{
	emit_uint(e, "cgroup", b->cgroup.id);
	emit_text(e, "path", b->cgroup.path);
}

EMITTER(emit_text_poke)
{
	const struct record_text_poke *p = &b->text_poke;

	emit_hex(e, "addr", p->addr);
	emit_bytes(e, "old", p->bytes, p->old_len);
	emit_bytes(e, "new", p->bytes ? p->bytes + p->old_len : NULL, p->new_len);
}

EMITTER(emit_hw_id)
{
	emit_hex(e, "hw_id", b->hw_id);
}

EMITTER(emit_deferred)
{
	emit_hex(e, "cookie", b->deferred.cookie);
	emit_list(e, "callchain");
	for (uint64_t i = 0; i < b->deferred.nr; i++)
		emit_hex(e, NULL, get_u64(b->deferred.ips + i * 8, rec->be));
	emit_list_end(e);
}

EMITTER(emit_stat)
{
	emit_uint(e, "event_id", b->stat.id);
	emit_uint(e, "stat_cpu", b->stat.cpu);
	emit_uint(e, "thread", b->stat.thread);
	emit_uint(e, "val", b->stat.val);
	emit_uint(e, "ena", b->stat.ena);
	emit_uint(e, "run", b->stat.run);
}

EMITTER(emit_stat_round)
{
	emit_text(e, "round", b->stat_round.type ? "final" : "interval");
	emit_uint(e, "stat_time", b->stat_round.time);
}

EMITTER(emit_event_update)
{
	static const char *const kinds[] = { "unit", "scale", "name", "cpus" };
	uint64_t type = b->event_update.type;

	emit_text(e, "update", type < 4 ? kinds[type] : "?");
	emit_uint(e, "event_id", b->event_update.id);
	if (type == 1)
		emit_real(e, "scale", b->event_update.scale);
	else if (type == 0 || type == 2)
		emit_text(e, "text", b->event_update.text);
}

EMITTER(emit_header_build_id)
{
	emit_int(e, "pid", b->build_id.pid);
	emit_build_id(e, &b->build_id.build_id);
	emit_text(e, "filename", b->build_id.filename);
}

EMITTER(emit_time_conv)
{
	emit_uint(e, "shift", b->time_conv.shift);
	emit_uint(e, "mult", b->time_conv.mult);
	emit_uint(e, "zero", b->time_conv.zero);
	emit_uint(e, "cycles", b->time_conv.cycles);
	emit_hex(e, "mask", b->time_conv.mask);
	emit_bool(e, "cap_zero", b->time_conv.cap_zero);
	emit_bool(e, "cap_short", b->time_conv.cap_short);
}

EMITTER(emit_auxtrace)
{
	emit_hex(e, "aux_size", b->auxtrace.size);
	emit_hex(e, "aux_offset", b->auxtrace.offset);
	emit_hex(e, "reference", b->auxtrace.reference);
	emit_uint(e, "idx", b->auxtrace.idx);
	emit_int(e, "aux_tid", (int32_t)b->auxtrace.tid);
	emit_int(e, "aux_cpu", (int32_t)b->auxtrace.cpu);
}

/* Fixed-size entries: the u64 words of each; THREAD_MAP's second half is a comm. */
EMITTER(emit_entries)
{
	const struct record_list *l = &b->list;
	bool comms = rec->type == RECORD_THREAD_MAP;

	emit_list(e, "entries");
	for (uint64_t i = 0; i < l->nr; i++) {
		const uint8_t *p = l->entries + i * l->entry_size;

		for (uint32_t at = 0; at + 8 <= l->entry_size && !(comms && at); at += 8)
			emit_uint(e, NULL, get_u64(p + at, rec->be));
		if (comms && l->entry_size >= 24) {
			char comm[17] = { 0 };

			memcpy(comm, p + 8, 16);
			emit_text(e, NULL, comm);
		}
	}
	emit_list_end(e);
}

EMITTER(emit_cpu_map)
{
	emit_uint(e, "map_type", b->cpu_map.type);
	emit_bytes(e, "data", b->cpu_map.data, b->cpu_map.size);
}

EMITTER(emit_event_type)
{
	char *name = strndup(b->event_type.name ? b->event_type.name : "", b->event_type.name_len);

	emit_uint(e, "config", b->event_type.id);
	emit_text(e, "name", name);
	free(name);
}

EMITTER(emit_auxtrace_info)
{
	emit_uint(e, "auxtrace_type", b->auxtrace_info.type);
}

EMITTER(emit_auxtrace_error)
{
	emit_uint(e, "error_type", b->auxtrace_error.type);
	emit_uint(e, "code", b->auxtrace_error.code);
	emit_int(e, "error_cpu", (int32_t)b->auxtrace_error.cpu);
	emit_int(e, "pid", b->auxtrace_error.pid);
	emit_int(e, "tid", b->auxtrace_error.tid);
	emit_hex(e, "ip", b->auxtrace_error.ip);
	emit_text(e, "msg", b->auxtrace_error.msg);
}

EMITTER(emit_schedstat)
{
	emit_uint(e, "timestamp", b->schedstat.timestamp);
	emit_uint(e, "sched_cpu", b->schedstat.cpu);
	emit_uint(e, "version", b->schedstat.version);
	if (rec->type == RECORD_SCHEDSTAT_DOMAIN)
		emit_uint(e, "domain", b->schedstat.domain);
}

typedef void emitter_fn(struct emit *e, const struct record *rec, const struct record_body *b);

/* By type; HEADER_FEATURE is shown by its caller, who knows the names of features. */
static emitter_fn *const emitters[] = {
	[RECORD_MMAP] = emit_mmap,
	[RECORD_MMAP2] = emit_mmap,
	[RECORD_LOST] = emit_lost,
	[RECORD_LOST_SAMPLES] = emit_lost,
	[RECORD_COMM] = emit_comm,
	[RECORD_EXIT] = emit_task,
	[RECORD_FORK] = emit_task,
	[RECORD_THROTTLE] = emit_throttle,
	[RECORD_UNTHROTTLE] = emit_throttle,
	[RECORD_READ] = emit_read,
	[RECORD_AUX] = emit_aux,
	[RECORD_ITRACE_START] = emit_pids,
	[RECORD_SWITCH] = emit_switch,
	[RECORD_SWITCH_CPU_WIDE] = emit_switch,
	[RECORD_NAMESPACES] = emit_namespaces,
	[RECORD_KSYMBOL] = emit_ksymbol,
	[RECORD_BPF_EVENT] = emit_bpf_event,
	[RECORD_CGROUP] = emit_cgroup,
	[RECORD_TEXT_POKE] = emit_text_poke,
	[RECORD_AUX_OUTPUT_HW_ID] = emit_hw_id,
	[RECORD_CALLCHAIN_DEFERRED] = emit_deferred,
	[RECORD_HEADER_EVENT_TYPE] = emit_event_type,
	[RECORD_HEADER_BUILD_ID] = emit_header_build_id,
	[RECORD_ID_INDEX] = emit_entries,
	[RECORD_AUXTRACE_INFO] = emit_auxtrace_info,
	[RECORD_AUXTRACE] = emit_auxtrace,
	[RECORD_AUXTRACE_ERROR] = emit_auxtrace_error,
	[RECORD_THREAD_MAP] = emit_entries,
	[RECORD_CPU_MAP] = emit_cpu_map,
	[RECORD_STAT_CONFIG] = emit_entries,
	[RECORD_STAT] = emit_stat,
	[RECORD_STAT_ROUND] = emit_stat_round,
	[RECORD_EVENT_UPDATE] = emit_event_update,
	[RECORD_TIME_CONV] = emit_time_conv,
	[RECORD_SCHEDSTAT_CPU] = emit_schedstat,
	[RECORD_SCHEDSTAT_DOMAIN] = emit_schedstat,
};

void emit_body(struct emit *e, const struct record *rec, const struct record_body *body)
{
	if (rec->type < sizeof(emitters) / sizeof(*emitters) && emitters[rec->type])
		emitters[rec->type](e, rec, body);
}

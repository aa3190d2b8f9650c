/* SPDX-License-Identifier: MIT */
/*
 * The bodies of all records that are not samples.  Each type has one small function that reads
 * its fields in order from a cursor over the body, without the header and the trailer; a body
 * that is too short, or a string without its NUL, leaves the cursor bad, and that is found out
 * once, at the end.
 */
#include <perfrep/record.h>

#include <string.h>

#include "base/cursor.h"
#include "perfdata/record_layout.h"

typedef void decode_fn(struct cursor *c, const struct record *rec, const struct evsel *evsel,
		       struct record_body *out);

#define DECODER(name)                                                                        \
	static void name(struct cursor *c, __attribute__((unused)) const struct record *rec, \
			 __attribute__((unused)) const struct evsel *evsel,                  \
			 struct record_body *out)

DECODER(decode_mmap)
{
	struct record_mmap *m = &out->mmap;

	m->pid = (int32_t)cursor_u32(c);
	m->tid = (int32_t)cursor_u32(c);
	m->addr = cursor_u64(c);
	m->len = cursor_u64(c);
	m->pgoff = cursor_u64(c);
	m->filename = cursor_cstr(c);
}

/* 24 bytes: the length, padding, the id. */
static void decode_build_id_form(struct cursor *c, struct build_id *out)
{
	const uint8_t *p = cursor_bytes(c, 24);

	if (!p)
		return;
	out->size = p[0] < sizeof(out->bytes) ? p[0] : sizeof(out->bytes);
	memcpy(out->bytes, p + 4, out->size);
}

DECODER(decode_mmap2)
{
	struct record_mmap *m = &out->mmap;

	m->is_mmap2 = true;
	m->pid = (int32_t)cursor_u32(c);
	m->tid = (int32_t)cursor_u32(c);
	m->addr = cursor_u64(c);
	m->len = cursor_u64(c);
	m->pgoff = cursor_u64(c);
	if (rec->misc & MISC_MMAP_BUILD_ID) {
		decode_build_id_form(c, &m->build_id);
	} else {
		m->maj = cursor_u32(c);
		m->min = cursor_u32(c);
		m->ino = cursor_u64(c);
		m->ino_generation = cursor_u64(c);
	}
	m->prot = cursor_u32(c);
	m->flags = cursor_u32(c);
	m->filename = cursor_cstr(c);
}

DECODER(decode_lost)
{
	out->lost.id = cursor_u64(c);
	out->lost.lost = cursor_u64(c);
}

DECODER(decode_lost_samples)
{
	uint64_t n = cursor_u64(c);

	if (rec->misc & MISC_LOST_SAMPLES_BPF)
		out->lost.filtered = n;
	else
		out->lost.lost = n;
}

DECODER(decode_comm)
{
	out->comm.pid = (int32_t)cursor_u32(c);
	out->comm.tid = (int32_t)cursor_u32(c);
	out->comm.comm = cursor_cstr(c);
	out->comm.exec = rec->misc & MISC_COMM_EXEC;
}

DECODER(decode_task)
{
	struct record_task *t = &out->task;

	t->pid = (int32_t)cursor_u32(c);
	t->ppid = (int32_t)cursor_u32(c);
	t->tid = (int32_t)cursor_u32(c);
	t->ptid = (int32_t)cursor_u32(c);
	t->time = cursor_u64(c);
}

DECODER(decode_throttle)
{
	out->throttle.time = cursor_u64(c);
	out->throttle.id = cursor_u64(c);
	out->throttle.stream_id = cursor_u64(c);
}

DECODER(decode_read)
{
	struct record_read *r = &out->read;
	uint64_t format = evsel ? evsel->attr.read_format : 0;
	size_t each = 8 * (1 + !!(format & READ_ID) + !!(format & READ_LOST));

	r->read_format = format;
	r->pid = (int32_t)cursor_u32(c);
	r->tid = (int32_t)cursor_u32(c);
	r->nr = 1;
	if (!(format & READ_GROUP))
		r->values = c->p; /* the value is before the times, its id behind them */
	else
		r->nr = cursor_u64(c);
	if (!(format & READ_GROUP))
		cursor_u64(c);
	if (format & READ_TOTAL_TIME_ENABLED)
		r->time_enabled = cursor_u64(c);
	if (format & READ_TOTAL_TIME_RUNNING)
		r->time_running = cursor_u64(c);
	if (!(format & READ_GROUP)) {
		cursor_bytes(c, each - 8);
		return;
	}
	r->values = c->p;
	if (!cursor_has(c, r->nr, each))
		c->bad = true;
}

DECODER(decode_aux)
{
	out->aux.offset = cursor_u64(c);
	out->aux.size = cursor_u64(c);
	out->aux.flags = cursor_u64(c);
}

DECODER(decode_pids)
{
	out->pids.pid = (int32_t)cursor_u32(c);
	out->pids.tid = (int32_t)cursor_u32(c);
}

DECODER(decode_switch)
{
	struct record_switch *s = &out->sw;

	s->out = rec->misc & MISC_SWITCH_OUT;
	s->preempt = s->out && rec->misc & MISC_SWITCH_OUT_PREEMPT;
	s->cpu_wide = rec->type == RECORD_SWITCH_CPU_WIDE;
	s->next_prev_pid = s->next_prev_tid = -1;
	if (!s->cpu_wide)
		return;
	s->next_prev_pid = (int32_t)cursor_u32(c);
	s->next_prev_tid = (int32_t)cursor_u32(c);
}

DECODER(decode_namespaces)
{
	struct record_namespaces *n = &out->namespaces;

	n->pid = (int32_t)cursor_u32(c);
	n->tid = (int32_t)cursor_u32(c);
	n->nr = cursor_u64(c);
	n->entries = c->p;
	if (!cursor_has(c, n->nr, 16))
		c->bad = true;
}

DECODER(decode_ksymbol)
{
	struct record_ksymbol *k = &out->ksymbol;

	k->addr = cursor_u64(c);
	k->len = cursor_u32(c);
	k->ksym_type = cursor_u16(c);
	k->flags = cursor_u16(c);
	k->name = cursor_cstr(c);
}

DECODER(decode_bpf_event)
{
	const uint8_t *tag;

	out->bpf_event.type = cursor_u16(c);
	out->bpf_event.flags = cursor_u16(c);
	out->bpf_event.id = cursor_u32(c);
	tag = cursor_bytes(c, sizeof(out->bpf_event.tag));
	if (tag)
		memcpy(out->bpf_event.tag, tag, sizeof(out->bpf_event.tag));
}

DECODER(decode_cgroup)
{
	out->cgroup.id = cursor_u64(c);
	out->cgroup.path = cursor_cstr(c);
}

DECODER(decode_text_poke)
{
	struct record_text_poke *t = &out->text_poke;

	t->addr = cursor_u64(c);
	t->old_len = cursor_u16(c);
	t->new_len = cursor_u16(c);
	t->bytes = cursor_bytes(c, (uint64_t)t->old_len + t->new_len);
}

DECODER(decode_hw_id)
{
	out->hw_id = cursor_u64(c);
}

DECODER(decode_deferred)
{
	struct record_deferred *d = &out->deferred;

	d->cookie = cursor_u64(c);
	d->nr = cursor_u64(c);
	d->ips = c->p;
	if (!cursor_has(c, d->nr, 8))
		c->bad = true;
}

DECODER(decode_event_type)
{
	out->event_type.id = cursor_u64(c);
	/* the array of 64 is cut to the name, padded to 8: maybe without a NUL */
	out->event_type.name = (const char *)c->p;
	out->event_type.name_len = (uint32_t)strnlen((const char *)c->p, cursor_left(c));
}

DECODER(decode_build_id)
{
	struct record_build_id *b = &out->build_id;
	const uint8_t *id;

	b->pid = (int32_t)cursor_u32(c);
	id = cursor_bytes(c, 24);
	if (!id)
		return;
	b->build_id.size = sizeof(b->build_id.bytes);
	if (rec->misc & MISC_BUILD_ID_SIZE && id[20] < sizeof(b->build_id.bytes))
		b->build_id.size = id[20];
	memcpy(b->build_id.bytes, id, b->build_id.size);
	b->filename = cursor_cstr(c);
}

DECODER(decode_list)
{
	struct record_list *l = &out->list;

	l->entry_size = rec->type == RECORD_THREAD_MAP ? 24
			: rec->type == RECORD_ID_INDEX ? 32
						       : 16;
	l->nr = cursor_u64(c);
	l->entries = c->p;
	if (!cursor_has(c, l->nr, l->entry_size))
		c->bad = true;
}

DECODER(decode_auxtrace_info)
{
	out->auxtrace_info.type = cursor_u32(c);
}

DECODER(decode_auxtrace)
{
	struct record_auxtrace *a = &out->auxtrace;

	a->size = cursor_u64(c);
	a->offset = cursor_u64(c);
	a->reference = cursor_u64(c);
	a->idx = cursor_u32(c);
	a->tid = cursor_u32(c);
	a->cpu = cursor_u32(c);
}

DECODER(decode_auxtrace_error)
{
	struct record_auxtrace_error *e = &out->auxtrace_error;
	uint32_t fmt;

	e->type = cursor_u32(c);
	e->code = cursor_u32(c);
	e->cpu = cursor_u32(c);
	e->pid = (int32_t)cursor_u32(c);
	e->tid = (int32_t)cursor_u32(c);
	fmt = cursor_u32(c);
	e->ip = cursor_u64(c);
	if (fmt >= 1)
		cursor_u64(c); /* time */
	e->msg = cursor_cstr(c);
}

DECODER(decode_cpu_map)
{
	out->cpu_map.type = cursor_u16(c);
	out->cpu_map.size = (uint32_t)cursor_left(c);
	out->cpu_map.data = cursor_bytes(c, cursor_left(c));
}

DECODER(decode_stat)
{
	struct record_stat *s = &out->stat;

	s->id = cursor_u64(c);
	s->cpu = cursor_u32(c);
	s->thread = cursor_u32(c);
	s->val = cursor_u64(c);
	s->ena = cursor_u64(c);
	s->run = cursor_u64(c);
}

DECODER(decode_stat_round)
{
	out->stat_round.type = cursor_u64(c);
	out->stat_round.time = cursor_u64(c);
}

DECODER(decode_event_update)
{
	struct record_event_update *u = &out->event_update;
	uint64_t bits;

	u->type = cursor_u64(c);
	u->id = cursor_u64(c);
	if (u->type == 0 || u->type == 2) {
		u->text = cursor_cstr(c);
	} else if (u->type == 1) {
		bits = cursor_u64(c);
		memcpy(&u->scale, &bits, sizeof(bits));
	}
}

DECODER(decode_time_conv)
{
	struct record_time_conv *t = &out->time_conv;

	t->shift = cursor_u64(c);
	t->mult = cursor_u64(c);
	t->zero = cursor_u64(c);
	if (rec->size < 56)
		return;
	t->cycles = cursor_u64(c);
	t->mask = cursor_u64(c);
	t->cap_zero = cursor_u8(c) != 0;
	t->cap_short = cursor_u8(c) != 0;
}

DECODER(decode_feature)
{
	out->feature.id = cursor_u64(c);
	out->feature.size = (uint32_t)cursor_left(c);
	out->feature.data = cursor_bytes(c, cursor_left(c));
}

DECODER(decode_schedstat)
{
	struct record_schedstat *s = &out->schedstat;

	s->timestamp = cursor_u64(c);
	s->cpu = cursor_u32(c);
	s->version = cursor_u16(c);
	s->domain = cursor_u16(c);
	if (rec->type == RECORD_SCHEDSTAT_CPU)
		s->domain = 0;
}

static decode_fn *const decoders[] = {
	[RECORD_MMAP] = decode_mmap,
	[RECORD_LOST] = decode_lost,
	[RECORD_COMM] = decode_comm,
	[RECORD_EXIT] = decode_task,
	[RECORD_THROTTLE] = decode_throttle,
	[RECORD_UNTHROTTLE] = decode_throttle,
	[RECORD_FORK] = decode_task,
	[RECORD_READ] = decode_read,
	[RECORD_MMAP2] = decode_mmap2,
	[RECORD_AUX] = decode_aux,
	[RECORD_ITRACE_START] = decode_pids,
	[RECORD_LOST_SAMPLES] = decode_lost_samples,
	[RECORD_SWITCH] = decode_switch,
	[RECORD_SWITCH_CPU_WIDE] = decode_switch,
	[RECORD_NAMESPACES] = decode_namespaces,
	[RECORD_KSYMBOL] = decode_ksymbol,
	[RECORD_BPF_EVENT] = decode_bpf_event,
	[RECORD_CGROUP] = decode_cgroup,
	[RECORD_TEXT_POKE] = decode_text_poke,
	[RECORD_AUX_OUTPUT_HW_ID] = decode_hw_id,
	[RECORD_CALLCHAIN_DEFERRED] = decode_deferred,
	[RECORD_HEADER_EVENT_TYPE] = decode_event_type,
	[RECORD_HEADER_BUILD_ID] = decode_build_id,
	[RECORD_ID_INDEX] = decode_list,
	[RECORD_AUXTRACE_INFO] = decode_auxtrace_info,
	[RECORD_AUXTRACE] = decode_auxtrace,
	[RECORD_AUXTRACE_ERROR] = decode_auxtrace_error,
	[RECORD_THREAD_MAP] = decode_list,
	[RECORD_CPU_MAP] = decode_cpu_map,
	[RECORD_STAT_CONFIG] = decode_list,
	[RECORD_STAT] = decode_stat,
	[RECORD_STAT_ROUND] = decode_stat_round,
	[RECORD_EVENT_UPDATE] = decode_event_update,
	[RECORD_TIME_CONV] = decode_time_conv,
	[RECORD_HEADER_FEATURE] = decode_feature,
	[RECORD_SCHEDSTAT_CPU] = decode_schedstat,
	[RECORD_SCHEDSTAT_DOMAIN] = decode_schedstat,
};

int record_decode(const struct record *rec, const struct evsel *evsel, struct record_body *out,
		  struct err *err)
{
	uint32_t trailer;
	struct cursor c;

	memset(out, 0, sizeof(*out));
	if (rec->size < 8)
		return err_set(err, ERR_FORMAT,
			       "a record at offset 0x%llx has size %u, expected 8 or more",
			       (unsigned long long)rec->file_offset, rec->size);
	trailer = record_trailer(rec, evsel);
	out->id = record_sample_id(rec, evsel);
	if (rec->type >= sizeof(decoders) / sizeof(decoders[0]) || !decoders[rec->type])
		return 1;
	c = cursor_init(rec->data + 8, rec->size - 8 - trailer, rec->be);
	decoders[rec->type](&c, rec, evsel, out);
	if (!c.bad && rec->size >= record_min_size(rec->type))
		return 0;
	return err_set(err, ERR_FORMAT,
		       "the %s record at offset 0x%llx is malformed: its %u bytes end before its "
		       "last field does",
		       record_type_name(rec->type), (unsigned long long)rec->file_offset,
		       rec->size);
}

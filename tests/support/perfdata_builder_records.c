/* SPDX-License-Identifier: MIT */
/*
 * The records of the kernel other than SAMPLE and READ, each with its sample_id trailer.
 * Layouts: the PERF_RECORD_* comments of include/uapi/linux/perf_event.h.
 */
#include "perfdata_builder_private.h"

static void begin_task(struct builder *b, uint32_t type, uint16_t misc, uint32_t pid, uint32_t tid)
{
	builder_begin(b, type, misc);
	builder_u32(b, pid);
	builder_u32(b, tid ? tid : pid);
}

static void end_at(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid)
{
	builder_trailer(b, time, pid, tid);
	builder_end(b);
}

static void begin_mmap(struct builder *b, uint32_t type, uint16_t form,
		       const struct builder_mmap *m)
{
	uint16_t misc = m->misc ? m->misc : CPUMODE_USER;

	/* tid 0 is right for the kernel's maps, whose pid is -1 */
	builder_begin(b, type, misc | form);
	builder_u32(b, m->pid);
	builder_u32(b, m->tid || m->pid == UINT32_MAX ? m->tid : m->pid);
	builder_u64(b, m->addr);
	builder_u64(b, m->len);
	builder_u64(b, m->pgoff);
}

void builder_mmap(struct builder *b, const struct builder_mmap *m)
{
	begin_mmap(b, RECORD_MMAP, 0, m);
	builder_cstr(b, m->filename, 8);
	end_at(b, m->time, m->pid, m->tid);
}

static void put_build_id(struct builder *b, const struct builder_mmap *m)
{
	uint8_t size = m->build_id_size ? m->build_id_size : 20;
	uint8_t stored = size < 20 ? size : 20;

	builder_len(b, 1, size, "MMAP2.build_id_size");
	builder_bytes(b, NULL, 3);
	builder_bytes(b, m->build_id, stored);
	builder_bytes(b, NULL, 20u - stored);
}

void builder_mmap2(struct builder *b, const struct builder_mmap *m)
{
	begin_mmap(b, RECORD_MMAP2, m->build_id ? MISC_MMAP_BUILD_ID : 0, m);
	if (m->build_id) {
		put_build_id(b, m);
	} else {
		builder_u32(b, m->maj);
		builder_u32(b, m->min);
		builder_u64(b, m->ino);
		builder_u64(b, m->ino_generation);
	}
	builder_u32(b, m->prot ? m->prot : 5);
	builder_u32(b, m->flags ? m->flags : 2);
	builder_cstr(b, m->filename, 8);
	end_at(b, m->time, m->pid, m->tid);
}

static void put_comm(struct builder *b, uint16_t misc, uint64_t time, uint32_t pid, uint32_t tid,
		     const char *comm)
{
	begin_task(b, RECORD_COMM, misc, pid, tid);
	builder_cstr(b, comm, 8);
	end_at(b, time, pid, tid);
}

void builder_comm(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid, const char *comm)
{
	put_comm(b, 0, time, pid, tid, comm);
}

void builder_exec(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid, const char *comm)
{
	put_comm(b, MISC_COMM_EXEC, time, pid, tid, comm);
}

static void put_task(struct builder *b, uint32_t type, uint16_t misc, uint64_t time,
		     const uint32_t ids[4])
{
	builder_begin(b, type, misc);
	for (int i = 0; i < 4; i++)
		builder_u32(b, ids[i]);
	builder_u64(b, time);
	end_at(b, time, ids[0], ids[2]);
}

void builder_fork(struct builder *b, uint64_t time, uint32_t pid, uint32_t ppid, uint32_t tid,
		  uint32_t ptid)
{
	put_task(b, RECORD_FORK, 0, time, (uint32_t[]){ pid, ppid, tid, ptid });
}

void builder_fork_synthesized(struct builder *b, uint32_t pid, uint32_t ppid, uint32_t tid,
			      uint32_t ptid)
{
	put_task(b, RECORD_FORK, MISC_FORK_EXEC, 0, (uint32_t[]){ pid, ppid, tid, ptid });
}

void builder_exit(struct builder *b, uint64_t time, uint32_t pid, uint32_t ppid, uint32_t tid,
		  uint32_t ptid)
{
	put_task(b, RECORD_EXIT, 0, time, (uint32_t[]){ pid, ppid, tid, ptid });
}

void builder_lost(struct builder *b, uint64_t time, uint64_t id, uint64_t lost)
{
	builder_begin(b, RECORD_LOST, 0);
	builder_u64(b, id);
	builder_u64(b, lost);
	end_at(b, time, 0, 0);
}

void builder_lost_samples(struct builder *b, uint64_t time, uint16_t misc, uint64_t lost)
{
	builder_begin(b, RECORD_LOST_SAMPLES, misc);
	builder_u64(b, lost);
	end_at(b, time, 0, 0);
}

void builder_throttle(struct builder *b, uint64_t time, bool unthrottle, uint64_t id,
		      uint64_t stream_id)
{
	builder_begin(b, unthrottle ? RECORD_UNTHROTTLE : RECORD_THROTTLE, 0);
	builder_u64(b, time);
	builder_u64(b, id);
	builder_u64(b, stream_id);
	end_at(b, time, 0, 0);
}

void builder_aux(struct builder *b, uint64_t time, uint64_t offset, uint64_t size, uint64_t flags)
{
	builder_begin(b, RECORD_AUX, 0);
	builder_u64(b, offset);
	builder_u64(b, size);
	builder_u64(b, flags);
	end_at(b, time, 0, 0);
}

void builder_itrace_start(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid)
{
	begin_task(b, RECORD_ITRACE_START, 0, pid, tid);
	end_at(b, time, pid, tid);
}

void builder_switch(struct builder *b, uint64_t time, uint16_t misc, uint32_t pid, uint32_t tid)
{
	builder_begin(b, RECORD_SWITCH, misc);
	end_at(b, time, pid, tid);
}

void builder_switch_of(struct builder *b, uint64_t time, uint16_t misc, uint32_t pid, uint32_t tid,
		       uint32_t next_prev_pid, uint32_t next_prev_tid)
{
	builder_begin(b, RECORD_SWITCH_CPU_WIDE, misc);
	builder_u32(b, next_prev_pid);
	builder_u32(b, next_prev_tid);
	end_at(b, time, pid, tid);
}

void builder_switch_cpu_wide(struct builder *b, uint64_t time, uint16_t misc,
			     uint32_t next_prev_pid, uint32_t next_prev_tid)
{
	builder_switch_of(b, time, misc, 0, 0, next_prev_pid, next_prev_tid);
}

void builder_namespaces(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid,
			const uint64_t *entries, uint64_t nr)
{
	begin_task(b, RECORD_NAMESPACES, 0, pid, tid);
	builder_len(b, 8, nr, "NAMESPACES.nr");
	for (uint64_t i = 0; i < 2 * nr; i++)
		builder_u64(b, entries[i]);
	end_at(b, time, pid, tid);
}

void builder_ksymbol(struct builder *b, uint64_t time, uint64_t addr, uint32_t len, uint16_t type,
		     uint16_t flags, const char *name)
{
	builder_begin(b, RECORD_KSYMBOL, 0);
	builder_u64(b, addr);
	builder_u32(b, len);
	builder_u16(b, type);
	builder_u16(b, flags);
	builder_cstr(b, name, 8);
	end_at(b, time, 0, 0);
}

void builder_bpf_event(struct builder *b, uint64_t time, uint16_t type, uint16_t flags, uint32_t id,
		       const uint8_t tag[8])
{
	builder_begin(b, RECORD_BPF_EVENT, 0);
	builder_u16(b, type);
	builder_u16(b, flags);
	builder_u32(b, id);
	builder_bytes(b, tag, 8);
	end_at(b, time, 0, 0);
}

void builder_cgroup(struct builder *b, uint64_t time, uint64_t id, const char *path)
{
	builder_begin(b, RECORD_CGROUP, 0);
	builder_u64(b, id);
	builder_cstr(b, path, 8);
	end_at(b, time, 0, 0);
}

void builder_text_poke(struct builder *b, uint64_t time, uint64_t addr, const void *old_bytes,
		       uint16_t old_len, const void *new_bytes, uint16_t new_len)
{
	size_t head = 8 + 8 + 4 + (size_t)old_len + new_len;

	builder_begin(b, RECORD_TEXT_POKE, 0);
	builder_u64(b, addr);
	builder_len(b, 2, old_len, "TEXT_POKE.old_len");
	builder_len(b, 2, new_len, "TEXT_POKE.new_len");
	builder_bytes(b, old_bytes, old_len);
	builder_bytes(b, new_bytes, new_len);
	builder_bytes(b, NULL, (8 - head % 8) % 8);
	end_at(b, time, 0, 0);
}

void builder_hw_id(struct builder *b, uint64_t time, uint64_t hw_id)
{
	builder_begin(b, RECORD_AUX_OUTPUT_HW_ID, 0);
	builder_u64(b, hw_id);
	end_at(b, time, 0, 0);
}

void builder_deferred(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid, uint64_t cookie,
		      const uint64_t *ips, uint64_t nr)
{
	builder_begin(b, RECORD_CALLCHAIN_DEFERRED, CPUMODE_USER);
	builder_u64(b, cookie);
	builder_len(b, 8, nr, "CALLCHAIN_DEFERRED.nr");
	for (uint64_t i = 0; i < nr; i++)
		builder_u64(b, ips[i]);
	end_at(b, time, pid, tid);
}

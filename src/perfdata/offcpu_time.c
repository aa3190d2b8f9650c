/* SPDX-License-Identifier: MIT */
/*
 * perf record --off-cpu has a program in the kernel add up how long threads wait, by stack, and
 * writes the sums as samples of an event named offcpu-time (tools/perf/util/bpf_off_cpu.c).
 *
 * Since perf 6.15 what such a sample says is in its raw data: u32 pid, u32 tid, u64 period in ns,
 * u64 n, n entries of a chain, u64 cgroup; its own fields are those of whoever wrote it.  Waits
 * beyond --off-cpu-thresh come when they end.  The sums of the others are written last, and have
 * a time that is none, but later than all.
 */
#include "perfdata/offcpu_time.h"

#include <string.h>

#include "base/cursor.h"

#define BPF_OUTPUT 10 /* PERF_COUNT_SW_BPF_OUTPUT */
#define NO_TIME    (UINT64_MAX << 32)

bool evsel_is_offcpu_time(const struct evsel *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == BPF_OUTPUT &&
	       !strcmp(e->name, "offcpu-time");
}

bool evsel_has_chains(const struct evsel *e)
{
	return e->attr.sample_type & SAMPLE_CALLCHAIN ||
	       (e->attr.sample_type & SAMPLE_RAW && evsel_is_offcpu_time(e));
}

/* The leaf: the first entry that is an address. */
static void take_ip(struct sample *s)
{
	uint64_t i = 0;

	while (i < s->chain_nr && sample_chain_ip(s, i) >= CONTEXT_MAX)
		i++;
	if (i == s->chain_nr)
		return;
	s->ip = sample_chain_ip(s, i);
	s->cpumode = CPUMODE_USER;
	if (i && sample_chain_ip(s, i - 1) == CONTEXT_KERNEL)
		s->cpumode = CPUMODE_KERNEL;
	s->present |= SAMPLE_IP;
}

static bool take_raw(struct sample *s)
{
	struct cursor c = cursor_init(s->raw, s->raw_size, s->be);

	s->pid = (int32_t)cursor_u32(&c);
	s->tid = (int32_t)cursor_u32(&c);
	s->period = cursor_u64(&c);
	s->chain_nr = cursor_u64(&c);
	if (c.bad || !cursor_has(&c, s->chain_nr, 8)) {
		s->chain_nr = 0;
		return false;
	}
	s->chain = cursor_bytes(&c, s->chain_nr * 8);
	s->cgroup = cursor_u64(&c);
	s->present |= SAMPLE_TID | SAMPLE_PERIOD | SAMPLE_CALLCHAIN | SAMPLE_CGROUP;
	take_ip(s);
	return !c.bad;
}

bool offcpu_time_take(struct sample *s, const struct evsel *evsel)
{
	if (evsel->attr.config != BPF_OUTPUT || !evsel_is_offcpu_time(evsel))
		return true;
	if (s->time == NO_TIME)
		s->present &= ~(uint64_t)SAMPLE_TIME;
	return !(s->present & SAMPLE_RAW) || take_raw(s);
}

/* SPDX-License-Identifier: MIT */
/*
 * Clocks around the steps of a run: the monotonic one, and the process's CPU time from
 * getrusage().  A step is what lies between two calls, so nothing is lost between steps and the
 * sum of all is the time of the whole.
 */
#include <perfrep/timings.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t ns_of(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000000u + (uint64_t)tv->tv_usec * 1000u;
}

static struct step_time now(void)
{
	struct step_time t = { 0 };
	struct timespec ts;
	struct rusage ru;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) == 0)
		t.wall_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	if (getrusage(RUSAGE_SELF, &ru) == 0) {
		t.user_ns = ns_of(&ru.ru_utime);
		t.sys_ns = ns_of(&ru.ru_stime);
	}
	return t;
}

/* The kernel scales user and system time to what the scheduler counted: one may go back. */
static uint64_t since(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Resident pages that are not mapped from files: the second number less the third. */
static uint64_t own_memory(void)
{
	unsigned long long resident, shared;
	FILE *f = fopen("/proc/self/statm", "re");
	uint64_t own = 0;

	if (f && fscanf(f, "%*u %llu %llu", &resident, &shared) == 2)
		own = since(resident, shared) * (uint64_t)sysconf(_SC_PAGESIZE);
	if (f)
		fclose(f);
	return own;
}

void timings_start(struct timings *t)
{
	*t = (struct timings){ .last = now() };
}

void timings_step(struct timings *t, enum step step)
{
	struct step_time n = now();
	struct step_time *s = &t->step[step];
	uint64_t own = own_memory();

	s->wall_ns += since(n.wall_ns, t->last.wall_ns);
	s->user_ns += since(n.user_ns, t->last.user_ns);
	s->sys_ns += since(n.sys_ns, t->last.sys_ns);
	t->last = n;
	t->peak_own = own > t->peak_own ? own : t->peak_own;
}

struct step_time timings_total(const struct timings *t)
{
	struct step_time sum = { 0 };

	for (int i = 0; i < STEP_MAX; i++) {
		sum.wall_ns += t->step[i].wall_ns;
		sum.user_ns += t->step[i].user_ns;
		sum.sys_ns += t->step[i].sys_ns;
	}
	return sum;
}

const char *step_name(enum step step)
{
	static const char *const names[STEP_MAX] = {
		[STEP_OPEN] = "open",         [STEP_SCAN] = "scan",
		[STEP_COLLAPSE] = "collapse", [STEP_SYMBOLIZE] = "symbolize",
		[STEP_JUDGE] = "judge",       [STEP_OUTPUT] = "output",
	};

	return names[step];
}

bool memory_use(struct memory_use *m)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	unsigned long long kb;

	*m = (struct memory_use){ 0 };
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "VmHWM: %llu kB", &kb) == 1)
			m->peak = kb << 10;
		else if (sscanf(line, "RssAnon: %llu kB", &kb) == 1)
			m->anonymous = kb << 10;
		else if (sscanf(line, "RssFile: %llu kB", &kb) == 1)
			m->file = kb << 10;
	}
	fclose(f);
	return m->peak != 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait in all the ways there are, and know for how long.
 *
 *	waits [SCALE]
 *
 * Each thread has a name, and prints a line when all is over (times in ns, tab between):
 *
 *	name tid life cpu waited
 *
 * life is from just before its creation to its last statement, cpu its CLOCK_THREAD_CPUTIME_ID,
 * waited what it measured around its waits (run-queue wait after them included).  Lines "fact"
 * tell what is not of one thread.
 *
 * System calls are made inline, so that the program's own function is the leaf of the user part of
 * a stack, whatever the C library was compiled with; the ones in between are inlined: the debug
 * information alone knows of them.  Threads of the SCHED_IDLE class keep the CPUs from going idle:
 * kernels may leave out the records of switches from the idle task.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define INLINE   static inline __attribute__((always_inline))
#define MS       ((uint64_t)1000000)

#if defined(__x86_64__)
INLINE long call4(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
INLINE long call4(long nr, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
#else
#error "waits.c makes its system calls itself and knows x86-64 and aarch64 only"
#endif

/* ---- clocks ---- */

struct account {
	char name[16];
	int tid;
	uint64_t created, ended;
	uint64_t cpu, waited;
};

enum { MAX_THREADS = 24 };

/* Shared with the children. */
struct board {
	struct account threads[MAX_THREADS];
	atomic_int n;
};

static struct board *board;
static unsigned scale = 10;

static uint64_t now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static struct account *account_new(const char *name)
{
	struct account *a = &board->threads[atomic_fetch_add(&board->n, 1)];

	snprintf(a->name, sizeof(a->name), "%s", name);
	a->created = now(CLOCK_MONOTONIC);
	return a;
}

static void account_begin(struct account *a)
{
	prctl(PR_SET_NAME, a->name);
	a->tid = (int)syscall(SYS_gettid);
}

static void account_end(struct account *a)
{
	a->cpu = now(CLOCK_THREAD_CPUTIME_ID);
	a->ended = now(CLOCK_MONOTONIC);
}

/* ---- ways to wait ---- */

INLINE void nap(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	call4(SYS_nanosleep, (long)&ts, 0, 0, 0);
}

INLINE void futex_wait(atomic_int *word, int value)
{
	call4(SYS_futex, (long)word, FUTEX_WAIT, value, 0);
}

INLINE void futex_wake(atomic_int *word, int n)
{
	call4(SYS_futex, (long)word, FUTEX_WAKE, n, 0);
}

/* 0 free, 1 taken, 2 taken and somebody may wait */
struct mutex {
	atomic_int word;
};

INLINE void lock_slow(struct mutex *m)
{
	while (atomic_exchange(&m->word, 2))
		futex_wait(&m->word, 2);
}

INLINE void lock(struct mutex *m)
{
	int free = 0;

	if (!atomic_compare_exchange_strong(&m->word, &free, 1))
		lock_slow(m);
}

INLINE void unlock(struct mutex *m)
{
	if (atomic_exchange(&m->word, 0) == 2)
		futex_wake(&m->word, 1);
}

struct condition {
	atomic_int word;
};

INLINE void await(struct condition *c, int until)
{
	for (int v = atomic_load(&c->word); v < until; v = atomic_load(&c->word))
		futex_wait(&c->word, v);
}

INLINE void announce(struct condition *c)
{
	atomic_fetch_add(&c->word, 1);
	futex_wake(&c->word, INT32_MAX);
}

NOINLINE void burn(uint64_t ns)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

/* ---- threads ---- */

static struct mutex mutex;
static struct condition condition;
static int pipe_fd[2];

NOINLINE void sleeps(struct account *a)
{
	for (int i = 0; i < 10; i++) {
		uint64_t t = now(CLOCK_MONOTONIC);

		nap(2 * MS * scale);
		a->waited += now(CLOCK_MONOTONIC) - t;
		burn(MS / 10 * scale);
	}
}

/* Holds the mutex while it sleeps. */
NOINLINE void holds(struct account *a)
{
	for (int i = 0; i < 5; i++) {
		lock(&mutex);
		nap(3 * MS * scale);
		unlock(&mutex);
		nap(MS * scale);
	}
	(void)a;
}

NOINLINE void contends(struct account *a)
{
	for (int i = 0; i < 5; i++) {
		uint64_t t = now(CLOCK_MONOTONIC);

		lock(&mutex);
		a->waited += now(CLOCK_MONOTONIC) - t;
		unlock(&mutex);
		nap(MS * scale);
	}
}

NOINLINE void awaits(struct account *a)
{
	for (int i = 1; i <= 5; i++) {
		uint64_t t = now(CLOCK_MONOTONIC);

		await(&condition, i);
		a->waited += now(CLOCK_MONOTONIC) - t;
	}
}

NOINLINE void announces(struct account *a)
{
	for (int i = 0; i < 5; i++) {
		nap(4 * MS * scale);
		announce(&condition);
	}
	(void)a;
}

/* Half of its polls are ended by data, half by time. */
NOINLINE void polls(struct account *a)
{
	struct pollfd fd = { .fd = pipe_fd[0], .events = POLLIN };
	char c;

	for (int i = 0; i < 10; i++) {
		struct timespec limit = { 0, (long)(2 * MS * scale) };
		uint64_t t = now(CLOCK_MONOTONIC);

		if (call4(SYS_ppoll, (long)&fd, 1, (long)&limit, 0) > 0 &&
		    read(pipe_fd[0], &c, 1) != 1)
			abort();
		a->waited += now(CLOCK_MONOTONIC) - t;
	}
}

NOINLINE void feeds(struct account *a)
{
	for (int i = 0; i < 5; i++) {
		nap(3 * MS * scale);
		if (write(pipe_fd[1], "x", 1) != 1)
			abort();
	}
	(void)a;
}

NOINLINE void syncs(struct account *a)
{
	char name[] = "waits.XXXXXX", block[4096] = { 1 };
	int fd = mkstemp(name);

	if (fd < 0)
		return;
	for (int i = 0; i < 10; i++) {
		uint64_t t;

		if (write(fd, block, sizeof(block)) != sizeof(block))
			break;
		t = now(CLOCK_MONOTONIC);
		call4(SYS_fsync, fd, 0, 0, 0);
		a->waited += now(CLOCK_MONOTONIC) - t;
	}
	close(fd);
	unlink(name);
}

/* The parent of a vfork waits uninterruptibly (or killably) for the child. */
NOINLINE void spawns(struct account *a)
{
	for (int i = 0; i < 3; i++) {
		uint64_t t = now(CLOCK_MONOTONIC);
		pid_t child = vfork();

		if (!child) {
			nap(5 * MS * scale);
			_exit(0);
		}
		a->waited += now(CLOCK_MONOTONIC) - t;
		waitpid(child, NULL, 0);
	}
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Two of these on one CPU take turns. */
NOINLINE void hogs(struct account *a)
{
	pin(0);
	burn(20 * MS * scale);
	(void)a;
}

NOINLINE void waits_for_ever(void)
{
	static atomic_int never;

	for (;;)
		futex_wait(&never, 0);
}

static atomic_bool stop;

static void *filler(void *arg)
{
	struct sched_param param = { 0 };

	prctl(PR_SET_NAME, "w-filler");
	pin((int)(intptr_t)arg);
	sched_setscheduler(0, SCHED_IDLE, &param);
	while (!atomic_load(&stop))
		;
	return NULL;
}

/* ---- putting them together ---- */

struct job {
	const char *name;
	void (*run)(struct account *a);
	struct account *account;
	pthread_t thread;
};

static void *run_job(void *arg)
{
	struct job *job = arg;

	account_begin(job->account);
	job->run(job->account);
	account_end(job->account);
	return NULL;
}

static void start(struct job *job)
{
	job->account = account_new(job->name);
	if (pthread_create(&job->thread, NULL, run_job, job))
		abort();
}

static void *run_leaver(void *arg)
{
	account_begin(arg);
	waits_for_ever();
	return NULL;
}

/* A process whose second thread still waits when the first one ends both. */
static pid_t start_leaver(void)
{
	pid_t pid = fork();

	if (!pid) {
		struct account *a;
		pthread_t t;

		prctl(PR_SET_NAME, "w-leader");
		a = account_new("w-leaver");
		if (pthread_create(&t, NULL, run_leaver, a))
			_exit(1);
		nap(20 * MS * scale);
		a->ended = now(CLOCK_MONOTONIC);
		_exit(0);
	}
	return pid;
}

/* A process that waits on when this one, and the recording, have ended; it ends soon after. */
static void start_outlast(void)
{
	if (fork() == 0) {
		struct account *a = account_new("w-outlast");

		if (setsid() < 0)
			_exit(1);
		account_begin(a);
		freopen("/dev/null", "w", stdout);
		freopen("/dev/null", "w", stderr);
		nap(1500 * MS);
		_exit(0);
	}
}

static void print(uint64_t ended)
{
	for (int i = 0; i < atomic_load(&board->n); i++) {
		const struct account *a = &board->threads[i];
		uint64_t end = a->ended ? a->ended : ended;

		printf("%s\t%d\t%llu\t%llu\t%llu\n", a->name, a->tid,
		       (unsigned long long)(end - a->created), (unsigned long long)a->cpu,
		       (unsigned long long)a->waited);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct job jobs[] = {
		{ .name = "w-sleeper", .run = sleeps },      { .name = "w-holder", .run = holds },
		{ .name = "w-contender", .run = contends },  { .name = "w-waiter", .run = awaits },
		{ .name = "w-announcer", .run = announces }, { .name = "w-poller", .run = polls },
		{ .name = "w-feeder", .run = feeds },        { .name = "w-syncer", .run = syncs },
		{ .name = "w-spawner", .run = spawns },      { .name = "w-hog-one", .run = hogs },
		{ .name = "w-hog-two", .run = hogs },
	};
	enum { JOBS = sizeof(jobs) / sizeof(*jobs) };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t fillers[64];
	long nr_fillers = 0;
	uint64_t began = now(CLOCK_MONOTONIC);
	pid_t leaver;

	if (argc > 1)
		scale = (unsigned)atoi(argv[1]);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (board == MAP_FAILED || pipe(pipe_fd))
		return 1;
	prctl(PR_SET_NAME, "w-main");
	for (; nr_fillers < cpus && nr_fillers < 64; nr_fillers++)
		if (pthread_create(&fillers[nr_fillers], NULL, filler, (void *)nr_fillers))
			return 1;
	nap(5 * MS);
	start_outlast();
	leaver = start_leaver();
	for (int i = 0; i < JOBS; i++)
		start(&jobs[i]);
	for (int i = 0; i < JOBS; i++)
		pthread_join(jobs[i].thread, NULL);
	waitpid(leaver, NULL, 0);
	atomic_store(&stop, true);
	for (long i = 0; i < nr_fillers; i++)
		pthread_join(fillers[i], NULL);
	print(now(CLOCK_MONOTONIC));
	printf("fact\tlife\t%llu\n", (unsigned long long)(now(CLOCK_MONOTONIC) - began));
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Stacks that are known by construction: truths [SPINS [ROUNDS]].
 *
 * Every function whose name begins with t_ is called from one place only (recursions: from
 * themselves besides), and is never inlined, so that the innermost of them tells the whole stack.
 * tests/golden/truths.awk has the list.  Each situation spends its time in a function t_spin_*.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#define OWN extern "C" __attribute__((noinline, noipa, used))

static unsigned long spins = 20000000;
static volatile unsigned long sink;

#ifdef __i386__
#define SAVED_REGISTERS "ebx", "ebp", "esi", "edi"
#define FRAME           "%ebp"
#define STACK           "%esp"
#else
#define SAVED_REGISTERS "rbx", "rbp", "r12", "r13", "r14", "r15"
#define FRAME           "%rbp"
#define STACK           "%rsp"
#endif

/* A leaf that spends its time. */
#define SPIN(name)                                                         \
	OWN void t_spin_##name(void)                                       \
	{                                                                  \
		for (volatile unsigned long i = 0; i < spins; i = i + 1) { \
		}                                                          \
	}
#define AFTER_CALL asm volatile("") /* keeps a call from becoming a jump */

/* ---- recursion ---- */

SPIN(recursion)
OWN void t_recurse(int depth)
{
	if (depth > 1)
		t_recurse(depth - 1);
	else
		t_spin_recursion();
	AFTER_CALL;
}
OWN void t_recursion(void)
{
	t_recurse(40);
	AFTER_CALL;
}

/* ---- deeper than a small dump: 100 frames of more than 250 bytes, time spent on the way ---- */

SPIN(deep20)
SPIN(deep40)
SPIN(deep60)
SPIN(deep80)
SPIN(deep100)
OWN void t_deep(int depth)
{
	volatile char frame[240];

	frame[depth] = (char)depth;
	switch (depth) {
	case 20: t_spin_deep20(); break;
	case 40: t_spin_deep40(); break;
	case 60: t_spin_deep60(); break;
	case 80: t_spin_deep80(); break;
	case 100: t_spin_deep100(); break;
	}
	if (depth < 100)
		t_deep(depth + 1);
	sink = frame[depth];
}
OWN void t_deeper(void)
{
	t_deep(1);
	AFTER_CALL;
}

/* ---- a frame larger than a small dump ---- */

SPIN(big)
OWN void t_big(void)
{
	volatile char frame[12 * 1024];

	frame[0] = 1;
	t_spin_big();
	sink = frame[0];
}
OWN void t_bigger(void)
{
	t_big();
	AFTER_CALL;
}

/*
 * ---- one function at one place of the stack, with two callers in turn; its own callee is deeper
 * than a small dump, and what it calls before is not ----
 */

SPIN(turn_near)
SPIN(turn_far)
OWN void t_turn_far(void)
{
	volatile char frame[9 * 1024];

	frame[0] = 1;
	t_spin_turn_far();
	sink = frame[0];
}
OWN void t_turn(void)
{
	t_spin_turn_near();
	t_turn_far();
	AFTER_CALL;
}
OWN void t_turn_a(void)
{
	t_turn();
	AFTER_CALL;
}
OWN void t_turn_b(void)
{
	t_turn();
	AFTER_CALL;
}
OWN void t_turns(void)
{
	for (int i = 0; i < 3; i++) {
		t_turn_a();
		t_turn_b();
		AFTER_CALL;
	}
}

/* ---- frames of other shapes ---- */

SPIN(alloca)
OWN void t_alloca(size_t n)
{
	volatile char *p = (volatile char *)alloca(n);

	p[n - 1] = 1;
	t_spin_alloca();
	sink = p[n - 1];
}

SPIN(aligned)
OWN void t_aligned(size_t n)
{
	alignas(128) volatile char frame[128];
	volatile char *p = (volatile char *)alloca(n);

	frame[0] = p[n - 1] = 1;
	t_spin_aligned();
	sink = (unsigned long)frame[0] + p[n - 1];
}

/* Short, with many registers to save: samples fall on its first and last instructions. */
OWN unsigned long t_spin_edges(unsigned long a, unsigned long b)
{
	asm volatile("" : "+r"(a), "+r"(b)::SAVED_REGISTERS);
	return a ^ b;
}
OWN void t_edges(void)
{
	unsigned long x = 1;

	for (unsigned long i = 0; i < spins / 2; i++)
		x = t_spin_edges(x, i);
	sink = x;
}

SPIN(tail)
OWN void t_tail(void)
{
	t_spin_tail(); /* a jump */
}
OWN void t_tail_outer(void)
{
	t_tail();
	AFTER_CALL;
}

/* ---- without call frame information ---- */

SPIN(framed)
extern "C" void t_without_cfi(void); /* with a frame pointer */
asm(".text\n.type t_without_cfi, @function\nt_without_cfi:\n"
    "push " FRAME "\nmov " STACK ", " FRAME "\ncall t_spin_framed\npop " FRAME "\nret\n"
    ".size t_without_cfi, . - t_without_cfi\n");
OWN void t_framed(void)
{
	t_without_cfi();
	AFTER_CALL;
}

SPIN(bare)
extern "C" void t_without_all(void); /* the frame pointer is its caller's caller's business */
asm(".text\n.type t_without_all, @function\nt_without_all:\n"
    "sub $24, " STACK "\ncall t_spin_bare\nadd $24, " STACK "\nret\n"
    ".size t_without_all, . - t_without_all\n");
OWN void t_bare(void)
{
	t_without_all();
	AFTER_CALL;
}
OWN void t_bare_outer(size_t n)
{
	volatile char *p = (volatile char *)alloca(n); /* has a frame pointer */

	p[n - 1] = 1;
	t_bare();
	sink = p[n - 1];
}

/* ---- signals ---- */

SPIN(signal)
OWN void t_handler(int)
{
	t_spin_signal();
	AFTER_CALL;
}
OWN void t_signal(void)
{
	signal(SIGUSR1, t_handler);
	raise(SIGUSR1);
	AFTER_CALL;
}

SPIN(alternate)
SPIN(interrupted)
static volatile sig_atomic_t handled;
OWN void t_on_alternate(int)
{
	t_spin_alternate();
	handled = 1;
}
OWN void t_alternate(void)
{
	static char memory[64 * 1024];
	stack_t ss = {};
	struct sigaction sa = {};
	struct itimerval once = { { 0, 0 }, { 0, 2000 } };

	ss.ss_sp = memory;
	ss.ss_size = sizeof(memory);
	sigaltstack(&ss, NULL);
	sa.sa_handler = t_on_alternate;
	sa.sa_flags = SA_ONSTACK;
	sigaction(SIGPROF, &sa, NULL);
	handled = 0;
	setitimer(ITIMER_PROF, &once, NULL);
	while (!handled)
		t_spin_interrupted();
	signal(SIGPROF, SIG_IGN);
}

/* ---- exceptions ---- */

SPIN(cleanup)
SPIN(catch)
OWN void t_cleanup(void)
{
	t_spin_cleanup();
	AFTER_CALL;
}
struct guard {
	~guard()
	{
		t_cleanup();
	}
};
OWN void t_throw(int what)
{
	throw what;
}
OWN void t_guarded(void)
{
	guard g;

	t_throw(3);
	AFTER_CALL;
}
OWN void t_exceptions(void)
{
	try {
		t_guarded();
	} catch (int) {
		t_spin_catch();
	}
	AFTER_CALL;
}

/* ---- called back by the C library ---- */

SPIN(compare)
OWN int t_compare(const void *a, const void *b)
{
	unsigned long all = spins;

	spins = all / 8;
	t_spin_compare();
	spins = all;
	return *(const int *)a - *(const int *)b;
}
OWN void t_sort(void)
{
	int v[8] = { 5, 3, 8, 1, 7, 2, 6, 4 };

	qsort(v, 8, sizeof(*v), t_compare);
	sink = (unsigned long)v[0];
}

OWN void t_clock(void)
{
	struct timespec ts;

	for (unsigned long i = 0; i < spins / 16; i++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
}

#ifdef WITH_LIBRARY /* for the procedure linkage table */
extern "C" unsigned long t_in_library(unsigned long);
OWN void t_linkage(void)
{
	for (unsigned long i = 0; i < spins / 2; i++)
		sink = t_in_library(i);
}
#else
static void t_linkage(void)
{
}
#endif

/* ---- other stacks ---- */

static ucontext_t coroutine, creator;

SPIN(coroutine)
OWN void t_coroutine(void)
{
	t_spin_coroutine();
	swapcontext(&coroutine, &creator);
}
OWN void t_coroutines(void)
{
	static char memory[64 * 1024];

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = memory;
	coroutine.uc_stack.ss_size = sizeof(memory);
	coroutine.uc_link = NULL;
	makecontext(&coroutine, t_coroutine, 0);
	swapcontext(&creator, &coroutine);
}

SPIN(thread)
OWN void t_work(int depth)
{
	if (depth)
		t_work(depth - 1);
	else
		t_spin_thread();
	AFTER_CALL;
}
OWN void *t_thread(void *arg)
{
	t_work(5);
	return arg;
}
static void threads(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, t_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		spins = strtoul(argv[1], NULL, 10);
	for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; i--) {
		t_recursion();
		t_deeper();
		t_bigger();
		t_turns();
		t_alloca(100);
		t_aligned(100);
		t_edges();
		t_tail_outer();
		t_framed();
		t_bare_outer(100);
		t_signal();
		t_alternate();
		t_exceptions();
		t_sort();
		t_clock();
		t_linkage();
		t_coroutines();
		threads();
	}
	return 0;
}

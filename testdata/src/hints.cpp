// SPDX-License-Identifier: MIT
// One program for each hint: hints NAME spends its time in what the hint is about, called by own::NAME.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <random>
#include <regex.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

static volatile uint64_t sink;

// Enough work, measured in CPU time: the same on a slow machine and a fast one.
static bool more()
{
	timespec t;
	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
	return double(t.tv_sec) + double(t.tv_nsec) / 1e9 < 0.25;
}

#define OWN __attribute__((noinline)) void

namespace own {

OWN nothing()
{
	uint64_t x = sink;
	for (int i = 0; i < 1000000; i++)
		x = x * 6364136223846793005 + 1442695040888963407;
	sink = x;
}

OWN allocation()
{
	void *p[64];
	for (int i = 0; i < 5000; i++) {
		for (int k = 0; k < 64; k++)
			p[k] = malloc(40 + 24 * size_t(k));
		for (int k = 0; k < 64; k++)
			free(p[k]);
	}
}

OWN hashing()
{
	static std::string text(4096, 'x');
	for (int i = 0; i < 2000; i++)
		sink += std::hash<std::string>()(text);
}

OWN hash_table()
{
	static std::unordered_map<int, int> m;
	if (m.empty())
		for (int i = 0; i < 100000; i++)
			m[i * 7] = i;
	for (int i = 0; i < 200000; i++)
		sink += m.count(i * 7919 % 700000);
}

OWN tree_search()
{
	static std::map<int, int> m;
	if (m.empty())
		for (int i = 0; i < 100000; i++)
			m[i] = i;
	for (int i = 0; i < 100000; i++)
		sink += m.count(i * 7919 % 100000);
}

OWN formatting()
{
	char buf[128];
	for (int i = 0; i < 20000; i++)
		sink += uint64_t(snprintf(buf, sizeof(buf), "%d %s %.6f", i, "text", i * 0.1));
}

OWN parsing()
{
	for (int i = 0; i < 50000; i++)
		sink += uint64_t(strtod("3.14159265358979", nullptr)) +
			strtoul("1234567890", nullptr, 10);
}

OWN regular_expressions()
{
	static regex_t re;
	static bool compiled = !regcomp(&re, "a(b|c)*d+[0-9]{3}", REG_EXTENDED);
	for (int i = 0; compiled && i < 1000; i++)
		sink += uint64_t(regexec(&re, "xxabcbcbcbcbcbddd12 abcd123", 0, nullptr, 0));
}

OWN copying()
{
	static std::vector<char> a(1 << 22), b(1 << 22);
	for (int i = 0; i < 20; i++) {
		memcpy(a.data(), b.data(), a.size());
		sink += uint64_t(a[sink % a.size()]);
	}
}

OWN memory_clearing()
{
	static std::vector<char> a(1 << 22);
	for (int i = 0; i < 20; i++) {
		memset(a.data(), i, a.size());
		sink += uint64_t(a[sink % a.size()]);
	}
}

OWN string_comparing()
{
	static std::string a(4096, 'x'), b(4096, 'x');
	for (int i = 0; i < 20000; i++) {
		asm volatile("" ::: "memory");
		sink += uint64_t(strcmp(a.c_str(), b.c_str()));
	}
}

OWN sorting()
{
	static std::vector<uint32_t> v(100000);
	uint32_t x = 1;
	for (auto &e : v)
		e = x = x * 1664525 + 1013904223;
	std::sort(v.begin(), v.end());
	sink += v[0];
}

OWN locking()
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < 1000000; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
}

OWN blocking()
{
	for (int i = 0; i < 1000; i++) {
		timespec t = { 0, 1 };
		sched_yield();
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
	}
}

OWN page_faults()
{
	size_t size = 1 << 24;
	char *p = static_cast<char *>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	madvise(p, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		p[i] = 1;
	munmap(p, size);
}

OWN exceptions()
{
	for (int i = 0; i < 2000; i++)
		try {
			throw i;
		} catch (int n) {
			sink += uint64_t(n);
		}
}

static std::shared_ptr<int> shared = std::make_shared<int>(1);

OWN reference_counting()
{
	std::shared_ptr<int> a = shared;
	for (int i = 0; i < 300000; i++) {
		std::shared_ptr<int> b = a;
		sink += uint64_t(*b);
	}
}

OWN clock_reading()
{
	timespec t;
	for (int i = 0; i < 100000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink += uint64_t(t.tv_nsec);
	}
}

OWN random_numbers()
{
	for (int i = 0; i < 300000; i++)
		sink += uint64_t(rand());
}

struct base {
	virtual ~base() {}
};
struct middle : base {};
struct leaf : middle {};

OWN dynamic_casts()
{
	static base *objects[] = { new leaf, new middle };
	for (int i = 0; i < 300000; i++)
		sink += dynamic_cast<leaf *>(objects[i & 1]) != nullptr;
}

OWN mathematics()
{
	double x = 1.1;
	for (int i = 0; i < 100000; i++)
		x = pow(x, 1.0001) + sin(x);
	sink += uint64_t(x);
}

OWN kernel_entry()
{
	for (int i = 0; i < 100000; i++)
		syscall(-1); /* there is no such call: in and out again */
}

/* Maps are made, split and removed; no page is touched. */
OWN memory_mapping()
{
	for (int i = 0; i < 2000; i++) {
		char *p = static_cast<char *>(mmap(nullptr, 64 * 4096, PROT_READ | PROT_WRITE,
						   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

		mprotect(p + 8 * 4096, 8 * 4096, PROT_READ);
		munmap(p, 64 * 4096);
	}
}

/* A library that is loaded and unloaded for each use. */
OWN dynamic_linking()
{
	for (int i = 0; i < 20; i++) {
		void *lib = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);

		sink += lib && dlsym(lib, "lgamma_r");
		if (lib)
			dlclose(lib);
	}
}

OWN system_calls()
{
	for (int i = 0; i < 100000; i++)
		sink += uint64_t(syscall(SYS_getppid));
}

} // namespace own

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} all[] = {
		{ "nothing", own::nothing }, { "allocation", own::allocation },
		{ "hashing", own::hashing }, { "hash-table", own::hash_table },
		{ "tree-search", own::tree_search }, { "formatting", own::formatting },
		{ "parsing", own::parsing }, { "regular-expressions", own::regular_expressions },
		{ "copying", own::copying }, { "memory-clearing", own::memory_clearing },
		{ "string-comparing", own::string_comparing }, { "sorting", own::sorting },
		{ "locking", own::locking }, { "blocking", own::blocking },
		{ "page-faults", own::page_faults }, { "exceptions", own::exceptions },
		{ "reference-counting", own::reference_counting },
		{ "clock-reading", own::clock_reading }, { "random-numbers", own::random_numbers },
		{ "dynamic-casts", own::dynamic_casts }, { "mathematics", own::mathematics },
		{ "system-calls", own::system_calls }, { "kernel-entry", own::kernel_entry },
		{ "memory-mapping", own::memory_mapping },
		{ "dynamic-linking", own::dynamic_linking },
	};

	for (const auto &a : all)
		if (argc > 1 && !strcmp(argv[1], a.name))
			do
				a.run();
			while (more());
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * forest THREADS STEPS BRANCHES: stacks to be recorded for measuring readers.
 *
 * 512 functions visit each other in an order that a generator decides, up to DEPTH calls deep.
 * Each function goes on to one of BRANCHES others: with 1 the same stacks come back, with 4
 * nearly all differ.  At each leaf are some nanoseconds of work, four inlined functions deep.
 * Work is by count.
 */
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace forest {

constexpr int FUNCTIONS = 512;
constexpr int DEPTH = 28;

struct state {
	uint64_t random, sum;
	unsigned branches;

	uint64_t next()
	{
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		return random;
	}
};

using function = void (*)(state &, int);
extern const std::array<function, FUNCTIONS> all;

template <int N> inline uint64_t stir(uint64_t x)
{
	return (x ^ (x >> (N % 29 + 3))) * 0xd6e8feb86659fd93ULL;
}

template <int N> inline uint64_t fold(uint64_t x)
{
	for (int i = 0; i < 8; i++)
		x = stir<N>(x) + stir<N + 1>(x);
	return x;
}

template <int N> inline void leaf(state &s)
{
	for (int i = 0; i < 4; i++)
		s.sum += fold<N>(s.sum ^ i);
}

/* One of some neighbours, or a return. */
template <int N> __attribute__((noinline)) void visit(state &s, int depth)
{
	leaf<N>(s);
	while (depth > 0 && s.next() % 8 < 6) {
		all[(N * 5 + s.random / 8 % s.branches + 1) % FUNCTIONS](s, depth - 1);
		if (s.next() % 4)
			break;
	}
	leaf<N + 7>(s);
}

template <int... N>
constexpr std::array<function, FUNCTIONS> table(std::integer_sequence<int, N...>)
{
	return { { visit<N>... } };
}

const std::array<function, FUNCTIONS> all = table(std::make_integer_sequence<int, FUNCTIONS>());

} /* namespace forest */

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	long steps = argc > 2 ? atol(argv[2]) : 100000;
	unsigned branches = argc > 3 ? static_cast<unsigned>(atoi(argv[3])) : 4;
	std::vector<std::thread> running;
	std::vector<uint64_t> sums(threads);

	for (int t = 0; t < threads; t++)
		running.emplace_back([t, steps, branches, &sums] {
			forest::state s = { static_cast<uint64_t>(t) + 88172645463325252ULL, 0,
					    branches };

			for (long i = 0; i < steps; i++)
				forest::all[s.next() % 4](s, forest::DEPTH);
			sums[t] = s.sum;
		});
	for (auto &t : running)
		t.join();
	for (auto sum : sums)
		printf("%llx\n", static_cast<unsigned long long>(sum));
	return 0;
}

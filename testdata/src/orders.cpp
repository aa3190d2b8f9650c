/* SPDX-License-Identifier: MIT */
/*
 * An order book in the small, to be recorded: what optimised C++ does to stacks is all in it.
 *
 *	main
 *	 └ run (two threads)
 *	    ├ book::add	 hot; table<>::find and mix() are inlined into it (three deep)
 *	    ├ depth()		 recursion over a tree of price levels
 *	    └ for_each_level()	 through std::function; the lambda's body is inlined into the thunk
 *
 * All work is by count, not by time, so shares don't depend on the machine's load.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace {

/* The innermost of the inlined functions, in an anonymous namespace. */
inline uint64_t mix(uint64_t x)
{
	for (int i = 0; i < 3; i++) {
		x ^= x >> 33;
		x *= 0xff51afd7ed558ccdULL;
	}
	return x ^ (x >> 33);
}

struct order {
	uint64_t id;
	uint32_t price, quantity;
};

struct by_mix {
	uint64_t operator()(uint64_t id) const
	{
		return mix(id);
	}
};

} /* namespace */

/* Open addressing; a template over a type of an anonymous namespace and a functor. */
template <typename Value, typename Hash> class table {
public:
	explicit table(unsigned bits) : slots(1u << bits), mask((1u << bits) - 1)
	{
	}

	Value &find(uint64_t id)
	{
		uint64_t at = Hash()(id) & mask;
		uint64_t tried = 0;

		while (slots[at].id != 0 && slots[at].id != id) {
			at = (at + 1) & mask;
			if (++tried > mask)
				throw std::length_error("table is full");
		}
		return slots[at];
	}

private:
	std::vector<Value> slots;
	uint64_t mask;
};

struct level {
	uint32_t price = 0;
	uint64_t quantity = 0;
	std::unique_ptr<level> below, above;
};

class book {
public:
	book() : orders(14)
	{
	}

	NOINLINE void add(uint64_t id, uint32_t price, uint32_t quantity)
	{
		order &o = orders.find(id);

		o = order{ id, price, quantity };
		sum += o.quantity;
	}

	NOINLINE void add_level(uint32_t price, uint32_t quantity);
	NOINLINE void for_each_level(const std::function<void(const level &)> &fn) const
	{
		walk(root.get(), fn);
	}

	uint64_t sum = 0;
	std::unique_ptr<level> root;

private:
	static void walk(const level *l, const std::function<void(const level &)> &fn)
	{
		if (!l)
			return;
		walk(l->below.get(), fn);
		fn(*l);
		walk(l->above.get(), fn);
	}

	table<order, by_mix> orders;
};

void book::add_level(uint32_t price, uint32_t quantity)
{
	std::unique_ptr<level> *at = &root;

	while (*at && (*at)->price != price)
		at = price < (*at)->price ? &(*at)->below : &(*at)->above;
	if (!*at)
		*at = std::make_unique<level>();
	(*at)->price = price;
	(*at)->quantity += quantity;
}

/* Recursion that is not turned into a loop: both branches are followed. */
static NOINLINE unsigned depth(const level *l)
{
	if (!l)
		return 0;
	unsigned a = depth(l->below.get());
	unsigned b = depth(l->above.get());
	return 1 + (a > b ? a : b);
}

static NOINLINE uint64_t run(unsigned rounds)
{
	book b;
	uint64_t value = 0;

	for (uint64_t i = 1; i < 256; i++)
		b.add_level(static_cast<uint32_t>(mix(i) % 1000), 1);
	for (unsigned r = 0; r < rounds; r++) {
		for (uint64_t i = 1; i <= 8000; i++)
			b.add(i + r, static_cast<uint32_t>(i % 1000), 10);
		for (unsigned i = 0; i < 20; i++)
			value += depth(b.root.get());
		for (unsigned i = 0; i < 10; i++)
			b.for_each_level([&value](const level &l) {
				value += mix(l.price) & l.quantity;
			});
	}
	return value + b.sum;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 300;
	uint64_t results[2] = { 0, 0 };
	std::thread other([&] { results[1] = run(rounds / 2); });

	results[0] = run(rounds);
	other.join();
	printf("%llu\n", static_cast<unsigned long long>(results[0] + results[1]));
	return 0;
}

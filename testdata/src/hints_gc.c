/* SPDX-License-Identifier: MIT */
/* For half a second of CPU time a list is built again and again on a collected heap (libgc). */
#include <gc.h>
#include <time.h>

struct node {
	struct node *next;
	long v[6];
};

static struct node *volatile kept;

__attribute__((noinline)) static void garbage_collection(void)
{
	struct node *list = NULL;

	for (int i = 0; i < 100000; i++) {
		struct node *n = GC_malloc(sizeof(*n));

		n->next = list;
		list = n;
	}
	kept = list;
}

int main(void)
{
	clock_t start = clock();

	GC_init();
	while (clock() - start < CLOCKS_PER_SEC / 2)
		garbage_collection();
	return 0;
}

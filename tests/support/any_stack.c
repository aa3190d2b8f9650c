/* SPDX-License-Identifier: MIT */
#include "any_stack.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct objfile_search nowhere = { .no_system = true };

static void add_maps(struct any_stack *as, uint64_t size)
{
	struct builder_file f;
	struct record rec;
	struct err err;

	builder_init(&as->b, NULL);
	builder_event(&as->b, &(struct builder_attr){ .name = "cycles" });
	builder_mmap2(&as->b, &(struct builder_mmap){ .pid = ANY_STACK_PID,
						      .addr = ANY_ELF_BASE,
						      .len = size,
						      .filename = as->path });
	builder_mmap2(&as->b, &(struct builder_mmap){ .pid = ANY_STACK_PID,
						      .addr = ANY_STACK_JIT,
						      .len = 0x1000,
						      .prot = 7,
						      .filename = "//anon" });
	f = builder_finish(&as->b);
	if (reader_open_memory(&as->reader, f.bytes, f.size, "memory", &err) < 0)
		abort();
	as->timeline = timeline_new(&as->reader->evlist);
	while (reader_next(as->reader, &rec) == 0)
		timeline_add(as->timeline, &rec);
	timeline_finish(as->timeline);
}

void any_stack_init(struct any_stack *as, const struct any_elf *elf, uint64_t size)
{
	struct validity v;

	*as = (struct any_stack){ 0 };
	if (!any_elf_write(elf, as->path))
		abort();
	add_maps(as, size);
	as->process = timeline_process(as->timeline, ANY_STACK_PID, 1, &v);
	as->modules = unwind_modules_new(&nowhere, elf->machine);
	as->unwinder = unwinder_new(as->modules);
}

void any_stack_run(struct any_stack *as, uint64_t abi, const uint64_t *regs, unsigned nr,
		   const void *stack, uint64_t size, uint64_t dumped, struct stack *st,
		   struct unwind_info *info)
{
	uint8_t words[8 * 33];
	struct sample s = { .pid = ANY_STACK_PID,
			    .tid = ANY_STACK_PID,
			    .cpumode = CPUMODE_USER,
			    .user_abi = abi,
			    .user_regs = words,
			    .stack = stack,
			    .stack_size = size,
			    .stack_dumped = dumped };

	s.user_regs_mask = (uint64_t)-1 >> (64 - nr);
	for (unsigned i = 0; i < nr; i++)
		for (unsigned k = 0; k < 8; k++)
			words[8 * i + k] = (uint8_t)(regs[i] >> 8 * k);
	unwinder_run(as->unwinder, &s, as->process, 1, st, info);
}

void any_stack_release(struct any_stack *as)
{
	unwinder_free(as->unwinder);
	unwind_modules_free(as->modules);
	timeline_free(as->timeline);
	reader_free(as->reader);
	builder_release(&as->b);
	unlink(as->path);
}

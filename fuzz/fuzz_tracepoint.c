/* SPDX-License-Identifier: MIT */
/*
 * Tracing data: formats that say anything, read with raw data that is anything, and printed by the
 * print formats that the data itself brings.  The raw data is the end of the input, in several
 * sizes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

#include <perfrep/tracepoint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* The library forgets some bytes of texts that it refuses. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

enum { RAW_MAX = 256, PRINTED = 64 };

/* From memory of just this size. */
static void use_event(struct tracepoints *t, const struct tp_event *ev, const uint8_t *data,
		      size_t size, struct strbuf *out)
{
	uint8_t *raw = malloc(size ? size : 1);

	if (!raw)
		abort();
	if (size)
		memcpy(raw, data, size);
	for (size_t i = 0; i < ev->nr_fields; i++) {
		const struct tp_field *f = &ev->fields[i];

		if (tp_event_field(ev, f->name) > f)
			abort();
		tp_text(f, raw, size, out);
	}
	tracepoints_print(t, ev, raw, size, NULL, out);
	strbuf_clear(out);
	free(raw);
}

static void use(struct tracepoints *t, const uint8_t *data, size_t size)
{
	static const uint8_t zeros[RAW_MAX];
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < tracepoints_count(t) && i < PRINTED; i++) {
		const struct tp_event *ev = tracepoints_at(t, i);
		size_t raw = size < RAW_MAX ? size : RAW_MAX;

		if (tracepoints_event(t, ev->id) != ev)
			abort();
		use_event(t, ev, data + size - raw, raw, &out);
		use_event(t, ev, data + size - raw / 4, raw / 4, &out);
		use_event(t, ev, zeros, sizeof(zeros), &out);
		use_event(t, ev, zeros, 0, &out);
	}
	strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned options[] = { 0, TP_PRINTABLE };

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		struct tracepoints *t;

		if (tracepoints_new(&t, data, size, options[i], NULL) == 0)
			use(t, data, size);
		tracepoints_free(t);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "collect/problems.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/strbuf.h"
#include "base/vec.h"

struct problem_list {
	VEC(char *) v;
};

static void __attribute__((format(printf, 2, 3)))
add(struct problem_list *list, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addv(&text, fmt, ap);
	va_end(ap);
	vec_push(&list->v, strbuf_detach(&text));
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Many damaged features, as a cut recording has them, are one problem. */
static bool features_grouped(const struct reader *r)
{
	return r->nr_feature_damages > 1;
}

enum { KEPT = 100 }; /* of the reader's damages */

static void add_damage(struct problem_list *list, const struct reader *r)
{
	enum { SHOWN = 5 };
	size_t kept = r->nr_damages < KEPT ? r->nr_damages : KEPT, shown = 0;
	size_t places = r->nr_damages - (features_grouped(r) ? r->nr_feature_damages : 0);

	for (size_t i = 0; i < kept && shown < SHOWN; i++) {
		if (r->damages[i].feature && features_grouped(r))
			continue;
		add(list, "%s", r->damages[i].text);
		shown++;
	}
	if (places > shown)
		add(list, "%s: %zu more damaged place%s", r->name, places - shown,
		    plural(places - shown));
}

/* A damage tells its own bytes, this what several sum up to. */
static void add_lost(struct problem_list *list, const struct reader *r)
{
	size_t places = 0, kept = r->nr_damages < KEPT ? r->nr_damages : KEPT;

	for (size_t i = 0; i < kept; i++)
		places += r->damages[i].bytes && !r->damages[i].feature;
	if (places > 1)
		add(list,
		    "%s: %" PRIu64
		    " bytes in all could not be read as records; what is whole is reported",
		    r->name, r->bytes_lost);
}

static void add_features(struct problem_list *list, const struct reader *r)
{
	struct strbuf names = STRBUF_INIT;
	unsigned n = 0;

	for (unsigned id = 0; id < FEATURE_MAX; id++)
		if (r->features.damaged[id / 8] >> (id % 8) & 1 && feature_known(id))
			strbuf_addf(&names, "%s%s", n++ ? ", " : "", feature_name(id));
	if (n && features_grouped(r))
		add(list,
		    "%s: %u feature%s damaged and left out: %s; perfrep info tells what of each",
		    r->name, n, n == 1 ? " is" : "s are", strbuf_str(&names));
	strbuf_release(&names);
}

static void add_aux(struct problem_list *list, const struct reader *r)
{
	if (r->aux_bytes)
		add(list,
		    "%s: %" PRIu64 " bytes of AUX area data (hardware trace) are not decoded; "
		    "the other samples are reported",
		    r->name, r->aux_bytes);
}

static void add_counts(struct problem_list *list, const struct session *s)
{
	const char *name = s->reader->name;

	if (s->bad_samples)
		add(list, "%s: %" PRIu64 " malformed sample%s left out", name, s->bad_samples,
		    plural(s->bad_samples));
	if (s->unknown_id_samples)
		add(list,
		    "%s: %" PRIu64 " sample%s left out: their id belongs to no event of the header",
		    name, s->unknown_id_samples, plural(s->unknown_id_samples));
	if (s->leftover_samples)
		add(list, "%s: %" PRIu64 " sample%s with fields that this version does not know",
		    name, s->leftover_samples, plural(s->leftover_samples));
	if (s->deferred_missing)
		add(list, "%s: %" PRIu64 " user callchain%s were announced and never written", name,
		    s->deferred_missing, plural(s->deferred_missing));
}

static void add_stat(struct problem_list *list, const struct session *s)
{
	const struct reader *r = s->reader;

	if (!s->samples && r->nr_by_type[RECORD_STAT])
		add(list,
		    "%s: perf stat record wrote it: it has counts and no samples; perfrep stat tells "
		    "what they mean",
		    r->name);
}

static void add_timeline(struct problem_list *list, const struct session *s)
{
	struct timeline_stats st = timeline_stats(s->timeline);

	if (st.malformed)
		add(list, "%s: %" PRIu64 " malformed map, name or task record%s left out",
		    s->reader->name, st.malformed, plural(st.malformed));
	if (st.maps_timed_out)
		add(list,
		    "%s: perf gave up reading the maps of a process (%" PRIu64
		    " record%s): some of "
		    "its addresses are unknown",
		    s->reader->name, st.maps_timed_out, plural(st.maps_timed_out));
}

void problems_collect(struct session *s)
{
	struct problem_list list = { 0 };

	if (s->reader) {
		add_damage(&list, s->reader);
		add_lost(&list, s->reader);
		add_features(&list, s->reader);
		add_counts(&list, s);
		add_timeline(&list, s);
		add_stat(&list, s);
		add_aux(&list, s->reader);
		for (size_t i = 0; i < s->reader->nr_warnings; i++)
			add(&list, "%s", s->reader->warnings[i]);
		s->incomplete = !s->reader->complete || s->bad_samples != 0;
	} else if (s->folded_skipped) {
		add(&list, "%" PRIu64 " line%s of the folded text have no count and were skipped",
		    s->folded_skipped, plural(s->folded_skipped));
	}
	s->problems = list.v.v;
	s->nr_problems = list.v.n;
}

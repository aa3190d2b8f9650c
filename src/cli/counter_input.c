/* SPDX-License-Identifier: MIT */
#include "cli/counter_input.h"

#include <string.h>
#include <sys/stat.h>

#include <perfrep/folded.h>
#include <perfrep/reader.h>
#include <perfrep/source.h>

#include "cli/damage.h"

int counter_input_record(struct counter_set *set, const struct source *src, const char *path,
			 bool *incomplete, struct err *err)
{
	struct reader *r;
	struct err ignored;
	bool says;
	int rc = reader_open_source(&r, src, path, err);

	if (rc < 0)
		return rc;
	says = r->features.stat;
	rc = counter_set_from_reader(set, r, says ? err : &ignored);
	if (rc == 0 || says) {
		*incomplete = !r->complete;
		damage_tell(r);
	} else {
		counter_set_release(set);
	}
	reader_free(r);
	return rc == 0 ? 1 : says ? rc : 0;
}

int counter_input_hold(struct source *held, const char *path, struct err *err)
{
	struct stat st;

	*held = (struct source){ 0 };
	if (strcmp(path, "-") &&
	    (stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return 0;
	return source_open(held, path, err);
}

/* Whether SRC has counts, for SET. */
static bool read_counts(struct counter_set *set, const struct source *src, const char *path,
			bool *incomplete)
{
	struct err none;

	if (reader_recognises(src))
		return counter_input_record(set, src, path, incomplete, &none) > 0;
	return src->size && !folded_begins((const char *)src->data, src->size) &&
	       counter_set_parse(set, (const char *)src->data, src->size, path, &none) >= 0;
}

bool counter_input_read(struct counter_set *set, const char *path, const struct source *held,
			bool *incomplete)
{
	struct source src;
	struct stat st;
	bool yes;

	*set = (struct counter_set){ 0 };
	*incomplete = false;
	if (held && held->name) {
		yes = read_counts(set, held, path, incomplete);
	} else {
		if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
		    source_open(&src, path, NULL) < 0)
			return false;
		yes = read_counts(set, &src, path, incomplete);
		source_release(&src);
	}
	if (yes && (set->n || set->nr_metrics))
		return true;
	counter_set_release(set);
	*set = (struct counter_set){ 0 };
	return false;
}

int counter_input_whole(const struct counter_set *set, const char *path, struct err *err)
{
	if (!set->nr_metrics || counter_metrics_whole(set))
		return 0;
	return err_set(err, ERR_USAGE,
		       "%s has perf stat's metrics of several places or intervals, and no counts: "
		       "ratios don't add up to one of the whole.  Run perf stat without %s, or "
		       "without --metric-only.",
		       path, set->intervals > 1 ? "-I" : "-A and --per-*");
}

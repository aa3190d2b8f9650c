/* SPDX-License-Identifier: MIT */
/* What the reader does to an evlist while it learns about the events; not for others. */
#ifndef PERFREP_PERFDATA_EVLIST_H
#define PERFREP_PERFDATA_EVLIST_H

#include <perfrep/attr.h>
#include <perfrep/feature.h>

/* Where a name came from; a higher one replaces a lower one, and an equal one its elder. */
enum name_trust {
	NAME_NUMBER, /* made from type and config: "type9/0x1" */
	NAME_EVENT_TYPE, /* the table of old perf */
	NAME_GENERIC, /* what the kernel's interface calls type and config */
	NAME_PMU, /* PMU_MAPPINGS and config */
	NAME_TRACEPOINT, /* the tracing data's system:name */
	NAME_META_INFO, /* simpleperf's list of names */
	NAME_UPDATE, /* an EVENT_UPDATE record */
	NAME_DESC, /* EVENT_DESC */
};

/* Give EVSEL the first LEN bytes of NAME, if it has no better one. */
void evsel_set_name(struct evsel *evsel, const char *name, size_t len, enum name_trust trust);
/* Add an id that is not in the section of the attrs. */
void evlist_add_id(struct evlist *list, struct evsel *evsel, uint64_t id);
/* Take the last event that was added into the index; what evlist_index() does for all. */
void evlist_index_last(struct evlist *list);
struct evsel *evlist_find_id(struct evlist *list, uint64_t id);

/* Names that type and config give to all events, with the PMU names that F has. */
void evlist_name_generic(struct evlist *list, const struct features *f);
/* Names of tracepoints from tracing data (feature 1, record 66); false: it breaks off. */
bool evlist_name_tracepoints(struct evlist *list, const uint8_t *data, size_t size);
/* An entry of old perf's event table: the events whose config is CONFIG. */
void evlist_name_event_type(struct evlist *list, uint64_t config, const char *name, size_t len);
/* simpleperf's "name,type,config" lines. */
void evlist_name_meta_info(struct evlist *list, const char *text);

/* The name of TYPE and CONFIG, for the caller to free; *TRUST (enum name_trust) says how good it is. */
char *event_name(const struct attr *attr, const struct features *f, int *trust);

#endif

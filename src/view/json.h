/* SPDX-License-Identifier: MIT */
/*
 * JSON documents, over json-c, which json.c alone includes.  Text is made valid UTF-8 (bad parts
 * become U+FFFD); numbers that are not finite become null.
 *
 * A value that is put into an object or an array belongs to it.
 */
#ifndef PERFREP_VIEW_JSON_H
#define PERFREP_VIEW_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct json_object;

struct json_object *json_new(void);
struct json_object *json_new_array(void);
void json_free(struct json_object *o);

void json_put(struct json_object *o, const char *key, struct json_object *value);
/* S may be NULL: null. */
void json_put_text(struct json_object *o, const char *key, const char *s);
void json_put_uint(struct json_object *o, const char *key, uint64_t v);
void json_put_int(struct json_object *o, const char *key, int64_t v);
void json_put_real(struct json_object *o, const char *key, double v, unsigned decimals);
void json_put_bool(struct json_object *o, const char *key, bool v);
void json_put_null(struct json_object *o, const char *key);
/* Add V to the number at KEY, whose text may be anybody's: two keys may become one. */
void json_add_uint(struct json_object *o, const char *key, uint64_t v);

void json_append(struct json_object *array, struct json_object *value);
void json_append_text(struct json_object *array, const char *s);
void json_append_texts(struct json_object *array, char *const *texts, size_t n);

/* O and a newline; indented when PRETTY. */
void json_print(struct json_object *o, bool pretty, struct strbuf *sb);
/* O, indented, is all that there is to say: print and free it. */
void json_finish(struct json_object *o, struct strbuf *sb);

#endif

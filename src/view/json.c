/* SPDX-License-Identifier: MIT */
#include "view/json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/escape.h"

struct json_object *json_new(void)
{
	return json_object_new_object();
}

struct json_object *json_new_array(void)
{
	return json_object_new_array();
}

void json_free(struct json_object *o)
{
	json_object_put(o);
}

static struct json_object *text_value(const char *s)
{
	struct strbuf safe = STRBUF_INIT;
	struct json_object *v;

	if (!s)
		return NULL;
	escape_utf8(&safe, s, strlen(s));
	v = json_object_new_string_len(strbuf_str(&safe), (int)safe.n);
	strbuf_release(&safe);
	return v;
}

void json_put(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add(o, key, value);
}

void json_put_text(struct json_object *o, const char *key, const char *s)
{
	json_put(o, key, text_value(s));
}

void json_put_uint(struct json_object *o, const char *key, uint64_t v)
{
	json_put(o, key, json_object_new_uint64(v));
}

void json_put_int(struct json_object *o, const char *key, int64_t v)
{
	json_put(o, key, json_object_new_int64(v));
}

void json_put_real(struct json_object *o, const char *key, double v, unsigned decimals)
{
	char text[64];

	if (!isfinite(v)) {
		json_put_null(o, key);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", (int)decimals, v);
	json_put(o, key, json_object_new_double_s(v, text));
}

void json_put_bool(struct json_object *o, const char *key, bool v)
{
	json_put(o, key, json_object_new_boolean(v));
}

void json_put_null(struct json_object *o, const char *key)
{
	json_put(o, key, NULL);
}

void json_add_uint(struct json_object *o, const char *key, uint64_t v)
{
	struct strbuf safe = STRBUF_INIT;
	struct json_object *old;

	escape_utf8(&safe, key, strlen(key));
	if (json_object_object_get_ex(o, strbuf_str(&safe), &old))
		v += json_object_get_uint64(old);
	json_put_uint(o, strbuf_str(&safe), v);
	strbuf_release(&safe);
}

void json_append(struct json_object *array, struct json_object *value)
{
	json_object_array_add(array, value);
}

void json_append_text(struct json_object *array, const char *s)
{
	json_append(array, text_value(s));
}

void json_append_texts(struct json_object *array, char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_append_text(array, texts[i]);
}

void json_print(struct json_object *o, bool pretty, struct strbuf *sb)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	if (pretty)
		flags |= JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	strbuf_adds(sb, json_object_to_json_string_ext(o, flags));
	strbuf_addc(sb, '\n');
}

void json_finish(struct json_object *o, struct strbuf *sb)
{
	json_print(o, true, sb);
	json_free(o);
}

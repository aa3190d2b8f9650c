/* SPDX-License-Identifier: MIT */
/* The names of keys, which are those of perf's --sort. */
#include <ctype.h>
#include <string.h>

#include <perfrep/view.h>

static const char *const key_names[KEY_MAX] = {
	[KEY_COMM] = "comm",       [KEY_PID] = "pid",         [KEY_TID] = "tid",
	[KEY_CPU] = "cpu",         [KEY_DSO] = "dso",         [KEY_SYM] = "sym",
	[KEY_SRCLINE] = "srcline", [KEY_SRCFILE] = "srcfile", [KEY_EVENT] = "event",
	[KEY_FIELDS] = "fields",
};

static int find_key(const char *name, size_t len)
{
	if (len == 6 && !memcmp(name, "symbol", 6))
		return KEY_SYM;
	for (int k = 0; k < KEY_FIELDS; k++)
		if (strlen(key_names[k]) == len && !memcmp(key_names[k], name, len))
			return k;
	return -1;
}

bool view_key_is_field(const char *name, size_t len)
{
	bool mark = false;

	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("_.:", name[i]))
			return false;
		mark |= name[i] == '_' || name[i] == '.';
	}
	return mark;
}

bool view_keys_have(const struct view_keys *keys, enum view_key key)
{
	for (size_t i = 0; i < keys->n; i++)
		if (keys->v[i] == key)
			return true;
	return false;
}

int view_keys_parse(struct view_keys *keys, const char *text, struct err *err)
{
	struct view_keys out = { .n = 0 };

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		int key = view_key_is_field(p, len) ? KEY_FIELDS : find_key(p, len);

		if (key < 0)
			return err_set(
				err, ERR_USAGE,
				"\"%.*s\" is no key to sort by; the keys are comm, pid, tid, "
				"cpu, dso, sym, srcline, srcfile, event, and fields of tracepoints such as "
				"prev_state or sched_switch.prev_state.",
				(int)len, p);
		if (!view_keys_have(&out, (enum view_key)key))
			out.v[out.n++] = (enum view_key)key;
		p += len;
		if (!*p)
			break;
	}
	*keys = out;
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "cli/events.h"

#include <string.h>

#include "cli/message.h"

#include <perfrep/offcpu.h>

uint32_t events_find(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		if (p->events[i].samples &&
		    (!name || !strcmp(name, profile_str(p, p->events[i].name))))
			return i;
	return PROFILE_NONE;
}

size_t events_list(const struct session *s, uint32_t but, struct strbuf *sb)
{
	const struct profile *p = s->profile;
	size_t n = 0;

	for (uint32_t i = 0; i < p->nr_events; i++)
		if (i != but && p->events[i].samples)
			strbuf_addf(sb, "%s%s", n++ ? ", " : "", profile_str(p, p->events[i].name));
	if (s->offcpu_left_out)
		strbuf_addf(sb, "%s%s", n++ ? ", " : "", OFFCPU_EVENT);
	return n;
}

void events_tell(const struct session *s, uint32_t chosen)
{
	const struct profile *p = s->profile;
	struct strbuf names = STRBUF_INIT;

	if (events_list(s, chosen, &names))
		message("These are the stacks of %s; --event chooses another: %s.",
			profile_str(p, p->events[chosen].name), strbuf_str(&names));
	strbuf_release(&names);
}

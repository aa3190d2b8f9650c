/* SPDX-License-Identifier: MIT */
#include "cli/damage.h"

#include "cli/message.h"

enum { SHOWN = 100 };

void damage_tell(const struct reader *r)
{
	bool grouped = r->nr_feature_damages > 1; /* as a recording has them that was cut */
	size_t kept = r->nr_damages < SHOWN ? r->nr_damages : SHOWN;

	for (size_t i = 0; i < kept; i++)
		if (!r->damages[i].feature || !grouped)
			message("%s", r->damages[i].text);
	if (grouped)
		message("%s: %zu features of the header are damaged and left out; perfrep info tells "
			"which.",
			r->name, (size_t)r->nr_feature_damages);
}

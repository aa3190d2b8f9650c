/* SPDX-License-Identifier: MIT */
/* Which ratios the events that both sides have make, and those by function. */
#include "cli/diff.h"

#include "view/diff.h"

static enum counter_role role_of(const struct diff_pair *pair, enum cpu_vendor vendor)
{
	const struct diff_recording *r = &pair->side[0].v[0];
	struct event_name name;

	event_name_parse(&name, profile_str(r->profile, r->profile->events[r->event].name), vendor,
			 NULL);
	return name.role;
}

static const struct diff_pair *find(const struct diff_pair *pairs, size_t n, enum counter_role role,
				    enum cpu_vendor vendor)
{
	for (size_t i = 0; i < n; i++)
		if (role_of(&pairs[i], vendor) == role)
			return &pairs[i];
	return NULL;
}

size_t diff_ratios_of(struct diff_ratios *out, const struct diff_pair *pairs, size_t n,
		      enum cpu_vendor vendor)
{
	static const struct {
		const char *name;
		enum counter_role num, den;
		double factor;
	} kinds[DIFF_RATIO_KINDS] = {
		{ "IPC", ROLE_INSTRUCTIONS, ROLE_CYCLES, 1 },
		{ "branch-miss %", ROLE_BRANCH_MISSES, ROLE_BRANCHES, 100 },
		{ "LLC MPKI", ROLE_LLC_MISSES, ROLE_INSTRUCTIONS, 1000 },
	};
	const struct diff_options o = { .norm = DIFF_TIME };
	size_t made = 0;

	for (size_t k = 0; k < DIFF_RATIO_KINDS; k++) {
		const struct diff_pair *num = find(pairs, n, kinds[k].num, vendor);
		const struct diff_pair *den = find(pairs, n, kinds[k].den, vendor);
		struct diff dn, dd;

		if (!num || !den)
			continue;
		diff_build(&dn, num->side, &o);
		diff_build(&dd, den->side, &o);
		diff_ratios_build(&out[made], kinds[k].name, &dn, &dd, kinds[k].factor);
		diff_release(&dn);
		diff_release(&dd);
		if (out[made].n)
			made++;
		else
			diff_ratios_release(&out[made]);
	}
	return made;
}

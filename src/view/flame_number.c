/* SPDX-License-Identifier: MIT */
#include "view/flame_number.h"

#include <math.h>

void flame_decimal(struct strbuf *sb, uint64_t v, unsigned digits)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	strbuf_addu(sb, v / unit);
	v %= unit;
	if (v)
		strbuf_addc(sb, '.');
	while (v) {
		unit /= 10;
		strbuf_addc(sb, (char)('0' + v / unit));
		v %= unit;
	}
}

void flame_hundredths(struct strbuf *sb, uint64_t v)
{
	strbuf_addu(sb, v / 100);
	strbuf_addc(sb, '.');
	strbuf_addc(sb, (char)('0' + v / 10 % 10));
	strbuf_addc(sb, (char)('0' + v % 10));
}

void flame_share(struct strbuf *sb, double share)
{
	long v = lround(share * 10000);

	if (share >= 1) {
		strbuf_adds(sb, "100%");
		return;
	}
	if (share > 0 && !v)
		strbuf_adds(sb, "&lt;0.01");
	else
		flame_hundredths(sb, v > 9999 ? 9999 : (uint64_t)v);
	strbuf_addc(sb, '%');
}

void flame_margin(struct strbuf *sb, double half)
{
	strbuf_adds(sb, " ±");
	flame_hundredths(sb, (uint64_t)ceil(half * 10000 - 1e-9));
}

uint64_t flame_thousandths(double pixels)
{
	return (uint64_t)llround(pixels * 1000);
}

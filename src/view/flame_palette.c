/* SPDX-License-Identifier: MIT */
#include "view/flame_palette.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

/* From the first shade to the last: hue in degrees, saturation and lightness in percent. */
static const struct {
	char letter;
	short hue[2];
	unsigned char saturation, lightness[2];
} hues[HUE_MAX] = {
	[HUE_GREY] = { 'z', { 220, 220 }, 8, { 84, 76 } },
	[HUE_RED] = { 'r', { 0, 10 }, 88, { 74, 64 } },
	[HUE_YELLOW] = { 'y', { 50, 56 }, 85, { 68, 55 } },
	[HUE_ORANGE] = { 'o', { 26, 34 }, 92, { 68, 56 } },
	[HUE_GREEN] = { 'g', { 110, 125 }, 55, { 70, 56 } },
	[HUE_AQUA] = { 'a', { 172, 184 }, 55, { 70, 56 } },
	[HUE_BLUE] = { 'b', { 208, 220 }, 75, { 78, 68 } },
	[HUE_PURPLE] = { 'p', { 284, 296 }, 55, { 80, 70 } },
	[HUE_HOT] = { 'h', { 6, 52 }, 92, { 66, 60 } },
	[HUE_MEM] = { 'm', { 124, 166 }, 70, { 66, 50 } },
	[HUE_IO] = { 'i', { 226, 236 }, 70, { 80, 70 } },
	[HUE_SLOWER] = { 's', { 8, 0 }, 90, { 92, 60 } },
	[HUE_FASTER] = { 'f', { 208, 216 }, 88, { 92, 62 } },
	[HUE_SAME] = { 'q', { 220, 220 }, 6, { 90, 86 } },
	[HUE_NEW] = { 'n', { 42, 40 }, 95, { 66, 60 } },
	[HUE_GONE] = { 'v', { 172, 178 }, 50, { 68, 58 } },
	[HUE_AROUND] = { 'c', { 220, 220 }, 4, { 94, 92 } },
	[HUE_MODULE] = { 'A', { 18, 22 }, 80, { 74, 66 } },
	{ 'B', { 48, 52 }, 75, { 68, 60 } },
	{ 'C', { 78, 82 }, 60, { 68, 58 } },
	{ 'D', { 108, 112 }, 50, { 72, 62 } },
	{ 'E', { 148, 152 }, 50, { 68, 58 } },
	{ 'F', { 176, 180 }, 50, { 68, 58 } },
	{ 'G', { 198, 202 }, 65, { 74, 66 } },
	{ 'H', { 222, 226 }, 75, { 80, 73 } },
	{ 'I', { 256, 260 }, 70, { 82, 76 } },
	{ 'J', { 284, 288 }, 60, { 80, 73 } },
	{ 'K', { 318, 322 }, 65, { 80, 73 } },
	{ 'L', { 350, 354 }, 80, { 80, 73 } },
};

static const struct {
	const char *name;
	enum flame_palette palette;
	enum flame_hue hue;
} palettes[] = {
	{ "auto", PALETTE_AUTO, HUE_GREY },
	{ "kind", PALETTE_KIND, HUE_RED },
	{ "java", PALETTE_KIND, HUE_RED },
	{ "module", PALETTE_MODULE, HUE_MODULE },
	{ "hot", PALETTE_HOT, HUE_HOT },
	{ "mem", PALETTE_MEM, HUE_MEM },
	{ "io", PALETTE_IO, HUE_IO },
	{ "red", PALETTE_RED, HUE_RED },
	{ "green", PALETTE_GREEN, HUE_GREEN },
	{ "blue", PALETTE_BLUE, HUE_BLUE },
	{ "aqua", PALETTE_AQUA, HUE_AQUA },
	{ "yellow", PALETTE_YELLOW, HUE_YELLOW },
	{ "purple", PALETTE_PURPLE, HUE_PURPLE },
	{ "orange", PALETTE_ORANGE, HUE_ORANGE },
};

#define NR_PALETTES (sizeof(palettes) / sizeof(*palettes))

int flame_palette_parse(enum flame_palette *palette, const char *name, struct err *err)
{
	struct strbuf known = STRBUF_INIT;
	int r;

	for (size_t i = 0; i < NR_PALETTES; i++) {
		if (!strcmp(palettes[i].name, name)) {
			*palette = palettes[i].palette;
			strbuf_release(&known);
			return 0;
		}
		strbuf_adds(&known, i ? ", " : "");
		strbuf_adds(&known, palettes[i].name);
	}
	r = err_set(err, ERR_USAGE, "There are no colours called \"%s\"; there are %s.", name,
		    known.s);
	strbuf_release(&known);
	return r;
}

static const char *frame_name(const struct flame_tree *t, const struct flame_frame *f)
{
	return intern_str(&t->names, f->name);
}

/* C++ and Rust qualify their names. */
static bool is_qualified(const char *name)
{
	return strstr(name, "::") != NULL;
}

static bool is_separator(const char *name)
{
	return !strcmp(name, "-") || !strcmp(name, "--");
}

static enum flame_hue kind_hue(const struct flame_tree *t, uint32_t node)
{
	const struct flame_frame *f = flame_frame_of(t, node);

	if (f->flags & LINE_KERNEL)
		return HUE_ORANGE;
	if (f->flags & LINE_JIT)
		return HUE_GREEN;
	if (f->flags & LINE_UNKNOWN)
		return HUE_GREY;
	if (t->nodes.v[node].inlined)
		return HUE_AQUA;
	return is_qualified(frame_name(t, f)) ? HUE_YELLOW : HUE_RED;
}

static enum flame_hue module_hue(const struct flame_tree *t, const struct flame_frame *f)
{
	uint64_t hash =
		hash_bytes(intern_str(&t->names, f->module), intern_len(&t->names, f->module));

	return f->module ? HUE_MODULE + (unsigned)(hash >> 32) % (HUE_MAX - HUE_MODULE) : HUE_GREY;
}

enum flame_hue flame_palette_hue(enum flame_palette palette, const struct flame_tree *t,
				 uint32_t node)
{
	const struct flame_frame *f = flame_frame_of(t, node);

	if ((f->flags & FLAME_COMM) || is_separator(frame_name(t, f)))
		return HUE_GREY;
	if (palette == PALETTE_KIND)
		return kind_hue(t, node);
	if (palette == PALETTE_MODULE)
		return module_hue(t, f);
	for (size_t i = 0; i < NR_PALETTES; i++)
		if (palettes[i].palette == palette)
			return palettes[i].hue;
	return HUE_GREY;
}

unsigned flame_palette_shade(const struct flame_tree *t, uint32_t node)
{
	uint32_t name = flame_frame_of(t, node)->name;

	return hash_bytes(intern_str(&t->names, name), intern_len(&t->names, name)) % FLAME_SHADES;
}

bool flame_palette_has_kinds(const struct flame_tree *t)
{
	for (size_t i = 0; i < t->frames.n; i++)
		if (t->frames.v[i].module || (t->frames.v[i].flags & FLAME_MARKED))
			return true;
	return false;
}

char flame_hue_letter(enum flame_hue hue)
{
	return hues[hue].letter;
}

const char *flame_hue_meaning(enum flame_palette palette, enum flame_hue hue)
{
	switch (hue) {
	case HUE_SLOWER:
		return "more";
	case HUE_FASTER:
		return "less";
	case HUE_SAME:
		return "within noise";
	case HUE_NEW:
		return "new";
	case HUE_GONE:
		return "gone";
	default:
		break;
	}
	if (palette != PALETTE_KIND)
		return NULL;
	switch (hue) {
	case HUE_RED:
		return "C, others";
	case HUE_YELLOW:
		return "C++, Rust";
	case HUE_ORANGE:
		return "kernel";
	case HUE_GREEN:
		return "JIT";
	case HUE_AQUA:
		return "inlined";
	default:
		return NULL;
	}
}

/* ---- style ------------------------------------------------------------------------------- */

/* One of the three channels of a colour: N is 0, 8, 4 for red, green, blue. */
static unsigned channel(double h, double s, double l, int n)
{
	double a = s * fmin(l, 1 - l), k = fmod(n + h / 30, 12);

	return (unsigned)lround(255 * (l - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1))));
}

static void add_rules(struct strbuf *sb, enum flame_hue hue, double dimmed)
{
	for (int i = 0; i < FLAME_SHADES; i++) {
		double at = (double)i / (FLAME_SHADES - 1);
		double h = hues[hue].hue[0] + at * (hues[hue].hue[1] - hues[hue].hue[0]);
		double l = hues[hue].lightness[0] +
			   at * (hues[hue].lightness[1] - hues[hue].lightness[0]);
		double s = hues[hue].saturation / 100.0;

		l = l / 100 * dimmed;
		strbuf_addf(sb, ".%c%d{fill:#%02x%02x%02x}", hues[hue].letter, i,
			    channel(h, s, l, 0), channel(h, s, l, 8), channel(h, s, l, 4));
	}
	strbuf_addc(sb, '\n');
}

void flame_palette_css(struct strbuf *sb, const bool used[HUE_MAX])
{
	for (int hue = 0; hue < HUE_MAX; hue++)
		if (used[hue])
			add_rules(sb, (enum flame_hue)hue, 1);
	strbuf_adds(sb, "@media screen and (prefers-color-scheme:dark){\n");
	for (int hue = 0; hue < HUE_MAX; hue++)
		if (used[hue])
			add_rules(sb, (enum flame_hue)hue, 0.82);
	strbuf_adds(sb, "}\n");
}

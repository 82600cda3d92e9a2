/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "palette.h"

#define NONE (-1)

struct look {
	short fg, bg;
	attr_t attr;
};

struct role_look {
	attr_t mono;
	struct look few;         /* 8 colours: readable on any ground */
	struct look dark, light; /* 256 */
};

/* clang-format off */
static const struct role_look LOOKS[ROLE_NR] = {
	[ROLE_TEXT] = {0, {NONE, NONE, 0}, {NONE, NONE, 0}, {NONE, NONE, 0}},
	[ROLE_TITLE] = {A_REVERSE | A_BOLD, {NONE, NONE, A_REVERSE | A_BOLD},
		{255, 24, A_BOLD}, {255, 25, A_BOLD}},
	[ROLE_HEADER] = {A_BOLD | A_UNDERLINE, {NONE, NONE, A_BOLD | A_UNDERLINE},
		{250, 236, A_BOLD}, {238, 253, A_BOLD}},
	[ROLE_STATUS] = {A_REVERSE, {NONE, NONE, A_REVERSE}, {252, 236, 0}, {236, 253, 0}},
	[ROLE_DIM] = {A_DIM, {NONE, NONE, A_DIM}, {245, NONE, 0}, {243, NONE, 0}},
	[ROLE_BAR] = {0, {COLOR_CYAN, NONE, 0}, {73, NONE, 0}, {30, NONE, 0}},
	[ROLE_FUNCTION] = {A_BOLD, {NONE, NONE, A_BOLD}, {NONE, NONE, A_BOLD}, {NONE, NONE, A_BOLD}},
	[ROLE_MODULE] = {0, {COLOR_MAGENTA, NONE, 0}, {140, NONE, 0}, {91, NONE, 0}},
	[ROLE_FILE] = {0, {COLOR_CYAN, NONE, 0}, {109, NONE, 0}, {24, NONE, 0}},
	[ROLE_KEY] = {A_BOLD, {NONE, NONE, A_BOLD}, {222, 236, A_BOLD}, {94, 253, A_BOLD}},
	[ROLE_MATCH] = {A_STANDOUT, {COLOR_BLACK, COLOR_YELLOW, 0}, {16, 220, 0}, {16, 220, 0}},
	[ROLE_MARK] = {A_BOLD, {COLOR_MAGENTA, NONE, A_BOLD}, {213, NONE, A_BOLD}, {90, NONE, A_BOLD}},
	[ROLE_PEAK] = {A_BOLD, {COLOR_RED, NONE, A_BOLD}, {209, NONE, A_BOLD}, {166, NONE, A_BOLD}},
	[ROLE_LOSS] = {A_BOLD | A_STANDOUT, {COLOR_WHITE, COLOR_RED, A_BOLD}, {231, 160, A_BOLD},
		{231, 160, A_BOLD}},
	[ROLE_WARNING] = {A_BOLD, {COLOR_RED, NONE, A_BOLD}, {203, NONE, A_BOLD}, {124, NONE, A_BOLD}},
	[ROLE_UP] = {A_BOLD, {COLOR_RED, NONE, 0}, {210, NONE, 0}, {124, NONE, 0}},
	[ROLE_DOWN] = {0, {COLOR_GREEN, NONE, 0}, {114, NONE, 0}, {28, NONE, 0}},
	[ROLE_BOX] = {A_REVERSE, {COLOR_BLACK, COLOR_YELLOW, 0}, {16, 215, 0}, {16, 223, 0}},
	[ROLE_BOX + 1] = {A_REVERSE, {COLOR_BLACK, COLOR_RED, 0}, {16, 209, 0}, {16, 216, 0}},
	[ROLE_BOX + 2] = {A_REVERSE, {COLOR_BLACK, COLOR_YELLOW, 0}, {16, 221, 0}, {16, 229, 0}},
	[ROLE_BOX + 3] = {A_REVERSE, {COLOR_BLACK, COLOR_RED, 0}, {16, 173, 0}, {16, 217, 0}},
	[ROLE_BOX + 4] = {A_REVERSE, {COLOR_BLACK, COLOR_YELLOW, 0}, {16, 179, 0}, {16, 222, 0}},
	[ROLE_BOX + 5] = {A_REVERSE, {COLOR_BLACK, COLOR_RED, 0}, {16, 203, 0}, {16, 210, 0}},
	[ROLE_BOX_UP] = {A_REVERSE, {COLOR_BLACK, COLOR_RED, 0}, {16, 217, 0}, {16, 224, 0}},
	[ROLE_BOX_UP + 1] = {A_REVERSE, {COLOR_BLACK, COLOR_RED, 0}, {16, 210, 0}, {16, 217, 0}},
	[ROLE_BOX_UP + 2] = {A_REVERSE | A_BOLD, {COLOR_WHITE, COLOR_RED, A_BOLD}, {231, 160, A_BOLD},
		{231, 160, A_BOLD}},
	[ROLE_BOX_DOWN] = {A_REVERSE, {COLOR_BLACK, COLOR_GREEN, 0}, {16, 151, 0}, {16, 194, 0}},
	[ROLE_BOX_DOWN + 1] = {A_REVERSE, {COLOR_BLACK, COLOR_GREEN, 0}, {16, 114, 0}, {16, 157, 0}},
	[ROLE_BOX_DOWN + 2] = {A_REVERSE | A_BOLD, {COLOR_WHITE, COLOR_GREEN, A_BOLD}, {231, 28, A_BOLD},
		{231, 28, A_BOLD}},
	[ROLE_BOX_SAME] = {A_REVERSE, {COLOR_BLACK, COLOR_WHITE, 0}, {16, 250, 0}, {16, 252, 0}},
};
/* clang-format on */

/* What terminals that tell their colours say: "15;0", foreground and background. */
static bool ground_is_light(void)
{
	const char *text = getenv("COLORFGBG"), *last = text ? strrchr(text, ';') : NULL;
	int n = last ? atoi(last + 1) : 0;

	return n == 7 || n == 15;
}

void palette_init(bool color, enum screen_theme theme, attr_t attrs[ROLE_NR])
{
	bool light = theme == THEME_LIGHT || (theme == THEME_AUTO && ground_is_light());
	bool many;

	if (!color || !has_colors() || start_color() == ERR || COLORS < 8 ||
		COLOR_PAIRS <= ROLE_NR) {
		for (unsigned r = 0; r < ROLE_NR; r++)
			attrs[r] = LOOKS[r].mono;
		return;
	}
	many = COLORS >= 256;
	use_default_colors();
	for (unsigned r = 0; r < ROLE_NR; r++) {
		const struct role_look *l = &LOOKS[r];
		const struct look *look = !many ? &l->few : light ? &l->light : &l->dark;

		attrs[r] = look->attr;
		if (look->fg == NONE && look->bg == NONE)
			continue;
		init_pair((short)(r + 1), look->fg, look->bg);
		attrs[r] |= (attr_t)COLOR_PAIR(r + 1);
	}
}

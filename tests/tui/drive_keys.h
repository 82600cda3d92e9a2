/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keys and the mouse send, by the terminfo entry of the terminal and the modes that it is in.
 */
#ifndef TESTS_TUI_DRIVE_KEYS_H
#define TESTS_TUI_DRIVE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "emulator.h"

struct keystrokes {
	char bytes[1024];
	size_t n;
	bool ends_with_escape; /* what follows at once would become one key with it */
	char error[256];
};

/*
 * The next word of a list: a key's name ("down", "ctrl-l"), or text in quotes (double or single),
 * each with a number of times ("down*5"). It is added to `keys`, `list` moves behind it. False at
 * the end of the list or when it isn't a word (keys->error).
 */
bool keys_next(struct keystrokes *keys, const struct emulator *e, const char **list);

/*
 * What the mouse does: "click X Y", "double X Y", "wheel-up X Y", "wheel-down X Y", "drag X Y X Y",
 * each from 0. False when it isn't one of these, or when the program didn't ask for reports
 * (keys->error).
 */
bool mouse_events(struct keystrokes *keys, const struct emulator *e, const char *list);

#endif

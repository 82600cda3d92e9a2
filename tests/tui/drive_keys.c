/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "drive_keys.h"

#define XTERMS (XTERM | XTERM_256)
#define ALL (XTERMS | GNU_SCREEN | LINUX_CONSOLE | VT100)

static const struct {
	const char *name;
	unsigned terminals;
	const char *bytes, *application; /* NULL = the same in both modes */
} KEYS[] = {
	{"up", ALL, "\033[A", "\033OA"},
	{"down", ALL, "\033[B", "\033OB"},
	{"right", ALL, "\033[C", "\033OC"},
	{"left", ALL, "\033[D", "\033OD"},
	{"home", XTERMS, "\033[H", "\033OH"},
	{"home", ALL, "\033[1~", NULL},
	{"end", XTERMS, "\033[F", "\033OF"},
	{"end", ALL, "\033[4~", NULL},
	{"ins", ALL, "\033[2~", NULL},
	{"del", ALL, "\033[3~", NULL},
	{"pgup", ALL, "\033[5~", NULL},
	{"pgdn", ALL, "\033[6~", NULL},
	{"enter", ALL, "\r", NULL},
	{"esc", ALL, "\033", NULL},
	{"tab", ALL, "\t", NULL},
	{"backtab", LINUX_CONSOLE, "\033\t", NULL},
	{"backtab", ALL, "\033[Z", NULL},
	{"bs", VT100, "\b", NULL},
	{"bs", ALL, "\177", NULL},
	{"space", ALL, " ", NULL},
	{"f1", LINUX_CONSOLE, "\033[[A", NULL},
	{"f2", LINUX_CONSOLE, "\033[[B", NULL},
	{"f3", LINUX_CONSOLE, "\033[[C", NULL},
	{"f4", LINUX_CONSOLE, "\033[[D", NULL},
	{"f5", LINUX_CONSOLE, "\033[[E", NULL},
	{"f1", ALL, "\033OP", NULL},
	{"f2", ALL, "\033OQ", NULL},
	{"f3", ALL, "\033OR", NULL},
	{"f4", ALL, "\033OS", NULL},
	{"f5", VT100, "\033Ot", NULL},
	{"f6", VT100, "\033Ou", NULL},
	{"f7", VT100, "\033Ov", NULL},
	{"f8", VT100, "\033Ol", NULL},
	{"f9", VT100, "\033Ow", NULL},
	{"f10", VT100, "\033Ox", NULL},
	{"f5", ALL, "\033[15~", NULL},
	{"f6", ALL, "\033[17~", NULL},
	{"f7", ALL, "\033[18~", NULL},
	{"f8", ALL, "\033[19~", NULL},
	{"f9", ALL, "\033[20~", NULL},
	{"f10", ALL, "\033[21~", NULL},
	{"f11", ALL, "\033[23~", NULL},
	{"f12", ALL, "\033[24~", NULL},
	/* What a terminal sends around pasted text */
	{"paste-begin", ALL, "\033[200~", NULL},
	{"paste-end", ALL, "\033[201~", NULL},
};

__attribute__((format(printf, 2, 3))) static bool refuse(
	struct keystrokes *keys, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(keys->error, sizeof(keys->error), fmt, ap);
	va_end(ap);
	return false;
}

static bool add(struct keystrokes *keys, const char *bytes, size_t len)
{
	if (len > sizeof(keys->bytes) - keys->n)
		return refuse(keys, "too many keys at once");
	memcpy(keys->bytes + keys->n, bytes, len);
	keys->n += len;
	return true;
}

/* The bytes of the key that is called `word` */
static const char *key_bytes(const struct emulator *e, const char *word)
{
	for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++)
		if (!strcmp(KEYS[i].name, word) && KEYS[i].terminals & e->terminal->kind)
			return KEYS[i].application && e->cursor_keys ? KEYS[i].application
								     : KEYS[i].bytes;
	return NULL;
}

/* "*5" behind a word, once when there is none; 0 = that is no number */
static long times_of(const char **at)
{
	char *end;
	long times;

	if (**at != '*')
		return 1;
	times = strtol(*at + 1, &end, 10);
	*at = end;
	return times > 0 && times <= 1000 ? times : 0;
}

bool keys_next(struct keystrokes *keys, const struct emulator *e, const char **list)
{
	const char *at = *list + strspn(*list, " \t"), *bytes;
	char word[256], control[2] = {0};
	size_t len;
	long times;

	keys->ends_with_escape = false;
	if (!*at)
		return false;
	if (*at == '"' || *at == '\'') {
		const char *end = strchr(at + 1, *at);

		if (!end)
			return refuse(keys, "a quote isn't closed: %s", at);
		bytes = at + 1;
		len = (size_t)(end - bytes);
		at = end + 1;
	} else {
		len = strcspn(at, " \t*");
		if (!len)
			len = 1; /* the key '*' */
		if (len >= sizeof(word))
			return refuse(keys, "no key '%s'", at);
		memcpy(word, at, len);
		word[len] = '\0';
		at += len;
		bytes = key_bytes(e, word);
		if (!bytes && !strncmp(word, "ctrl-", 5) && word[5] && !word[6]) {
			control[0] = (char)(toupper(word[5]) ^ 64);
			bytes = control;
		} else if (!bytes && len == 1) {
			bytes = word;
		}
		if (!bytes)
			return refuse(keys, "no key '%s' on TERM=%s", word, e->terminal->name);
		len = control[0] || bytes == control ? 1 : strlen(bytes);
	}
	times = times_of(&at);
	if (!times || (*at && !isspace((unsigned char)*at)))
		return refuse(keys, "not a key: '%s'", *list);
	while (times--)
		if (!add(keys, bytes, len))
			return false;
	keys->ends_with_escape = len == 1 && *bytes == 27;
	*list = at;
	return true;
}

/* ---- the mouse ---- */

enum { LEFT = 0, RELEASED = 3, MOVED = 32, WHEEL_UP = 64, WHEEL_DOWN = 65 };

static bool report(
	struct keystrokes *keys, const struct emulator *e, int button, bool up, int x, int y)
{
	char text[64];
	int n;

	if (x < 0 || y < 0 || x >= e->columns || y >= e->rows)
		return refuse(keys, "%d %d isn't on the screen", x, y);
	if (e->mouse & MOUSE_SGR) {
		n = snprintf(text, sizeof(text), "\033[<%d;%d;%d%c", button, x + 1, y + 1,
			up ? 'm' : 'M');
	} else {
		if (x > 222 || y > 222)
			return refuse(keys, "%d %d can't be reported without mode 1006", x, y);
		n = snprintf(text, sizeof(text), "\033[M%c%c%c", 32 + (up ? RELEASED : button),
			x + 33, y + 33);
	}
	return add(keys, text, (size_t)n);
}

static bool click(struct keystrokes *keys, const struct emulator *e, int x, int y)
{
	return report(keys, e, LEFT, false, x, y) && report(keys, e, LEFT, true, x, y);
}

bool mouse_events(struct keystrokes *keys, const struct emulator *e, const char *list)
{
	char what[32];
	int x, y, to_x = -1, to_y = -1,
		  n = sscanf(list, "%31s %d %d %d %d", what, &x, &y, &to_x, &to_y);

	if (n != 3 && n != 5)
		return refuse(keys, "not of the mouse: '%s'", list);
	if (!(e->mouse & (MOUSE_BUTTONS | MOUSE_DRAGS | MOUSE_MOVES)))
		return refuse(keys, "the program doesn't want to know of the mouse");
	if (!strcmp(what, "click"))
		return click(keys, e, x, y);
	if (!strcmp(what, "double"))
		return click(keys, e, x, y) && click(keys, e, x, y);
	if (!strcmp(what, "wheel-up"))
		return report(keys, e, WHEEL_UP, false, x, y);
	if (!strcmp(what, "wheel-down"))
		return report(keys, e, WHEEL_DOWN, false, x, y);
	if (!strcmp(what, "drag") && n == 5)
		return report(keys, e, LEFT, false, x, y) &&
		       (!(e->mouse & (MOUSE_DRAGS | MOUSE_MOVES)) ||
			       report(keys, e, LEFT + MOVED, false, to_x, to_y)) &&
		       report(keys, e, LEFT, true, to_x, to_y);
	return refuse(keys, "not of the mouse: '%s'", list);
}

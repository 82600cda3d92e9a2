/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments and windows as people write them. */
#include <stdio.h>
#include <stdlib.h>

#include <smtool/profile.h>

static struct sm_error *bad_moment(const char *name, const char *text, bool peak)
{
	return sm_error_new(SM_E_USAGE, NULL, "not a moment of the capture",
		"%s '%s': give seconds of the trace clock (12.5), seconds from the first event "
		"(+1.5)%s or a part of the window (10%%)",
		name, text, peak ? ", 'peak'" : "");
}

/* Decimal seconds to ns, exactly: a double can't hold both hours and ns. */
static bool parse_seconds(const char *s, uint64_t *ns)
{
	uint64_t sec = 0, frac = 0, unit = 100000000;
	bool any = false;

	for (; *s >= '0' && *s <= '9'; s++) {
		if (sec > UINT64_MAX / 1000000000 / 10 - 1)
			return false;
		sec = sec * 10 + (uint64_t)(*s - '0');
		any = true;
	}
	if (*s == '.') {
		for (s++; *s >= '0' && *s <= '9'; s++) {
			frac += unit * (uint64_t)(*s - '0');
			unit /= 10;
			any = true;
		}
	}
	if (*s == 's')
		s++;
	*ns = sec * 1000000000 + frac;
	return any && !*s;
}

struct sm_error *sm_moment_parse(
	const char *name, const char *text, bool peak, struct sm_moment *moment)
{
	size_t len = strlen(text);

	memset(moment, 0, sizeof(*moment));
	if (peak && strcmp(text, "peak") == 0) {
		moment->kind = SM_MOMENT_PEAK;
		return NULL;
	}
	if (len && text[len - 1] == '%') {
		char *end;

		moment->kind = SM_MOMENT_PERCENT;
		moment->percent = strtod(text, &end);
		/* Digits alone: strtod() knows blanks, signs, hex and words too. */
		if (len == 1 || strspn(text, "0123456789.") != len - 1 || end != text + len - 1 ||
			!(moment->percent >= 0) || moment->percent > 100)
			return bad_moment(name, text, peak);
		return NULL;
	}
	moment->kind = *text == '+' ? SM_MOMENT_FROM_START : SM_MOMENT_NS;
	if (!parse_seconds(*text == '+' ? text + 1 : text, &moment->ns))
		return bad_moment(name, text, peak);
	return NULL;
}

struct sm_error *sm_window_parse(
	const char *name, const char *text, struct sm_moment *from, struct sm_moment *to)
{
	const char *comma = strchr(text, ',');
	const char *dash = strstr(text, "%-");
	struct sm_error *err = NULL;
	char left[64];
	size_t len;

	memset(from, 0, sizeof(*from));
	memset(to, 0, sizeof(*to));
	if (comma)
		len = (size_t)(comma - text);
	else if (dash)
		len = (size_t)(dash - text) + 1;
	else
		return sm_error_new(SM_E_USAGE, NULL, "not a window",
			"%s '%s': give A,B or A%%-B%%; either end may be left out (12.5, or "
			",20%%)",
			name, text);
	if (len >= sizeof(left))
		return bad_moment(name, text, false);
	snprintf(left, sizeof(left), "%.*s", (int)len, text);
	if (*left)
		err = sm_moment_parse(name, left, false, from);
	if (!err && text[len + 1])
		err = sm_moment_parse(name, text + len + 1, false, to);
	if (!err && from->kind && from->kind == to->kind &&
		(from->ns > to->ns || from->percent > to->percent))
		err = sm_error_new(
			SM_E_USAGE, NULL, "window ends before it begins", "%s '%s'", name, text);
	return err;
}

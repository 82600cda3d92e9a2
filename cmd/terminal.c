/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal.h"

#define DEFAULT_WIDTH 80
#define MAX_WIDTH 10000

unsigned terminal_width(bool to_file)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long n;
	char *end;

	if (columns && *columns >= '0' && *columns <= '9') {
		n = strtoul(columns, &end, 10);
		if (!*end && n && n <= MAX_WIDTH)
			return (unsigned)n;
	}
	if (!to_file && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return DEFAULT_WIDTH;
}

bool terminal_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *locale = NULL;

	/* The first one that says something counts. */
	for (unsigned i = 0; i < 3 && (!locale || !*locale); i++)
		locale = getenv(names[i]);
	return locale && (strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8"));
}

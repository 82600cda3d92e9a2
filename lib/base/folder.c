/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <sys/stat.h>

#include <smtool/base.h>

bool sm_make_folders(const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return false;
	for (char *p = copy + 1; *copy && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(copy, 0700);
		*p = '/';
	}
	(void)mkdir(copy, 0700);
	free(copy);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Member names: checking, cleaning, lists of them. */
#include "internal.h"

#include <stdlib.h>

bool sm_names_valid(const char *name)
{
	const char *p = name;

	if (!*p)
		return false;
	for (;;) {
		size_t len = strcspn(p, "/");

		if (!len || (len == 1 && p[0] == '.') || (len == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (!p[len])
			return true;
		p += len + 1;
	}
}

bool sm_names_clean(char *name)
{
	const char *from = name;
	char *to = name;

	if (*from == '/')
		return false;
	while (*from) {
		size_t len = strcspn(from, "/");

		if (len == 2 && from[0] == '.' && from[1] == '.')
			return false;
		if (len && !(len == 1 && from[0] == '.')) {
			if (to != name)
				*to++ = '/';
			memmove(to, from, len);
			to += len;
		}
		from += len;
		if (*from)
			from++;
	}
	*to = '\0';
	return true;
}

bool sm_names_under(const char *name, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(name, dir, len) && name[len] == '/';
}

bool sm_names_add(struct sm_names *names, size_t *cap, const char *name, size_t len)
{
	char *copy;

	if (!sm_grow(&names->names, cap, names->n + 1, sizeof(*names->names)))
		return false;
	copy = strndup(name, len);
	if (!copy)
		return false;
	names->names[names->n++] = copy;
	return true;
}

bool sm_names_add_below(struct sm_names *names, size_t *cap, const char *full, const char *dir)
{
	if (*dir) {
		if (!sm_names_under(full, dir))
			return true;
		full += strlen(dir) + 1;
	}
	return sm_names_add(names, cap, full, strcspn(full, "/"));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void sm_names_sort(struct sm_names *names)
{
	size_t n = 0;

	if (!names->n)
		return;
	qsort(names->names, names->n, sizeof(*names->names), compare);
	for (size_t i = 1; i < names->n; i++) {
		if (!strcmp(names->names[n], names->names[i]))
			free(names->names[i]);
		else
			names->names[++n] = names->names[i];
	}
	names->n = n + 1;
}

void sm_names_release(struct sm_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct sm_names){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made_map.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t add_string(struct made *m, const char *s)
{
	uint32_t at;

	while (m->strings.len % 4)
		sm_buf_addc(&m->strings, '\0');
	at = (uint32_t)m->strings.len;
	sm_buf_adds(&m->strings, s);
	sm_buf_addc(&m->strings, '\0');
	return at;
}

void made_make(struct made *m, size_t nsegments, size_t nscopes, unsigned seed)
{
	char name[300];
	uint32_t file;

	*m = (struct made){0};
	m->segments = calloc(nsegments + 1, sizeof(*m->segments));
	m->scopes = calloc(nscopes + 1, sizeof(*m->scopes));
	assert_true(m->segments && m->scopes);
	sm_buf_addc(&m->strings, '\0');
	file = add_string(m, "mm/slub.c") / 4;
	for (size_t i = 0; i < nscopes; i++) {
		snprintf(name, sizeof(name), "s%zu-%u", i, seed);
		m->scopes[i].name = add_string(m, name);
		m->scopes[i].parent = (i % 4 ? (uint32_t)i - 1 : CODE_NO_SCOPE) & 0xffffff;
		m->scopes[i].file = file & 0xfffff;
		m->scopes[i].line = (seed + 1000 + (uint32_t)i) & 0xfffff;
	}
	for (size_t i = 0; i < nsegments; i++) {
		uint32_t scope = nscopes ? (uint32_t)(i / 2 % nscopes) : CODE_NO_SCOPE;

		m->segments[i].start = (uint32_t)i * STEP;
		m->segments[i].scope = scope & 0xffffff;
		m->segments[i].file = file & 0xfffff;
		m->segments[i].line = (seed + (uint32_t)i) & 0xfffff;
	}
	assert_false(m->strings.failed);
	m->map = (struct code_map){.base = BASE,
		.segments = m->segments,
		.nsegments = nsegments,
		.scopes = m->scopes,
		.nscopes = nscopes,
		.strings = m->strings.data,
		.strings_len = m->strings.len};
}

void made_release(struct made *m)
{
	free(m->segments);
	free(m->scopes);
	sm_buf_release(&m->strings);
}

const char *made_dir(const struct scratch *s)
{
	static char path[8192];

	snprintf(path, sizeof(path), "%s/cache", s->dir);
	return path;
}

const char *made_path(const struct scratch *s, const char *id)
{
	static char path[8192];

	snprintf(path, sizeof(path), "%s/cache/%s-%d.index", s->dir, id, INDEX_VERSION);
	return path;
}

void made_write(const struct scratch *s, const char *id, const struct made *m)
{
	assert_null(sm_index_write(made_dir(s), id, &m->map, UINT64_MAX, NULL));
}

struct index *made_open(const struct scratch *s, const char *id)
{
	struct index *index = (void *)s;

	assert_null(sm_index_open(made_dir(s), id, NULL, &index));
	return index;
}

static bool same_line(const struct sm_line *a, const struct sm_line *b)
{
	return strcmp(a->function ? a->function : "", b->function ? b->function : "") == 0 &&
	       strcmp(a->file ? a->file : "", b->file ? b->file : "") == 0 && a->line == b->line;
}

bool made_agrees(const struct code_map *map, const struct code_map *want, size_t *found)
{
	struct sm_line expected[8], lines[8];

	*found = 0;
	for (size_t i = 0; i < want->nsegments; i++) {
		uint64_t addr = BASE + i * STEP + i % STEP;
		size_t n = sm_code_map_find(want, addr, expected, SM_ARRAY_SIZE(expected));
		size_t k = sm_code_map_find(map, addr, lines, SM_ARRAY_SIZE(lines));

		if (!n)
			return false;
		if (!k)
			continue;
		if (k != n)
			return false;
		while (k--) {
			if (!same_line(&expected[k], &lines[k]))
				return false;
		}
		++*found;
	}
	return true;
}

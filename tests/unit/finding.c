/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "finding.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "gen/elfwriter.h"

static void on_log(void *ctx, enum sm_level level, const char *line)
{
	sm_buf_addf(ctx, "%d %s\n", (int)level, line);
}

void said_listen(struct said *said)
{
	*said = (struct said){.log = {.write = on_log, .ctx = said, .level = SM_DEBUG}};
	said->log.ctx = &said->text;
	sm_buf_adds(&said->text, "");
}

void said_was(const struct said *said, enum sm_level level, const char *what)
{
	const char *at = said->text.data;

	while ((at = strstr(at, what)) != NULL) {
		while (at > said->text.data && at[-1] != '\n')
			at--;
		if (*at == '0' + (char)level)
			return;
		at += strcspn(at, "\n");
	}
	fail_msg("nobody said '%s' at level %d, but:\n%s", what, (int)level, said->text.data);
}

static size_t parse_id(const char *hex, uint8_t *id)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

		id[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return n;
}

uint8_t *finding_make(const struct finding_elf *e, size_t *len)
{
	bool rel = e->parts & RELOCATABLE;
	struct ew *f = ew_new(64, false, rel ? ET_REL : ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", rel ? 0 : UINT64_C(0xffffffff81000000),
		e->parts & LARGER ? 0x80 : 0x40);
	uint8_t id[32], *data;

	f->no_symtab = !(e->parts & SYMBOLS);
	if (e->parts & SYMBOLS)
		ew_function(text, "f", 0, 0x20);
	if (!(e->parts & CODE))
		ew_hollow(text);
	if (e->id)
		ew_build_id(f, id, parse_id(e->id, id));
	if (e->parts & DEBUG)
		ew_zeros(ew_debug(f, ".debug_info"), 32);
	if (e->link)
		ew_debuglink(f, e->link, e->crc);
	if (e->alt)
		ew_altlink(f, e->alt, id, parse_id(e->alt_id, id));
	data = ew_finish(f, len);
	ew_free(f);
	return data;
}

void finding_put_elf(const struct scratch *s, const char *path, const struct finding_elf *e)
{
	size_t len;
	uint8_t *data = finding_make(e, &len);

	scratch_write(s, path, data, len);
	free(data);
}

void finding_put(const struct scratch *s, const char *path, unsigned parts, const char *id)
{
	const struct finding_elf e = {.parts = parts, .id = id};

	finding_put_elf(s, path, &e);
}

static void object_is(const struct scratch *s, const struct object *obj, const char *path)
{
	struct stat have, want;

	if (!obj || strcmp(path, "-") == 0) {
		assert_string_equal(obj ? obj->path : "-", path);
		return;
	}
	assert_int_equal(stat(obj->path, &have), 0);
	assert_int_equal(stat(scratch_path(s, path), &want), 0);
	if (have.st_ino != want.st_ino)
		fail_msg("found '%s', not '%s'", obj->path, path);
}

void finding_set_is(const struct scratch *s, struct object_set *set, const char *code,
	const char *debug, const char *alt)
{
	object_is(s, set->code, code);
	object_is(s, set->debug, debug);
	object_is(s, set->alt, alt);
	if (strcmp(code, debug) == 0)
		assert_ptr_equal(set->code, set->debug);
	sm_object_set_release(set);
	assert_null(set->code);
}

struct search finding_search(const struct scratch *s, const char *root)
{
	static char path[8192];

	snprintf(path, sizeof(path), "%s/%s", s->dir, root);
	return (struct search){.root = path, .release = RELEASE};
}

void finding_vmlinux_is(const struct scratch *s, const struct search *search, const char *id,
	const char *code, const char *debug)
{
	struct object_set set;

	assert_null(sm_search_vmlinux(search, id, &set));
	finding_set_is(s, &set, code, debug, "-");
}

void finding_module_is(const struct scratch *s, const struct search *search, const char *name,
	const char *id, const char *code, const char *debug)
{
	struct object_set set;

	assert_null(sm_search_module(search, name, id, &set));
	finding_set_is(s, &set, code, debug, "-");
}

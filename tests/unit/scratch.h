/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory for one test, under $TMPDIR or /tmp, removed afterwards. Failures fail the test. */
#ifndef UNIT_SCRATCH_H
#define UNIT_SCRATCH_H

#include <smtool/source.h>

struct scratch {
	char dir[4096];
};

/* cmocka's setup and teardown: *state becomes a struct scratch. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/* The path of `name` in the directory, in one of a few static buffers. */
const char *scratch_path(const struct scratch *s, const char *name);
/* Makes the directories above it too. */
void scratch_write(const struct scratch *s, const char *name, const void *data, size_t len);
/* Owned by the caller, NUL after its end. */
uint8_t *scratch_load(const struct scratch *s, const char *name, size_t *len);
/* Runs a command of sh in the directory. */
void scratch_run(const struct scratch *s, const char *fmt, ...) SM_PRINTF(2, 3);
bool scratch_has_program(const char *name);

/* `len` bytes that depend on `seed`; half of them compress. Owned by the caller. */
uint8_t *scratch_pattern(size_t len, unsigned seed);

struct sm_source *scratch_open(const struct scratch *s, const char *name);
/* Opening `name` fails with `code`, and its text has `text` in it. */
void scratch_open_fails(
	const struct scratch *s, const char *name, enum sm_code code, const char *text);
/* The error's text has `text` in it, and its code is `code`; frees it. */
void scratch_expect(struct sm_error *err, enum sm_code code, const char *text);
/* The member's bytes are these, both read and streamed. */
void scratch_member_is(const struct sm_source *src, const char *name, const void *data, size_t len);
/* The names below `dir`, joined by spaces. */
void scratch_list_is(const struct sm_source *src, const char *dir, const char *names);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A saved profile; what is read of it is written, and reads back the same. */
#include <stdlib.h>

#include <smtool/record.h>

#include "lib/record/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool parse(struct sm_trace *t, const void *data, size_t size)
{
	struct sm_error *err = sm_stacks_new(0, &t->stacks);

	if (!err)
		err = sm_saved_parse(t, data, size, "profile");
	if (!err)
		return true;
	if (err->offset > size)
		abort();
	sm_error_free(err);
	return false;
}

static void release(struct sm_trace *t)
{
	sm_frames_free(t->frames);
	sm_imported_free(t->imported);
	sm_stacks_free(t->stacks);
	sm_error_free(t->damage);
	free(t->kernel_release);
}

static void write_back(const struct sm_trace *t, struct sm_buf *buf)
{
	const struct sm_saved saved = {
		.imported = t->imported,
		.frames = t->frames,
		.stacks = t->stacks,
		.health = &t->health,
		.kernel_release = t->kernel_release,
	};
	struct sm_error *err = sm_saved_write(&saved, buf);

	sm_error_free(err);
}

/* The trampoline's marker has no frame to be written as. */
static bool has_marker(const struct sm_trace *t)
{
	for (uint32_t i = 0; i < sm_stacks_count(t->stacks); i++) {
		struct sm_stack s = sm_stacks_get(t->stacks, i);

		for (uint32_t k = 0; k < s.depth; k++)
			if (s.ips[k] == SM_TRAMPOLINE)
				return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sm_trace first = {0}, second = {0};
	struct sm_buf once = {0}, twice = {0};

	if (parse(&first, data, size) && !has_marker(&first)) {
		write_back(&first, &once);
		if (!parse(&second, once.data, once.len) || second.damage)
			abort();
		write_back(&second, &twice);
		if (once.len != twice.len || memcmp(once.data, twice.data, once.len) != 0)
			abort();
	}
	release(&first);
	release(&second);
	sm_buf_release(&once);
	sm_buf_release(&twice);
	return 0;
}

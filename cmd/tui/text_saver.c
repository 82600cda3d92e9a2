/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "view.h"

struct text_saver {
	struct saver saver;
	struct sm_buf text;
};

static struct sm_error *write_text(struct saver *saver, enum save_format format, struct sm_out *out)
{
	const struct text_saver *s = (const struct text_saver *)saver;

	(void)format;
	sm_out_bytes(out, s->text.data, s->text.len);
	return NULL;
}

static void release(struct saver *saver)
{
	struct text_saver *s = (struct text_saver *)saver;

	sm_buf_release(&s->text);
	free(s);
}

struct saver *text_saver_new(struct sm_buf *text)
{
	struct text_saver *s = text->failed ? NULL : calloc(1, sizeof(*s));

	if (!s) {
		sm_buf_release(text);
		return NULL;
	}
	s->saver = (struct saver){.write = write_text, .release = release};
	s->text = *text;
	return &s->saver;
}

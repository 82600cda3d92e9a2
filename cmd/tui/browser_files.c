/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the interface writes to files. A file that is there is never replaced. */
#include <stdlib.h>

#include "browser_internal.h"
#include "output_file.h"

struct save_job {
	struct job job;
	struct browser *browser;
	struct saver *saver;
	enum save_format format;
	char path[];
};

static const struct {
	const char *ending;
	const char *what;
} FORMATS[SAVE_FORMATS] = {
	[SAVE_TEXT] = {".txt", "text"},
	[SAVE_JSON] = {".json", "JSON"},
	[SAVE_SVG] = {".svg", "SVG"},
};

/* A file that write() fills. */
static struct sm_error *write_new(
	const char *path, struct sm_error *(*write)(void *ctx, struct sm_out *out), void *ctx)
{
	struct output_file file;
	struct sm_error *err = output_file_open(&file, path, NEVER_REPLACED), *write_err;
	struct sm_out out;

	if (err)
		return err;
	err = sm_out_init_fd(&out, file.fd, path);
	if (!err) {
		err = write(ctx, &out);
		write_err = sm_out_finish(&out);
		if (err)
			sm_error_free(write_err);
		else
			err = write_err;
	}
	if (!err)
		return output_file_commit(&file);
	output_file_discard(&file);
	return err;
}

static struct sm_error *write_saved(void *job, struct sm_out *out)
{
	struct save_job *s = job;

	return s->saver->write(s->saver, s->format, out);
}

static void work_save(struct job *job)
{
	struct save_job *s = (struct save_job *)job;

	job->err = write_new(s->path, write_saved, s);
	/* What it holds is the worker's to free. */
	s->saver->release(s->saver);
	s->saver = NULL;
}

static void done_save(struct job *job)
{
	struct save_job *s = (struct save_job *)job;

	if (job->err)
		browser_say_error(s->browser, job->err);
	else if (!job_is_cancelled(job))
		browser_say(s->browser, ROLE_STATUS, "written: %s", s->path);
	if (s->saver)
		s->saver->release(s->saver);
	free(s);
}

void browser_save(struct browser *b, struct saver *saver, enum save_format format, const char *path)
{
	size_t size = strlen(path) + 1;
	struct save_job *s = calloc(1, sizeof(*s) + size);

	if (!s) {
		saver->release(saver);
		browser_say_error(b, sm_error_nomem());
		return;
	}
	s->job.work = work_save;
	s->job.done = done_save;
	s->job.what = "writing";
	s->browser = b;
	s->saver = saver;
	s->format = format;
	memcpy(s->path, path, size);
	worker_post(b->worker, &s->job);
}

static bool format_of(const char *path, enum save_format *format)
{
	const char *ending = strrchr(path, '.');

	for (unsigned f = 0; ending && f < SAVE_FORMATS; f++) {
		if (!strcmp(ending, FORMATS[f].ending)) {
			*format = (enum save_format)f;
			return true;
		}
	}
	return false;
}

void browser_write(struct browser *b, const char *path)
{
	const char *why = "this view can't be written so";
	enum save_format format;
	struct saver *saver;

	if (!path) {
		struct sm_buf name = {0};

		sm_buf_addf(&name, "smtool-%s.txt", b->top->ops->name);
		prompt_open(&b->prompt, "write to (.txt, .json, .svg): ", ACT_WRITE,
			name.failed ? "" : name.data);
		sm_buf_release(&name);
		return;
	}
	if (!*path)
		return;
	if (!format_of(path, &format)) {
		browser_say(
			b, ROLE_WARNING, "'%s': the ending says how: .txt, .json or .svg", path);
		return;
	}
	saver = b->top->ops->save ? b->top->ops->save(b->top, format, &why) : NULL;
	if (!saver)
		browser_say(b, ROLE_WARNING, "no %s of this view: %s", FORMATS[format].what, why);
	else
		browser_save(b, saver, format, path);
}

/* "smtool-vfs_read.txt": of the function's name only what no file system or shell minds. */
static void name_copy(struct browser *b, struct sm_buf *name)
{
	struct sm_buf text = {0};
	struct place place;

	sm_buf_adds(name, "smtool-");
	if (b->top->ops->place && b->top->ops->place(b->top, &place))
		browser_frame(b, place.side, place.ips[place.at], false, &text);
	if (text.failed || !text.len || text.len > 100)
		sm_buf_adds(name, "stack");
	for (size_t i = 0; !text.failed && text.len <= 100 && i < text.len; i++) {
		char c = text.data[i];

		if (c == ' ')
			break;
		sm_buf_addc(name, (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
						  (c >= 'a' && c <= 'z') || c == '_' || c == '.'
					  ? c
					  : '-');
	}
	sm_buf_adds(name, ".txt");
	sm_buf_release(&text);
}

void browser_copy(struct browser *b, const char *path)
{
	const char *why = "there are none in this view";
	struct sm_buf name = {0};
	struct saver *saver;

	if (path && !*path)
		return;
	/* Also before the name is asked for: else it were in vain. */
	saver = b->top->ops->copy ? b->top->ops->copy(b->top, &why) : NULL;
	if (!saver) {
		browser_say(b, ROLE_WARNING, "no stack to copy: %s", why);
	} else if (path) {
		browser_save(b, saver, SAVE_TEXT, path);
	} else {
		saver->release(saver);
		name_copy(b, &name);
		prompt_open(
			&b->prompt, "copy the stack to: ", ACT_COPY, name.failed ? "" : name.data);
		sm_buf_release(&name);
	}
}

void browser_screen(struct browser *b, const char *path)
{
	if (!path || !*path) {
		browser_say(b, ROLE_WARNING, "'screen' needs a file");
		return;
	}
	/* When all is there that is still being made. */
	free(b->screen_file);
	b->screen_file = strdup(path);
}

static struct sm_error *write_screen(void *screen, struct sm_out *out)
{
	screen_write(screen, out);
	return NULL;
}

void browser_write_screen(struct browser *b)
{
	char *path = b->screen_file;
	struct sm_error *err = write_new(path, write_screen, b->screen);

	b->screen_file = NULL;
	if (err)
		browser_say_error(b, err);
	else
		browser_say(b, ROLE_STATUS, "written: %s", path);
	free(path);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A running kernel, or a capture that is played as if it ran: a step a second, and what it came to.
 */
#include <stdlib.h>

#include "browser_internal.h"
#include "output_file.h"

#define SECOND_NS UINT64_C(1000000000)

struct step_job {
	struct job job;
	struct browser *browser;
	struct side *side;
	struct question *question;
	bool show; /* a picture of it is wanted, not only that nothing gets lost */
	struct reading *reading;
	struct sm_live_status status;
};

static void work_step(struct job *job)
{
	struct step_job *j = (struct step_job *)job;

	job->err = sm_live_step(j->side->live);
	if (!job->err && j->show)
		job->err = live_reading(j->side, j->question, &j->reading);
	sm_live_status(j->side->live, &j->status);
}

static void done_step(struct job *job)
{
	struct step_job *j = (struct step_job *)job;
	struct browser *b = j->browser;

	b->live.stepping = false;
	if (!job_is_cancelled(job)) {
		b->live.status = j->status;
		/* Goes on: what can't be read now may be read later. */
		if (job->err)
			browser_say_error(b, job->err);
		job->err = NULL;
		if (j->reading)
			browser_take(b, (size_t)(j->side - b->sides), j->reading);
	}
	sm_error_free(job->err);
	reading_put(j->reading);
	question_put(j->question);
	free(j);
}

static void step(struct browser *b, bool show)
{
	struct step_job *j = b->live.stepping ? NULL : calloc(1, sizeof(*j));

	if (!j)
		return;
	b->live.stepping = true;
	b->live.next = sm_now_ns() + SECOND_NS;
	j->job.work = work_step;
	j->job.done = done_step;
	j->browser = b;
	j->side = &b->sides[0];
	j->question = question_get(b->question);
	j->show = show;
	worker_post(b->worker, &j->job);
}

bool browser_is_live(const struct browser *b)
{
	return b->sides[0].live_wanted;
}

int browser_live_wait(const struct browser *b)
{
	uint64_t now = sm_now_ns();

	if (!browser_is_live(b) || !b->sides[0].opened || b->live.stepping ||
		b->live.status.ended || (b->live.frozen && b->sides[0].path))
		return -1;
	return b->live.next <= now ? 0 : (int)((b->live.next - now) / 1000000) + 1;
}

void browser_live_tick(struct browser *b)
{
	if (browser_live_wait(b) == 0)
		step(b, !b->live.frozen);
}

bool browser_live_act(struct browser *b, enum action action, const char *arg)
{
	if (action != ACT_FREEZE && action != ACT_STEP && action != ACT_SAVE)
		return false;
	if (!browser_is_live(b)) {
		browser_say(
			b, ROLE_WARNING, "this input doesn't go on: that is for a running kernel");
		return true;
	}
	if (action == ACT_SAVE) {
		browser_live_save(b, arg);
	} else if (action == ACT_STEP) {
		if (b->live.frozen)
			step(b, true);
		else
			browser_say(b, ROLE_WARNING, "the picture isn't held: Space does that");
	} else {
		b->live.frozen = !b->live.frozen;
		if (!b->live.frozen)
			step(b, true);
	}
	return true;
}

void browser_live_text(const struct browser *b, struct sm_buf *text)
{
	const struct sm_live_status *st = &b->live.status;

	if (!browser_is_live(b))
		return;
	sm_buf_adds(text, b->live.frozen ? "HELD " : st->ended ? "ended " : "live ");
	sm_human_count(st->events_per_s, text);
	sm_buf_addf(text, " ev/s %llu:%02llu  ",
		(unsigned long long)(st->elapsed_ns / SECOND_NS / 60),
		(unsigned long long)(st->elapsed_ns / SECOND_NS % 60));
}

void browser_live_loss(const struct browser *b, struct sm_buf *text)
{
	const struct sm_live_status *st = &b->live.status;

	if (!browser_is_live(b))
		return;
	if (st->lost || st->lost_unknown) {
		sm_buf_adds(text, " LOST ");
		sm_human_count(st->lost, text);
		if (st->lost_unknown)
			sm_buf_adds(text, "+?");
		if (st->lost_now) {
			sm_buf_adds(text, ", now ");
			sm_human_count(st->lost_now, text);
		}
		sm_buf_addc(text, ' ');
	}
}

/* ---- saving ---- */

struct capture_job {
	struct job job;
	struct browser *browser;
	struct side *side;
	bool kept_all;
	char path[];
};

static void work_capture(struct job *job)
{
	struct capture_job *j = (struct capture_job *)job;
	struct sm_live_status status;
	struct output_file file;
	struct sm_error *err = output_file_open(&file, j->path, NEVER_REPLACED);

	if (!err) {
		err = sm_live_save(j->side->live, file.fd, j->path);
		if (err)
			output_file_discard(&file);
		else
			err = output_file_commit(&file);
	}
	sm_live_status(j->side->live, &status);
	j->kept_all = status.kept_all;
	job->err = err;
}

static void done_capture(struct job *job)
{
	struct capture_job *j = (struct capture_job *)job;

	if (job->err)
		browser_say_error(j->browser, job->err);
	else if (!job_is_cancelled(job))
		browser_say(j->browser, j->kept_all ? ROLE_STATUS : ROLE_WARNING,
			j->kept_all ? "saved: %s"
				    : "saved: %s; more was seen than --keep holds: it ends early",
			j->path);
	free(j);
}

void browser_live_save(struct browser *b, const char *path)
{
	struct capture_job *j;
	size_t size;

	if (!path) {
		prompt_open(&b->prompt, "save the capture to: ", ACT_SAVE, "smtool-live.tar.zst");
		return;
	}
	if (!*path)
		return;
	size = strlen(path) + 1;
	j = calloc(1, sizeof(*j) + size);
	if (!j) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	j->job.work = work_capture;
	j->job.done = done_capture;
	j->job.what = "saving the capture";
	j->browser = b;
	j->side = &b->sides[0];
	memcpy(j->path, path, size);
	worker_post(b->worker, &j->job);
}

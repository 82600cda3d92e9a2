/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "browser.h"
#include "browser_internal.h"

#define TICK 100 /* ms between looks at the progress of what takes long */

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};

/* ---- opening and counting ---- */

struct open_job {
	struct job job;
	struct browser *browser;
	struct side *side;
	struct reading *reading;
	struct question *question;
};

static size_t index_of(const struct open_job *o)
{
	return (size_t)(o->side - o->browser->sides);
}

static void open_release(struct open_job *o)
{
	reading_put(o->reading);
	question_put(o->question);
	free(o);
}

static struct open_job *open_job_new(struct browser *b, struct side *side, const char *what)
{
	struct open_job *o = calloc(1, sizeof(*o));

	if (!o) {
		browser_say_error(b, sm_error_nomem());
		return NULL;
	}
	o->browser = b;
	o->side = side;
	o->job.what = what;
	return o;
}

static void work_symbols(struct job *job)
{
	struct open_job *o = (struct open_job *)job;

	job->err = side_open_symbols(o->side);
}

static void done_symbols(struct job *job)
{
	struct open_job *o = (struct open_job *)job;
	struct browser *b = o->browser;

	if (!job_is_cancelled(job)) {
		if (job->err)
			b->fatal = job->err;
		job->err = NULL;
		b->quit |= b->fatal != NULL;
		o->side->has_symbols = true;
		browser_refresh(b);
	}
	sm_error_free(job->err);
	open_release(o);
}

static void open_symbols(struct browser *b, struct side *side)
{
	struct open_job *o = open_job_new(b, side, "looking for symbols");

	if (!o)
		return;
	o->job.work = work_symbols;
	o->job.done = done_symbols;
	worker_post(b->worker, &o->job);
}

static void work_count(struct job *job)
{
	struct open_job *o = (struct open_job *)job;

	if (!o->side->in.trace)
		job->err = side_open(o->side, o->question);
	if (!job->err)
		job->err = reading_new(o->side, o->question, job, &o->reading);
}

static bool is_first(const struct browser *b)
{
	return b->by == SM_M_NR;
}

/* The key that all readings know: as it was, as it was asked for, or what they have in common. */
static void settle_metric(struct browser *b, const struct question *q)
{
	const struct sm_profile *profiles[MAX_SIDES];
	enum sm_metric defaults[MAX_SIDES];
	uint32_t known = UINT32_MAX;
	bool complete;
	size_t n = 0;

	for (size_t i = 0; i < b->nsides; i++) {
		if (!b->readings[i])
			continue;
		profiles[n] = b->readings[i]->profile;
		defaults[n] = selection_metric(&q->opts, profiles[n]);
		known &= profiles[n++]->known;
	}
	/* When the second one is there, the first one's choice was one of its own. */
	complete = n == b->nsides && !b->complete;
	b->complete |= complete;
	if (b->by < SM_M_NR && known & 1u << b->by && !(complete && n > 1))
		return;
	b->by = q->selection.table.by;
	if (b->by >= SM_M_NR || !(known & 1u << b->by))
		b->by = comparison_metric(profiles, defaults, n);
}

static void take_reading(struct browser *b, size_t i, struct reading *r)
{
	browser_drop(b, browser_put_reading, b->readings[i]);
	b->readings[i] = reading_get(r);
	if (r->timeline)
		browser_take_whole(b, r);
	settle_metric(b, r->question);
}

void browser_take(struct browser *b, size_t side, struct reading *r)
{
	take_reading(b, side, r);
	browser_refresh(b);
}

static void done_count(struct job *job)
{
	struct open_job *o = (struct open_job *)job;
	struct browser *b = o->browser;
	size_t i = index_of(o);
	bool first = is_first(b), opened = o->side->opened;

	if (b->counting[i] == job)
		b->counting[i] = NULL;
	if (job_is_cancelled(job) || (job->err && job->err->code == SM_E_STOPPED)) {
		sm_error_free(job->err);
		open_release(o);
		return;
	}
	if (job->err && !opened) {
		b->fatal = job->err;
		b->quit = true;
	} else if (job->err) {
		browser_say_error(b, job->err);
	} else {
		o->side->opened = true;
		o->side->has_pages = sm_trace_has_events(o->side->in.trace);
		if (!first && o->question->selection.table.by != SM_M_NR)
			b->by = o->question->selection.table.by;
		take_reading(b, i, o->reading);
		browser_refresh(b);
		if (!opened)
			open_symbols(b, o->side);
	}
	open_release(o);
}

static void count_side(struct browser *b, size_t i)
{
	struct open_job *o = open_job_new(b, &b->sides[i], "counting");

	if (!o)
		return;
	if (b->counting[i])
		job_cancel(b->counting[i]);
	b->counting[i] = &o->job;
	o->question = question_get(b->asked[i]);
	o->job.work = work_count;
	o->job.done = done_count;
	worker_post(b->worker, &o->job);
}

void browser_ask(struct browser *b, struct question *q)
{
	question_put(b->question);
	b->question = q;
	for (size_t i = 0; i < b->nsides; i++) {
		question_put(b->asked[i]);
		b->asked[i] = question_get(q);
		count_side(b, i);
	}
}

void browser_filter(struct browser *b, const char *text)
{
	struct question *filters = NULL, *asked[MAX_SIDES] = {0};
	struct sm_error *err = question_parse(b->cli, text, &filters);

	for (size_t i = 0; !err && i < b->nsides; i++)
		err = question_filter(b->cli, text, b->asked[i], &asked[i]);
	if (err) {
		browser_say_error(b, err);
		question_put(filters);
		for (size_t i = 0; i < b->nsides; i++)
			question_put(asked[i]);
		return;
	}
	question_put(b->question);
	b->question = filters;
	for (size_t i = 0; i < b->nsides; i++) {
		question_put(b->asked[i]);
		b->asked[i] = asked[i];
		count_side(b, i);
	}
}

void browser_ask_at(struct browser *b, uint64_t ns, struct reading *r)
{
	struct question *q;
	struct sm_error *err = question_at(b->cli, b->question, ns, &q);

	if (err) {
		browser_say_error(b, err);
		return;
	}
	question_put(b->asked[b->shown]);
	b->asked[b->shown] = q;
	if (b->by == SM_M_BYTES || b->by == SM_M_COUNT)
		b->by = b->by == SM_M_BYTES ? SM_M_LIVE_BYTES : SM_M_LIVE_COUNT;
	if (!r) {
		count_side(b, b->shown);
		return;
	}
	if (b->counting[b->shown])
		job_cancel(b->counting[b->shown]);
	browser_take(b, b->shown, r);
}

struct reading *browser_whole(const struct browser *b)
{
	struct reading *r = b->readings[b->shown], *w = b->wholes[b->shown];

	if (r && r->timeline)
		return r;
	return w && !strcmp(w->question->text, b->asked[b->shown]->text) ? w : NULL;
}

void browser_take_whole(struct browser *b, struct reading *r)
{
	size_t i = (size_t)(r->side - b->sides);

	browser_drop(b, browser_put_reading, b->wholes[i]);
	b->wholes[i] = reading_get(r);
}

void browser_mark(struct browser *b, struct reading *r)
{
	struct sm_buf text = {0};

	browser_drop(b, browser_put_reading, b->mark);
	b->mark = reading_get(r);
	question_moment(r->question, &text);
	browser_say(b, ROLE_STATUS, "marked%s%s: 'm' compares with it, 'M' forgets it",
		text.len ? " what was live " : "", text.len && !text.failed ? text.data : "");
	sm_buf_release(&text);
	browser_refresh(b);
}

bool browser_pair(const struct browser *b, struct reading **old, struct reading **now)
{
	*old = b->mark;
	*now = b->readings[b->shown];
	/* Of two inputs the first one is the old one, whichever other views are of. */
	if (!b->mark && b->nsides == 2) {
		*old = b->readings[0];
		*now = b->readings[1];
	}
	return *old && *now;
}

/* In the worker's thread. */
static bool find_names(void *ctx)
{
	struct browser *b = ctx;
	bool more = false, changed = false;

	for (size_t i = 0; i < b->nsides && !changed; i++)
		if (b->sides[i].symbols_tried)
			more |= names_find(b->sides[i].names, b->sides[i].in.syms, &changed);
	return more;
}

/* ---- signals ---- */

static void suspend(struct browser *b)
{
	screen_suspend(b->screen);
	raise(SIGSTOP);
	screen_resume(b->screen);
}

static void read_signals(struct browser *b)
{
	struct signalfd_siginfo info;

	while (read(b->signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			screen_resize(b->screen);
			break;
		case SIGTSTP:
			suspend(b);
			break;
		case SIGCONT:
			screen_repaint(b->screen);
			break;
		default:
			b->ended_by = (int)info.ssi_signo;
			b->quit = true;
		}
	}
}

static bool catch_signals(struct browser *b, sigset_t *before)
{
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < SM_ARRAY_SIZE(SIGNALS); i++)
		sigaddset(&mask, SIGNALS[i]);
	/* All threads, which are still to come, have them blocked. */
	pthread_sigmask(SIG_BLOCK, &mask, before);
	b->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return b->signals >= 0;
}

/* ---- the loop ---- */

static bool is_idle(struct browser *b)
{
	struct pollfd fds[] = {
		{.fd = b->signals, .events = POLLIN},
		{.fd = worker_fd(b->worker), .events = POLLIN},
	};
	int waiting = 0;

	if (!worker_is_idle(b->worker) || (b->top && b->top->due) ||
		poll(fds, SM_ARRAY_SIZE(fds), 0) > 0)
		return false;
	return ioctl(screen_fd(b->screen), FIONREAD, &waiting) < 0 || waiting == 0;
}

static void tell_idle(struct browser *b)
{
	static const char LINE[] = "idle\n";
	ssize_t n;

	if (b->idle_fd < 0)
		return;
	n = write(b->idle_fd, LINE, sizeof(LINE) - 1);
	if (n < 0)
		b->idle_fd = -1;
}

static bool read_keys(struct browser *b)
{
	struct mouse mouse;
	bool any = false;
	int key;

	while (!b->quit && (key = screen_read(b->screen, &mouse)) != INPUT_NONE) {
		any = true;
		if (key == INPUT_MOUSE)
			browser_mouse(b, &mouse);
		else
			browser_key(b, key);
	}
	return any;
}

/* Milliseconds until something is to be done without being asked; -1 = nothing is. */
static int wait_of(const struct browser *b)
{
	int wait = browser_live_wait(b), view = -1;
	uint64_t now = sm_now_ns(), due = b->top ? b->top->due : 0;

	if (due)
		view = due <= now ? 0 : (int)((due - now) / 1000000) + 1;
	return wait < 0 || (view >= 0 && view < wait) ? view : wait;
}

static void wake_view(struct browser *b)
{
	struct view *v = b->top;

	if (!v || !v->due || v->due > sm_now_ns())
		return;
	v->due = 0;
	v->ops->wake(v);
}

static void loop(struct browser *b)
{
	bool dirty = true, told = false;

	while (!b->quit) {
		struct pollfd fds[] = {
			{.fd = screen_fd(b->screen), .events = POLLIN},
			{.fd = b->signals, .events = POLLIN},
			{.fd = worker_fd(b->worker), .events = POLLIN},
		};
		bool idle;
		int wait;

		if (dirty) {
			browser_draw(b);
			for (size_t i = 0; i < b->nsides; i++)
				if (names_wanted(b->sides[i].names) && b->sides[i].has_symbols)
					worker_wake(b->worker);
			told = false;
		}
		idle = is_idle(b);
		if (idle && b->screen_file) {
			browser_write_screen(b);
			dirty = true;
			continue;
		}
		if (idle && !told) {
			tell_idle(b);
			told = true;
		}
		wait = wait_of(b);
		if (!idle && (wait < 0 || wait > TICK))
			wait = TICK;
		if (poll(fds, SM_ARRAY_SIZE(fds), wait) < 0 && errno != EINTR)
			break;
		dirty = !idle;
		if (fds[1].revents) {
			read_signals(b);
			dirty = true;
		}
		if (fds[2].revents) {
			worker_collect(b->worker);
			dirty = true;
		}
		dirty |= read_keys(b);
		browser_live_tick(b);
		wake_view(b);
		if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) {
			/* Its signal may be on the way yet. */
			b->ended_by = b->ended_by ? b->ended_by : SIGHUP;
			b->quit = true;
		}
	}
}

static struct sm_error *set_up(struct browser *b, const struct browser_opts *opts)
{
	const char *fd = getenv("SMTOOL_IDLE_FD");
	struct sm_buf text = {0};
	struct sm_error *err;

	b->idle_fd = fd ? atoi(fd) : -1;
	b->by = SM_M_NR;
	b->diff = opts->comparison->diff;
	b->shown = opts->npaths - 1;
	b->live.frozen = opts->frozen;
	question_text(&b->cli->selection, &text);
	err = text.failed ? sm_error_nomem()
			  : question_parse(b->cli, text.data ? text.data : "", &b->question);
	sm_buf_release(&text);
	for (size_t i = 0; !err && i < opts->npaths; i++) {
		struct side *side = &b->sides[i];

		side->path = opts->paths[i];
		side->cli = b->cli;
		side->choice = opts->live;
		side->sources = opts->sources;
		side->nsources = opts->nsources;
		side->live_wanted = opts->live != NULL;
		side->title = strdup(side->path ? side->path : "running kernel");
		side->names = names_new();
		b->nsides++;
		b->asked[i] = question_get(b->question);
		if (!side->title || !side->names)
			err = sm_error_nomem();
	}
	if (!err)
		err = worker_new(find_names, b, &b->worker);
	if (!err)
		err = screen_open(&opts->screen, &b->screen);
	return err;
}

static void tear_down(struct browser *b)
{
	/* The terminal first: what follows may take a while. */
	screen_close(b->screen);
	worker_free(b->worker);
	b->worker = NULL;
	while (b->top) {
		struct view *below = b->top->below;

		browser_close_view(b->top);
		b->top = below;
	}
	for (size_t i = 0; i < b->nsides; i++) {
		reading_put(b->readings[i]);
		reading_put(b->wholes[i]);
		question_put(b->asked[i]);
	}
	reading_put(b->mark);
	question_put(b->question);
	prompt_release(&b->prompt);
	if (b->has_expression)
		regfree(&b->expression);
	free(b->search);
	free(b->note);
	free(b->screen_file);
}

struct sm_error *browser_run(struct cli *cli, const struct browser_opts *opts, int *ended_by)
{
	struct browser b = {.cli = cli, .signals = -1};
	struct sm_log log_before = cli->log;
	struct sm_progress progress_before = cli->progress;
	struct sm_error *err;
	sigset_t mask;

	if (!catch_signals(&b, &mask))
		return sm_error_errno(errno, NULL, "can't receive signals", NULL);
	browser_log_init(&b);
	err = set_up(&b, opts);
	if (!err) {
		if (b.nsides == 2)
			browser_push(&b, view_diff_new(&b, opts->group, opts->attr, false), NULL);
		else
			browser_push(&b, view_rows_new(&b, opts->group, opts->attr), NULL);
		for (size_t i = 0; b.top && i < b.nsides; i++)
			count_side(&b, i);
		loop(&b);
		err = b.fatal;
	}
	tear_down(&b);
	cli->log = log_before;
	cli->progress = progress_before;
	browser_log_release(&b);
	for (size_t i = 0; i < b.nsides; i++) {
		if (!err && b.sides[i].opened)
			input_partial(&b.sides[i].in, cli);
		side_close(&b.sides[i]);
	}
	close(b.signals);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	*ended_by = b.ended_by;
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: watcher [-n STEPS] [-i MS] [-s NS] [-o FILE] [-d DIR] [-b KB] [-l BYTES] [-c CLOCK] [-p]
 * [-a] [-v] [CAPTURE]
 *
 * A live profile of the running kernel, a step every MS (1000) until STEPS (5) or a signal; or of a
 * capture, NS (1000000000) of its time a step. Takes a snapshot with each. Saves to FILE at the
 * end, then takes nothing more. -p: page events; -a: rows by attributes too; -v: a line for each
 * step.
 *
 * Prints "KEY VALUE" lines: the last snapshot's window, totals and health, and what steps and
 * snapshots cost.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <smtool/live.h>

static volatile sig_atomic_t asked_to_stop;

static void stop(int sig)
{
	(void)sig;
	asked_to_stop = 1;
}

static void check(struct sm_error *err)
{
	struct sm_buf b = {0};

	if (!err)
		return;
	sm_error_format(err, &b);
	fprintf(stderr, "watcher: %s\n", b.data);
	exit(1);
}

static void say(void *ctx, enum sm_level level, const char *line)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "watcher: %s\n", line);
}

struct watch {
	const struct sm_live_opts *opts;
	const char *capture, *output;
	uint64_t steps, interval_ms, step_ns;
	bool verbose;
	struct sm_live *live;
	struct sm_profile *last;
	uint64_t step_cost, snap_cost, max_step, max_snap, taken; /* ns */
};

static long resident_kb(void)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmRSS: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

static void tell_step(const struct watch *w, const struct sm_live_status *st)
{
	printf("step %.3f s, %llu events, %llu/s, lost %llu+%llu (%llu now), own %llu, kept "
	       "%llu%s, "
	       "%zu rows, %llu live, %ld KiB\n",
		(double)st->elapsed_ns / 1e9, (unsigned long long)st->events,
		(unsigned long long)st->events_per_s, (unsigned long long)st->lost,
		(unsigned long long)st->lost_unknown, (unsigned long long)st->lost_now,
		(unsigned long long)st->own_events, (unsigned long long)st->kept_bytes,
		st->kept_all ? "" : " (not all)", w->last->nrows,
		(unsigned long long)w->last->totals[SM_M_LIVE_COUNT], resident_kb());
	fflush(stdout);
}

static void step(struct watch *w, struct sm_live_status *st)
{
	uint64_t before = sm_now_ns(), between, after;
	struct sm_timeline *timeline;

	check(sm_live_step(w->live));
	between = sm_now_ns();
	sm_profile_free(w->last);
	check(sm_live_profile(w->live, &w->last, &timeline));
	sm_timeline_free(timeline);
	after = sm_now_ns();
	sm_live_status(w->live, st);
	w->taken++;
	w->step_cost += between - before;
	w->snap_cost += after - between;
	w->max_step = between - before > w->max_step ? between - before : w->max_step;
	w->max_snap = after - between > w->max_snap ? after - between : w->max_snap;
	if (w->verbose)
		tell_step(w, st);
}

static void save(const struct watch *w)
{
	int fd = open(w->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0) {
		perror(w->output);
		exit(1);
	}
	check(sm_live_save(w->live, fd, w->output));
	close(fd);
}

static void tell(const struct watch *w, const struct sm_live_status *st)
{
	const struct sm_health *h = &w->last->health;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("to %llu.%09llu\n", (unsigned long long)w->last->to / 1000000000,
		(unsigned long long)w->last->to % 1000000000);
	for (unsigned k = 0; k < SM_M_NR; k++)
		printf("%s %llu\n", sm_metric_name((enum sm_metric)k),
			(unsigned long long)w->last->totals[k]);
	printf("rows %zu\nevents %llu\nlost_events %llu\nlost_unknown %llu\nunmatched_frees %llu\n"
	       "no_stack %llu\norphan_stacks %llu\ntime_back %llu\n",
		w->last->nrows, (unsigned long long)h->events, (unsigned long long)h->lost_events,
		(unsigned long long)h->lost_unknown, (unsigned long long)h->unmatched_frees,
		(unsigned long long)h->no_stack, (unsigned long long)h->orphan_stacks,
		(unsigned long long)h->time_back);
	printf("lost %llu\nown_events %llu\nkept_bytes %llu\nkept_all %d\n",
		(unsigned long long)st->lost, (unsigned long long)st->own_events,
		(unsigned long long)st->kept_bytes, st->kept_all);
	printf("steps %llu\nstep_us %llu\nmax_step_us %llu\nsnapshot_us %llu\nmax_snapshot_us "
	       "%llu\n"
	       "rss_kb %ld\n",
		(unsigned long long)w->taken, (unsigned long long)(w->step_cost / w->taken / 1000),
		(unsigned long long)w->max_step / 1000,
		(unsigned long long)(w->snap_cost / w->taken / 1000),
		(unsigned long long)w->max_snap / 1000, usage.ru_maxrss);
}

static void watch_kernel(struct watch *w)
{
	const struct sigaction act = {.sa_handler = stop};
	struct sm_live_status st;

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	check(sm_live_open_kernel(w->opts, &w->live));
	do {
		poll(NULL, 0, (int)w->interval_ms);
		step(w, &st);
	} while (w->taken < w->steps && !asked_to_stop);
	if (w->output)
		save(w);
	tell(w, &st);
	sm_profile_free(w->last);
	sm_live_free(w->live);
}

static void watch_capture(struct watch *w)
{
	const struct sm_trace_opts topts = {0};
	struct sm_live_status st;
	struct sm_source *src;
	struct sm_trace *trace;

	check(sm_source_open(w->capture, NULL, &src));
	check(sm_trace_open(src, &topts, &trace));
	check(sm_live_open_replay(trace, w->step_ns, w->opts, &w->live));
	do
		step(w, &st);
	while (!st.ended);
	tell(w, &st);
	sm_profile_free(w->last);
	sm_live_free(w->live);
	sm_trace_free(trace);
	sm_source_free(src);
}

int main(int argc, char **argv)
{
	static const struct sm_timeline_opts points = {.points = 500};
	const struct sm_log log = {.write = say, .level = SM_WARN};
	struct sm_profile_opts popts = {.by_stack = true, .keep_live = true};
	struct sm_live_opts opts = {
		.profile = &popts, .timeline = &points, .spool_dir = ".", .log = &log};
	struct watch w = {.opts = &opts, .steps = 5, .interval_ms = 1000, .step_ns = 1000000000};
	int c;

	while ((c = getopt(argc, argv, "n:i:s:o:d:b:l:c:pav")) != -1) {
		switch (c) {
		case 'n':
			w.steps = strtoull(optarg, NULL, 0);
			break;
		case 'i':
			w.interval_ms = strtoull(optarg, NULL, 0);
			break;
		case 's':
			w.step_ns = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			w.output = optarg;
			break;
		case 'd':
			opts.spool_dir = optarg;
			break;
		case 'b':
			opts.buffer_kb = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			opts.spool_limit = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			opts.clock = optarg;
			break;
		case 'p':
			opts.page = true;
			break;
		case 'a':
			popts.attr = SM_ATTR_COMM;
			popts.attrs = 1u << SM_ATTR_CACHE | 1u << SM_ATTR_GFP | 1u << SM_ATTR_SIZE |
				      1u << SM_ATTR_EVENT;
			break;
		case 'v':
			w.verbose = true;
			break;
		default:
			fprintf(stderr, "usage: see the source\n");
			return 2;
		}
	}
	if (optind < argc) {
		w.capture = argv[optind];
		watch_capture(&w);
	} else {
		watch_kernel(&w);
	}
	return 0;
}

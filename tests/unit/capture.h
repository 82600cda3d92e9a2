/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures that mkcapture plays from scripts, for tests of rooms record, profile and view. Failures
 * fail the test.
 */
#ifndef UNIT_CAPTURE_H
#define UNIT_CAPTURE_H

#include <smtool/profile.h>

#include "scratch.h"

struct capture {
	struct scratch *scratch;
	struct sm_source *src;
	struct sm_trace *trace;
};

/* tests/data/gen, wherever the test is run from. */
const char *capture_scripts(void);
/* Plays a script into the directory `name` of `s`: its text, or a file of tests/data/gen. In a text
 * a line "include FILE" means one of those. */
void capture_play(const struct scratch *s, const char *name, const char *text);
void capture_play_file(const struct scratch *s, const char *name, const char *file);
/* The same, and opens it. */
void capture_make(struct capture *c, struct scratch *s, const char *text);
/* Opens what is there already; `opts` may be NULL. */
void capture_open(
	struct capture *c, struct scratch *s, const char *name, const struct sm_trace_opts *opts);
void capture_close(struct capture *c);

/* The error must be NULL; its text is shown. */
void expect_none(struct sm_error *err);

/* All events of a run as text, one a line: "cpuN TS TYPE IP,IP... id ID", with "none" or
 * "unresolved" for the stack. Owned by the caller. */
char *capture_events(struct capture *c, unsigned threads);
/* Builds a profile; `opts` NULL = defaults. */
struct sm_profile *capture_profile(struct capture *c, const struct sm_profile_opts *opts);

/* A generator of tests' random numbers: the same everywhere. */
uint64_t next_random(uint64_t *state);
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
	return (next_random(state) >> 11) % n;
}

#endif

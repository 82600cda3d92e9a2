/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reading: what was counted of an input for one question. It never changes; views and jobs share
 * it. What it holds beyond the profile is made by the worker when somebody needs it.
 */
#ifndef SMTOOL_TUI_READING_H
#define SMTOOL_TUI_READING_H

#include <smtool/diff.h>
#include <smtool/live.h>
#include <smtool/timeline.h>

#include "names.h"
#include "question.h"
#include "worker.h"

/* How what goes on is recorded, or played. */
struct live_choice {
	uint64_t replay; /* ns a step; 0 = the running kernel */
	const char *const *events;
	size_t nevents;
	uint64_t buffer_kb, keep;
	const char *clock, *instance, *spool_dir;
};

/* An input. Lives as long as the browser. */
struct side {
	const char *path; /* NULL = the running kernel */
	char *title;      /* what it is called on the screen; untrusted */
	struct names *names;
	bool opened, has_symbols;   /* the interface's: what the worker has done */
	bool has_pages;             /* likewise: there are events, and what follows from them */
	bool live_wanted;           /* it is a running kernel, or played as if it were */
	const char *const *sources; /* directories with the kernel's source */
	size_t nsources;
	/* The worker's. */
	struct cli *cli;
	struct input in;
	bool symbols_tried;
	const struct live_choice *choice;
	struct sm_live *live;           /* NULL = it doesn't go on */
	struct sm_profile_opts counted; /* by it, and the question that they are of */
	struct question *question;
};

#define READING_POINTS 480 /* of a timeline: more than a wide terminal has columns */

struct reading {
	atomic_uint refs;
	struct side *side;
	struct question *question;
	struct sm_profile *profile;   /* by stack */
	struct sm_timeline *timeline; /* NULL = there is none */
	/* The worker's alone. */
	struct sm_profile *details[2];    /* by stack and attributes: the usual ones, all */
	struct sm_table *stacks[SM_M_NR]; /* all of them, in no order, by key */
	bool named;                       /* the tables were made with names */
};

/* All functions of this file but _get() are the worker's. */

/* Opens the input, without symbols. What goes on is counted as the question says. */
struct sm_error *side_open(struct side *side, struct question *q) SM_MUST_CHECK;
struct sm_error *side_open_symbols(struct side *side) SM_MUST_CHECK;
void side_close(struct side *side);

/* Counts. `job` may cancel it: SM_E_STOPPED then. */
struct sm_error *reading_new(struct side *side, struct question *question, struct job *job,
	struct reading **reading) SM_MUST_CHECK;
/* As a question's events are counted by stack. */
void reading_opts(const struct question *q, struct job *job, struct sm_profile_opts *opts);
/* Of a profile that was made elsewhere, which it takes over also on error. */
struct sm_error *reading_of(struct side *side, struct question *question,
	struct sm_profile *profile, bool detailed, struct reading **reading) SM_MUST_CHECK;
/* A picture of what goes on. */
struct sm_error *live_reading(
	struct side *side, struct question *question, struct reading **reading) SM_MUST_CHECK;
struct reading *reading_get(struct reading *r);
void reading_put(struct reading *r);

/* The attributes that a detailed profile tells rows apart by; with those of the second list there
 * may be nearly as many rows as events. */
#define READING_ATTRS                                                                         \
	(1u << SM_ATTR_COMM | 1u << SM_ATTR_EVENT | 1u << SM_ATTR_CACHE | 1u << SM_ATTR_GFP | \
		1u << SM_ATTR_ORDER | 1u << SM_ATTR_SIZE)
#define READING_ALL_ATTRS (READING_ATTRS | 1u << SM_ATTR_PID | 1u << SM_ATTR_CPU)

/* A profile of the same whose rows are told apart by (all) attributes as well, and that knows ages;
 * NULL where the input has no events. Borrowed from the reading. */
struct sm_error *reading_detail(struct reading *r, struct job *job, bool all,
	const struct sm_profile **profile) SM_MUST_CHECK;
/* All stacks, trimmed, in no order. Borrowed from the reading. */
struct sm_error *reading_stacks(
	struct reading *r, enum sm_metric by, const struct sm_table **table) SM_MUST_CHECK;

/* ---- a part of it ---- */

/* Rows of one group: what Enter on it leaves. A list, the widest part last; shared, never changed.
 */
struct narrow {
	atomic_uint refs;
	const struct narrow *parent; /* NULL = that is all */
	enum sm_group group;
	enum sm_attr attr;
	enum sm_match match; /* the label is what a comparison by that calls it */
	char label[];        /* as in a table's row */
};

struct narrow *narrow_new(const struct narrow *parent, enum sm_group group, enum sm_attr attr,
	const char *label); /* NULL when memory is short */
const struct narrow *narrow_get(const struct narrow *n);
void narrow_put(const struct narrow *n);
/* The same, of a row of a comparison. */
struct narrow *narrow_new_matched(const struct narrow *parent, enum sm_group group,
	enum sm_attr attr, enum sm_match match, const char *label);
/* "comm=bash", of the innermost one */
void narrow_text(const struct narrow *n, struct sm_buf *text);
/* What a word of --group-by means; false for others. */
bool group_find(const char *word, enum sm_group *group, enum sm_attr *attr);
const char *group_word(enum sm_group group, enum sm_attr attr);

/*
 * The profile in which rows of `group` (by `attr`) can be told apart within `narrow`, and which of
 * its rows are in it: a byte each, the caller's to free; NULL = all.
 */
struct sm_error *reading_part(struct reading *r, struct job *job, const struct narrow *narrow,
	enum sm_group group, enum sm_attr attr, const struct sm_profile **profile,
	uint8_t **rows) SM_MUST_CHECK;

/* The profile's rows that are in the part, a byte each, as a profile; NULL = all. Its rows are the
 * profile's own then, else the caller's to free. */
struct sm_error *profile_part(const struct sm_profile *profile, const uint8_t *rows,
	struct sm_profile *part) SM_MUST_CHECK;
/* The same of the reading's stacks. Its rows are those of r->profile, or the caller's to free. */
struct sm_error *reading_copy_part(struct reading *r, struct job *job, const struct narrow *narrow,
	struct sm_profile *part) SM_MUST_CHECK;

/* ---- over time ---- */

/* A part of a reading over time. */
struct course {
	struct reading *reading; /* held; of the whole, with its timeline */
	struct sm_timeline *timeline;
	const struct sm_profile *profile; /* whose totals are of the part */
	enum sm_metric by;                /* the one that is known: SM_M_NR = all */
	bool of_whole;                    /* a part was wanted, and can't be told */
	/* Private. */
	struct sm_timeline *own_timeline;
	struct sm_profile *own_profile;
};

/* `whole` has a timeline. */
struct sm_error *course_new(struct reading *whole, struct job *job, const struct narrow *narrow,
	enum sm_metric by, struct course **course) SM_MUST_CHECK;
void course_free(void *course);

#endif

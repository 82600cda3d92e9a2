/* SPDX-License-Identifier: GPL-2.0-or-later */
/* browser: the interface's life: its inputs, the views on each other, keys, the prompt, signals. */
#ifndef SMTOOL_TUI_BROWSER_H
#define SMTOOL_TUI_BROWSER_H

#include <pthread.h>
#include <regex.h>

#include "comparison.h"
#include "menu.h"
#include "prompt.h"
#include "view.h"

#define MAX_SIDES 2

struct browser_opts {
	struct screen_opts screen;
	const char *const *paths; /* one, or two to be compared; NULL items: the running kernel */
	size_t npaths;
	const struct comparison *comparison; /* how two are compared */
	const struct live_choice *live;      /* NULL = the input doesn't go on */
	bool frozen;                         /* it begins held */
	const char *const *sources;          /* directories with the kernel's source */
	size_t nsources;
	enum sm_group group; /* of the first view */
	enum sm_attr attr;
};

/* A line that was said. */
struct message {
	char *text;
	enum sm_level level;
};

struct browser {
	struct cli *cli;
	struct screen *screen;
	struct worker *worker;
	struct side sides[MAX_SIDES];
	size_t nsides;
	struct reading *readings[MAX_SIDES]; /* the current ones; NULL while the first is made */
	struct reading *wholes[MAX_SIDES];   /* the last ones that have a timeline; NULL */
	struct question *question;           /* the filters */
	struct question *asked[MAX_SIDES];   /* what each reading answers, or will: moments, too */
	size_t shown;                        /* which of them the views are of, but diff */
	enum sm_metric by;                   /* SM_M_NR until the first reading */
	bool complete;                       /* all inputs have had a reading */
	bool of_part;                        /* shares are of the part that is shown */
	struct reading *mark;
	struct sm_diff_opts diff; /* how is compared */
	struct view *top;
	struct prompt prompt;
	struct menu menu;
	/* The last search. */
	char *search;
	regex_t expression;
	bool has_expression;

	struct {
		bool frozen, stepping;
		uint64_t next; /* step (ns) */
		struct sm_live_status status;
	} live;

	/* Private. */
	struct {
		pthread_mutex_t lock; /* others say things, too */
		struct message *items;
		size_t n, cap;
		uint64_t done, total; /* of the work that goes on, */
		uint64_t at;          /* as it was then (ns) */
		char what[64];
	} log;
	size_t nread; /* messages that were shown */
	char *note;   /* in the status line */
	enum role note_role;
	struct job *counting[MAX_SIDES];
	char *screen_file; /* to be written when all is idle; NULL = none */
	int signals, idle_fd;
	int ended_by; /* a signal; 0 = the user's wish */
	bool quit;
	struct sm_error *fatal;
};

/* Runs it until the user has enough, or a signal ends it: *ended_by, else 0. */
struct sm_error *browser_run(
	struct cli *cli, const struct browser_opts *opts, int *ended_by) SM_MUST_CHECK;

/* ---- for views ---- */

/* Opens a view on top of the others; takes it over; NULL is said to be short memory. `narrow` is
 * what it shows; taken over too. */
void browser_push(struct browser *b, struct view *v, const struct narrow *narrow);
/* In place of the one on top, of the same part. */
void browser_switch(struct browser *b, struct view *v);
/* Closes the one on top; the last one stays. */
void browser_back(struct browser *b);
/* Does what the keymap calls that. `arg` may be NULL. */
void browser_act(struct browser *b, enum action action, const char *arg);
/* Says something in the status line, until the next key. */
void browser_say(struct browser *b, enum role role, const char *fmt, ...) SM_PRINTF(3, 4);
/* The same, of an error, which it frees. */
void browser_say_error(struct browser *b, struct sm_error *err);
/* Asks another question: counts anew. Takes it over. */
void browser_ask(struct browser *b, struct question *q);
/* What was live at that moment of the shown input; `r`, which may be NULL, is what was. Other
 * inputs have clocks of their own. */
void browser_ask_at(struct browser *b, uint64_t ns, struct reading *r);
/* The shown input over time: its reading, or an earlier one of the same filters. NULL = it isn't
 * known. Borrowed. */
struct reading *browser_whole(const struct browser *b);
void browser_take_whole(struct browser *b, struct reading *r);
/* Marks that, in place of what was marked before. */
void browser_mark(struct browser *b, struct reading *r);
/* What is compared where anything is: the mark with what is shown, or two inputs. Borrowed. */
bool browser_pair(const struct browser *b, struct reading **old, struct reading **now);
/* Views show what follows from a change. */
void browser_refresh(struct browser *b);
/* Releases something once the jobs posted so far, which may use it, are done: in the worker's
 * thread, as what is large takes its time. NULL is fine. */
void browser_drop(struct browser *b, void (*release)(void *what), void *what);
/* For that. */
void browser_put_reading(void *reading);
/* Text matches the last search; false without one. */
bool browser_matches(const struct browser *b, const char *text);
/* Opens the callers and callees of a function, or of what an address is in. NULL: memory is short.
 */
void browser_peek(struct browser *b, const char *function);
void browser_peek_frame(struct browser *b, struct side *side, uint64_t ip);
/* Writes the name, or the address while there is none. `more`: with what tells it from other call
 * sites of the function. */
void browser_frame(
	struct browser *b, struct side *side, uint64_t ip, bool more, struct sm_buf *text);
/* A value of the key: "1.5 MiB", "1,234". */
void browser_value(const struct browser *b, uint64_t value, struct sm_buf *text);

/* ---- browser_files.c: what goes to files ---- */

/* Writes what the view on top shows, as the file's ending says. `path` NULL: asks for it. */
void browser_write(struct browser *b, const char *path);
void browser_screen(struct browser *b, const char *path);
/* Writes the text of the stack that the cursor is on, likewise. */
void browser_copy(struct browser *b, const char *path);
/* Writes the file in the worker; takes the saver over. */
void browser_save(struct browser *b, struct saver *s, enum save_format format, const char *path);

#endif

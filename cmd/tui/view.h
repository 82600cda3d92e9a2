/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view: what fills the screen between its title and its status line, as a table of functions. All
 * run in the interface's thread, and never wait: what takes time is a job. */
#ifndef SMTOOL_TUI_VIEW_H
#define SMTOOL_TUI_VIEW_H

#include <smtool/view.h>

#include "list.h"
#include "reading.h"

struct browser;
struct view;

/* How a view is written to a file. */
enum save_format { SAVE_TEXT, SAVE_JSON, SAVE_SVG, SAVE_FORMATS };

/* What is written: holds all it needs, whatever becomes of the view. */
struct saver {
	struct sm_error *(*write)(struct saver *s, enum save_format format, struct sm_out *out);
	/* In the worker's thread too. */
	void (*release)(struct saver *s);
};

/* Of text that is complete, which it takes over; NULL when memory is short. */
struct saver *text_saver_new(struct sm_buf *text);

/* A frame of a stack. Borrowed from the view. */
struct place {
	struct side *side; /* whose addresses they are */
	const uint64_t *ips;
	uint32_t depth, at;
};

struct view_ops {
	const char *name; /* a word for the prompt and the title */
	/* Asks for what it shows anew: the reading, the key, symbols or the mark are others now. */
	void (*refresh)(struct view *v);
	void (*draw)(struct view *v, const struct area *area);
	/* What the keymap says, before anybody else looks at it; true: that was it. `arg` is what
	 * the prompt gave, or NULL. */
	bool (*act)(struct view *v, enum action action, const char *arg);
	/* A click that isn't on a row of the list. NULL = they mean nothing. */
	bool (*click)(struct view *v, const struct mouse *mouse, const struct area *area);
	/* Goes on to the next row that matches browser->search, from the cursor. NULL = there is
	 * nothing to be found. */
	void (*search)(struct view *v, bool forward, bool from_here);
	/* For the title: what it shows. NULL = the name alone. */
	void (*describe)(struct view *v, struct sm_buf *text);
	/* The frame that the cursor is on; false where that is none. NULL = there are none. */
	bool (*place)(struct view *v, struct place *place);
	/* The text of the stack that the cursor is on; NULL with a reason in *why (a literal). NULL
	 * = there are none. */
	struct saver *(*copy)(struct view *v, const char **why);
	/* NULL with a reason in *why (a literal) where it can't be written so. */
	struct saver *(*save)(struct view *v, enum save_format format, const char **why);
	/* Called at `due`. NULL where nothing sets that. */
	void (*wake)(struct view *v);
	/* Frees the view's own. */
	void (*close)(struct view *v);
};

/* Embedded, as the first member, in each view. */
struct view {
	const struct view_ops *ops;
	struct browser *browser;
	struct view *below;          /* where Esc leads */
	const struct narrow *narrow; /* the part that it shows; owned */
	struct list list;            /* n = 0 where it has none */
	int header;                  /* lines of the area above the list */
	struct job *job;             /* the one whose result it waits for */
	uint64_t due;                /* when wake() is called (sm_now_ns()); 0 = never */
	char *trouble;               /* why it shows nothing; view_take() says it */
};

/* ---- jobs of a view ---- */

struct view_job {
	struct job job;
	struct view *view;       /* NULL = closed, or it asked for something else since */
	struct reading *reading; /* held; may be NULL */
};

/* Posts a job of the view, in place of the one that it waits for. `reading` is held for it. */
void view_post(struct view *v, struct view_job *job, struct reading *reading);
/* Begins a done(): the view that still waits for it, or NULL. An error is said in its place (and
 * freed): NULL then, too. */
struct view *view_take(struct view_job *job);
/* Ends a done(): lets go of what view_post() holds. The job itself is the caller's to free. */
void view_job_release(struct view_job *job);

/* What a view shows while there is nothing to show. */
void view_draw_empty(const struct view *v, const struct area *area);

/* Searches the n lines of a view that has them all at hand, from its list's cursor, which goes to
 * what is found; else says that nothing is. */
void view_search_lines(struct view *v, size_t n, bool forward, bool from_here,
	bool (*matches)(void *view, size_t line));

/* ---- all views; each returns NULL when memory is short ---- */

/* Rows of a table: stacks, functions, callers, modules, attributes. */
struct view *view_rows_new(struct browser *b, enum sm_group group, enum sm_attr attr);
/* The call tree, from the outermost frame inwards, or the other way. */
struct view *view_tree_new(struct browser *b, bool inverted);
/* The flame graph of the same. */
struct view *view_flame_new(struct browser *b, bool inverted);
/* Callers and callees of a function, whose name is as in a row of functions. */
struct view *view_function_new(struct browser *b, const char *function);
/* The page of a stack, which is a row of `table`, of a reading of the side. */
struct view *view_stack_new(struct browser *b, struct side *side, const struct sm_table *table,
	const struct sm_table_row *row);
/* Source and disassembly around a frame's call site. */
struct view *view_code_new(struct browser *b, const struct place *place);
/* What is live over time, and what it is made of at a moment. */
struct view *view_timeline_new(struct browser *b);
/* What differs: since the mark, or between two inputs. */
struct view *view_diff_new(struct browser *b, enum sm_group group, enum sm_attr attr, bool of_mark);
/* Lines of text. */
struct view *view_help_new(struct browser *b);
struct view *view_messages_new(struct browser *b);

#endif

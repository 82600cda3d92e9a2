/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One search for the files of a kernel or a module: candidates are tried one after the other until
 * both code and debug information are found. A candidate that isn't there or isn't taken is no
 * error; the functions only fail for lack of memory.
 */
#ifndef SMTOOL_SYMBOL_HUNT_H
#define SMTOOL_SYMBOL_HUNT_H

#include <sys/stat.h>

#include "search.h"

enum hunt_base_kind {
	HUNT_USER,    /* --debug-dir */
	HUNT_CAPTURE, /* next to the capture, or in it */
	HUNT_ROOT,    /* the system's */
};

/* A directory that is laid out like a file system, or like /usr/lib/debug. */
struct hunt_base {
	char *dir; /* without a slash at its end: "" is the root */
	enum hunt_base_kind kind;
};

struct hunt {
	const struct search *search;
	const char *what;     /* for messages: "vmlinux", or the module's name */
	const char *release;  /* NULL = unknown, or none that may be part of a path */
	const char *build_id; /* NULL = any; then that of the first that is taken */
	struct object_set *set;
	struct object *symbols; /* a file that has symbols only */
	char *first_id;         /* what build_id points to, where nobody gave it */
	struct hunt_base *bases;
	size_t nbases, bases_cap;
	struct hunt_seen {
		dev_t dev;
		ino_t ino;
	} * seen; /* opened already */
	size_t nseen, seen_cap;
};

/* `build_id` NULL = take any. */
struct sm_error *sm_hunt_start(struct hunt *h, const struct search *search, const char *what,
	const char *build_id, struct object_set *set) SM_MUST_CHECK;
/* Gives what is left to do with what was found: companions, links, the supplementary file. */
struct sm_error *sm_hunt_finish(struct hunt *h) SM_MUST_CHECK;
/* Frees all but the set; after sm_hunt_finish() or instead of it. */
void sm_hunt_release(struct hunt *h);

static inline bool sm_hunt_done(const struct hunt *h)
{
	return h->set->code && h->set->debug;
}

/* Opens a file and takes it for what it is good for. */
struct sm_error *sm_hunt_try(struct hunt *h, const char *path) SM_MUST_CHECK;
struct sm_error *sm_hunt_tryf(struct hunt *h, const char *fmt, ...) SM_PRINTF(2, 3) SM_MUST_CHECK;
/* An object that was opened already, whoever it belongs to; it is the hunt's from now on. */
struct sm_error *sm_hunt_take(struct hunt *h, struct object *obj) SM_MUST_CHECK;
/* DIR/.build-id/ab/cdef{.debug,} of each place. */
struct sm_error *sm_hunt_build_id(struct hunt *h) SM_MUST_CHECK;

/* ---- what hunt.c and its companions share ---- */

bool sm_object_has_code(const struct object *obj);
bool sm_object_has_debug(const struct object *obj);
/* Of a kernel's release or a module's name, from a capture: it may be a part of a path. */
bool sm_search_word_is_safe(const char *word);

/* A regular file that isn't one of h->seen. It is, then. */
bool sm_hunt_is_new(struct hunt *h, const char *path, struct sm_error **err);
/* Opens a candidate; NULL *obj where it can't be, or isn't new. */
struct sm_error *sm_hunt_open(struct hunt *h, const char *path, struct object **obj) SM_MUST_CHECK;
/* The debug file that `obj` names in .gnu_debuglink. */
struct sm_error *sm_hunt_debuglink(struct hunt *h, const struct object *obj) SM_MUST_CHECK;
/* The supplementary file of h->set->debug. */
struct sm_error *sm_hunt_altlink(struct hunt *h) SM_MUST_CHECK;
/* The path of the file with the debug information of a build id, from a server or its cache, by
 * libdebuginfod; the caller's to free. NULL = not to be had. */
struct sm_error *sm_debuginfod_fetch(const char *build_id, const char *what,
	const struct sm_log *log, char **path) SM_MUST_CHECK;

#endif

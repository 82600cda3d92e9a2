/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the files with the symbols are: what the user said, next to the capture, where
 * distributions put debug symbols, build-id directories, and debuginfod if the user uses that.
 */
#ifndef SMTOOL_SYMBOL_SEARCH_H
#define SMTOOL_SYMBOL_SEARCH_H

#include "object.h"

struct search {
	const char *vmlinux;           /* as the user said; NULL = look for it */
	const char *modules;           /* directory, or NULL */
	const char *const *debug_dirs; /* looked into before the usual places */
	size_t ndebug_dirs;
	const char *capture; /* path of the capture, NULL = none: its directory is looked into */
	const char *release; /* uname -r of the captured kernel, NULL = unknown */
	bool debuginfod;     /* may be asked: DEBUGINFOD_URLS is set */
	bool force;          /* build ids needn't agree */
	const char *root;    /* "" or what to put before /usr/lib/debug, /boot, ...: for tests */
	const struct sm_log *log;
	/* What the modules' directories hold, so that each is read once; NULL = each search reads
	 * them again. One thread at a time. */
	struct module_trees *trees;
};

struct module_trees *sm_module_trees_new(void); /* NULL = out of memory */
void sm_module_trees_free(struct module_trees *trees);

/* The parts of a kernel or a module. `code` has the instructions, `debug` the debug sections (or
 * where nothing has, at least the symbols); they are often the same object. `alt` is dwz's. */
struct object_set {
	struct object *code, *debug, *alt; /* each NULL = there is none */
};

/*
 * Finds the vmlinux of a build id (hex; NULL = the capture doesn't say, then only search->vmlinux
 * and what lies next to the capture is taken, with a warning). An empty set isn't an error: none
 * was found. One that the user named but whose build id differs is SM_E_REFUSED with both shown,
 * unless search->force; one that was found and differs is passed over (SM_DEBUG tells).
 */
struct sm_error *sm_search_vmlinux(
	const struct search *search, const char *build_id, struct object_set *set) SM_MUST_CHECK;
/* The same for a module ('-' and '_' in file names are alike): NAME.ko, .ko.debug, .ko.{xz,gz,zst}
 * at any depth of the modules' directories, by build id, by .gnu_debuglink. */
struct sm_error *sm_search_module(const struct search *search, const char *name,
	const char *build_id, struct object_set *set) SM_MUST_CHECK;
/* Opens a file as all that it can be, with its debug file and supplementary file. */
struct sm_error *sm_search_file(
	const struct search *search, const char *path, struct object_set *set) SM_MUST_CHECK;
void sm_object_set_release(struct object_set *set);

#endif

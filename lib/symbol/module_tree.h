/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of modules, by the modules' names: below a directory, or in a list of depmod's. */
#ifndef SMTOOL_SYMBOL_MODULE_TREE_H
#define SMTOOL_SYMBOL_MODULE_TREE_H

#include "search.h"

struct tree_file {
	uint32_t name, path; /* offsets in text */
	uint32_t rank;       /* lower = preferred by modprobe: updates/ before the kernel's own */
};

struct module_tree {
	char *dir;  /* or the list's path */
	char *text; /* names, with '-' as '_' and without what follows from ".ko" on; and paths */
	struct tree_file *files; /* sorted by name, rank, path */
	size_t n;
};

/* Reads DIR, or remembers it; an empty tree where there is none. Valid until `trees` is freed or
 * another one is got. */
struct sm_error *sm_module_tree_get(struct module_trees *trees, const char *dir,
	const struct sm_log *log, const struct module_tree **tree) SM_MUST_CHECK;
/* The same of a modules.dep or modules.order; paths are relative, and without what follows the
 * module's name. */
struct sm_error *sm_module_list_get(struct module_trees *trees, const char *path,
	const struct sm_log *log, const struct module_tree **tree) SM_MUST_CHECK;
/* Where in tree->files those of a name are, which is written with '_'; returns how many. */
size_t sm_module_tree_find(const struct module_tree *tree, const char *name, size_t *first);

/* What follows a module's name in the name of its file; ends with NULL. */
extern const char *const sm_module_suffixes[];

#endif

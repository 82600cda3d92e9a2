/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt.h"
#include "module_tree.h"

#include <stdlib.h>

/* Below each base; behind it comes the kernel's release. */
static const char *const layouts[] = {
	"usr/lib/debug/lib/modules",
	"usr/lib/debug/usr/lib/modules",
	"lib/modules",
	"usr/lib/modules",
};

struct module_hunt {
	struct hunt hunt;
	struct module_trees *trees;
	char *name; /* with '_' */
};

/* Those of DIR at any depth. */
static struct sm_error *try_tree(struct module_hunt *m, const char *dir)
{
	const struct module_tree *tree;
	struct sm_error *err;
	size_t first, n;

	err = sm_module_tree_get(m->trees, dir, m->hunt.search->log, &tree);
	if (err)
		return err;
	n = sm_module_tree_find(tree, m->name, &first);
	for (size_t i = 0; i < n && !err && !sm_hunt_done(&m->hunt); i++)
		err = sm_hunt_try(&m->hunt, tree->text + tree->files[first + i].path);
	return err;
}

/* Those of DIR itself, which may be large and have nothing to do with modules. */
static struct sm_error *try_flat(struct module_hunt *m, const char *dir)
{
	char *dashed = strdup(m->name);
	const char *const names[] = {m->hunt.what, m->name, dashed};
	struct sm_error *err = NULL;

	if (!dashed)
		return sm_error_nomem();
	for (char *p = dashed; *p; p++)
		*p = *p == '_' ? '-' : *p;
	for (size_t i = 0; i < SM_ARRAY_SIZE(names); i++) {
		for (size_t k = 0; sm_module_suffixes[k] && !err && !sm_hunt_done(&m->hunt); k++)
			err = sm_hunt_tryf(
				&m->hunt, "%s/%s%s", dir, names[i], sm_module_suffixes[k]);
	}
	free(dashed);
	return err;
}

/* Where the kernel's own directory has a file (without its suffix), others have it in the same
 * place. */
static struct sm_error *try_place(struct module_hunt *m, const char *place)
{
	struct hunt *h = &m->hunt;
	struct sm_error *err = NULL;

	for (size_t i = 0; i < h->nbases; i++) {
		for (size_t k = 0; k < SM_ARRAY_SIZE(layouts); k++) {
			for (size_t n = 0; sm_module_suffixes[n]; n++) {
				if (err || sm_hunt_done(h))
					return err;
				err = sm_hunt_tryf(h, "%s/%s/%s/%s%s", h->bases[i].dir, layouts[k],
					h->release, place, sm_module_suffixes[n]);
			}
		}
	}
	return err;
}

static struct sm_error *try_list(struct module_hunt *m, const char *path)
{
	const struct module_tree *list;
	struct sm_error *err;
	size_t first, n;

	err = sm_module_list_get(m->trees, path, m->hunt.search->log, &list);
	if (err)
		return err;
	n = sm_module_tree_find(list, m->name, &first);
	for (size_t i = 0; i < n && !err && !sm_hunt_done(&m->hunt); i++)
		err = try_place(m, list->text + list->files[first + i].path);
	return err;
}

/* Saves reading hundreds of directories. */
static struct sm_error *try_lists(struct module_hunt *m)
{
	static const char *const names[] = {"modules.dep", "modules.order"};
	struct hunt *h = &m->hunt;
	struct sm_error *err = NULL;

	for (size_t i = 0; h->release && i < h->nbases; i++) {
		for (size_t k = 0; k < SM_ARRAY_SIZE(names) && !err && !sm_hunt_done(h); k++) {
			struct sm_buf path = {0};

			sm_buf_addf(&path, "%s/lib/modules/%s/%s", h->bases[i].dir, h->release,
				names[k]);
			err = path.failed ? sm_error_nomem() : try_list(m, path.data);
			sm_buf_release(&path);
		}
	}
	return err;
}

static struct sm_error *try_layout(
	struct module_hunt *m, const struct hunt_base *base, const char *layout)
{
	struct sm_buf dir = {0};
	struct sm_error *err;

	sm_buf_addf(&dir, "%s/%s/%s", base->dir, layout, m->hunt.release);
	err = dir.failed ? sm_error_nomem() : try_tree(m, dir.data);
	sm_buf_release(&dir);
	return err;
}

static struct sm_error *try_base(struct module_hunt *m, const struct hunt_base *base)
{
	struct sm_error *err = NULL;

	for (size_t i = 0; m->hunt.release && i < SM_ARRAY_SIZE(layouts); i++) {
		if (err || sm_hunt_done(&m->hunt))
			break;
		err = try_layout(m, base, layouts[i]);
	}
	return err;
}

/* What the user named, first; then what is cheap to try; then whole trees. */
static struct sm_error *try_all(struct module_hunt *m)
{
	struct hunt *h = &m->hunt;
	struct sm_error *err = NULL;

	if (h->search->modules)
		err = try_tree(m, h->search->modules);
	if (!err && !sm_hunt_done(h))
		err = sm_hunt_build_id(h);
	for (size_t i = 0; i < h->nbases && !err && !sm_hunt_done(h); i++) {
		if (h->bases[i].kind != HUNT_ROOT)
			err = try_flat(m, h->bases[i].dir);
	}
	if (!err && !sm_hunt_done(h))
		err = try_lists(m);
	for (size_t i = 0; i < h->nbases && !err && !sm_hunt_done(h); i++)
		err = try_base(m, &h->bases[i]);
	return err;
}

static struct sm_error *find_files(struct module_hunt *m)
{
	struct hunt *h = &m->hunt;
	const char *modules = h->search->modules;
	bool any = !h->build_id;
	struct sm_error *err = try_all(m);

	if (!err && !any && modules && h->search->force && !h->set->code && !h->set->debug &&
		!h->symbols) {
		h->build_id = NULL;
		h->nseen = 0;
		err = try_tree(m, modules);
		if (!err && (h->set->code || h->set->debug || h->symbols))
			sm_log(h->search->log, SM_WARN,
				"module '%s' is taken from '%s', though its build id differs",
				h->what, modules);
	}
	if (!err)
		err = sm_hunt_finish(h);
	if (!err && any && h->set->debug)
		sm_log(h->search->log, SM_INFO,
			"the capture doesn't say the build id of module '%s': whether '%s' is it "
			"can't be checked",
			h->what, h->set->debug->path);
	return err;
}

struct sm_error *sm_search_module(
	const struct search *search, const char *name, const char *build_id, struct object_set *set)
{
	struct module_hunt m = {.trees = search->trees};
	struct sm_error *err;

	*set = (struct object_set){0};
	if (!sm_search_word_is_safe(name)) {
		sm_log(search->log, SM_DEBUG, "module '%s' isn't looked for", name);
		return NULL;
	}
	err = sm_hunt_start(&m.hunt, search, name, build_id, set);
	if (!m.trees)
		m.trees = sm_module_trees_new();
	m.name = strdup(name);
	if (!err && (!m.trees || !m.name))
		err = sm_error_nomem();
	if (!err) {
		for (char *p = m.name; *p; p++)
			*p = *p == '-' ? '_' : *p;
		err = find_files(&m);
	}
	sm_hunt_release(&m.hunt);
	if (m.trees != search->trees)
		sm_module_trees_free(m.trees);
	free(m.name);
	if (err)
		sm_object_set_release(set);
	return err;
}

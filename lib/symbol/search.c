/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "search.h"

#include <stdio.h>

#include "hunt.h"

/* Below each base; % is the kernel's release. */
static const char *const layouts[] = {
	"vmlinux",
	"vmlinux-%",
	"boot/vmlinux-%",
	"usr/lib/debug/boot/vmlinux-%",
	"usr/lib/debug/lib/modules/%/vmlinux",
	"usr/lib/debug/usr/lib/modules/%/vmlinux",
	"usr/lib/debug/vmlinux-%",
	"usr/lib/modules/%/build/vmlinux",
	"usr/lib/modules/%/vmlinux",
	"lib/modules/%/build/vmlinux",
	"lib/modules/%/vmlinux",
};

/* What distributions put behind it. */
static const char *const suffixes[] = {"", ".debug", ".zst", ".xz", ".gz"};

void sm_object_set_release(struct object_set *set)
{
	sm_object_free(set->alt);
	if (set->debug != set->code)
		sm_object_free(set->debug);
	sm_object_free(set->code);
	*set = (struct object_set){0};
}

static struct sm_error *try_layout(
	struct hunt *h, const struct hunt_base *base, const char *layout, const char *suffix)
{
	const char *mark = strchr(layout, '%');

	if (!mark) {
		/* /vmlinux is the link of a boot loader, if anything. */
		if (base->kind == HUNT_ROOT)
			return NULL;
		return sm_hunt_tryf(h, "%s/%s%s", base->dir, layout, suffix);
	}
	if (!h->release)
		return NULL;
	return sm_hunt_tryf(h, "%s/%.*s%s%s%s", base->dir, (int)(mark - layout), layout, h->release,
		mark + 1, suffix);
}

static struct sm_error *try_base(struct hunt *h, const struct hunt_base *base)
{
	struct sm_error *err = NULL;

	for (size_t i = 0; i < SM_ARRAY_SIZE(layouts); i++) {
		for (size_t k = 0; k < SM_ARRAY_SIZE(suffixes); k++) {
			if (err || sm_hunt_done(h))
				return err;
			err = try_layout(h, base, layouts[i], suffixes[k]);
		}
	}
	return err;
}

static struct sm_error *find_vmlinux(struct hunt *h)
{
	bool any = !h->build_id;
	struct sm_error *err = NULL;

	/* A build tree is what many people have. */
	if (h->search->modules)
		err = sm_hunt_tryf(h, "%s/vmlinux", h->search->modules);
	for (size_t i = 0; i < h->nbases && !err && !sm_hunt_done(h); i++) {
		if (!any || h->bases[i].kind != HUNT_ROOT)
			err = try_base(h, &h->bases[i]);
	}
	if (!err)
		err = sm_hunt_finish(h);
	if (!err && any && h->set->debug)
		sm_log(h->search->log, SM_WARN,
			"the capture doesn't say its kernel's build id: whether '%s' is that "
			"kernel can't be checked",
			h->set->debug->path);
	return err;
}

static struct sm_error *check_named(
	const struct search *search, const struct object *obj, const char *build_id)
{
	const char *own = obj->build_id ? obj->build_id : "(none)";

	if (!build_id) {
		sm_log(search->log, SM_WARN,
			"the capture doesn't say its kernel's build id: whether '%s' is that "
			"kernel can't be checked",
			obj->path);
		return NULL;
	}
	if (strcmp(own, build_id) == 0)
		return NULL;
	if (!search->force)
		return sm_error_new(SM_E_REFUSED, obj->path,
			"the vmlinux belongs to another kernel",
			"its build id is %s, the captured kernel's %s; --force uses it all the "
			"same",
			own, build_id);
	sm_log(search->log, SM_WARN,
		"'%s' belongs to another kernel: its build id is %s, the captured kernel's %s",
		obj->path, own, build_id);
	return NULL;
}

/* `want` is checked where `check` says so. */
static struct sm_error *open_named(const struct search *search, const char *path, const char *what,
	bool check, const char *want, struct object_set *set)
{
	struct sm_error *err = NULL;
	struct object *obj = NULL;
	struct hunt h;

	err = sm_hunt_start(&h, search, what, NULL, set);
	/* A fault is the user's to know, so it isn't sm_hunt_try(). */
	if (!err) {
		(void)sm_hunt_is_new(&h, path, &err);
		if (!err)
			err = sm_object_open(path, search->log, &obj);
	}
	if (!err && check)
		err = check_named(search, obj, want);
	if (!err) {
		err = sm_hunt_take(&h, obj);
		obj = NULL;
	}
	if (!err)
		err = sm_hunt_finish(&h);
	if (!err && !set->code && !set->debug)
		err = sm_error_new(SM_E_MISSING, path,
			"the file has no code, no symbols and no debug information", NULL);
	sm_object_free(obj);
	sm_hunt_release(&h);
	if (err)
		sm_object_set_release(set);
	return err;
}

struct sm_error *sm_search_file(
	const struct search *search, const char *path, struct object_set *set)
{
	return open_named(search, path, path, false, NULL, set);
}

struct sm_error *sm_search_vmlinux(
	const struct search *search, const char *build_id, struct object_set *set)
{
	struct sm_error *err;
	struct hunt h;

	if (search->vmlinux)
		return open_named(search, search->vmlinux, "vmlinux", true, build_id, set);
	err = sm_hunt_start(&h, search, "vmlinux", build_id, set);
	if (!err)
		err = find_vmlinux(&h);
	sm_hunt_release(&h);
	if (err)
		sm_object_set_release(set);
	return err;
}

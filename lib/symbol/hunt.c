/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt.h"

#include <stdio.h>
#include <stdlib.h>

bool sm_object_has_code(const struct object *obj)
{
	for (size_t i = 0; i < obj->nsections; i++) {
		const struct object_section *s = &obj->sections[i];

		if ((s->flags & SHF_ALLOC) && (s->flags & SHF_EXECINSTR) && s->type != SHT_NOBITS &&
			s->size)
			return true;
	}
	return false;
}

static bool has_section(const struct object *obj, const char *name)
{
	const struct object_section *s = sm_object_section(obj, name);

	return s && s->type != SHT_NOBITS && s->size;
}

bool sm_object_has_debug(const struct object *obj)
{
	return has_section(obj, ".debug_info");
}

bool sm_search_word_is_safe(const char *word)
{
	return word && *word && *word != '.' && strlen(word) < 256 && !strchr(word, '/');
}

static struct sm_error *add_base(
	struct hunt *h, const char *dir, size_t len, enum hunt_base_kind kind)
{
	char *copy;

	while (len && dir[len - 1] == '/')
		len--;
	copy = strndup(dir, len);
	if (!copy || !sm_grow(&h->bases, &h->bases_cap, h->nbases + 1, sizeof(*h->bases))) {
		free(copy);
		return sm_error_nomem();
	}
	h->bases[h->nbases++] = (struct hunt_base){.dir = copy, .kind = kind};
	return NULL;
}

static struct sm_error *add_capture(struct hunt *h, const char *capture)
{
	const char *slash = strrchr(capture, '/');
	struct sm_error *err = NULL;
	struct stat st;

	if (stat(capture, &st) != 0)
		return NULL;
	if (S_ISDIR(st.st_mode)) {
		size_t len = strlen(capture);

		err = add_base(h, capture, len, HUNT_CAPTURE);
		while (len && capture[len - 1] == '/')
			len--;
		slash = len ? memrchr(capture, '/', len) : capture;
	}
	if (err)
		return err;
	return slash ? add_base(h, capture, (size_t)(slash - capture), HUNT_CAPTURE)
		     : add_base(h, ".", 1, HUNT_CAPTURE);
}

static struct sm_error *add_bases(struct hunt *h)
{
	const struct search *s = h->search;
	const char *root = s->root ? s->root : "";
	struct sm_error *err = NULL;

	for (size_t i = 0; i < s->ndebug_dirs && !err; i++)
		err = add_base(h, s->debug_dirs[i], strlen(s->debug_dirs[i]), HUNT_USER);
	if (!err && s->capture && *s->capture && strcmp(s->capture, "-") != 0)
		err = add_capture(h, s->capture);
	if (!err)
		err = add_base(h, root, strlen(root), HUNT_ROOT);
	return err;
}

struct sm_error *sm_hunt_start(struct hunt *h, const struct search *search, const char *what,
	const char *build_id, struct object_set *set)
{
	*h = (struct hunt){.search = search, .what = what, .build_id = build_id, .set = set};
	*set = (struct object_set){0};
	if (sm_search_word_is_safe(search->release))
		h->release = search->release;
	else if (search->release)
		sm_log(search->log, SM_DEBUG, "kernel release '%s' isn't looked for",
			search->release);
	return add_bases(h);
}

void sm_hunt_release(struct hunt *h)
{
	for (size_t i = 0; i < h->nbases; i++)
		free(h->bases[i].dir);
	free(h->bases);
	free(h->seen);
	free(h->first_id);
	sm_object_free(h->symbols);
	*h = (struct hunt){0};
}

bool sm_hunt_is_new(struct hunt *h, const char *path, struct sm_error **err)
{
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	for (size_t i = 0; i < h->nseen; i++) {
		if (h->seen[i].dev == st.st_dev && h->seen[i].ino == st.st_ino)
			return false;
	}
	if (!sm_grow(&h->seen, &h->seen_cap, h->nseen + 1, sizeof(*h->seen))) {
		*err = sm_error_nomem();
		return false;
	}
	h->seen[h->nseen++] = (struct hunt_seen){.dev = st.st_dev, .ino = st.st_ino};
	return true;
}

struct sm_error *sm_hunt_open(struct hunt *h, const char *path, struct object **obj)
{
	struct sm_error *err = NULL;

	*obj = NULL;
	if (sm_hunt_is_new(h, path, &err))
		err = sm_object_open(path, h->search->log, obj);
	if (!err)
		return NULL;
	*obj = NULL;
	if (err->code == SM_E_NOMEM)
		return err;
	sm_log_error(h->search->log, SM_DEBUG, err, ": passed over");
	return NULL;
}

struct sm_error *sm_hunt_take(struct hunt *h, struct object *obj)
{
	bool used = false;

	if (!h->build_id && obj->build_id) {
		h->first_id = strdup(obj->build_id);
		if (!h->first_id) {
			sm_object_free(obj);
			return sm_error_nomem();
		}
		h->build_id = h->first_id;
	}
	if (!h->set->code && sm_object_has_code(obj)) {
		h->set->code = obj;
		used = true;
	}
	if (!h->set->debug && sm_object_has_debug(obj)) {
		h->set->debug = obj;
		used = true;
	}
	if (!used && !h->symbols && has_section(obj, ".symtab")) {
		h->symbols = obj;
		used = true;
	}
	if (used)
		sm_log(h->search->log, SM_DEBUG, "%s: '%s'%s%s", h->what, obj->path,
			h->set->code == obj ? ", code" : "",
			h->set->debug == obj ? ", debug information" : "");
	else
		sm_object_free(obj);
	return NULL;
}

struct sm_error *sm_hunt_try(struct hunt *h, const char *path)
{
	struct sm_error *err;
	struct object *obj;

	/* Nothing can be matched with what has no build id. */
	if (!h->build_id && (h->set->code || h->set->debug || h->symbols))
		return NULL;
	err = sm_hunt_open(h, path, &obj);
	if (err || !obj)
		return err;
	if (h->build_id && (!obj->build_id || strcmp(obj->build_id, h->build_id) != 0)) {
		sm_log(h->search->log, SM_DEBUG, "'%s' has the build id %s, not %s: passed over",
			path, obj->build_id ? obj->build_id : "(none)", h->build_id);
		sm_object_free(obj);
		return NULL;
	}
	return sm_hunt_take(h, obj);
}

struct sm_error *sm_hunt_tryf(struct hunt *h, const char *fmt, ...)
{
	struct sm_buf path = {0};
	struct sm_error *err;
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&path, fmt, ap);
	va_end(ap);
	err = path.failed ? sm_error_nomem() : sm_hunt_try(h, path.data);
	sm_buf_release(&path);
	return err;
}

struct sm_error *sm_hunt_build_id(struct hunt *h)
{
	static const char *const user[] = {"", "/usr/lib/debug", NULL};
	static const char *const root[] = {"/usr/lib/debug", "/usr/lib", NULL};
	const char *id = h->build_id;
	struct sm_error *err = NULL;

	/* Hex digits, from notes or an object; two make the directory. */
	if (!id || strlen(id) < 4 || id[strspn(id, "0123456789abcdef")])
		return NULL;
	for (size_t i = 0; i < h->nbases && !err; i++) {
		const struct hunt_base *base = &h->bases[i];
		const char *const *dir = base->kind == HUNT_ROOT ? root : user;

		for (; *dir && !err && !sm_hunt_done(h); dir++) {
			err = sm_hunt_tryf(
				h, "%s%s/.build-id/%.2s/%s.debug", base->dir, *dir, id, id + 2);
			if (!err && !sm_hunt_done(h))
				err = sm_hunt_tryf(
					h, "%s%s/.build-id/%.2s/%s", base->dir, *dir, id, id + 2);
		}
	}
	return err;
}

/* A relocatable file's image addresses come from its sections: both must have the same. */
static bool same_sections(const struct object *a, const struct object *b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a->nsections && !(a->sections[i].flags & SHF_ALLOC))
			i++;
		while (k < b->nsections && !(b->sections[k].flags & SHF_ALLOC))
			k++;
		if (i == a->nsections || k == b->nsections)
			return i == a->nsections && k == b->nsections;
		if (strcmp(a->sections[i].name, b->sections[k].name) != 0 ||
			a->sections[i].size != b->sections[k].size ||
			a->sections[i].addr != b->sections[k].addr)
			return false;
		i++;
		k++;
	}
}

static void match_parts(struct hunt *h)
{
	struct object_set *set = h->set;

	if (!set->code || !set->debug || set->code == set->debug ||
		(set->code->type != ET_REL && set->debug->type != ET_REL) ||
		(set->code->type == set->debug->type && same_sections(set->code, set->debug)))
		return;
	sm_log(h->search->log, SM_DEBUG,
		"'%s' has other sections than '%s', though its build id is the same: not used",
		set->code->path, set->debug->path);
	sm_object_free(set->code);
	set->code = sm_object_has_code(set->debug) ? set->debug : NULL;
}

static struct sm_error *fetch(struct hunt *h)
{
	struct sm_error *err;
	char *path;

	if (!h->search->debuginfod || !h->build_id)
		return NULL;
	err = sm_debuginfod_fetch(h->build_id, h->what, h->search->log, &path);
	if (!err && path)
		err = sm_hunt_try(h, path);
	free(path);
	return err;
}

struct sm_error *sm_hunt_finish(struct hunt *h)
{
	struct object_set *set = h->set;
	struct sm_error *err = NULL;

	if (!sm_hunt_done(h))
		err = sm_hunt_build_id(h);
	if (!err && !set->debug && set->code)
		err = sm_hunt_debuglink(h, set->code);
	if (!err && !set->debug && h->symbols)
		err = sm_hunt_debuglink(h, h->symbols);
	if (!err && !set->debug)
		err = fetch(h);
	if (err)
		return err;
	if (!set->debug && set->code && has_section(set->code, ".symtab")) {
		set->debug = set->code;
	} else if (!set->debug && h->symbols) {
		set->debug = h->symbols;
		h->symbols = NULL;
	}
	match_parts(h);
	return set->debug ? sm_hunt_altlink(h) : NULL;
}

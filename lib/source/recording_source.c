/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running system as a source while it is recorded: its files, but of the formats those alone
 * that the recording has, and as pages those that its readers took.
 */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"
#include "recording.h"

#define EVENTS SM_TRACING "/events"

static const struct sm_source *files_of(const struct sm_source *src)
{
	return src->recorder->live->files;
}

/* Only the recording's members are there. */
static bool is_ours(const char *name)
{
	return !strcmp(name, EVENTS) || sm_names_under(name, EVENTS);
}

/* A capture's own file; one that lies about in / is none of ours. */
static bool is_foreign(const char *name)
{
	return !strcmp(name, "smtool.json");
}

/* Index of the spool, SIZE_MAX = it isn't our pages' name. */
static size_t find_pages(const struct sm_source *src, const char *name)
{
	const struct sm_recorder *rec = src->recorder;
	char own[PATH_MAX];

	for (size_t i = 0; i < rec->ncpus; i++) {
		sm_recorder_pages_name(rec, rec->spools[i].cpu, own, sizeof(own));
		if (!strcmp(name, own))
			return i;
	}
	return SIZE_MAX;
}

static bool has(const struct sm_source *src, const char *name)
{
	if (sm_recorder_member(src->recorder, name) || find_pages(src, name) != SIZE_MAX)
		return true;
	return !is_ours(name) && !is_foreign(name) && sm_source_has(files_of(src), name);
}

static struct sm_error *list(const struct sm_source *src, const char *dir, struct sm_names *names)
{
	const struct sm_recorder *rec = src->recorder;
	struct sm_error *err = NULL;
	size_t cap = 0;

	if (!is_ours(dir))
		return sm_source_list(files_of(src), dir, names);
	for (size_t i = 0; i < rec->nmembers && !err; i++)
		if (!sm_names_add_below(names, &cap, rec->members[i].name, dir))
			err = sm_error_nomem();
	sm_names_sort(names);
	return err;
}

static struct sm_error *read_member(
	const struct sm_source *src, const char *name, uint64_t max, struct sm_blob *blob)
{
	const struct sm_buf *member = sm_recorder_member(src->recorder, name);

	if (!member) {
		if (is_ours(name) || is_foreign(name))
			return sm_archive_missing(src, name);
		return sm_source_read(files_of(src), name, max, blob);
	}
	blob->path = strdup(name);
	blob->owned = malloc(member->len + 1);
	if (!blob->path || !blob->owned) {
		sm_blob_release(blob);
		return sm_error_nomem();
	}
	if (max && member->len > max) {
		sm_blob_release(blob);
		return sm_blob_too_large(name, max);
	}
	if (member->len)
		memcpy(blob->owned, member->data, member->len);
	blob->data = blob->owned;
	blob->size = member->len;
	return NULL;
}

static struct sm_error *stream(
	const struct sm_source *src, const char *name, struct sm_stream **stream)
{
	size_t index = find_pages(src, name);

	if (index == SIZE_MAX)
		return sm_source_stream(files_of(src), name, stream);
	return sm_taps_stream(src->recorder->live->taps, index, strdup(name), stream);
}

static const struct source_ops recording_ops = {
	.has = has,
	.list = list,
	.read = read_member,
	.stream = stream,
};

struct sm_error *sm_recording_view(struct sm_recorder *rec, struct sm_source **view)
{
	struct sm_source *src = calloc(1, sizeof(*src));

	*view = src;
	if (!src)
		return sm_error_nomem();
	src->kind = SM_SOURCE_LIVE;
	src->ops = &recording_ops;
	src->fd = -1;
	src->recorder = rec;
	src->path = strdup("running kernel");
	if (src->path)
		return NULL;
	sm_source_free(src);
	*view = NULL;
	return sm_error_nomem();
}

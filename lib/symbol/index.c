/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index that is read. Opening checks the header, the marks, and the checksums of the blocks
 * against their own; a block is checked when something in it is used first. Checking all of a
 * kernel's at once takes ten times as long as what most commands ask of it. (Reading blocks into
 * memory of our own, instead of mapping them, took twice the time for 1000 addresses.)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index_layout.h"

struct index {
	char *path;
	const uint8_t *data; /* the whole file */
	size_t size;
	struct stat st;
	struct index_header header;
	struct index_layout layout;
	struct code_map map;
	uint8_t *sound; /* for each block: it was checked. Threads may both check one. */
	bool damaged;
	const struct sm_log *log;
};

/* Only where it is still the one that was opened: somebody may have put a sound one there. */
static void remove_file(const struct index *index)
{
	struct stat st;

	if (lstat(index->path, &st) == 0 && st.st_dev == index->st.st_dev &&
		st.st_ino == index->st.st_ino)
		(void)unlink(index->path);
}

static void set_damaged(struct index *index, uint64_t block)
{
	if (__atomic_exchange_n(&index->damaged, true, __ATOMIC_RELAXED))
		return;
	sm_log(index->log, SM_WARN, "index '%s' is damaged at byte %llu: removed, and not used",
		index->path, (unsigned long long)((block + 1) * INDEX_BLOCK));
	remove_file(index);
}

/* Where the table ends that `offset` lies in. */
static uint64_t table_end(const struct index_layout *l, uint64_t offset)
{
	if (offset < l->scopes)
		return l->segments + l->segments_len;
	if (offset < l->strings)
		return l->scopes + l->scopes_len;
	return l->strings + l->strings_len;
}

static bool check_block(struct index *index, uint64_t block, uint64_t end)
{
	uint64_t start = (block + 1) * INDEX_BLOCK, sum;

	if (__atomic_load_n(&index->sound[block], __ATOMIC_RELAXED))
		return true;
	if (end > start + INDEX_BLOCK)
		end = start + INDEX_BLOCK;
	memcpy(&sum, index->data + index->layout.sums + block * sizeof(sum), sizeof(sum));
	if (sm_index_block_sum(&index->header, block, index->data + start, (size_t)(end - start)) !=
		sum) {
		set_damaged(index, block);
		return false;
	}
	__atomic_store_n(&index->sound[block], 1, __ATOMIC_RELAXED);
	return true;
}

/* code_map.trust */
static size_t trust(void *ctx, const void *p, size_t need)
{
	struct index *index = ctx;
	uint64_t offset = (uint64_t)((const uint8_t *)p - index->data);
	uint64_t end = table_end(&index->layout, offset), next = offset;

	if (!need || need > end - offset)
		return 0;
	do {
		uint64_t block = next / INDEX_BLOCK - 1;

		if (!check_block(index, block, end))
			return 0;
		next = (block + 2) * INDEX_BLOCK;
	} while (next < offset + need);
	return (size_t)((next < end ? next : end) - offset);
}

static bool id_is(const struct index_header *h, const char *build_id)
{
	size_t len = strlen(build_id);

	return len <= INDEX_ID_MAX && memcmp(h->build_id, build_id, len) == 0 &&
	       (len == INDEX_ID_MAX || !h->build_id[len]);
}

/* NULL, or why it isn't taken. */
static const char *check_header(struct index *index, const char *build_id)
{
	struct index_header *h = &index->header;

	if (index->size < INDEX_BLOCK)
		return "it is cut short";
	memcpy(h, index->data, sizeof(*h));
	if (memcmp(h->magic, INDEX_MAGIC, sizeof(h->magic)) != 0)
		return "it is no index";
	if (h->byte_order != INDEX_BYTE_ORDER)
		return "it was made on a machine of another byte order";
	if (h->version != INDEX_VERSION)
		return "it is of another version";
	if (h->checksum != sm_index_header_sum(h))
		return "its header is damaged";
	if (!id_is(h, build_id))
		return "it is of another build id";
	if (!sm_index_layout(h, &index->layout) || h->file_size != index->layout.size)
		return "its header makes no sense";
	if (h->file_size != index->size)
		return "it is cut short";
	if (sm_hash(index->data + index->layout.sums, (size_t)index->layout.sums_len, 0) !=
			h->sums ||
		sm_hash(index->data + index->layout.marks, (size_t)index->layout.marks_len, 0) !=
			h->marks)
		return "its checksums are damaged";
	return NULL;
}

static const char *make_map(struct index *index)
{
	const struct index_header *h = &index->header;
	struct code_map *map = &index->map;

	map->base = h->base;
	map->segments = (const void *)(index->data + index->layout.segments);
	map->nsegments = (size_t)h->nsegments;
	map->scopes = (const void *)(index->data + index->layout.scopes);
	map->nscopes = (size_t)h->nscopes;
	map->strings = (const char *)(index->data + index->layout.strings);
	map->strings_len = (size_t)h->strings_len;
	map->marks = (const void *)(index->data + index->layout.marks);
	map->trust = trust;
	map->trust_ctx = index;
	if (map->strings_len && (!trust(index, map->strings + map->strings_len - 1, 1) ||
					map->strings[map->strings_len - 1]))
		return "its strings are damaged";
	return NULL;
}

/* NULL without an error: there is none, or none to be taken. */
static const char *map_file(struct index *index, int fd, struct sm_error **err)
{
	void *data;

	if (fstat(fd, &index->st) != 0)
		return strerror(errno);
	if (!S_ISREG(index->st.st_mode))
		return "it is no file";
	/* Who may write to it decides which names we print. */
	if ((index->st.st_uid != geteuid() && index->st.st_uid != 0) || (index->st.st_mode & 022))
		return "others may write to it";
	if (index->st.st_size < INDEX_BLOCK || (uint64_t)index->st.st_size > PTRDIFF_MAX)
		return "its size is wrong";
	data = mmap(NULL, (size_t)index->st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED) {
		if (errno == ENOMEM)
			*err = sm_error_nomem();
		return strerror(errno);
	}
	index->data = data;
	index->size = (size_t)index->st.st_size;
	return NULL;
}

static struct sm_error *read_index(
	struct index *index, int fd, const char *build_id, const char **why)
{
	struct sm_error *err = NULL;

	*why = map_file(index, fd, &err);
	if (!*why)
		*why = check_header(index, build_id);
	if (*why)
		return err;
	index->sound = calloc((size_t)index->layout.nblocks + 1, 1);
	if (!index->sound)
		return sm_error_nomem();
	*why = make_map(index);
	/* Its age. Fails where it isn't ours, and then isn't ours to remove either. */
	if (!*why)
		(void)futimens(fd, NULL);
	return NULL;
}

struct sm_error *sm_index_open(
	const char *dir, const char *build_id, const struct sm_log *log, struct index **result)
{
	char name[INDEX_NAME_MAX];
	struct index *index;
	struct sm_error *err = NULL;
	const char *why = NULL;
	int fd;

	*result = NULL;
	if (!dir || !sm_index_name(build_id, name))
		return NULL;
	index = calloc(1, sizeof(*index));
	if (!index || asprintf(&index->path, "%s/%s", dir, name) < 0) {
		free(index);
		return sm_error_nomem();
	}
	index->log = log;
	fd = open(index->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		err = read_index(index, fd, build_id, &why);
		close(fd);
	} else if (errno != ENOENT) {
		why = strerror(errno);
	}
	if (why)
		sm_log(log, SM_DEBUG, "index '%s' isn't used: %s", index->path, why);
	if (fd < 0 || err || why)
		sm_index_close(index);
	else
		*result = index;
	return err;
}

void sm_index_close(struct index *index)
{
	if (!index)
		return;
	if (index->data)
		munmap((void *)(uintptr_t)index->data, index->size);
	free(index->sound);
	free(index->path);
	free(index);
}

const struct code_map *sm_index_map(const struct index *index)
{
	return &index->map;
}

bool sm_index_damaged(const struct index *index)
{
	return __atomic_load_n(&index->damaged, __ATOMIC_RELAXED);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of the indexes: how one comes in, and how old ones leave. Several processes may do
 * both at once; none waits for another. A reader that has one mapped keeps it when it is replaced
 * or removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "index_layout.h"

#define TEMP_AGE 3600 /* seconds */
/* More is no cache of ours: the rest stays. */
#define FILES_MAX 10000

/* A file that leaves when it is its turn. */
struct old_file {
	char name[INDEX_NAME_MAX];
	struct timespec used;
	uint64_t size;
};

struct old_files {
	struct old_file *files;
	size_t n, cap;
	uint64_t size; /* of all */
};

/* 0 or an errno. */
static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (n == 0) {
			return EIO;
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

/* A table, and what fills its last block. */
static int write_table(int fd, const void *data, uint64_t len)
{
	static const uint8_t zeros[INDEX_BLOCK];
	size_t pad = (size_t)(-len % INDEX_BLOCK);
	int errnum = write_all(fd, data, (size_t)len);

	return errnum ? errnum : write_all(fd, zeros, pad);
}

static void sum_table(const struct index_header *h, const void *data, uint64_t offset, uint64_t len,
	uint64_t *sums)
{
	for (uint64_t at = 0; at < len; at += INDEX_BLOCK) {
		uint64_t block = (offset + at) / INDEX_BLOCK - 1;
		size_t n = len - at < INDEX_BLOCK ? (size_t)(len - at) : INDEX_BLOCK;

		sums[block] = sm_index_block_sum(h, block, (const uint8_t *)data + at, n);
	}
}

static void set_marks(const struct code_map *map, uint32_t *marks)
{
	for (size_t i = 0; i < map->nsegments; i += CODE_MARK)
		*marks++ = map->segments[i].start;
}

/* The tables that aren't in the map: checksums, then marks. */
static int write_file(int fd, const struct code_map *map, struct index_header *h,
	const struct index_layout *l, uint64_t *sums)
{
	uint32_t *marks = (uint32_t *)(sums + l->nblocks);
	int errnum;

	sum_table(h, map->segments, l->segments, l->segments_len, sums);
	sum_table(h, map->scopes, l->scopes, l->scopes_len, sums);
	sum_table(h, map->strings, l->strings, l->strings_len, sums);
	h->sums = sm_hash(sums, (size_t)l->sums_len, 0);
	set_marks(map, marks);
	h->marks = sm_hash(marks, (size_t)l->marks_len, 0);
	h->checksum = sm_index_header_sum(h);
	errnum = write_table(fd, h, sizeof(*h));
	if (!errnum)
		errnum = write_table(fd, map->segments, l->segments_len);
	if (!errnum)
		errnum = write_table(fd, map->scopes, l->scopes_len);
	if (!errnum)
		errnum = write_table(fd, map->strings, l->strings_len);
	return errnum ? errnum : write_all(fd, sums, (size_t)(l->sums_len + l->marks_len));
}

/* The descriptor, or -1 and errno. */
static int make_temp(int dirfd, const char *name, char temp[INDEX_NAME_MAX + 32])
{
	int fd = -1;

	for (unsigned tries = 0; tries < 16 && fd < 0; tries++) {
		uint64_t random;

		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			random = sm_now_ns() ^ (uint64_t)getpid() << 32;
		snprintf(temp, INDEX_NAME_MAX + 32, "%s.%016llx.tmp", name,
			(unsigned long long)random);
		fd = openat(
			dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/*
 * No fsync: after a crash the file may have holes, which its checksums tell, and waiting for a disk
 * would take longer than building it.
 */
static struct sm_error *put_file(int dirfd, const char *dir, const char *name,
	const struct code_map *map, struct index_header *h, const struct index_layout *l)
{
	uint64_t *sums = malloc((size_t)(l->sums_len + l->marks_len) + 1);
	char temp[INDEX_NAME_MAX + 32];
	int fd, errnum;

	if (!sums)
		return sm_error_nomem();
	fd = make_temp(dirfd, name, temp);
	if (fd < 0) {
		errnum = errno;
		free(sums);
		return sm_error_errno(errnum, dir, "cannot make an index in the cache", NULL);
	}
	errnum = write_file(fd, map, h, l, sums);
	/* Over a network, a full disk may be told here. */
	if (close(fd) != 0 && !errnum)
		errnum = errno;
	if (!errnum && renameat(dirfd, temp, dirfd, name) != 0)
		errnum = errno;
	if (errnum)
		(void)unlinkat(dirfd, temp, 0);
	free(sums);
	return errnum ? sm_error_errno(errnum, dir, "cannot write an index in the cache", NULL)
		      : NULL;
}

static bool add_old(struct old_files *old, const char *name, const struct stat *st)
{
	size_t len = strlen(name);
	struct old_file *f;

	if (len >= sizeof(f->name))
		return true;
	if (!sm_grow(&old->files, &old->cap, old->n + 1, sizeof(*old->files)))
		return false;
	f = &old->files[old->n++];
	memcpy(f->name, name, len + 1);
	f->used = st->st_mtim;
	f->size = (uint64_t)st->st_size;
	old->size += f->size;
	return true;
}

static bool list_old(int dirfd, const char *keep, struct old_files *old)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	time_t now = time(NULL);
	struct dirent *e;
	bool ok = true, temporary;
	struct stat st;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	while (ok && old->n < FILES_MAX && (e = readdir(d)) != NULL) {
		if (!sm_index_name_is(e->d_name, &temporary) || strcmp(e->d_name, keep) == 0 ||
			fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(st.st_mode))
			continue;
		if (!temporary)
			ok = add_old(old, e->d_name, &st);
		else if (st.st_mtime < now - TEMP_AGE)
			(void)unlinkat(dirfd, e->d_name, 0);
	}
	closedir(d);
	return ok;
}

static int compare_age(const void *a, const void *b)
{
	const struct timespec *x = &((const struct old_file *)a)->used;
	const struct timespec *y = &((const struct old_file *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* `size` is that of the one that stays. */
static struct sm_error *remove_old(int dirfd, const char *dir, const char *keep, uint64_t size,
	uint64_t limit, const struct sm_log *log)
{
	struct old_files old = {0};
	bool ok = list_old(dirfd, keep, &old);

	if (ok && old.n)
		qsort(old.files, old.n, sizeof(*old.files), compare_age);
	for (size_t i = 0; ok && i < old.n && size + old.size > limit; i++) {
		old.size -= old.files[i].size;
		if (unlinkat(dirfd, old.files[i].name, 0) == 0)
			sm_log(log, SM_DEBUG,
				"index '%s/%s' removed: all together have more than %llu MiB", dir,
				old.files[i].name, (unsigned long long)(limit >> 20));
	}
	free(old.files);
	return ok ? NULL : sm_error_nomem();
}

static struct sm_error *write_index(const char *dir, const char *name, const struct code_map *map,
	struct index_header *h, uint64_t limit, const struct sm_log *log)
{
	struct index_layout layout;
	struct sm_error *err;
	int dirfd;

	if (!sm_index_layout(h, &layout))
		return sm_error_new(SM_E_UNSUPPORTED, dir, "the index is too large", NULL);
	h->file_size = layout.size;
	if (layout.size > limit) {
		sm_log(log, SM_DEBUG, "no index is kept: its %llu MiB are more than the limit",
			(unsigned long long)(layout.size >> 20));
		return NULL;
	}
	err = sm_make_folders(dir) ? NULL : sm_error_nomem();
	if (err)
		return err;
	dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0)
		return sm_error_errno(errno, dir, "cannot open the cache directory", NULL);
	err = put_file(dirfd, dir, name, map, h, &layout);
	if (!err)
		err = remove_old(dirfd, dir, name, layout.size, limit, log);
	close(dirfd);
	return err;
}

struct sm_error *sm_index_write(const char *dir, const char *build_id, const struct code_map *map,
	uint64_t limit, const struct sm_log *log)
{
	struct index_header h = {
		.byte_order = INDEX_BYTE_ORDER,
		.version = INDEX_VERSION,
		.base = map->base,
		.nsegments = map->nsegments,
		.nscopes = map->nscopes,
		.strings_len = map->strings_len,
	};
	char name[INDEX_NAME_MAX];

	if (!sm_index_name(build_id, name)) {
		sm_log(log, SM_DEBUG, "no index is kept: the file has no build id");
		return NULL;
	}
	memcpy(h.magic, INDEX_MAGIC, sizeof(h.magic));
	memcpy(h.build_id, build_id, strlen(build_id));
	return write_index(dir, name, map, &h, limit, log);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 16
/* Entries of all kinds. A distribution's kernel has 6,000 modules; a build tree ten times as many
 * files. */
#define ENTRIES_MAX 1000000
#define LIST_MAX ((size_t)16 << 20)

const char *const sm_module_suffixes[] = {
	".ko", ".ko.debug", ".ko.zst", ".ko.xz", ".ko.gz", ".debug", NULL};

struct module_trees {
	struct module_tree *trees;
	size_t n, cap;
};

struct walk {
	struct sm_buf path, text;
	struct tree_file *files;
	size_t n, cap;
	size_t entries;
	bool nomem;
};

struct module_trees *sm_module_trees_new(void)
{
	return calloc(1, sizeof(struct module_trees));
}

void sm_module_trees_free(struct module_trees *trees)
{
	if (!trees)
		return;
	for (size_t i = 0; i < trees->n; i++) {
		free(trees->trees[i].dir);
		free(trees->trees[i].text);
		free(trees->trees[i].files);
	}
	free(trees->trees);
	free(trees);
}

/* How long the module's name is that a file's name begins with; 0 where it is no module's file. */
static size_t name_span(const char *file)
{
	size_t len = strlen(file);

	for (size_t i = 0; sm_module_suffixes[i]; i++) {
		size_t n = strlen(sm_module_suffixes[i]);

		if (len > n && strcmp(file + len - n, sm_module_suffixes[i]) == 0)
			return len - n;
	}
	return 0;
}

static void add_file(struct walk *w, const char *file, size_t name_len, uint32_t rank)
{
	struct tree_file *f;
	char *name;

	if (w->text.len > UINT32_MAX / 2 ||
		!sm_grow(&w->files, &w->cap, w->n + 1, sizeof(*w->files))) {
		w->nomem = true;
		return;
	}
	f = &w->files[w->n++];
	f->rank = rank;
	f->name = (uint32_t)w->text.len;
	sm_buf_add(&w->text, file, name_len);
	sm_buf_addc(&w->text, '\0');
	f->path = (uint32_t)w->text.len;
	sm_buf_add(&w->text, w->path.data, w->path.len);
	sm_buf_addc(&w->text, '\0');
	if (w->text.failed) {
		w->nomem = true;
		return;
	}
	name = w->text.data + f->name;
	for (size_t i = 0; i < name_len; i++)
		name[i] = name[i] == '-' ? '_' : name[i];
}

/* As depmod's default order. */
static uint32_t rank_of(const char *dir, uint32_t rank)
{
	return strcmp(dir, "updates") == 0 ? 0 : rank;
}

/* Links to directories ("build", "source") lead elsewhere and perhaps in circles. */
static unsigned char type_of(const struct walk *w, const struct dirent *e)
{
	struct stat st;

	if (e->d_type == DT_REG || e->d_type == DT_DIR)
		return e->d_type;
	if (e->d_type == DT_LNK)
		return stat(w->path.data, &st) == 0 && S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
	if (e->d_type != DT_UNKNOWN || lstat(w->path.data, &st) != 0)
		return DT_UNKNOWN;
	return S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
}

/* w->path is the directory's. */
static void walk_dir(struct walk *w, unsigned depth, uint32_t rank)
{
	size_t len = w->path.len;
	struct dirent *e;
	DIR *d;

	d = opendir(w->path.data);
	if (!d)
		return;
	while (!w->nomem && w->entries < ENTRIES_MAX && (e = readdir(d)) != NULL) {
		size_t name_len = name_span(e->d_name);
		unsigned char type;

		w->entries++;
		if (e->d_name[0] == '.' || (!name_len && e->d_type == DT_REG))
			continue;
		sm_buf_addc(&w->path, '/');
		sm_buf_adds(&w->path, e->d_name);
		if (w->path.failed) {
			w->nomem = true;
			break;
		}
		type = type_of(w, e);
		if (type == DT_DIR && depth < DEPTH_MAX)
			walk_dir(w, depth + 1, rank_of(e->d_name, rank));
		else if (type == DT_REG && name_len)
			add_file(w, e->d_name, name_len, rank);
		w->path.len = len;
		w->path.data[len] = '\0';
	}
	closedir(d);
}

static int compare_files(const void *a, const void *b, void *text)
{
	const struct tree_file *x = a, *y = b;
	int c = strcmp((const char *)text + x->name, (const char *)text + y->name);

	if (c)
		return c;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp((const char *)text + x->path, (const char *)text + y->path);
}

/* A file to its end, or as far as it can be read; NUL behind it. */
static void read_list(const char *path, struct sm_buf *buf)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char chunk[16384];

	while (fd >= 0 && buf->len < LIST_MAX) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n > 0)
			sm_buf_add(buf, chunk, (size_t)n);
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (fd >= 0)
		close(fd);
}

static bool path_goes_up(const char *path)
{
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (strncmp(p, "..", 2) == 0 && (!p[2] || p[2] == '/'))
			return true;
	}
	return false;
}

/* "kernel/fs/xfs/xfs.ko.xz: kernel/lib/libcrc32c.ko.xz", or without what follows the colon. */
static void add_line(struct walk *w, char *line)
{
	const char *file;
	size_t name_len;

	line[strcspn(line, ": ")] = '\0';
	file = strrchr(line, '/');
	file = file ? file + 1 : line;
	name_len = name_span(file);
	if (!name_len || *line == '/' || path_goes_up(line))
		return;
	w->path.len = 0;
	sm_buf_add(&w->path, line, (size_t)(file - line) + name_len);
	if (w->path.failed)
		w->nomem = true;
	else
		add_file(w, file, name_len, strncmp(line, "updates/", 8) == 0 ? 0 : 1);
}

static void walk_list(struct walk *w, const char *path)
{
	struct sm_buf buf = {0};
	char *next;

	read_list(path, &buf);
	if (buf.failed)
		w->nomem = true;
	for (char *line = buf.data; line && !w->nomem; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		add_line(w, line);
	}
	sm_buf_release(&buf);
}

static struct sm_error *read_tree(struct module_tree *tree, bool list, const struct sm_log *log)
{
	struct walk w = {0};

	sm_buf_adds(&w.path, tree->dir);
	if (w.path.failed)
		w.nomem = true;
	else if (list)
		walk_list(&w, tree->dir);
	else
		walk_dir(&w, 0, 1);
	sm_buf_release(&w.path);
	if (w.nomem) {
		sm_buf_release(&w.text);
		free(w.files);
		return sm_error_nomem();
	}
	if (w.entries >= ENTRIES_MAX)
		sm_log(log, SM_WARN, "'%s' has more than %d files: not all are looked at",
			tree->dir, ENTRIES_MAX);
	if (w.n)
		qsort_r(w.files, w.n, sizeof(*w.files), compare_files, w.text.data);
	tree->text = w.text.data;
	tree->files = w.files;
	tree->n = w.n;
	return NULL;
}

static struct sm_error *get_tree(struct module_trees *trees, const char *dir, bool list,
	const struct sm_log *log, const struct module_tree **tree)
{
	struct sm_error *err;
	struct module_tree *new;

	for (size_t i = 0; i < trees->n; i++) {
		if (strcmp(trees->trees[i].dir, dir) == 0) {
			*tree = &trees->trees[i];
			return NULL;
		}
	}
	if (!sm_grow(&trees->trees, &trees->cap, trees->n + 1, sizeof(*trees->trees)))
		return sm_error_nomem();
	new = &trees->trees[trees->n];
	*new = (struct module_tree){.dir = strdup(dir)};
	if (!new->dir)
		return sm_error_nomem();
	err = read_tree(new, list, log);
	if (err) {
		free(new->dir);
		return err;
	}
	trees->n++;
	*tree = new;
	return NULL;
}

struct sm_error *sm_module_tree_get(struct module_trees *trees, const char *dir,
	const struct sm_log *log, const struct module_tree **tree)
{
	return get_tree(trees, dir, false, log, tree);
}

struct sm_error *sm_module_list_get(struct module_trees *trees, const char *path,
	const struct sm_log *log, const struct module_tree **tree)
{
	return get_tree(trees, path, true, log, tree);
}

size_t sm_module_tree_find(const struct module_tree *tree, const char *name, size_t *first)
{
	size_t low = 0, high = tree->n, n = 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(tree->text + tree->files[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	while (low + n < tree->n && strcmp(tree->text + tree->files[low + n].name, name) == 0)
		n++;
	*first = low;
	return n;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of a capture: what is read to know them, and the questions that they answer. */
#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <smtool/record.h>

#define KALLSYMS "proc/kallsyms"

/* A file that is no capture's member, to its end. The size that it claims (0 under /proc) is a
 * hint. */
static struct sm_error *read_file(const char *path, struct sm_buf *buf)
{
	struct sm_error *err = NULL;
	struct stat st;
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return sm_error_errno(errno, path, "cannot open the kallsyms file", NULL);
	if (fstat(fd, &st) == 0 && st.st_size > 0 && (uint64_t)st.st_size <= KALLSYMS_MAX) {
		buf->cap = (size_t)st.st_size + 1;
		buf->data = sm_table_alloc(buf->cap);
		if (!buf->data)
			buf->cap = 0;
	}
	while (!err) {
		if (buf->len == buf->cap && !sm_grow(&buf->data, &buf->cap, buf->len + 65536, 1)) {
			err = sm_error_nomem();
			break;
		}
		got = read(fd, buf->data + buf->len, buf->cap - buf->len);
		if (got == 0)
			break;
		if (got > 0)
			buf->len += (size_t)got;
		else if (errno != EINTR)
			err = sm_error_errno(errno, path, "cannot read the kallsyms file", NULL);
		if (buf->len > KALLSYMS_MAX && !err)
			err = sm_error_new(SM_E_REFUSED, path, "too large for kallsyms",
				"more than %llu MiB", (unsigned long long)(KALLSYMS_MAX >> 20));
	}
	close(fd);
	return err;
}

/* Parses a table, and says what keeps it from being one. `path` names it in errors; NULL = it is
 * the capture's own. */
static struct sm_error *take_kallsyms(struct sm_symbols *syms, const struct sm_log *log,
	const char *path, const void *text, size_t len)
{
	struct kallsyms *k = &syms->kallsyms;
	struct sm_error *err = sm_kallsyms_parse(k, &syms->modules.strings, text, len);

	if (err)
		return err;
	if (k->skipped)
		sm_log(log, SM_DEBUG, "kallsyms: %zu lines that are no symbols skipped",
			k->skipped);
	if (k->stub)
		err = sm_error_new(SM_E_REFUSED, path,
			"kallsyms is a stub that only tells where the real System.map is",
			"use /proc/kallsyms of the captured kernel");
	else if (!k->n && !k->nmods)
		err = sm_error_new(SM_E_FORMAT, path, "kallsyms has no symbols",
			len ? "no line reads 'ADDRESS TYPE NAME'" : "the file is empty");
	else if (!k->nonzero)
		err = sm_error_new(SM_E_REFUSED, path,
			"kallsyms is restricted (all addresses are 0)",
			"capture as root with kernel.kptr_restrict below 2");
	if (err)
		sm_kallsyms_release(k);
	return err;
}

static struct sm_error *set_trouble(struct sm_symbols *syms, struct sm_buf *text)
{
	if (text->failed) {
		sm_buf_release(text);
		return sm_error_nomem();
	}
	syms->trouble = text->data;
	return NULL;
}

/* What isn't worth giving up for becomes the report's line; `err` is freed unless it is returned.
 */
static struct sm_error *into_trouble(struct sm_symbols *syms, struct sm_error *err)
{
	struct sm_buf text = {0};

	if (!err || err->code == SM_E_NOMEM)
		return err;
	sm_error_format(err, &text);
	sm_error_free(err);
	return set_trouble(syms, &text);
}

static struct sm_error *no_kallsyms(struct sm_symbols *syms, const struct sm_source *src)
{
	struct sm_buf text = {0};

	if (src) {
		const char *path = sm_source_path(src);

		sm_buf_addc(&text, '\'');
		sm_buf_add_visible(&text, path, strlen(path));
		sm_buf_adds(&text, "' has no " KALLSYMS);
	} else {
		sm_buf_adds(&text, "there is no kallsyms");
	}
	return set_trouble(syms, &text);
}

/* Without kallsyms a vmlinux gives the names; without both there are none. */
static struct sm_error *settle_trouble(struct sm_symbols *syms, const struct sm_log *log)
{
	const char *separator = syms->trouble && strchr(syms->trouble, ':') ? ";" : ":";
	struct sm_buf text = {0};

	if (!syms->trouble)
		return NULL;
	if (syms->space && sm_address_space_kernel(syms->space)) {
		sm_log(log, SM_INFO, "%s%s names come from '%s'", syms->trouble, separator,
			sm_image_object(sm_address_space_kernel(syms->space))->path);
		free(syms->trouble);
		syms->trouble = NULL;
		return NULL;
	}
	sm_buf_addf(&text, "%s%s addresses stay hex", syms->trouble, separator);
	free(syms->trouble);
	syms->trouble = NULL;
	return set_trouble(syms, &text);
}

static struct sm_error *read_kallsyms(
	struct sm_symbols *syms, const struct sm_source *src, const struct sm_log *log)
{
	struct sm_blob blob = {0};
	struct sm_error *err;

	if (!src || !sm_source_has(src, KALLSYMS))
		return no_kallsyms(syms, src);
	err = sm_source_read(src, KALLSYMS, KALLSYMS_MAX, &blob);
	if (!err) {
		if (blob.damage)
			sm_log(log, SM_WARN, "'%s' is cut short: its last symbols are missing",
				blob.path);
		err = take_kallsyms(syms, log, NULL, blob.data, blob.size);
		sm_blob_release(&blob);
	}
	return into_trouble(syms, err);
}

static struct sm_error *read_modules(
	struct sm_symbols *syms, const struct sm_source *src, const struct sm_log *log)
{
	struct sm_blob blob = {0};
	struct sm_error *err;

	if (!sm_source_has(src, "proc/modules"))
		return NULL;
	err = sm_source_read(src, "proc/modules", MODULES_MAX, &blob);
	if (err) {
		if (err->code == SM_E_NOMEM)
			return err;
		sm_log_error(log, SM_WARN, err, "; ranges of modules are taken from kallsyms");
		return NULL;
	}
	err = sm_modules_parse(&syms->modules, blob.data, blob.size);
	sm_blob_release(&blob);
	return err;
}

static struct sm_error *read_names(
	struct sm_symbols *syms, const struct sm_source *src, const struct sm_symbols_opts *opts)
{
	struct sm_buf buf = {0};
	struct sm_error *err;

	if (!opts->kallsyms)
		return read_kallsyms(syms, src, opts->log);
	err = read_file(opts->kallsyms, &buf);
	if (!err)
		err = take_kallsyms(syms, opts->log, opts->kallsyms, buf.data, buf.len);
	sm_buf_release(&buf);
	return err;
}

/* The third word of "Linux version 6.1.0 (...) ...". */
static struct sm_error *read_release(struct sm_symbols *syms, const struct sm_source *src)
{
	static const char start[] = "Linux version ";
	const size_t len = sizeof(start) - 1;
	struct sm_blob blob = {0};
	struct sm_error *err;

	if (!sm_source_has(src, "proc/version"))
		return NULL;
	err = sm_source_read(src, "proc/version", NOTES_MAX, &blob);
	if (err) {
		if (err->code == SM_E_NOMEM)
			return err;
		sm_error_free(err);
		return NULL;
	}
	if (blob.size > len && !memcmp(blob.data, start, len)) {
		const char *word = (const char *)blob.data + len;
		size_t n = 0;

		while (n < blob.size - len && (unsigned char)word[n] > ' ')
			n++;
		syms->release = strndup(word, n);
		if (!syms->release)
			err = sm_error_nomem();
	}
	sm_blob_release(&blob);
	return err;
}

struct search sm_symbols_search(const struct sm_symbols_opts *opts)
{
	return (struct search){
		.vmlinux = opts->vmlinux,
		.modules = opts->modules,
		.debug_dirs = opts->debug_dirs,
		.ndebug_dirs = opts->ndebug_dirs,
		.debuginfod = opts->debuginfod,
		.force = opts->force,
		.root = opts->root ? opts->root : "",
		.log = opts->log,
	};
}

struct image_opts sm_symbols_image_opts(const struct sm_symbols_opts *opts)
{
	return (struct image_opts){
		.cache = opts->cache,
		.threads = opts->threads ? opts->threads : 1,
		.log = opts->log,
	};
}

static struct sm_error *open_space(
	struct sm_symbols *syms, const struct sm_source *src, const struct sm_symbols_opts *opts)
{
	struct address_space_opts space = {
		.src = src,
		.kallsyms = &syms->kallsyms,
		.modules = &syms->modules,
		.build_id = syms->build_id,
		.kaslr = opts->kaslr,
		.search = sm_symbols_search(opts),
		.image = sm_symbols_image_opts(opts),
	};

	space.search.release = syms->release;
	if (src && sm_source_kind(src) != SM_SOURCE_LIVE)
		space.search.capture = sm_source_path(src);
	return sm_address_space_open(&space, &syms->space);
}

struct sm_error *sm_symbols_open(
	const struct sm_source *src, const struct sm_symbols_opts *opts, struct sm_symbols **result)
{
	static const struct sm_symbols_opts none = {0};
	struct sm_symbols *syms = calloc(1, sizeof(*syms));
	struct sm_error *err = NULL;

	*result = NULL;
	if (!syms)
		return sm_error_nomem();
	if (!opts)
		opts = &none;
	if (!opts->none)
		err = read_names(syms, src, opts);
	if (!err && src)
		err = read_modules(syms, src, opts->log);
	if (!err && src)
		err = sm_modules_read_build_ids(&syms->modules, src);
	if (!err && src)
		err = sm_build_id_read(src, "sys/kernel/notes", &syms->build_id);
	if (!err && src)
		err = read_release(syms, src);
	if (!err)
		err = sm_modules_build(&syms->modules, &syms->kallsyms);
	if (!err && !opts->none && !opts->no_debug)
		err = open_space(syms, src, opts);
	if (!err)
		err = settle_trouble(syms, opts->log);
	if (err) {
		sm_symbols_free(syms);
		return err;
	}
	syms->no_inlines = opts->no_inlines;
	syms->frames = opts->frames;
	*result = syms;
	return NULL;
}

void sm_symbols_free(struct sm_symbols *syms)
{
	if (!syms)
		return;
	sm_name_index_free(syms->names);
	sm_address_space_free(syms->space);
	sm_kallsyms_release(&syms->kallsyms);
	sm_modules_release(&syms->modules);
	free(syms->named);
	free(syms->build_id);
	free(syms->release);
	free(syms->trouble);
	free(syms);
}

const char *sm_symbols_trouble(const struct sm_symbols *syms)
{
	return syms->trouble;
}

size_t sm_symbols_count(const struct sm_symbols *syms)
{
	return syms->kallsyms.n + syms->kallsyms.nmods + syms->modules.nloose;
}

uint64_t sm_symbols_strip(const struct sm_symbols *syms, uint64_t ip)
{
	uint64_t text = syms->kallsyms.stext;

	if (!text && syms->space)
		text = sm_address_space_text(syms->space);
	return sm_strip_pac(text, ip);
}

/* By the files alone. */
static bool find_in_image(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym)
{
	struct location where;

	if (!syms->space || !sm_address_space_locate(syms->space, ip, NULL, &where) ||
		!sm_image_symbol(where.image, where.addr, sym))
		return false;
	sym->start += where.slide;
	sym->module = where.module;
	return true;
}

bool sm_symbols_find(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym)
{
	const struct kallsyms *k = &syms->kallsyms;

	*sym = (struct sm_symbol){0};
	if (ip == SM_TRAMPOLINE)
		return false;
	if (sm_is_named(ip))
		return sm_named_find(syms, ip, sym);
	ip = sm_symbols_strip(syms, ip);
	if (sm_kallsyms_holds(k, ip))
		return sm_kallsyms_find(k, ip, sym);
	if (!k->n && !k->nmods)
		return find_in_image(syms, ip, sym);
	return sm_modules_find(&syms->modules, k, ip, sym);
}

bool sm_symbols_find_caller(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym)
{
	if (sm_is_named(ip))
		return sm_named_find_caller(syms, ip, sym);
	if (!ip || ip == SM_TRAMPOLINE || !sm_symbols_find(syms, ip - 1, sym)) {
		*sym = (struct sm_symbol){0};
		return false;
	}
	sym->offset++;
	return true;
}

uint64_t sm_symbols_address(const struct sm_symbols *syms, const char *name)
{
	struct image *kernel = syms->space ? sm_address_space_kernel(syms->space) : NULL;
	uint64_t addr, slide;

	if (syms->kallsyms.n || !kernel)
		return sm_kallsyms_address(&syms->kallsyms, name);
	if (!sm_address_space_slide(syms->space, &slide) || !sm_image_address(kernel, name, &addr))
		return 0;
	return addr + slide;
}

static void add_hex(struct sm_buf *buf, uint64_t v)
{
	char text[18], *p = text + sizeof(text);

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	*--p = 'x';
	*--p = '0';
	sm_buf_add(buf, p, (size_t)(text + sizeof(text) - p));
}

void sm_symbols_format(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf)
{
	struct sm_symbol sym;

	if (ip == SM_TRAMPOLINE) {
		sm_buf_adds(buf, "[FTRACE TRAMPOLINE]");
		return;
	}
	/* The kernel lists the pages of ftrace and kprobes in kallsyms, but doesn't find them
	 * there. */
	if (!sm_symbols_find(syms, ip, &sym) ||
		(sym.module && strncmp(sym.module, "__builtin__", 11) == 0)) {
		add_hex(buf, sm_symbols_shown_address(syms, ip));
		return;
	}
	sm_buf_add_visible(buf, sym.name, strlen(sym.name));
	if (!sm_symbols_tag(syms, ip)) {
		sm_buf_addc(buf, '+');
		add_hex(buf, sym.offset);
	}
	if (sym.size) {
		sm_buf_addc(buf, '/');
		add_hex(buf, sym.size);
	}
	/* Nor does it say [bpf] behind a program's name. */
	if (sym.module && strcmp(sym.module, "bpf") != 0) {
		sm_buf_adds(buf, " [");
		sm_buf_add_visible(buf, sym.module, strlen(sym.module));
		sm_buf_addc(buf, ']');
	}
}

const char *sm_symbols_build_id(const struct sm_symbols *syms, const char *module)
{
	const struct module *mod;

	if (!module)
		return syms->build_id;
	mod = sm_modules_get(&syms->modules, module);
	return mod ? mod->build_id : NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers of an ELF file, over a mapping of it. libelf isn't used: it takes much on trust, and
 * copies what it decompresses or swaps. A file that somebody cuts short while it is mapped kills
 * the process; debug files are replaced, not rewritten.
 */
#include "object_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a section; real ones have up to a hundred, with -ffunction-sections. */
#define NAME_MAX_LEN 4096

struct sm_error *sm_object_fault(
	const struct object *obj, uint64_t offset, const char *what, const char *fmt, ...)
{
	struct sm_buf detail = {0};
	struct sm_error *err;
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&detail, fmt, ap);
	va_end(ap);
	if (obj->priv->unwrapped)
		sm_buf_adds(&detail, "; the offset is in what the file decompresses to");
	err = detail.failed ? sm_error_nomem()
			    : sm_error_at(SM_E_FORMAT, obj->path, offset, what, "%s", detail.data);
	sm_buf_release(&detail);
	return err;
}

/* A string of at most NAME_MAX_LEN in the file's bytes [start, start + size). */
static const char *file_string(
	const struct object *obj, const struct section_file *table, uint64_t at)
{
	const uint8_t *s;
	uint64_t left;

	if (!sm_object_within(obj, table->offset, table->size) || at >= table->size)
		return NULL;
	s = obj->priv->data + table->offset + at;
	left = table->size - at;
	return memchr(s, '\0', left < NAME_MAX_LEN ? (size_t)left : NAME_MAX_LEN) ? (const char *)s
										  : NULL;
}

static void read_section(const struct object *obj, const struct elf_reader *r, uint32_t index,
	struct object_section *s, struct section_file *f)
{
	*f = (struct section_file){
		.offset = ELF_WORD(r, Shdr, sh_offset),
		.size = ELF_WORD(r, Shdr, sh_size),
		.align = ELF_WORD(r, Shdr, sh_addralign),
		.entsize = ELF_WORD(r, Shdr, sh_entsize),
		.link = ELF_U32(r, Shdr, sh_link),
		.info = ELF_U32(r, Shdr, sh_info),
	};
	*s = (struct object_section){
		.name = "",
		.index = index,
		.type = ELF_U32(r, Shdr, sh_type),
		.flags = ELF_WORD(r, Shdr, sh_flags),
		.size = f->size,
		.priv = f,
	};
	if ((s->flags & SHF_ALLOC) && obj->type != ET_REL)
		s->addr = ELF_WORD(r, Shdr, sh_addr);
}

static struct sm_error *read_sections(struct object *obj, const struct elf_reader *header)
{
	struct object_private *p = obj->priv;
	uint64_t at = ELF_WORD(header, Ehdr, e_shoff);
	uint64_t n = ELF_U16(header, Ehdr, e_shnum);
	uint64_t names = ELF_U16(header, Ehdr, e_shstrndx);
	size_t size = ELF_SIZE(header->wide, Shdr);
	struct elf_reader r = *header;

	if (!at)
		return NULL;
	if (ELF_U16(header, Ehdr, e_shentsize) != size)
		return sm_object_fault(obj, 0, "section headers of an unknown size",
			"%u bytes instead of %zu", ELF_U16(header, Ehdr, e_shentsize), size);
	if (!sm_object_within(obj, at, size))
		return sm_object_fault(obj, at, "no section headers where they should be",
			"the file has %zu bytes; is it cut short?", p->len);
	/* Counts that don't fit in the header are in the first, unused section's. */
	r.data = p->data + at;
	if (!n)
		n = ELF_WORD(&r, Shdr, sh_size);
	if (names == SHN_XINDEX)
		names = ELF_U32(&r, Shdr, sh_link);
	if (n > (p->len - at) / size || n > UINT32_MAX)
		return sm_object_fault(obj, at, "section headers beyond the end",
			"%llu of them, and the file has %zu bytes; is it cut short?",
			(unsigned long long)n, p->len);
	p->sections = calloc(n ? n : 1, sizeof(*p->sections));
	p->files = calloc(n ? n : 1, sizeof(*p->files));
	if (!p->sections || !p->files)
		return sm_error_nomem();
	for (uint32_t i = 0; i < n; i++, r.data += size)
		read_section(obj, &r, i, &p->sections[i], &p->files[i]);
	obj->sections = p->sections;
	obj->nsections = n;
	for (size_t i = 0; i < n; i++) {
		const char *name = NULL;

		r.data = p->data + at + i * size;
		if (names && names < n && p->sections[names].type == SHT_STRTAB)
			name = file_string(obj, &p->files[names], ELF_U32(&r, Shdr, sh_name));
		if (name)
			p->sections[i].name = name;
		sm_section_packing(obj, &p->sections[i]);
	}
	return NULL;
}

static struct sm_error *take_build_id(struct object *obj, uint64_t offset, uint64_t size)
{
	struct sm_buf hex = {0};

	if (!sm_object_within(obj, offset, size) ||
		!sm_build_id_parse(obj->priv->data + offset, (size_t)size, obj->swap, &hex))
		return NULL;
	if (hex.failed) {
		sm_buf_release(&hex);
		return sm_error_nomem();
	}
	obj->build_id = hex.data;
	return NULL;
}

static struct sm_error *read_build_id(struct object *obj, const struct elf_reader *header)
{
	uint64_t at = ELF_WORD(header, Ehdr, e_phoff);
	size_t n = ELF_U16(header, Ehdr, e_phnum), size = ELF_SIZE(header->wide, Phdr);
	struct sm_error *err = NULL;

	for (size_t i = 0; i < obj->nsections && !obj->build_id && !err; i++) {
		const struct section_file *f = &obj->priv->files[i];

		if (obj->sections[i].type == SHT_NOTE && f->packing == PACKING_NONE)
			err = take_build_id(obj, f->offset, f->size);
	}
	if (obj->build_id || err || ELF_U16(header, Ehdr, e_phentsize) != size)
		return err;
	for (size_t i = 0; i < n && !obj->build_id && !err; i++, at += size) {
		struct elf_reader r = *header;

		if (!sm_object_within(obj, at, size))
			break;
		r.data = obj->priv->data + at;
		if (ELF_U32(&r, Phdr, p_type) == PT_NOTE)
			err = take_build_id(
				obj, ELF_WORD(&r, Phdr, p_offset), ELF_WORD(&r, Phdr, p_filesz));
	}
	return err;
}

/* The file name that begins a link section; *after is how far its NUL reaches. NULL = none. */
static const char *read_link(
	const struct object *obj, const char *name, const uint8_t **rest, size_t *len)
{
	const struct object_section *s = sm_object_section(obj, name);
	const struct section_file *f = s ? s->priv : NULL;
	const uint8_t *nul;
	const char *link;

	if (!f || s->type == SHT_NOBITS || f->packing != PACKING_NONE)
		return NULL;
	link = file_string(obj, f, 0);
	if (!link || !*link)
		return NULL;
	nul = (const uint8_t *)link + strlen(link);
	*rest = nul + 1;
	*len = (size_t)(f->size - (strlen(link) + 1));
	return link;
}

static struct sm_error *read_links(struct object *obj)
{
	struct sm_buf hex = {0};
	const uint8_t *rest;
	const char *link;
	size_t len;

	link = read_link(obj, ".gnu_debuglink", &rest, &len);
	if (link) {
		size_t pad = (3 - strlen(link) % 4) % 4; /* the sum is aligned in the section */

		if (len >= pad + 4) {
			obj->debuglink = link;
			obj->debuglink_crc = sm_load32(rest + pad, obj->swap);
		}
	}
	link = read_link(obj, ".gnu_debugaltlink", &rest, &len);
	if (link && len && len <= 64) {
		obj->altlink = link;
		for (size_t i = 0; i < len; i++)
			sm_buf_addf(&hex, "%02x", rest[i]);
		if (hex.failed) {
			sm_buf_release(&hex);
			return sm_error_nomem();
		}
		obj->altlink_build_id = hex.data;
	}
	return NULL;
}

static struct sm_error *read_headers(struct object *obj)
{
	struct object_private *p = obj->priv;
	struct elf_reader r = {.data = p->data};
	struct sm_error *err;

	if (p->len < EI_NIDENT || memcmp(p->data, ELFMAG, SELFMAG) != 0)
		return sm_object_fault(obj, 0, "not an ELF file",
			"want a vmlinux, a module, or the debug file of one");
	if ((p->data[EI_CLASS] != ELFCLASS32 && p->data[EI_CLASS] != ELFCLASS64) ||
		(p->data[EI_DATA] != ELFDATA2LSB && p->data[EI_DATA] != ELFDATA2MSB))
		return sm_object_fault(obj, EI_CLASS, "an ELF file of an unknown kind",
			"class %u, byte order %u", p->data[EI_CLASS], p->data[EI_DATA]);
	r.wide = p->data[EI_CLASS] == ELFCLASS64;
	r.swap = (p->data[EI_DATA] == ELFDATA2MSB) != sm_host_big_endian();
	if (p->len < ELF_SIZE(r.wide, Ehdr))
		return sm_object_fault(obj, p->len, "ELF header cut short", "%zu bytes", p->len);
	obj->swap = r.swap;
	obj->addr_size = r.wide ? 8 : 4;
	obj->machine = ELF_U16(&r, Ehdr, e_machine);
	obj->type = ELF_U16(&r, Ehdr, e_type);
	err = read_sections(obj, &r);
	if (!err && obj->type == ET_REL)
		err = sm_object_layout(obj);
	if (!err)
		err = read_build_id(obj, &r);
	if (!err)
		err = read_links(obj);
	return err;
}

static void drop_file(struct object_private *p)
{
	if (p->mapped)
		munmap((void *)(uintptr_t)p->data, p->mapped);
	else
		free((void *)(uintptr_t)p->data);
	if (p->fd >= 0)
		close(p->fd);
	p->data = NULL;
	p->len = p->mapped = 0;
	p->fd = -1;
}

static struct sm_error *unwrap(struct object *obj)
{
	struct object_private *p = obj->priv;
	enum wrapper kind = sm_wrapper_detect(p->data, p->len);
	struct sm_error *err;
	uint8_t *data;
	size_t len;

	if (kind == WRAPPER_NONE)
		return NULL;
	err = sm_wrapper_unpack(kind, obj->path, p->data, p->len, &data, &len);
	if (err)
		return err;
	drop_file(p);
	p->data = data;
	p->len = len;
	p->unwrapped = true;
	return NULL;
}

static struct sm_error *map_file(struct object *obj)
{
	struct object_private *p = obj->priv;
	struct sm_error *err = NULL;
	struct stat st;
	void *map;
	/* Not to wait for the writer of a FIFO. */
	int fd = open(obj->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return sm_error_errno(errno, obj->path, "cannot open", NULL);
	if (fstat(fd, &st) != 0) {
		err = sm_error_errno(errno, obj->path, "cannot stat", NULL);
	} else if (!S_ISREG(st.st_mode)) {
		err = sm_error_new(SM_E_FORMAT, obj->path, "not a regular file",
			"want a vmlinux, a module, or the debug file of one");
	} else if (st.st_size > 0) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED) {
			err = sm_error_errno(errno, obj->path, "cannot map", NULL);
		} else {
			p->data = map;
			p->len = p->mapped = (size_t)st.st_size;
			p->fd = fd;
			return NULL;
		}
	}
	close(fd);
	return err;
}

static struct sm_error *object_new(const char *path, const struct sm_log *log, struct object **out)
{
	struct object *obj = calloc(1, sizeof(*obj));

	*out = NULL;
	if (!obj)
		return sm_error_nomem();
	obj->path = strdup(path);
	obj->priv = calloc(1, sizeof(*obj->priv));
	if (!obj->path || !obj->priv) {
		sm_object_free(obj);
		return sm_error_nomem();
	}
	obj->priv->log = log;
	obj->priv->fd = -1;
	*out = obj;
	return NULL;
}

static struct sm_error *object_finish(struct object **obj, struct sm_error *err)
{
	if (!err)
		err = unwrap(*obj);
	if (!err)
		err = read_headers(*obj);
	if (err) {
		sm_object_free(*obj);
		*obj = NULL;
	}
	return err;
}

struct sm_error *sm_object_open(const char *path, const struct sm_log *log, struct object **obj)
{
	struct sm_error *err = object_new(path, log, obj);

	return err ? err : object_finish(obj, map_file(*obj));
}

struct sm_error *sm_object_from_memory(const char *name, const void *data, size_t len,
	const struct sm_log *log, struct object **obj)
{
	struct sm_error *err = object_new(name, log, obj);
	uint8_t *copy;

	if (err)
		return err;
	copy = malloc(len ? len : 1);
	if (!copy)
		return object_finish(obj, sm_error_nomem());
	memcpy(copy, data, len);
	(*obj)->priv->data = copy;
	(*obj)->priv->len = len;
	return object_finish(obj, NULL);
}

void sm_object_free(struct object *obj)
{
	struct object_private *p;

	if (!obj)
		return;
	p = obj->priv;
	if (p) {
		for (size_t i = 0; i < obj->nsections; i++)
			free(p->files[i].own);
		free(p->sections);
		free(p->files);
		drop_file(p);
		free(p);
	}
	free(obj->path);
	free(obj->build_id);
	free(obj->altlink_build_id);
	free(obj);
}

static bool name_matches(const char *have, const char *name)
{
	if (strcmp(have, name) == 0)
		return true;
	return strncmp(have, ".zdebug_", 8) == 0 && strncmp(name, ".debug_", 7) == 0 &&
	       strcmp(have + 8, name + 7) == 0;
}

const struct object_section *sm_object_section(const struct object *obj, const char *name)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		if (name_matches(obj->sections[i].name, name))
			return &obj->sections[i];
	}
	return NULL;
}

const struct object_section *sm_object_section_at(const struct object *obj, uint64_t addr)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct object_section *s = &obj->sections[i];

		if ((s->flags & SHF_ALLOC) && addr >= s->addr && addr - s->addr < s->size)
			return s;
	}
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the ELF reader share. */
#ifndef SMTOOL_SYMBOL_OBJECT_FILE_H
#define SMTOOL_SYMBOL_OBJECT_FILE_H

#include "object.h"

enum section_packing {
	PACKING_NONE,
	PACKING_ZLIB,
	PACKING_ZSTD,
	PACKING_UNKNOWN, /* a kind that we don't read, or no header where it should be */
};

/* Of a section, what its header says; nothing is checked before the bytes are read. */
struct section_file {
	uint64_t offset, size; /* of what is in the file */
	uint64_t skip;         /* the header of a compressed one */
	uint64_t align, entsize;
	uint32_t link, info;
	enum section_packing packing;
	bool relocated;      /* relocation sections apply to its data */
	const uint8_t *data; /* once read */
	size_t len;
	uint8_t *own; /* what `data` points to where that isn't in the file */
};

struct object_private {
	const uint8_t *data; /* of the file */
	size_t len;
	size_t mapped;  /* bytes to unmap; 0 = `data` is to be freed */
	int fd;         /* of what is mapped, else -1 */
	bool unwrapped; /* offsets count in what the file decompresses to */
	uint64_t spent; /* bytes of sections that have memory of their own */
	/* Of a relocatable file: where the kernel's memory for its code and data ends; 0 = none */
	uint64_t region_ends[4];
	struct object_section *sections;
	struct section_file *files; /* as many */
	const struct sm_log *log;
};

/* A structure of the file; the two classes and byte orders look alike from here on. */
struct elf_reader {
	const uint8_t *data;
	bool swap, wide;
};

static inline uint64_t elf_word(const struct elf_reader *r, size_t at32, size_t at64)
{
	return r->wide ? sm_load64(r->data + at64, r->swap) : sm_load32(r->data + at32, r->swap);
}

static inline uint32_t elf_u32(const struct elf_reader *r, size_t at32, size_t at64)
{
	return sm_load32(r->data + (r->wide ? at64 : at32), r->swap);
}

static inline uint16_t elf_u16(const struct elf_reader *r, size_t at32, size_t at64)
{
	return sm_load16(r->data + (r->wide ? at64 : at32), r->swap);
}

static inline uint8_t elf_u8(const struct elf_reader *r, size_t at32, size_t at64)
{
	return r->data[r->wide ? at64 : at32];
}

#define ELF_WORD(r, type, field) \
	elf_word(r, offsetof(Elf32_##type, field), offsetof(Elf64_##type, field))
#define ELF_U32(r, type, field) \
	elf_u32(r, offsetof(Elf32_##type, field), offsetof(Elf64_##type, field))
#define ELF_U16(r, type, field) \
	elf_u16(r, offsetof(Elf32_##type, field), offsetof(Elf64_##type, field))
#define ELF_U8(r, type, field) \
	elf_u8(r, offsetof(Elf32_##type, field), offsetof(Elf64_##type, field))
#define ELF_SIZE(wide, type) ((wide) ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

/* More than this many times its own size, beyond the first few MiB, isn't taken from a file: it
 * would be made to harm. */
#define UNPACK_RATIO 1024
#define UNPACK_LEAST ((uint64_t)16 << 20)

static inline uint64_t sm_unpack_limit(uint64_t packed)
{
	return packed > UINT64_MAX / UNPACK_RATIO - UNPACK_LEAST
		       ? UINT64_MAX
		       : packed * UNPACK_RATIO + UNPACK_LEAST;
}

struct sm_error *sm_object_fault(const struct object *obj, uint64_t offset, const char *what,
	const char *fmt, ...) SM_PRINTF(4, 5) SM_MUST_CHECK;
static inline bool sm_object_within(const struct object *obj, uint64_t offset, uint64_t size)
{
	return offset <= obj->priv->len && size <= obj->priv->len - offset;
}

/* Borrowed from the file. */
struct symbol_table {
	const uint8_t *entries;
	size_t n;
	const uint8_t *indexes; /* SHT_SYMTAB_SHNDX, or NULL */
	size_t nindexes;
	const char *strings; /* the last byte is NUL */
	size_t strings_len;
	bool swap, wide;
};

struct elf_symbol {
	const char *name; /* "" where it has none that can be read */
	uint64_t value, size;
	uint32_t section; /* 0 = none, or `special` */
	uint16_t special; /* SHN_ABS, SHN_COMMON...; 0 = none */
	uint8_t info, other;
};

/* `index` is the section's. A table without strings has symbols without names. */
struct sm_error *sm_symbol_table_open(
	const struct object *obj, uint32_t index, struct symbol_table *table) SM_MUST_CHECK;
void sm_symbol_table_get(const struct symbol_table *table, size_t i, struct elf_symbol *sym);
/* 0 where it has none. In a relocatable file, of a section that isn't loaded: from its start. */
uint64_t sm_elf_symbol_address(const struct object *obj, const struct elf_symbol *sym);

/* Finds how a section is compressed, and what its size is then. */
void sm_section_packing(const struct object *obj, struct object_section *section);
/* Applies a relocatable file's relocations to the section's bytes. */
struct sm_error *sm_section_relocate(struct object *obj, const struct object_section *section,
	uint8_t *data, size_t len) SM_MUST_CHECK;
/* Gives a relocatable file's sections their image addresses. */
struct sm_error *sm_object_layout(struct object *obj) SM_MUST_CHECK;

enum wrapper { WRAPPER_NONE, WRAPPER_XZ, WRAPPER_GZIP, WRAPPER_ZSTD };

enum wrapper sm_wrapper_detect(const void *data, size_t len);
/* Decompresses a whole file into *out, the caller's to free(). */
struct sm_error *sm_wrapper_unpack(enum wrapper kind, const char *path, const void *data,
	size_t len, uint8_t **out, size_t *out_len) SM_MUST_CHECK;

#endif

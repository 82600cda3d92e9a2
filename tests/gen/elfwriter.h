/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds ELF files in memory, for tests: both classes, both byte orders, linked and relocatable.
 *
 *	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
 *	struct ew_section *text = ew_text(f, ".text", 0xffffffff81000000, 0x40);
 *
 *	ew_function(text, "do_work", 0x10, 0x20);
 *	ew_build_id(f, "\xde\xad\xbe\xef", 4);
 *	bytes = ew_finish(f, &len);
 *	ew_free(f);
 *
 * A mistake of the caller, and a lack of memory, end the program with a message. Nothing stops a
 * test from writing nonsense: the fields of a section may be changed until ew_finish(), the bytes
 * afterwards.
 */
#ifndef GEN_ELFWRITER_H
#define GEN_ELFWRITER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ew_compression {
	EW_PLAIN,
	EW_ZLIB,   /* SHF_COMPRESSED */
	EW_ZSTD,   /* the same, ELFCOMPRESS_ZSTD */
	EW_ZDEBUG, /* ".debug_X" becomes ".zdebug_X" with "ZLIB" and the size in front */
};

struct ew_reloc {
	uint64_t offset;
	int64_t addend;
	uint32_t type, symbol;
};

struct ew_section {
	struct ew *file;
	char *name;
	uint32_t index; /* in the file */
	uint32_t type, link, info;
	uint64_t flags, addr, align, entsize;
	uint8_t *data;
	size_t len, cap;
	uint64_t nobits; /* size of SHT_NOBITS */
	enum ew_compression compression;
	struct ew_reloc *relocs;
	size_t nrelocs, relocs_cap;
	uint32_t symbol; /* STT_SECTION, 0 = none yet */
	/* Where it went, once ew_finish() has returned. */
	uint64_t file_offset, file_size, header_offset;
};

struct ew {
	unsigned bits; /* 32 or 64 */
	bool big_endian;
	uint16_t type, machine;
	uint32_t flags;
	bool rel; /* SHT_REL instead of SHT_RELA; ew_new() sets what the machine has */
	bool no_symtab;
	struct ew_section **sections; /* [0] is the null section */
	size_t nsections, sections_cap;
	struct ew_symbol *symbols;
	size_t nsymbols, symbols_cap;
};

struct ew *ew_new(unsigned bits, bool big_endian, uint16_t type, uint16_t machine);
void ew_free(struct ew *f);
/* The file, owned by the caller. Once only. */
uint8_t *ew_finish(struct ew *f, size_t *len);
/* The same into a file. */
void ew_write(struct ew *f, const char *path);

/* ---- sections, which come in the order of these calls ---- */

/* Address 0 in a relocatable file, and where it isn't SHF_ALLOC. Aligned by 16 where allocated. */
struct ew_section *ew_section(
	struct ew *f, const char *name, uint32_t type, uint64_t flags, uint64_t addr);
/* Executable, `size` bytes that are no call. */
struct ew_section *ew_text(struct ew *f, const char *name, uint64_t addr, size_t size);
/* A section without flags: the one of this name, made where there is none. */
struct ew_section *ew_debug(struct ew *f, const char *name);
struct ew_section *ew_find(struct ew *f, const char *name); /* NULL = none */
/* What strip leaves in a debug file: the size and no bytes. */
void ew_hollow(struct ew_section *s);
/* All sections whose name begins so, until now. */
void ew_compress(struct ew *f, const char *prefix, enum ew_compression compression);

/* Bytes at a section's end; numbers in the file's byte order. */
void ew_put(struct ew_section *s, const void *data, size_t len);
void ew_zeros(struct ew_section *s, size_t len);
void ew_string(struct ew_section *s, const char *text); /* with its NUL */
void ew_u(struct ew_section *s, unsigned size, uint64_t value);
void ew_uleb(struct ew_section *s, uint64_t value);
void ew_sleb(struct ew_section *s, int64_t value);
/* Overwrites what is there. */
void ew_patch(struct ew_section *s, size_t offset, unsigned size, uint64_t value);

/*
 * The address `offset` in `target`, as `size` bytes at the end of `s`, or over what is at `at`: a
 * relocation in a relocatable file. Of a target without SHF_ALLOC (a debug section) just the
 * offset. A NULL target is a number that nothing relocates.
 */
void ew_ref(struct ew_section *s, unsigned size, const struct ew_section *target, uint64_t offset);
void ew_patch_ref(struct ew_section *s, size_t at, unsigned size, const struct ew_section *target,
	uint64_t offset);

/* x86-64's E8 or arm64's BL over what is at `at`: to the address `to`. */
void ew_call(struct ew_section *s, size_t at, uint64_t to);
/* The same in a relocatable file, by a relocation: to a symbol. */
void ew_call_symbol(struct ew_section *s, size_t at, uint32_t symbol);

/* ---- symbols and relocations ---- */

/* Local ones are moved to the front, else the order stays. `s` NULL = absolute. Returns a handle
 * for relocations, good until ew_finish(). info: ELF64_ST_INFO(STB_GLOBAL, STT_FUNC). */
uint32_t ew_symbol(struct ew *f, const char *name, const struct ew_section *s, uint64_t offset,
	uint64_t size, unsigned char info);
uint32_t ew_undefined(struct ew *f, const char *name);
/* Global and local functions. */
uint32_t ew_function(struct ew_section *s, const char *name, uint64_t offset, uint64_t size);
uint32_t ew_static_function(struct ew_section *s, const char *name, uint64_t offset, uint64_t size);
uint32_t ew_section_symbol(struct ew_section *s);
void ew_reloc(
	struct ew_section *s, uint64_t offset, uint32_t type, uint32_t symbol, int64_t addend);

/* ---- notes and links ---- */

void ew_note(struct ew_section *s, const char *owner, uint32_t type, const void *desc, size_t len);
/* .note.gnu.build-id, at `addr` 0: allocated like the others, but beside the code. */
void ew_build_id(struct ew *f, const void *id, size_t len);
/* .gnu_debuglink; `crc` of the whole debug file: ew_crc32(). */
void ew_debuglink(struct ew *f, const char *name, uint32_t crc);
void ew_altlink(struct ew *f, const char *path, const void *id, size_t len);
uint32_t ew_crc32(const void *data, size_t len);

void ew_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif

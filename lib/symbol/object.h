/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file: a vmlinux, a kernel module, or the file with the debug sections of one.
 *
 * Everybody above works with *image addresses*. In a linked file they are those of the file. A
 * relocatable one (.ko) has none: its allocated sections get one each from IMAGE_BASE on, in the
 * order in which the kernel loads them (code first, .init* last, else the file's), aligned as they
 * ask, and its debug sections are relocated with these. So a module and its debug file, which has
 * the same sections, have the same image addresses, and who reads DWARF knows nothing of
 * relocation.
 */
#ifndef SMTOOL_SYMBOL_OBJECT_H
#define SMTOOL_SYMBOL_OBJECT_H

#include <elf.h>

#include "internal.h"

/* Not 0, which means "none" in DWARF and in symbol tables. */
#define IMAGE_BASE UINT64_C(0x100000)

struct object_section {
	const char *name; /* "" where the name can't be read */
	uint32_t index;   /* in the file */
	uint32_t type;    /* SHT_* */
	uint64_t flags;   /* SHF_*, of the file */
	uint64_t addr;    /* image address; 0 where !(flags & SHF_ALLOC) */
	uint64_t size;    /* in memory, which is also that of the data, once decompressed */
	void *priv;
};

struct object {
	char *path;
	bool swap;             /* its byte order isn't this machine's */
	unsigned addr_size;    /* 4 or 8 */
	uint16_t machine;      /* EM_* */
	uint16_t type;         /* ET_* */
	char *build_id;        /* hex, NULL = none */
	const char *debuglink; /* file name of .gnu_debuglink, NULL = none */
	uint32_t debuglink_crc;
	const char *altlink;    /* file name of .gnu_debugaltlink (dwz), NULL = none */
	char *altlink_build_id; /* hex */
	const struct object_section *sections;
	size_t nsections;
	struct object_private *priv;
};

/*
 * Opens a file; by content, it may be compressed as a whole with xz, gzip or zstd (.ko.xz).
 * SM_E_FORMAT where it is no ELF file, or its headers lie or are cut off; the offset says where, in
 * what came out where it was compressed as a whole (SM_E_TRUNCATED: that was cut short). Sections
 * that make no sense, or reach beyond the end, fail when they are read.
 */
struct sm_error *sm_object_open(
	const char *path, const struct sm_log *log, struct object **obj) SM_MUST_CHECK;
/* Of bytes in memory, which are copied. `name` stands for the path. */
struct sm_error *sm_object_from_memory(const char *name, const void *data, size_t len,
	const struct sm_log *log, struct object **obj) SM_MUST_CHECK;
void sm_object_free(struct object *obj);

/* The first section of that name, NULL = none. A ".zdebug_X" is found as ".debug_X". */
const struct object_section *sm_object_section(const struct object *obj, const char *name);
/* The allocated section that holds an image address; NULL = none. */
const struct object_section *sm_object_section_at(const struct object *obj, uint64_t addr);

/*
 * The bytes of a section, decompressed and, in a relocatable file, relocated; kept until the object
 * is freed. NULL data without an error: it occupies no space in this file (SHT_NOBITS). Not to be
 * called by several threads at once.
 */
struct sm_error *sm_object_data(struct object *obj, const struct object_section *section,
	const uint8_t **data, size_t *len) SM_MUST_CHECK;

/*
 * Copies `len` bytes of what sm_object_data() lent by reading the file, for what is gone through
 * once: to touch a page of a mapping for the first time costs up to ten times as much, above all in
 * a virtual machine. False, and `to` is undefined, where they aren't in the file as they are.
 */
bool sm_object_copy(const struct object *obj, const uint8_t *from, size_t len, void *to);

/* Code bytes from an image address on, at most to the end of its section; NULL = not at hand. */
const uint8_t *sm_object_code(struct object *obj, uint64_t addr, size_t *len);

/*
 * The symbols of .symtab as the kernel's own kallsyms would list them (scripts/kallsyms.c and
 * kernel/module/kallsyms.c say which, and in which order aliases come), at image addresses, into
 * `k`, so that lookups are those of a real kallsyms. For a module into k->syms too: one object, one
 * table. k->stext and its like are set. No .symtab is no error: k->n stays 0.
 */
struct sm_error *sm_object_symbols(struct object *obj, struct kallsyms *k) SM_MUST_CHECK;
/* Image address of a global symbol such as _stext, 0 = there is none. Makes no table, so it costs a
 * small part of that. */
uint64_t sm_object_address(const struct object *obj, const char *name);

#endif

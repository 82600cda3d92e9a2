/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the symbol room says about the addresses of a generated file: through object, dwarf and
 * code_map, on both of its ways (the map of all units, and only what one address needs), which must
 * agree. Failures fail the test.
 */
#ifndef UNIT_LOOKUP_H
#define UNIT_LOOKUP_H

#include "gen/dwarfwriter.h"

#include "lib/symbol/code_map.h"

struct lookup {
	struct object *obj, *alt;
	struct dwarf *dwarf; /* NULL = no .debug_info */
	struct code_builder *builder;
	struct code_map map; /* of all units */
	size_t bad;          /* units that were left out of it */
};

/* Takes `d` (may be NULL) and `f` over: finishes, opens, frees them. */
void lookup_open(struct lookup *l, struct ew *f, struct dw *d);
/* Of a file's bytes. `alt` is the supplementary file, opened by lookup_alt(), or NULL; it becomes
 * the lookup's. */
void lookup_open_bytes(struct lookup *l, const uint8_t *data, size_t len, struct object *alt);
struct object *lookup_alt(struct ew *f, struct dw *d);
/* Opens a file of the file system. */
void lookup_open_path(struct lookup *l, const char *path);
void lookup_close(struct lookup *l);

/* The image address of an offset in a section. */
uint64_t lookup_at(const struct lookup *l, const char *section, uint64_t offset);

/* The chain of an address as text, innermost first: "helper mm/slab.h:7 < do_work mm/slub.c:20",
 * "?" for what is unknown, line 0; "" where nothing is. In one of two static buffers. */
const char *lookup_chain(const struct lookup *l, uint64_t addr);
/* The same, by only what the address needs. */
const char *lookup_chain_alone(const struct lookup *l, uint64_t addr);

/* Both ways say this. */
void lookup_expect(const struct lookup *l, const char *section, uint64_t offset, const char *chain);
/* And the same for all addresses from one up to another. */
void lookup_expect_range(
	const struct lookup *l, const char *section, uint64_t from, uint64_t to, const char *chain);

/*
 * A file with a trap in it: linked, for x86-64, unless trap_begin() is asked for another. As
 * cmocka's setup and teardown: the state is a struct dw_style first, a struct trap then.
 */
struct trap {
	struct dw_style style;
	struct ew *f;
	struct ew_section *text, *cold; /* 0x400 and 0x100 bytes */
	struct dw *d;
	struct lookup l;
	bool open;
};

int trap_setup(void **state);
int trap_teardown(void **state);
/* Begins again, as a file of another type. */
void trap_begin(struct trap *t, uint16_t type, uint16_t machine);
/* Finishes the file, and opens it. */
void trap_look(struct trap *t);

/* In DWARF 4 and 5, with and without .debug_aranges. */
extern const struct dw_style trap_styles[4];
#define TRAP_IN(test, i, how)                                                              \
	{                                                                                  \
#test " in " how, test, trap_setup, trap_teardown, (void *)&trap_styles[i] \
	}
#define TRAP(test)                                                \
	TRAP_IN(test, 0, "DWARF 4"), TRAP_IN(test, 1, "DWARF 5"), \
		TRAP_IN(test, 2, "DWARF 4 with aranges"), TRAP_IN(test, 3, "DWARF 5 with aranges")

/* A function without more. */
void trap_function(
	struct dw *d, const char *name, const struct ew_section *s, uint64_t start, uint64_t end);
/* A unit's name, directory "/src", code, and a line table of one row: `file`:`line`. */
void trap_root(struct dw *d, const char *file, const struct ew_section *s, uint64_t start,
	uint64_t end, uint64_t line);
/* A whole unit with one function. */
void trap_unit(struct dw *d, const char *file, const char *function, const struct ew_section *s,
	uint64_t start, uint64_t end, uint64_t line);

/* The name that the ELF symbols have for an address, as kallsyms would: "" = none. */
const char *lookup_symbol(const struct lookup *l, uint64_t addr);

#endif

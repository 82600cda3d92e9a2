// SPDX-License-Identifier: GPL-2.0-or-later
/* elfwriter: sections, symbols and relocations as they are added; elflayout.c makes the file. */
#include "elfwriter.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "elflayout.h"

void ew_die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

void *ew_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		ew_die("out of memory");
	return p;
}

void ew_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 16;
	void *p;

	if (need <= *cap)
		return;
	while (n < need)
		n *= 2;
	memcpy(&p, array, sizeof(p));
	p = realloc(p, n * size);
	if (!p)
		ew_die("out of memory");
	memset((char *)p + *cap * size, 0, (n - *cap) * size);
	memcpy(array, &p, sizeof(p));
	*cap = n;
}

char *ew_strdup(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		ew_die("out of memory");
	return copy;
}

struct ew *ew_new(unsigned bits, bool big_endian, uint16_t type, uint16_t machine)
{
	struct ew *f = ew_alloc(sizeof(*f));

	f->bits = bits;
	f->big_endian = big_endian;
	f->type = type;
	f->machine = machine;
	f->rel = machine == EM_386 || machine == EM_ARM || (machine == EM_MIPS && bits == 32);
	ew_section(f, "", SHT_NULL, 0, 0);
	ew_grow(&f->symbols, &f->symbols_cap, 1, sizeof(*f->symbols));
	f->symbols[f->nsymbols++].name = ew_strdup("");
	return f;
}

void ew_free(struct ew *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nsections; i++) {
		free(f->sections[i]->name);
		free(f->sections[i]->data);
		free(f->sections[i]->relocs);
		free(f->sections[i]);
	}
	for (size_t i = 0; i < f->nsymbols; i++)
		free(f->symbols[i].name);
	free(f->sections);
	free(f->symbols);
	free(f);
}

/* ---- sections ---- */

struct ew_section *ew_section(
	struct ew *f, const char *name, uint32_t type, uint64_t flags, uint64_t addr)
{
	struct ew_section *s = ew_alloc(sizeof(*s));

	s->file = f;
	s->name = ew_strdup(name);
	s->type = type;
	s->flags = flags;
	s->addr = addr;
	s->align = flags & SHF_ALLOC ? 16 : 1;
	if (type == SHT_NULL)
		s->align = 0;
	s->index = (uint32_t)f->nsections;
	ew_grow(&f->sections, &f->sections_cap, f->nsections + 1, sizeof(struct ew_section *));
	f->sections[f->nsections++] = s;
	return s;
}

struct ew_section *ew_text(struct ew *f, const char *name, uint64_t addr, size_t size)
{
	static const uint8_t arm64_nop[4] = {0x1f, 0x20, 0x03, 0xd5};
	struct ew_section *s = ew_section(f, name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, addr);

	ew_zeros(s, size);
	if (f->machine == EM_X86_64 || f->machine == EM_386)
		memset(s->data, 0x90, size);
	else if (f->machine == EM_AARCH64)
		for (size_t i = 0; i + 4 <= size; i += 4)
			memcpy(s->data + i, arm64_nop, 4);
	return s;
}

struct ew_section *ew_find(struct ew *f, const char *name)
{
	for (size_t i = 1; i < f->nsections; i++)
		if (!strcmp(f->sections[i]->name, name))
			return f->sections[i];
	return NULL;
}

struct ew_section *ew_debug(struct ew *f, const char *name)
{
	struct ew_section *s = ew_find(f, name);

	return s ? s : ew_section(f, name, SHT_PROGBITS, 0, 0);
}

void ew_hollow(struct ew_section *s)
{
	s->type = SHT_NOBITS;
	s->nobits = s->len;
}

void ew_compress(struct ew *f, const char *prefix, enum ew_compression compression)
{
	for (size_t i = 1; i < f->nsections; i++)
		if (!strncmp(f->sections[i]->name, prefix, strlen(prefix)))
			f->sections[i]->compression = compression;
}

/* ---- bytes ---- */

void ew_put(struct ew_section *s, const void *data, size_t len)
{
	ew_grow(&s->data, &s->cap, s->len + len, 1);
	if (len)
		memcpy(s->data + s->len, data, len);
	s->len += len;
}

void ew_zeros(struct ew_section *s, size_t len)
{
	ew_grow(&s->data, &s->cap, s->len + len, 1);
	memset(s->data + s->len, 0, len);
	s->len += len;
}

void ew_string(struct ew_section *s, const char *text)
{
	ew_put(s, text, strlen(text) + 1);
}

void ew_patch(struct ew_section *s, size_t offset, unsigned size, uint64_t value)
{
	if (offset > s->len || s->len - offset < size)
		ew_die("'%s' has no %u bytes at %zu", s->name, size, offset);
	for (unsigned i = 0; i < size; i++) {
		unsigned byte = s->file->big_endian ? size - 1 - i : i;

		s->data[offset + i] = (uint8_t)(byte < 8 ? value >> 8 * byte : 0);
	}
}

void ew_u(struct ew_section *s, unsigned size, uint64_t value)
{
	ew_zeros(s, size);
	ew_patch(s, s->len - size, size, value);
}

void ew_uleb(struct ew_section *s, uint64_t value)
{
	do {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		if (value)
			byte = (uint8_t)(byte | 0x80);
		ew_put(s, &byte, 1);
	} while (value);
}

void ew_sleb(struct ew_section *s, int64_t value)
{
	for (bool more = true; more;) {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		more = !((value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40)));
		if (more)
			byte = (uint8_t)(byte | 0x80);
		ew_put(s, &byte, 1);
	}
}

/* The type of a relocation that stores a whole address. */
static uint32_t absolute_reloc(const struct ew *f, unsigned size)
{
	static const struct {
		uint16_t machine;
		uint16_t of4, of8;
	} types[] = {
		{EM_X86_64, R_X86_64_32, R_X86_64_64},
		{EM_AARCH64, R_AARCH64_ABS32, R_AARCH64_ABS64},
		{EM_386, R_386_32, 0},
		{EM_ARM, R_ARM_ABS32, 0},
		{EM_PPC, R_PPC_ADDR32, 0},
		{EM_PPC64, R_PPC64_ADDR32, R_PPC64_ADDR64},
		{EM_S390, R_390_32, R_390_64},
		{EM_RISCV, R_RISCV_32, R_RISCV_64},
		{EM_MIPS, R_MIPS_32, R_MIPS_64},
		{EM_SPARCV9, R_SPARC_UA32, R_SPARC_UA64},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		uint32_t type = size == 4 ? types[i].of4 : size == 8 ? types[i].of8 : 0;

		if (types[i].machine == f->machine && type)
			return type;
	}
	ew_die("no relocation of %u bytes is known for machine %u", size, f->machine);
}

void ew_patch_ref(struct ew_section *s, size_t at, unsigned size, const struct ew_section *target,
	uint64_t offset)
{
	struct ew *f = s->file;

	if (!target) {
		ew_patch(s, at, size, offset);
	} else if (f->type != ET_REL) {
		ew_patch(s, at, size, target->addr + offset);
	} else {
		ew_patch(s, at, size, f->rel ? offset : 0);
		ew_reloc(s, at, absolute_reloc(f, size),
			ew_section_symbol(f->sections[target->index]), (int64_t)offset);
	}
}

void ew_ref(struct ew_section *s, unsigned size, const struct ew_section *target, uint64_t offset)
{
	ew_zeros(s, size);
	ew_patch_ref(s, s->len - size, size, target, offset);
}

void ew_call(struct ew_section *s, size_t at, uint64_t to)
{
	uint64_t from = s->addr + at;

	if (at > s->len || s->len - at < 5)
		ew_die("'%s' has no room for a call at %zu", s->name, at);
	if (s->file->machine == EM_X86_64) {
		s->data[at] = 0xe8;
		ew_patch(s, at + 1, 4, to - (from + 5));
	} else if (s->file->machine == EM_AARCH64) {
		uint32_t insn = 0x94000000u | ((uint32_t)((to - from) >> 2) & 0x3ffffffu);

		for (unsigned i = 0; i < 4; i++) /* whatever the order of data */
			s->data[at + i] = (uint8_t)(insn >> 8 * i);
	} else {
		ew_die("no call is known for machine %u", s->file->machine);
	}
}

void ew_call_symbol(struct ew_section *s, size_t at, uint32_t symbol)
{
	if (s->file->machine == EM_X86_64) {
		ew_call(s, at, s->addr + at + 5);
		ew_reloc(s, at + 1, R_X86_64_PLT32, symbol, -4);
	} else {
		ew_call(s, at, s->addr + at);
		ew_reloc(s, at, R_AARCH64_CALL26, symbol, 0);
	}
}

/* ---- symbols ---- */

static uint32_t add_symbol(struct ew *f, const char *name)
{
	ew_grow(&f->symbols, &f->symbols_cap, f->nsymbols + 1, sizeof(*f->symbols));
	f->symbols[f->nsymbols].name = ew_strdup(name);
	return (uint32_t)f->nsymbols++;
}

uint32_t ew_symbol(struct ew *f, const char *name, const struct ew_section *s, uint64_t offset,
	uint64_t size, unsigned char info)
{
	uint32_t id = add_symbol(f, name);
	struct ew_symbol *sym = &f->symbols[id];

	sym->shndx = s ? s->index : SHN_ABS;
	sym->value = offset + (s && f->type != ET_REL ? s->addr : 0);
	sym->size = size;
	sym->info = info;
	return id;
}

uint32_t ew_undefined(struct ew *f, const char *name)
{
	uint32_t id = add_symbol(f, name);

	f->symbols[id].info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	return id;
}

uint32_t ew_function(struct ew_section *s, const char *name, uint64_t offset, uint64_t size)
{
	return ew_symbol(s->file, name, s, offset, size, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC));
}

uint32_t ew_static_function(struct ew_section *s, const char *name, uint64_t offset, uint64_t size)
{
	return ew_symbol(s->file, name, s, offset, size, ELF64_ST_INFO(STB_LOCAL, STT_FUNC));
}

uint32_t ew_section_symbol(struct ew_section *s)
{
	if (!s->symbol)
		s->symbol = ew_symbol(s->file, "", s, 0, 0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION));
	return s->symbol;
}

void ew_reloc(struct ew_section *s, uint64_t offset, uint32_t type, uint32_t symbol, int64_t addend)
{
	ew_grow(&s->relocs, &s->relocs_cap, s->nrelocs + 1, sizeof(*s->relocs));
	s->relocs[s->nrelocs++] = (struct ew_reloc){
		.offset = offset, .addend = addend, .type = type, .symbol = symbol};
}

/* ---- notes and links ---- */

static void pad4(struct ew_section *s)
{
	ew_zeros(s, (4 - s->len % 4) % 4);
}

void ew_note(struct ew_section *s, const char *owner, uint32_t type, const void *desc, size_t len)
{
	ew_u(s, 4, strlen(owner) + 1);
	ew_u(s, 4, len);
	ew_u(s, 4, type);
	ew_string(s, owner);
	pad4(s);
	ew_put(s, desc, len);
	pad4(s);
}

void ew_build_id(struct ew *f, const void *id, size_t len)
{
	struct ew_section *s = ew_section(f, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0);

	s->align = 4;
	ew_note(s, "GNU", NT_GNU_BUILD_ID, id, len);
}

void ew_debuglink(struct ew *f, const char *name, uint32_t crc)
{
	struct ew_section *s = ew_debug(f, ".gnu_debuglink");

	ew_string(s, name);
	pad4(s);
	ew_u(s, 4, crc);
}

void ew_altlink(struct ew *f, const char *path, const void *id, size_t len)
{
	struct ew_section *s = ew_debug(f, ".gnu_debugaltlink");

	ew_string(s, path);
	ew_put(s, id, len);
}

uint32_t ew_crc32(const void *data, size_t len)
{
	return (uint32_t)crc32(0, data, (uInt)len);
}

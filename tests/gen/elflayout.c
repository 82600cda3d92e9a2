// SPDX-License-Identifier: GPL-2.0-or-later
/* elflayout: turns what elfwriter.c has collected into a file. */
#include "elflayout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* ---- symbol table and relocations ---- */

/* A symbol table's order: locals first. Returns how many these are; new_id[old] is filled. */
static uint32_t order_symbols(struct ew *f, uint32_t *new_id)
{
	uint32_t n = 0, locals = 0;

	for (int local = 1; local >= 0; local--) {
		for (size_t i = 0; i < f->nsymbols; i++)
			if ((ELF64_ST_BIND(f->symbols[i].info) == STB_LOCAL) == local)
				new_id[i] = n++;
		if (local)
			locals = n;
	}
	return locals;
}

static void put_symbol(struct ew_section *symtab, struct ew_section *xindex, size_t at,
	const struct ew_symbol *sym, uint32_t name)
{
	bool wide = symtab->file->bits == 64;
	bool extended = sym->shndx >= SHN_LORESERVE && sym->shndx != SHN_ABS;
	uint64_t shndx = extended ? SHN_XINDEX : sym->shndx;
	size_t p = at * symtab->entsize;

	ew_patch(symtab, p, 4, name);
	if (wide) {
		ew_patch(symtab, p + 4, 1, sym->info);
		ew_patch(symtab, p + 6, 2, shndx);
		ew_patch(symtab, p + 8, 8, sym->value);
		ew_patch(symtab, p + 16, 8, sym->size);
	} else {
		ew_patch(symtab, p + 4, 4, sym->value);
		ew_patch(symtab, p + 8, 4, sym->size);
		ew_patch(symtab, p + 12, 1, sym->info);
		ew_patch(symtab, p + 14, 2, shndx);
	}
	if (xindex)
		ew_patch(xindex, at * 4, 4, extended ? sym->shndx : 0);
}

static void add_symtab(struct ew *f, uint32_t *new_id)
{
	uint32_t locals = order_symbols(f, new_id);
	struct ew_section *symtab, *strtab, *xindex = NULL;

	symtab = ew_section(f, ".symtab", SHT_SYMTAB, 0, 0);
	strtab = ew_section(f, ".strtab", SHT_STRTAB, 0, 0);
	symtab->link = strtab->index;
	symtab->info = locals;
	symtab->align = f->bits / 8;
	symtab->entsize = f->bits == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	ew_zeros(symtab, f->nsymbols * symtab->entsize);
	if (f->nsections > SHN_LORESERVE) {
		xindex = ew_section(f, ".symtab_shndx", SHT_SYMTAB_SHNDX, 0, 0);
		xindex->link = symtab->index;
		xindex->align = xindex->entsize = 4;
		ew_zeros(xindex, f->nsymbols * 4);
	}
	ew_string(strtab, "");
	for (size_t i = 0; i < f->nsymbols; i++) {
		const struct ew_symbol *sym = &f->symbols[i];
		uint32_t name = *sym->name ? (uint32_t)strtab->len : 0;

		if (name)
			ew_string(strtab, sym->name);
		put_symbol(symtab, xindex, new_id[i], sym, name);
	}
}

static void put_reloc(
	struct ew_section *out, const struct ew_reloc *r, const uint32_t *new_id, bool rel)
{
	const struct ew *f = out->file;
	uint64_t symbol = new_id[r->symbol];
	unsigned word = f->bits / 8;

	ew_u(out, word, r->offset);
	if (f->bits == 32)
		ew_u(out, 4, symbol << 8 | (r->type & 0xff));
	else if (f->machine == EM_MIPS && !f->big_endian)
		ew_u(out, 8, symbol | (uint64_t)r->type << 56);
	else
		ew_u(out, 8, symbol << 32 | r->type);
	if (!rel)
		ew_u(out, word, (uint64_t)r->addend);
}

static void add_relocs(struct ew *f, struct ew_section *s, const uint32_t *new_id, uint32_t symtab)
{
	struct ew_section *out;
	size_t size = strlen(s->name) + 6;
	char *name = ew_alloc(size);

	snprintf(name, size, "%s%s", f->rel ? ".rel" : ".rela", s->name);
	out = ew_section(f, name, f->rel ? SHT_REL : SHT_RELA, SHF_INFO_LINK, 0);
	free(name);
	out->link = symtab;
	out->info = s->index;
	out->align = f->bits / 8;
	out->entsize = f->bits / 8 * (f->rel ? 2 : 3);
	for (size_t i = 0; i < s->nrelocs; i++)
		put_reloc(out, &s->relocs[i], new_id, f->rel);
}

/* ---- compression ---- */

static void replace_data(
	struct ew_section *s, uint8_t *head, size_t head_len, uint8_t *body, size_t body_len)
{
	free(s->data);
	s->data = NULL;
	s->len = s->cap = 0;
	ew_put(s, head, head_len);
	ew_put(s, body, body_len);
	free(body);
}

static void compress_section(struct ew_section *s)
{
	enum ew_compression how = s->compression;
	bool zstd = how == EW_ZSTD;
	uLongf zlen = compressBound((uLong)s->len);
	size_t cap = zstd ? ZSTD_compressBound(s->len) : zlen;
	uint8_t *body = ew_alloc(cap), *head;
	struct ew_section chdr = {.file = s->file};
	uint64_t size = s->len;

	if (zstd) {
		cap = ZSTD_compress(body, cap, s->data, s->len, 3);
		if (ZSTD_isError(cap))
			ew_die("zstd: %s", ZSTD_getErrorName(cap));
	} else {
		if (compress2(body, &zlen, s->data, (uLong)s->len, 6) != Z_OK)
			ew_die("zlib fails");
		cap = zlen;
	}
	if (how == EW_ZDEBUG) {
		char *name = ew_alloc(strlen(s->name) + 2);

		ew_put(&chdr, "ZLIB", 4);
		for (int shift = 56; shift >= 0; shift -= 8) {
			uint8_t byte = (uint8_t)(size >> shift);

			ew_put(&chdr, &byte, 1);
		}
		sprintf(name, ".z%s", s->name + 1);
		free(s->name);
		s->name = name;
	} else {
		ew_u(&chdr, 4, zstd ? 2 : ELFCOMPRESS_ZLIB);
		if (s->file->bits == 64)
			ew_u(&chdr, 4, 0);
		ew_u(&chdr, s->file->bits / 8, size);
		ew_u(&chdr, s->file->bits / 8, s->align);
		s->flags |= SHF_COMPRESSED;
	}
	head = chdr.data;
	replace_data(s, head, chdr.len, body, cap);
	free(head);
}

/* ---- the file ---- */

static void align_to(struct ew_section *out, uint64_t align)
{
	if (align > 1 && out->len % align)
		ew_zeros(out, align - out->len % align);
}

static bool is_loaded(const struct ew_section *s)
{
	return s->file->type != ET_REL && (s->flags & SHF_ALLOC);
}

static void put_ehdr(struct ew_section *out, uint64_t phnum, uint64_t shoff)
{
	struct ew *f = out->file;
	bool wide = f->bits == 64, many = f->nsections >= SHN_LORESERVE;
	unsigned word = f->bits / 8;
	uint8_t ident[EI_NIDENT] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
		wide ? ELFCLASS64 : ELFCLASS32, f->big_endian ? ELFDATA2MSB : ELFDATA2LSB,
		EV_CURRENT};
	size_t rest = out->len, size = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	uint64_t shstrndx = f->nsections - 1;

	out->len = 0;
	ew_put(out, ident, sizeof(ident));
	ew_u(out, 2, f->type);
	ew_u(out, 2, f->machine);
	ew_u(out, 4, EV_CURRENT);
	ew_u(out, word, 0); /* entry */
	ew_u(out, word, phnum ? size : 0);
	ew_u(out, word, shoff);
	ew_u(out, 4, f->flags);
	ew_u(out, 2, size);
	ew_u(out, 2, wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	ew_u(out, 2, phnum);
	ew_u(out, 2, wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	ew_u(out, 2, many ? 0 : f->nsections);
	ew_u(out, 2, many ? SHN_XINDEX : shstrndx);
	out->len = rest;
	if (many) {
		f->sections[0]->nobits = f->nsections;
		f->sections[0]->link = (uint32_t)shstrndx;
	}
}

static void put_phdr(struct ew_section *out, size_t at, const struct ew_section *s)
{
	bool wide = s->file->bits == 64;
	uint32_t type = s->type == SHT_NOTE ? PT_NOTE : PT_LOAD;
	uint32_t flags =
		PF_R | (s->flags & SHF_EXECINSTR ? PF_X : 0) | (s->flags & SHF_WRITE ? PF_W : 0);
	uint64_t memory = s->type == SHT_NOBITS ? s->nobits : s->len;
	const struct {
		unsigned size;
		uint64_t value;
	} fields[] = {
		{4, type},
		{wide ? 4 : 0, flags},
		{wide ? 8 : 4, s->file_offset},
		{wide ? 8 : 4, s->addr},
		{wide ? 8 : 4, s->addr},
		{wide ? 8 : 4, s->file_size},
		{wide ? 8 : 4, memory},
		{wide ? 0 : 4, flags},
		{wide ? 8 : 4, s->align},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		ew_patch(out, at, fields[i].size, fields[i].value);
		at += fields[i].size;
	}
}

static void put_shdr(struct ew_section *out, struct ew_section *s, uint32_t name)
{
	unsigned word = s->file->bits / 8;

	s->header_offset = out->len;
	ew_u(out, 4, name);
	ew_u(out, 4, s->type);
	ew_u(out, word, s->flags);
	ew_u(out, word, s->addr);
	ew_u(out, word, s->file_offset);
	ew_u(out, word, s->type == SHT_NOBITS || s->type == SHT_NULL ? s->nobits : s->len);
	ew_u(out, 4, s->link);
	ew_u(out, 4, s->info);
	ew_u(out, word, s->align);
	ew_u(out, word, s->entsize);
}

static void finish_sections(struct ew *f)
{
	uint32_t *new_id = ew_alloc(f->nsymbols * sizeof(*new_id));
	size_t n = f->nsections;

	if (!f->no_symtab) {
		add_symtab(f, new_id);
		for (size_t i = 1; i < n; i++)
			if (f->sections[i]->nrelocs)
				add_relocs(f, f->sections[i], new_id, (uint32_t)n);
	}
	free(new_id);
	for (size_t i = 1; i < n; i++)
		if (f->sections[i]->compression != EW_PLAIN)
			compress_section(f->sections[i]);
	ew_section(f, ".shstrtab", SHT_STRTAB, 0, 0);
}

uint8_t *ew_finish(struct ew *f, size_t *len)
{
	struct ew_section out = {.file = f}, *shstrtab;
	bool wide = f->bits == 64;
	size_t phdrs = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), nphdrs = 0, shoff;
	size_t phsize = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint32_t *names;

	finish_sections(f);
	names = ew_alloc(f->nsections * sizeof(*names));
	shstrtab = f->sections[f->nsections - 1];
	ew_string(shstrtab, "");
	for (size_t i = 1; i < f->nsections; i++) {
		names[i] = (uint32_t)shstrtab->len;
		ew_string(shstrtab, f->sections[i]->name);
		nphdrs += is_loaded(f->sections[i]);
	}
	ew_zeros(&out, phdrs + nphdrs * phsize);
	for (size_t i = 1; i < f->nsections; i++) {
		struct ew_section *s = f->sections[i];

		align_to(&out, s->align);
		s->file_offset = out.len;
		s->file_size = s->type == SHT_NOBITS ? 0 : s->len;
		ew_put(&out, s->data, s->file_size);
		if (is_loaded(s)) {
			put_phdr(&out, phdrs, s);
			phdrs += phsize;
		}
	}
	align_to(&out, 8);
	shoff = out.len;
	put_ehdr(&out, nphdrs, shoff);
	for (size_t i = 0; i < f->nsections; i++)
		put_shdr(&out, f->sections[i], names[i]);
	free(names);
	*len = out.len;
	return out.data;
}

void ew_write(struct ew *f, const char *path)
{
	size_t len;
	uint8_t *data = ew_finish(f, &len);
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(data, 1, len, out) != len || fclose(out))
		ew_die("cannot write '%s': %s", path, strerror(errno));
	free(data);
}

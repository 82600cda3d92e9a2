/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The entries of an ELF symbol table. */
#include "object_file.h"

struct sm_error *sm_symbol_table_open(
	const struct object *obj, uint32_t index, struct symbol_table *table)
{
	const struct object_private *p = obj->priv;
	const struct section_file *f, *strings;
	size_t size = ELF_SIZE(obj->addr_size == 8, Sym);

	*table = (struct symbol_table){.swap = obj->swap, .wide = obj->addr_size == 8};
	if (!index || index >= obj->nsections ||
		(p->sections[index].type != SHT_SYMTAB && p->sections[index].type != SHT_DYNSYM))
		return sm_object_fault(obj, 0, "no symbol table where one should be",
			"section %u of %zu", index, obj->nsections);
	f = &p->files[index];
	if (!sm_object_within(obj, f->offset, f->size))
		return sm_object_fault(obj, f->offset, "symbol table beyond the end",
			"it has %llu bytes, the file %zu; is it cut short?",
			(unsigned long long)f->size, p->len);
	table->entries = p->data + f->offset;
	table->n = (size_t)(f->size / size);
	/* Numbers of sections that don't fit in an entry */
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section_file *x = &p->files[i];

		if (p->sections[i].type == SHT_SYMTAB_SHNDX && x->link == index &&
			sm_object_within(obj, x->offset, x->size)) {
			table->indexes = p->data + x->offset;
			table->nindexes = (size_t)(x->size / 4);
			break;
		}
	}
	if (!f->link || f->link >= obj->nsections || p->sections[f->link].type != SHT_STRTAB)
		return NULL;
	strings = &p->files[f->link];
	if (sm_object_within(obj, strings->offset, strings->size)) {
		table->strings = (const char *)p->data + strings->offset;
		table->strings_len = (size_t)strings->size;
		/* So that what begins in it also ends in it */
		while (table->strings_len && table->strings[table->strings_len - 1])
			table->strings_len--;
	}
	return NULL;
}

void sm_symbol_table_get(const struct symbol_table *table, size_t i, struct elf_symbol *sym)
{
	struct elf_reader r = {
		.data = table->entries + i * ELF_SIZE(table->wide, Sym),
		.swap = table->swap,
		.wide = table->wide,
	};
	uint32_t name = ELF_U32(&r, Sym, st_name);

	sym->name = name < table->strings_len ? table->strings + name : "";
	sym->value = ELF_WORD(&r, Sym, st_value);
	sym->size = ELF_WORD(&r, Sym, st_size);
	sym->info = ELF_U8(&r, Sym, st_info);
	sym->other = ELF_U8(&r, Sym, st_other);
	sym->special = 0;
	sym->section = ELF_U16(&r, Sym, st_shndx);
	if (sym->section == SHN_XINDEX) {
		sym->section = i < table->nindexes ? sm_load32(table->indexes + i * 4, table->swap)
						   : SHN_UNDEF;
	} else if (sym->section >= SHN_LORESERVE) {
		sym->special = (uint16_t)sym->section;
		sym->section = 0;
	}
}

uint64_t sm_elf_symbol_address(const struct object *obj, const struct elf_symbol *sym)
{
	if (sym->special == SHN_ABS)
		return sym->value;
	if (!sym->section || sym->section >= obj->nsections)
		return 0;
	if (obj->type != ET_REL)
		return sym->value;
	return obj->sections[sym->section].addr + sym->value;
}

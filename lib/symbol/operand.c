/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The relocations of code, by place. */
#include "operand.h"
#include "object_file.h"

#include <stdlib.h>

void sm_operands_release(struct operands *o)
{
	free(o->items);
	*o = (struct operands){0};
}

static int compare(const void *a, const void *b)
{
	const struct operand *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static struct sm_error *add(
	struct operands *o, const struct object *obj, const struct object_section *rel)
{
	const struct section_file *f = rel->priv;
	struct elf_reader r = {obj->priv->data + f->offset, obj->swap, true};
	uint64_t n = f->size / sizeof(Elf64_Rela);

	if (n > SIZE_MAX / 2 - o->n ||
		!sm_grow(&o->items, &o->cap, o->n + (size_t)n, sizeof(*o->items)))
		return sm_error_nomem();
	for (; n; n--, r.data += sizeof(Elf64_Rela)) {
		uint64_t info = ELF_WORD(&r, Rela, r_info);

		o->items[o->n++] = (struct operand){
			.offset = ELF_WORD(&r, Rela, r_offset),
			.addend = (int64_t)ELF_WORD(&r, Rela, r_addend),
			.type = (uint32_t)ELF64_R_TYPE(info),
			.symbol = (uint32_t)ELF64_R_SYM(info),
			.table = f->link,
		};
	}
	return NULL;
}

struct sm_error *sm_operands_read(
	struct operands *o, const struct object *obj, const struct object_section *section)
{
	o->n = 0;
	/* Both machines whose code we decode have RELA in 64 bits. */
	if (obj->type != ET_REL || obj->addr_size != 8)
		return NULL;
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct object_section *rel = &obj->sections[i];
		const struct section_file *f = rel->priv;
		struct sm_error *err;

		if (rel->type != SHT_RELA || f->info != section->index ||
			!sm_object_within(obj, f->offset, f->size))
			continue;
		err = add(o, obj, rel);
		if (err)
			return err;
	}
	if (o->n)
		qsort(o->items, o->n, sizeof(*o->items), compare);
	return NULL;
}

const struct operand *sm_operands_find(const struct operands *o, uint64_t offset, uint64_t len)
{
	size_t low = 0, high = o->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (o->items[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < o->n && o->items[low].offset - offset < len ? &o->items[low] : NULL;
}

bool sm_operand_resolve(const struct object *obj, const struct operand *operand, uint64_t next,
	struct sm_buf *text, uint64_t *target)
{
	struct symbol_table table;
	struct elf_symbol sym;
	const char *name;
	struct sm_error *err = sm_symbol_table_open(obj, operand->table, &table);
	uint64_t offset = (uint64_t)operand->addend;

	sm_buf_reset(text);
	if (err || !operand->symbol || operand->symbol >= table.n) {
		sm_error_free(err);
		sm_buf_addc(text, '?');
		return false;
	}
	if (obj->machine == EM_X86_64 &&
		(operand->type == R_X86_64_PC32 || operand->type == R_X86_64_PLT32))
		offset += next - operand->offset;
	sm_symbol_table_get(&table, operand->symbol, &sym);
	name = sym.name;
	if (ELF64_ST_TYPE(sym.info) == STT_SECTION && sym.section < obj->nsections)
		name = obj->sections[sym.section].name;
	if (!*name) {
		sm_buf_addc(text, '?');
	} else {
		sm_buf_adds(text, name);
		if ((int64_t)offset < 0)
			sm_buf_addf(text, "-0x%llx", (unsigned long long)-offset);
		else if (offset)
			sm_buf_addf(text, "+0x%llx", (unsigned long long)offset);
	}
	if (!sym.section || sym.section >= obj->nsections ||
		!(obj->sections[sym.section].flags & SHF_ALLOC))
		return false;
	*target = sm_elf_symbol_address(obj, &sym) + offset;
	return true;
}

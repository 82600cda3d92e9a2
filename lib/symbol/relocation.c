/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Relocatable files: where their sections would be loaded, and what becomes of their debug sections
 * then.
 */
#include "object_file.h"

#define REGION_ALIGN UINT64_C(0x1000)
/* So that no sum with an address in the image wraps, in a 32-bit file neither. */
#define IMAGE_MAX32 UINT64_C(0x7fffffff)
#define IMAGE_MAX64 (UINT64_C(1) << 62)

/* The kernel puts a module's code first, and drops what is for its start alone. */
enum region { REGION_CODE, REGION_DATA, REGION_INIT_CODE, REGION_INIT_DATA };

static enum region section_region(const struct object_section *s)
{
	bool code = s->flags & SHF_EXECINSTR;

	if (strncmp(s->name, ".init", 5) == 0)
		return code ? REGION_INIT_CODE : REGION_INIT_DATA;
	return code ? REGION_CODE : REGION_DATA;
}

static struct sm_error *too_large(const struct object *obj, const struct object_section *s)
{
	return sm_object_fault(obj, ((const struct section_file *)s->priv)->offset,
		"section too large for its address",
		"'%s', section %u, is aligned to 0x%llx and has 0x%llx bytes", s->name, s->index,
		(unsigned long long)((const struct section_file *)s->priv)->align,
		(unsigned long long)s->size);
}

static bool is_relocation(const struct object_section *s)
{
	return s->type == SHT_RELA || s->type == SHT_REL;
}

struct sm_error *sm_object_layout(struct object *obj)
{
	struct object_private *p = obj->priv;
	uint64_t max = obj->addr_size == 8 ? IMAGE_MAX64 : IMAGE_MAX32, at = IMAGE_BASE;

	for (enum region region = 0; region < SM_ARRAY_SIZE(p->region_ends); region++) {
		uint64_t start = at;

		for (size_t i = 1; i < obj->nsections; i++) {
			struct object_section *s = &p->sections[i];
			uint64_t align = p->files[i].align ? p->files[i].align : 1;

			if (!(s->flags & SHF_ALLOC) || section_region(s) != region)
				continue;
			if ((align & (align - 1)) || align > max || s->size > max)
				return too_large(obj, s);
			at = (at + align - 1) & ~(align - 1);
			if (at > max - s->size)
				return too_large(obj, s);
			s->addr = at;
			at += s->size;
		}
		at = (at + REGION_ALIGN - 1) & ~(REGION_ALIGN - 1);
		p->region_ends[region] = at > start ? at : 0;
	}
	for (size_t i = 1; i < obj->nsections; i++) {
		uint32_t target = p->files[i].info;

		if (is_relocation(&p->sections[i]) && target && target < obj->nsections &&
			!(p->sections[target].flags & SHF_ALLOC))
			p->files[target].relocated = true;
	}
	return NULL;
}

/* What is done is a sum that is stored: of symbol and addend, less the place where `relative`. */
static const struct relocation {
	uint16_t machine;
	uint16_t type;
	uint8_t size; /* 0 = nothing is stored */
	bool relative;
} known[] = {
	{EM_X86_64, R_X86_64_64, 8, false},
	{EM_X86_64, R_X86_64_32, 4, false},
	{EM_X86_64, R_X86_64_32S, 4, false},
	{EM_X86_64, R_X86_64_PC32, 4, true},
	{EM_X86_64, R_X86_64_PC64, 8, true},
	{EM_X86_64, R_X86_64_DTPOFF32, 4, false},
	{EM_X86_64, R_X86_64_DTPOFF64, 8, false},
	{EM_X86_64, R_X86_64_NONE, 0, false},
	{EM_AARCH64, R_AARCH64_ABS64, 8, false},
	{EM_AARCH64, R_AARCH64_ABS32, 4, false},
	{EM_AARCH64, R_AARCH64_PREL64, 8, true},
	{EM_AARCH64, R_AARCH64_PREL32, 4, true},
	{EM_AARCH64, R_AARCH64_NONE, 0, false},
	{EM_386, R_386_32, 4, false},
	{EM_386, R_386_PC32, 4, true},
	{EM_386, R_386_NONE, 0, false},
	{EM_ARM, R_ARM_ABS32, 4, false},
	{EM_ARM, R_ARM_REL32, 4, true},
	{EM_ARM, R_ARM_NONE, 0, false},
	{EM_S390, R_390_64, 8, false},
	{EM_S390, R_390_32, 4, false},
	{EM_S390, R_390_PC64, 8, true},
	{EM_S390, R_390_PC32, 4, true},
	{EM_S390, R_390_NONE, 0, false},
	{EM_PPC64, R_PPC64_ADDR64, 8, false},
	{EM_PPC64, R_PPC64_ADDR32, 4, false},
	{EM_PPC64, R_PPC64_REL64, 8, true},
	{EM_PPC64, R_PPC64_REL32, 4, true},
	{EM_PPC64, R_PPC64_NONE, 0, false},
};

static const struct relocation *find_relocation(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < SM_ARRAY_SIZE(known); i++) {
		if (known[i].machine == machine && known[i].type == type)
			return &known[i];
	}
	return NULL;
}

static uint64_t load(const uint8_t *p, unsigned size, bool swap)
{
	return size == 8 ? sm_load64(p, swap) : sm_load32(p, swap);
}

static void store(uint8_t *p, uint64_t v, unsigned size, bool swap)
{
	uint32_t word = (uint32_t)v;

	if (size == 8) {
		v = swap ? __builtin_bswap64(v) : v;
		memcpy(p, &v, 8);
	} else {
		word = swap ? __builtin_bswap32(word) : word;
		memcpy(p, &word, 4);
	}
}

/* Image address of a symbol; 0 where there is none. */
static uint64_t symbol_value(
	const struct object *obj, const struct symbol_table *table, uint64_t index)
{
	struct elf_symbol sym;

	if (!index || index >= table->n)
		return 0;
	sm_symbol_table_get(table, (size_t)index, &sym);
	return sm_elf_symbol_address(obj, &sym);
}

/* Of one relocation section: how many didn't work, and the first of these. */
struct relocation_faults {
	size_t n;
	uint32_t type;
	uint64_t offset;
};

static void apply(const struct object *obj, const struct object_section *rel,
	const struct symbol_table *table, uint8_t *data, size_t len,
	struct relocation_faults *faults)
{
	const struct section_file *f = rel->priv;
	bool rela = rel->type == SHT_RELA, wide = obj->addr_size == 8;
	size_t size = rela ? ELF_SIZE(wide, Rela) : ELF_SIZE(wide, Rel);
	struct elf_reader r = {obj->priv->data + f->offset, obj->swap, wide};
	const struct relocation *how = NULL;

	for (uint64_t n = f->size / size; n; n--, r.data += size) {
		uint64_t offset = ELF_WORD(&r, Rela, r_offset), info = ELF_WORD(&r, Rela, r_info);
		uint64_t symbol = wide ? info >> 32 : info >> 8, value;
		uint32_t type = wide ? (uint32_t)info : (uint32_t)(info & 0xff);

		if (!how || how->type != type)
			how = find_relocation(obj->machine, type);
		if (!how || offset > len || len - offset < how->size) {
			if (!faults->n++) {
				faults->type = type;
				faults->offset = offset;
			}
			continue;
		}
		if (!how->size)
			continue;
		value = symbol_value(obj, table, symbol);
		value += rela ? ELF_WORD(&r, Rela, r_addend)
			      : load(data + offset, how->size, obj->swap);
		if (how->relative)
			value -= offset;
		store(data + offset, value, how->size, obj->swap);
	}
}

struct sm_error *sm_section_relocate(
	struct object *obj, const struct object_section *section, uint8_t *data, size_t len)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct object_section *rel = &obj->sections[i];
		const struct section_file *f = rel->priv;
		struct relocation_faults faults = {0};
		struct symbol_table table;
		struct sm_error *err;

		if (!is_relocation(rel) || f->info != section->index)
			continue;
		if (!sm_object_within(obj, f->offset, f->size))
			return sm_object_fault(obj, f->offset, "relocations beyond the end",
				"'%s' has %llu bytes, the file %zu; is it cut short?", rel->name,
				(unsigned long long)f->size, obj->priv->len);
		err = sm_symbol_table_open(obj, f->link, &table);
		if (err)
			return err;
		apply(obj, rel, &table, data, len, &faults);
		if (faults.n)
			sm_log(obj->priv->log, SM_DEBUG,
				"'%s': %zu relocations of '%s' not applied, the first of type %u "
				"at %llu",
				obj->path, faults.n, section->name, faults.type,
				(unsigned long long)faults.offset);
	}
	return NULL;
}

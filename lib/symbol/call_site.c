/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a call ends at an address, by the bytes before it. */
#include "call_site.h"
#include "object_file.h"

#include <stdio.h>

/* Bytes of the longest FF /2 without prefixes. */
#define INDIRECT_MAX 7
/* A thunk for each register, 32 bytes each, and what may lie between. */
#define THUNKS_REACH UINT64_C(0x1000)

bool sm_call_site_machine(const struct object *obj)
{
	return obj->machine == EM_X86_64 || obj->machine == EM_AARCH64;
}

static uint32_t little32(const uint8_t *p)
{
	return sm_load32(p, sm_host_big_endian());
}

static bool is_code(const struct object *obj, uint64_t addr)
{
	const struct object_section *s = sm_object_section_at(obj, addr);

	return s && (s->flags & SHF_EXECINSTR);
}

/* What a call at `p` or its operand at `p` refers to, relative to the end of the field, which has
 * the image address `next`. A relocation's field is zero in the file. */
static bool is_target(const struct object *obj, const uint8_t *p, uint64_t next)
{
	uint32_t rel = little32(p);

	if (obj->type == ET_REL && !rel)
		return true;
	return is_code(obj, next + (uint64_t)(int32_t)rel);
}

/* Length of the FF /2 at `p`, from its opcode on; 0 where `len` bytes aren't enough or it is
 * something else. A REX prefix changes the registers, and nothing here. */
static size_t indirect_len(const uint8_t *p, size_t len)
{
	unsigned mod, rm;
	size_t n = 2;

	if (len < 2 || p[0] != 0xff || (p[1] >> 3 & 7) != 2)
		return 0;
	mod = p[1] >> 6;
	rm = p[1] & 7;
	if (mod == 3)
		return n;
	if (rm == 4) {
		if (len < 3)
			return 0;
		n++;
		rm = p[2] & 7; /* the base: 5 without a displacement is a displacement without it */
	}
	if (mod == 1)
		n += 1;
	else if (mod == 2 || rm == 5)
		n += 4;
	return n <= len ? n : 0;
}

static int64_t signed_word(uint32_t v)
{
	return (int32_t)v;
}

/* Where the E8 at `addr`, maybe behind a prefix, goes to. */
static bool call_target(struct object *obj, uint64_t addr, uint64_t *target)
{
	size_t len;
	const uint8_t *p = sm_object_code(obj, addr, &len);
	size_t prefix = p && len && p[0] == 0x2e;

	if (!p || len < prefix + 5 || p[prefix] != 0xe8)
		return false;
	*target = addr + prefix + 5 + (uint64_t)signed_word(little32(p + prefix + 1));
	return true;
}

/* Whether .retpoline_sites names an instruction: s32 each, relative to themselves. Some call, some
 * jump; all thunks are near each other, so most calls aren't searched for. */
static bool is_retpoline_linked(
	struct object *obj, const struct object_section *table, uint64_t addr)
{
	const uint8_t *data;
	uint64_t target, thunk = 0;
	size_t len;
	struct sm_error *err = sm_object_data(obj, table, &data, &len);

	if (err || !data || !call_target(obj, addr, &target)) {
		sm_error_free(err);
		return false;
	}
	for (size_t i = 0; len - i >= 4; i += 4) {
		uint64_t site =
			table->addr + i + (uint64_t)signed_word(sm_load32(data + i, obj->swap));

		if (site == addr)
			return true;
		if (!thunk && call_target(obj, site, &thunk) &&
			target - thunk + THUNKS_REACH > 2 * THUNKS_REACH)
			return false;
	}
	return false;
}

/* The same where these are relocations still. */
static bool is_retpoline_relocated(
	struct object *obj, const struct object_section *table, uint64_t addr)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct object_section *rel = &obj->sections[i];
		const struct section_file *f = rel->priv;
		struct elf_reader r = {.swap = obj->swap, .wide = true};
		struct symbol_table symbols;
		struct sm_error *err;

		if (rel->type != SHT_RELA || f->info != table->index ||
			!sm_object_within(obj, f->offset, f->size))
			continue;
		err = sm_symbol_table_open(obj, f->link, &symbols);
		if (err) {
			sm_error_free(err);
			continue;
		}
		r.data = obj->priv->data + f->offset;
		for (uint64_t n = f->size / sizeof(Elf64_Rela); n; n--) {
			uint64_t symbol = ELF64_R_SYM(ELF_WORD(&r, Rela, r_info));
			struct elf_symbol sym;

			if (symbol && symbol < symbols.n) {
				sm_symbol_table_get(&symbols, (size_t)symbol, &sym);
				if (sm_elf_symbol_address(obj, &sym) +
						ELF_WORD(&r, Rela, r_addend) ==
					addr)
					return true;
			}
			r.data += sizeof(Elf64_Rela);
		}
	}
	return false;
}

static bool is_retpoline(struct object *obj, uint64_t addr)
{
	const struct object_section *table = sm_object_section(obj, ".retpoline_sites");

	if (!table || obj->addr_size != 8)
		return false;
	return obj->type == ET_REL ? is_retpoline_relocated(obj, table, addr)
				   : is_retpoline_linked(obj, table, addr);
}

/* The call through a pointer in data, whose last byte is at `addr`: now a call and a nop. */
static bool is_paravirt(const struct object *obj, const uint8_t *field, uint64_t addr)
{
	uint32_t rel = little32(field);
	const struct object_section *s;

	if (obj->type == ET_REL && !rel)
		return true;
	s = sm_object_section_at(obj, addr + 1 + (uint64_t)signed_word(rel));
	return s && !(s->flags & SHF_EXECINSTR);
}

static bool x86_call_ends(struct object *obj, uint64_t addr, const uint8_t *start,
	const uint8_t *end, const uint8_t *p)
{
	size_t before = (size_t)(p - start), after = (size_t)(end - p);

	if (before >= 5 && p[-5] == 0xe8 && is_target(obj, p - 4, addr))
		return true;
	for (size_t n = 2; n <= INDIRECT_MAX && n <= before; n++) {
		if (p[-(ptrdiff_t)n] == 0xff && indirect_len(p - n, n) == n)
			return true;
	}
	if (before >= 5 && after >= 1 && p[-5] == 0xff && p[-4] == 0x15 &&
		is_paravirt(obj, p - 3, addr))
		return true;
	/* With the registers r8 to r15 the call may have a prefix, which is replaced too. */
	if (before >= 2 && after >= 3 && p[-2] == 0xe8)
		return is_retpoline(obj, addr - 2) ||
		       (before >= 3 && p[-3] == 0x2e && is_retpoline(obj, addr - 3));
	return before >= 3 && after >= 2 && p[-3] == 0xe8 && is_retpoline(obj, addr - 3);
}

bool sm_arm64_is_call(uint32_t insn)
{
	return (insn & 0xfc000000) == 0x94000000 || /* BL */
	       (insn & 0xfffffc1f) == 0xd63f0000 || /* BLR */
	       (insn & 0xfffff81f) == 0xd63f081f || /* BLRAAZ, BLRABZ */
	       (insn & 0xfffff800) == 0xd73f0800;   /* BLRAA, BLRAB */
}

static bool arm64_call_ends(
	const struct object *obj, uint64_t addr, const uint8_t *start, const uint8_t *p)
{
	uint32_t insn, imm;

	if ((addr & 3) || p - start < 4)
		return false;
	/* Instructions are little-endian in a big-endian kernel too. */
	insn = little32(p - 4);
	if (!sm_arm64_is_call(insn))
		return false;
	if (insn >> 26 != 0x25)
		return true;
	imm = insn & 0x3ffffff;
	if (obj->type == ET_REL && !imm)
		return true;
	/* 26 bits, in words */
	return is_code(obj, addr - 4 + (uint64_t)(signed_word(imm << 6) / 16));
}

bool sm_call_ends(struct object *obj, const struct object_section *section, const uint8_t *data,
	size_t len, size_t offset)
{
	uint64_t addr = section->addr + offset;

	if (offset > len)
		return false;
	return obj->machine == EM_AARCH64
		       ? arm64_call_ends(obj, addr, data, data + offset)
		       : x86_call_ends(obj, addr, data, data + len, data + offset);
}

enum call_site sm_call_site(struct object *obj, uint64_t addr)
{
	const struct object_section *s;
	struct sm_error *err;
	const uint8_t *data;
	size_t len;

	if (!addr || !sm_call_site_machine(obj))
		return CALL_UNKNOWN;
	/* What a call that is the last of its section returns to lies past the end. */
	s = sm_object_section_at(obj, addr - 1);
	if (!s) {
		s = sm_object_section_at(obj, addr);
		return s && (s->flags & SHF_EXECINSTR) && s->type != SHT_NOBITS ? CALL_NONE
										: CALL_UNKNOWN;
	}
	err = sm_object_data(obj, s, &data, &len);
	if (err || !data) {
		sm_error_free(err);
		return CALL_UNKNOWN;
	}
	if (!(s->flags & SHF_EXECINSTR) || addr - s->addr > len)
		return CALL_NONE;
	return sm_call_ends(obj, s, data, len, (size_t)(addr - s->addr)) ? CALL_FOUND : CALL_NONE;
}

enum sm_belonging sm_call_sites_judge(const struct sm_call_sites *sites)
{
	size_t quarter = sites->checked / 4 + (sites->checked % 4 != 0); /* rounded up */

	if (sites->checked < CALL_VERDICT_LEAST)
		return SM_BELONGS_UNKNOWN;
	if (sites->follow < quarter)
		return SM_BELONGS_NOT;
	/* As 4 * follow >= 3 * checked, which might overflow */
	return sites->checked - sites->follow <= sites->checked / 4 ? SM_BELONGS
								    : SM_BELONGS_DOUBTFUL;
}

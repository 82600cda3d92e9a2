/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bare_elf.h"

void put(struct sm_buf *b, unsigned size, uint64_t v)
{
	uint8_t bytes[8];

	memcpy(bytes, &v, 8);
	sm_buf_add(b, bytes + (sm_host_big_endian() ? 8 - size : 0), size);
}

void put_uleb(struct sm_buf *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		sm_buf_addc(b, (char)(v | 0x80));
	sm_buf_addc(b, (char)v);
}

void put_sleb(struct sm_buf *b, int64_t v)
{
	for (; v < -64 || v > 63; v >>= 7)
		sm_buf_addc(b, (char)(v | 0x80));
	sm_buf_addc(b, (char)(v & 0x7f));
}

void put_string(struct sm_buf *b, const char *s)
{
	sm_buf_add(b, s, strlen(s) + 1);
}

void put_bytes(struct sm_buf *b, ...)
{
	va_list ap;

	va_start(ap, b);
	for (int v = va_arg(ap, int); v >= 0; v = va_arg(ap, int)) {
		assert_in_range(v, 0, 0x7f);
		sm_buf_addc(b, (char)v);
	}
	va_end(ap);
}

size_t unit_begin(struct sm_buf *info, uint64_t abbrev_offset)
{
	size_t offset = info->len;

	put(info, 4, 0);
	put(info, 2, 4);
	put(info, 4, abbrev_offset);
	put(info, 1, 8);
	return offset;
}

void unit_end(struct sm_buf *info, size_t offset)
{
	uint32_t len = (uint32_t)(info->len - offset - 4);

	assert_false(info->failed);
	memcpy(info->data + offset, &len, 4);
}

static void add_header(
	struct sm_buf *headers, struct sm_buf *names, const char *name, const Elf64_Shdr *like)
{
	Elf64_Shdr h = *like;

	h.sh_name = (Elf64_Word)names->len;
	put_string(names, name);
	sm_buf_add(headers, &h, sizeof(h));
}

static void add_section(struct sm_buf *file, struct sm_buf *headers, struct sm_buf *names,
	const char *name, const struct sm_buf *data)
{
	Elf64_Shdr h = {.sh_type = SHT_PROGBITS,
		.sh_offset = file->len,
		.sh_size = data->len,
		.sh_addralign = 1};

	if (!data->len)
		return;
	add_header(headers, names, name, &h);
	sm_buf_add(file, data->data, data->len);
}

struct object *bare_elf_object(const struct bare_elf *elf)
{
	Elf64_Ehdr e = {.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(e),
		.e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Shdr text = {.sh_type = SHT_NOBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = BARE_TEXT,
		.sh_size = BARE_TEXT_SIZE,
		.sh_addralign = 16};
	Elf64_Shdr none = {0}, strings = {.sh_type = SHT_STRTAB, .sh_addralign = 1};
	struct sm_buf file = {0}, headers = {0}, names = {0};
	struct object *obj;
	struct sm_error *err;

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = sm_host_big_endian() ? ELFDATA2MSB : ELFDATA2LSB;
	e.e_ident[EI_VERSION] = EV_CURRENT;
	sm_buf_add(&file, &e, sizeof(e));
	add_header(&headers, &names, "", &none);
	add_header(&headers, &names, ".text", &text);
	add_section(&file, &headers, &names, ".debug_info", &elf->info);
	add_section(&file, &headers, &names, ".debug_abbrev", &elf->abbrev);
	add_section(&file, &headers, &names, ".debug_str", &elf->str);
	add_section(&file, &headers, &names, ".debug_line", &elf->line);
	add_section(&file, &headers, &names, ".debug_ranges", &elf->ranges);
	add_section(&file, &headers, &names, ".debug_rnglists", &elf->rnglists);
	add_section(&file, &headers, &names, ".debug_addr", &elf->addr);
	add_section(&file, &headers, &names, ".debug_aranges", &elf->aranges);
	strings.sh_offset = file.len;
	strings.sh_size = names.len + sizeof(".shstrtab");
	add_header(&headers, &names, ".shstrtab", &strings);
	sm_buf_add(&file, names.data, names.len);
	while (file.len % 8)
		sm_buf_addc(&file, 0);
	e.e_shoff = file.len;
	e.e_shnum = (Elf64_Half)(headers.len / sizeof(Elf64_Shdr));
	e.e_shstrndx = (Elf64_Half)(e.e_shnum - 1);
	memcpy(file.data, &e, sizeof(e));
	sm_buf_add(&file, headers.data, headers.len);
	assert_false(file.failed || headers.failed || names.failed);
	err = sm_object_from_memory("bare", file.data, file.len, NULL, &obj);
	assert_null(err);
	sm_buf_release(&file);
	sm_buf_release(&headers);
	sm_buf_release(&names);
	return obj;
}

void bare_elf_release(struct bare_elf *elf)
{
	sm_buf_release(&elf->info);
	sm_buf_release(&elf->abbrev);
	sm_buf_release(&elf->str);
	sm_buf_release(&elf->line);
	sm_buf_release(&elf->ranges);
	sm_buf_release(&elf->rnglists);
	sm_buf_release(&elf->addr);
	sm_buf_release(&elf->aranges);
}

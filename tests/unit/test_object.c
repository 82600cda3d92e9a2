/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF headers, sections and relocation, of sound and of hostile files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "elf_open.h"
#include "scratch.h"

#define TEXT UINT64_C(0x81000000)

static const uint8_t id[] = {0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4};

/* Both classes, both orders. */
static const struct kind {
	unsigned bits;
	bool big_endian;
	uint16_t machine;
} kinds[] = {
	{64, false, EM_X86_64},
	{64, true, EM_AARCH64},
	{32, false, EM_386},
	{32, true, EM_ARM},
};

static struct ew *make_linked(const struct kind *kind)
{
	struct ew *f = ew_new(kind->bits, kind->big_endian, ET_EXEC, kind->machine);
	struct ew_section *text = ew_text(f, ".text", TEXT, 0x40), *bss;

	ew_string(ew_section(f, ".rodata", SHT_PROGBITS, SHF_ALLOC, TEXT + 0x1000), "read only");
	bss = ew_section(f, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, TEXT + 0x2000);
	bss->nobits = 0x100;
	ew_build_id(f, id, sizeof(id));
	ew_string(ew_debug(f, ".debug_str"), "a string");
	ew_debuglink(f, "vmlinux.debug", 0x12345678);
	ew_altlink(f, "../common.dwz", id, 4);
	ew_function(text, "start", 0, 0x10);
	return f;
}

static void test_linked(void **state)
{
	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(kinds); i++) {
		struct ew *f = make_linked(&kinds[i]);
		struct object *obj = elf_open(f);
		const struct object_section *s;
		const uint8_t *code;
		size_t len;

		assert_int_equal(obj->addr_size, kinds[i].bits / 8);
		assert_int_equal(obj->machine, kinds[i].machine);
		assert_int_equal(obj->type, ET_EXEC);
		assert_int_equal(obj->swap, kinds[i].big_endian != sm_host_big_endian());
		assert_string_equal(obj->path, "x.ko");
		assert_string_equal(obj->build_id, "deadbeef01020304");
		assert_string_equal(obj->debuglink, "vmlinux.debug");
		assert_int_equal(obj->debuglink_crc, 0x12345678);
		assert_string_equal(obj->altlink, "../common.dwz");
		assert_string_equal(obj->altlink_build_id, "deadbeef");
		elf_data_is(obj, ".rodata", "read only", 10);
		elf_data_is(obj, ".debug_str", "a string", 9);
		assert_null(sm_object_section(obj, ".debug_info"));

		s = sm_object_section_at(obj, TEXT + 0x3f);
		assert_string_equal(s->name, ".text");
		assert_int_equal(s->addr, TEXT);
		assert_int_equal(s->flags, SHF_ALLOC | SHF_EXECINSTR);
		assert_null(sm_object_section_at(obj, TEXT + 0x40));
		assert_null(sm_object_section_at(obj, TEXT - 1));
		code = sm_object_code(obj, TEXT + 0x30, &len);
		assert_int_equal(len, 0x10);
		assert_memory_equal(code, ew_find(f, ".text")->data + 0x30, len);
		assert_null(sm_object_code(obj, TEXT + 0x40, &len));

		/* Memory without bytes in the file */
		s = sm_object_section_at(obj, TEXT + 0x20ff);
		assert_string_equal(s->name, ".bss");
		assert_null(sm_object_data(obj, s, &code, &len));
		assert_null(code);
		assert_null(sm_object_code(obj, TEXT + 0x2000, &len));
		sm_object_free(obj);
		ew_free(f);
	}
}

/* Without section headers, as a core or a stripped file: what the program headers say. */
static void test_program_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(kinds); i++) {
		struct ew *f = make_linked(&kinds[i]);
		size_t len;
		uint8_t *bytes = ew_finish(f, &len);
		struct object *obj;

		if (kinds[i].bits == 64)
			memset(bytes + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
		else
			memset(bytes + offsetof(Elf32_Ehdr, e_shoff), 0, 4);
		obj = elf_open_bytes(bytes, len);
		assert_int_equal(obj->nsections, 0);
		assert_string_equal(obj->build_id, "deadbeef01020304");
		assert_null(sm_object_section(obj, ".text"));
		sm_object_free(obj);
		free(bytes);
		ew_free(f);
	}
}

/* More sections than the header's fields can count. */
static void test_many_sections(void **state)
{
	struct ew *f = ew_new(64, false, ET_REL, EM_X86_64);
	struct ew_section *last;
	struct object *obj;
	struct kallsyms k;
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 0xff40; i++) {
		snprintf(name, sizeof(name), ".text.f%u", i);
		last = ew_text(f, name, 0, 4);
	}
	ew_function(last, "the_last", 1, 3);
	ew_ref(ew_debug(f, ".debug_info"), 8, last, 2);
	obj = elf_open(f);
	assert_true(obj->nsections > 0xff40);
	assert_string_equal(obj->sections[last->index].name, last->name);
	assert_null(sm_object_symbols(obj, &k));
	assert_int_equal(sm_kallsyms_address(&k, "the_last"), obj->sections[last->index].addr + 1);
	assert_int_equal(elf_number(obj, ".debug_info", 0, 8), obj->sections[last->index].addr + 2);
	sm_kallsyms_release(&k);
	sm_object_free(obj);
	ew_free(f);
}

/* ---- relocatable files ---- */

static struct ew *make_module(const struct kind *kind)
{
	struct ew *f = ew_new(kind->bits, kind->big_endian, ET_REL, kind->machine);
	unsigned word = kind->bits / 8;
	struct ew_section *data, *init, *text, *info;

	data = ew_section(f, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0);
	ew_zeros(data, 0x11);
	init = ew_text(f, ".init.text", 0, 0x20);
	text = ew_text(f, ".text", 0, 0x33);
	text->align = 64;
	ew_text(f, ".text.unlikely", 0, 8);
	info = ew_debug(f, ".debug_info");
	ew_u(info, 4, 0xabcdef01);
	ew_ref(info, word, text, 0x10);
	ew_ref(info, word, init, 0x8);
	ew_ref(info, 4, ew_debug(f, ".debug_str"), 0x77);
	ew_ref(info, 4, text, 0x33);
	return f;
}

static uint64_t section_addr(const struct object *obj, const char *name)
{
	const struct object_section *s = sm_object_section(obj, name);

	assert_non_null(s);
	return s->addr;
}

static void test_module(void **state)
{
	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(kinds); i++) {
		unsigned word = kinds[i].bits / 8;
		struct ew *f = make_module(&kinds[i]);
		struct object *obj = elf_open(f);
		const uint8_t *data;
		size_t len;

		/* Code first, each region at the start of a page, .init* last. */
		assert_int_equal(section_addr(obj, ".text"), IMAGE_BASE);
		assert_int_equal(section_addr(obj, ".text.unlikely"), IMAGE_BASE + 0x40);
		assert_int_equal(section_addr(obj, ".data"), IMAGE_BASE + 0x1000);
		assert_int_equal(section_addr(obj, ".init.text"), IMAGE_BASE + 0x2000);
		assert_int_equal(section_addr(obj, ".debug_info"), 0);
		assert_int_equal(elf_number(obj, ".debug_info", 0, 4), 0xabcdef01);
		assert_int_equal(elf_number(obj, ".debug_info", 4, word), IMAGE_BASE + 0x10);
		assert_int_equal(
			elf_number(obj, ".debug_info", 4 + word, word), IMAGE_BASE + 0x2008);
		assert_int_equal(elf_number(obj, ".debug_info", 4 + 2 * word, 4), 0x77);
		assert_int_equal(
			elf_number(obj, ".debug_info", 8 + 2 * word, 4), IMAGE_BASE + 0x33);
		data = sm_object_code(obj, IMAGE_BASE + 0x10, &len);
		assert_int_equal(len, 0x23);
		assert_memory_equal(data, ew_find(f, ".text")->data + 0x10, len);
		sm_object_free(obj);
		ew_free(f);
	}
}

/* A module's debug file has the same sections without bytes, and gets the same addresses. */
static void test_hollow(void **state)
{
	struct ew *f = make_module(&kinds[0]), *g = make_module(&kinds[0]);
	struct object *obj, *debug;

	(void)state;
	for (size_t i = 1; i < g->nsections; i++) {
		if (g->sections[i]->flags & SHF_ALLOC)
			ew_hollow(g->sections[i]);
	}
	obj = elf_open(f);
	debug = elf_open(g);
	for (size_t i = 1; i < obj->nsections; i++) {
		assert_string_equal(obj->sections[i].name, debug->sections[i].name);
		assert_int_equal(obj->sections[i].addr, debug->sections[i].addr);
	}
	assert_int_equal(elf_number(debug, ".debug_info", 4, 8), IMAGE_BASE + 0x10);
	sm_object_free(obj);
	sm_object_free(debug);
	ew_free(f);
	ew_free(g);
}

/* Compressed sections are relocated too. */
static void test_compressed_module(void **state)
{
	(void)state;
	for (enum ew_compression c = EW_ZLIB; c <= EW_ZDEBUG; c++) {
		struct ew *f = make_module(&kinds[0]);
		struct object *obj;

		ew_compress(f, ".debug", c);
		obj = elf_open(f);
		assert_int_equal(elf_number(obj, ".debug_info", 0, 4), 0xabcdef01);
		assert_int_equal(elf_number(obj, ".debug_info", 4, 8), IMAGE_BASE + 0x10);
		sm_object_free(obj);
		ew_free(f);
	}
}

static void count_line(void *ctx, enum sm_level level, const char *line)
{
	struct sm_buf *said = ctx;

	assert_int_equal(level, SM_DEBUG);
	sm_buf_adds(said, line);
	sm_buf_addc(said, '\n');
}

static void test_odd_relocations(void **state)
{
	struct ew *f = ew_new(64, false, ET_REL, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", 0, 0x20), *info = ew_debug(f, ".debug_info");
	uint32_t sym = ew_function(text, "f", 0x8, 8), undefined = ew_undefined(f, "printk");
	struct sm_buf said = {0};
	struct sm_log log = {count_line, &said, SM_DEBUG};
	struct object *obj;
	uint8_t *bytes;
	size_t len;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		ew_u(info, 8, 0x1111111111111111);
	ew_reloc(info, 0, R_X86_64_64, sym, -4);
	ew_reloc(info, 8, R_X86_64_PC32, sym, 0);
	ew_reloc(info, 16, R_X86_64_64, undefined, 5);
	ew_reloc(info, 24, R_X86_64_NONE, sym, 1);
	ew_reloc(info, 32, R_X86_64_GOTPCREL, sym, 1); /* none that debug sections have */
	ew_reloc(info, 32, 255, sym, 1);
	ew_reloc(info, 41, R_X86_64_64, sym, 0); /* one byte too far */
	ew_reloc(info, UINT64_MAX, R_X86_64_64, sym, 0);
	bytes = ew_finish(f, &len);
	assert_null(sm_object_from_memory("x.ko", bytes, len, &log, &obj));
	assert_int_equal(elf_number(obj, ".debug_info", 0, 8), IMAGE_BASE + 4);
	assert_int_equal(elf_number(obj, ".debug_info", 8, 4), IMAGE_BASE + 8 - 8);
	assert_int_equal(elf_number(obj, ".debug_info", 12, 4), 0x11111111);
	assert_int_equal(elf_number(obj, ".debug_info", 16, 8), 5);
	for (size_t at = 24; at < 48; at += 8)
		assert_int_equal(elf_number(obj, ".debug_info", at, 8), 0x1111111111111111);
	/* Told once. */
	assert_string_equal(said.data,
		"'x.ko': 4 relocations of '.debug_info' not applied, the first of type 9 at 32\n");
	sm_buf_release(&said);
	sm_object_free(obj);
	free(bytes);
	ew_free(f);
}

/* ---- hostile files ---- */

struct broken {
	struct ew *f;
	uint8_t *bytes;
	size_t len;
};

static struct broken make_broken(struct ew *f)
{
	struct broken b = {.f = f};

	b.bytes = ew_finish(f, &b.len);
	return b;
}

static void broken_free(struct broken *b)
{
	free(b->bytes);
	ew_free(b->f);
}

/* A field of a 64-bit little-endian header; `at` from ELF's offsetof. */
static void poke(struct broken *b, uint64_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		b->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void poke_section(
	struct broken *b, const char *name, size_t field, unsigned size, uint64_t value)
{
	poke(b, ew_find(b->f, name)->header_offset + field, size, value);
}

static void assert_refused(struct broken *b, const char *text)
{
	struct object *obj;

	scratch_expect(
		sm_object_from_memory("x.ko", b->bytes, b->len, NULL, &obj), SM_E_FORMAT, text);
	assert_null(obj);
	broken_free(b);
}

#define EHDR(field) offsetof(Elf64_Ehdr, field)
#define SHDR(field) offsetof(Elf64_Shdr, field)

static void test_bad_headers(void **state)
{
	struct broken b;

	(void)state;
	b = make_broken(make_linked(&kinds[0]));
	poke(&b, 0, 4, 0);
	assert_refused(&b, "not an ELF file");
	b = make_broken(make_linked(&kinds[0]));
	poke(&b, EI_CLASS, 1, 3);
	assert_refused(&b, "an ELF file of an unknown kind: 'x.ko' at byte 4: class 3");
	b = make_broken(make_linked(&kinds[0]));
	b.len = 63;
	assert_refused(&b, "ELF header cut short: 'x.ko' at byte 63");
	b = make_broken(make_linked(&kinds[0]));
	poke(&b, EHDR(e_shoff), 8, b.len - 10);
	assert_refused(&b, "no section headers where they should be");
	b = make_broken(make_linked(&kinds[0]));
	poke(&b, EHDR(e_shoff), 8, UINT64_MAX - 8);
	assert_refused(&b, "no section headers where they should be");
	b = make_broken(make_linked(&kinds[0]));
	poke(&b, EHDR(e_shnum), 2, 0xfeff);
	assert_refused(&b, "65279 of them, and the file has");
	/* As many as the first section header says: too many for any file. */
	b = make_broken(make_linked(&kinds[0]));
	poke(&b, EHDR(e_shnum), 2, 0);
	poke(&b, b.f->sections[0]->header_offset + SHDR(sh_size), 8, UINT64_MAX / 64 + 2);
	assert_refused(&b, "section headers beyond the end");
	b = make_broken(make_linked(&kinds[0]));
	poke(&b, EHDR(e_shentsize), 2, 1);
	assert_refused(&b, "section headers of an unknown size: 'x.ko' at byte 0: 1 bytes");
	b = make_broken(make_module(&kinds[0]));
	poke_section(&b, ".text", SHDR(sh_size), 8, UINT64_MAX);
	assert_refused(&b, "section too large for its address");
	b = make_broken(make_module(&kinds[0]));
	poke_section(&b, ".text", SHDR(sh_addralign), 8, 3);
	assert_refused(&b, "section too large for its address");
	b = make_broken(make_module(&kinds[0]));
	poke_section(&b, ".text", SHDR(sh_addralign), 8, UINT64_C(1) << 63);
	assert_refused(&b, "section too large for its address");
}

static void assert_unreadable(struct broken *b, const char *section, const char *text)
{
	struct object *obj = elf_open_bytes(b->bytes, b->len);
	const uint8_t *data;
	size_t len;

	scratch_expect(sm_object_data(obj, sm_object_section(obj, section), &data, &len),
		SM_E_FORMAT, text);
	assert_null(data);
	assert_int_equal(len, 0);
	/* Others are read. */
	elf_data_is(obj, ".shstrtab", ew_find(b->f, ".shstrtab")->data,
		ew_find(b->f, ".shstrtab")->len);
	sm_object_free(obj);
	broken_free(b);
}

static void test_bad_sections(void **state)
{
	struct broken b;

	(void)state;
	b = make_broken(make_linked(&kinds[0]));
	poke_section(&b, ".debug_str", SHDR(sh_size), 8, b.len);
	assert_unreadable(&b, ".debug_str", "section beyond the end");
	b = make_broken(make_linked(&kinds[0]));
	poke_section(&b, ".debug_str", SHDR(sh_offset), 8, UINT64_MAX - 2);
	assert_unreadable(&b, ".debug_str", "is it cut short?");
	b = make_broken(make_module(&kinds[0]));
	poke_section(&b, ".rela.debug_info", SHDR(sh_offset), 8, UINT64_MAX - 2);
	assert_unreadable(&b, ".debug_info", "relocations beyond the end");
	b = make_broken(make_module(&kinds[0]));
	poke_section(&b, ".rela.debug_info", SHDR(sh_link), 4, UINT32_MAX);
	assert_unreadable(&b, ".debug_info", "no symbol table where one should be");
	b = make_broken(make_module(&kinds[0]));
	poke_section(&b, ".rela.debug_info", SHDR(sh_link), 4, ew_find(b.f, ".text")->index);
	assert_unreadable(&b, ".debug_info", "no symbol table where one should be");
	b = make_broken(make_module(&kinds[0]));
	poke_section(&b, ".symtab", SHDR(sh_size), 8, UINT64_MAX / 2);
	assert_unreadable(&b, ".debug_info", "symbol table beyond the end");
}

/* What can't be read for lack of sense is just not there. */
static void test_bad_names(void **state)
{
	struct broken b = make_broken(make_linked(&kinds[0]));
	struct object *obj;
	struct kallsyms k;

	(void)state;
	poke_section(&b, ".text", SHDR(sh_name), 4, UINT32_MAX);
	poke_section(&b, ".symtab", SHDR(sh_link), 4, UINT32_MAX);
	poke_section(&b, ".gnu_debuglink", SHDR(sh_size), 8, 14); /* no room for the sum */
	poke_section(&b, ".gnu_debugaltlink", SHDR(sh_size), 8, 3);
	poke_section(&b, ".note.gnu.build-id", SHDR(sh_offset), 8, UINT64_MAX);
	poke(&b, EHDR(e_phoff), 8, UINT64_MAX);
	obj = elf_open_bytes(b.bytes, b.len);
	assert_null(sm_object_section(obj, ".text"));
	assert_string_equal(sm_object_section_at(obj, TEXT)->name, "");
	assert_null(obj->debuglink);
	assert_null(obj->altlink);
	assert_null(obj->altlink_build_id);
	assert_null(obj->build_id);
	assert_null(sm_object_symbols(obj, &k));
	assert_int_equal(k.n, 0);
	sm_kallsyms_release(&k);
	sm_object_free(obj);
	broken_free(&b);
}

/* Cut anywhere: the headers are at the end, so none but the whole file is opened. */
static void test_cut(void **state)
{
	struct broken b = make_broken(make_module(&kinds[0]));

	(void)state;
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		struct object *obj;
		struct sm_error *err;

		memcpy(copy, b.bytes, len);
		err = sm_object_from_memory("x.ko", copy, len, NULL, &obj);
		assert_non_null(err);
		assert_int_equal(err->code, SM_E_FORMAT);
		sm_error_free(err);
		free(copy);
	}
	broken_free(&b);
}

static void test_files(void **state)
{
	const struct scratch *s = *state;
	struct ew *f = make_linked(&kinds[0]);
	struct object *obj;

	ew_write(f, scratch_path(s, "vmlinux"));
	assert_null(sm_object_open(scratch_path(s, "vmlinux"), NULL, &obj));
	assert_string_equal(obj->build_id, "deadbeef01020304");
	elf_data_is(obj, ".rodata", "read only", 10);
	sm_object_free(obj);
	ew_free(f);
	scratch_expect(
		sm_object_open(scratch_path(s, "none"), NULL, &obj), SM_E_MISSING, "cannot open");
	assert_null(obj);
	scratch_write(s, "empty", "", 0);
	scratch_expect(sm_object_open(scratch_path(s, "empty"), NULL, &obj), SM_E_FORMAT,
		"not an ELF file");
	scratch_expect(sm_object_open(s->dir, NULL, &obj), SM_E_FORMAT, "not a regular file");
	assert_int_equal(mkfifo(scratch_path(s, "fifo"), 0600), 0);
	scratch_expect(sm_object_open(scratch_path(s, "fifo"), NULL, &obj), SM_E_FORMAT,
		"not a regular file");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linked),
		cmocka_unit_test(test_program_headers),
		cmocka_unit_test(test_many_sections),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_hollow),
		cmocka_unit_test(test_compressed_module),
		cmocka_unit_test(test_odd_relocations),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_bad_sections),
		cmocka_unit_test(test_bad_names),
		cmocka_unit_test(test_cut),
		cmocka_unit_test_setup_teardown(test_files, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* elfscript: a mkelf script, read into sections and a tree of functions. */
#include "elfscript.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 256u
#define MAX_DEPTH 32u

enum block_kind { FUNCTION, INLINE, PART };

/* What a `{` opened. */
struct level {
	enum block_kind what;
	struct elf_scope *scope;
	struct ew_section *section; /* where code goes */
	uint64_t start;
	/* The line before it, which holds again after it; file 0 = none. */
	struct elf_row before;
};

struct reader {
	struct elf_script *s;
	struct gen *g;
	struct text words[MAX_WORDS];
	size_t n;
	struct level levels[MAX_DEPTH];
	unsigned depth;
	struct elf_unit *unit;
	size_t function; /* in s->names: to know its size */
};

static void want(const struct reader *r, size_t min, size_t max)
{
	if (r->n - 1 < min || r->n - 1 > max)
		gen_die(r->g, "'%s' has %zu words where %zu to %zu belong", r->words[0].s, r->n - 1,
			min, max);
}

static const char *word(const struct reader *r, size_t i)
{
	return r->words[i].s;
}

static uint64_t number(const struct reader *r, size_t i)
{
	return setup_number(r->g, word(r, i));
}

/* The value of KEY=VALUE among the words from `from` on; NULL = there is none. */
static const char *key(const struct reader *r, size_t from, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = from; i < r->n; i++)
		if (!strncmp(word(r, i), name, len) && word(r, i)[len] == '=')
			return word(r, i) + len + 1;
	return NULL;
}

static bool flag(const struct reader *r, size_t from, const char *name)
{
	for (size_t i = from; i < r->n; i++)
		if (!strcmp(word(r, i), name))
			return true;
	return false;
}

static struct ew_section *section(const struct reader *r, const char *name)
{
	struct ew_section *s = r->s->elf ? ew_find(r->s->elf, name) : NULL;

	if (!s)
		gen_die(r->g, "there is no section '%s': text or section comes before", name);
	return s;
}

static struct level *level(struct reader *r)
{
	if (!r->depth)
		gen_die(r->g, "'%s' belongs into a function", word(r, 0));
	return &r->levels[r->depth - 1];
}

/* ---- the file ---- */

static void read_elf(struct reader *r)
{
	static const struct {
		const char *name;
		uint16_t value;
	} types[] = {{"exec", ET_EXEC}, {"dyn", ET_DYN}, {"rel", ET_REL}},
	  machines[] = {{"x86_64", EM_X86_64}, {"aarch64", EM_AARCH64}, {"i386", EM_386},
		  {"arm", EM_ARM}, {"s390", EM_S390}, {"ppc64", EM_PPC64}, {"riscv", EM_RISCV}};
	uint16_t type = ET_EXEC, machine = EM_X86_64;
	size_t i, k;

	if (r->s->elf)
		gen_die(r->g, "a second elf line");
	for (i = 1; i < r->n; i++) {
		const char *w = word(r, i);

		for (k = 0; k < sizeof(types) / sizeof(types[0]) && strcmp(types[k].name, w); k++)
			;
		if (k < sizeof(types) / sizeof(types[0])) {
			type = types[k].value;
			continue;
		}
		for (k = 0;
			k < sizeof(machines) / sizeof(machines[0]) && strcmp(machines[k].name, w);
			k++)
			;
		if (k < sizeof(machines) / sizeof(machines[0]))
			machine = machines[k].value;
		else if (strcmp(w, "be") && strcmp(w, "le") && strcmp(w, "32") && strcmp(w, "64"))
			gen_die(r->g, "unknown '%s' in elf", w);
	}
	r->s->elf = ew_new(flag(r, 1, "32") ? 32 : 64, flag(r, 1, "be"), type, machine);
}

static void read_dwarf(struct reader *r)
{
	struct dw_style *style = &r->s->style;
	const struct {
		const char *name;
		uint32_t *form, value;
	} forms[] = {
		{"strp", &style->string_form, DW_FORM_strp},
		{"strx", &style->string_form, DW_FORM_strx},
		{"addrx", &style->address_form, DW_FORM_addrx},
		{"rnglistx", &style->ranges_form, DW_FORM_rnglistx},
	};
	size_t k;

	want(r, 1, 12);
	r->s->has_style = true;
	style->version = (unsigned)number(r, 1);
	style->dwarf64 = flag(r, 2, "64bit");
	style->aranges = flag(r, 2, "aranges");
	style->siblings = flag(r, 2, "siblings");
	for (size_t i = 2; i < r->n; i++) {
		const char *w = word(r, i);

		if (!strcmp(w, "64bit") || !strcmp(w, "aranges") || !strcmp(w, "siblings"))
			continue;
		for (k = 0; k < sizeof(forms) / sizeof(forms[0]) && strcmp(forms[k].name, w); k++)
			;
		if (k == sizeof(forms) / sizeof(forms[0]))
			gen_die(r->g, "unknown '%s' in dwarf", w);
		*forms[k].form = forms[k].value;
	}
}

static void read_compress(struct reader *r)
{
	static const char *const names[] = {"none", "zlib", "zstd", "zdebug"};

	want(r, 1, 1);
	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(word(r, 1), names[i])) {
			r->s->compression = (enum ew_compression)i;
			return;
		}
	gen_die(r->g, "unknown compression '%s'", word(r, 1));
}

static void read_build_id(struct reader *r)
{
	want(r, 1, 1);
	r->s->build_id = setup_hex(r->g, word(r, 1));
	ew_build_id(r->s->elf, r->s->build_id.s, r->s->build_id.len);
}

static void read_section(struct reader *r)
{
	bool text = !strcmp(word(r, 0), "text");
	uint64_t flags = 0;
	struct ew_section *s;

	want(r, 1, 6);
	if (text || flag(r, 2, "alloc"))
		flags |= SHF_ALLOC;
	if (text || flag(r, 2, "exec"))
		flags |= SHF_EXECINSTR;
	if (flag(r, 2, "write"))
		flags |= SHF_WRITE;
	s = ew_section(r->s->elf, word(r, 1), SHT_PROGBITS, flags,
		r->n > 2 && word(r, 2)[0] >= '0' && word(r, 2)[0] <= '9' ? number(r, 2) : 0);
	if (key(r, 2, "align"))
		s->align = setup_number(r->g, key(r, 2, "align"));
	if (key(r, 2, "nobits")) {
		s->type = SHT_NOBITS;
		s->nobits = setup_number(r->g, key(r, 2, "nobits"));
	}
	if (key(r, 2, "size"))
		ew_zeros(s, setup_number(r->g, key(r, 2, "size")));
}

const struct elf_name *elf_script_find(const struct elf_script *s, const char *name)
{
	for (size_t i = 0; i < s->nnames; i++)
		if (!strcmp(s->names[i].name, name))
			return &s->names[i];
	return NULL;
}

static struct elf_name *add_name(struct reader *r, const char *name)
{
	struct elf_script *s = r->s;

	if (elf_script_find(s, name))
		gen_die(r->g, "a second '%s'", name);
	gen_grow(r->g, &s->names, &s->names_cap, s->nnames + 1, sizeof(*s->names));
	s->names[s->nnames].name = gen_strdup(r->g, name, strlen(name));
	return &s->names[s->nnames++];
}

static void define_symbol(struct reader *r, struct elf_name *n, unsigned char type)
{
	n->symbol = ew_symbol(r->s->elf, n->name, n->section, n->offset, n->size,
		(unsigned char)ELF64_ST_INFO(n->global ? STB_GLOBAL : STB_LOCAL, type));
}

/* SECTION[+OFFSET], or an address. */
static void read_symbol(struct reader *r)
{
	struct elf_name *n;
	char *place, *plus;
	const char *size = key(r, 3, "size");

	want(r, 2, 5);
	n = add_name(r, word(r, 1));
	place = r->words[2].s;
	plus = strchr(place, '+');
	n->global = !flag(r, 3, "static");
	n->size = size ? setup_number(r->g, size) : 0;
	if (*place >= '0' && *place <= '9') {
		n->offset = setup_number(r->g, place);
	} else {
		n->offset = plus ? setup_number(r->g, plus + 1) : 0;
		if (plus)
			*plus = '\0';
		n->section = section(r, place);
		n->code = n->section->flags & SHF_EXECINSTR;
	}
	define_symbol(r, n, flag(r, 3, "object") ? STT_OBJECT : STT_NOTYPE);
}

static void read_link(struct reader *r)
{
	bool alt = !strcmp(word(r, 0), "altlink");
	struct text id;

	want(r, 2, 2);
	if (alt) {
		id = setup_hex(r->g, word(r, 2));
		ew_altlink(r->s->elf, word(r, 1), id.s, id.len);
	} else {
		ew_debuglink(r->s->elf, word(r, 1), (uint32_t)number(r, 2));
	}
}

static void read_patch(struct reader *r)
{
	struct elf_script *s = r->s;

	want(r, 3, 3);
	gen_grow(r->g, &s->patches, &s->patches_cap, s->npatches + 1, sizeof(*s->patches));
	s->patches[s->npatches++] = (struct elf_patch){word(r, 1) ? r->words[1].s : NULL,
		number(r, 2), setup_hex(r->g, word(r, 3)), r->g->line};
}

/* ---- functions ---- */

static void read_unit(struct reader *r)
{
	struct elf_script *s = r->s;

	want(r, 1, 2);
	if (!strcmp(word(r, 1), "-")) {
		r->unit = NULL;
		return;
	}
	gen_grow(r->g, &s->units, &s->units_cap, s->nunits + 1, sizeof(struct elf_unit *));
	r->unit = s->units[s->nunits++] = gen_alloc(r->g, sizeof(*r->unit));
	r->unit->file = r->words[1].s;
	r->unit->dir = r->n > 2 ? r->words[2].s : gen_strdup(r->g, "/src", 4);
}

/* "FILE:LINE" or "LINE", of the unit's own file. */
static uint64_t read_line(struct reader *r, size_t i, unsigned *file)
{
	struct elf_unit *u = r->unit;
	char *s = r->words[i].s, *colon = strrchr(s, ':');
	const char *name = u ? u->file : "";
	uint64_t line = setup_number(r->g, colon ? colon + 1 : s);

	if (colon) {
		*colon = '\0';
		name = s;
	}
	if (!u)
		gen_die(r->g, "a line outside of a unit");
	for (*file = 1; *file <= u->nfiles; ++*file)
		if (!strcmp(u->files[*file - 1], name))
			return line;
	gen_grow(r->g, &u->files, &u->files_cap, u->nfiles + 1, sizeof(char *));
	u->files[u->nfiles++] = gen_strdup(r->g, name, strlen(name));
	return line;
}

static void add_row(struct reader *r, struct ew_section *s, unsigned file, uint64_t line)
{
	struct elf_unit *u = r->unit;
	const struct elf_row *last = u && u->nrows ? &u->rows[u->nrows - 1] : NULL;

	if (!u || (!file && (!last || !last->file || last->section != s)))
		return; /* nothing to end */
	gen_grow(r->g, &u->rows, &u->rows_cap, u->nrows + 1, sizeof(*u->rows));
	u->rows[u->nrows++] = (struct elf_row){s, s->len, file, line};
}

static struct elf_scope *add_scope(struct reader *r, struct elf_scope *parent, const char *name)
{
	struct elf_scope *child = gen_alloc(r->g, sizeof(*child));

	child->name = gen_strdup(r->g, name, strlen(name));
	gen_grow(r->g, &parent->children, &parent->children_cap, parent->nchildren + 1,
		sizeof(struct elf_scope *));
	parent->children[parent->nchildren++] = child;
	return child;
}

static void push(
	struct reader *r, enum block_kind what, struct elf_scope *scope, struct ew_section *s)
{
	const struct elf_row *last =
		r->unit && r->unit->nrows ? &r->unit->rows[r->unit->nrows - 1] : NULL;

	if (strcmp(word(r, r->n - 1), "{"))
		gen_die(r->g, "'{' belongs at the end of '%s'", word(r, 0));
	if (r->depth == MAX_DEPTH)
		gen_die(r->g, "blocks nested too deeply");
	r->levels[r->depth].what = what;
	r->levels[r->depth].scope = scope;
	r->levels[r->depth].section = s;
	r->levels[r->depth].before = last ? *last : (struct elf_row){0};
	r->levels[r->depth++].start = s->len;
}

static void add_part(struct reader *r, struct elf_scope *scope, const struct level *l)
{
	if (!scope || l->section->len == l->start)
		return;
	gen_grow(r->g, &scope->parts, &scope->parts_cap, scope->nparts + 1, sizeof(*scope->parts));
	scope->parts[scope->nparts++] = (struct dw_range){l->section, l->start, l->section->len};
}

static void put_nops(struct reader *r, struct ew_section *s, size_t n)
{
	static const uint8_t arm64_nop[4] = {0x1f, 0x20, 0x03, 0xd5};
	uint16_t machine = r->s->elf->machine;

	for (size_t i = 0; i < n; i++) {
		uint8_t byte = machine == EM_X86_64 || machine == EM_386 ? 0x90 : 0;

		ew_put(s, machine == EM_AARCH64 ? &arm64_nop[i % 4] : &byte, 1);
	}
}

static void read_function(struct reader *r)
{
	struct ew_section *s = section(r, r->n > 3 && word(r, 2)[0] == '.' ? word(r, 2) : ".text");
	struct elf_scope *scope = NULL;
	const char *align = key(r, 2, "align");
	uint64_t to = align ? setup_number(r->g, align) : 16;
	struct elf_name *n;

	want(r, 2, 7);
	if (r->depth)
		gen_die(r->g, "a function in a function");
	if (!to)
		gen_die(r->g, "an alignment of 0");
	put_nops(r, s, (to - s->len % to) % to);
	if (r->unit) {
		scope = add_scope(r, &r->unit->root, word(r, 1));
		scope->no_die = flag(r, 2, "nodie");
	}
	push(r, FUNCTION, scope, s);
	n = add_name(r, word(r, 1));
	n->section = s;
	n->offset = s->len;
	n->code = true;
	n->global = !flag(r, 2, "static");
	r->function = flag(r, 2, "nosymbol") ? SIZE_MAX : r->s->nnames - 1;
}

static void read_inline(struct reader *r)
{
	struct level *l = level(r);
	struct elf_scope *scope;
	unsigned file;
	uint64_t line;

	want(r, 3, 3);
	if (!l->scope)
		gen_die(r->g, "'inline' outside of a unit");
	line = read_line(r, 2, &file);
	scope = add_scope(r, l->scope, word(r, 1));
	scope->call_file = file;
	scope->call_line = line;
	push(r, INLINE, scope, l->section);
}

/* The rest of the function, or of what is inlined, in another section. */
static void read_part(struct reader *r)
{
	struct level *l = level(r);

	want(r, 2, 2);
	push(r, PART, l->scope, section(r, word(r, 1)));
	add_row(r, l->section, 0, 0);
}

static void read_end(struct reader *r)
{
	struct level *l = level(r);

	want(r, 0, 0);
	add_part(r, l->scope, l);
	if (l->what == FUNCTION || l->what == PART)
		add_row(r, l->section, 0, 0);
	if (l->what != FUNCTION && l->before.file)
		add_row(r, l->before.section, l->before.file, l->before.line);
	if (l->what == FUNCTION && r->function != SIZE_MAX) {
		struct elf_name *n = &r->s->names[r->function];

		n->size = n->section->len - n->offset;
		define_symbol(r, n, STT_FUNC);
	}
	r->depth--;
}

static void read_code(struct reader *r)
{
	static const uint8_t arm64_ret[4] = {0xc0, 0x03, 0x5f, 0xd6};
	struct ew_section *s = level(r)->section;
	bool arm64 = r->s->elf->machine == EM_AARCH64;
	struct elf_script *script = r->s;
	struct text bytes;

	if (!strcmp(word(r, 0), "nop")) {
		want(r, 1, 1);
		put_nops(r, s, number(r, 1));
	} else if (!strcmp(word(r, 0), "at")) {
		want(r, 1, 1);
		if (number(r, 1) < s->len)
			gen_die(r->g, "it is at %#zx already", s->len);
		put_nops(r, s, number(r, 1) - s->len);
	} else if (!strcmp(word(r, 0), "ret")) {
		want(r, 0, 0);
		ew_put(s, arm64 ? (const void *)arm64_ret : "\xc3", arm64 ? 4 : 1);
	} else if (!strcmp(word(r, 0), "bytes")) {
		for (size_t i = 1; i < r->n; i++) {
			bytes = setup_hex(r->g, word(r, i));
			ew_put(s, bytes.s, bytes.len);
		}
	} else {
		want(r, 1, 1);
		gen_grow(r->g, &script->calls, &script->calls_cap, script->ncalls + 1,
			sizeof(*script->calls));
		script->calls[script->ncalls++] =
			(struct elf_call){s, s->len, r->words[1].s, r->g->line};
		put_nops(r, s, arm64 ? 4 : 5);
	}
}

static void read_row(struct reader *r)
{
	unsigned file;
	uint64_t line;

	want(r, 1, 1);
	line = read_line(r, 1, &file);
	add_row(r, level(r)->section, file, line);
}

static void read_label(struct reader *r)
{
	struct ew_section *s = level(r)->section;
	struct elf_name *n;

	want(r, 1, 1);
	n = add_name(r, word(r, 1));
	n->section = s;
	n->offset = s->len;
}

static const struct {
	const char *name;
	void (*fn)(struct reader *r);
} statements[] = {
	{"elf", read_elf},
	{"dwarf", read_dwarf},
	{"compress", read_compress},
	{"buildid", read_build_id},
	{"text", read_section},
	{"section", read_section},
	{"symbol", read_symbol},
	{"debuglink", read_link},
	{"altlink", read_link},
	{"patch", read_patch},
	{"unit", read_unit},
	{"function", read_function},
	{"inline", read_inline},
	{"part", read_part},
	{"}", read_end},
	{"line", read_row},
	{"label", read_label},
	{"nop", read_code},
	{"at", read_code},
	{"ret", read_code},
	{"bytes", read_code},
	{"call", read_code},
};

static void read_statement(struct reader *r)
{
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		if (strcmp(statements[i].name, word(r, 0)))
			continue;
		if (!r->s->elf && statements[i].fn != read_elf)
			gen_die(r->g, "an elf line comes first");
		statements[i].fn(r);
		return;
	}
	gen_die(r->g, "unknown statement '%s'", word(r, 0));
}

void elf_script_read(struct elf_script *s, FILE *f)
{
	struct reader *r = gen_alloc(s->g, sizeof(*r));
	char *line = NULL;
	size_t cap = 0;

	r->s = s;
	r->g = s->g;
	while (getline(&line, &cap, f) >= 0) {
		s->g->line++;
		r->n = words_split(s->g, line, r->words, MAX_WORDS);
		if (r->n)
			read_statement(r);
	}
	free(line);
	if (!s->elf)
		gen_die(s->g, "an elf line comes first");
	if (r->depth)
		gen_die(s->g, "'}' is missing");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections and units; what a unit's root DIE says. */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf_die.h"

/* What no program has reached by a factor of ten: a forged file may have units of 13 bytes. */
#define MAX_UNITS (1U << 20)

/* Where in a unit the members begin that come from the root DIE. */
#define UNIT_HEAD offsetof(struct dwarf_unit, tag)

/* A header has less than that, a root DIE mostly, and a table of a unit in C. */
#define HEADER_MOST 64
#define ROOT_USUAL 256
#define ABBREVS_USUAL 4096

/* ---- units ---- */

struct unit_list {
	struct dwarf_unit *units;
	size_t n, cap;
};

/* Reads the header behind the length, at b->p. False where it makes no sense. */
static bool read_header(struct dwarf_unit *u, struct dwarf_bytes *b)
{
	u->version = (uint16_t)dwarf_u(b, 2);
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version >= 5) {
		u->type = (uint8_t)dwarf_u(b, 1);
		u->addr_size = (uint8_t)dwarf_u(b, 1);
		u->abbrev_offset = dwarf_u(b, u->offset_size);
		if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
			dwarf_u(b, 8);
		if (u->type == DW_UT_type || u->type == DW_UT_split_type) {
			dwarf_u(b, 8);
			dwarf_u(b, u->offset_size);
		}
		/* Where DWARF 5 without a base attribute has the first entry */
		u->str_offsets_base = u->addr_base = u->offset_size == 8 ? 16 : 8;
		u->rnglists_base = u->offset_size == 8 ? 20 : 12;
	} else {
		u->type = DW_UT_compile;
		u->abbrev_offset = dwarf_u(b, u->offset_size);
		u->addr_size = (uint8_t)dwarf_u(b, 1);
	}
	return !b->bad && (u->addr_size == 4 || u->addr_size == 8) &&
	       u->abbrev_offset < u->file->abbrev.len;
}

/* Reads the unit at `offset`; *next is where the next one begins, the section's end where that
 * can't be told. */
static bool read_unit(
	const struct dwarf_file *file, uint64_t offset, uint64_t *next, struct dwarf_unit *u)
{
	const struct dwarf_section *s = &file->info;
	const size_t left = s->len - (size_t)offset;
	const size_t len = left < HEADER_MOST ? left : HEADER_MOST;
	struct dwarf_bytes b = {.p = s->data + offset, .swap = file->swap};
	const uint8_t *start;
	uint8_t head[HEADER_MOST];
	uint64_t length;
	size_t used;

	if (sm_object_copy(file->obj, b.p, len, head))
		b.p = head;
	start = b.p;
	b.end = b.p + len;
	length = dwarf_u(&b, 4);
	*u = (struct dwarf_unit){.file = file, .offset = offset, .offset_size = 4};
	if (length == UINT32_MAX) {
		length = dwarf_u(&b, 8);
		u->offset_size = 8;
	}
	used = (size_t)(b.p - start);
	*next = s->len;
	if (b.bad || (length >= 0xfffffff0 && u->offset_size == 4) || length > left - used)
		return false;
	*next = u->end = offset + used + length;
	if (length < (uint64_t)(b.end - b.p))
		b.end = b.p + length;
	if (!read_header(u, &b))
		return false;
	u->root = offset + (uint64_t)(b.p - start);
	return u->root < u->end;
}

/*
 * After a header that makes no sense, or a length that lies: .debug_aranges knows where units
 * begin. Returns the first such place behind the last good unit's beginning, other than `offset`,
 * that has a good header; the section's length where there is none. `sets` is read on the first
 * call.
 */
static uint64_t find_unit(const struct dwarf_file *file, const struct unit_list *list,
	uint64_t offset, struct unit_sets *sets)
{
	uint64_t from = list->n ? list->units[list->n - 1].offset : 0, next;
	struct dwarf_unit u;

	sm_dwarf_sets_read(file, sets);
	for (; sets->pos < sets->n; sets->pos++) {
		uint64_t set = sets->offsets[sets->pos];

		if (set > from && set != offset && set < file->info.len &&
			read_unit(file, set, &next, &u))
			return set;
	}
	return file->info.len;
}

static struct sm_error *add_unit(struct unit_list *list, const struct dwarf_unit *u)
{
	if (list->n == MAX_UNITS)
		return sm_error_at(SM_E_UNSUPPORTED, u->file->obj->path, u->offset,
			"too many units in .debug_info", "at most %u are read", MAX_UNITS);
	if (!sm_grow(&list->units, &list->cap, list->n + 1, sizeof(*u)))
		return sm_error_nomem();
	list->units[list->n++] = *u;
	return NULL;
}

static struct sm_error *read_units(
	const struct dwarf_file *file, const struct sm_log *log, struct unit_list *list)
{
	struct unit_sets sets = {0};
	struct sm_error *err = NULL;
	uint64_t offset = 0, next;

	while (!err && file->info.len - offset >= 4) {
		struct dwarf_unit u;

		if (read_unit(file, offset, &next, &u)) {
			err = add_unit(list, &u);
		} else if (next - offset > 4) {
			uint64_t found = find_unit(file, list, offset, &sets);

			sm_log(log, SM_DEBUG,
				"'%s': skipped what is at 0x%llx of .debug_info: no unit",
				file->obj->path, (unsigned long long)offset);
			if (found < offset)
				list->units[list->n - 1].end = found;
			if (found < next)
				next = found;
		}
		offset = next;
	}
	free(sets.offsets);
	return err;
}

struct dwarf_unit *sm_dwarf_unit_of(struct dwarf *d, uint64_t offset)
{
	bool alt = offset & DWARF_ALT;
	struct dwarf_unit *units = alt ? d->priv->alt_units : d->units;
	size_t low = 0, high = alt ? d->priv->nalt : d->nunits;

	offset &= ~DWARF_ALT;
	/* The last that begins at or before it */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (units[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || offset < units[low - 1].root || offset >= units[low - 1].end)
		return NULL;
	return &units[low - 1];
}

/* ---- root DIEs ---- */

static bool is_offset(const struct dwarf_value *v)
{
	return v->kind == DWARF_OFFSET || v->kind == DWARF_CONSTANT;
}

/* What others are relative to, and may come after them. */
static void take_base(struct dwarf_unit *u, uint64_t attr, const struct dwarf_value *v)
{
	if (!is_offset(v))
		return;
	switch (attr) {
	case DW_AT_str_offsets_base:
		u->str_offsets_base = v->u;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		u->addr_base = v->u;
		break;
	case DW_AT_rnglists_base:
		u->rnglists_base = v->u;
		break;
	}
}

static void take_attr(
	struct dwarf_unit *u, uint64_t attr, const struct dwarf_value *v, bool *high_is_size)
{
	switch (attr) {
	case DW_AT_name:
		u->name = v->kind == DWARF_STRING ? v->s : NULL;
		break;
	case DW_AT_comp_dir:
		u->comp_dir = v->kind == DWARF_STRING ? v->s : NULL;
		break;
	case DW_AT_language:
		u->language = v->kind == DWARF_CONSTANT ? (uint16_t)v->u : 0;
		break;
	case DW_AT_stmt_list:
		u->has_line = is_offset(v);
		u->stmt_list = v->u;
		break;
	case DW_AT_low_pc:
		u->has_low_pc = v->kind == DWARF_ADDRESS;
		u->low_pc = v->u;
		break;
	case DW_AT_high_pc:
		u->high_pc = v->kind == DWARF_ADDRESS || v->kind == DWARF_CONSTANT ? v->u : 0;
		*high_is_size = v->kind == DWARF_CONSTANT;
		break;
	case DW_AT_ranges:
		u->has_ranges = is_offset(v);
		u->ranges = v->u;
		break;
	}
}

/* Both passes read the same attributes: the first takes the bases. */
static bool read_root(
	const struct dwarf *d, struct dwarf_unit *u, const struct unit_copy *copy, bool bases)
{
	bool high_is_size = false;
	struct die_reader r;

	if (!sm_dwarf_die_begin(&r, u, u->root, copy))
		return false;
	while (sm_dwarf_die_next(&r)) {
		struct dwarf_value v;

		sm_dwarf_die_read(d, &r, &v);
		if (r.b.bad)
			break;
		if (bases)
			take_base(u, r.attr, &v);
		else
			take_attr(u, r.attr, &v, &high_is_size);
	}
	if (r.b.bad)
		return false;
	u->tag = (uint16_t)r.tag;
	u->children = r.children ? sm_dwarf_die_offset(&r) : 0;
	if (high_is_size)
		u->high_pc += u->low_pc;
	if (!u->has_low_pc || u->high_pc <= u->low_pc)
		u->high_pc = 0;
	return true;
}

/* Reads no more than this, and parses no table: where of all units only the roots are asked for,
 * that would cost more than all the rest. */
static bool load_quickly(const struct dwarf *d, struct dwarf_unit *u)
{
	const struct dwarf_section *info = &u->file->info, *abbrev = &u->file->abbrev;
	uint8_t head[ROOT_USUAL], abbrevs[ABBREVS_USUAL];
	struct unit_copy copy = {.u = u, .len = sizeof(head), .abbrevs_len = sizeof(abbrevs)};

	if (copy.len > u->end - u->offset)
		copy.len = (size_t)(u->end - u->offset);
	if (sm_object_copy(u->file->obj, info->data + u->offset, copy.len, head))
		copy.data = head;
	if (copy.abbrevs_len > abbrev->len - u->abbrev_offset)
		copy.abbrevs_len = (size_t)(abbrev->len - u->abbrev_offset);
	if (!sm_dwarf_abbrevs_known(u)) {
		copy.abbrevs = abbrev->data + u->abbrev_offset;
		if (sm_object_copy(u->file->obj, copy.abbrevs, copy.abbrevs_len, abbrevs))
			copy.abbrevs = abbrevs;
	}
	return read_root(d, u, &copy, true) && read_root(d, u, &copy, false);
}

static bool load(const struct dwarf *d, struct dwarf_unit *u)
{
	return load_quickly(d, u) || (read_root(d, u, NULL, true) && read_root(d, u, NULL, false));
}

/* Other threads may read the rest of a unit meanwhile: only what the root DIE says is written. */
struct sm_error *sm_dwarf_unit_load(struct dwarf *d, struct dwarf_unit *u)
{
	struct dwarf_unit copy;

	if (__atomic_load_n(&u->loaded, __ATOMIC_ACQUIRE))
		return NULL;
	pthread_mutex_lock(&d->priv->load_lock);
	if (u->loaded) {
		pthread_mutex_unlock(&d->priv->load_lock);
		return NULL;
	}
	copy = *u;
	if (!load(d, &copy)) {
		pthread_mutex_unlock(&d->priv->load_lock);
		return sm_error_at(SM_E_FORMAT, u->file->obj->path, u->offset,
			"bad unit in .debug_info", "its first DIE makes no sense");
	}
	memcpy((char *)u + UNIT_HEAD, (const char *)&copy + UNIT_HEAD, sizeof(copy) - UNIT_HEAD);
	__atomic_store_n(&u->loaded, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&d->priv->load_lock);
	return NULL;
}

/* ---- files ---- */

static struct sm_error *read_section(
	struct object *obj, const char *name, struct dwarf_section *section)
{
	const struct object_section *s = sm_object_section(obj, name);

	*section = (struct dwarf_section){0};
	return s ? sm_object_data(obj, s, &section->data, &section->len) : NULL;
}

/* A section that can't be read costs what needs it. */
static void read_optional(struct object *obj, const char *name, const struct sm_log *log,
	struct dwarf_section *section)
{
	struct sm_error *err = read_section(obj, name, section);

	if (!err)
		return;
	sm_log_error(log, SM_WARN, err, ": names or lines may be missing");
	*section = (struct dwarf_section){0};
}

/* So that each offset within is that of a string. */
static void end_in_nul(struct dwarf_section *section)
{
	const uint8_t *nul = section->data ? memrchr(section->data, 0, section->len) : NULL;

	section->len = nul ? (size_t)(nul + 1 - section->data) : 0;
	if (!nul)
		section->data = NULL;
}

static struct sm_error *read_sections(
	struct dwarf_file *f, struct object *obj, const struct sm_log *log)
{
	struct sm_error *err;

	f->obj = obj;
	f->swap = obj->swap;
	err = read_section(obj, ".debug_info", &f->info);
	if (!err)
		err = read_section(obj, ".debug_abbrev", &f->abbrev);
	if (err || !f->info.data)
		return err;
	read_optional(obj, ".debug_str", log, &f->str);
	read_optional(obj, ".debug_line", log, &f->line);
	read_optional(obj, ".debug_line_str", log, &f->line_str);
	read_optional(obj, ".debug_ranges", log, &f->ranges);
	read_optional(obj, ".debug_rnglists", log, &f->rnglists);
	read_optional(obj, ".debug_addr", log, &f->addr);
	read_optional(obj, ".debug_str_offsets", log, &f->str_offsets);
	read_optional(obj, ".debug_aranges", log, &f->aranges);
	end_in_nul(&f->str);
	end_in_nul(&f->line_str);
	return NULL;
}

static void find_code(const struct object *obj, struct dwarf_private *priv)
{
	priv->code_start = UINT64_MAX;
	for (size_t i = 0; i < obj->nsections; i++) {
		const struct object_section *s = &obj->sections[i];

		if ((s->flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) ||
			!s->size || s->size > UINT64_MAX - s->addr)
			continue;
		if (s->addr < priv->code_start)
			priv->code_start = s->addr;
		if (s->addr + s->size > priv->code_end)
			priv->code_end = s->addr + s->size;
	}
	/* No section says: all but what tells dropped code */
	if (!priv->code_end) {
		priv->code_start = 1;
		priv->code_end = obj->addr_size == 8 ? UINT64_MAX - 1 : UINT32_MAX - 1;
	}
	if (!priv->code_start)
		priv->code_start = 1;
}

static struct sm_error *open_file(struct dwarf_file *f, struct object *obj,
	const struct sm_log *log, struct dwarf_unit **units, size_t *n)
{
	struct unit_list list = {0};
	struct sm_error *err = read_sections(f, obj, log);

	if (!err && f->info.data && f->abbrev.data)
		err = read_units(f, log, &list);
	*units = list.units;
	*n = list.n;
	return err ? err : sm_dwarf_tables_new(f, list.units, list.n);
}

struct sm_error *sm_dwarf_open(
	struct object *obj, struct object *alt, const struct sm_log *log, struct dwarf **dwarf)
{
	struct dwarf *d = calloc(1, sizeof(*d));
	struct sm_error *err;

	*dwarf = NULL;
	if (!d)
		return sm_error_nomem();
	d->log = log;
	d->priv = calloc(1, sizeof(*d->priv));
	if (!d->priv) {
		free(d);
		return sm_error_nomem();
	}
	pthread_mutex_init(&d->priv->lock, NULL);
	pthread_mutex_init(&d->priv->load_lock, NULL);
	find_code(obj, d->priv);
	err = open_file(&d->main, obj, log, &d->units, &d->nunits);
	if (!err && alt && d->main.info.data)
		err = open_file(&d->alt, alt, log, &d->priv->alt_units, &d->priv->nalt);
	if (err || !d->main.info.data)
		sm_dwarf_free(d);
	else
		*dwarf = d;
	return err;
}

void sm_dwarf_free(struct dwarf *d)
{
	if (!d)
		return;
	sm_dwarf_tables_free(d->main.tables);
	sm_dwarf_tables_free(d->alt.tables);
	free(d->units);
	free(d->priv->alt_units);
	free(d->priv->aranges.items);
	free(d->priv->own.items);
	free(d->priv->listed);
	free(d->priv->top);
	free(d->priv->build[0]);
	free(d->priv->build[1]);
	pthread_mutex_destroy(&d->priv->lock);
	pthread_mutex_destroy(&d->priv->load_lock);
	free(d->priv);
	free(d);
}

size_t sm_dwarf_units(const struct dwarf *d)
{
	return d->nunits;
}

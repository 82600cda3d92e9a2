/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events/SYSTEM/EVENT/format: what the fields of a record are, by the kernel's own description. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

struct text {
	const char *pos, *end;
};

static bool next_line(struct text *t, const char **line, size_t *len)
{
	const char *nl;

	if (t->pos >= t->end)
		return false;
	*line = t->pos;
	nl = memchr(t->pos, '\n', (size_t)(t->end - t->pos));
	*len = (size_t)((nl ? nl : t->end) - t->pos);
	t->pos += *len + 1;
	return true;
}

static bool starts_with(const char *s, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && memcmp(s, prefix, n) == 0;
}

/* The number behind `key` ("offset:") in a field line; false when it isn't there or too large. */
static bool number_after(const char *line, size_t len, const char *key, uint64_t max, uint64_t *v)
{
	const char *p = memmem(line, len, key, strlen(key)), *end = line + len;
	uint64_t n = 0;
	bool any = false;

	if (!p)
		return false;
	for (p += strlen(key); p < end && *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		any = true;
		if (n > max)
			return false;
	}
	*v = n;
	return any;
}

static bool is_name_char(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/* Splits the declaration "unsigned long caller[8]" into type and name. */
static bool split_declaration(
	struct sm_arena *arena, const char *decl, size_t len, struct sm_field *f)
{
	const char *end = decl + len, *name_end, *name;

	while (end > decl && end[-1] == ' ')
		end--;
	name_end = end;
	if (name_end > decl && name_end[-1] == ']') {
		while (name_end > decl && *--name_end != '[')
			;
		f->is_array = true;
	}
	name = name_end;
	while (name > decl && is_name_char(name[-1]))
		name--;
	if (name == name_end)
		return false;
	f->name = sm_arena_strndup(arena, name, (size_t)(name_end - name));
	while (name > decl && name[-1] == ' ')
		name--;
	f->type = sm_arena_strndup(arena, decl, (size_t)(name - decl));
	if (!f->name || !f->type)
		return false;
	f->is_dynamic = strncmp(f->type, "__data_loc", 10) == 0;
	f->is_relative = strncmp(f->type, "__rel_loc", 9) == 0;
	return true;
}

/* "\tfield:TYPE NAME;\toffset:N;\tsize:N;\tsigned:N;" (signed is absent on old kernels) */
bool sm_field_parse(struct sm_arena *arena, const char *line, size_t len, struct sm_field *f)
{
	const char *decl = memmem(line, len, "field:", 6), *semi;
	uint64_t offset, size, sign = 0;

	memset(f, 0, sizeof(*f));
	if (!decl)
		return false;
	decl += 6;
	semi = memchr(decl, ';', (size_t)(line + len - decl));
	if (!semi)
		return false;
	if (!number_after(semi, (size_t)(line + len - semi), "offset:", UINT16_MAX, &offset) ||
		!number_after(semi, (size_t)(line + len - semi), "size:", UINT32_MAX, &size))
		return false;
	if (!number_after(semi, (size_t)(line + len - semi), "signed:", 1, &sign))
		sign = 0;
	f->offset = (uint16_t)offset;
	f->size = (uint32_t)size;
	f->is_signed = sign != 0;
	return split_declaration(arena, decl, (size_t)(semi - decl), f);
}

static const struct {
	const char *system, *name;
	enum sm_event_kind kind;
} KINDS[] = {
	{"kmem", "kmalloc", SM_EV_SLAB_ALLOC},
	{"kmem", "kmalloc_node", SM_EV_SLAB_ALLOC},
	{"kmem", "kmem_cache_alloc", SM_EV_SLAB_ALLOC},
	{"kmem", "kmem_cache_alloc_node", SM_EV_SLAB_ALLOC},
	{"kmem", "kfree", SM_EV_SLAB_FREE},
	{"kmem", "kmem_cache_free", SM_EV_SLAB_FREE},
	{"kmem", "mm_page_alloc", SM_EV_PAGE_ALLOC},
	{"kmem", "mm_page_free", SM_EV_PAGE_FREE},
	{"kmem", "mm_page_free_batched", SM_EV_PAGE_FREE_BATCHED},
	{"ftrace", "kernel_stack", SM_EV_KERNEL_STACK},
	{"ftrace", "stack_id", SM_EV_STACK_ID},
	{"ftrace", "user_stack", SM_EV_USER_STACK},
};

static enum sm_event_kind kind_of(const char *system, const char *name)
{
	for (size_t i = 0; i < SM_ARRAY_SIZE(KINDS); i++)
		if (strcmp(KINDS[i].name, name) == 0 && strcmp(KINDS[i].system, system) == 0)
			return KINDS[i].kind;
	return SM_EV_OTHER;
}

struct sm_error *sm_event_type_parse(struct sm_arena *arena, const char *path, const char *system,
	const char *data, size_t len, unsigned long_size, struct sm_event_type *type)
{
	struct text t = {data, data + len};
	struct sm_field fields[256], *copy;
	const char *line;
	size_t n, nfields = 0;
	bool in_common = true, has_id = false;
	uint64_t id = 0;

	memset(type, 0, sizeof(*type));
	while (next_line(&t, &line, &n)) {
		if (starts_with(line, n, "name: ")) {
			type->name = sm_arena_strndup(arena, line + 6, n - 6);
		} else if (starts_with(line, n, "ID: ")) {
			has_id = number_after(line, n, "ID: ", UINT16_MAX, &id);
		} else if (starts_with(line, n, "print fmt: ")) {
			/* The rest of the file: a print fmt can hold line breaks. */
			type->print_fmt = sm_arena_strndup(
				arena, line + 11, (size_t)(data + len - line) - 11);
			break;
		} else if (starts_with(line, n, "\tfield:")) {
			if (nfields == SM_ARRAY_SIZE(fields))
				return sm_error_at(SM_E_FORMAT, path, (uint64_t)(line - data),
					"event format with too many fields", "more than %zu",
					SM_ARRAY_SIZE(fields));
			if (!sm_field_parse(arena, line, n, &fields[nfields]))
				return sm_error_at(SM_E_FORMAT, path, (uint64_t)(line - data),
					"event format with a field that makes no sense",
					"copy the file again");
			nfields++;
			if (in_common)
				type->ncommon = (uint32_t)nfields;
		} else if (n == 0 && nfields) {
			in_common = false;
		}
	}
	if (!type->name || !has_id || nfields == 0)
		return sm_error_at(SM_E_FORMAT, path, 0, "not an event format",
			"name, ID or fields are missing; copy the file again");
	copy = sm_arena_alloc(arena, nfields * sizeof(*copy));
	type->system = sm_arena_strndup(arena, system, strlen(system));
	if (!copy || !type->system)
		return sm_error_nomem();
	memcpy(copy, fields, nfields * sizeof(*copy));
	type->fields = copy;
	type->nfields = (uint32_t)nfields;
	type->id = (uint16_t)id;
	type->kind = kind_of(system, type->name);
	if (type->print_fmt && sm_event_type_field(type, "gfp_flags") &&
		!sm_gfp_names_parse(arena, type->print_fmt, long_size, &type->gfp, &type->ngfp))
		return sm_error_nomem();
	return NULL;
}

const struct sm_field *sm_event_type_field(const struct sm_event_type *type, const char *name)
{
	for (uint32_t i = 0; i < type->nfields; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return &type->fields[i];
	return NULL;
}

bool sm_event_type_matches(const struct sm_event_type *type, const char *pattern)
{
	const char *colon = strchr(pattern, ':');
	char system[64];

	if (!colon)
		return fnmatch(pattern, type->name, 0) == 0;
	if ((size_t)(colon - pattern) >= sizeof(system))
		return false;
	memcpy(system, pattern, (size_t)(colon - pattern));
	system[colon - pattern] = '\0';
	return fnmatch(system, type->system, 0) == 0 && fnmatch(colon + 1, type->name, 0) == 0;
}

uint64_t sm_field_load(const uint8_t *p, unsigned size, bool is_signed, bool swap)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)p[0] : p[0];
	case 2: {
		uint16_t v = sm_load16(p, swap);

		return is_signed ? (uint64_t)(int64_t)(int16_t)v : v;
	}
	case 4: {
		uint32_t v = sm_load32(p, swap);

		return is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
	}
	case 8:
		return sm_load64(p, swap);
	default:
		return 0;
	}
}

static bool is_char_type(const char *type)
{
	return strstr(type, "char") != NULL;
}

static void format_bytes(const uint8_t *p, size_t len, struct sm_buf *buf)
{
	sm_buf_adds(buf, "{");
	for (size_t i = 0; i < len && i < 256; i++)
		sm_buf_addf(buf, i ? ",%x" : "%x", p[i]);
	sm_buf_adds(buf, len > 256 ? ",...}" : "}");
}

static void format_number(
	const struct sm_event_type *type, const struct sm_field *f, uint64_t v, struct sm_buf *buf)
{
	if (!strcmp(f->name, "gfp_flags") && (type->ngfp || type->gfp_whole))
		sm_gfp_format(type->gfp, type->ngfp, v, buf);
	else if (strchr(f->type, '*') || !strcmp(f->name, "call_site") || !strcmp(f->name, "pfn"))
		sm_buf_addf(buf, "0x%llx", (unsigned long long)v);
	else if (f->is_signed)
		sm_buf_addf(buf, "%lld", (long long)v);
	else
		sm_buf_addf(buf, "%llu", (unsigned long long)v);
}

void sm_event_format_field(const struct sm_trace *trace, const struct sm_event_type *type,
	const struct sm_field *f, const uint8_t *payload, size_t len, struct sm_buf *buf)
{
	bool swap = trace->layout.swap;
	size_t off = f->offset, size = f->size;

	if (off + size > len) {
		sm_buf_adds(buf, "?");
		return;
	}
	if ((f->is_dynamic || f->is_relative) && size == 4) {
		uint32_t loc = sm_load32(payload + off, swap);

		size = loc >> 16;
		off = (loc & 0xffff) + (f->is_relative ? f->offset + 4u : 0u);
		if (off + size > len) {
			sm_buf_adds(buf, "?");
			return;
		}
	} else if (!f->is_array && (size == 1 || size == 2 || size == 4 || size == 8)) {
		format_number(type, f,
			sm_field_load(payload + off, (unsigned)size, f->is_signed, swap), buf);
		return;
	} else if (!f->is_array) {
		format_bytes(payload + off, size, buf);
		return;
	}
	if (is_char_type(f->type))
		sm_buf_add_visible(buf, (const char *)payload + off,
			strnlen((const char *)payload + off, size));
	else
		format_bytes(payload + off, size, buf);
}

void sm_event_format_fields(const struct sm_trace *trace, const struct sm_event_type *type,
	const uint8_t *payload, size_t len, struct sm_buf *buf)
{
	for (uint32_t i = type->ncommon; i < type->nfields; i++) {
		sm_buf_addf(buf, " %s=", type->fields[i].name);
		sm_event_format_field(trace, type, &type->fields[i], payload, len, buf);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a frame is called, as JSON. */
#include "fragments.h"

/* The symbol that the kernel's own %pS would show. */
static bool find_shown(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym)
{
	if (!syms || !sm_symbols_find(syms, ip, sym))
		return false;
	if (sym->module && !strncmp(sym->module, "__builtin__", 11)) {
		*sym = (struct sm_symbol){0};
		return false;
	}
	if (sym->module && !strcmp(sym->module, "bpf"))
		sym->module = NULL;
	return true;
}

void sm_ip_json(struct sm_json *j, const char *key, const struct sm_symbols *syms, uint64_t ip)
{
	uint64_t shown = sm_symbols_shown_address(syms, ip);

	if (shown || !ip)
		sm_json_hex(j, key, shown);
	else
		sm_json_null(j, key);
}

void sm_frame_json_members(
	struct sm_json *j, const struct sm_symbols *syms, uint64_t ip, enum sm_address kind)
{
	const struct sm_line *lines = NULL;
	struct sm_symbol sym;
	size_t n = syms ? sm_symbols_lines(syms, ip, kind, &lines) : 0;

	sm_ip_json(j, "ip", syms, ip);
	if (find_shown(syms, ip, &sym)) {
		sm_json_str(j, "symbol", sym.name);
		if (sm_symbols_tag(syms, ip))
			sm_json_null(j, "offset");
		else
			sm_json_u64(j, "offset", sym.offset);
		if (sym.size)
			sm_json_u64(j, "size", sym.size);
		else
			sm_json_null(j, "size");
		sm_json_str(j, "module", sym.module);
	} else {
		sm_json_null(j, "symbol");
		sm_json_null(j, "offset");
		sm_json_null(j, "size");
		sm_json_null(j, "module");
	}
	sm_json_array(j, "lines");
	for (size_t i = 0; i < n; i++)
		sm_line_json(j, NULL, &lines[i]);
	sm_json_array_end(j);
}

void sm_line_json(struct sm_json *j, const char *key, const struct sm_line *line)
{
	sm_json_object(j, key);
	sm_json_str(j, "function", line->function);
	sm_json_str(j, "file", line->file);
	if (line->line)
		sm_json_u64(j, "line", line->line);
	else
		sm_json_null(j, "line");
	sm_json_object_end(j);
}

void sm_frame_json(struct sm_json *j, const struct sm_symbols *syms, uint64_t ip)
{
	sm_json_object(j, NULL);
	sm_frame_json_members(j, syms, ip, SM_ADDRESS_RETURN);
	sm_json_object_end(j);
}

void sm_frames_json(struct sm_json *j, const char *key, const struct sm_symbols *syms,
	const uint64_t *ips, uint32_t depth)
{
	sm_json_array(j, key);
	for (uint32_t i = 0; i < depth && !sm_out_failed(j->out); i++)
		sm_frame_json(j, syms, ips[i]);
	sm_json_array_end(j);
}

void frame_text(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf)
{
	if (syms)
		sm_symbols_format(syms, ip, buf);
	else if (ip == SM_TRAMPOLINE)
		sm_buf_adds(buf, "[FTRACE TRAMPOLINE]");
	else
		sm_buf_addf(buf, "0x%llx", (unsigned long long)ip);
}

void frame_function(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf)
{
	struct sm_symbol sym;

	if (sm_is_named(ip) && syms && sm_symbols_find_caller(syms, ip, &sym))
		sm_buf_add_visible(buf, sym.name, strlen(sym.name));
	else if (ip != SM_TRAMPOLINE && !sm_is_named(ip) &&
		 ((ip && find_shown(syms, ip - 1, &sym)) || find_shown(syms, ip, &sym)))
		sm_buf_add_visible(buf, sym.name, strlen(sym.name));
	else
		frame_text(syms, ip, buf);
}

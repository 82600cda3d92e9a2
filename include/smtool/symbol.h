/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: addresses to names. Here: kallsyms, the modules' ranges and build ids of a capture.
 */
#ifndef SMTOOL_SYMBOL_H
#define SMTOOL_SYMBOL_H

#include <smtool/base.h>
#include <smtool/source.h>

struct sm_symbols_opts {
	const char *kallsyms; /* a file that replaces the capture's; NULL = the capture's */
	bool none;            /* addresses only */
	const struct sm_log *log;
};

struct sm_symbols;

/* One address. What is unknown is NULL or 0. Strings live as long as the symbols, NUL-terminated,
 * and are untrusted text. */
struct sm_symbol {
	const char *name;
	const char *module; /* NULL = the kernel itself (or unknown, where name is NULL too) */
	uint64_t start, offset, size; /* offset of the address from start; may equal size for a call
					 that is a function's last instruction */
};

/*
 * Loads what `src` (may be NULL) has: proc/kallsyms, proc/modules, sys/kernel/notes,
 * sys/module/NAME/notes. A missing or restricted (all-zero) kallsyms isn't an error:
 * sm_symbols_trouble() says so in a line for the report, once, and addresses stay hex. With
 * opts->kallsyms a fault is an error.
 */
struct sm_error *sm_symbols_open(const struct sm_source *src, const struct sm_symbols_opts *opts,
	struct sm_symbols **syms) SM_MUST_CHECK;
void sm_symbols_free(struct sm_symbols *syms);
/* NULL, or why there are no names (borrowed). */
const char *sm_symbols_trouble(const struct sm_symbols *syms);
size_t sm_symbols_count(const struct sm_symbols *syms);

/* As the kernel's %pS: the symbol that holds the address itself. False when there is none. Never
 * symbolizes SM_TRAMPOLINE. */
bool sm_symbols_find(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym);
/* Of a return address: the function that made the call (that of ip - 1), with ip's own offset. */
bool sm_symbols_find_caller(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym);
/* Runtime address of a kernel (not module) symbol such as _stext; 0 = unknown. */
uint64_t sm_symbols_address(const struct sm_symbols *syms, const char *name);
/* Appends the kernel's %pS text: name+0xoff/0xsize [module], 0x... where unknown, "[FTRACE
 * TRAMPOLINE]" for the marker. Control characters visible. As in the kernel, a BPF program gets no
 * " [bpf]", and the pages of ftrace and kprobes ("__builtin__ftrace" as sm_symbols_find()'s module)
 * stay 0x...; without a known size, "/0xsize" is left out. */
void sm_symbols_format(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf);

/* Hex string of the running kernel's build id (NULL module), or a module's; NULL = unknown. */
const char *sm_symbols_build_id(const struct sm_symbols *syms, const char *module);
/* Finds the NT_GNU_BUILD_ID of the notes in `data`; writes lower-case hex; false when there is
 * none. */
bool sm_build_id_parse(const void *data, size_t len, bool swap, struct sm_buf *hex);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the operands in a relocatable object's code refer to, which is in its relocations alone. */
#ifndef SMTOOL_SYMBOL_OPERAND_H
#define SMTOOL_SYMBOL_OPERAND_H

#include "object.h"

struct operand {
	uint64_t offset; /* of the field in the section */
	int64_t addend;
	uint32_t type;
	uint32_t symbol; /* in the table */
	uint32_t table;  /* index of the section that has it */
};

/* Of one section, sorted by offset. Zero-initialise; free with sm_operands_release(). */
struct operands {
	struct operand *items;
	size_t n, cap;
};

/* Those of a section in place of what was there. None where the object isn't relocatable; those
 * that can't be read are missing. The only error is SM_E_NOMEM. */
struct sm_error *sm_operands_read(struct operands *o, const struct object *obj,
	const struct object_section *section) SM_MUST_CHECK;
void sm_operands_release(struct operands *o);
/* The first in [offset, offset + len); NULL = none. */
const struct operand *sm_operands_find(const struct operands *o, uint64_t offset, uint64_t len);

/* Writes "name+0x10" of it, "?" where there is no name, in place of what `text` has. `next` is
 * where in the section the instruction ends, from which x86-64's relative fields count. Where it
 * lies in the object, *target is its image address, and true is returned. */
bool sm_operand_resolve(const struct object *obj, const struct operand *operand, uint64_t next,
	struct sm_buf *text, uint64_t *target);

#endif

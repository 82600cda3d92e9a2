/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's image with each of its sections where the kernel has put it. */
#ifndef SMTOOL_SYMBOL_PLACEMENT_H
#define SMTOOL_SYMBOL_PLACEMENT_H

#include "address_space.h"

struct placed_module;

/* Opens the image, if its file is found; what is wrong with it is logged, and it has none then.
 * NULL when memory is short. */
struct placed_module *sm_placed_module_new(const struct address_space_opts *opts, const char *name);
void sm_placed_module_free(struct placed_module *mod);
const char *sm_placed_module_name(const struct placed_module *mod);
const char *sm_placed_module_path(const struct placed_module *mod); /* NULL = no file */
bool sm_placed_module_locate(struct placed_module *mod, uint64_t ip, struct location *where);
uint64_t sm_placed_module_run_time(
	const struct placed_module *mod, const struct location *where, uint64_t addr);

#endif

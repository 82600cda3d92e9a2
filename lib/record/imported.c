/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include <smtool/imported.h>

void sm_imported_free(struct sm_imported *imported)
{
	if (!imported)
		return;
	for (size_t i = 0; imported->spreads && i < imported->nrows; i++)
		sm_spread_release(&imported->spreads[i]);
	free(imported->spreads);
	sm_spread_release(&imported->total);
	free(imported->rows);
	free(imported);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SM_VIEW_PLOT_AXIS_H
#define SM_VIEW_PLOT_AXIS_H

#include "plot.h"

/* The end of an axis that holds `most`, and the steps between its labels: round ones, and fewer of
 * them than `labels`, which is 2 at least. */
void axis_scale(uint64_t most, bool bytes, unsigned labels, uint64_t *top, uint64_t *step);
/* A round number of ns, such that at most `n` of them fit `window`. */
uint64_t axis_time_step(uint64_t window, uint64_t n);
/* `ns` in seconds, with as many digits as `step` needs. */
void axis_time_text(uint64_t ns, uint64_t step, struct sm_buf *buf);

/* What is left of the columns in a row. */
void axis_label(struct plot *p, uint64_t row);
/* All that is below the columns. */
void axis_draw(struct plot *p);

#endif

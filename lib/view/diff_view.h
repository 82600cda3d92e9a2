/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways to write a comparison. */
#ifndef SM_VIEW_DIFF_VIEW_H
#define SM_VIEW_DIFF_VIEW_H

#include <smtool/view.h>

void sm_diff_text(const struct sm_diff *d, const struct sm_diff_style *style, struct sm_out *out);
void sm_diff_json(const struct sm_diff *d, const struct sm_diff_style *style, struct sm_out *out);
void sm_diff_jsonl(const struct sm_diff *d, const struct sm_diff_style *style, struct sm_out *out);
void sm_diff_csv(const struct sm_diff *d, const struct sm_diff_style *style, struct sm_out *out);

/* Tells each input's symbols which addresses are shown. A lack of memory is the output's error. */
void sm_diff_prepare(const struct sm_diff *d, bool suppressed, struct sm_out *out);

/* A little picture of n values, at most so wide. */
#define SPARKLINE_WIDTH 32
void sparkline_add(const double *values, size_t n, bool unicode, struct sm_buf *buf);

#endif

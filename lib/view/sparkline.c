/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_view.h"

void sparkline_add(const double *values, size_t n, bool unicode, struct sm_buf *buf)
{
	static const char *const BLOCKS[] = {
		"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
	static const char *const LETTERS[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
	const char *const *steps = unicode ? BLOCKS : LETTERS;
	size_t width = n < SPARKLINE_WIDTH ? n : SPARKLINE_WIDTH;
	double min = values[0], max = values[0];

	for (size_t i = 1; i < n; i++) {
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
	}
	for (size_t i = 0; i < width; i++) {
		size_t from = n * i / width, to = n * (i + 1) / width, step = 0;
		double most = values[from];

		for (size_t k = from + 1; k < to; k++)
			most = values[k] > most ? values[k] : most;
		if (max > min)
			step = (size_t)((most - min) / (max - min) * 7 + 0.5);
		sm_buf_adds(buf, steps[step < 7 ? step : 7]);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export.h"

const struct sm_export_format sm_export_formats[] = {
	{.name = "pprof",
		.ending = ".pb.gz",
		.binary = true,
		.diff = true,
		.labels = true,
		.write = export_pprof},
	{.name = "folded", .ending = ".folded", .diff = true, .root = true, .write = export_folded},
	{.name = "speedscope",
		.ending = ".speedscope.json",
		.root = true,
		.write = export_speedscope},
	{.name = "firefox",
		.ending = ".json.gz",
		.binary = true,
		.diff = true,
		.root = true,
		.write = export_firefox},
	{.name = "rows"},
	{.name = "svg", .ending = ".svg", .diff = true, .root = true, .write = export_svg},
	{.name = NULL},
};

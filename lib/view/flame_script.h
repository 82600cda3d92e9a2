/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SM_VIEW_FLAME_SCRIPT_H
#define SM_VIEW_FLAME_SCRIPT_H

extern const char FLAME_STYLE[], FLAME_SCRIPT[];

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_BASE_INTERNAL_H
#define SMTOOL_BASE_INTERNAL_H

#include <smtool/base.h>

/* Bytes at the start of `s` that are printable ASCII, at most `len`. */
size_t sm_ascii_span(const uint8_t *s, size_t len);

/* Length (2 to 4) of the UTF-8 character beyond ASCII at `s`, and its code point; 0 when the bytes
 * there aren't one: an overlong form, a surrogate, a value past U+10FFFF, or cut off at `len`. */
size_t sm_utf8_decode(const uint8_t *s, size_t len, uint32_t *code);

/* Bytes at the start of `s` that a terminal may see as they are: printable ASCII, and valid UTF-8
 * but for C1. */
size_t sm_visible_span(const uint8_t *s, size_t len);

/* "\xNN" for `byte`, not NUL-terminated. */
void sm_hex_escape(uint8_t byte, char text[4]);

/* Decimal digits of `v`, right-aligned in `text`; returns where they begin. */
#define SM_U64_DIGITS 20
size_t sm_u64_digits(uint64_t v, char text[SM_U64_DIGITS]);
/* "0x" and the hexadecimal digits of `v`; returns the length. */
#define SM_U64_HEX 18
size_t sm_u64_hex(uint64_t v, char text[SM_U64_HEX]);

#endif

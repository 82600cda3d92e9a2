/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "frame_number.h"

#define FIRST_SLOTS 1024

uint32_t sm_function_number(struct function_names *names, const char *function, const char *module)
{
	struct sm_buf *text = &names->scratch;

	sm_buf_reset(text);
	sm_buf_adds(text, function);
	sm_buf_addc(text, '\0');
	sm_buf_adds(text, module);
	return text->failed ? NO_NUMBER : sm_strings_add(&names->texts, text->data, text->len);
}

void sm_function_names_release(struct function_names *names)
{
	sm_strings_release(&names->texts);
	sm_buf_release(&names->scratch);
}

static bool grow(struct frame_numbers *f)
{
	struct frame_numbers bigger = *f;

	bigger.nslots = f->nslots ? f->nslots * 2 : FIRST_SLOTS;
	bigger.slots = calloc(bigger.nslots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	sm_huge_hint(bigger.slots, bigger.nslots * sizeof(*bigger.slots));
	for (size_t i = 0; i < f->nslots; i++) {
		size_t at = frame_home(&bigger, f->slots[i].ip);

		if (!f->slots[i].number_plus_1)
			continue;
		while (bigger.slots[at].number_plus_1)
			at = (at + 1) & (bigger.nslots - 1);
		bigger.slots[at] = f->slots[i];
	}
	free(f->slots);
	*f = bigger;
	return true;
}

uint32_t sm_frame_number_new(struct frame_numbers *f, uint64_t ip)
{
	struct frame_text text;
	uint32_t number;
	size_t i;

	if (f->n * 2 >= f->nslots && !grow(f))
		return NO_NUMBER;
	sm_frame_text(f->syms, ip, &text);
	number = sm_function_number(f->names, text.function, text.module);
	if (number == NO_NUMBER)
		return NO_NUMBER;
	for (i = frame_home(f, ip); f->slots[i].number_plus_1; i = (i + 1) & (f->nslots - 1))
		;
	f->slots[i] = (struct frame_slot){.ip = ip, .number_plus_1 = number + 1};
	f->n++;
	return number;
}

void sm_frame_numbers_release(struct frame_numbers *f)
{
	free(f->slots);
	f->slots = NULL;
	f->n = f->nslots = 0;
}

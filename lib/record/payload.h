/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading what a plan names from a record's payload. Callers check plan->min_len first; `swap` is a
 * constant to the compiler. */
#ifndef SM_RECORD_PAYLOAD_H
#define SM_RECORD_PAYLOAD_H

#include "internal.h"

/* common_flags: what tells contexts apart */
#define CONTEXT_FLAGS (0x08 | 0x10 | 0x40)

#define HOT static inline __attribute__((always_inline))

HOT uint64_t load_ref(const struct field_ref *ref, const uint8_t *payload, bool swap)
{
	/* The common cases first. */
	if (ref->size == 8)
		return sm_load64(payload + ref->offset, swap);
	if (!ref->size)
		return 0;
	if (ref->size == 4) {
		uint32_t v = sm_load32(payload + ref->offset, swap);

		return ref->is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
	}
	return sm_field_load(payload + ref->offset, ref->size, ref->is_signed, swap);
}

/* The common fields, which every record has. */
struct common {
	int32_t pid;
	uint8_t flags, preempt;
};

HOT struct common load_common(const struct type_plan *plan, const uint8_t *payload, bool swap)
{
	if (plan->usual)
		return (struct common){
			.pid = (int32_t)sm_load32(payload + 4, swap),
			.flags = payload[2],
			.preempt = payload[3],
		};
	return (struct common){
		.pid = (int32_t)load_ref(&plan->pid, payload, swap),
		.flags = (uint8_t)load_ref(&plan->flags, payload, swap),
		.preempt = (uint8_t)load_ref(&plan->preempt, payload, swap),
	};
}

/*
 * What a stack and its event have in common, as it lies in the payload of most kernels: context
 * flags in byte 2, preempt count in byte 3, then the pid.
 */
HOT uint64_t key_of(const struct common *common, bool swap)
{
	uint8_t bytes[8] = {0, 0, common->flags & CONTEXT_FLAGS, common->preempt};
	uint32_t pid = sm_load32(&common->pid, swap);
	uint64_t key;

	memcpy(bytes + 4, &pid, sizeof(pid));
	memcpy(&key, bytes, sizeof(key));
	return key;
}

HOT uint64_t load_key(const struct type_plan *plan, const uint8_t *payload, bool swap)
{
	const uint8_t mask_bytes[8] = {0, 0, CONTEXT_FLAGS, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct common common;
	uint64_t mask, key;

	if (!plan->usual) {
		common = load_common(plan, payload, swap);
		return key_of(&common, swap);
	}
	memcpy(&mask, mask_bytes, sizeof(mask));
	memcpy(&key, payload, sizeof(key));
	return key & mask;
}

#endif

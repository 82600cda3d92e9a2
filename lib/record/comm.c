/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks by their pids, from saved_cmdlines. */
#include <stdlib.h>

#include "internal.h"

#define MAX_COMMS (64u << 20)

static size_t slot_of(const struct comm_slot *slots, size_t n, int32_t pid)
{
	size_t i = ((uint32_t)pid * UINT32_C(2654435761)) & (n - 1);

	while (slots[i].name != SM_NO_STRING && slots[i].pid != pid)
		i = (i + 1) & (n - 1);
	return i;
}

/* Room for `n` pids, half of the slots being free. */
static bool reserve(struct sm_trace_private *priv, size_t n)
{
	size_t nslots = priv->ncomm_slots ? priv->ncomm_slots : 16;
	struct comm_slot *slots;

	while (nslots < n * 2)
		nslots *= 2;
	if (nslots == priv->ncomm_slots)
		return true;
	slots = malloc(nslots * sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < nslots; i++)
		slots[i].name = SM_NO_STRING;
	for (size_t i = 0; i < priv->ncomm_slots; i++)
		if (priv->comm_slots[i].name != SM_NO_STRING)
			slots[slot_of(slots, nslots, priv->comm_slots[i].pid)] =
				priv->comm_slots[i];
	free(priv->comm_slots);
	priv->comm_slots = slots;
	priv->ncomm_slots = nslots;
	return true;
}

/* "PID NAME", where NAME may hold spaces and "<...>" stands for an unknown one. */
static struct sm_error *add_line(
	struct sm_trace_private *priv, const char *line, size_t len, bool *changed)
{
	const char *p = line, *end = line + len;
	struct comm_slot *slot;
	int64_t pid = 0;
	uint32_t name;

	while (p < end && *p == ' ')
		p++;
	while (p < end && *p >= '0' && *p <= '9' && pid <= INT32_MAX)
		pid = pid * 10 + (*p++ - '0');
	if (p == line || p >= end || *p != ' ' || pid > INT32_MAX)
		return NULL;
	p++;
	if (end - p == 5 && memcmp(p, "<...>", 5) == 0)
		return NULL;
	name = sm_strings_add(&priv->comms, p, (size_t)(end - p));
	if (name == SM_NO_STRING || !reserve(priv, priv->ncomms + 1))
		return sm_error_nomem();
	slot = &priv->comm_slots[slot_of(priv->comm_slots, priv->ncomm_slots, (int32_t)pid)];
	priv->ncomms += slot->name == SM_NO_STRING;
	*changed |= slot->name != name;
	slot->pid = (int32_t)pid;
	slot->name = name;
	return NULL;
}

struct sm_error *sm_trace_read_comms(struct sm_trace *trace, bool *changed)
{
	struct sm_error *err = NULL;
	struct sm_blob blob;
	const char *p, *end;

	*changed = false;
	if (!sm_tracing_read(trace, "saved_cmdlines", MAX_COMMS, &blob))
		return NULL;
	p = (const char *)blob.data;
	end = p + blob.size;
	while (p < end && !err) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);

		err = add_line(trace->priv, p, n, changed);
		p += n + 1;
	}
	sm_blob_release(&blob);
	return err;
}

void sm_trace_write_comms(const struct sm_trace *trace, struct sm_buf *buf)
{
	const struct sm_trace_private *priv = trace->priv;

	for (size_t i = 0; i < priv->ncomm_slots; i++) {
		const struct comm_slot *slot = &priv->comm_slots[i];

		if (slot->name != SM_NO_STRING)
			sm_buf_addf(buf, "%d %s\n", slot->pid,
				sm_strings_get(&priv->comms, slot->name));
	}
}

const char *sm_trace_comm(const struct sm_trace *trace, int32_t pid)
{
	const struct sm_trace_private *priv = trace->priv;

	if (pid == 0)
		return "<idle>";
	if (!priv->ncomm_slots)
		return NULL;
	return sm_strings_get(&priv->comms,
		priv->comm_slots[slot_of(priv->comm_slots, priv->ncomm_slots, pid)].name);
}

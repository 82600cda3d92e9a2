/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information from a server, by libdebuginfod, which few machines have: it is loaded when it
 * is needed. It reads DEBUGINFOD_URLS itself, and keeps what it fetched in a cache of its own. A
 * static program can load nothing.
 */
#include "hunt.h"

#ifdef SM_HAVE_DLOPEN

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

struct debuginfod {
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find)(void *client, const unsigned char *build_id, int len, char **path);
};

/* A data pointer that is a function's, for which C has no cast. */
static void take_function(void *library, const char *name, void *fn)
{
	void *p = dlsym(library, name);

	memcpy(fn, &p, sizeof(p));
}

static bool load(struct debuginfod *d, const struct sm_log *log)
{
	/* Never unloaded: what it stands on (libcurl, TLS) has its own ideas of when it ends. */
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		sm_log(log, SM_DEBUG, "debuginfod isn't asked: %s", dlerror());
		return false;
	}
	take_function(library, "debuginfod_begin", &d->begin);
	take_function(library, "debuginfod_end", &d->end);
	take_function(library, "debuginfod_find_debuginfo", &d->find);
	if (d->begin && d->end && d->find)
		return true;
	sm_log(log, SM_DEBUG, "debuginfod isn't asked: its library lacks a function");
	return false;
}

struct sm_error *sm_debuginfod_fetch(
	const char *build_id, const char *what, const struct sm_log *log, char **path)
{
	struct debuginfod d = {0};
	void *client;
	int fd;

	*path = NULL;
	if (!load(&d, log))
		return NULL;
	client = d.begin();
	if (!client)
		return sm_error_nomem();
	sm_log(log, SM_WARN,
		"asking debuginfod for the debug information of %s (build id %s): this may take a "
		"while",
		what, build_id);
	/* Length 0: the id is text. */
	fd = d.find(client, (const unsigned char *)build_id, 0, path);
	d.end(client);
	if (fd >= 0) {
		close(fd);
		return NULL;
	}
	*path = NULL;
	sm_log(log, fd == -ENOENT || fd == -ENOSYS ? SM_DEBUG : SM_WARN,
		"debuginfod has nothing for build id %s: %s", build_id, strerror(-fd));
	return NULL;
}

#else

struct sm_error *sm_debuginfod_fetch(
	const char *build_id, const char *what, const struct sm_log *log, char **path)
{
	*path = NULL;
	sm_log(log, SM_DEBUG, "debuginfod isn't asked for build id %s of %s: this build can't",
		build_id, what);
	return NULL;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which image lies where at run time: the kernel's at its slide, each module's sections at their
 * bases. Images are opened when an address asks for them.
 */
#ifndef SMTOOL_SYMBOL_ADDRESS_SPACE_H
#define SMTOOL_SYMBOL_ADDRESS_SPACE_H

#include "call_site.h"
#include "image.h"

struct address_space_opts {
	const struct sm_source *src; /* for modules' sections; NULL = there is none */
	/* Of the capture; `kallsyms` may be empty. Borrowed, as is `src`. */
	const struct kallsyms *kallsyms;
	const struct modules *modules;
	const char *build_id; /* of the kernel; NULL = unknown */
	const char *kaslr;    /* "auto", "none", or an offset; NULL = auto */
	struct search search; /* strings borrowed */
	struct image_opts image;
};

struct address_space;

/* An error where a file that the user named can't be used, or --kaslr makes no sense; a kernel that
 * isn't found is none. */
struct sm_error *sm_address_space_open(
	const struct address_space_opts *opts, struct address_space **space) SM_MUST_CHECK;
void sm_address_space_free(struct address_space *space);

/* NULL = no vmlinux was found. */
struct image *sm_address_space_kernel(const struct address_space *space);
enum sm_slide_from sm_address_space_slide(struct address_space *space, uint64_t *slide);
/* Infers the slide where nothing else told it, and says what came of it. */
struct sm_error *sm_address_space_infer(
	struct address_space *space, const uint64_t *ips, size_t n) SM_MUST_CHECK;
/* NULL = nothing was inferred. */
const struct call_score *sm_address_space_score(const struct address_space *space);

/*
 * An address without its pointer authentication code, given any address of the kernel's text. That
 * of arm64 begins with 12 (52 bits of address) to 29 set bits, according to the size of its address
 * space; bit 55 tells the kernel's half in any case. The text of x86-64 and riscv begins with 33 or
 * more, and their addresses have no code in them.
 */
uint64_t sm_strip_pac(uint64_t text, uint64_t ip);
/* Where an arm64 vmlinux has its text, which is near enough to where it ran; else 0. */
uint64_t sm_address_space_text(struct address_space *space);

/* Where a run-time address lies. */
struct location {
	struct image *image;
	const char *module; /* NULL = the kernel */
	uint64_t addr;      /* image address */
	uint64_t slide;     /* run time - image address, of this section */
};
/* False where it lies in no image that is at hand. `module` may be what kallsyms says; NULL = by
 * the modules' ranges. */
bool sm_address_space_locate(
	struct address_space *space, uint64_t ip, const char *module, struct location *where);
/* The run-time address of an image address in the image that `where` is in; where its section's
 * base is unknown, as if that were placed as `where`'s. */
uint64_t sm_address_space_run_time(
	const struct address_space *space, const struct location *where, uint64_t addr);
/* The modules that were asked for. NULL where i is beyond. *path NULL = its file isn't there. */
const char *sm_address_space_module(const struct address_space *space, size_t i, const char **path);

#endif

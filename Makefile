# SPDX-License-Identifier: GPL-2.0-or-later
#
# GNU make. Everything that is made goes below $(B); config.mk comes from ./configure.
#
#   V=1       show the commands          SAN=1     address and undefined sanitizers, in build-san/
#   WERROR=1  warnings are errors        B=DIR     another build directory

VERSION = 0.1.0
.DEFAULT_GOAL := all

here := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
configured := $(wildcard config.mk)
include $(configured)
SRC ?= $(here)
B := $(if $(FUZZ),build-fuzz,$(if $(SAN),build-san,build))

needs_config := $(filter-out help clean distclean fmt,$(or $(MAKECMDGOALS),all))
ifneq ($(needs_config),)
ifeq ($(configured),)
$(error no config.mk here: run ./configure first, or './configure --install-deps' to install what it needs too)
endif
config.mk: $(SRC)/configure
	@echo 'configure is newer than config.mk: running it again'
	$(CONFIGURE)
endif

sanitize = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ifneq ($(SAN),)
ifeq ($(configured)$(HAVE_SANITIZERS),config.mk)
$(error SAN=1: this compiler has no -fsanitize=address,undefined; see config.log)
endif
override CFLAGS := -O1 -g $(sanitize)
override LDFLAGS += $(sanitize)
endif
ifneq ($(FUZZ),)
override CFLAGS := -O1 -g -fsanitize=fuzzer-no-link $(sanitize)
override LDFLAGS += $(sanitize)
fuzz_main_flags = -fsanitize=fuzzer
endif

# With an empty value a source may say it again.
cppflags = -D_GNU_SOURCE= -I$(SRC)/include $(LIB_CFLAGS) $(CPPFLAGS)
cflags = -std=gnu11 -pthread $(WARNINGS) $(if $(WERROR),-Werror) $(CFLAGS)
ldflags = $(LINK_FLAGS) $(CFLAGS) $(LDFLAGS)

objects = $(patsubst $(SRC)/%.c,$(B)/%.o,$(wildcard $(SRC)/$(1)))
lib_objects := $(call objects,lib/*/*.c)
cmd_objects := $(call objects,cmd/*.c) $(call objects,cmd/tui/*.c)
gen_objects := $(call objects,tests/gen/*.c)
unit_objects := $(call objects,tests/unit/*.c)
fuzz_objects := $(call objects,tests/fuzz/*.c)
bench_objects := $(call objects,tests/bench/*.c)
tui_objects := $(call objects,tests/tui/*.c)
all_objects := $(lib_objects) $(cmd_objects) $(gen_objects) $(unit_objects) $(fuzz_objects) \
	$(bench_objects) $(tui_objects)

lib := $(B)/libsmtool.a
cmd_lib := $(B)/libcmd.a
gen_lib := $(B)/tests/libgen.a
tui_lib := $(B)/tests/libtui.a
smtool := $(B)/smtool
mkcapture := $(if $(gen_objects),$(addprefix $(B)/tests/,mkcapture mkelf mkdat))
gen_mains := $(filter %/mkcapture.o %/mkelf.o %/mkdat.o,$(gen_objects))
unit_tests := $(if $(HAVE_CMOCKA),$(patsubst %.o,%,$(filter $(B)/tests/unit/test_%,$(unit_objects))))
unit_shared := $(filter-out $(B)/tests/unit/test_%,$(unit_objects))
fuzz_tests := $(patsubst %.o,%,$(filter $(B)/tests/fuzz/fuzz_%,$(fuzz_objects)))
bench_tools := $(patsubst %.o,%,$(bench_objects))
tui_tools := $(addprefix $(B)/tests/tui/,drive sampler)
test_programs := $(mkcapture) $(unit_tests) $(fuzz_tests) $(bench_tools) $(tui_tools)

say = @$(if $(V),:,printf '%-5s %s\n' $(1) '$(2)')
Q := $(if $(V),,@)
link = $(Q)$(CC) $(ldflags) -o $@

.PHONY: all tests check check-unit check-cli check-dat check-man check-tui check-fuzz check-root check-symbols \
	check-export check-kernel check-kernel-full static lint bench demo fuzz install uninstall fmt clean \
	distclean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(smtool)

# ---- what is built ----

# Rewritten only when its text changes, so that what depends on it is made again just then.
remember = @mkdir -p $(@D); printf '%s\n' '$(1)' | cmp -s - $@ || printf '%s\n' '$(1)' >$@

$(B)/flags: FORCE
	$(call remember,$(CC) $(cppflags) $(cflags) $(ldflags))
$(B)/members: FORCE
	$(call remember,$(lib_objects) $(cmd_objects) $(gen_objects) $(tui_objects))

git_describe = $(if $(wildcard $(SRC)/.git),$(shell git -C $(SRC) describe --tags --always --dirty \
	--match 'v[0-9]*' 2>/dev/null))
version := $(VERSION)$(patsubst %,-g%,$(filter-out v$(VERSION),$(git_describe)))
version_objects := $(patsubst $(SRC)/%.c,$(B)/%.o,$(shell grep -ls SMTOOL_VERSION \
	$(SRC)/cmd/*.c $(SRC)/lib/*/*.c))
$(B)/version: FORCE
	$(call remember,$(version))
$(version_objects): $(B)/version
$(version_objects): extra = -DSMTOOL_VERSION='"$(version)"'

$(B)/cmd/%.o: extra += -I$(SRC)/cmd
$(unit_objects) $(gen_objects) $(bench_objects) $(fuzz_objects): \
	extra += -I$(SRC)/cmd -I$(SRC)/tests -I$(SRC) $(CMOCKA_CFLAGS)

$(B)/%.o: $(SRC)/%.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$*.c)
	$(Q)$(CC) $(cppflags) $(extra) $(cflags) -MMD -MP -c -o $@ $<

$(lib): $(lib_objects)
$(cmd_lib): $(filter-out $(B)/cmd/main.o,$(cmd_objects))
$(gen_lib): $(filter-out $(gen_mains),$(gen_objects))
$(tui_lib): $(filter-out $(tui_tools:=.o),$(tui_objects))
$(lib) $(cmd_lib) $(gen_lib) $(tui_lib): $(B)/members
	@mkdir -p $(@D)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

$(smtool): $(cmd_objects) $(lib)
	$(call say,LD,$@)
	$(link) $(cmd_objects) $(lib) $(LIBS)

tests: $(test_programs)

$(mkcapture): $(B)/tests/%: $(B)/tests/gen/%.o $(gen_lib) $(lib)
	$(call say,LD,$@)
	$(link) $^ $(LIBS)

$(unit_tests): %: %.o $(unit_shared) $(cmd_lib) $(gen_lib) $(tui_lib) $(lib)
	$(call say,LD,$@)
	$(link) $^ $(CMOCKA_LIBS) $(LIBS)

fuzz_main := $(if $(FUZZ),,$(B)/tests/fuzz/replay.o)
$(fuzz_tests): %: %.o $(fuzz_main) $(lib)
	$(call say,LD,$@)
	$(link) $(fuzz_main_flags) $^ $(LIBS)

$(bench_tools): %: %.o $(gen_lib) $(tui_lib) $(lib)
	$(call say,LD,$@)
	$(link) $^ $(LIBS)

# The terminal is none of ncurses': it would be its own judge.
$(B)/tests/tui/drive: $(B)/tests/tui/drive.o $(tui_lib)
	$(call say,LD,$@)
	$(link) $^

$(B)/tests/tui/sampler: $(B)/tests/tui/sampler.o $(tui_lib)
	$(call say,LD,$@)
	$(link) $^ $(LIBS)

-include $(all_objects:.o=.d)

# ---- tests ----

test_env = SM_SRC=$(abspath $(SRC)) SM_BUILD=$(abspath $(B)) SM_UPDATE=$(UPDATE) SM_VERBOSE=$(V) \
	SM_SANITIZE=$(SAN)
run_suites = @$(test_env) sh $(SRC)/tests/check

check: $(smtool) tests
	$(run_suites) unit cli dat man tui fuzz lint
check-unit: $(unit_tests) $(mkcapture)
	$(run_suites) unit
check-cli: $(smtool) $(mkcapture) $(bench_tools)
	$(run_suites) cli
check-dat: $(smtool) $(mkcapture)
	$(run_suites) dat
check-man: $(smtool) $(mkcapture) $(bench_tools)
	$(run_suites) man
check-tui: $(smtool) $(tui_tools) $(mkcapture)
	$(run_suites) tui
check-fuzz: $(fuzz_tests)
	$(run_suites) fuzz
check-root: $(smtool) $(mkcapture) $(bench_tools)
	$(run_suites) root
lint: $(smtool)
	$(run_suites) lint

# A guest has no shared libraries.
static: FORCE
	@mkdir -p $(B)/static
	@cd $(B)/static && { test -e config.mk || $(abspath $(SRC))/configure --static >configure.out; }
	+$(Q)$(MAKE) -s -C $(B)/static SAN= B=build
# Whole kernels, fetched once
check-symbols: $(smtool)
	$(run_suites) symbols
# Files for other tools, read by those; fetched once
check-export: $(smtool) $(mkcapture)
	$(run_suites) export
check-kernel: $(smtool) static
	$(run_suites) kernel
check-kernel-full: $(smtool) static
	@SM_FULL=yes $(test_env) sh $(SRC)/tests/check kernel

bench: $(smtool) $(mkcapture) $(bench_tools)
	@$(test_env) sh $(SRC)/tests/bench/run
demo: $(smtool)
	@$(test_env) sh $(SRC)/tests/demo.sh

# make fuzz TARGET=archive [SECONDS=60]: new inputs stay in build-fuzz/corpus/TARGET
CLANG ?= clang
SECONDS ?= 60
fuzz:
	@test -n '$(TARGET)' -a -f '$(SRC)/tests/fuzz/fuzz_$(TARGET).c' || { \
		echo "make fuzz: TARGET is one of:" \
			$(patsubst fuzz_%,%,$(notdir $(fuzz_tests))) >&2; exit 2; }
	@command -v $(CLANG) >/dev/null || { echo "make fuzz: needs clang" >&2; exit 1; }
	@mkdir -p build-fuzz/corpus/$(TARGET)
	+$(Q)$(MAKE) FUZZ=1 CC=$(CLANG) build-fuzz/tests/fuzz/fuzz_$(TARGET)
	build-fuzz/tests/fuzz/fuzz_$(TARGET) -max_total_time=$(SECONDS) -artifact_prefix=build-fuzz/ \
		build-fuzz/corpus/$(TARGET) $(wildcard $(SRC)/tests/fuzz/corpus/$(TARGET))

# ---- installing ----

headers := $(wildcard $(SRC)/include/smtool/*.h)
pages := $(wildcard $(SRC)/man/*.[1-8])
installed = $(bindir)/smtool $(libdir)/libsmtool.a \
	$(patsubst %,$(includedir)/smtool/%,$(notdir $(headers))) \
	$(foreach p,$(notdir $(pages)),$(mandir)/man$(patsubst .%,%,$(suffix $(p)))/$(p)) \
	$(bashcompdir)/smtool $(zshcompdir)/_smtool

INSTALL ?= install
install: $(smtool)
	$(smtool) completion bash >$(B)/completion.bash
	$(smtool) completion zsh >$(B)/completion.zsh
	$(INSTALL) -d $(sort $(addprefix '$(DESTDIR)',$(dir $(installed))))
	$(INSTALL) -m 755 $(smtool) '$(DESTDIR)$(bindir)/smtool'
	$(INSTALL) -m 644 $(lib) '$(DESTDIR)$(libdir)/libsmtool.a'
	$(INSTALL) -m 644 $(headers) '$(DESTDIR)$(includedir)/smtool/'
	for page in $(pages); do \
		$(INSTALL) -m 644 $$page '$(DESTDIR)$(mandir)'/man$${page##*.}/ || exit 1; \
	done
	$(INSTALL) -m 644 $(B)/completion.bash '$(DESTDIR)$(bashcompdir)/smtool'
	$(INSTALL) -m 644 $(B)/completion.zsh '$(DESTDIR)$(zshcompdir)/_smtool'

uninstall:
	rm -f $(addprefix '$(DESTDIR)',$(installed))
	-rmdir '$(DESTDIR)$(includedir)/smtool'

# ---- the rest ----

fmt:
	find $(SRC)/cmd $(SRC)/lib $(SRC)/include $(SRC)/tests -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf build build-san build-fuzz

distclean: clean
	rm -rf config.mk config.log config.tmp $(if $(filter-out .,$(SRC)),Makefile)

help:
	@echo 'all         build/smtool and build/libsmtool.a (the default)'
	@echo 'check       every test that needs no root, and lint; suites alone: check-unit check-cli'
	@echo '            check-man check-tui check-fuzz lint; check-cli UPDATE=1 rewrites expected output'
	@echo 'check-root  tests on the running kernel'
	@echo 'check-symbols  names and lines of whole kernels, against what other tools say'
	@echo 'check-export  files for other tools, read by those'
	@echo 'check-kernel  builds and boots the kernels of kernel/; check-kernel-full takes hours'
	@echo 'demo        record this machine for a few seconds (or read a capture), and rank it'
	@echo 'bench       speed and memory, as ratios'
	@echo 'fuzz        TARGET=NAME [SECONDS=60], needs clang'
	@echo 'install, uninstall   DESTDIR= is heeded'
	@echo 'fmt         clang-format all sources'
	@echo 'clean, distclean'
	@echo 'Variables: SAN=1 sanitizers, WERROR=1, V=1 show commands, UPDATE=1'

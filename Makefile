# harnessd: "make" builds into build/, "make check" tests, "make help" tells the rest.
VERSION := 0.1.0
B := build
comma := ,
CC ?= gcc
PKGS := jansson yaml-0.1 sqlite3 libpcre2-8 gsl zlib
CFLAGS ?= -O2 -g
SAN := $(if $(SANITIZE),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(CI),-Werror)
CPPFLAGS += -D_GNU_SOURCE -DHARNESS_VERSION='"$(VERSION)"' -Iharnessd -I. $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
ALL_CFLAGS := -std=gnu17 $(WARN) $(CFLAGS) $(SAN)
LIBS = $(shell pkg-config --libs $(PKGS)) -lm
# The agent is static: it must run in an initramfs and on machines without our libraries.
AGENT_LIBS := -ljansson -lpfm -lm
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2);)

lib_src := $(filter-out %_probe.c,$(wildcard harnessd/base/*.c harnessd/stat/*.c harnessd/spec/*.c \
	db/*.c collectors/*.c runners/*.c runners/knob/*.c runners/target/*.c runners/bench/*.c \
	harnessd/experiment/*.c harnessd/report/*.c))
cmd_src := $(wildcard harnessd/cmd/*.c)
agent_src := $(wildcard runners/agent/*.c collectors/*_probe.c) $(addprefix harnessd/base/,alloc.c clock.c \
	cpulist.c error.c file.c json.c strbuf.c sysroot.c)
test_src := $(wildcard tests/unit/*.c)
bench_src := $(wildcard tests/bench/*.c)
sql := $(wildcard db/schema/*.sql db/queries/*.sql)

obj = $(patsubst %.c,$(B)/%.o,$(1))
tests := $(patsubst tests/unit/%.c,$(B)/tests/%,$(test_src))
programs := $(B)/harness $(B)/harness-agent $(B)/context_switch

.PHONY: all docs check test-programs quickstart bench lint format format-check sanitize deps clean help
all: $(programs)

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(B)/libharness.a: $(call obj,$(lib_src)) $(B)/gen/sql_files.o
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^

$(B)/gen/sql_files.c: $(sql) db/embed_sql.sh
	@mkdir -p $(@D)
	$(call say,GEN,$@)sh db/embed_sql.sh $(sql) > $@

$(B)/gen/sql_files.o: $(B)/gen/sql_files.c
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@

$(B)/harness: $(call obj,$(cmd_src)) $(B)/libharness.a
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/harness-agent: $(call obj,$(agent_src))
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(if $(SANITIZE),,-static) -o $@ $^ $(AGENT_LIBS)

$(B)/context_switch: $(B)/runners/bench/context_switch/context_switch.o
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(if $(SANITIZE),,-static) -o $@ $^ -lpthread -lm

# A unit test is one program; its extra objects (agent code) are named in tests/unit/NAME.objs.
$(B)/tests/%: $(B)/tests/unit/%.o $(B)/libharness.a $(call obj,$(agent_src) $(cmd_src))
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(addprefix $(B)/,$(shell cat tests/unit/$*.objs 2>/dev/null)) \
		$(B)/libharness.a $(LIBS) -lcmocka -lpfm

$(B)/bench: $(call obj,$(bench_src)) $(B)/libharness.a
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -lpthread

.SECONDARY:

# What a bare Debian machine lacks is installed first; the second make then finds the libraries.
deps:
	$(Q)sh .ci/deps

check: deps
	$(Q)$(MAKE) --no-print-directory all test-programs $(B)/bench
	$(Q)$(MAKE) --no-print-directory B=build/asan SANITIZE=1 all test-programs
	$(Q)sh tests/run.sh $(B) build/asan

test-programs: $(tests)

# Everything again under AddressSanitizer and UndefinedBehaviorSanitizer, end-to-end tests too.
sanitize: deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(MAKE) --no-print-directory B=build/asan SANITIZE=1 all test-programs
	$(Q)sh tests/run.sh build/asan

quickstart: deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)sh .ci/quickstart $(B)

# PARTS="trial parse" for some of it; see docs/bench.md.
bench: deps
	$(Q)sh tests/bench/peers.sh
	$(Q)$(MAKE) --no-print-directory all $(B)/bench
	$(Q)$(B)/bench $(PARTS)

lint: format-check
	$(Q)sh tests/lint/layers.sh
	$(Q)sh tests/lint/sysroot.sh
	$(Q)cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability --inline-suppr \
		--suppress=missingIncludeSystem -D_GNU_SOURCE \
		'-Djson_array_foreach(a,i,v)=while((i=0,v=json_array_get(a,i)))' \
		'-Djson_object_foreach(o,k,v)=while((k=0,v=json_object_get(o,k)))' \
		-Iharnessd -I. harnessd runners collectors db
	$(Q)clang-tidy --quiet $(lib_src) $(cmd_src) $(agent_src) -- -std=gnu17 $(CPPFLAGS)

sources := $(shell git ls-files '*.c' '*.h' 2>/dev/null)
format:
	$(Q)clang-format -i $(sources)
format-check:
	$(Q)clang-format --dry-run -Werror $(sources)

# Manual pages hold a part written by hand and what the program knows (see harnessd/cmd/man_pages.c).
pages := $(patsubst docs/man/%.in,$(B)/man/%,$(wildcard docs/man/*.in))
docs: docs/job.schema.json $(pages)
$(B)/harnessd/cmd/man_pages.o: $(wildcard docs/man/*.in)

docs/job.schema.json: $(B)/harness
	$(Q)$(B)/harness help schema > $@.tmp && mv $@.tmp $@

$(pages): $(B)/man/%: $(B)/harness
	@mkdir -p $(@D)
	$(call say,MAN,$@)$(B)/harness help --man $(patsubst harness-%,%,$(basename $(@F))) > $@.tmp && mv $@.tmp $@

clean:
	$(Q)rm -rf build

help:
	@printf '%s\n' \
		'make             build into build/' \
		'make quickstart  install what is missing, build, and run the main job for real' \
		'make check       install what is missing, build, and run all tests' \
		'make sanitize    all tests under ASan and UBSan' \
		'make docs        docs/job.schema.json, and manual pages in build/man/' \
		'make lint        format, layers, kernel paths, cppcheck, clang-tidy' \
		'make bench       measure, beside peers' \
		'V=1 shows the commands; CI=1 makes warnings errors'

-include $(shell find $(B) -name '*.d' 2>/dev/null)

# What tries to find mistakes rather than to confirm that there are none: fuzzing, faults, errors that are too small,
# races, lines no test reaches. Read by the Makefile.
FUZZ     := $(filter-out draw fuzz,$(patsubst fuzz/%.c,%,$(wildcard fuzz/*.c)))
.PHONY: fuzz fuzz-run fuzz-short
SECONDS  ?= 60
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# ---- fuzzing: SECONDS for each target ---------------------------------------------------------------------------
$B/fuzz_%: $B/obj/fuzz/%.o $(TOOLS) $(LIB_OBJ) $(STUBS)
	$(call say,LD,$@)
	$Q$(CC) -pthread -fsanitize=fuzzer $(LDFLAGS) $(EXTRA) $^ $(LIBS) -o $@

fuzz-run: $(FUZZ:%=$B/fuzz_%)
	@sh fuzz/run.sh $B $(SECONDS) $(FUZZ)

fuzz:
	+@$(AGAIN) B=$B/fuzz CC='$(CLANG)' CFLAGS='-O1 -g1' EXTRA='$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link' \
	  SECONDS=$(SECONDS) fuzz-run

fuzz-short:
	+@$(MAKE) --no-print-directory fuzz SECONDS=4

# ---- errors that are printed against values in ball arithmetic --------------------------------------------------
.PHONY: honesty honesty-short
POINTS ?= 100000
SEED   ?= 1
HONESTY_OBJ := $(patsubst %.c,$B/obj/%.o,$(wildcard tests/honesty/*.c))
$(HONESTY_OBJ): ALL_CFLAGS += $(CONFIG_ARB_FLAGS)
$(HONESTY_OBJ): $B/config.mk
$B/honesty: $(HONESTY_OBJ) $(TOOLS) $(LINKED_OBJ)
	$(call say,LD,$@)
	$Q$(CC) -pthread $(LDFLAGS) $(EXTRA) $^ $(CONFIG_ARB_LINKED) $(LIBS) -o $@

honesty: $B/honesty
	@$B/honesty $(POINTS) $(SEED) '$(KIND)' $(THREADS)

honesty-short: $B/honesty
	@$B/honesty 1500 $(SEED) '$(KIND)' $(THREADS)

# ---- races, lines that no test reaches, what two readers of the source say ---------------------------------------
.PHONY: tsan tsan-run coverage tidy
# threads share objects in these commands and suites; the sanitizer knows no fork with threads
tsan:
	+@$(AGAIN) B=$B/tsan CFLAGS='-O1 -g' EXTRA='-fsanitize=thread -Wno-maybe-uninitialized' tsan-run
tsan-run: $B/finf
	@sh tests/tsan.sh $B

# the tests as gcov sees them: `make coverage` again counts from 0. Where a test limits the size of files gcov would complain.
# -O1 without inlining takes half the time of -O0, and has the same lines.
coverage:
	@find $B/coverage -name '*.gcda' -delete 2>/dev/null || true
	+@GCOV_ERROR_FILE=/dev/null $(AGAIN) B=$B/coverage CFLAGS='-O1 -g -fno-inline' \
	  EXTRA='--coverage -fprofile-update=atomic -DFINF_COVERAGE' \
	  RUNNER='env CK_TIMEOUT_MULTIPLIER=8' check-unit check-cli check-faults check-sweep
	@sh scripts/coverage.sh $B/coverage $(LIB_SRC) $(CLI_SRC)

TIDY ?= clang-tidy
tidy: $B/config.mk
	$(file >$B/tidy.flags,$(addprefix -I,include $(ROOMS)) $(CONFIG_ARB_FLAGS) $(CONFIG_ECOS_FLAGS) $(CONFIG_SODIUM_FLAGS) $(CONFIG_SQLITE_FLAGS))
	@TIDY='$(TIDY)' sh scripts/tidy.sh $B/tidy.flags $(LIB_SRC) $(CLI_SRC)

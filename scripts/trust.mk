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

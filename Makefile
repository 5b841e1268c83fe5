# finf. 'make help' lists the targets.
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
CC      ?= cc
CLANG   ?= clang
OBJCOPY ?= objcopy
PYTHON  ?= /usr/bin/python3
B       := build
VERSION := $(shell sed -n 's/.*FINF_VERSION "\(.*\)"/\1/p' include/finf.h)

WARN    := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes $(if $(CI),-Werror)
# clang warns where a table leaves out fields that are 0 on purpose
WARN    += $(if $(findstring clang,$(CC)),-Wno-missing-field-initializers)
CFLAGS  ?= -O3 -g
ROOMS   := base ellint bounds socp cli $(patsubst %/,%,$(wildcard bounds/*/ socp/*/ cli/*/))
# no fused multiply-add: the bits are the same wherever it is compiled, and for whichever processor
ALL_CFLAGS := -std=c11 -ffp-contract=off -D_XOPEN_SOURCE=700 $(addprefix -I,include $(ROOMS)) -fPIC -fvisibility=hidden \
              -MMD -MP -pthread $(WARN) $(CFLAGS) $(EXTRA)
LIBS    = $(CONFIG_ARB_LIBS) -lfftw3 -lgsl -lgslcblas -lm -ldl
TEST_LIBS := -lcheck -lsubunit -lrt

LIB_SRC := $(wildcard $(addsuffix /*.c,$(filter-out cli%,$(ROOMS))))
CLI_SRC := $(wildcard $(addsuffix /*.c,$(filter cli%,$(ROOMS))))
TESTS   := $(patsubst tests/test_%.c,%,$(wildcard tests/test_*.c))
LIB_OBJ := $(LIB_SRC:%.c=$B/obj/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$B/obj/%.o)
TOOLS   := $(filter-out $B/obj/cli/main.o,$(CLI_OBJ))
MOD     ?= $(TESTS)

# $(call say,CC,file): the line shown in place of the command; V=1 shows the command
Q       := $(if $V,,@)
say      = $(if $V,,@printf '  %-4s %s\n' $1 $2)

.PHONY: FORCE all help deps demo data check check-unit check-cli check-docs check-data check-symbols \
        check-layers check-citations check-install check-faults check-sweep format-check faults faults-short asan clang \
        no-ecos no-arb no-lapack no-sodium no-sqlite valgrind bench bench-compare docs install uninstall clean python \
        python-package python-deps check-python asan-python bench-python dist deb \
        train-deps train train-quick notebook-deps notebooks check-notebooks
all: $B/finf $B/libfinf.a $B/libfinf.so $B/finf.1 $B/finf.bash $B/_finf $B/finf.pc

help:
	@echo 'make            build/finf, build/libfinf.{a,so}, the man page'
	@echo '                CI=true: warnings are errors; V=1: the commands; CC=clang; B=elsewhere'
	@echo '                ECOS=no, ARB=no, LAPACK=no, SODIUM=no, SQLITE=no, MPI=no: without that part; ECOS_LIBS=file or -L.. -l..: another ECOS'
	@echo 'make deps       install what is missing by apt, as demo and check do'
	@echo 'make demo       one worked example'
	@echo 'make check      every test (MOD=linreg: that suite alone): check-unit, check-cli, check-docs, check-data,'
	@echo '                check-symbols, check-layers, check-citations, check-install, check-faults, check-sweep'
	@echo 'make format-check   the layout of the C files, as clang-format has it'
	@echo 'make asan       the tests under AddressSanitizer and UBSan'
	@echo 'make clang no-ecos no-arb no-lapack no-sodium no-sqlite   the tests by another compiler, without a part'
	@echo 'make valgrind   the tests under valgrind'
	@echo 'make faults     every command with each of its allocations failing in turn; files that cannot be written; signals'
	@echo 'make fuzz SECONDS=60   parsers and the numeric core on random input, SECONDS for each target; fuzz-short'
	@echo 'make honesty POINTS=100000   printed errors against ball arithmetic; honesty-short; SEED=1 KIND=mean THREADS=1'
	@echo 'make tsan coverage tidy   races; lines no test reaches; clang-tidy and cppcheck'
	@echo 'make bench      speed, as ratios to the plain way; bench-compare: beside bench/baseline.json'
	@echo 'make data       regenerate notebooks-data/'
	@echo 'make docs       the man page, docs/commands.md from the tables of --help, the rooms in docs/architecture.md'
	@echo 'make python     a wheel in dist/, tried in a new virtual environment; PYTHON=/usr/bin/python3'
	@echo 'make check-python   the tests of the Python package; bench-python: what a call costs over C'
	@echo 'make train      private training on real images, half an hour: tables and figures in TRAIN=notebooks-data/training'
	@echo 'make train-quick    on digits alone, minutes; notebooks: runs them, with outputs; check-notebooks: that they run'
	@echo 'make install    PREFIX=/usr/local LIBDIR=PREFIX/lib DESTDIR='
	@echo 'make dist deb   the sources, and Debian packages, in dist/'

# ---- what is needed, and which of the optional parts are there ------------------------------------------------
ASKED := $(CC) $(ECOS) $(ECOS_LIBS) $(ARB) $(LAPACK:%=LAPACK=%) $(SODIUM:%=SODIUM=%) $(SQLITE:%=SQLITE=%) $(MPI:%=MPI=%)
FIND  := CC='$(CC)' ECOS='$(ECOS)' ECOS_LIBS='$(ECOS_LIBS)' ARB='$(ARB)' LAPACK='$(LAPACK)' SODIUM='$(SODIUM)' \
         SQLITE='$(SQLITE)' MPI='$(MPI)' sh scripts
INSTALLS := $(filter deps demo check check-% asan valgrind,$(MAKECMDGOALS))

# Made before anything else (make reads it again when it is new), and again when other parts are asked for. demo and check
# install what is missing.
$B/config.mk: scripts/packages.sh scripts/config.sh
	@mkdir -p $B
	$(if $(INSTALLS),@$(FIND)/packages.sh)
	@echo 'CONFIG_ASKED := $(ASKED)' > $@.tmp && $(FIND)/config.sh >> $@.tmp && mv $@.tmp $@

ifneq ($(filter-out clean help uninstall format-check dist deb,$(or $(MAKECMDGOALS),all)),)
include $B/config.mk
ifeq ($(MAKE_RESTARTS),) # once: what cannot be installed is still missing the second time
ifneq ($(strip $(CONFIG_ASKED)),$(strip $(ASKED)))
$B/config.mk: FORCE
else ifneq ($(if $(INSTALLS),$(CONFIG_MISSING)),)
$B/config.mk: FORCE
endif
endif
endif

deps: $B/config.mk
	@:

# ---- build ----------------------------------------------------------------------------------------------------
$B/obj/socp/solver/ecos_library.o: ALL_CFLAGS += $(CONFIG_ECOS_FLAGS)
$B/obj/bounds/kernel/lapack_library.o: ALL_CFLAGS += $(CONFIG_LAPACK_FLAGS)
# square roots as instructions, which a stream takes many of
STREAM := $(patsubst %.c,$B/obj/%.o,$(wildcard bounds/stream/*.c))
$(STREAM): ALL_CFLAGS += -fno-math-errno
$B/obj/bounds/stream/sodium_library.o: ALL_CFLAGS += $(CONFIG_SODIUM_FLAGS)
$B/obj/bounds/stream/sodium_library.o: $B/config.mk
SQLITE_OBJ := $(patsubst %.c,$B/obj/%.o,cli/sweep/sqlite_library.c cli/sweep/store.c)
$(SQLITE_OBJ): ALL_CFLAGS += $(CONFIG_SQLITE_FLAGS)
$(SQLITE_OBJ): $B/config.mk
CERTIFY := $(patsubst %.c,$B/obj/%.o,$(wildcard socp/certify/*.c tests/test_certify.c))
$(CERTIFY): ALL_CFLAGS += $(CONFIG_ARB_FLAGS)
$B/obj/socp/solver/ecos_library.o $B/obj/bounds/kernel/lapack_library.o $(CERTIFY): $B/config.mk
ifneq ($(CONFIG_ARB_SONAME),) # Arb is loaded when first used: by the stubs of what the certificate calls
CERTIFY_OBJ := $(patsubst %.c,$B/obj/%.o,$(wildcard socp/certify/*.c))
STUBS := $B/obj/arb_stubs.o
$B/obj/socp/certify/arb_library.o: ALL_CFLAGS += $(CONFIG_ARB_SONAME)
$B/arb_stubs.c: scripts/stubs.sh $(CERTIFY_OBJ)
	@LIBRARIES='$(CONFIG_ARB_FILES)' sh scripts/stubs.sh $(CERTIFY_OBJ) > $@.tmp && mv $@.tmp $@
$(STUBS): $B/arb_stubs.c
	$(call say,CC,$<)
	$Q$(CC) $(ALL_CFLAGS) -c $< -o $@
endif
# the tests call Arb themselves, and are linked with it
$B/obj/linked/arb_library.o: socp/certify/arb_library.c $B/config.mk
	@mkdir -p $(@D)
	$Q$(CC) $(ALL_CFLAGS) $(CONFIG_ARB_FLAGS) -c $< -o $@
LINKED_OBJ := $(filter-out %/arb_library.o,$(LIB_OBJ)) $B/obj/linked/arb_library.o

$B/obj/%.o: %.c | $B/config.mk
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(ALL_CFLAGS) -c $< -o $@

# one object in which all but finf_* is local: the archive offers what the shared library does
$B/libfinf.a: $(LIB_OBJ) $(STUBS)
	@rm -f $@
	$(call say,AR,$@)
	$Q$(LD) -r $^ -o $B/libfinf.o
	$Q$(OBJCOPY) --localize-hidden --wildcard --keep-global-symbol='finf_*' $B/libfinf.o
	$Q$(AR) rcs $@ $B/libfinf.o

$B/libfinf.so: $(LIB_OBJ) $(STUBS) scripts/finf.map
	$(call say,LD,$@)
	$Q$(CC) -shared -pthread -Wl,-soname,libfinf.so.0 -Wl,--version-script=scripts/finf.map $(LDFLAGS) $(EXTRA) $(LIB_OBJ) $(STUBS) $(LIBS) -o $@

$B/finf: $(CLI_OBJ) $(LIB_OBJ) $(STUBS)
	$(call say,LD,$@)
	$Q$(CC) -pthread $(LDFLAGS) $(EXTRA) $^ $(LIBS) -o $@

all: $(if $(CONFIG_MPI_LIBS),$B/finf-mpi)
# the same program with MPI, for a sweep on many machines: one file of it is compiled again
MPI_OBJ := $B/obj/mpi/ranks.o
$(MPI_OBJ): cli/sweep/ranks.c $B/config.mk
	@mkdir -p $(@D)
	$(call say,CC,'$< (MPI)')
	$Q$(CC) $(ALL_CFLAGS) -DFINF_MPI $(CONFIG_MPI_FLAGS) -c $< -o $@

$B/finf-mpi: $(filter-out %/sweep/ranks.o,$(CLI_OBJ)) $(MPI_OBJ) $(LIB_OBJ) $(STUBS)
	$(call say,LD,$@)
	$Q$(CC) -pthread $(LDFLAGS) $(EXTRA) $^ $(LIBS) $(CONFIG_MPI_LIBS) -o $@

$B/test_%: $B/obj/tests/test_%.o $(TOOLS) $(LINKED_OBJ)
	$(call say,LD,$@)
	$Q$(CC) -pthread $(LDFLAGS) $(EXTRA) $^ $(CONFIG_ARB_LINKED) $(LIBS) $(TEST_LIBS) -o $@

# allocations that fail on purpose, loaded before finf
$B/faults.so: tests/faults.c
	@mkdir -p $B
	$(CC) -shared -fPIC -O2 -g -pthread -Wall -Wextra -Wconversion -Wshadow $(if $(CI),-Werror) $< -ldl -o $@

# a rank that dies on purpose, loaded before finf-mpi
$B/rank_dies.so: tests/rank_dies.c
	@mkdir -p $B
	$(CC) -shared -fPIC -O2 -g -Wall -Wextra -Wconversion -Wshadow $(if $(CI),-Werror) $< -o $@

$B/bench%: $B/obj/bench/bench%.o $(LIB_OBJ) $(STUBS)
	$(call say,LD,$@)
	$Q$(CC) -pthread $(LDFLAGS) $(EXTRA) $^ $(LIBS) -o $@

$B/bench_calls.so: bench/bench_calls.c $B/libfinf.so # which is in the process already, by its soname
	$(call say,LD,$@)
	$Q$(CC) -shared -fPIC -O2 -Wall -Wextra -Wconversion -Wshadow $(if $(CI),-Werror) -Iinclude $^ -o $@

$B/finf.1: $B/finf
	$(call say,MAN,$@)
	$Q$B/finf --man > $@.tmp && mv $@.tmp $@

$B/finf.bash: $B/finf
	$Q$B/finf --completion bash > $@.tmp && mv $@.tmp $@
$B/_finf: $B/finf
	$Q$B/finf --completion zsh > $@.tmp && mv $@.tmp $@

$B/finf.pc: FORCE
	@mkdir -p $B
	@printf '%s\n' 'prefix=$(abspath $(PREFIX))' \
	  'libdir=$(patsubst $(abspath $(PREFIX))/%,$${prefix}/%,$(abspath $(LIBDIR)))' 'includedir=$${prefix}/include' '' 'Name: finf' \
	  'Description: Suboptimality of private learning with correlated noise' 'Version: $(VERSION)' \
	  'Libs: -L$${libdir} -lfinf' 'Libs.private: $(LIBS) -pthread' 'Cflags: -I$${includedir}' > $@

# the man page, and the manual of the commands in docs/
docs: $B/finf.1
	$B/finf --markdown > $B/commands.md && mv $B/commands.md docs/commands.md
	@sh tests/layers.sh --write $B

FORCE:

# ---- use ------------------------------------------------------------------------------------------------------
demo: $B/finf
	@sh scripts/demo.sh $B/finf

# on two cores, each part's output whole; MOD=linreg: that suite alone
check:
	@$(AGAIN) $(if $(filter command line,$(origin MOD)),check-unit,$(CHECKS))
CHECKS := check-unit check-cli check-docs check-data check-symbols check-layers check-citations \
          check-install check-faults check-sweep

check-unit: $(MOD:%=$B/test_%)
	@for t in $(MOD); do echo "== $$t"; $(RUNNER) $B/test_$$t || exit 1; done

check-cli: $B/finf
	@echo '== command line'
	@sh tests/cli.sh $B/finf

check-docs: $B/finf
	@echo '== examples of README, docs/ and --help'
	@sh tests/docs.sh $B/finf

check-data: $B/finf
	@echo '== committed data'
	@sh tests/data.sh $B/finf

check-symbols: $B/finf $B/libfinf.a $B/libfinf.so
	@echo '== symbols'
	@CC='$(CC)' sh tests/symbols.sh $B '$(LIBS)'

check-layers: $(LIB_OBJ) $(CLI_OBJ)
	@echo '== layers'
	@sh tests/layers.sh $B

check-citations:
	@echo '== citations'
	@sh tests/citations.sh

format-check:
	@sh tests/format.sh

check-install: all
	@echo '== installed'
	@sh tests/version.sh
	@$(MAKE) -s install DESTDIR= PREFIX=$B/prefix LIBDIR=$B/prefix/lib >/dev/null
	@CC='$(CC)' sh tests/install.sh $(abspath $B/prefix)

check-faults: $B/finf $B/faults.so
	@echo '== memory that fails, full disks'
	@sh tests/faults.sh $B/finf $B/faults.so 6

check-sweep: $B/finf $(if $(CONFIG_MPI_LIBS),$B/finf-mpi $B/rank_dies.so)
	@echo '== sweeps'
	@sh tests/sweep.sh $B/finf $(if $(CONFIG_MPI_LIBS),$B/finf-mpi $B/rank_dies.so)

faults: $B/finf $B/faults.so
	@sh tests/faults.sh $B/finf $B/faults.so
	@sh tests/faults_files.sh $B/finf $B/faults.so

faults-short: $B/finf $B/faults.so
	@sh tests/faults_files.sh $B/finf $B/faults.so 12

# ---- Python ---------------------------------------------------------------------------------------------------
# The package as it is imported: its files, the library, and the declarations that cffi reads from the header.
PY_SRC := $(wildcard python/finf/*.py) python/finf/py.typed python/pyproject.toml python/setup.py docs/python.md
P      := $B/python

python-deps:
	@PYTHON='$(PYTHON)' $(FIND)/packages.sh python

$P/finf/_abi.py: include/finf.h python/build_abi.py | python-deps
	@mkdir -p $(@D)
	$(call say,ABI,$@)
	$Q$(PYTHON) python/build_abi.py $< $@.tmp '$(CC)' >/dev/null && mv $@.tmp $@

python-package: $P/finf/_abi.py $B/libfinf.so $(PY_SRC)
	@rm -f $P/finf/[a-z]*.py $P/finf/__init__.py
	@cp --remove-destination python/finf/*.py python/finf/py.typed $B/libfinf.so $P/finf/ # a program may run it
	@cp python/pyproject.toml python/setup.py LICENSE $P/ && cp docs/python.md $P/README.md

python: python-package
	@PYTHON='$(PYTHON)' sh scripts/wheel.sh $P dist $B/venv

# the docstrings' examples, the page's, and python/tests
check-python: python-package $B/finf
	@echo '== Python'
	@FINF='$(abspath $B/finf)' PYTHONPATH=$P $(PYTHON) -m pytest -q -p no:cacheprovider python/tests $(PYTEST)

# most of them with the address sanitizer in the library, which says on stderr what it finds; minutes. (C++ is there
# from the start, as the sanitizer needs it where torch throws.)
asan-python: $B/finf
	$(AGAIN) B=$B/pyasan CFLAGS='-O1 -g' EXTRA='-fsanitize=address' python-package
	@FINF='$(abspath $B/finf)' LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) libstdc++.so.6" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		PYTHONPATH=$B/pyasan/python $(PYTHON) -m pytest -q -s -p no:cacheprovider \
		$(patsubst %,python/tests/test_%.py,input errors streams command_line audit threads examples) $(PYTEST)

bench-python: python-package $B/bench_calls.so
	@PYTHONPATH=$P $(PYTHON) bench/bench_python.py $(abspath $B/bench_calls.so)

# ---- private training on real images, and the notebooks ---------------------------------------------------------
TRAIN  ?= notebooks-data/training
RUN_PY  = OPENBLAS_NUM_THREADS=1 PYTHONPATH=$(abspath $P):$(abspath examples) PYTHONDONTWRITEBYTECODE=1 $(PYTHON)

train-deps:
	@PYTHON='$(PYTHON)' $(FIND)/packages.sh train

train: python-package train-deps
	$(RUN_PY) examples/digits/run.py $(TRAIN)
	$(RUN_PY) examples/fashion_mnist/run.py $(TRAIN) --part convnet & net=$$!; \
	$(RUN_PY) examples/fashion_mnist/run.py $(TRAIN) --part softmax --part predict && wait $$net
	$(RUN_PY) -m private_training.show $(TRAIN)

train-quick: python-package train-deps
	$(RUN_PY) examples/digits/run.py $(TRAIN)
	$(RUN_PY) -m private_training.show $(TRAIN)

NOTEBOOKS := $(wildcard notebooks-data/*.ipynb)
notebook-deps:
	@PYTHON='$(PYTHON)' $(FIND)/packages.sh notebooks
notebooks: python-package notebook-deps
	@cd notebooks-data && $(RUN_PY) ../scripts/notebooks.py run $(notdir $(NOTEBOOKS))
check-notebooks: python-package notebook-deps
	@cd notebooks-data && $(RUN_PY) ../scripts/notebooks.py check $(notdir $(NOTEBOOKS))

# everything in notebooks-data/ but the notebooks and what was trained, from scratch
data: $B/finf
	@rm -rf $B/data
	$B/finf reproduce --out $B/data
	@rm -f notebooks-data/*.csv notebooks-data/*.svg notebooks-data/report.html
	cp $B/data/* notebooks-data/

# the tests of another build, in a folder of its own
AGAIN = $(MAKE) --no-print-directory -Otarget $(if $(findstring -j,$(MAKEFLAGS)),,-j2)
asan:
	$(AGAIN) B=$B/asan CFLAGS='-O1 -g' EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all' check-unit check-cli

clang:
	$(AGAIN) B=$B/clang CC='$(CLANG)' check-unit check-cli check-symbols

no-ecos:
	$(AGAIN) B=$B/no-ecos ECOS=no check-unit check-cli

no-arb:
	$(AGAIN) B=$B/no-arb ARB=no check-unit check-cli check-symbols

no-lapack:
	$(AGAIN) B=$B/no-lapack LAPACK=no check-unit check-cli MOD='lapack data linreg'

no-sodium:
	$(AGAIN) B=$B/no-sodium SODIUM=no check-unit MOD=stream

no-sqlite:
	$(AGAIN) B=$B/no-sqlite SQLITE=no MPI=no check-sweep

# a selection that takes minutes; MOD=linreg: that suite
valgrind:
	$(MAKE) B=$B/valgrind CFLAGS='-O1 -g' check-unit CK_FORK=no \
	  MOD='$(if $(filter command line,$(origin MOD)),$(MOD),ellint privacy stream data lapack)' \
	  RUNNER='env CK_FORK=no CK_DEFAULT_TIMEOUT=0 valgrind -q --error-exitcode=9 --leak-check=full --suppressions=scripts/valgrind.supp'

bench: $B/bench_core $B/bench_iqc $B/finf
	@rm -f $B/bench.ratios
	OPENBLAS_NUM_THREADS=1 FINF_BENCH=$B/bench.ratios $B/bench_core
	FINF_BENCH=$B/bench.ratios $B/bench_iqc
	@FINF_BENCH=$(abspath $B/bench.ratios) sh bench/bench_sweep.sh $B/finf $(if $(CONFIG_MPI_LIBS),$B/finf-mpi)
	@{ echo '{'; sed '$$!s/$$/,/' $B/bench.ratios; echo '}'; } > $B/bench.json

# what became slower since bench/baseline.json, by ratios of one run each
bench-compare:
	@[ -f $B/bench.json ] || $(MAKE) --no-print-directory bench
	@sh bench/compare.sh bench/baseline.json $B/bench.json

install: all
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin include share/man/man1 share/bash-completion/completions \
	  share/zsh/site-functions) $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 755 $B/finf $(DESTDIR)$(PREFIX)/bin/finf
	$(if $(CONFIG_MPI_LIBS),install -m 755 $B/finf-mpi $(DESTDIR)$(PREFIX)/bin/finf-mpi)
	install -m 644 $B/libfinf.a $(DESTDIR)$(LIBDIR)/libfinf.a
	install -m 755 $B/libfinf.so $(DESTDIR)$(LIBDIR)/libfinf.so.0
	ln -sf libfinf.so.0 $(DESTDIR)$(LIBDIR)/libfinf.so
	install -m 644 include/finf.h $(DESTDIR)$(PREFIX)/include/finf.h
	install -m 644 $B/finf.pc $(DESTDIR)$(LIBDIR)/pkgconfig/finf.pc
	install -m 644 $B/finf.1 $(DESTDIR)$(PREFIX)/share/man/man1/finf.1
	install -m 644 $B/finf.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/finf
	install -m 644 $B/_finf $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_finf

uninstall:
	cd $(DESTDIR)$(LIBDIR) && rm -f libfinf.a libfinf.so libfinf.so.0 pkgconfig/finf.pc
	cd $(DESTDIR)$(PREFIX) && rm -f bin/finf bin/finf-mpi include/finf.h share/man/man1/finf.1 \
	  share/bash-completion/completions/finf share/zsh/site-functions/_finf

# the committed sources; the same bytes for the same commit
dist:
	@mkdir -p dist
	@git archive --prefix=finf-$(VERSION)/ HEAD | gzip -9n > dist/finf-$(VERSION).tar.gz
	@echo dist/finf-$(VERSION).tar.gz

# Debian's packages of it, into dist/; DEB_BUILD_OPTIONS=nocheck: without the tests
deb: dist
	@sh scripts/deb.sh dist/finf-$(VERSION).tar.gz $B/deb

clean:
	rm -rf $B dist

include scripts/trust.mk

.PRECIOUS: $B/obj/%.o
-include $(shell find $B/obj -name '*.d' 2>/dev/null)

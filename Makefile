# SPDX-License-Identifier: BSD-3-Clause
# For a newcomer: `make demo`, `make check` and `make install`. They build and run with what is here; `make deps`
# installs what is missing, where there is apt-get. Everything else is CMake.
JOBS ?= $(shell nproc)
# Which MPI: mpi (mpicc on the PATH), openmpi, mpich (Debian's names), abi (the standard ABI of MPI 5, also without an
# MPI); packaging/mpis.sh finds out.
MPI  ?= $(firstword $(shell sh packaging/mpis.sh))

# Where to install; DESTDIR is put in front, for packages.
PREFIX ?= /usr/local

.PHONY: help install uninstall wheel dist packages debs site amalgamation demo demo-train check check-all check-long check-apps check-fresh check-suites deps needed command fuzz verify docs figures study scale scale-outer threads mutants clean

help:
	@echo "make demo         sums over 1..8 processes, plain MPI and ours, of generated numbers (1 min)"
	@echo "make demo FILES='a.npy b.npy'   the same of your own (docs/files.md)"
	@echo "make check        build and test with each MPI here, and under sanitizers ($$(sh test/check.sh minutes -LE long) min on 2 cores)"
	@echo "make demo-train   trains a network on drawn digits, on one process and on several (30 s)"
	@echo "make install PREFIX=DIR   the libraries, the command, its manual and examples; without tests (1 min on 2 cores)"
	@echo "make uninstall PREFIX=DIR removes them again"
	@echo "make wheel        build/wheel: the Python package with the library for one process"
	@echo "make dist         build/dist: the source of a release as a tarball, the same bytes for one commit"
	@echo "make packages     build/packages: that, and recipes of it for Debian, Spack, EasyBuild, conda and RPM (docs/install.md)"
	@echo "make debs         the same, and Debian's packages for Open MPI and MPICH side by side"
	@echo "make site         build/site/site: README, docs and the manual as pages for a browser (mkdocs, mandoc)"
	@echo "make amalgamation build/amalgamation: the exact accumulator as two files for projects that carry their sources"
	@echo "make deps         install what these need by apt-get, as root; SUDO=sudo: through sudo"
	@echo "make check-all    make check and the long tests: more ranks, more proofs, SimGrid ($$(sh test/check.sh minutes -LE longest) min),"
	@echo "                  and where there is debootstrap some with Debian stable's Open MPI (8 min)"
	@echo "make check-long   all tests: every rank count with each MPI, every root in proofs; before a release"
	@echo "make check-apps   sums and products against Octave; LAMMPS, HPCC and others with the shim (15 min)"
	@echo "make check-fresh  both commands in a bare Debian root (needs root and debootstrap; 40 min)"
	@echo "make check-suites the same, and tests, on Debian stable and unstable with each MPI there; one table (2 hours)"
	@echo "make verify       prove all algorithms for more ranks than make check does (hours)"
	@echo "make threads      run the tests of threads under ThreadSanitizer"
	@echo "make mutants      plants faults in the source, one at a time: which of them does no test find? (40 min)"
	@echo "make study        the command summand-study, which reproduces figures of papers"
	@echo "make figures      run the experiments of the gossip paper, small, with pictures"
	@echo "make scale        simulate clusters of 576 to 4096 ranks (SimGrid); SCALE_SIZE=full: hours"
	@echo "make scale-outer  sums of outer products on the paper's cluster, 8 to 48 nodes (SimGrid)"
	@echo "make docs         make anew what commands print into pages: docs/algorithms.md, pictures, tables"
	@echo "make fuzz         feed the accumulator random input for ten minutes"

deps:
	@sh packaging/packages.sh install build test 'simulate?' 'blas?' 'faster?'

needed:
	@[ "$(MPI)" = abi ] || sh packaging/packages.sh check build

# The command alone, without the tests and their libraries.
command: needed
	@echo "== build/$(MPI): building the command with $(JOBS) processes, 2 minutes of processor time"
	@JOBS=$(JOBS) sh packaging/build.sh $(MPI) summand-command

# What is installed, without the tests.
install: needed
	@echo "== build/$(MPI): building what is installed with $(JOBS) processes, 2 minutes of processor time"
	@JOBS=$(JOBS) sh packaging/build.sh $(MPI) all
	@cmake --install build/$(MPI) --prefix "$(abspath $(PREFIX))" >build/$(MPI)-install.log || { cat build/$(MPI)-install.log; exit 1; }
	@echo "== Summand for $$(sed -n 's/^mpi=//p' build/$(MPI)/summand-uninstalled.pc) is in $(abspath $(PREFIX)): examples in" \
	    "share/doc/summand/examples; 'make uninstall PREFIX=$(PREFIX)' removes it"

uninstall:
	@cmake -DBUILD=build/$(MPI) -DPREFIX="$(abspath $(PREFIX))" -P cmake/Uninstall.cmake

wheel: needed
	@JOBS=$(JOBS) sh packaging/build.sh $(MPI) summand-local-shared
	@sh packaging/wheel.sh build/$(MPI) build/wheel

dist:
	@sh packaging/dist.sh build/dist

packages:
	@sh packaging/recipes.sh build/packages

debs:
	@sh packaging/deb.sh build/packages

site: needed
	@sh packaging/packages.sh check site
	@JOBS=$(JOBS) sh packaging/build.sh $(MPI) summand-pages
	@sh packaging/site/site.sh build/$(MPI)/cli/summand-pages build/site

# What other projects copy; the same bytes for one commit.
amalgamation:
	@python3 packaging/amalgamation/amalgamate.py build/amalgamation "$$(grep -x '[0-9a-f]\{40\}' cmake/commit.txt || { [ -e .git ] && git rev-parse HEAD; } || echo a release)"

demo: command
	@SUMMAND=build/$(MPI)/summand \
	    MPIEXEC="$$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' build/$(MPI)/CMakeCache.txt)" \
	    sh bench/demo.sh $(FILES)

demo-train: command
	@SUMMAND=build/$(MPI)/summand \
	    MPIEXEC="$$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' build/$(MPI)/CMakeCache.txt)" \
	    sh bench/demo_train.sh

check: needed
	@JOBS=$(JOBS) sh test/check.sh -LE long

# With the tests labelled long: more ranks, more proofs; and with Debian stable's Open MPI. CI runs this.
check-all: needed
	@JOBS=$(JOBS) sh test/check.sh -LE longest
	@FRESH_PARTS=short sh test/fresh.sh

# With the longest ones too: before a release.
check-long: needed
	@JOBS=$(JOBS) sh test/check.sh

# Other programs as outside checks; each is optional: 'sh packaging/packages.sh install apps'.
check-apps: command
	@sh packaging/packages.sh check 'apps?'
	@JOBS=$(JOBS) sh packaging/build.sh $(MPI) summand-command multiply
	@sh test/apps/octave.sh "$$PWD/build/$(MPI)"
	@for mpi in $$(sh packaging/mpis.sh | grep -vx abi); do JOBS=$(JOBS) sh packaging/build.sh $$mpi summand-command || exit 1; done
	@sh test/apps/shim.sh $$(sh packaging/mpis.sh | grep -vx abi | sed "s|^|$$PWD/build/|")
	@! sh packaging/mpis.sh | grep -qx openmpi || sh test/apps/record.sh "$$PWD/build/openmpi"

check-fresh:
	@sh test/fresh.sh

check-suites:
	@FRESH_PARTS=suites sh test/fresh.sh

verify: command
	build/$(MPI)/summand verify --all

threads: needed
	@JOBS=$(JOBS) sh packaging/build.sh tsan tests-of-threads
	cd build/tsan && ctest

# The script reads the flags that CMake writes for make.
mutants: needed
	@cmake -S . -B build/mutants -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release \
	    -DMPI_EXECUTABLE_SUFFIX=$(if $(filter openmpi mpich,$(MPI)),.$(MPI)) >build/mutants.log
	@cmake --build build/mutants -j $(JOBS) --target $$(sh test/mutants/run.sh .) >>build/mutants.log
	@sh test/mutants/run.sh . build/mutants

# The command of the papers' figures, and of what draws tables.
study: needed
	@JOBS=$(JOBS) sh packaging/build.sh $(MPI) summand-study

figures: study
	build/$(MPI)/summand-study figure all --quick

# SimGrid is optional: libsimgrid-dev, 100 MB.
SCALE_SIZE ?= quick
scale: command study
	@sh packaging/packages.sh check simulate
	@JOBS=$(JOBS) sh packaging/build.sh smpi scale
	@SUMMAND=build/$(MPI)/summand JOBS=$(JOBS) sh bench/scale.sh $(SCALE_SIZE)

scale-outer: command study
	@sh packaging/packages.sh check simulate
	@JOBS=$(JOBS) sh packaging/build.sh smpi scale scale-outer
	@SUMMAND=build/$(MPI)/summand JOBS=$(JOBS) sh bench/scale.sh $(SCALE_SIZE) outer

docs: command
	cmake --build build/$(MPI) --target docs

# By coverage under clang and its sanitizers where there is clang; else seeded random input.
SECONDS_OF_FUZZ ?= 600
fuzz:
	@if command -v clang-14 >/dev/null; then \
	    cmake -S . -B build/fuzz -DCMAKE_C_COMPILER=clang-14 -DSUMMAND_FUZZ=ON \
	        -DSUMMAND_WITH_MPI=OFF -DSUMMAND_FUZZ_SECONDS=$(SECONDS_OF_FUZZ) >/dev/null && \
	    cmake --build build/fuzz -j $(JOBS) --target fuzz; \
	else \
	    echo "clang-14 is not here (package clang-14): seeded random input without coverage"; \
	    JOBS=$(JOBS) sh packaging/build.sh asan fuzz-exact && \
	    build/asan/test/fuzz/fuzz-exact $(SECONDS_OF_FUZZ); \
	fi

clean:
	rm -rf build demo

# Two commands for a newcomer: `make demo` and `make check`. Both install what is missing (Debian
# packages), build, and run. Everything else is CMake: see CMakePresets.json.
JOBS ?= $(shell nproc)
MPI  ?= openmpi

.PHONY: help demo check build-% deps fuzz verify clean

help:
	@echo "make demo    sums of real data over 1..8 processes: plain MPI, and ours"
	@echo "make check   build and test everything, Open MPI and MPICH, sanitizers"
	@echo "make verify  prove all algorithms for more ranks than make check does"
	@echo "make fuzz    feed the accumulator random input for ten minutes"

deps:
	@sh packaging/install-packages.sh

build-%:
	@cmake --preset $* >build-$*.log.tmp 2>&1 || { cat build-$*.log.tmp; rm -f build-$*.log.tmp; exit 1; }
	@rm -f build-$*.log.tmp
	@cmake --build --preset $* -j $(JOBS)

demo: deps
	@$(MAKE) --no-print-directory build-$(MPI)
	@SUMMAND=build/$(MPI)/summand MPIEXEC=mpiexec.$(MPI) sh bench/demo.sh $(FILES)

check: deps
	@JOBS=$(JOBS) sh test/check.sh

verify: deps
	@$(MAKE) --no-print-directory build-$(MPI)
	build/$(MPI)/summand verify --ranks 257

fuzz: deps
	@$(MAKE) --no-print-directory build-$(MPI)
	cmake --build build/$(MPI) --target fuzz

clean:
	rm -rf build demo

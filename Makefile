# Two commands for a newcomer: `make demo` and `make check`. Both install what is missing (Debian
# packages), build, and run. Everything else is CMake: see CMakePresets.json.
JOBS ?= $(shell nproc)
MPI  ?= openmpi

.PHONY: help demo check deps deps-optional fuzz verify docs figures scale threads clean

help:
	@echo "make demo    sums of real data over 1..8 processes: plain MPI, and ours"
	@echo "make check   build and test everything, Open MPI and MPICH, sanitizers, SimGrid"
	@echo "make verify  prove all algorithms for more ranks than make check does"
	@echo "make threads run the tests of threads under ThreadSanitizer"
	@echo "make figures run the experiments of the gossip paper, small, with pictures"
	@echo "make scale   simulate clusters of 576 to 4096 ranks (SimGrid); SCALE_SIZE=full: hours"
	@echo "make docs    make docs/algorithms.md and its pictures anew"
	@echo "make fuzz    feed the accumulator random input for ten minutes"

deps:
	@sh packaging/install-packages.sh

deps-optional: deps
	@sh packaging/install-packages.sh optional

build-%:
	@cmake --preset $* >build-$*.log.tmp 2>&1 || { cat build-$*.log.tmp; rm -f build-$*.log.tmp; exit 1; }
	@rm -f build-$*.log.tmp
	@cmake --build --preset $* -j $(JOBS)

demo: deps
	@$(MAKE) --no-print-directory build-$(MPI)
	@SUMMAND=build/$(MPI)/summand MPIEXEC=mpiexec.$(MPI) sh bench/demo.sh $(FILES)

check: deps-optional
	@JOBS=$(JOBS) sh test/check.sh

verify: deps
	@$(MAKE) --no-print-directory build-$(MPI)
	build/$(MPI)/summand verify --joined
	build/$(MPI)/summand verify --all

threads: deps
	@$(MAKE) --no-print-directory build-tsan
	ctest --preset tsan

figures: deps
	@$(MAKE) --no-print-directory build-$(MPI)
	build/$(MPI)/summand gossip figure all --quick

# SimGrid is optional: libsimgrid-dev, 100 MB.
SCALE_SIZE ?= quick
scale: deps
	@command -v smpicc >/dev/null || { echo "make scale needs SimGrid (Debian: libsimgrid-dev)"; exit 1; }
	@$(MAKE) --no-print-directory build-$(MPI) build-smpi
	@cmake --build build/smpi --target scale -j $(JOBS) | tail -n 1
	@SUMMAND=build/$(MPI)/summand JOBS=$(JOBS) sh bench/scale.sh $(SCALE_SIZE)

docs: deps
	@$(MAKE) --no-print-directory build-$(MPI)
	cmake --build build/$(MPI) --target docs

# By coverage under clang and its sanitizers where there is clang; else seeded random input.
SECONDS_OF_FUZZ ?= 600
fuzz: deps
	@if command -v clang-14 >/dev/null; then \
	    cmake -S . -B build/fuzz -DCMAKE_C_COMPILER=clang-14 -DSUMMAND_FUZZ=ON \
	        -DSUMMAND_WITH_MPI=OFF -DSUMMAND_FUZZ_SECONDS=$(SECONDS_OF_FUZZ) >/dev/null && \
	    cmake --build build/fuzz -j $(JOBS) --target fuzz; \
	else \
	    echo "clang-14 is not here (package clang-14): seeded random input without coverage"; \
	    cmake --preset openmpi >/dev/null && \
	    cmake --build build/openmpi -j $(JOBS) --target fuzz-exact && \
	    build/openmpi/test/fuzz/fuzz-exact $(SECONDS_OF_FUZZ); \
	fi

clean:
	rm -rf build demo

/* np: 1 2 3; brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's floating-point environment: directed rounding, flush-to-zero and unmasked traps
 * change no bit of any method, and are restored afterwards. Input pages are read-only. */
#include <fenv.h>
#include <sys/mman.h>

#include "mpi/methods.h"
#include "mpi/sums.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { N = 900 };

static void set_environment(int which)
{
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(roundings[which % 4]);
#if defined(__x86_64__)
    if (which >= 4)
        _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
#endif
}

static void reset_environment(void)
{
    fesetenv(FE_DFL_ENV);
}

TESTS
{
    uint64_t seed = 31;
    size_t bytes = (2 * N * sizeof(double) + 4095) / 4096 * 4096;
    double *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double *y = x + N;
    fill_values(&seed, N, 20, x);
    fill_values(&seed, N, 20, y);
    for (int i = 0; i < N; i += 7) /* denormals, which are 0 to a caller that flushes them */
        x[i] = (double)(i + 1) * 0x1p-1074;
    mprotect(x, bytes, PROT_READ);
    size_t first = (size_t)N * (size_t)harness_rank / (size_t)harness_ranks;
    size_t end = (size_t)N * (size_t)(harness_rank + 1) / (size_t)harness_ranks;
    summand_term terms[4];
    double want[METHODS][4], result[4];
    for (int kind = 0; kind < 4; kind++) {
        terms[kind] = (summand_term){.kind = (enum summand_kind)kind,
                                     .count = (MPI_Count)(end - first),
                                     .displacement = (MPI_Count)first,
                                     .x = x + first,
                                     .y = y + first};
        want[EXACT_METHOD][kind] = oracle_exact((enum summand_kind)kind, N, x, y);
        want[TREE_METHOD][kind] = oracle_tree((enum summand_kind)kind, N, x, y);
        want[STUDY_METHOD][kind] = want[TREE_METHOD][kind];
    }
    for (int which = 0; which < 8; which++)
        for (int method = 0; method < METHODS; method++) {
            set_environment(which);
            int rounding = fegetround();
            int code =
                method_sums(method, SUMMAND_ROOT_ALL, 4, terms, result, MPI_DOUBLE, MPI_COMM_WORLD);
            int kept = fegetround() == rounding;
#if defined(__x86_64__)
            kept = kept && (which < 4 || (_mm_getcsr() & 0x8040) == 0x8040);
#endif
            reset_environment();
            CHECK(code == MPI_SUCCESS && kept, "environment %d: code %d", which, code);
            for (int kind = 0; kind < 4; kind++)
                CHECK(harness_bits(result[kind]) == harness_bits(want[method][kind]),
                      "environment %d %s %s: %a, not %a", which, method_names[method],
                      kind_names[kind], result[kind], want[method][kind]);
        }
    munmap(x, bytes);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A test program under mpiexec: checks count failures on each rank. The program fails on all ranks
 * if any check failed on any, and rank 0 prints how many ran.
 *
 * With HARNESS_TOGETHER it is one function of many in a process (mpi/together.c): MPI_COMM_WORLD is
 * then its own duplicate, without state of the programs before it. */
#pragma once

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long harness_checks, harness_failures;
static int harness_rank, harness_ranks;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        harness_checks++;                                                                          \
        if (!(condition) && harness_failures++ < 10) {                                             \
            char text_[512];                                                                       \
            snprintf(text_, sizeof text_, __VA_ARGS__);                                            \
            fprintf(stderr, "%s:%d: rank %d of %d: %s: %s\n", __FILE__, __LINE__, harness_rank,    \
                    harness_ranks, #condition, text_);                                             \
        }                                                                                          \
    } while (0)

#ifdef HARNESS_TOGETHER
static MPI_Comm harness_world;
#endif

/* MPI_Init_thread, or its earlier call by together.c for all programs. Returns the level. */
static inline int harness_begin_threads(int *argc, char ***argv, int level)
{
    int provided;
#ifdef HARNESS_TOGETHER
    (void)argc, (void)argv, (void)level;
    MPI_Query_thread(&provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &harness_world);
    MPI_Comm_set_name(harness_world, "MPI_COMM_WORLD");
#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD harness_world
#else
    MPI_Init_thread(argc, argv, level, &provided);
#endif
    MPI_Comm_rank(MPI_COMM_WORLD, &harness_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &harness_ranks);
    return provided;
}

static inline void harness_begin(int *argc, char ***argv)
{
    harness_begin_threads(argc, argv, MPI_THREAD_SINGLE);
}

static inline int harness_end(void)
{
    long mine[2] = {harness_checks, harness_failures}, all[2];
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (!harness_rank)
        printf("%d ranks: %ld checks, %ld failed\n", harness_ranks, all[0], all[1]);
#ifdef HARNESS_TOGETHER
    MPI_Comm_free(&harness_world);
#else
    MPI_Finalize();
#endif
    return all[1] || !all[0] ? 1 : 0;
}

/* The checks of a program, between its begin and end: TESTS { ... }. */
#define TESTS                                                                                      \
    static void harness_tests(void);                                                               \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        harness_begin(&argc, &argv);                                                               \
        harness_tests();                                                                           \
        return harness_end();                                                                      \
    }                                                                                              \
    static void harness_tests(void)

/* A duplicate of MPI_COMM_WORLD that returns errors. */
static inline MPI_Comm harness_comm(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* True if the ranks are on several nodes: real ones, or those of SUMMAND_NODE_SIZE. Collective. */
static inline int harness_spans_nodes(void)
{
    MPI_Comm node;
    int ranks;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return ranks < harness_ranks || getenv("SUMMAND_NODE_SIZE") != NULL;
}

/* A small generator, the same on all ranks for the same seed. */
static inline uint64_t harness_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A seed that is the same on all ranks, and differs between numbers of ranks and transports. */
static inline uint64_t harness_seed(void)
{
    const char *transport = getenv("SUMMAND_TRANSPORT"), *nodes = getenv("SUMMAND_NODE_SIZE");
    uint64_t seed = (uint64_t)harness_ranks;
    for (const char *text = transport ? transport : ""; *text; text++)
        seed = seed * 31 + (unsigned char)*text;
    return nodes ? ~seed : seed;
}

/* True if MPICH runs: a program of the standard ABI learns that from the library alone. */
static inline int harness_mpich(void)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (!*version)
        MPI_Get_library_version(version, &length);
    return strstr(version, "MPICH") != NULL;
}

/* Whether to leave out the next case; all ranks get the same answer. If MPICH has more ranks than
 * cores, one case in 4 runs, drawn at random and anew for each transport and number of ranks: most
 * cases run somewhere. (On an idle machine a call costs as little as with Open MPI, see
 * tool/yield.c. But a rank that yields there lets all other work go first, which costs milliseconds
 * under load.) Open MPI, and MPICH on enough cores, run all. */
static inline int harness_skips(void)
{
    static uint64_t cases;
    if (!harness_mpich())
        return 0;
    if (!cases)
        cases = harness_seed();
    return harness_random(&cases) % 4 && harness_ranks > sysconf(_SC_NPROCESSORS_ONLN);
}

static inline uint64_t harness_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

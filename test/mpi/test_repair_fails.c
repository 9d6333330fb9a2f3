/* np: 2 3; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Repairs that fail, with SUMMAND_CHECKED=correct: a sender whose input changes has nothing right
 * to send again, and the receiver gives up after three tries; and notes that are damaged
 * themselves. Each is an error in words, and the next call works. */
#include <summand.h>

#include "base/inject.h"
#include "kernel/seal.h"
#include "mpi/harness.h"
#include "transport/injected.h"

enum { N = 3001, ROUNDS = 3, NONE = -1, REQUEST, REPEAT, WHOLE }; /* notes as in sealed_repair.c */

static int damages, notes[3]; /* the kind that this rank damages; how many it has sent of each */
static double x[N], y[N];
static MPI_Comm comm;

int __real_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
                      MPI_Request *request);
int __wrap_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
                      MPI_Request *request);
int __wrap_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
                      MPI_Request *request)
{
    uint32_t head[8];
    memcpy(head, from, count >= (int)sizeof head ? sizeof head : 0);
    if (count >= (int)sizeof head && head[1] <= WHOLE &&
        head[0] == summand__seal_kernels()->crc32c(0, (const char *)from + 4, (size_t)count - 4)) {
        notes[head[1]]++;
        ((unsigned char *)from)[17] ^= damages == (int)head[1] ? 4 : 0; /* the library's memory */
    }
    return __real_PMPI_Isend(from, count, type, to, tag, c, request);
}

static int is_right(void)
{
    int good = 1;
    for (int i = 0; i < N; i++)
        good = good && y[i] == harness_ranks * (i + (harness_ranks - 1) / 2.0);
    return good;
}

static int sum_of(int mine)
{
    int all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
    return all;
}

/* The data of rank 1's message are damaged on their way. `kind`: of a note that is damaged, too;
 * `changes`: rank 1's input, once it has been sent. `words`: of the error; or NULL: there is none.
 */
static void test(summand_plan *plan, int kind, int changes, int requests, const char *words)
{
    const struct summand__injection fault = {summand__injection_kinds, 1, 0, 777};
    changes = changes && harness_rank == 1;
    damages = harness_rank == (kind != REQUEST) ? kind : NONE; /* one note */
    memset(notes, 0, sizeof notes);
    memset(y, 0, sizeof y);
    MPI_Barrier(comm);
    summand__inject(harness_rank == 1 ? &fault : NULL);
    int code = summand_plan_start(plan);
    x[N / 2] += changes;
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(plan);
    x[N / 2] -= changes;
    CHECK(harness_rank != 1 || summand__injected_any(), "nothing was damaged");
    const int damaged = summand_error_of(code) == SUMMAND_ERR_DAMAGED;
    const char *text = code == MPI_SUCCESS ? "" : summand_error_text(code);
    const int said = sum_of(words && damaged && strstr(text, words)),
              asked = sum_of(notes[REQUEST]);
    summand__inject(NULL);
    damages = NONE;
    CHECK(summand_error_of(code) != SUMMAND_ERR_TIMEOUT, "kind %d: a rank waits", kind);
    CHECK(code != MPI_SUCCESS || is_right() || changes, "kind %d: silent", kind);
    CHECK(words ? said > 0 : code == MPI_SUCCESS, "kind %d: %s", kind, text);
    CHECK(asked == requests, "kind %d: asked %d times", kind, asked);
}

static void test_all(int round)
{
    static const struct {
        int kind, changes, requests;
        const char *words;
    } rows[] = {{NONE, 0, 1, NULL},
                {NONE, 1, 3, "chunk 1 of 1"},
                {REQUEST, 0, 1, "a note about damage is damaged itself"},
                {REPEAT, 0, 1, "a note about damage is damaged itself"},
                {WHOLE, 0, 1, "a note about damage is damaged itself"}};
    const summand_options o = {
        .algorithm = "binomial", .check = SUMMAND_CHECKED_CORRECT, .timeout = 100};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        summand_plan *plan;
        int code = summand_allreduce_init(x, y, N, MPI_DOUBLE, MPI_SUM, comm, &o, &plan);
        CHECK(code == MPI_SUCCESS, "%d: %s", round, summand_error_text(code));
        test(plan, rows[i].kind, rows[i].changes, rows[i].requests, rows[i].words);
        summand_plan_free(&plan);
        memset(y, 0, sizeof y);
        code = summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, &o);
        CHECK(code == MPI_SUCCESS && is_right(), "row %zu: the next call: %s", i,
              summand_error_text(code));
    }
}

TESTS
{
    damages = NONE;
    summand__inject(NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < N; i++)
        x[i] = i + harness_rank;
    for (int round = 0; round < ROUNDS; round++)
        test_all(round);
    MPI_Comm_free(&comm);
}

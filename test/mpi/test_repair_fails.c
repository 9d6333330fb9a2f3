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
enum { HEAD = 32, ONE = 1, BOTH, DATA }; /* bytes; the heads of a note that are damaged */

static int damages, notes[3]; /* the kind that this rank damages; how many it has sent of each */
static int what, note_tag, holds; /* holds: a note that arrives stays incomplete */
static const MPI_Request *held;
static double x[N], y[N];
static MPI_Comm comm;

int __real_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
                      MPI_Request *request);
int __wrap_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
                      MPI_Request *request);
int __wrap_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
                      MPI_Request *request)
{
    uint32_t head[HEAD / 4];
    unsigned char *bytes = (unsigned char *)from; /* the library's memory */
    memcpy(head, from, count >= HEAD ? HEAD : 0);
    if (count >= 2 * HEAD && head[1] <= WHOLE &&
        head[0] == summand__seal_kernels()->crc32c(0, bytes + 4, HEAD - 4)) {
        const int now = damages == (int)head[1], first = !notes[head[1]]++;
        note_tag = tag;
        bytes[17] ^= now && what <= BOTH ? 4 : 0;
        bytes[HEAD + 17] ^= now && what == BOTH ? 4 : 0;
        if (now && what == DATA && first)
            bytes[count - 1] ^= 4;
    }
    return __real_PMPI_Isend(from, count, type, to, tag, c, request);
}

int __real_PMPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm c,
                      MPI_Request *request);
int __wrap_PMPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm c,
                      MPI_Request *request);
int __wrap_PMPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm c,
                      MPI_Request *request)
{
    if (holds && tag == note_tag)
        held = request;
    return __real_PMPI_Irecv(to, count, type, from, tag, c, request);
}

int __real_PMPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    *done = 0;
    return request == held ? MPI_SUCCESS : __real_PMPI_Test(request, done, status);
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

/* The data of rank 1's message are damaged on their way. `kind`: of a note that is damaged, too, by
 * one rank, or by all if one good head is left;
 * `changes`: rank 1's input, once it has been sent. `words`: of the error; or NULL: there is none.
 */
static void test(summand_plan *plan, int kind, int damaged_part, int changes, int requests,
                 const char *words)
{
    const struct summand__injection fault = {summand__injection_kinds, 1, 0, 777};
    changes = changes && harness_rank == 1;
    const int all = kind == WHOLE && damaged_part == ONE;
    damages = all || harness_rank == (kind != REQUEST) ? kind : NONE;
    what = damaged_part;
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
        int kind, what, changes, requests;
        const char *words;
    } rows[] = {{NONE, 0, 0, 1, NULL},
                {NONE, 0, 1, 3, "chunk 1 of 1"},
                {REQUEST, ONE, 0, 1, NULL},
                {REPEAT, ONE, 0, 1, NULL},
                {REPEAT, DATA, 0, 2, NULL},
                {WHOLE, ONE, 0, 1, NULL},
                {REQUEST, BOTH, 0, 1, "a note about damage is damaged itself"},
                {REPEAT, BOTH, 0, 1, "a note about damage is damaged itself"},
                {WHOLE, BOTH, 0, 1, "a note about damage is damaged itself"}};
    const summand_options o = {
        .algorithm = "binomial", .check = SUMMAND_CHECKED_CORRECT, .timeout = 100};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        summand_plan *plan;
        int code = summand_allreduce_init(x, y, N, MPI_DOUBLE, MPI_SUM, comm, &o, &plan);
        CHECK(code == MPI_SUCCESS, "%d: %s", round, summand_error_text(code));
        test(plan, rows[i].kind, rows[i].what, rows[i].changes, rows[i].requests, rows[i].words);
        summand_plan_free(&plan);
        memset(y, 0, sizeof y);
        code = summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, &o);
        CHECK(code == MPI_SUCCESS && is_right(), "row %zu: the next call: %s", i,
              summand_error_text(code));
    }
}

/* The answer to a request begins to arrive, and its sender stops: the deadline holds. */
static void test_half(void)
{
    const struct summand__injection fault = {summand__injection_kinds, 1, 0, 777};
    const summand_options o = {
        .algorithm = "binomial", .check = SUMMAND_CHECKED_CORRECT, .timeout = 2};
    holds = !harness_rank;
    summand__inject(harness_rank == 1 ? &fault : NULL);
    int code = summand_reduce(x, y, N, MPI_DOUBLE, MPI_SUM, 0, comm, &o);
    CHECK(sum_of(code != MPI_SUCCESS) == harness_ranks, "code %d", code);
    CHECK(sum_of(summand_error_of(code) == SUMMAND_ERR_TIMEOUT), "code %d", code);
    CHECK(sum_of(held != NULL) == 1, "no note");
    summand__inject(NULL);
    holds = 0;
    held = NULL;
    code = summand_reduce(x, y, N, MPI_DOUBLE, MPI_SUM, 0, comm, NULL);
    CHECK(code == MPI_SUCCESS && (harness_rank || is_right()), "the next call: code %d", code);
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
    test_half();
    MPI_Comm_free(&comm);
}

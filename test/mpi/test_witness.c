/* np: 2 3 5 8; brief; also: checked/3 corrected/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Both ends of checked calls: an input that changes while a plan is active is an error on every
 * rank; so is a result that one rank has computed wrongly, or it is computed again. */
#include <summand.h>

#include "base/warning.h"
#include "kernel/seal.h"
#include "mpi/harness.h"
#include "process/damaged.h"

enum { N = 3001 };

static double x[N], y[N];
static MPI_Comm comm;
static int operations, lies_at; /* of this rank in a call; which one is wrong, or 0 */
static char line[400];          /* the last one of this rank */

void __wrap_summand__tell(const char *words);
void __wrap_summand__tell(const char *words)
{
    snprintf(line, sizeof line, "%s", words);
}

/* So many of this rank's next results have another bit when their hash is taken. */
static int damages;

const struct summand__seal_kernels *__real_summand__seal_kernels(void);
const struct summand__seal_kernels *__wrap_summand__seal_kernels(void);

static uint64_t hash_damaged(uint64_t start, const void *bytes, size_t count)
{
    if (damages && bytes == y && count) {
        damages--;
        ((unsigned char *)y)[count / 2] ^= 4;
    }
    return __real_summand__seal_kernels()->hash(start, bytes, count);
}

const struct summand__seal_kernels *__wrap_summand__seal_kernels(void)
{
    static struct summand__seal_kernels kernels;
    kernels = *__real_summand__seal_kernels();
    kernels.hash = hash_damaged;
    return &kernels;
}

static double right(int i)
{
    const double all = harness_ranks;
    return all * i + all * (all - 1) / 2;
}

static int is_right(void)
{
    int good = 1;
    for (int i = 0; i < N; i++)
        good = good && y[i] == right(i);
    return good;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] += ((double *)in)[i];
    if (++operations == lies_at)
        ((double *)inout)[*count - 1] += 1;
}

/* The number of ranks on which a thing holds. */
static int on(int holds)
{
    int all;
    holds = holds != 0;
    MPI_Allreduce(&holds, &all, 1, MPI_INT, MPI_SUM, comm);
    return all;
}

/* One rank's input changes between start and wait. Messages that leave where the input lies may be
 * damaged by that, too; those of few elements are copied first. */
static void test_input(enum summand_checked check, int n)
{
    const summand_options o = {.check = check};
    const int last = harness_rank == harness_ranks - 1;
    for (int round = 0; round < 3; round++) {
        summand_plan *plan;
        int code = summand_allreduce_init(x, y, n, MPI_DOUBLE, MPI_SUM, comm, &o, &plan);
        CHECK(code == MPI_SUCCESS, "%s", summand_error_text(code));
        const int changes = round == 1 && last;
        summand_plan_start(plan);
        x[n / 2] += changes;
        code = summand_plan_wait(plan);
        x[n / 2] -= changes;
        const char *text = code == MPI_SUCCESS ? "" : summand_error_text(code);
        if (round != 1 || check == SUMMAND_CHECKED_OFF)
            CHECK(code == MPI_SUCCESS && (round == 1 || y[n - 1] == right(n - 1)), "%d: %s", round,
                  text);
        else if (n == N)
            CHECK(code != MPI_SUCCESS, "%d: no error", round);
        else if (last)
            CHECK(summand_error_of(code) == SUMMAND_ERR_DAMAGED &&
                      strstr(text, "the input of summand_allreduce has changed"),
                  "%s", text);
        else
            CHECK(summand_error_of(code) == SUMMAND_ERR_REMOTE && strstr(text, "of another rank"),
                  "%s", text);
        summand_plan_free(&plan);
        MPI_Barrier(comm);
    }
}

static int call(MPI_Op op, enum summand_checked check, int in_place)
{
    const summand_options o = {.algorithm = "recursive-doubling", .check = check, .timeout = 100};
    memcpy(y, x, sizeof y);
    if (!in_place)
        memset(y, 0, sizeof y);
    operations = 0;
    return summand_allreduce(in_place ? MPI_IN_PLACE : x, y, N, MPI_DOUBLE, op, comm, &o);
}

/* True if the texts of the errors tell the results apart: this rank has a hash, and some rank that
 * is not the wrong one has another than that. */
static int tells_apart(int code, int liar)
{
    char hashes[8][17], mine[17] = "";
    const char *at = strstr(summand_error_text(code), "hash is ");
    snprintf(mine, sizeof mine, "%.16s", at ? at + strlen("hash is ") : "");
    MPI_Allgather(mine, sizeof mine, MPI_CHAR, hashes, sizeof mine, MPI_CHAR, comm);
    int others = 0;
    for (int r = 0; r < harness_ranks; r++)
        others += r != liar && strcmp(hashes[r], hashes[liar]) != 0;
    return strlen(mine) == 16 && others > 0;
}

/* The last operation of one rank is wrong. */
static void test_result(MPI_Op op, enum summand_checked check, int in_place)
{
    lies_at = 0;
    int code = call(op, check, in_place);
    CHECK(code == MPI_SUCCESS && is_right(), "%s", summand_error_text(code));
    int who = operations ? harness_rank : harness_ranks, liar;
    MPI_Allreduce(&who, &liar, 1, MPI_INT, MPI_MIN, comm);
    lies_at = liar == harness_rank ? operations : 0;
    const uint64_t before = summand__damage_so_far().repaired;
    code = call(op, check, in_place);
    const int wrong = on(code == MPI_SUCCESS && !is_right()), failed = on(code != MPI_SUCCESS),
              told = on(summand_error_of(code) == SUMMAND_ERR_DAMAGED),
              repeated = on(summand__damage_so_far().repaired > before);
    const int corrects = check == SUMMAND_CHECKED_CORRECT && !in_place;
    if (check == SUMMAND_CHECKED_OFF)
        CHECK(wrong && !failed, "%d wrong", wrong);
    else if (corrects)
        CHECK(!wrong && !failed && repeated == harness_ranks &&
                  !strstr(line, "this rank computed a step of summand_allreduce wrongly, ") ==
                      (liar != harness_rank),
              "%d wrong, %d failed, %d repeated: %s", wrong, failed, repeated, line);
    else
        CHECK(!wrong && told == harness_ranks && tells_apart(code, liar), "%d wrong, %d told: %s",
              wrong, told, summand_error_text(code));
    lies_at = 0;
}

/* A rank's result of what moves data and combines none is damaged. */
static void test_moved(enum summand_checked check, int gathers)
{
    const summand_options o = {.check = check, .timeout = 100};
    const int each = N / harness_ranks, n = gathers ? each * harness_ranks : N;
    for (int i = 0; i < n; i++)
        y[i] = gathers || harness_rank ? 0 : i;
    damages = harness_rank == harness_ranks - 1;
    int code = gathers ? summand_allgather(x, each, MPI_DOUBLE, y, each, MPI_DOUBLE, comm, &o)
                       : summand_bcast(y, N, MPI_DOUBLE, 0, comm, &o);
    int good = 1;
    for (int i = 0; i < n; i++)
        good = good && y[i] == (gathers ? i % each + i / each : i);
    const int told = on(summand_error_of(code) == SUMMAND_ERR_DAMAGED), fine = on(!code && good);
    const int all = check == SUMMAND_CHECKED_DETECT ? told : fine;
    CHECK(all == harness_ranks, "check %d, gathers %d: %d told, %d right: %s", (int)check, gathers,
          told, fine, code == MPI_SUCCESS ? "" : summand_error_text(code));
    damages = 0;
}

/* A rank's own block of an all-gather in place changes between start and wait: it is no result of
 * the others, and a repeat would only spread it. */
static void test_block(enum summand_checked check, int displaced)
{
    const summand_options o = {.check = check, .timeout = 100};
    const int each = N / (harness_ranks + 1), last = harness_rank == harness_ranks - 1;
    int counts[8], displacements[8];
    for (int r = 0; r < harness_ranks; r++) {
        counts[r] = each;
        displacements[r] = (harness_ranks - r) * each; /* backwards, with a gap before them */
    }
    const int own = displaced ? displacements[harness_rank] : harness_rank * each;
    for (int i = 0; i < N; i++)
        y[i] = i >= own && i < own + each ? harness_rank + i % each : 0;
    summand_plan *plan;
    int code = displaced ? summand_allgatherv_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, counts,
                                                   displacements, MPI_DOUBLE, comm, &o, &plan)
                         : summand_allgather_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, each,
                                                  MPI_DOUBLE, comm, &o, &plan);
    CHECK(code == MPI_SUCCESS, "%s", summand_error_text(code));
    summand_plan_start(plan);
    y[own + each / 2] += last;
    code = summand_plan_wait(plan);
    const int failed = on(code != MPI_SUCCESS),
              told = on(last && summand_error_of(code) == SUMMAND_ERR_DAMAGED);
    CHECK(failed == harness_ranks && told == 1, "check %d, displaced %d: %d failed, %d told",
          (int)check, displaced, failed, told);
    summand_plan_free(&plan);
}

TESTS
{
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < N; i++)
        x[i] = i + harness_rank;
    for (int check = SUMMAND_CHECKED_OFF; check <= SUMMAND_CHECKED_CORRECT; check++) {
        test_input((enum summand_checked)check, 100);
        test_input((enum summand_checked)check, N);
        for (int in_place = 0; in_place < 2; in_place++)
            test_result(op, (enum summand_checked)check, in_place);
        for (int gathers = 0; gathers < 2; gathers++)
            test_moved((enum summand_checked)check, gathers);
        for (int displaced = 0; displaced < 2 && check != SUMMAND_CHECKED_OFF; displaced++)
            test_block((enum summand_checked)check, displaced);
    }
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
}

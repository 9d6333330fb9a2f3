/* np: 1 4 6 */
/* An all-reduce on the rows and one on the columns of a process grid, as one non-blocking plan on
 * one communicator: drained between, following, or interleaved. Against the MPI's on communicators
 * of the rows and columns. */
#include <stdlib.h>
#include <summand.h>

#include "algorithm/algorithm.h"
#include "mpi/doubles.h"
#include "schedule/embed.h"

enum manner { DRAINED, FOLLOWED, INTERLEAVED, MANNERS };
static const char *const names[MANNERS] = {"drained", "followed", "interleaved"};

static struct summand__state *state;
static int rows, columns;
static MPI_Comm side[2]; /* this rank's row and column */

static void build_part(int which, const char *algorithm, size_t count,
                       struct summand__schedule *part, struct summand__embedding *embedding)
{
    int row = harness_rank / columns, column = harness_rank % columns;
    struct summand__call call = {.collective = SUMMAND__COLL_ALLREDUCE,
                                 .rank = which ? row : column,
                                 .ranks = which ? rows : columns,
                                 .count = count};
    CHECK(summand__build(summand__algorithm_named(algorithm), &call, part), "memory");
    *embedding = (struct summand__embedding){
        .base = which ? column : row * columns, .stride = which ? columns : 1, .odd = -1};
    embedding->at[SUMMAND__SENDBUF].place = SUMMAND__SENDBUF;
    embedding->at[SUMMAND__RECVBUF].place = SUMMAND__RECVBUF;
    embedding->at[SUMMAND__RECVBUF].first = which ? count : 0;
    embedding->at[SUMMAND__SCRATCH].place = SUMMAND__SCRATCH;
}

static void build(enum manner manner, const char *algorithm, size_t count,
                  struct summand__schedule *whole)
{
    struct summand__schedule part[2];
    struct summand__embedding embedding[2];
    const struct summand__schedule *parts[2] = {&part[0], &part[1]};
    const struct summand__embedding *embeddings[2] = {&embedding[0], &embedding[1]};
    const size_t skew[2] = {0, 1};
    for (int which = 0; which < 2; which++)
        build_part(which, algorithm, count, &part[which], &embedding[which]);
    embedding[1].at[SUMMAND__SCRATCH].first = part[0].scratch;
    summand__schedule_init(whole);
    if (manner == INTERLEAVED)
        summand__interleave(whole, 2, parts, embeddings, skew);
    for (int which = 0; manner != INTERLEAVED && which < 2; which++)
        (manner == DRAINED ? summand__embed : summand__follow)(whole, parts[which],
                                                               embeddings[which]);
    summand__drain(whole);
    summand__schedule_free(&part[0]);
    summand__schedule_free(&part[1]);
}

static void run(enum manner manner, const char *algorithm, size_t count)
{
    struct summand__schedule whole;
    double *x = malloc((5 * count + 1) * sizeof *x), *y = x + count, *right = y + 2 * count;
    build(manner, algorithm, count, &whole);
    summand_plan *plan = doubles_plan(state, &whole, x, y, NULL);
    for (int start = 0; start < 5; start++) {
        int done = 0;
        for (size_t i = 0; i < count; i++)
            x[i] = (harness_rank + 1) * (double)(i % 13 + (size_t)start);
        int code = summand_plan_start(plan);
        for (int which = 0; which < 2; which++)
            MPI_Allreduce(x, right + (size_t)which * count, (int)count, MPI_DOUBLE, MPI_SUM,
                          side[which]);
        while (code == MPI_SUCCESS && !done)
            code = summand_plan_test(plan, &done);
        CHECK(code == MPI_SUCCESS && !memcmp(y, right, 2 * count * sizeof *y),
              "%d x %d, %s %s of %zu, start %d: code %d", rows, columns, algorithm, names[manner],
              count, start, code);
    }
    summand_plan_free(&plan);
    free(x);
}

int main(int argc, char **argv)
{
    static const char *const algorithms[] = {"recursive-doubling", "binomial", "rabenseifner"};
    static const size_t counts[] = {1, 100, 30000};
    harness_begin(&argc, &argv);
    summand__state_of(MPI_COMM_WORLD, &state);
    for (rows = 1; rows * rows < harness_ranks || harness_ranks % rows;)
        rows++;
    columns = harness_ranks / rows;
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank / columns, harness_rank, &side[0]);
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank % columns, harness_rank, &side[1]);
    for (size_t a = 0; a < 3; a++)
        for (size_t c = 0; c < 3; c++)
            for (int manner = 0; manner < MANNERS; manner++)
                if (manner != INTERLEAVED || !a)
                    run((enum manner)manner, algorithms[a], counts[c]);
    MPI_Comm_free(&side[0]);
    MPI_Comm_free(&side[1]);
    return harness_end();
}

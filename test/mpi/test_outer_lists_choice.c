/* np: 2 3 8 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* How an unnamed sum of outer products of lists sends them. Slices go to the ranks that need them
 * if messages are expensive or lists long. Whole blocks go to all if packing many short lists for
 * each rank takes longer. Two models: 10 Gb/s between nodes of one rank, and one node. */
#include <stdlib.h>
#include <string.h>
#include <summand.h>
#include <unistd.h>

#include "comm/state.h"
#include "harness.h"
#include "model/model.h"
#include "plan/tuned.h"

enum { SIDE = 4000 };

static const char *const model_text[] = {"model per_node = 1\n"
                                         "model eager = 16383\n"
                                         "model fair_card = 1\n"
                                         "model copy = 5e-11\n"
                                         "model network.byte = 8.795e-10\n"
                                         "model network.latency = 5e-6\n"
                                         "model network.send = 5e-7\n"
                                         "model network.recv = 5e-7\n",
                                         "model per_node = 1024\n"
                                         "model copy = 2.5e-11\n"
                                         "model node.byte = 1e-10\n"
                                         "model node.latency = 2e-7\n"
                                         "model node.send = 2e-7\n"
                                         "model node.recv = 2e-7\n"};

/* A file needs a complete model: values that the text omits are as small as possible. */
static void write_model(FILE *file, const char *text)
{
    char begin[64];
    fputs(text, file);
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++) {
        snprintf(begin, sizeof begin, "model %s =", row->name);
        if (row->standard == 0 && !strstr(text, begin))
            fprintf(file, "%s %g\n", begin, row->least);
    }
}

/* The first use of a communicator reads the file. */
static MPI_Comm comm_of(int model)
{
    static int number;
    char path[64];
    MPI_Comm comm;
    snprintf(path, sizeof path, "outer-lists-%ld-%d.tuning", (long)getpid(), ++number);
    if (!harness_rank) {
        FILE *file = fopen(path, "w");
        write_model(file, model_text[model]);
        fclose(file);
    }
    setenv("SUMMAND_TUNING", path, 1);
    if (model)
        unsetenv("SUMMAND_NODE_SIZE");
    else
        setenv("SUMMAND_NODE_SIZE", "1", 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    int one = 1, sum;
    summand_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL);
    MPI_Barrier(comm);
    if (!harness_rank)
        unlink(path);
    struct summand__state *state;
    const struct summand__tuning *tuning =
        summand__state_of(comm, &state) == MPI_SUCCESS ? summand__tuned(state) : NULL;
    CHECK(tuning && tuning->has_model, "the model of %s is not used", path);
    return comm;
}

struct lists {
    MPI_Count *begin;
    uint32_t *index;
    double *value;
};

/* The elements of each pair have about equal distances. */
static struct lists make_lists(int pairs, int length, int salt)
{
    struct lists lists = {malloc(((size_t)pairs + 1) * sizeof(MPI_Count)),
                          malloc((size_t)pairs * (size_t)length * sizeof(uint32_t)),
                          malloc((size_t)pairs * (size_t)length * sizeof(double))};
    const int gap = SIDE / length;
    for (int k = 0; k < pairs; k++) {
        lists.begin[k] = (MPI_Count)k * length;
        for (int e = 0; e < length; e++) {
            lists.index[k * length + e] = (uint32_t)(e * gap + (k * 37 + salt + e * 11) % gap);
            lists.value[k * length + e] = 1 + e % 3;
        }
    }
    lists.begin[pairs] = (MPI_Count)pairs * length;
    return lists;
}

static void free_lists(struct lists *lists)
{
    free(lists->begin);
    free(lists->index);
    free(lists->value);
}

static void expect(MPI_Comm comm, const summand_outer_matrix *matrix, MPI_Count pairs,
                   enum summand_outer_result result, const char *algorithm, const char *what)
{
    summand_outer_options options = summand_outer_options_default();
    summand_options chosen = {.algorithm = "nothing"};
    summand_plan *plan = NULL;
    options.result = result;
    int code = summand_outer_init(pairs, 1, 1, matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm,
                                  &options, &plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_describe(plan, &chosen, NULL);
    CHECK(code == MPI_SUCCESS && !strcmp(chosen.algorithm, algorithm), "%s, result %d: code %d, %s",
          what, (int)result, code, chosen.algorithm);
    summand_plan_free(&plan);
}

static void test_lists(void)
{
    static const struct {
        int pairs, length;
        const char *algorithm[2]; /* on each model */
    } cases[] = {{3000, 4, {"outer-slices", "outer-gather"}},
                 {20, 400, {"outer-slices", "outer-slices"}}};
    double *g = malloc((size_t)SIDE * SIDE * sizeof *g); /* never touched */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lists a = make_lists(cases[i].pairs, cases[i].length, 0);
        struct lists b = make_lists(cases[i].pairs, cases[i].length, 5);
        const summand_outer_list list_a = {a.begin, a.index, a.value};
        const summand_outer_list list_b = {b.begin, b.index, b.value};
        const summand_outer_matrix matrix = {
            .rows = SIDE, .columns = SIDE, .g = g, .list_a = &list_a, .list_b = &list_b};
        for (int model = 0; model < 2; model++) {
            MPI_Comm comm = comm_of(model);
            char what[64];
            snprintf(what, sizeof what, "%d pairs of %d, model %d", cases[i].pairs, cases[i].length,
                     model);
            for (int result = SUMMAND_OUTER_ROWS; result <= SUMMAND_OUTER_BLOCKS; result++)
                expect(comm, &matrix, cases[i].pairs, (enum summand_outer_result)result,
                       cases[i].algorithm[model], what);
            expect(comm, &matrix, cases[i].pairs, SUMMAND_OUTER_WHOLE, "outer-gather", what);
            MPI_Comm_free(&comm);
        }
        free_lists(&a);
        free_lists(&b);
    }
    free(g);
}

/* Long factors of a matrix with its own pairs. */
static void test_dense(void)
{
    enum { ROWS = 2000, COLUMNS = 4, OWN = 16 };
    static double a[OWN * ROWS], b[OWN * COLUMNS], g[ROWS * COLUMNS];
    const summand_outer_matrix matrix = {
        .rows = ROWS, .columns = COLUMNS, .a = a, .b = b, .g = g, .pairs = OWN};
    const MPI_Count pairs = SUMMAND_OUTER_PAIRS_OF_MATRIX;
    expect(MPI_COMM_WORLD, &matrix, pairs, SUMMAND_OUTER_ROWS, "outer-slices", "dense");
    expect(MPI_COMM_WORLD, &matrix, pairs, SUMMAND_OUTER_BLOCKS, "outer-slices", "dense");
    expect(MPI_COMM_WORLD, &matrix, pairs, SUMMAND_OUTER_WHOLE, "outer-gather", "dense");
}

TESTS
{
    setenv("SUMMAND_WARNINGS", "off", 1);
    setenv("SUMMAND_TRANSPORT", "p2p", 1); /* ranks on nodes of their own share no memory */
    test_dense();
    test_lists();
}

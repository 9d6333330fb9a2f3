/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a call that ends the program, to test its message. last_words WHEN CALL: `before` MPI_Init,
 * `after` MPI_Finalize, or `fatal`, with a wrong argument, in between. CALL is a name that
 * `last_words names` lists. `started`: frees a started plan after MPI_Finalize, which is no error.
 * `twice`: starts a plan twice. */
#include <stdio.h>
#include <string.h>
#include <summand.h>

static double x[4] = {1, 2, 3, 4}, y[4];
static summand_plan *plan;
static int wrong; /* between these calls, only wrong arguments end the program */

static int make(int which)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int count = wrong ? -1 : 1, root = wrong ? -7 : SUMMAND_ROOT_ALL, done;
    const int counts[4] = {count, count, count, count}, displs[4] = {0};
    MPI_Datatype type = MPI_DOUBLE;
    MPI_Op op = MPI_SUM;
    switch (which) {
    case 0:
        return summand_reduce(x, y, count, type, op, 0, world, NULL);
    case 1:
        return summand_reduce_init(x, y, count, type, op, 0, world, NULL, &plan);
    case 2:
        return summand_allreduce(x, y, count, type, op, world, NULL);
    case 3:
        return summand_allreduce_init(x, y, count, type, op, world, NULL, &plan);
    case 4:
        return summand_bcast(x, count, type, 0, world, NULL);
    case 5:
        return summand_reduce_scatter_block(x, y, count, type, op, world, NULL);
    case 6:
        return summand_reduce_scatter(x, y, counts, type, op, world, NULL);
    case 7:
        return summand_allgather(x, count, type, y, count, type, world, NULL);
    case 8:
        return summand_allgatherv(x, count, type, y, counts, displs, type, world, NULL);
    case 9:
        return summand_ordered_reduce(x, y, 1, SUMMAND_DISPLACEMENT_APPEND, type, op, root, world,
                                      NULL);
    case 10:
        return summand_ordered_reduce_init(x, y, 1, SUMMAND_DISPLACEMENT_APPEND, type, op, root,
                                           world, NULL, &plan);
    case 11:
        return summand_sum(x, y, 1, type, root, world, NULL);
    case 12:
        return summand_dot(x, x, y, 1, type, root, world, NULL);
    case 13:
        return summand_sums(count, NULL, y, type, SUMMAND_ROOT_ALL, world, NULL);
    case 14:
        return summand_sums_init(count, NULL, y, type, SUMMAND_ROOT_ALL, world, NULL, &plan);
    case 15:
        return summand_gossip_allreduce(x, y, count, type, op, world, NULL, NULL);
    case 16:
        return summand_plan_start(plan);
    case 17:
        return summand_plan_wait(plan);
    case 18:
        return summand_plan_test(plan, &done);
    case 19:
        return summand_exact_datatype(&type);
    case 20:
        return summand_exact_op(&op);
    case 21:
        return summand_error_code(SUMMAND_ERR_BUSY);
    default:
        return summand_error_class();
    }
}

static const char *const names[] = {"reduce",
                                    "reduce_init",
                                    "allreduce",
                                    "allreduce_init",
                                    "bcast",
                                    "reduce_scatter_block",
                                    "reduce_scatter",
                                    "allgather",
                                    "allgatherv",
                                    "ordered_reduce",
                                    "ordered_reduce_init",
                                    "sum",
                                    "dot",
                                    "sums",
                                    "sums_init",
                                    "gossip_allreduce",
                                    "plan_start",
                                    "plan_wait",
                                    "plan_test",
                                    "exact_datatype",
                                    "exact_op",
                                    "error_code",
                                    "error_class"};

static int leave_started(int again)
{
    static double many[1 << 17], sums[1 << 17];
    int code = summand_allreduce_init(many, sums, 1 << 17, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                      NULL, &plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_start(plan);
    if (code == MPI_SUCCESS && again)
        code = summand_plan_start(plan); /* an error of the plan, and the program's last one */
    MPI_Finalize();
    return code == MPI_SUCCESS ? summand_plan_free(&plan) : code;
}

int main(int argc, char **argv)
{
    const char *when = argc > 1 ? argv[1] : "";
    size_t which = 0, calls = sizeof names / sizeof *names;
    while (argc > 2 && which < calls && strcmp(argv[2], names[which]) != 0)
        which++;
    if (strcmp(when, "names") == 0) {
        for (size_t i = 0; i < calls; i++)
            printf("%s\n", names[i]);
        return 0;
    }
    if (which == calls)
        return 2;
    if (strcmp(when, "before") != 0)
        MPI_Init(&argc, &argv);
    if (strcmp(when, "started") == 0 || strcmp(when, "twice") == 0)
        return leave_started(*when == 't') || plan;
    if (strcmp(when, "after") == 0) {
        summand_allreduce_init(x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &plan);
        MPI_Finalize();
    }
    wrong = strcmp(when, "fatal") == 0;
    return make((int)which) == MPI_SUCCESS ? 0 : 4;
}

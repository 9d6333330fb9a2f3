/* np: 1 2 3 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI without communicators left, as MPICH is after 2046. A first call that needs a new fabric
 * fails with SUMMAND_ERR_COMMUNICATORS on all ranks, whichever rank the MPI refuses. The failure
 * leaks nothing, and with communicators the next call works. Open MPI has more than can be made, so
 * there, and if only one rank is refused, the test refuses the library's calls. */
#include <summand.h>

#include "comm/state.h"
#include "mpi/fresh.h"
#include "mpi/harness.h"

enum { MOST = 2400, FEW = 600 /* more than a fabric has contexts */ };

/* The library's MPI calls that make communicators, and the rank that is refused. */
enum maker { CREATE, SPLIT_TYPE, SPLIT, MAKERS };
enum { NOBODY = -2, ALL = -1 };
static int refused[MAKERS] = {NOBODY, NOBODY, NOBODY};
static MPI_Comm held[MAKERS] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
static int living; /* live communicators of the library on this rank */

/* A communicator that other ranks get is made all the same. */
static int settle(enum maker maker, int code, MPI_Comm *made)
{
    if (code == MPI_SUCCESS && refused[maker] == harness_rank) {
        held[maker] = *made;
        code = MPI_ERR_OTHER;
    }
    living += code == MPI_SUCCESS && *made != MPI_COMM_NULL;
    return code;
}

int __real_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int __wrap_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int __wrap_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    return refused[CREATE] == ALL
               ? MPI_ERR_OTHER
               : settle(CREATE, __real_PMPI_Comm_create(comm, group, made), made);
}

int __real_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int __wrap_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int __wrap_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    return refused[SPLIT_TYPE] == ALL
               ? MPI_ERR_OTHER
               : settle(SPLIT_TYPE, __real_PMPI_Comm_split_type(comm, type, key, info, made), made);
}

int __real_PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made);
int __wrap_PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made);
int __wrap_PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    return refused[SPLIT] == ALL
               ? MPI_ERR_OTHER
               : settle(SPLIT, __real_PMPI_Comm_split(comm, color, key, made), made);
}

int __real_PMPI_Comm_free(MPI_Comm *comm);
int __wrap_PMPI_Comm_free(MPI_Comm *comm);
int __wrap_PMPI_Comm_free(MPI_Comm *comm)
{
    living--;
    return __real_PMPI_Comm_free(comm);
}

static const double mine[3] = {1, 2, 4};

static int allreduce(MPI_Comm comm, double *result)
{
    return summand_allreduce(mine, result, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int run_plan(int code, summand_plan **plan)
{
    if (code == MPI_SUCCESS)
        code = summand_plan_start(*plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(*plan);
    summand_plan_free(plan);
    return code;
}

static int allreduce_plan(MPI_Comm comm, double *result)
{
    summand_plan *plan = NULL;
    return run_plan(summand_allreduce_init(mine, result, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan),
                    &plan);
}

static int sum(MPI_Comm comm, double *result)
{
    return summand_sum(mine, result, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
}

static int ordered(MPI_Comm comm, double *result)
{
    return summand_ordered_reduce(mine, result, 1, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                  SUMMAND_ROOT_ALL, comm, NULL);
}

static int gossip(MPI_Comm comm, double *result)
{
    int code = summand_gossip_allreduce(mine, result, 1, MPI_DOUBLE, MPI_MAX, comm, NULL, NULL);
    *result *= code == MPI_SUCCESS ? harness_ranks : 1;
    return code;
}

static int outer(MPI_Comm comm, double *result)
{
    summand_outer_matrix matrix = {.rows = 1, .columns = 1, .a = mine, .b = mine, .g = result};
    *result = 0;
    return summand_outer(1, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
}

static int segment(MPI_Comm comm, double *result)
{
    summand_segment *segment = NULL;
    int code = summand_segment_create(8, 1, comm, NULL, &segment);
    if (code == MPI_SUCCESS)
        *result = harness_ranks;
    return code == MPI_SUCCESS ? summand_segment_free(&segment) : code;
}

/* All ranks that have a result have the number of ranks. */
static const struct first_call {
    const char *name;
    int (*call)(MPI_Comm comm, double *result);
} calls[] = {{"allreduce", allreduce},
             {"allreduce_init", allreduce_plan},
             {"sum", sum},
             {"ordered_reduce", ordered},
             {"gossip", gossip},
             {"outer", outer},
             {"segment_create", segment}};
enum { CALLS = sizeof calls / sizeof *calls };

static void call_works(const struct first_call *call, MPI_Comm comm)
{
    double result = -1;
    int code = call->call(comm, &result);
    CHECK(code == MPI_SUCCESS && result == harness_ranks, "%s: code %d, %g", call->name, code,
          result);
}

static void call_lacks(const struct first_call *call, MPI_Comm comm)
{
    char contexts[32];
    double result = -1;
    int code = call->call(comm, &result);
    CHECK(summand_error_of(code) == SUMMAND_ERR_COMMUNICATORS, "%s: code %d", call->name, code);
    CHECK(result == -1 || call->call == outer, "%s: result %g", call->name, result);
    const char *text = summand_error_text(code);
    snprintf(contexts, sizeof contexts, "%d communicators", SUMMAND__MOST_CONTEXTS);
    CHECK(strstr(text, "MPI_COMM_WORLD") && strstr(text, contexts), "%s: %s", call->name, text);
}

static MPI_Comm new_comm(void)
{
    MPI_Comm comm = harness_comm();
    return comm;
}

/* One rank, or all ranks, are refused one of the communicators that a fabric needs. */
static void test_refused(enum maker maker, int rank, const struct first_call *call)
{
    MPI_Comm comm = new_comm();
    fresh_settings();
    refused[maker] = rank;
    call_lacks(call, comm);
    refused[maker] = NOBODY;
    if (held[maker] != MPI_COMM_NULL)
        MPI_Comm_free(&held[maker]);
    call_works(call, comm);
    MPI_Comm_free(&comm);
}

static void test_each_refused(void)
{
    const char *declared = getenv("SUMMAND_NODE_SIZE");
    int turn = 0;
    for (int maker = 0; maker < MAKERS; maker++) {
        if (harness_ranks == 1 && maker != CREATE)
            continue; /* it is its node */
        if (maker == SPLIT && !declared)
            setenv("SUMMAND_NODE_SIZE", "2", 1);
        for (int rank = ALL; rank < harness_ranks; rank++)
            test_refused((enum maker)maker, rank, &calls[turn++ % CALLS]);
    }
    if (!declared)
        unsetenv("SUMMAND_NODE_SIZE");
    for (int c = 0; c < CALLS; c++)
        test_refused(CREATE, harness_ranks - 1, &calls[c]);
}

static MPI_Comm dups[MOST];

/* As many as there are. */
static int make_all(int most)
{
    int made = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (made < most && MPI_Comm_dup(MPI_COMM_WORLD, &dups[made]) == MPI_SUCCESS)
        MPI_Comm_set_errhandler(dups[made++], MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return made;
}

static void free_dups(int first, int end)
{
    for (int i = first; i < end; i++)
        MPI_Comm_free(&dups[i]);
}

/* Without any communicator, no first call works. With a few, one works, and as many communicators
 * as it has made contexts for. Then freeing one makes room for another. */
static void test_none_left(void)
{
    int most = harness_mpich() ? MOST : FEW;
    int made = make_all(most), scarce = made < most ? NOBODY : ALL, works = 1;
    CHECK(made >= FEW, "%d communicators", made);
    refused[CREATE] = scarce;
    for (int i = 0; i < 20; i++)
        call_lacks(&calls[i % CALLS], dups[i]);
    CHECK(!living, "%d communicators", living);
    refused[CREATE] = NOBODY;
    double result;
    int first = made, code;
    do {
        free_dups(first - 1, first);
        first--;
        code = allreduce(dups[0], &result);
    } while (summand_error_of(code) == SUMMAND_ERR_COMMUNICATORS && first > made - 8);
    CHECK(code == MPI_SUCCESS && result == harness_ranks, "with %d: code %d", made - first, code);
    refused[CREATE] = scarce;
    struct summand__state *state = NULL;
    if (summand__state_of(dups[0], &state) != MPI_SUCCESS)
        return;
    for (; works < state->context.fabric->contexts; works++)
        call_works(&calls[0], dups[works]);
    call_lacks(&calls[0], dups[works]);
    free_dups(1, 2);
    if (scarce == NOBODY) /* the place is taken again, so one free is not enough */
        MPI_Comm_dup(MPI_COMM_WORLD, &dups[1]);
    call_works(&calls[0], dups[works]);
    free_dups(scarce == NOBODY ? 0 : 2, first);
    if (scarce == ALL)
        free_dups(0, 1);
    refused[CREATE] = NOBODY;
    int again = make_all(most);
    CHECK(scarce == ALL || again == made - living, "%d communicators, first %d", again, made);
    free_dups(0, again);
}

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    test_none_left();
    test_each_refused();
    int failed = harness_end();
    if (living)
        fprintf(stderr, "rank %d: %d communicators are left\n", harness_rank, living);
    return failed || living;
}

/* np: 2 3 4 */
/* The ranks agree on a transport, whatever the environment of each says and however little memory
 * may be shared. */
#include <stdlib.h>
#include <string.h>
#include <summand.h>
#include <sys/resource.h>

#include "mpi/fresh.h"
#include "mpi/harness.h"

/* The transport's name of a sum over a duplicate of the world with a fabric of its own, or NULL
 * with the error. */
static const char *transport_of(int *code)
{
    MPI_Comm comm;
    summand_plan *plan = NULL;
    summand_options options;
    const char *name = NULL;
    double x = harness_rank + 1, sum = 0;
    fresh_settings();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    *code = summand_allreduce_init(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan);
    if (*code == MPI_SUCCESS) {
        summand_plan_describe(plan, &options, &name);
        summand_plan_start(plan);
        summand_plan_wait(plan);
        CHECK(sum == harness_ranks * (harness_ranks + 1) / 2, "sum %g", sum);
        summand_plan_free(&plan);
    }
    MPI_Comm_free(&comm);
    return name;
}

/* A rank that may open no more files cannot join: all use the MPI, or all fail if told not to. One
 * that is alone on its node has nothing to join. */
static void test_agreement(void)
{
    struct rlimit kept, few;
    int code;
    const char *usual = transport_of(&code);
    for (int poor = 0; poor < harness_ranks; poor++) {
        int joins = usual && strcmp(usual, "p2p") != 0;
        MPI_Bcast(&joins, 1, MPI_INT, poor, MPI_COMM_WORLD);
        if (!joins)
            continue;
        getrlimit(RLIMIT_NOFILE, &kept);
        few = kept;
        few.rlim_cur = 3;
        if (harness_rank == poor)
            setrlimit(RLIMIT_NOFILE, &few);
        setenv("SUMMAND_TRANSPORT", "auto", 1);
        const char *name = transport_of(&code);
        CHECK(name && !strcmp(name, "p2p"), "transport %s, code %d", name ? name : "none", code);
        setenv("SUMMAND_TRANSPORT", "shm", 1);
        transport_of(&code);
        CHECK(code == summand_error_code(harness_rank ? SUMMAND_ERR_REMOTE
                                                      : SUMMAND_ERR_ENVIRONMENT) ||
                  code == summand_error_code(SUMMAND_ERR_ENVIRONMENT),
              "code %d", code);
        if (harness_rank == poor)
            setrlimit(RLIMIT_NOFILE, &kept);
        const char *again = transport_of(&code);
        CHECK(again && !strcmp(again, usual), "transport %s", again ? again : "none");
    }
}

/* The same where files may not be as long as the segment: the kernel would end the process. */
static void test_file_limit(void)
{
    struct rlimit kept, few;
    int code;
    const char *usual = transport_of(&code);
    getrlimit(RLIMIT_FSIZE, &kept);
    few = kept;
    few.rlim_cur = 65536;
    setrlimit(RLIMIT_FSIZE, &few);
    setenv("SUMMAND_TRANSPORT", usual && strcmp(usual, "p2p") ? "auto" : "p2p", 1);
    const char *name = transport_of(&code);
    CHECK(name && !strcmp(name, "p2p"), "transport %s, code %d", name ? name : "none", code);
    setrlimit(RLIMIT_FSIZE, &kept);
}

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    test_agreement();
    test_file_limit();
    return harness_end();
}

/* np: 2 3 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks agree on a transport, whatever each one's environment says and however little memory
 * they can share. */
#include <summand.h>
#include <sys/resource.h>

#include "comm/state.h"
#include "compute/mpi/window.h"
#include "fabric/segment.h"
#include "mpi/fresh.h"
#include "mpi/harness.h"

/* The transport's name of a sum over a duplicate of the world with its own fabric, or NULL with the
 * error. */
static const char *transport_of(int *code)
{
    summand_plan *plan = NULL;
    summand_options options;
    const char *name = NULL;
    double x = harness_rank + 1, sum = 0;
    fresh_settings();
    MPI_Comm comm = harness_comm();
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

/* A rank that may open no more files cannot join: all use the MPI, or all fail if told not to. A
 * rank alone on its node has nothing to join. */
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

/* The same if files may not be as long as the segment: the kernel would end the process. */
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

static int file_limit(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    return setrlimit(RLIMIT_FSIZE, &limit);
}

/* The slots of a queue of a new fabric, after an all-reduce of more data than all slots hold; 0 if
 * not all ranks share memory. */
static unsigned slots_used(void)
{
    enum { COUNT = 400000 };
    static double x[COUNT], sum[COUNT];
    struct summand__state *state;
    MPI_Comm comm;
    fresh_settings();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < COUNT; i++)
        x[i] = harness_rank + i;
    int wrong = 0, code = summand_allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, comm, NULL);
    for (int i = 0; i < COUNT; i++)
        wrong += sum[i] != harness_ranks * (harness_ranks - 1) / 2 + (double)harness_ranks * i;
    CHECK(code == MPI_SUCCESS && !wrong, "code %d, %d wrong", code, wrong);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    const struct summand__segment *segment = state->segment;
    unsigned slots = segment && segment->lines && segment->whole ? segment->slots : 0;
    MPI_Comm_free(&comm);
    return slots;
}

/* If one rank's files may not be as long as normal queues need, all ranks use the longest queues
 * that fit. The limit of a size is exact. */
static void test_fewer_slots(void)
{
    static const unsigned sizes[] = {SUMMAND__FEW_SLOTS, SUMMAND__LEAST_SLOTS};
    const unsigned usual = slots_used();
    struct rlimit kept;
    getrlimit(RLIMIT_FSIZE, &kept);
    for (size_t i = 0; usual && i < sizeof sizes / sizeof *sizes; i++) {
        struct summand__allowance limits = {0, SIZE_MAX / 4};
        struct summand__pool pool = {.slots = 0};
        while (pool.slots != sizes[i] || !pool.contexts) { /* the least that is enough */
            limits.file += 4096;
            pool = summand__pool_plan(harness_ranks, 512, limits);
            if (pool.contexts && pool.slots > sizes[i])
                break;
        }
        CHECK(pool.slots == sizes[i] && pool.bytes <= limits.file, "%u slots in %zu bytes",
              pool.slots, pool.bytes);
        const int poor = harness_ranks - 1 - (int)i;
        if (harness_rank == poor)
            file_limit(limits.file);
        unsigned slots = slots_used();
        CHECK(slots == sizes[i], "%u slots of %u", slots, sizes[i]);
        if (harness_rank == poor)
            file_limit(limits.file - 4096);
        slots = slots_used();
        const unsigned next = sizes[i] == SUMMAND__LEAST_SLOTS ? 0 : SUMMAND__LEAST_SLOTS;
        CHECK(slots == next, "%u slots instead of %u", slots, next);
        setrlimit(RLIMIT_FSIZE, &kept);
    }
    CHECK(slots_used() == usual, "%u slots as before", usual);
}

/* Makes a segment over a duplicate; its transport's name is "" if it has none. */
static int segment_over(MPI_Comm of, const char **name)
{
    static char kept[32];
    summand_segment *segment = NULL;
    const char *transport = "";
    void *address;
    MPI_Comm comm;
    fresh_settings();
    MPI_Comm_dup(of, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = summand_segment_create(100, 1, comm, NULL, &segment);
    if (code == MPI_SUCCESS)
        summand_segment_memory(segment, &address, NULL, &transport);
    snprintf(kept, sizeof kept, "%s", transport);
    *name = kept;
    summand_segment_free(&segment);
    MPI_Comm_free(&comm);
    return code;
}

static void restore(const char *variable, char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
    free(value);
}

static bool has_gpi2(void)
{
    for (int t = 0; summand__window_transports[t]; t++)
        if (!strcmp(summand__window_transports[t]->name, "gpi2"))
            return true;
    return false;
}

/* GPI-2 is used between nodes if it is asked for, and only there. Without it, or among some of the
 * world's ranks that have not started it, asking is an error on all. */
static void test_gpi2(void)
{
    const char *before = getenv("SUMMAND_TRANSPORT"), *node_size = getenv("SUMMAND_NODE_SIZE"),
               *name;
    char *kept = before ? strdup(before) : NULL, *kept_size = node_size ? strdup(node_size) : NULL;
    int environment = summand_error_code(SUMMAND_ERR_ENVIRONMENT), code, is_one;
    MPI_Comm some;
    setenv("SUMMAND_NODE_SIZE", "1", 1);
    setenv("SUMMAND_TRANSPORT", "auto", 1);
    code = segment_over(MPI_COMM_WORLD, &name);
    CHECK(code == MPI_SUCCESS && strcmp(name, "gpi2") != 0, "not asked for: %s, code %d", name,
          code);
    setenv("SUMMAND_TRANSPORT", "gpi2", 1);
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank == 0, 0, &some);
    MPI_Comm_size(some, &is_one);
    code = segment_over(some, &name);
    CHECK(code == (has_gpi2() && is_one == 1 ? MPI_SUCCESS : environment), "some: code %d", code);
    MPI_Comm_free(&some);
    code = segment_over(MPI_COMM_WORLD, &name);
    if (has_gpi2())
        CHECK(code == MPI_SUCCESS && !strcmp(name, "gpi2"), "asked for: %s, code %d", name, code);
    else
        CHECK(code == environment, "without GPI-2: code %d", code);
    restore("SUMMAND_TRANSPORT", kept);
    restore("SUMMAND_NODE_SIZE", kept_size);
}

TESTS
{
    test_agreement();
    test_file_limit();
    test_fewer_slots();
    test_gpi2();
}

/* np: 1 2 3 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators that share a fabric: the number of collectives at their first use; separate
 * messages, for any ranks and any order of creation and freeing; contexts after failed calls. */
#include <malloc.h>
#include <summand.h>

#include "comm/state.h"
#include "mpi/fresh.h"
#include "mpi/harness.h"

enum { LONG = 20000 /* doubles */ };

static double x[LONG], y[LONG];

/* The library's calls of the MPI: the linker redirects them here. */
static struct {
    int communicators, collectives;
} asked;

int __real_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int __wrap_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int __wrap_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    asked.communicators++;
    return __real_PMPI_Comm_create(comm, group, made);
}

int __real_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int __wrap_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int __wrap_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    asked.communicators++;
    return __real_PMPI_Comm_split_type(comm, type, key, info, made);
}

int __real_PMPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm);
int __wrap_PMPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm);
int __wrap_PMPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm)
{
    asked.collectives++;
    return __real_PMPI_Allreduce(send, recv, count, type, op, comm);
}

int __real_PMPI_Iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request *request)
{
    asked.collectives++;
    return __real_PMPI_Iallreduce(send, recv, count, type, op, comm, request);
}

int __real_PMPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int __wrap_PMPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int __wrap_PMPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    asked.collectives++;
    return __real_PMPI_Bcast(data, count, type, root, comm);
}

int __real_PMPI_Allgather(const void *send, int sends, MPI_Datatype sendtype, void *recv, int recvs,
                          MPI_Datatype recvtype, MPI_Comm comm);
int __wrap_PMPI_Allgather(const void *send, int sends, MPI_Datatype sendtype, void *recv, int recvs,
                          MPI_Datatype recvtype, MPI_Comm comm);
int __wrap_PMPI_Allgather(const void *send, int sends, MPI_Datatype sendtype, void *recv, int recvs,
                          MPI_Datatype recvtype, MPI_Comm comm)
{
    asked.collectives++;
    return __real_PMPI_Allgather(send, sends, sendtype, recv, recvs, recvtype, comm);
}

static void forget_asked(void)
{
    asked.communicators = asked.collectives = 0;
}

static int shares_memory(void)
{
    struct summand__state *state;
    return summand__state_of(MPI_COMM_WORLD, &state) == MPI_SUCCESS && state->segment &&
           state->segment->whole;
}

/* Several operations, whose results depend on the order and on the participants. `salt` makes them
 * differ from those of other communicators. */
static void works(MPI_Comm comm, int salt, const char *what)
{
    int rank, ranks, code;
    size_t wrong = 0;
    int n = salt % 3 ? salt % 7 + 1 : LONG;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < n; i++)
        x[i] = (rank + 1) * (i % 11 + salt);
    code = summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
    for (int i = 0; i < n; i++)
        wrong += y[i] != ranks * (ranks + 1) / 2 * (double)(i % 11 + salt);
    CHECK(code == MPI_SUCCESS && !wrong, "%s: all-reduce of %d: code %d, %zu wrong", what, n, code,
          wrong);
    int root = salt % ranks;
    y[0] = rank == root ? salt : -1;
    code = summand_bcast(y, 1, MPI_DOUBLE, root, comm, NULL);
    CHECK(code == MPI_SUCCESS && y[0] == salt, "%s: bcast: code %d, %g", what, code, y[0]);
    x[0] = rank + 1;
    code = summand_reduce(x, y, 1, MPI_DOUBLE, MPI_PROD, root, comm, NULL);
    double product = 1;
    for (int r = 1; r <= ranks; r++)
        product *= r;
    CHECK(code == MPI_SUCCESS && (rank != root || y[0] == product), "%s: reduce: code %d, %g", what,
          code, y[0]);
    int mine[2] = {rank, salt}, all[32];
    code = summand_allgather(mine, 2, MPI_INT, all, 2, MPI_INT, comm, NULL);
    wrong = 0;
    for (int r = 0; r < ranks; r++)
        wrong += all[2 * r] != r || all[2 * r + 1] != salt;
    CHECK(code == MPI_SUCCESS && !wrong, "%s: allgather: code %d, %zu wrong", what, code, wrong);
    x[0] = 1.5 * salt;
    code = summand_sum(x, y, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(code == MPI_SUCCESS && y[0] == 1.5 * salt * ranks, "%s: sum: code %d, %g", what, code,
          y[0]);
}

/* A first use of a duplicate, and of a split in another order, costs one collective of the MPI. */
static void test_costs(void)
{
    double one = 1, sum;
    const int spans_nodes = harness_spans_nodes();
    MPI_Comm comm[2];
    summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank % 2, -harness_rank, &comm[1]);
    for (int i = 0; i < 2; i++) {
        int ranks;
        MPI_Comm_size(comm[i], &ranks);
        forget_asked();
        summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm[i], NULL);
        CHECK(sum == ranks, "sum %g", sum);
        /* Declared nodes of a split are not always parts of the world's nodes. */
        int new_fabric = i && spans_nodes && harness_ranks > 2;
        CHECK(asked.communicators == 0 || new_fabric, "%d communicators", asked.communicators);
        CHECK(asked.collectives == (ranks > 1) || new_fabric, "%d collectives of %d ranks",
              asked.collectives, ranks);
    }
    forget_asked();
    fresh_settings();
    unsetenv("SUMMAND_TUNING");
    setenv("SUMMAND_DIRECT_READ", "123456789", 1);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm[0], NULL);
    CHECK(sum == harness_ranks, "sum %g", sum);
    CHECK(asked.communicators == 1 + (harness_ranks > 1), "%d communicators for a fabric",
          asked.communicators);
    unsetenv("SUMMAND_DIRECT_READ");
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
}

/* All sets of ranks, each in both orders, exist at once, are used in turn, and are freed in a
 * random order while others are made. */
static void test_overlaps(uint64_t *random)
{
    enum { MOST = 2 << 4 };
    MPI_Comm comm[MOST];
    int sets = 2 << harness_ranks;
    for (int s = 0; s < sets; s++)
        comm[s] = MPI_COMM_NULL;
    for (int turn = 0; turn < 6 * sets; turn++) {
        int s = (int)(harness_random(random) % (uint64_t)sets);
        int member = s / 2 >> harness_rank & 1;
        int frees = harness_random(random) % 3 == 0;
        if (comm[s] != MPI_COMM_NULL && frees)
            MPI_Comm_free(&comm[s]);
        int made = comm[s] != MPI_COMM_NULL, any = 0;
        PMPI_Allreduce(&made, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (!any)
            MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED,
                           s % 2 ? -harness_rank : harness_rank, &comm[s]);
        if (comm[s] != MPI_COMM_NULL)
            works(comm[s], s + turn + 1, "overlap");
    }
    for (int s = 0; s < sets; s++)
        if (comm[s] != MPI_COMM_NULL)
            MPI_Comm_free(&comm[s]);
}

/* Each is a duplicate of the previous one; the parents are freed before it is used. */
static void test_chain(void)
{
    MPI_Comm comm, next;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 1; i < 200; i++) {
        MPI_Comm_dup(comm, &next);
        if (i % 3 == 0)
            works(comm, i, "chain");
        MPI_Comm_free(&comm);
        comm = next;
        if (i % 2)
            works(comm, i + 1, "next in chain");
    }
    MPI_Comm_free(&comm);
}

/* Many at once: more than a fabric has contexts, if nodes are large. */
static void test_many(void)
{
    enum { MANY = 600 };
    static MPI_Comm comm[MANY];
    int many = harness_ranks < 3 ? MANY : 40;
    for (int i = 0; i < many; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        works(comm[i], i + 1, "many");
    }
    for (int i = many - 1; i >= 0; i--) {
        works(comm[i], 2 * i + 1, "many again");
        MPI_Comm_free(&comm[i]);
    }
}

/* Heap bytes of a live communicator that has been used once. */
static double heap_of(int ours)
{
    enum { LIVING = 200 };
    static MPI_Comm comm[2 * LIVING];
    double one = 1, sum;
    size_t before = 0, after;
    for (int i = 0; i < 2 * LIVING; i++) {
        if (i == LIVING)
            before = mallinfo2().uordblks;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        if (ours)
            summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm[i], NULL);
        else
            MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm[i]);
    }
    after = mallinfo2().uordblks;
    for (int i = 0; i < 2 * LIVING; i++)
        MPI_Comm_free(&comm[i]);
    return ((double)after - (double)before) / LIVING;
}

/* On two ranks, less than 12 KiB in all: each rank's heap, and 2.5 KiB of their shared memory. The
 * least of some turns, because in others a rank that is ahead makes the MPI's lists grow. */
static void test_memory(void)
{
    enum { TURNS = 4 };
    double native = heap_of(0), ours = heap_of(1);
    for (int turn = 1; turn < TURNS; turn++) {
        double again = heap_of(0), ours_again = heap_of(1);
        native = again < native ? again : native;
        ours = ours_again < ours ? ours_again : ours;
    }
    if (harness_ranks <= 2)
        CHECK(ours - native < 4864, "%g bytes of heap, the MPI's own %g among them", ours, native);
}

/* Plans whose communicators are freed keep their contexts, while others come and go. */
static void test_plans(void)
{
    enum { PLANS = 7 };
    summand_plan *plans[PLANS];
    double in[PLANS], out[PLANS];
    MPI_Comm comm;
    for (int p = 0; p < PLANS; p++) {
        in[p] = harness_rank + p;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        int code =
            summand_allreduce_init(&in[p], &out[p], 1, MPI_DOUBLE, MPI_SUM, comm, NULL, &plans[p]);
        CHECK(code == MPI_SUCCESS, "init: %d", code);
        MPI_Comm_free(&comm);
    }
    for (int turn = 0; turn < 20; turn++) {
        for (int p = 0; p < PLANS; p++)
            if (plans[p])
                CHECK(summand_plan_start(plans[p]) == MPI_SUCCESS, "start");
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        works(comm, turn + 1, "beside plans");
        MPI_Comm_free(&comm);
        for (int i = 0; i < PLANS; i++) {
            int p = harness_rank % 2 ? i : PLANS - 1 - i;
            if (!plans[p])
                continue;
            CHECK(summand_plan_wait(plans[p]) == MPI_SUCCESS, "wait");
            double want = harness_ranks * (harness_ranks - 1) / 2.0 + harness_ranks * p;
            CHECK(out[p] == want, "plan %d: %g", p, out[p]);
        }
        if (turn % 4 == 3)
            summand_plan_free(&plans[turn / 4]);
    }
    for (int p = 0; p < PLANS; p++)
        summand_plan_free(&plans[p]);
}

/* A call fails on one rank alone, or leaves a message unread, and the communicator is freed at
 * once: its leftovers meet no later communicator. */
static void test_failures(void)
{
    if (!shares_memory() || harness_ranks < 2)
        return; /* over the MPI's messages, others wait */
    for (int turn = 0; turn < 40; turn++) {
        MPI_Comm comm, half;
        int poor = turn % harness_ranks, me = harness_rank == poor;
        int n = turn % 2 ? LONG : 3;
        comm = harness_comm();
        if (turn % 4 < 2)
            works(comm, turn + 1, "before a failure");
        int code = summand_allreduce(x, y, me ? -1 : n, MPI_DOUBLE, MPI_SUM, comm, NULL);
        CHECK(code != MPI_SUCCESS, "code %d", code);
        if (turn % 3 == 0)
            works(comm, turn + 2, "after a failure");
        MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, harness_rank % 2, harness_rank, &half);
        works(half, turn + 1, "half after a failure");
        MPI_Comm_free(&half);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        works(comm, turn + 1, "after a freed failure");
        MPI_Comm_free(&comm);
    }
}

/* Rank 0's settings at the first use count. */
static void test_settings(void)
{
    const char *transport = getenv("SUMMAND_TRANSPORT");
    char kept[32] = "";
    struct summand__state *state;
    MPI_Comm comm[2];
    if (transport)
        snprintf(kept, sizeof kept, "%s", transport);
    for (int i = 0; i < 2; i++) {
        setenv("SUMMAND_TRANSPORT", i || harness_rank ? "auto" : "p2p", 1);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        works(comm[i], i + 1, "settings");
        CHECK(summand__state_of(comm[i], &state) == MPI_SUCCESS, "state");
        CHECK(i || !state->segment, "p2p was asked for");
    }
    setenv("SUMMAND_CHECK", harness_rank ? "off" : "on", 1);
    MPI_Comm checked;
    MPI_Comm_dup(MPI_COMM_WORLD, &checked);
    works(checked, 5, "checked");
    CHECK(summand__state_of(checked, &state) == MPI_SUCCESS && state->checks, "checks");
    unsetenv("SUMMAND_CHECK");
    for (int i = 0; i < 2; i++) {
        works(comm[i], i + 3, "settings again");
        MPI_Comm_free(&comm[i]);
    }
    MPI_Comm_free(&checked);
    if (*kept)
        setenv("SUMMAND_TRANSPORT", kept, 1);
    else
        unsetenv("SUMMAND_TRANSPORT");
}

/* Gossip sends MPI messages whatever memory is shared: to the right ranks, in any order of ranks.
 * */
static void test_gossip(void)
{
    static const char *const algorithms[] = {"hpfcc", "pfcc", "rd"};
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank > 0, -harness_rank, &comm);
    for (int i = 0; i < 3; i++) {
        int rank, ranks;
        summand_gossip_options options = summand_gossip_options_default();
        options.algorithm = algorithms[i];
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &ranks);
        double mine = rank + 1, sum = 0, want = ranks * (ranks + 1) / 2;
        int code =
            summand_gossip_allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &options, NULL);
        CHECK(code == MPI_SUCCESS && sum > 0.999 * want && sum < 1.001 * want, "%s: code %d, %g",
              algorithms[i], code, sum);
        works(comm, i + 1, "after gossip");
    }
    MPI_Comm_free(&comm);
}

static struct summand__context *begin(int salt, MPI_Comm *comm)
{
    struct summand__state *state;
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    works(*comm, salt, "begin");
    CHECK(summand__state_of(*comm, &state) == MPI_SUCCESS, "state");
    return &state->context;
}

/* Ranks that disagree may leave messages, so no other communicator may get that context next. */
static void test_disagreement(void)
{
    MPI_Comm comm;
    double sums[2];
    summand_term terms[2] = {{.kind = SUMMAND_KIND_SUM, .count = 1, .x = x},
                             {.kind = SUMMAND_KIND_SUM, .count = 1, .x = x}};
    fresh_settings();
    const struct summand__context *context = begin(1, &comm);
    int number = context->number;
    uint64_t id = context->fabric->id[1];
    int code =
        summand_sums(harness_rank ? 1 : 2, terms, sums, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    CHECK((code == MPI_SUCCESS) == (harness_ranks == 1), "code %d", code);
    MPI_Comm_free(&comm);
    context = begin(2, &comm);
    bool far = !(context->shares && context->nodes.node_size == harness_ranks);
    bool again = context->number == number && context->fabric->id[1] == id;
    CHECK(harness_ranks == 1 || !far || !again, "context %d again", number);
    MPI_Comm_free(&comm);
}

TESTS
{
    uint64_t random = harness_seed();
    test_costs();
    test_overlaps(&random);
    test_chain();
    test_many();
    test_memory();
    test_plans();
    test_failures();
    test_settings();
    test_gossip();
    test_disagreement();
}

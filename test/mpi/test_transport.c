/* np: 2 3 4 */
/* Transports: messages of several operations between the same ranks, long ones that nobody waits
 * for yet, elements with gaps, operands combined where they arrive, messages that are too long, the
 * agreement on a transport. */
#include <stdlib.h>
#include <summand.h>
#include <sys/resource.h>

#include "mpi/fresh.h"
#include "mpi/link.h"
#include "mpi/neighbours.h"
#include "transport/route.h"

static struct summand__state *state;

static int complete_group(struct summand__route *route, unsigned group)
{
    bool done = false;
    int code = link_complete(route->link, group, true, &done);
    return code != MPI_SUCCESS || done ? code : MPI_ERR_PENDING;
}

static int complete(struct summand__route *route)
{
    return complete_group(route, 0);
}

/* Three operations send in turn, and are received in the opposite order. */
static void test_crossing(size_t n)
{
    enum { LINKS = 3 };
    struct summand__route route[LINKS];
    double *from[LINKS], *to[LINKS];
    for (int l = 0; l < LINKS; l++) {
        from[l] = malloc(n * sizeof *from[l]);
        to[l] = calloc(n, sizeof *to[l]);
        for (size_t i = 0; i < n; i++)
            from[l][i] = value(harness_rank, l, i);
        CHECK(summand__route_open(&route[l], state, MPI_DOUBLE, 100 + l, NULL, 2), "open");
        link_send(route[l].link, 0, 0, next(), from[l], n);
    }
    for (int l = LINKS - 1; l >= 0; l--) {
        bool done;
        link_recv(route[l].link, 0, 0, last(), to[l], n, NULL);
        for (done = false; !done;)
            for (int k = 0; k < LINKS; k++) {
                bool through = false;
                link_complete(route[k].link, 0, false, &through);
                if (k == l)
                    done = through;
            }
    }
    for (int l = 0; l < LINKS; l++) {
        CHECK(complete(&route[l]) == MPI_SUCCESS, "complete");
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++)
            wrong += to[l][i] != value(last(), l, i);
        CHECK(!wrong, "operation %d, %zu elements: %zu wrong", l, n, wrong);
        summand__route_close(&route[l]);
        free(from[l]);
        free(to[l]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Two of three doubles: what lies between is not written. */
static void test_gaps(size_t n)
{
    MPI_Datatype pair, gapped;
    struct summand__route route;
    double *from = malloc(3 * n * sizeof *from), *to = malloc(3 * n * sizeof *to);
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
    MPI_Type_create_resized(pair, 0, 3 * sizeof(double), &gapped);
    MPI_Type_commit(&gapped);
    for (size_t i = 0; i < 3 * n; i++) {
        from[i] = value(harness_rank, 5, i);
        to[i] = -1;
    }
    CHECK(summand__route_open(&route, state, gapped, 7, NULL, 2), "open");
    link_recv(route.link, 0, 0, last(), to, n, NULL);
    link_send(route.link, 0, 0, next(), from, n);
    CHECK(complete(&route) == MPI_SUCCESS, "complete");
    size_t wrong = 0;
    for (size_t i = 0; i < 3 * n; i++)
        wrong += to[i] != (i % 3 == 1 ? -1 : value(last(), 5, i));
    CHECK(!wrong, "%zu elements: %zu wrong", n, wrong);
    summand__route_close(&route);
    MPI_Type_free(&pair);
    MPI_Type_free(&gapped);
    free(from);
    free(to);
}

/* left - 2 right: neither commutes nor associates, so each order of operands shows. */
static void subtract(const void *context, const void *left, const void *right, void *out,
                     size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        ((double *)out)[i] = ((const double *)left)[i] - 2 * ((const double *)right)[i];
}

static double minus(double left, double right)
{
    return left - 2 * right;
}

/* Operands of both neighbours are combined into what is sent to both, in the order of the receives,
 * and one into its own place. Exchanges longer than what a queue holds must not lock up. */
static void test_combine(size_t n)
{
    struct summand__route route;
    double *own = malloc(n * sizeof *own), *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    for (size_t i = 0; i < n; i++)
        own[i] = value(harness_rank, 1, i);
    summand__route_open(&route, state, MPI_DOUBLE, 9, NULL, 4);
    const struct summand__transport *transport = route.link->transport;
    if (transport->combines && transport->combines(route.link, last()) &&
        transport->combines(route.link, next())) {
        struct summand__arrival into_own = {subtract, NULL, own, own, true};
        struct summand__arrival into_place = {subtract, NULL, own, b, false};
        link_send(route.link, 0, 0, next(), own, n);
        link_send(route.link, 0, 0, last(), own, n);
        link_recv(route.link, 0, 0, last(), a, n, &into_own);
        link_recv(route.link, 0, 0, next(), b, n, &into_place);
        CHECK(complete(&route) == MPI_SUCCESS, "complete");
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++) {
            double first = minus(value(last(), 1, i), value(harness_rank, 1, i));
            wrong += own[i] != first || b[i] != minus(first, value(next(), 1, i));
        }
        CHECK(!wrong, "%zu elements: %zu wrong", n, wrong);
    }
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    free(own);
    free(a);
    free(b);
}

/* Posts what a rank says to all others, once, and what they say to it. */
static void post_multicast(struct summand__link *link, const double *from, double *to, size_t n)
{
    link_send(link, 0, SUMMAND__MULTICAST, next(), from, n);
    for (int i = 1; i < harness_ranks; i++) {
        int peer = (harness_rank + i) % harness_ranks;
        link_recv(link, 0, SUMMAND__MULTICAST, peer, to + (size_t)peer * n, n, NULL);
    }
}

/* Messages to all of two operations, the second of which is waited for first, again and again; and
 * one to the next rank alone among them, which lies in nobody's way. */
static void test_multicast(size_t n, int times)
{
    struct summand__route route[2];
    size_t ranks = (size_t)harness_ranks;
    double *from[2], *to[2], *single = calloc(n, sizeof *single);
    for (int l = 0; l < 2; l++) {
        from[l] = malloc(n * sizeof *from[l]);
        to[l] = calloc(n * ranks, sizeof *to[l]);
        CHECK(summand__route_open(&route[l], state, MPI_DOUBLE, 200 + l, NULL, 2 * ranks), "open");
    }
    struct summand__link *link = route->link;
    bool multicasts = link->abilities & SUMMAND__MULTICASTS;
    CHECK(multicasts == (state->segment && state->segment->whole && ranks > 2), "who multicasts");
    for (int t = 0; multicasts && t < times; t++) {
        for (int l = 0; l < 2; l++) {
            for (size_t i = 0; i < n; i++)
                from[l][i] = value(harness_rank, l + 2 * t, i);
            post_multicast(route[l].link, from[l], to[l], n);
        }
        link_send(link, 0, 0, next(), from[0], n);
        link_recv(link, 0, 0, last(), single, n, NULL);
        for (bool through[2] = {false, false}; !through[0] || !through[1];)
            for (int l = 1; l >= 0; l--)
                link_complete(route[l].link, 0, false, &through[l]);
        size_t wrong = 0;
        for (size_t r = 0; r < ranks; r++)
            for (size_t i = 0; i < n && (int)r != harness_rank; i++)
                wrong += to[0][r * n + i] != value((int)r, 2 * t, i) ||
                         to[1][r * n + i] != value((int)r, 1 + 2 * t, i) ||
                         single[i] != value(last(), 2 * t, i);
        CHECK(!wrong, "to all, %zu elements, time %d: %zu wrong", n, t, wrong);
    }
    for (int l = 0; l < 2; l++) {
        summand__route_close(&route[l]);
        free(from[l]);
        free(to[l]);
    }
    free(single);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Groups are waited for each on its own: the first rank's receive is through last, when what the
 * first rank sends behind has gone round. */
static void test_groups(size_t n)
{
    struct summand__route route;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    for (size_t i = 0; i < n; i++)
        a[i] = value(0, 1, i), b[i] = value(0, 2, i);
    summand__route_open(&route, state, MPI_DOUBLE, 13, NULL, 8);
    struct summand__link *link = route.link;
    double *sent[2] = {a, b};
    if (harness_rank == 0) {
        link_recv(link, 3, SUMMAND__PACED, last(), c, n, NULL);
    }
    for (unsigned m = 0; m < 2; m++) {
        if (harness_rank > 0) {
            link_recv(link, m, SUMMAND__PACED, last(), sent[m], n, NULL);
            CHECK(complete_group(&route, m) == MPI_SUCCESS, "complete");
        }
        if (next() == 0)
            continue;
        link_send(link, m, SUMMAND__PACED, next(), sent[m], n);
        CHECK(complete_group(&route, m) == MPI_SUCCESS, "complete");
    }
    if (next() == 0)
        link_send(link, 1, SUMMAND__PACED, 0, b, n);
    CHECK(complete_group(&route, 1) == MPI_SUCCESS, "complete");
    CHECK(complete_group(&route, 3) == MPI_SUCCESS, "complete");
    size_t wrong = 0;
    for (size_t i = 0; i < n && harness_rank == 0; i++)
        wrong += c[i] != value(0, 2, i);
    CHECK(!wrong, "%zu elements: %zu wrong", n, wrong);
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    free(a);
    free(b);
    free(c);
}

/* A message that came before its receive was posted is not combined before the send of the same
 * round has read what it overwrites, though that is posted behind the receive. */
static void test_early(size_t n)
{
    struct summand__route first, second;
    double *own = malloc(n * sizeof *own), *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b),
           word = 1;
    for (size_t i = 0; i < n; i++)
        own[i] = value(harness_rank, 1, i);
    summand__route_open(&first, state, MPI_DOUBLE, 20, NULL, 4);
    summand__route_open(&second, state, MPI_DOUBLE, 21, NULL, 2);
    const struct summand__transport *transport = first.link->transport;
    if (transport->combines && transport->combines(first.link, last()) &&
        transport->combines(first.link, next())) {
        struct summand__arrival arrival = {subtract, NULL, own, own, true};
        double *copy = malloc(n * sizeof *copy);
        memcpy(copy, own, n * sizeof *copy);
        struct summand__route *routes[] = {&first, &second};
        link_send(first.link, 0, 0, next(), copy, n);
        link_send(second.link, 0, 0, next(), &word, 1);
        link_recv(second.link, 0, 0, last(), &word, 1, NULL);
        for (bool done[2] = {false, false}; !done[0] || !done[1];)
            for (int r = 0; r < 2; r++)
                link_complete(routes[r]->link, 0, false, &done[r]);
        link_recv(first.link, 0, 0, last(), a, n, &arrival);
        link_recv(first.link, 0, 0, last(), b, n, NULL);
        link_send(first.link, 0, 0, next(), own, n);
        CHECK(complete(&first) == MPI_SUCCESS, "complete");
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++)
            wrong += own[i] != minus(value(last(), 1, i), value(harness_rank, 1, i)) ||
                     b[i] != value(last(), 1, i);
        CHECK(!wrong, "%zu elements: %zu wrong", n, wrong);
        free(copy);
    }
    summand__route_close(&first);
    summand__route_close(&second);
    MPI_Barrier(MPI_COMM_WORLD);
    free(own);
    free(a);
    free(b);
}

/* The rest of a message that is too long does not reach the next one. */
static void test_too_long(size_t n)
{
    struct summand__route route;
    double *from = calloc(n, sizeof *from), to[4] = {0, 0, 0, -1}, more = value(harness_rank, 3, 0);
    summand__route_open(&route, state, MPI_DOUBLE, 11, NULL, 4);
    link_recv(route.link, 0, 0, last(), to, 3, NULL);
    link_send(route.link, 0, 0, next(), from, n);
    int code = complete(&route);
    CHECK(code == MPI_ERR_TRUNCATE, "code %d", code);
    CHECK(to[3] == -1, "written behind the buffer");
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    summand__route_open(&route, state, MPI_DOUBLE, 12, NULL, 4);
    link_recv(route.link, 0, 0, last(), to, 1, NULL);
    link_send(route.link, 0, 0, next(), &more, 1);
    CHECK(complete(&route) == MPI_SUCCESS && to[0] == value(last(), 3, 0), "the next message");
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    free(from);
}

/* Rank 0's message to 1 belongs to a later group than the one it waits for, from 2, who waits for
 * 3, who waits for 1, who waits for that message: it must move on meanwhile, whichever ways they
 * go. */
static void test_groups_beside(size_t n, bool block)
{
    static const int from[] = {2, 0, 3, 1}, to[] = {1, 3, 0, 2};
    struct summand__route route;
    double *own = malloc(n * sizeof *own), *in = calloc(n, sizeof *in);
    bool done = false;
    int code = MPI_SUCCESS;
    for (size_t i = 0; i < n; i++)
        own[i] = value(0, 4, i);
    CHECK(summand__route_open(&route, state, MPI_DOUBLE, 13, NULL, 4), "open");
    struct summand__link *link = route.link;
    if (harness_rank == 0)
        link_send(link, 1, SUMMAND__PACED, to[0], own, n);
    if (harness_rank < 4)
        link_recv(link, 0, 0, from[harness_rank], in, n, NULL);
    while (!done && code == MPI_SUCCESS)
        code = link_complete(link, 0, block, &done);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    if (harness_rank > 0 && harness_rank < 4)
        link_send(link, 0, 0, to[harness_rank], in, n);
    for (done = false; !done && code == MPI_SUCCESS;)
        code = link_complete(link, harness_rank == 0, true, &done);
    size_t wrong = 0;
    for (size_t i = 0; i < n && harness_rank < 4; i++)
        wrong += in[i] != own[i];
    CHECK(!wrong && code == MPI_SUCCESS, "%zu wrong, code %d", wrong, code);
    summand__route_close(&route);
    free(own);
    free(in);
    MPI_Barrier(MPI_COMM_WORLD);
}

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
    if (summand__state_of(MPI_COMM_WORLD, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    static const size_t sizes[] = {1, 6, 7, 600, 2048, 2049, 20000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_crossing(sizes[i]);
        test_gaps(sizes[i]);
        test_combine(sizes[i]);
        test_multicast(sizes[i], sizes[i] < 20000 ? 20 : 2);
        test_groups(sizes[i]);
        test_early(sizes[i]);
        for (int block = 0; block < 2 && harness_ranks >= 4; block++)
            test_groups_beside(sizes[i], block);
        /* The MPI's own messages fail in other ways: MPICH ends the program. */
        if (sizes[i] > 3 && state->segment && state->segment->whole)
            test_too_long(sizes[i]);
    }
    test_agreement();
    test_file_limit();
    return harness_end();
}

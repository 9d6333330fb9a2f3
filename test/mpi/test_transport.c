/* np: 2 3 4; brief; also: read/2 read/3 read-long/3 mixed-read/4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Transports: messages of several operations between the same ranks, long ones for which no rank
 * waits yet, elements with gaps, operands combined on arrival, messages that are too long. Runs on
 * all transports of the table, and over each of them with seals. */
#include <stdlib.h>
#include <string.h>
#include <summand.h>

#include "mpi/fresh.h"
#include "mpi/link.h"
#include "mpi/neighbours.h"
#include "transport/route.h"

static struct summand__state *state;
static const struct summand__transport_entry *transport, *lower; /* of messages with seals */

static void open_route(struct summand__route *route, MPI_Datatype datatype, int tag, size_t most)
{
    const struct summand__link_spec spec = {.state = state,
                                            .datatype = datatype,
                                            .tag = tag,
                                            .most = most,
                                            .lower = lower,
                                            .checked = state->checked};
    CHECK(summand__route_open_over(route, transport, &spec), "%s: open", transport->transport.name);
}

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

static bool combines(const struct summand__link *link, int peer)
{
    return link->abilities & SUMMAND__COMBINES && link->transport->combines(link, peer);
}

/* Three operations send in turn; their messages are received in the opposite order. */
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
        open_route(&route[l], MPI_DOUBLE, 100 + l, 2);
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

/* Two of three doubles: the one between is not written. */
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
    open_route(&route, gapped, 7, 2);
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

/* Operands of both neighbours are combined into the data sent to both, in the order of the
 * receives, and one into its own place. Exchanges longer than a queue must not deadlock. */
static void test_combine(size_t n)
{
    struct summand__route route;
    double *own = malloc(n * sizeof *own), *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    for (size_t i = 0; i < n; i++)
        own[i] = value(harness_rank, 1, i);
    open_route(&route, MPI_DOUBLE, 9, 4);
    if (combines(route.link, last()) && combines(route.link, next())) {
        struct summand__arrival into_own = {subtract, NULL, own, own, true, false};
        struct summand__arrival into_place = {subtract, NULL, own, b, false, false};
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

/* Posts a rank's multicast to all others, and the receives of theirs. */
static void post_multicast(struct summand__link *link, const double *from, double *to, size_t n)
{
    link_send(link, 0, SUMMAND__MULTICAST, next(), from, n);
    for (int i = 1; i < harness_ranks; i++) {
        int peer = (harness_rank + i) % harness_ranks;
        link_recv(link, 0, SUMMAND__MULTICAST, peer, to + (size_t)peer * n, n, NULL);
    }
}

/* Multicasts of two operations, the second of which is waited for first, repeatedly. A message to
 * the next rank alone, among them, is in nobody's way. */
static void test_multicast(size_t n, int times)
{
    struct summand__route route[2];
    size_t ranks = (size_t)harness_ranks;
    double *from[2], *to[2], *single = calloc(n, sizeof *single);
    for (int l = 0; l < 2; l++) {
        from[l] = malloc(n * sizeof *from[l]);
        to[l] = calloc(n * ranks, sizeof *to[l]);
        open_route(&route[l], MPI_DOUBLE, 200 + l, 2 * ranks);
    }
    struct summand__link *link = route->link;
    bool multicasts = link->abilities & SUMMAND__MULTICASTS;
    CHECK(transport != summand__transport_for(state) ||
              multicasts == (state->segment && state->segment->whole && ranks > 2),
          "who multicasts");
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

/* Each group has its own wait: the first rank's receive completes last, after the message that this
 * rank sends next has gone round. */
static void test_groups(size_t n)
{
    struct summand__route route;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    for (size_t i = 0; i < n; i++)
        a[i] = value(0, 1, i), b[i] = value(0, 2, i);
    open_route(&route, MPI_DOUBLE, 13, 8);
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

/* A message arrived before its receive was posted. It is not combined before the send of the same
 * round, posted after the receive, has read the data that it overwrites. */
static void test_early(size_t n)
{
    struct summand__route first, second;
    double *own = malloc(n * sizeof *own), *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b),
           word = 1;
    for (size_t i = 0; i < n; i++)
        own[i] = value(harness_rank, 1, i);
    open_route(&first, MPI_DOUBLE, 20, 4);
    open_route(&second, MPI_DOUBLE, 21, 2);
    /* Long messages of the MPI wait for their receive: none are early. */
    if (combines(first.link, last()) && combines(first.link, next())) {
        struct summand__arrival arrival = {subtract, NULL, own, own, true, false};
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

/* Nothing is combined before its group is waited for. This holds even if another operation that
 * receives from the same rank, or the same one waiting for another group, moves the message out of
 * its way. All of it is combined once the group is waited for, whichever polls came between. */
static void test_not_asked(size_t n)
{
    struct summand__route first, second;
    double *own = malloc(n * sizeof *own), *a = malloc(n * sizeof *a),
           *copy = malloc(n * sizeof *a);
    double word = 1, got = 0;
    size_t early = 0, wrong = 0;
    for (size_t i = 0; i < n; i++)
        own[i] = copy[i] = value(harness_rank, 1, i);
    open_route(&first, MPI_DOUBLE, 22, 6);
    open_route(&second, MPI_DOUBLE, 23, 4);
    if (combines(first.link, last()) && combines(first.link, next())) {
        struct summand__arrival arrival = {subtract, NULL, own, own, true, false};
        struct summand__route *routes[] = {&first, &second};
        link_recv(first.link, 1, 0, last(), a, n, &arrival);
        link_recv(second.link, 0, 0, last(), &got, 1, NULL);
        link_send(first.link, 0, 0, next(), copy, n);
        link_send(second.link, 0, 0, next(), &word, 1);
        for (bool done[2] = {false, false}; !done[0] || !done[1];)
            for (int r = 0; r < 2; r++)
                link_complete(routes[r]->link, 0, false, &done[r]);
        bool sending = true;
        for (int i = 0; i < 1000; i++)
            first.link->transport->progress(first.link, &sending);
        for (size_t i = 0; i < n; i++)
            early += own[i] != copy[i];
        CHECK(!early, "%s, %zu elements: %zu combined too early", transport->transport.name, n,
              early);
        CHECK(complete_group(&first, 1) == MPI_SUCCESS, "complete");
        for (size_t i = 0; i < n; i++)
            wrong += own[i] != minus(value(last(), 1, i), value(harness_rank, 1, i));
        CHECK(!wrong && got == 1, "%zu elements: %zu wrong", n, wrong);
    }
    summand__route_close(&first);
    summand__route_close(&second);
    MPI_Barrier(MPI_COMM_WORLD);
    free(own);
    free(a);
    free(copy);
}

/* The rest of a message that is too long does not reach the next one. */
static void test_too_long(size_t n)
{
    static int tag = 200; /* what follows a message with a seal stays behind */
    struct summand__route route;
    double *from = calloc(n, sizeof *from), to[4] = {0, 0, 0, -1}, more = value(harness_rank, 3, 0);
    open_route(&route, MPI_DOUBLE, tag++, 4);
    link_recv(route.link, 0, 0, last(), to, 3, NULL);
    link_send(route.link, 0, 0, next(), from, n);
    int code = complete(&route);
    CHECK(code == MPI_ERR_TRUNCATE, "code %d", code);
    CHECK(to[3] == -1, "written behind the buffer");
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    open_route(&route, MPI_DOUBLE, 12, 4);
    link_recv(route.link, 0, 0, last(), to, 1, NULL);
    link_send(route.link, 0, 0, next(), &more, 1);
    CHECK(complete(&route) == MPI_SUCCESS && to[0] == value(last(), 3, 0), "the next message");
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    free(from);
}

/* Rank 0's message to 1 belongs to a later group than the one it waits for. It waits for 2, which
 * waits for 3, which waits for 1, which waits for that message. So the message must progress
 * meanwhile, over any transport. */
static void test_groups_beside(size_t n, bool block)
{
    static const int from[] = {2, 0, 3, 1}, to[] = {1, 3, 0, 2};
    struct summand__route route;
    double *own = malloc(n * sizeof *own), *in = calloc(n, sizeof *in);
    bool done = false;
    int code = MPI_SUCCESS;
    for (size_t i = 0; i < n; i++)
        own[i] = value(0, 4, i);
    open_route(&route, MPI_DOUBLE, 13, 4);
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

/* The same link for operations of other tags, including the last ones of their range, and of other
 * datatypes. */
static void test_tags(size_t n)
{
    static const int tags[] = {31, SUMMAND__CALL_TAGS - 1, SUMMAND__CALL_TAGS, 0, 32};
    static const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR, MPI_BYTE, MPI_DOUBLE, MPI_INT};
    struct summand__route route;
    unsigned char *from = malloc(8 * n), *to = malloc(8 * n);
    size_t wrong = 0;
    open_route(&route, MPI_SHORT, 30, 2);
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++) {
        int bytes;
        MPI_Type_size(types[t], &bytes);
        for (size_t i = 0; i < 8 * n; i++) {
            from[i] = (unsigned char)(i * 7 + t + (size_t)harness_rank);
            to[i] = 255;
        }
        summand__route_carry(&route, types[t]);
        summand__route_tag(&route, tags[t]);
        CHECK(summand__route_tag_of(&route) == tags[t], "the tag");
        link_send(route.link, 0, 0, next(), from, n);
        link_recv(route.link, 0, 0, last(), to, n, NULL);
        CHECK(complete(&route) == MPI_SUCCESS, "complete");
        for (size_t i = 0; i < 8 * n; i++)
            wrong += to[i] !=
                     (i < (size_t)bytes * n ? (unsigned char)(i * 7 + t + (size_t)last()) : 255);
    }
    CHECK(!wrong, "%s, %zu elements: %zu bytes wrong", transport->transport.name, n, wrong);
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    free(from);
    free(to);
}

/* Tags come round: rank 0 uses the link on which it sent messages with this tag before, the other
 * ranks new ones. */
static void test_tag_again(void)
{
    struct summand__route route;
    double from = value(harness_rank, 6, 0), to = 0;
    open_route(&route, MPI_DOUBLE, 40, 2);
    for (int time = 0; time < 2; time++) {
        link_send(route.link, 0, 0, next(), &from, 1);
        link_recv(route.link, 0, 0, last(), &to, 1, NULL);
        CHECK(complete(&route) == MPI_SUCCESS && to == value(last(), 6, 0), "time %d", time);
        if (time == 0 && harness_rank > 0) {
            summand__route_close(&route);
            open_route(&route, MPI_DOUBLE, 40, 2);
        }
        summand__route_tag(&route, 40);
    }
    CHECK(!lower || strstr(route.link->transport->name, lower->transport.name),
          "'%s' does not name '%s'", route.link->transport->name, lower->transport.name);
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void test_all(bool long_ones)
{
    static const size_t sizes[] = {1, 6, 7, 600, 2048, 2049, 20000, 300000};
    test_tag_again();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes - !long_ones; i++) {
        test_crossing(sizes[i]);
        test_gaps(sizes[i]);
        test_combine(sizes[i]);
        test_multicast(sizes[i], sizes[i] < 20000 ? 20 : 2);
        test_groups(sizes[i]);
        test_early(sizes[i]);
        test_not_asked(sizes[i]);
        test_tags(sizes[i]);
        for (int block = 0; block < 2 && harness_ranks >= 4; block++)
            test_groups_beside(sizes[i], block);
        /* Messages of the MPI fail differently: MPICH ends the program. A seal that is read in its
         * sender's memory waits for its receive, which a receive of another length has not. */
        if (sizes[i] > 3 && (lower ? lower : transport) == &summand__shm_transport &&
            !(lower && lower->abilities(state) & SUMMAND__RENDEZVOUS_READ))
            test_too_long(sizes[i]);
    }
}

/* The transports that reach all ranks from each rank. */
static void test_table(void)
{
    for (int t = 0; summand__transports[t]; t++) {
        transport = summand__transports[t];
        int mine[2] = {transport->available(state), transport != summand__transport_for(state)};
        int all[2]; /* a rank alone on its node needs no shared memory */
        MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (!all[0])
            continue;
        if (all[1])
            test_all(false);
        lower = transport;
        transport = &summand__sealed_transport;
        test_all(false);
        lower = NULL;
    }
}

TESTS
{
    if (summand__state_of(MPI_COMM_WORLD, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    transport = summand__transport_for(state);
    test_all(true);
    test_table();
}

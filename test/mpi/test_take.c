/* np: 2 3; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are read in place in the receive queue, on all transports of the table that can do
 * this: only the first message there, of a link without messages under way, and only as a whole. */
#include <summand.h>

#include "mpi/harness.h"
#include "mpi/link.h"
#include "mpi/neighbours.h"
#include "transport/route.h"

static struct summand__state *state;

/* left - 2 right: neither commutes nor associates. */
static void subtract(const void *context, const void *left, const void *right, void *out,
                     size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        ((double *)out)[i] = ((const double *)left)[i] - 2 * ((const double *)right)[i];
}

/* The previous rank's message, alone or combined with `with`, as the left or the right operand. */
static void expect(const double *got, const double *with, bool left, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        double sent = value(last(), 1, i);
        if (with)
            sent = left ? sent - 2 * with[i] : with[i] - 2 * sent;
        wrong += got[i] != sent;
    }
    CHECK(!wrong, "%zu elements: %zu wrong", n, wrong);
}

static void wait_all(struct summand__link *link)
{
    bool done = false;
    CHECK(link_complete(link, 0, true, &done) == MPI_SUCCESS && done, "complete");
}

/* One message of the first link comes before two of the second one. */
static void take_in_order(struct summand__link *first, struct summand__link *second, size_t n)
{
    double *from = malloc(n * sizeof *from), *to = calloc(n + 1, sizeof *to);
    double *with = malloc(n * sizeof *with);
    struct summand__arrival into[2] = {{subtract, NULL, with, to, true, false},
                                       {subtract, NULL, with, to, false, false}};
    for (size_t i = 0; i < n; i++) {
        from[i] = value(harness_rank, 1, i);
        with[i] = value(harness_rank, 2, i);
    }
    CHECK(!link_take(first, 0, last(), to, n, NULL, true), "taken before it was sent");
    MPI_Barrier(MPI_COMM_WORLD);
    link_send(first, 0, 0, next(), from, n);
    for (int i = 0; i < 2; i++)
        link_send(second, 0, 0, next(), from, n);
    wait_all(first);
    wait_all(second);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!link_take(second, 0, last(), to, n, NULL, true), "%zu: behind another one's", n);
    CHECK(!link_take(first, 0, last(), to, n + 1, NULL, true), "%zu: of another length", n);
    CHECK(link_take(first, 0, last(), to, n, NULL, false), "%zu: it is there", n);
    expect(to, NULL, false, n);
    for (int left = 1; left >= 0; left--) {
        CHECK(link_take(second, 0, last(), NULL, n, &into[!left], false), "%zu: it is there", n);
        expect(to, with, left, n);
    }
    free(from);
    free(to);
    free(with);
}

/* What was posted first gets what was sent first. */
static void take_behind(struct summand__link *link, size_t n)
{
    double *from = malloc(n * sizeof *from), *to = calloc(n, sizeof *to);
    for (size_t i = 0; i < n; i++)
        from[i] = value(harness_rank, 1, i);
    link_recv(link, 0, 0, last(), to, n, NULL);
    link_send(link, 0, 0, next(), from, n);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!link_take(link, 0, last(), to, n, NULL, true), "%zu: behind one under way", n);
    wait_all(link);
    expect(to, NULL, false, n);
    free(from);
    free(to);
}

/* A receive of another link found this message before its own and stored it: it is the older one.
 * */
static void take_behind_kept(struct summand__link *first, struct summand__link *second, size_t n)
{
    double *from = malloc((n + 1) * sizeof *from), *to = calloc(n + 1, sizeof *to);
    for (size_t i = 0; i < n; i++)
        from[i] = value(harness_rank, 1, i);
    from[n] = 0;
    for (int i = 0; i < 2; i++) {
        link_send(first, 0, 0, next(), from, n);
        if (!i)
            link_send(second, 0, 0, next(), from, n);
        for (size_t k = 0; k < n; k++)
            from[k] = value(harness_rank, 3, k);
    }
    wait_all(first);
    MPI_Barrier(MPI_COMM_WORLD);
    link_recv(second, 0, 0, last(), to, n, NULL);
    wait_all(second);
    CHECK(!link_take(first, 0, last(), to, n, NULL, true), "%zu: behind a kept one", n);
    for (int i = 0; i < 2; i++) {
        link_recv(first, 0, 0, last(), to, n, NULL);
        wait_all(first);
        for (size_t k = 0; k < n; k++)
            CHECK(to[k] == value(last(), i ? 3 : 1, k), "%zu: in the order sent", n);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    free(from);
    free(to);
}

static void test_transport(const struct summand__transport_entry *transport, size_t n)
{
    struct summand__route route[2];
    for (int l = 0; l < 2; l++) {
        const struct summand__link_spec spec = {.state = state,
                                                .datatype = MPI_DOUBLE,
                                                .tag = 110 + l,
                                                .most = 4,
                                                .checked = state->checked};
        CHECK(summand__route_open_over(&route[l], transport, &spec), "open");
    }
    take_in_order(route[0].link, route[1].link, n);
    take_behind(route[0].link, n);
    take_behind_kept(route[0].link, route[1].link, n);
    for (int l = 0; l < 2; l++)
        summand__route_close(&route[l]);
    MPI_Barrier(MPI_COMM_WORLD);
}

TESTS
{
    static const size_t sizes[] = {0, 1, 6, 7, 64, 65, 300, 2048};
    if (summand__state_of(MPI_COMM_WORLD, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    CHECK(!state->segment || summand__shm_transport.transport.take, "shared memory has it");
    for (int t = 0; summand__transports[t]; t++) {
        if (!summand__transports[t]->transport.take || !summand__transports[t]->available(state))
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (sizes[i] * sizeof(double) < state->segment->read_from)
                test_transport(summand__transports[t], sizes[i]);
    }
}

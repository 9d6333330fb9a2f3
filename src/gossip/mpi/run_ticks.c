/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous algorithms: each rank ticks at its own pace and receives the messages that have
 * arrived. At the end all messages are drained (Hoefler, Siebert, Lumsdaine, 2010: synchronous
 * sends, then a non-blocking barrier). Then partners compare their flows, because messages that
 * crossed have left them different. */
#include "gossip/mpi/runner.h"
#include "process/error.h"

enum { DRAINS = 8 };

static bool all_sent(const struct summand__runner *r)
{
    for (int k = 0; k < r->sending; k++)
        if (r->sends[k] != MPI_REQUEST_NULL)
            return false;
    return true;
}

/* True if any rank has sent messages beyond its first `before` ones. */
static bool drain_once(struct summand__runner *r, uint64_t before)
{
    int64_t more = r->messages > before;
    while (!all_sent(r) && r->code == MPI_SUCCESS)
        summand__runner_idle(r, summand__runner_receive(r));
    summand__runner_exchange(r, &more, 1, 0, summand__runner_receive);
    summand__runner_sweep(r);
    return more;
}

/* Answers to bad messages may be in flight when a drain ends: repeats until no rank has sent
 * any. */
static void drain(struct summand__runner *r)
{
    uint64_t before = 0;
    bool more = true;
    for (int k = 0; k < DRAINS && more && r->code == MPI_SUCCESS; k++) {
        uint64_t now = r->messages;
        more = drain_once(r, before);
        before = now;
    }
}

/* The lower rank of a pair sends its flow. */
static void compare_flows(struct summand__runner *r)
{
    if (r->node->algorithm->check)
        r->node->algorithm->check(r->node, &r->outbox);
    summand__runner_flush(r, true);
    drain(r);
    for (int s = 0; s < r->node->slots; s++)
        if (r->node->partners[s] > r->state->rank)
            summand__gossip_post(&r->outbox, r->node, r->node->partners[s], SUMMAND__MASS,
                                 r->node->flows + (size_t)s * r->width);
    summand__runner_flush(r, true);
    drain(r);
}

void summand__run_ticks(struct summand__runner *r, int ticks)
{
    int64_t degree = summand__topology_degree(r->topology, r->state->rank);
    if (!r->listens)
        summand__runner_listen(r);
    for (int k = 0; k < ticks && r->code == MPI_SUCCESS; k++) {
        summand__runner_pass(r);
        if (r->code != MPI_SUCCESS)
            break;
        summand__runner_inject_fault(r);
        /* Two ranks take turns, because their messages would cross nearly every time. */
        bool turn = r->state->ranks > 2 || (r->round + r->state->rank) % 2;
        if (degree > 0 && turn) {
            int64_t choice = (int64_t)summand__random_below(&r->choice, (uint64_t)degree);
            int64_t to = summand__topology_neighbour(r->topology, r->state->rank, choice);
            r->node->algorithm->tick(r->node, to, &r->outbox);
            if (!summand__runner_has_own(r))
                break;
            summand__runner_flush(r, true);
        }
        r->round++;
        r->inject = r->hooked = false;
        /* A rank ahead of the others would give its mass away until only rounding errors are left.
         * So the next tick waits until this one's message has been received. */
        do {
            summand__runner_idle(r, summand__runner_receive(r));
        } while (!all_sent(r) && r->code == MPI_SUCCESS);
        summand__runner_watch(r);
    }
    drain(r);
    if (r->node->algorithm->flows && r->code == MPI_SUCCESS)
        compare_flows(r);
    if (r->node->failed)
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_MEMORY));
    summand__runner_has_own(r);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms in rounds. A rank with a bad state requests the data for its repair, and waits for
 * them, answering others meanwhile. That cannot deadlock: among the ranks in the earliest round,
 * one waits for a message of that round or for an answer, which any rank in that or a later round
 * gives at once. */
#include "gossip/mpi/runner.h"
#include "process/error.h"

static void wait_for_answers(struct summand__runner *r)
{
    while (r->waiting && r->code == MPI_SUCCESS)
        summand__runner_idle(r, summand__runner_serve(r));
}

/* Requests data until the state is good. Each repetition has another fault, or more bad flows than
 * messages could be posted. */
static void become_good(struct summand__runner *r)
{
    for (int attempt = 0; attempt < r->node->slots + 8 && r->code == MPI_SUCCESS; attempt++) {
        bool bad = r->node->algorithm->check && r->node->algorithm->check(r->node, &r->outbox);
        if (!summand__runner_has_own(r) || !bad)
            break;
        summand__runner_flush(r, false);
        wait_for_answers(r);
    }
    r->outbox.count = 0;
}

static void receive_from(struct summand__runner *r, int64_t from)
{
    struct summand__gossip_message message;
    struct summand__query sender;
    while (!summand__runner_take(r, (int)from, SUMMAND__MASS, &sender, &message)) {
        if (r->code != MPI_SUCCESS)
            return;
        summand__runner_idle(r, summand__runner_looks(r) && summand__runner_serve(r));
    }
    summand__runner_idle(r, true); /* the next wait starts from zero */
    r->view = r->round + 1;        /* if it is bad, the flow just pushed is requested again */
    r->node->algorithm->receive(r->node, from, &message, &r->outbox);
    summand__runner_flush(r, false);
    wait_for_answers(r);
}

static bool has_mass(const struct summand__gossip_outbox *outbox)
{
    for (int m = 0; m < outbox->count; m++)
        if (outbox->messages[m].kind == SUMMAND__MASS)
            return true;
    return false;
}

static void one_round(struct summand__runner *r)
{
    const struct summand__gossip_algorithm *algorithm = r->node->algorithm;
    struct summand__partners p =
        algorithm->partners(r->options->seed, r->state->ranks, r->round, r->state->rank);
    r->view = r->round;
    summand__runner_pass(r);
    if (r->code != MPI_SUCCESS)
        return;
    summand__runner_inject_fault(r);
    become_good(r);
    if (r->code != MPI_SUCCESS)
        return;
    summand__runner_remember(r, p.to);
    algorithm->tick(r->node, p.to, &r->outbox);
    if (p.to >= 0 && !has_mass(&r->outbox)) /* still bad: the partner must not wait for ever */
        summand__gossip_post(&r->outbox, r->node, p.to, SUMMAND__MASS,
                             summand__gossip_find(r->node, p.to));
    summand__runner_flush(r, false);
    if (p.from >= 0)
        receive_from(r, p.from);
    r->inject = r->hooked = false;
    r->round++;
    summand__runner_watch(r);
}

void summand__run_rounds(struct summand__runner *r, int rounds)
{
    for (int k = 0; k < rounds && r->code == MPI_SUCCESS; k++)
        one_round(r);
    r->view = r->round;
    /* No rank sends a request after this. So once all ranks have reached the next exchange, all
     * requests are answered. */
    become_good(r);
    if (r->node->failed)
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_MEMORY));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests for a flow's copy, and answers. */
#include "gossip/mpi/runner.h"
#include "kernel/seal.h"
#include "process/error.h"

#include <string.h>

enum { PATIENCE = 16 /* consecutive bad answers */ };

/* There is room for one request per rank; a rank sends another one only after its answer. */
static void keep_question(struct summand__runner *r, const struct summand__query *question)
{
    if (r->question_count < r->state->ranks)
        r->store->questions[r->question_count++] = *question;
}

/* The flow is as wide as the masses of this slice. */
static uint64_t seal_of(const struct summand__runner *r, const struct summand__journal *entry)
{
    return summand__seal(0, entry, offsetof(struct summand__journal, flow) / 8 + (size_t)r->width);
}

void summand__runner_remember(struct summand__runner *r, int64_t to)
{
    struct summand__journal *entry = &r->store->journal[r->round % SUMMAND__JOURNAL];
    const union summand__word *flow = to < 0 ? NULL : summand__gossip_find(r->node, to);
    entry->round = r->round;
    entry->to = to;
    if (flow)
        memcpy(entry->flow, flow, r->width * sizeof *flow);
    else
        memset(entry->flow, 0, r->width * sizeof *flow);
    entry->seal = seal_of(r, entry);
}

/* The flow to the requesting rank as it was at the earliest push that is not wanted. */
static const union summand__word *earlier_flow(const struct summand__runner *r,
                                               const struct summand__query *question)
{
    const struct summand__journal *found = NULL;
    for (int k = 0; k < SUMMAND__JOURNAL; k++) {
        const struct summand__journal *entry = &r->store->journal[k];
        if (entry->to == question->from && entry->round >= question->view &&
            (!found || entry->round < found->round) && entry->seal == seal_of(r, entry))
            found = entry;
    }
    return found ? found->flow : NULL;
}

/* A rank that asks in round t has sent its messages of the rounds before. An answer is right only
 * once this rank has received them. */
static bool answer_ready(struct summand__runner *r)
{
    struct summand__gossip_message message = {.kind = SUMMAND__ASK};
    struct summand__query *questions = r->store->questions;
    bool any = false;
    for (int q = 0; q < r->question_count; q++)
        if (questions[q].round <= r->round) {
            struct summand__query question = questions[q];
            questions[q--] = questions[--r->question_count];
            r->node->algorithm->receive(r->node, question.from, &message, &r->outbox);
            const union summand__word *earlier = earlier_flow(r, &question);
            if (earlier && r->outbox.count)
                memcpy(r->outbox.messages[r->outbox.count - 1].body, earlier,
                       r->width * sizeof *earlier);
            summand__runner_flush(r, false);
            any = true;
        }
    return any;
}

bool summand__runner_serve(struct summand__runner *r)
{
    struct summand__gossip_message message;
    struct summand__query sender;
    bool any = false;
    while (r->code == MPI_SUCCESS &&
           summand__runner_take(r, MPI_ANY_SOURCE, SUMMAND__ASK, &sender, &message)) {
        keep_question(r, &sender);
        any = true;
    }
    if (r->code != MPI_SUCCESS)
        return any;
    any |= answer_ready(r);
    while (r->waiting && r->code == MPI_SUCCESS &&
           summand__runner_take(r, MPI_ANY_SOURCE, SUMMAND__GIVE, &sender, &message)) {
        r->waiting--;
        r->node->algorithm->receive(r->node, sender.from, &message, &r->outbox);
        r->bad_answers = r->outbox.count ? r->bad_answers + 1 : 0; /* it is requested again */
        if (r->bad_answers > PATIENCE)
            summand__runner_fail(r, summand_error_code(SUMMAND_ERR_DAMAGED));
        summand__runner_flush(r, false);
        any = true;
    }
    summand__runner_sent(r);
    return any;
}

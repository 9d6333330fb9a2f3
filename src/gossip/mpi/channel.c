/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the state machines over MPI: a head, the mass, a seal. Requests have no mass, and are
 * sent twice in one message, because no rank would request them again. */
#include "gossip/mpi/runner.h"
#include "kernel/fpenv_call.h"
#include "kernel/seal.h"
#include "process/error.h"

#include <string.h>

enum { WHAT, WHEN, HEAD = SUMMAND__CHANNEL_HEAD, ASK = SUMMAND__ASK_WORDS };

/* A free place, or -1. */
static int vacant_place(struct summand__runner *r)
{
    for (int k = 0; k < r->sending; k++)
        if (r->sends[k] == MPI_REQUEST_NULL)
            return k;
    if (r->sending == SUMMAND__SENDS)
        return -1;
    r->sends[r->sending] = MPI_REQUEST_NULL;
    return r->sending++;
}

/* A place to send a message from; waits for one if necessary. -1 on failure. */
static int free_place(struct summand__runner *r)
{
    if (r->code != MPI_SUCCESS)
        return -1;
    int place = vacant_place(r);
    if (place >= 0)
        return place;
    while (r->code == MPI_SUCCESS && (place = vacant_place(r)) < 0) {
        summand__runner_sent(r);
        summand__runner_idle(r, false);
    }
    summand__runner_idle(r, true); /* the next wait starts from zero */
    return place;
}

static int64_t seal_of(int from, const int64_t *words, int count)
{
    return (int64_t)summand__seal((uint64_t)from, words, (size_t)count);
}

static int write_message(struct summand__runner *r, struct summand__gossip_message *message,
                         int64_t *words)
{
    bool asks = message->kind == SUMMAND__ASK;
    int body = asks ? 0 : r->width;
    words[WHAT] = (int64_t)r->epoch << 8 | (int64_t)message->kind << 1 | message->damaged;
    words[WHEN] = r->node->ordered ? message->version : (int64_t)r->round << 32 | r->view;
    memcpy(words + HEAD, message->body, (size_t)body * sizeof *words);
    words[HEAD + body] = seal_of(r->state->rank, words, HEAD + body);
    if (asks) {
        memcpy(words + ASK, words, ASK * sizeof *words);
        return 2 * ASK;
    }
    if (r->inject) { /* in flight: after the seal */
        summand__runner_corrupt(r, message);
        memcpy(words + HEAD, message->body, (size_t)body * sizeof *words);
    }
    return HEAD + body + 1;
}

static void send_one(struct summand__runner *r, struct summand__gossip_message *message,
                     bool synchronous)
{
    int place = free_place(r);
    if (place < 0)
        return;
    int64_t *words = r->store->sends[place];
    int count = write_message(r, message, words);
    int code = (synchronous ? PMPI_Issend : PMPI_Isend)(
        words, count, MPI_INT64_T, summand__channel_peer(&r->state->channel, (int)message->peer),
        r->tags[message->kind], r->state->channel.comm, &r->sends[place]);
    summand__runner_fail(r, code);
    r->waiting += message->kind == SUMMAND__ASK;
    r->messages++;
    r->bytes += (uint64_t)count * 8;
}

void summand__runner_flush(struct summand__runner *r, bool synchronous)
{
    for (int m = 0; m < r->outbox.count; m++)
        send_one(r, &r->outbox.messages[m], synchronous);
    r->outbox.count = 0;
}

bool summand__runner_sent(struct summand__runner *r)
{
    bool all = true;
    for (int k = 0; k < r->sending; k++) {
        int done = 1;
        if (r->sends[k] != MPI_REQUEST_NULL)
            summand__runner_fail(r, PMPI_Test(&r->sends[k], &done, MPI_STATUS_IGNORE));
        all &= done;
    }
    while (r->sending && r->sends[r->sending - 1] == MPI_REQUEST_NULL)
        r->sending--;
    return all;
}

bool summand__runner_read(struct summand__runner *r, int from, enum summand__gossip_kind kind,
                          int64_t *words, int count, struct summand__query *sender,
                          struct summand__gossip_message *message)
{
    bool asks = kind == SUMMAND__ASK;
    int length = asks ? ASK : HEAD + r->width + 1;
    summand__runner_upset_received(r, words, count);
    bool whole =
        count == (asks ? 2 : 1) * length && words[length - 1] == seal_of(from, words, length - 1);
    if (asks && !whole) {
        words += ASK;
        whole = words[ASK - 1] == seal_of(from, words, ASK - 1);
        r->mended += whole;
    }
    if (whole && words[WHAT] >> 8 != r->epoch)
        return false;
    if (asks && !whole) /* the request itself is unknown */
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_DAMAGED));
    *sender = (struct summand__query){from, words[WHEN] >> 32, words[WHEN] & 0xffffffff};
    message->kind = kind;
    message->version = words[WHEN];
    message->damaged = !whole || words[WHAT] & 1;
    if (!asks)
        memcpy(message->body, words + HEAD, (size_t)r->width * sizeof *words);
    return true;
}

bool summand__runner_take(struct summand__runner *r, int from, enum summand__gossip_kind kind,
                          struct summand__query *sender, struct summand__gossip_message *message)
{
    int there = 0, count = 0;
    int64_t words[SUMMAND__CHANNEL_WORDS] = {0};
    MPI_Status status;
    if (from != MPI_ANY_SOURCE)
        from = summand__channel_peer(&r->state->channel, from);
    int code = PMPI_Iprobe(from, r->tags[kind], r->state->channel.comm, &there, &status);
    if (code == MPI_SUCCESS && there)
        code = PMPI_Recv(words, SUMMAND__CHANNEL_WORDS, MPI_INT64_T, status.MPI_SOURCE,
                         r->tags[kind], r->state->channel.comm, &status);
    if (code == MPI_SUCCESS && there)
        code = PMPI_Get_count(&status, MPI_INT64_T, &count);
    summand__runner_fail(r, code);
    return code == MPI_SUCCESS && there &&
           summand__runner_read(r, summand__state_rank_of(r->state, status.MPI_SOURCE), kind, words,
                                count, sender, message);
}

void summand__runner_watch(struct summand__runner *r)
{
    double y[SUMMAND__GOSSIP_MOST], results[SUMMAND__GOSSIP_MOST];
    if (!r->options->watch || !summand__runner_open_guard(r, r->layout))
        return;
    r->node->algorithm->estimate(r->node, y);
    for (int k = 0; k < r->operands->count; k++)
        results[k] = summand__operands_estimate(r->operands, y, k);
    struct summand__fpenv *lent = summand__fpenv_lend();
    r->options->watch(r->options->context, r->round, results, r->operands->count);
    summand__fpenv_take_back(lent);
}

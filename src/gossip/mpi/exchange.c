/* SPDX-License-Identifier: BSD-3-Clause */
/* The all-reduce of a few words by which gossip stops; it is also a barrier. It is a recursive
 * doubling in which each message holds its words twice, each copy with a seal. A flipped bit
 * damages at most one copy, in flight or in memory. Other messages are served meanwhile. It
 * replaces MPI_Allreduce, in which a rank waits for ever if its partner does not arrive. */
#include "gossip/mpi/runner.h"
#include "gossip/parts.h"
#include "kernel/seal.h"
#include "process/error.h"

#include <string.h>

enum { NUMBER, STAGE, WORDS, COPY = SUMMAND__EXCHANGE_WORDS };

struct exchange {
    int64_t (*mine)[COPY]; /* two copies */
    int64_t *out;          /* both, in flight */
    int count, sums, stage;
    int kind; /* SUMMAND__EXCHANGE or SUMMAND__FAREWELL */
};

static uint64_t seal_of(const int64_t *copy, int count)
{
    return summand__seal(SUMMAND__EXCHANGE, copy, (size_t)(WORDS + count));
}

static bool intact(const int64_t *copy, int count)
{
    return seal_of(copy, count) == (uint64_t)copy[WORDS + count];
}

static int64_t number_of(const struct summand__runner *r)
{
    return (int64_t)r->epoch << 32 | r->exchanges;
}

static void seal_both(const struct summand__runner *r, struct exchange *x)
{
    int64_t *copy = x->mine[0];
    copy[NUMBER] = number_of(r);
    copy[STAGE] = x->stage;
    copy[WORDS + x->count] = (int64_t)seal_of(copy, x->count);
    memcpy(x->mine[1], copy, (size_t)(WORDS + x->count + 1) * sizeof *copy);
}

/* The good copy replaces the other one. */
static bool mend(struct summand__runner *r, struct exchange *x)
{
    size_t bytes = (size_t)(WORDS + x->count + 1) * sizeof(int64_t);
    for (int k = 0; k < 2; k++)
        if (intact(x->mine[k], x->count)) {
            r->mended += memcmp(x->mine[1 - k], x->mine[k], bytes) != 0;
            memcpy(x->mine[1 - k], x->mine[k], bytes);
            return true;
        }
    summand__runner_fail(r, summand_error_code(SUMMAND_ERR_DAMAGED));
    return false;
}

/* The good one of two received copies, or NULL. From another call: *stale. */
static const int64_t *read_message(struct summand__runner *r, const struct exchange *x,
                                   int64_t *words, bool *stale)
{
    int length = WORDS + x->count + 1;
    summand__runner_upset_received(r, words, 2 * length);
    for (int k = 0; k < 2; k++) {
        const int64_t *copy = words + k * length;
        if (!intact(copy, x->count))
            continue;
        r->mended += !intact(words + (1 - k) * length, x->count);
        *stale = copy[NUMBER] >> 32 != r->epoch;
        if (*stale || (copy[NUMBER] == number_of(r) && copy[STAGE] == x->stage))
            return copy;
    }
    return NULL;
}

static int expect(struct summand__runner *r, const struct exchange *x, int from)
{
    return PMPI_Irecv(r->store->token, 2 * COPY, MPI_INT64_T,
                      summand__channel_peer(&r->state->channel, from), r->tags[x->kind],
                      r->state->channel.comm, &r->token);
}

static bool probe(struct summand__runner *r, const struct exchange *x, int from, int64_t *words,
                  int *code)
{
    int there = 0;
    from = summand__channel_peer(&r->state->channel, from);
    *code = PMPI_Iprobe(from, r->tags[x->kind], r->state->channel.comm, &there, MPI_STATUS_IGNORE);
    if (*code == MPI_SUCCESS && there)
        *code = PMPI_Recv(words, 2 * COPY, MPI_INT64_T, from, r->tags[x->kind],
                          r->state->channel.comm, MPI_STATUS_IGNORE);
    return there;
}

/* Uses MPI_Iprobe and MPI_Recv, as do all waits here: in SimGrid 3.32 each request that MPI_Test
 * completes slows down later messages. A rank that listens has a receive posted for the message. */
static bool has_come(struct summand__runner *r, const struct exchange *x, int from, int64_t *words,
                     int *code)
{
    if (!r->listens)
        return probe(r, x, from, words, code);
    if (r->token != MPI_REQUEST_NULL)
        return false;
    memcpy(words, r->store->token, sizeof r->store->token);
    return true;
}

static void combine(struct exchange *x, const int64_t *other, bool replace)
{
    int64_t *mine = x->mine[0] + WORDS;
    for (int k = 0; k < x->count; k++) {
        int64_t theirs = other[WORDS + k];
        if (replace)
            mine[k] = theirs;
        else if (k < x->sums)
            mine[k] = (int64_t)((uint64_t)mine[k] + (uint64_t)theirs);
        else if (theirs > mine[k])
            mine[k] = theirs;
    }
}

/* Waits for the message from `from` and the end of the send. */
static const int64_t *wait_for(struct summand__runner *r, const struct exchange *x, int from,
                               int64_t *words, bool (*serve)(struct summand__runner *))
{
    const int64_t *copy = NULL;
    bool received = from < 0;
    int sent = r->exchange_send == MPI_REQUEST_NULL, code = MPI_SUCCESS;
    if (from >= 0 && r->listens)
        code = expect(r, x, from);
    while (code == MPI_SUCCESS && r->code == MPI_SUCCESS && !(sent && received)) {
        bool busy = serve(r), stale = false;
        if (!received && has_come(r, x, from, words, &code) && code == MPI_SUCCESS) {
            busy = true;
            copy = read_message(r, x, words, &stale);
            if (!copy)
                code = summand_error_code(SUMMAND_ERR_DAMAGED);
            else if (stale && r->listens)
                code = expect(r, x, from);
            received = !stale;
        }
        if (!sent && code == MPI_SUCCESS)
            code = PMPI_Test(&r->exchange_send, &sent, MPI_STATUS_IGNORE);
        summand__runner_idle(r, busy);
    }
    summand__runner_idle(r, true); /* the next wait starts from zero */
    summand__runner_fail(r, code);
    return copy;
}

static void stage(struct summand__runner *r, struct exchange *x,
                  bool (*serve)(struct summand__runner *))
{
    int64_t words[2 * COPY];
    int length = WORDS + x->count + 1;
    struct summand__partners p =
        summand__doubling_partners(0, r->state->ranks, x->stage, r->state->rank);
    memcpy(x->out, x->mine[0], (size_t)length * sizeof *words);
    memcpy(x->out + length, x->mine[1], (size_t)length * sizeof *words);
    if (p.to >= 0)
        summand__runner_fail(r, PMPI_Isend(x->out, 2 * length, MPI_INT64_T,
                                           summand__channel_peer(&r->state->channel, (int)p.to),
                                           r->tags[x->kind], r->state->channel.comm,
                                           &r->exchange_send));
    const int64_t *other =
        r->code == MPI_SUCCESS ? wait_for(r, x, (int)p.from, words, serve) : NULL;
    if (r->code != MPI_SUCCESS)
        return;
    /* Ranks beyond the largest power of two, and the ranks that send them the result, exchange with
     * one side idle: the result arrives in the last stage. */
    if (p.from >= 0)
        combine(x, other, p.to < 0 && x->stage > 0);
}

bool summand__runner_exchange(struct summand__runner *r, int64_t *words, int count, int sums,
                              bool (*serve)(struct summand__runner *))
{
    int64_t room[2][COPY], out[2 * COPY]; /* used without memory; this cannot fail then */
    struct exchange x = {.mine = r->store ? r->store->exchange : room,
                         .out = r->store ? r->store->out : out,
                         .count = count,
                         .sums = sums,
                         .kind = r->leaving ? SUMMAND__FAREWELL : SUMMAND__EXCHANGE};
    int stages = r->state->ranks > 1 ? summand__doubling_rounds(r->state->ranks) : 0;
    r->exchanges++;
    memcpy(x.mine[0] + WORDS, words, (size_t)count * sizeof *words);
    for (x.stage = 0; x.stage < stages && r->code == MPI_SUCCESS; x.stage++) {
        seal_both(r, &x);
        summand__runner_pass(r);
        if (r->code == MPI_SUCCESS && mend(r, &x))
            stage(r, &x, serve);
    }
    seal_both(r, &x);
    summand__runner_pass(r);
    if (r->code == MPI_SUCCESS && mend(r, &x))
        memcpy(words, x.mine[0] + WORDS, (size_t)count * sizeof *words);
    return r->code == MPI_SUCCESS;
}

bool summand__runner_serves_none(struct summand__runner *r)
{
    (void)r;
    return false;
}

bool summand__runner_serve_all(struct summand__runner *r)
{
    bool asynchronous = r->node->algorithm->style == SUMMAND__ASYNCHRONOUS;
    return (asynchronous ? summand__runner_receive : summand__runner_serve)(r);
}

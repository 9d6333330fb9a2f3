/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring of slots with credits: each rank sends its blocks to the next one, which adds its own to
 * each.
 *
 * A rank puts a block into the next slot of the receiver's window as soon as that slot is free.
 * Credits tell this: the receiver notifies its sender when it has used a slot. Up to `slots` blocks
 * are in flight, and no rank waits for a message. Credits continue over starts: a slot's last use
 * in the previous start must be over, so no barrier between starts is needed. */
#include "compute/kernels.h"
#include "lab/sample/sample.h"
#include "lab/verify/meaning.h"
#include "lab/verify/prove_steps.h"

enum { ARRIVED, CREDITS }; /* counters */

struct ring {
    int64_t credited; /* the highest count that was waited for */
    uint32_t input, window, result;
    int next, last;
};

/* Credits, of all starts, that the slot of this block needs, less those of earlier starts. */
static int64_t credits_for(const struct summand__sample_size *size, size_t block)
{
    if (block >= size->slots)
        return (int64_t)(block - size->slots + 1);
    size_t before = block + (size->blocks - 1 - block) / size->slots * size->slots;
    return (int64_t)before + 1 - (int64_t)size->blocks;
}

static void send(const struct summand__sample_size *size, struct ring *ring, size_t block,
                 struct summand__schedule *schedule)
{
    size_t n = size->count, slot = block % size->slots;
    int64_t credits = credits_for(size, block);
    if (credits > ring->credited)
        summand__wait_counter(schedule, CREDITS, credits);
    ring->credited = credits > ring->credited ? credits : ring->credited;
    summand__put(schedule, ring->next,
                 summand__region((enum summand__place)ring->input, block * n, n),
                 summand__region((enum summand__place)ring->window, slot * n, n));
    summand__notify(schedule, ring->next, ARRIVED);
}

static void take(const struct summand__sample_size *size, const struct ring *ring, size_t block,
                 struct summand__schedule *schedule)
{
    size_t n = size->count, slot = block % size->slots;
    summand__wait_counter(schedule, ARRIVED, (int64_t)block + 1);
    summand__compute(schedule, summand__kernel_named("add"),
                     summand__tile(ring->window, slot * n, 1, n, n),
                     summand__tile(ring->input, block * n, 1, n, n),
                     summand__tile(ring->result, block * n, 1, n, n), false);
    summand__notify(schedule, ring->last, CREDITS);
}

static void build(const struct summand__sample_size *size, int rank,
                  struct summand__schedule *schedule)
{
    size_t n = size->count, blocks = size->blocks;
    struct ring ring = {.next = (rank + 1) % size->ranks,
                        .last = (rank + size->ranks - 1) % size->ranks,
                        .credited = INT64_MIN};
    ring.input = summand__add_place(schedule, SUMMAND__INPUT, sizeof(double), blocks * n);
    ring.window = summand__add_place(schedule, SUMMAND__WINDOW, sizeof(double), size->slots * n);
    ring.result = summand__add_place(schedule, SUMMAND__RESULT, sizeof(double), blocks * n);
    summand__add_counter(schedule, ring.last, blocks);
    summand__add_counter(schedule, ring.next, blocks);
    for (size_t sent = 0, taken = 0; taken < blocks; taken++) {
        for (; sent < blocks && sent < taken + size->slots; sent++)
            send(size, &ring, sent, schedule);
        take(size, &ring, taken, schedule);
    }
    summand__round(schedule);
}

static uint32_t expected(const struct summand__sample_size *size, struct summand__expressions *pool,
                         int rank, size_t i)
{
    struct summand__schedule none = {0};
    int last = (rank + size->ranks - 1) % size->ranks;
    uint32_t sum = summand__term(pool, summand__kernel_named("add"),
                                 summand__input_operand(pool, &none, last, SUMMAND__PLACES, i),
                                 summand__input_operand(pool, &none, rank, SUMMAND__PLACES, i));
    return summand__held(pool, sum, 0);
}

static double plain(const struct summand__sample_size *size, const double *const *in, int rank,
                    size_t i)
{
    return in[(rank + size->ranks - 1) % size->ranks][i] + in[rank][i];
}

const struct summand__sample summand__sample_ring = {
    .name = "slot-ring",
    .description = "a ring of slots with credits: each rank's blocks to the next one",
    .usual = {.ranks = 4, .blocks = 6, .slots = 2, .rows = 1, .count = 4096},
    .build = build,
    .expected = expected,
    .plain = plain};

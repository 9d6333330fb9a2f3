/* np: 3, long: 1 2; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments without memory: each request of each rank fails in turn. If one rank cannot make a
 * segment, no rank has it. A put that cannot be stored is an error of its rank alone, and can be
 * repeated. Barriers and ranges continue. */
#include <summand.h>

#include "mpi/neighbours.h"
#include "mpi/notify.h"
#include "mpi/scarce.h"

enum { MOST = 200, BYTES = 30000 };

static unsigned char block[BYTES];

static bool is_refusal(int code)
{
    return code == summand_error_code(SUMMAND_ERR_MEMORY) ||
           code == summand_error_code(SUMMAND_ERR_REMOTE) || code == MPI_ERR_UNSUPPORTED_OPERATION;
}

static bool any(bool own)
{
    int mine = own, all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, world);
    return all;
}

/* Returns how many requests of this rank were refused. */
static long end_of(int victim)
{
    return harness_rank == victim ? scarce_end() : 0;
}

static void works(summand_segment *segment)
{
    int id;
    OK(summand_notify_range(1, &id, segment));
    OK(summand_put_notify(block, BYTES, next(), 0, id, 1, 0, segment));
    OK(summand_notify_wait(last(), id, 1, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment));
    CHECK(memory_of(segment)[0] == last() + 1 && memory_of(segment)[BYTES - 1] == last() + 1,
          "data");
    OK(summand_notify_range_free(id, segment));
}

static void test_create(int victim)
{
    summand_segment_options options = {.queues = 2, .transport = row->name};
    for (long n = 1, refused = 1; refused && n < MOST; n++) {
        summand_segment *segment = NULL;
        if (harness_rank == victim)
            scarce_begin(n, 0);
        int code = summand_segment_create(BYTES, 3, world, &options, &segment);
        refused = any(end_of(victim));
        CHECK(refused ? !code == !!segment : !code, "request %ld: %d", n, code);
        CHECK(!code == any(!code), "%s, request %ld of rank %d: %s on one rank alone", row->name, n,
              victim, notify_words(code));
        CHECK(!code || is_refusal(code), "%s, request %ld of rank %d: %s", row->name, n, victim,
              notify_words(code));
        if (!code)
            works(segment);
        OK(summand_segment_free(&segment));
        CHECK(n < MOST - 1, "%s: too many requests, %s", row->name, notify_words(code));
    }
}

/* All calls of an existing segment; without memory once, and from the n-th request on. */
static void test_calls(int victim, bool all)
{
    summand_segment *segment = make(world, BYTES, 3);
    uint64_t count = 0;
    int id;
    OK(summand_notify_range(1, &id, segment));
    for (long n = 1, refused = 1; refused && n < MOST; n++) {
        int code = MPI_SUCCESS, spare = 0, made;
        refused = 0;
        if (harness_rank == victim)
            scarce_begin(n, all);
        code = summand_put_notify(block, BYTES, next(), 0, id, 1, 0, segment);
        refused += end_of(victim);
        CHECK(!code || is_refusal(code), "%s: put: %s", row->name, notify_words(code));
        if (code)
            OK(summand_put_notify(block, BYTES, next(), 0, id, 1, 0, segment));
        OK(summand_notify_wait(last(), id, ++count, SUMMAND_TIMEOUT_FOREVER, segment));
        OK(summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment));
        if (harness_rank == victim)
            scarce_begin(n, all);
        OK(summand_segment_barrier(1, SUMMAND_TIMEOUT_FOREVER, segment));
        made = summand_notify_range(2, &spare, segment);
        refused += end_of(victim);
        CHECK(!made || is_refusal(made), "%s: range: %s", row->name, notify_words(made));
        if (!made)
            OK(summand_notify_range_free(spare, segment));
        refused = any(refused);
    }
    works(segment);
    if (harness_rank == victim)
        scarce_begin(1, 1);
    OK(summand_segment_free(&segment));
    scarce_end();
}

static void test_all(void)
{
    memset(block, harness_rank + 1, sizeof block);
    for (int victim = 0; victim < harness_ranks; victim++) {
        test_create(victim);
        test_calls(victim, false);
        test_calls(victim, true);
    }
}

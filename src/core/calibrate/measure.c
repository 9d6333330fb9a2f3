/* SPDX-License-Identifier: BSD-3-Clause */
#include "calibrate/measure.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/backoff.h"
#include "base/registered.h"
#include "calibrate/memory.h"
#include "kernel/combine.h"
#include "kernel/queue.h"

enum {
    LARGEST = 128 << 10,
    LEAST_ROUNDS = 3,
    CALM_ROUNDS = 64, /* in the first ones the pages of the queues are new */
    STORE_ROUNDS = 5,
    TRIPS = 64,
    CALM_NANOSECONDS = 5000 /* a line takes less, unless the two share a core */
};

enum kind { ORDINARY, BYPASSING, KINDS }; /* of stores */

/* Shares of the time after which no further rounds begin, and at which the block's pages exist. */
static const double ROUNDS_END = 0.45, PAGES_END = 0.8, STORES_END = 0.75;

/* Share of a round's time during which both must have had their processors. */
static const double CALM_SHARE = 0.9;

/* The shared state of one process. */
struct side {
    _Alignas(128) _Atomic uint32_t step; /* meetings joined */
    _Atomic bool quits;                  /* joins no more */
    _Atomic bool says;                   /* answer of the first process */
    _Atomic bool calm;                   /* had its processor in this round */
    uint64_t nanoseconds;                /* of its last exchange */
};

/* The side and the head of a queue lie in its short places: all pieces here are longer. */
enum { QUEUE_HEAD = 1024 };
_Static_assert(sizeof(struct side) <= QUEUE_HEAD &&
                   SUMMAND__HEAD + QUEUE_HEAD <=
                       SUMMAND__LEAST_SLOTS * (SUMMAND__SHORT - SUMMAND__CELL_LINE),
               "places for both");

struct run {
    const struct summand__pair *pair;
    struct side *own, *other;
    struct summand__queue_out out;
    struct summand__queue_in in;
    uint64_t begin, end; /* of the clock */
    uint32_t step;
    char *vector, *result;
    char *block; /* output of products and copies */
    size_t block_bytes;
    double flop;
    double store[SUMMAND__STREAM_USES][KINDS]; /* ns per byte */
    int store_rounds;
    int64_t prefetch; /* bytes ahead */
    double exchange;  /* least ns */
    int calm;         /* rounds */
};

/* Called after so many failed polls; false when time is over. */
static bool still_time(struct run *run, unsigned turns)
{
    if (turns % 64 == 63 && (summand__clock() > run->end ||
                             atomic_load_explicit(&run->other->quits, memory_order_relaxed)))
        return false;
    summand__pause();
    return true;
}

/* Waits until both processes are here. */
static bool meet(struct run *run)
{
    atomic_store_explicit(&run->own->step, ++run->step, memory_order_release);
    for (unsigned turns = 0;
         atomic_load_explicit(&run->other->step, memory_order_acquire) < run->step; turns++)
        if (!still_time(run, turns))
            return false;
    return true;
}

/* One exchange: the bytes that are sent and added. */
struct transfer {
    size_t sent, added;
    summand__combiner *add;
};

static bool push(struct run *run, struct transfer *t)
{
    size_t rest = LARGEST - t->sent, n = rest < SUMMAND__SLOT ? rest : SUMMAND__SLOT;
    if (!rest || !summand__queue_has_room(&run->out, n))
        return false;
    summand__queue_fill(&run->out, run->vector + t->sent, n);
    summand__queue_publish(&run->out, 0, n);
    t->sent += n;
    return true;
}

static bool pull(struct run *run, struct transfer *t)
{
    const struct summand__cell *cell = summand__queue_peek(&run->in);
    if (t->added == LARGEST || !cell)
        return false;
    t->add(summand__queue_piece(&run->in, cell), run->vector + t->added, run->result + t->added,
           cell->length / sizeof(double));
    t->added += cell->length;
    summand__queue_take(&run->in);
    return true;
}

static bool run_through(struct run *run, struct transfer *t)
{
    for (unsigned turns = 0; t->sent < LARGEST || t->added < LARGEST;) {
        bool pushed = push(run, t), pulled = pull(run, t);
        if (pushed || pulled)
            turns = 0;
        else if (!still_time(run, turns++))
            return false;
    }
    return true;
}

/* Nanoseconds of an exchange of vectors on the slower rank; 0: time is over. */
static double exchange(struct run *run)
{
    struct transfer t = {.add =
                             summand__combine_kernel(SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_F64)};
    if (!meet(run))
        return 0;
    uint64_t begin = summand__clock();
    if (!run_through(run, &t))
        return 0;
    run->own->nanoseconds = summand__clock() - begin;
    if (!meet(run))
        return 0;
    double slower = fmax((double)run->own->nanoseconds, (double)run->other->nanoseconds);
    return meet(run) ? fmax(slower, 1) : 0; /* both have read it before it is overwritten */
}

/* Nanoseconds of a cache line from one process to the other; 0: time is over. */
static double ping_pong(struct run *run)
{
    double best = INFINITY;
    for (int round = 0; round < LEAST_ROUNDS; round++) {
        if (!meet(run))
            return 0;
        uint64_t begin = summand__clock();
        for (int trip = 0; trip < TRIPS; trip++)
            if (!meet(run))
                return 0;
        best = fmin(best, (double)(summand__clock() - begin) / TRIPS);
    }
    return best;
}

static double pause_time(void)
{
    enum { PAUSES = 500 };
    double best = INFINITY;
    for (int round = 0; round < LEAST_ROUNDS; round++) {
        uint64_t begin = summand__clock();
        for (int i = 0; i < PAUSES; i++)
            summand__pause();
        best = fmin(best, (double)(summand__clock() - begin) / PAUSES);
    }
    return best;
}

static uint64_t processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Runs a round; it counts only if both had their processors. */
static bool one_round(struct run *run)
{
    uint64_t wall = summand__clock(), own = processor_time();
    double took = exchange(run);
    wall = summand__clock() - wall;
    own = processor_time() - own;
    atomic_store(&run->own->calm, (double)own >= CALM_SHARE * (double)wall);
    if (!(took > 0) || !meet(run))
        return false;
    if (atomic_load(&run->own->calm) && atomic_load(&run->other->calm)) {
        run->exchange = fmin(run->exchange, took);
        run->calm++;
    }
    return meet(run);
}

/* The clock when that share of the time is over. */
static uint64_t until(const struct run *run, double share)
{
    return run->begin + (uint64_t)((double)(run->end - run->begin) * share);
}

/* Tells both the first one's answer. False: time is over. */
static bool first_says(struct run *run, bool says, bool *said)
{
    if (run->pair->first)
        atomic_store(&run->own->says, says);
    if (!meet(run))
        return false;
    *said = atomic_load(run->pair->first ? &run->own->says : &run->other->says);
    return meet(run);
}

/* Tells if there is time and need for another round. */
static bool goes_on(struct run *run, bool *more)
{
    return first_says(run, summand__clock() < until(run, ROUNDS_END) && run->calm < CALM_ROUNDS,
                      more);
}

/* A tile of 128 pairs, which fits into a cache. */
enum { TILE_ROWS = 64, TILE_COLUMNS = 240, TILE_PAIRS = 128 };

/* Femtoseconds of an operation of a product. Both work at once, like ranks of a node. False: time
 * is over. */
static bool measure_products(struct run *run)
{
    const struct summand__registered_product product = {.a = run->vector,
                                                        .b = run->result,
                                                        .g = run->block,
                                                        .rows = TILE_ROWS,
                                                        .columns = TILE_COLUMNS,
                                                        .pairs = TILE_PAIRS};
    double best = INFINITY;
    run->flop = (double)summand__quantities[SUMMAND__FLOP_TIME].standard;
    if (!summand__registered.product)
        return true;
    for (int round = 0; round < LEAST_ROUNDS; round++) {
        if (!meet(run))
            return false;
        uint64_t begin = summand__clock();
        summand__registered.product(&product);
        best = fmin(best, (double)(summand__clock() - begin));
    }
    run->flop = 1e6 * best / (2.0 * TILE_ROWS * TILE_COLUMNS * TILE_PAIRS);
    return true;
}

/* Measures each use of long stores by both kinds, alternately and on both cores at once, each in
 * its half of the block. One round, and more until STORES_END. */
static bool measure_stores(struct run *run)
{
    const size_t half = run->block_bytes / 2;
    bool more = true;
    while (more) {
        for (int i = 0; i < SUMMAND__STREAM_USES * KINDS; i++) {
            const int use = i % SUMMAND__STREAM_USES, kind = i / SUMMAND__STREAM_USES;
            if (!meet(run))
                return false;
            run->store[use][kind] =
                fmin(run->store[use][kind],
                     summand__store_time((enum summand__stream_use)use, kind == BYPASSING,
                                         run->block + (size_t)use * half, half, run->vector));
        }
        if (!first_says(run,
                        ++run->store_rounds < STORE_ROUNDS &&
                            summand__clock() < until(run, STORES_END),
                        &more))
            return false;
    }
    return true;
}

/* The other core waits, because two at once share the memory's bandwidth in any case. */
static bool measure_prefetch(struct run *run)
{
    if (!meet(run))
        return false;
    if (run->pair->first)
        run->prefetch = summand__best_prefetch((double *)(void *)run->block, run->end);
    return meet(run);
}

static int64_t within(enum summand__quantity quantity, double value)
{
    const struct summand__quantity_row *row = &summand__quantities[quantity];
    return (int64_t)fmin(fmax(value, (double)row->least), (double)row->most);
}

/* A wrong choice of stores costs a factor, and other programs may take the processor during a
 * round: without several rounds of stores that reach memory the standard holds. */
static bool compared_stores(const struct run *run)
{
    return run->block_bytes == SUMMAND__BLOCK_BYTES && run->store_rounds >= LEAST_ROUNDS;
}

static int64_t bypass(const struct run *run, enum summand__quantity quantity,
                      enum summand__stream_use use)
{
    return within(quantity, 100 * run->store[use][BYPASSING] / run->store[use][ORDINARY]);
}

static void conclude(const struct run *run, double line, struct summand__calibration *calibration)
{
    const double *results = run->store[SUMMAND__STREAM_RESULTS];
    *calibration = summand__calibration_standard();
    int64_t *value = calibration->value;
    value[SUMMAND__LINE_TIME] = within(SUMMAND__LINE_TIME, line);
    value[SUMMAND__BYTE_TIME] = within(SUMMAND__BYTE_TIME, run->exchange * 1000 / LARGEST);
    value[SUMMAND__FLOP_TIME] = within(SUMMAND__FLOP_TIME, run->flop);
    value[SUMMAND__WRITE_TIME] =
        within(SUMMAND__WRITE_TIME, 1e6 * fmin(results[ORDINARY], results[BYPASSING]));
    if (compared_stores(run)) {
        value[SUMMAND__BYPASS_RESULTS] =
            bypass(run, SUMMAND__BYPASS_RESULTS, SUMMAND__STREAM_RESULTS);
        value[SUMMAND__BYPASS_COPIES] = bypass(run, SUMMAND__BYPASS_COPIES, SUMMAND__STREAM_COPIES);
    }
    value[SUMMAND__PREFETCH_AHEAD] = within(SUMMAND__PREFETCH_AHEAD, (double)run->prefetch);
    /* a turn also looks for messages, some 8 ns */
    value[SUMMAND__SPIN_TURNS] = within(SUMMAND__SPIN_TURNS, 20000 / (pause_time() + 8));
}

/* Writes all pages: unwritten ones are all the same page. */
static bool fill(struct run *run)
{
    run->vector = malloc(LARGEST);
    run->result = malloc(LARGEST);
    bool there = run->vector && run->result;
    for (size_t i = 0; there && i < LARGEST; i += sizeof(double))
        memcpy(run->vector + i, &(double){(double)i}, sizeof(double));
    if (there)
        memset(run->result, 0, LARGEST);
    return there;
}

/* Measures one core's work besides messages. False: time is over, or out of memory. */
static bool measure_work(struct run *run)
{
    for (int i = 0; i < SUMMAND__STREAM_USES * KINDS; i++)
        run->store[i / KINDS][i % KINDS] = INFINITY;
    run->block = summand__block_make(until(run, PAGES_END), &run->block_bytes);
    return run->block && measure_products(run) && measure_stores(run) && measure_prefetch(run);
}

/* Tells both if the first one knows a calibration for this distance. */
static bool ask(struct run *run, double line, bool *known)
{
    const struct summand__pair *pair = run->pair;
    return first_says(run,
                      pair->first && pair->known &&
                          pair->known(pair->context, within(SUMMAND__LINE_TIME, line)),
                      known);
}

static enum summand__measured measure(struct run *run, struct summand__calibration *calibration)
{
    bool known, more = true;
    double line;
    if (!meet(run))
        return SUMMAND__MEASURED_NOT;
    run->end = run->begin + (uint64_t)(run->pair->seconds * 1e9);
    line = ping_pong(run);
    if (!(line > 0 && line < CALM_NANOSECONDS) || !ask(run, line, &known))
        return SUMMAND__MEASURED_NOT;
    if (known)
        return SUMMAND__MEASURED_KNOWN;
    if (!fill(run))
        return SUMMAND__MEASURED_NOT;
    while (more)
        if (!one_round(run) || !goes_on(run, &more))
            return SUMMAND__MEASURED_NOT;
    if (run->calm < CALM_ROUNDS || !measure_work(run))
        return SUMMAND__MEASURED_NOT;
    conclude(run, line, calibration);
    if (compared_stores(run))
        return SUMMAND__MEASURED_WELL;
    calibration->unsettled = (int64_t)time(NULL);
    return SUMMAND__MEASURED_ROUGHLY;
}

/* Opens queues as after long use, with all slots in use. */
static void open_queues(struct run *run)
{
    const struct summand__pair *pair = run->pair;
    const unsigned slots = pair->slots;
    unsigned char *mine = pair->memory + !pair->first * summand__slots_bytes(slots);
    unsigned char *others = pair->memory + pair->first * summand__slots_bytes(slots);
    run->own = (struct side *)(void *)mine;
    run->other = (struct side *)(void *)others;
    run->out.queue = (struct summand__queue *)(void *)(mine + QUEUE_HEAD);
    run->out.slots = mine;
    run->out.readers = &run->out.queue->taken;
    run->out.n_readers = 1;
    summand__queue_out_begin(&run->out, slots);
    run->in.queue = (struct summand__queue *)(void *)(others + QUEUE_HEAD);
    run->in.slots = others;
    run->in.taken = &run->in.queue->taken;
    summand__queue_in_begin(&run->in, slots);
    run->out.round[SUMMAND__SLOTS] = (struct summand__round){.mask = slots - 1};
    run->in.round[SUMMAND__SLOTS] = run->out.round[SUMMAND__SLOTS];
    run->out.room[SUMMAND__SLOTS].most = slots;
    run->out.handover = summand__handover_to(slots);
}

enum summand__measured summand__calibration_measure(const struct summand__pair *pair,
                                                    struct summand__calibration *calibration)
{
    const uint64_t begin = summand__clock(), end = begin + (uint64_t)(pair->seconds * 0.5e9);
    struct run run = {.pair = pair, .begin = begin, .end = end, .exchange = INFINITY};
    open_queues(&run);
    enum summand__measured measured = measure(&run, calibration);
    if (measured == SUMMAND__MEASURED_NOT)
        atomic_store(&run.own->quits, true);
    free(run.vector);
    free(run.result);
    free(run.block);
    return measured;
}

#include "calibrate/measure.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/backoff.h"
#include "kernel/combine.h"
#include "kernel/outer.h"

/* The pieces of queues and reads are those of the transport. */
enum {
    SLOT = 16384,
    PIECE = 262144,
    LARGEST = 128 << 10,
    LEAST_ROUNDS = 3,
    ROUNDS = 64,
    TRIPS = 64,
    CALM_NANOSECONDS = 5000 /* a line between cores takes less, or they share one */
};

enum method { QUEUE, READ, METHODS };
enum pattern { ONE_WAY, BOTH_WAYS, PATTERNS };

/* Times as fast as the queue: in the mean of both patterns, and in each. */
static const double WORTH = 1.03, ALIKE = 0.8;
static const size_t sizes[SUMMAND__PAIR_SIZES] = {4 << 10,  8 << 10,  16 << 10,
                                                  32 << 10, 64 << 10, LARGEST};

/* What one of the two tells the other one. */
struct side {
    _Alignas(128) _Atomic uint32_t step; /* meetings that it has come to */
    _Atomic bool quits;                  /* it will come to no more */
    _Atomic bool goes_on;                /* the first one's: another round */
    _Atomic bool reads;                  /* it may read the other one's memory */
    int64_t process;
    uint64_t address, word; /* of its vector, and what that begins with */
    uint64_t nanoseconds;   /* of its last transfer */
    _Alignas(128) _Atomic size_t written;
    _Alignas(128) _Atomic size_t taken;
};

struct run {
    const struct summand__pair *pair;
    struct side *own, *other;
    unsigned char *out, *in; /* rings of slots */
    size_t slots;
    uint64_t begin, end; /* of the clock */
    uint32_t step;
    size_t written, taken; /* of this one */
    char *vector, *result, *scratch;
    double *block; /* what products write */
    double flop, write;
    double best[METHODS][PATTERNS][SUMMAND__PAIR_SIZES]; /* ns */
};

/* In vain so many times: false when it is over. */
static bool still_time(struct run *run, unsigned turns)
{
    if (turns % 64 == 63 && (summand__clock() > run->end ||
                             atomic_load_explicit(&run->other->quits, memory_order_relaxed)))
        return false;
    summand__pause();
    return true;
}

/* Both have come. */
static bool meet(struct run *run)
{
    atomic_store_explicit(&run->own->step, ++run->step, memory_order_release);
    for (unsigned turns = 0;
         atomic_load_explicit(&run->other->step, memory_order_acquire) < run->step; turns++)
        if (!still_time(run, turns))
            return false;
    return true;
}

/* One transfer, of which some bytes are still to be sent and to be added. */
struct transfer {
    size_t to_send, to_add, sent, added;
    summand__combiner *add;
};

static bool push(struct run *run, struct transfer *t)
{
    size_t rest = t->to_send - t->sent, n = rest < SLOT ? rest : SLOT;
    if (!rest ||
        run->written - atomic_load_explicit(&run->own->taken, memory_order_acquire) >= run->slots)
        return false;
    memcpy(run->out + run->written % run->slots * SLOT, run->vector + t->sent, n);
    atomic_store_explicit(&run->own->written, ++run->written, memory_order_release);
    t->sent += n;
    return true;
}

static bool pull(struct run *run, struct transfer *t)
{
    size_t rest = t->to_add - t->added, n = rest < SLOT ? rest : SLOT;
    if (!rest || atomic_load_explicit(&run->other->written, memory_order_acquire) == run->taken)
        return false;
    t->add(run->in + run->taken % run->slots * SLOT, run->vector + t->added, run->result + t->added,
           n / sizeof(double));
    atomic_store_explicit(&run->other->taken, ++run->taken, memory_order_release);
    t->added += n;
    return true;
}

static bool by_queue(struct run *run, struct transfer *t)
{
    for (unsigned turns = 0; t->sent < t->to_send || t->added < t->to_add;) {
        bool pushed = push(run, t), pulled = pull(run, t);
        if (pushed || pulled)
            turns = 0;
        else if (!still_time(run, turns++))
            return false;
    }
    return true;
}

/* A vector is announced as one piece, whatever its length, and taken as one. */
static bool by_read(struct run *run, struct transfer *t)
{
    unsigned turns = 0;
    if (t->to_send)
        atomic_store_explicit(&run->own->written, ++run->written, memory_order_release);
    while (t->to_add &&
           atomic_load_explicit(&run->other->written, memory_order_acquire) == run->taken)
        if (!still_time(run, turns++))
            return false;
    for (size_t n; t->added < t->to_add; t->added += n) {
        n = t->to_add - t->added < PIECE ? t->to_add - t->added : PIECE;
        if (run->pair->read((pid_t)run->other->process, run->other->address + t->added,
                            run->scratch, n))
            return false;
        t->add(run->scratch, run->vector + t->added, run->result + t->added, n / sizeof(double));
    }
    if (t->to_add)
        atomic_store_explicit(&run->other->taken, ++run->taken, memory_order_release);
    while (t->to_send &&
           atomic_load_explicit(&run->own->taken, memory_order_acquire) != run->written)
        if (!still_time(run, turns++))
            return false;
    return true;
}

static bool transfer(struct run *run, enum method method, enum pattern pattern, size_t bytes,
                     double *best)
{
    struct transfer t = {.to_send = pattern == BOTH_WAYS || !run->pair->first ? bytes : 0,
                         .to_add = pattern == BOTH_WAYS || run->pair->first ? bytes : 0,
                         .add =
                             summand__combine_kernel(SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_F64)};
    if (!meet(run))
        return false;
    uint64_t begin = summand__clock();
    if (!(method == QUEUE ? by_queue : by_read)(run, &t))
        return false;
    run->own->nanoseconds = summand__clock() - begin;
    if (!meet(run))
        return false;
    uint64_t slower = run->own->nanoseconds > run->other->nanoseconds ? run->own->nanoseconds
                                                                      : run->other->nanoseconds;
    if ((double)slower < *best)
        *best = (double)slower;
    return meet(run); /* nobody overwrites the time before both have read it */
}

/* Nanoseconds of a line from one to the other; 0: time is over. */
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
        double once = (double)(summand__clock() - begin) / TRIPS;
        best = once < best ? once : best;
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
        double once = (double)(summand__clock() - begin) / PAUSES;
        best = once < best ? once : best;
    }
    return best;
}

/* Whether both may read the other one's memory. */
static bool try_reads(struct run *run, bool *both)
{
    uint64_t word = 0, seen = summand__clock() * UINT64_C(0x9e3779b97f4a7c15);
    struct side *own = run->own;
    memcpy(run->vector, &seen, sizeof seen);
    own->process = getpid();
    own->address = (uint64_t)(uintptr_t)run->vector;
    own->word = seen;
    if (!meet(run))
        return false;
    bool reads =
        !run->pair->read((pid_t)run->other->process, run->other->address, &word, sizeof word) &&
        word == run->other->word;
    atomic_store(&own->reads, reads);
    if (!meet(run))
        return false;
    memset(run->vector, 0, sizeof seen);
    *both = reads && atomic_load(&run->other->reads);
    return true;
}

static bool one_round(struct run *run, bool reads)
{
    for (int s = 0; s < SUMMAND__PAIR_SIZES; s++)
        for (int p = 0; p < PATTERNS; p++)
            for (int m = 0; m < METHODS - !reads; m++)
                if (!transfer(run, m, p, sizes[s], &run->best[m][p][s]))
                    return false;
    return true;
}

/* The first one says whether there is time for another round. */
static bool goes_on(struct run *run, int round, bool *more)
{
    uint64_t now = summand__clock(), half = run->begin + (run->end - run->begin) / 2;
    if (run->pair->first)
        atomic_store(&run->own->goes_on, round < LEAST_ROUNDS || (round < ROUNDS && now < half));
    if (!meet(run))
        return false;
    *more = atomic_load(run->pair->first ? &run->own->goes_on : &run->other->goes_on);
    return meet(run);
}

void summand__read_range(const double gain[SUMMAND__PAIR_SIZES], int64_t *least, int64_t *end)
{
    double best = 0;
    *least = *end = 0;
    for (int first = 0; first < SUMMAND__PAIR_SIZES; first++) {
        double all = 0;
        for (int last = first; last < SUMMAND__PAIR_SIZES && gain[last] >= WORTH; last++) {
            all += log(gain[last]);
            if (all <= best)
                continue;
            best = all;
            *least = (int64_t)sizes[first];
            *end = (int64_t)sizes[last] * 2;
        }
    }
}

/* A tile of 128 pairs, which a cache holds, and a pair's product, which none does. */
enum { TILE_ROWS = 64, TILE_COLUMNS = 240, TILE_PAIRS = 128, WIDE = 1024, WRITTEN = 8 << 20 };

/* Femtoseconds of an operation of a product, or of a byte of its result; 0: time is over. Both
 * write at the same time, as ranks of a node do. */
static double product_time(struct run *run, size_t pairs)
{
    const bool writes = pairs == 1;
    const size_t columns = writes ? WIDE : TILE_COLUMNS;
    const size_t rows = writes ? WRITTEN / sizeof(double) / WIDE : TILE_ROWS;
    const struct summand__outer product = {.a = run->vector,
                                           .b = run->result,
                                           .g = run->block,
                                           .pairs = pairs,
                                           .columns = columns,
                                           .lda = writes ? 0 : TILE_ROWS,
                                           .ldb = 0,
                                           .ldg = columns,
                                           .alpha = 1,
                                           .stream = writes};
    double best = INFINITY;
    for (int round = 0; round < LEAST_ROUNDS; round++) {
        if (!meet(run))
            return 0;
        uint64_t begin = summand__clock();
        summand__outer_run(SUMMAND__OUTER_F64, &product, 0, rows);
        best = fmin(best, (double)(summand__clock() - begin));
    }
    return 1e6 * best / (double)(rows * columns * (writes ? sizeof(double) : 2 * pairs));
}

/* False: time is over. */
static bool measure_products(struct run *run)
{
    run->flop = product_time(run, TILE_PAIRS);
    run->write = run->flop > 0 ? product_time(run, 1) : 0;
    return run->write > 0;
}

static int64_t within(enum summand__quantity quantity, double value)
{
    const struct summand__quantity_row *row = &summand__quantities[quantity];
    return (int64_t)fmin(fmax(value, (double)row->least), (double)row->most);
}

static void conclude(const struct run *run, bool reads, double line,
                     struct summand__calibration *calibration)
{
    enum { LAST = SUMMAND__PAIR_SIZES - 1 };
    double gain[SUMMAND__PAIR_SIZES], byte = run->best[QUEUE][BOTH_WAYS][LAST];
    for (int s = 0; s < SUMMAND__PAIR_SIZES; s++) {
        double one = run->best[QUEUE][ONE_WAY][s] / run->best[READ][ONE_WAY][s];
        double both = run->best[QUEUE][BOTH_WAYS][s] / run->best[READ][BOTH_WAYS][s];
        gain[s] = reads && fmin(one, both) > ALIKE ? sqrt(one * both) : 0;
    }
    if (reads)
        byte = fmin(byte, run->best[READ][BOTH_WAYS][LAST]);
    *calibration = summand__calibration_standard();
    int64_t *value = calibration->value;
    summand__read_range(gain, &value[SUMMAND__READ_LEAST], &value[SUMMAND__READ_END]);
    value[SUMMAND__LINE_TIME] = (int64_t)fmax(line, 1);
    value[SUMMAND__BYTE_TIME] = (int64_t)fmax(byte * 1000 / (double)sizes[LAST], 1);
    /* A turn looks for messages as well, some 8 ns. */
    value[SUMMAND__FLOP_TIME] = within(SUMMAND__FLOP_TIME, run->flop);
    value[SUMMAND__WRITE_TIME] = within(SUMMAND__WRITE_TIME, run->write);
    value[SUMMAND__SPIN_TURNS] = (int64_t)fmin(fmax(20000 / (pause_time() + 8), 10), 100000);
}

static bool measure(struct run *run, struct summand__calibration *calibration)
{
    bool reads, more = true;
    double line;
    for (int m = 0; m < METHODS; m++)
        for (int p = 0; p < PATTERNS; p++)
            for (int s = 0; s < SUMMAND__PAIR_SIZES; s++)
                run->best[m][p][s] = INFINITY;
    if (!meet(run) || !try_reads(run, &reads))
        return false;
    run->end = run->begin + (uint64_t)(run->pair->seconds * 1e9);
    line = ping_pong(run);
    if (!(line > 0 && line < CALM_NANOSECONDS))
        return false;
    for (int round = 0; more; round++)
        if (!one_round(run, reads) || !goes_on(run, round + 1, &more))
            return false;
    if (!measure_products(run))
        return false;
    conclude(run, reads, line, calibration);
    return true;
}

/* Pages that were never written are all the same one. */
static bool fill(const struct run *run)
{
    bool there = run->vector && run->result && run->scratch && run->block;
    for (size_t i = 0; there && i < LARGEST; i += sizeof(double))
        memcpy(run->vector + i, &(double){(double)i}, sizeof(double));
    if (there) {
        memset(run->result, 0, LARGEST);
        memset(run->block, 0, WRITTEN);
    }
    return there;
}

bool summand__calibration_measure(const struct summand__pair *pair,
                                  struct summand__calibration *calibration)
{
    struct side *sides = (struct side *)(void *)pair->memory;
    size_t slots = (pair->bytes - 4096) / 2 / SLOT;
    unsigned char *rings = pair->memory + 4096;
    struct run run = {.pair = pair,
                      .own = &sides[!pair->first],
                      .other = &sides[pair->first],
                      .out = rings + (pair->first ? 0 : slots * SLOT),
                      .in = rings + (pair->first ? slots * SLOT : 0),
                      .slots = slots,
                      .begin = summand__clock(),
                      .vector = malloc(LARGEST),
                      .result = malloc(LARGEST),
                      .scratch = aligned_alloc(64, PIECE),
                      .block = aligned_alloc(64, WRITTEN)};
    _Static_assert(2 * sizeof *sides <= 4096, "the desk is one page");
    run.end = run.begin + (uint64_t)(pair->seconds * 0.5e9);
    bool good = fill(&run) && measure(&run, calibration);
    if (!good)
        atomic_store(&run.own->quits, true);
    free(run.vector);
    free(run.result);
    free(run.scratch);
    free(run.block);
    return good;
}

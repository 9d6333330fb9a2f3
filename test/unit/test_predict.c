/* SPDX-License-Identifier: BSD-3-Clause */
/* The prediction against closed formulas, exactly: all parameters are integers, so doubles hold
 * every time without rounding. */
#include <math.h>

#include "algorithm/call.h"
#include "play/simulate_call.h"
#include "unit/unit.h"

/* One level: a message of m bytes costs 5 + 20 + 2 m + 7, combining it 3 m. */
enum { O_SEND = 5, LATENCY = 20, BYTE = 2, O_RECV = 7, GAMMA = 3, BYTES = 8 };
enum { STEP = O_SEND + LATENCY + BYTE * BYTES + O_RECV };

static const struct summand__level flat = {
    .latency = LATENCY, .send = O_SEND, .recv = O_RECV, .gap = 1, .byte = BYTE};

static struct summand__model flat_model(void)
{
    struct summand__model model = {.per_node = 1, .eager = 1e9, .reduce_byte = GAMMA};
    for (int i = 0; i < SUMMAND__REACHES; i++)
        model.level[i] = flat;
    return model;
}

static double time_of(const char *name, enum summand__collective collective, int ranks,
                      const struct summand__model *model)
{
    struct summand__call call = {.collective = collective, .ranks = ranks, .count = 1};
    struct summand__predict predict = {.element = BYTES, .model = model};
    if (!summand__simulate_call(summand__algorithm_named(name), &call, &predict))
        fail_msg("%s: %s", name, predict.fault);
    return predict.time;
}

static int height(int ranks)
{
    int rounds = 0;
    while (1 << rounds < ranks)
        rounds++;
    return rounds;
}

/* When the lowest of `ranks` ranks holds their result: the halves work separately, then the right
 * one's message arrives. The queue at a card never matters, because combining takes longer than the
 * card. */
static double halving_time(int ranks)
{
    if (ranks == 1)
        return 0;
    double left = halving_time((ranks + 1) / 2);
    double right = halving_time(ranks / 2) + STEP - O_RECV;
    return (left > right ? left : right) + O_RECV + GAMMA * BYTES;
}

TEST(logarithmic)
{
    struct summand__model model = flat_model();
    for (int p = 1; p <= 600; p++)
        assert_true(time_of("binomial", SUMMAND__COLL_REDUCE, p, &model) == halving_time(p));
    for (int p = 2; p <= 1024; p *= 2) {
        assert_true(time_of("binomial", SUMMAND__COLL_REDUCE, p, &model) ==
                    height(p) * (STEP + GAMMA * BYTES));
        assert_true(time_of("recursive-doubling", SUMMAND__COLL_ALLREDUCE, p, &model) ==
                    height(p) * (STEP + GAMMA * BYTES));
        assert_true(time_of("binomial", SUMMAND__COLL_BCAST, p, &model) == height(p) * STEP);
    }
}

/* First the halves within a node: log2(ranks of a node) rounds at its price, then the others at the
 * network's. */
TEST(two_levels)
{
    struct summand__model model = flat_model();
    model.per_node = 16;
    model.shared_card = 1;
    model.level[SUMMAND__WITHIN_NODE] = (struct summand__level){.latency = 3, .send = 1, .recv = 1};
    for (int nodes = 1; nodes <= 64; nodes *= 2)
        assert_true(time_of("binomial", SUMMAND__COLL_REDUCE, 16 * nodes, &model) ==
                    4 * (5 + GAMMA * BYTES) + height(nodes) * (STEP + GAMMA * BYTES));
}

/* Schedules made by hand. */
struct maker {
    int ranks;
    size_t segments;
    void (*make)(const struct maker *maker, int rank, struct summand__schedule *schedule);
};

static bool make_by_hand(const void *context, int rank, struct summand__schedule *schedule)
{
    const struct maker *maker = context;
    summand__schedule_init(schedule);
    maker->make(maker, rank, schedule);
    return !schedule->failed;
}

static struct summand__predict by_hand(const struct maker *maker,
                                       const struct summand__model *model)
{
    struct summand__predict predict = {.ranks = maker->ranks,
                                       .element = BYTES,
                                       .model = model,
                                       .build = make_by_hand,
                                       .context = maker};
    summand__predict(&predict);
    return predict;
}

static struct summand__region piece(size_t index)
{
    return summand__region(SUMMAND__SCRATCH, index, 1);
}

/* Segments from the last rank to rank 0; each rank receives one segment while it sends the previous
 * one. */
static void make_chain(const struct maker *maker, int rank, struct summand__schedule *schedule)
{
    for (size_t j = 0; j <= maker->segments; j++) {
        if (rank < maker->ranks - 1 && j < maker->segments)
            summand__recv(schedule, rank + 1, piece(j));
        if (rank > 0 && rank < maker->ranks - 1 && j)
            summand__send(schedule, rank - 1, piece(j - 1));
        if (rank == maker->ranks - 1 && j < maker->segments)
            summand__send(schedule, rank - 1, piece(j));
        summand__round(schedule);
        if (rank < maker->ranks - 1 && j < maker->segments)
            summand__reduce(schedule, piece(maker->segments + j), piece(j));
        summand__round(schedule);
    }
}

TEST(chain)
{
    struct summand__model model = flat_model();
    for (double byte = 1; byte < 20; byte++) /* the processor is the bottleneck, then the card */
        for (int p = 3; p < 30; p += 3)
            for (size_t k = 1; k < 40; k += 5) {
                struct maker maker = {p, k, make_chain};
                model.level[SUMMAND__NETWORK].byte = byte;
                double work = O_SEND + O_RECV + GAMMA * BYTES, card = byte * BYTES;
                double one = O_SEND + LATENCY + byte * BYTES + O_RECV + GAMMA * BYTES;
                struct summand__predict predict = by_hand(&maker, &model);
                assert_string_equal(predict.fault, "");
                assert_true(predict.time ==
                            (p - 1) * one + (double)(k - 1) * (work > card ? work : card));
                assert_int_equal(predict.messages[SUMMAND__NETWORK], (size_t)(p - 1) * k);
            }
}

/* All send to rank 0 at once. */
static void make_flat(const struct maker *maker, int rank, struct summand__schedule *schedule)
{
    if (rank)
        summand__send(schedule, 0, piece(0));
    for (int r = 1; r < maker->ranks && !rank; r++)
        summand__recv(schedule, r, piece((size_t)r));
}

/* Rank 0 sends to all at once. */
static void make_spread(const struct maker *maker, int rank, struct summand__schedule *schedule)
{
    if (rank)
        summand__recv(schedule, 0, piece(0));
    for (int r = 1; r < maker->ranks && !rank; r++)
        summand__send(schedule, r, piece((size_t)r));
}

TEST(cards)
{
    struct summand__model model = flat_model();
    struct maker maker = {9, 1, make_flat};
    assert_true(by_hand(&maker, &model).time ==
                O_SEND + LATENCY + 8 * BYTE * BYTES + O_RECV); /* queue at the receiver's card */
    struct maker spread = {9, 1, make_spread};
    assert_true(by_hand(&spread, &model).time ==
                O_SEND + LATENCY + 8 * BYTE * BYTES + O_RECV); /* at the sender's */
    model.level[SUMMAND__NETWORK].gap = 100;
    assert_true(by_hand(&maker, &model).time == O_SEND + LATENCY + 7 * 100 + BYTE * BYTES + O_RECV);
    model.level[SUMMAND__NETWORK].recv = 1000;
    assert_true(by_hand(&maker, &model).time == O_SEND + LATENCY + BYTE * BYTES + 8 * 1000);
}

/* Rank r of the first node sends to rank r of the second. */
static void make_pairs(const struct maker *maker, int rank, struct summand__schedule *schedule)
{
    int half = maker->ranks / 2;
    if (rank < half)
        summand__send(schedule, rank + half, piece(0));
    else
        summand__recv(schedule, rank - half, piece(0));
}

TEST(shared_card)
{
    struct summand__model model = flat_model();
    struct maker maker = {32, 1, make_pairs};
    model.per_node = 16;
    assert_true(by_hand(&maker, &model).time == STEP);
    model.shared_card = 1;
    assert_true(by_hand(&maker, &model).time == STEP + 15 * BYTE * BYTES);
    model.per_switch = 1; /* now another switch */
    model.level[SUMMAND__FAR].latency = 1000;
    assert_true(by_hand(&maker, &model).time == STEP + 15 * BYTE * BYTES + 1000 - LATENCY);
}

/* Messages that start together on one card all complete together. */
TEST(fair_card)
{
    struct summand__model model = flat_model();
    struct maker maker = {32, 1, make_pairs};
    double finish[32];
    model.per_node = 16;
    model.shared_card = 1;
    for (int fair = 0; fair < 2; fair++) {
        model.fair_card = fair;
        struct summand__predict predict = by_hand(&maker, &model);
        predict.finish = finish;
        assert_true(summand__predict(&predict));
        assert_true(predict.time == STEP + 15 * BYTE * BYTES);
        for (int r = 16; r < 32; r++)
            assert_true(finish[r] == STEP + (fair ? 15 : r - 16) * BYTE * BYTES);
    }
}

/* Sixteen nodes under each of two switches send to the other switch's nodes. Uplinks with half of
 * the bandwidth take twice as long; links to a node under the same switch are separate. */
TEST(oversubscribed)
{
    struct summand__model model = flat_model();
    struct maker maker = {32, 1, make_pairs};
    model.per_node = 1;
    model.per_switch = 16;
    model.fair_card = 1;
    for (int times = 1; times <= 4; times++) {
        model.oversubscription = times;
        assert_true(by_hand(&maker, &model).time == STEP + (times - 1) * BYTE * BYTES);
    }
    model.per_switch = 32;
    assert_true(by_hand(&maker, &model).time == STEP);
    model.per_switch = 8; /* both halves of one switch's nodes go up: half as many links each */
    assert_true(by_hand(&maker, &model).time == STEP + 3 * BYTE * BYTES);
}

/* Rank 0 combines before it receives from rank 1. */
static void make_late(const struct maker *maker, int rank, struct summand__schedule *schedule)
{
    if (rank) {
        summand__send(schedule, 0, piece(0));
        return;
    }
    summand__reduce(schedule, summand__region(SUMMAND__SCRATCH, 0, maker->segments),
                    summand__region(SUMMAND__SCRATCH, 100, maker->segments));
    summand__round(schedule);
    summand__recv(schedule, 1, piece(0));
}

TEST(rendezvous)
{
    struct summand__model model = flat_model();
    double finish[2];
    struct maker maker = {2, 10, make_late};
    struct summand__predict predict = by_hand(&maker, &model);
    assert_true(predict.time == 10 * GAMMA * BYTES + O_RECV); /* it lay there already */
    model.eager = BYTES - 1;
    model.level[SUMMAND__NETWORK].handshake = 50;
    predict.finish = finish;
    summand__predict(&predict);
    assert_true(finish[1] == 10 * GAMMA * BYTES + 50 + LATENCY + BYTE * BYTES);
    assert_true(finish[0] == finish[1] + O_RECV);
}

static void make_deadlock(const struct maker *maker, int rank, struct summand__schedule *schedule)
{
    summand__recv(schedule, (rank + 1) % maker->ranks, piece(0));
    summand__round(schedule);
    summand__send(schedule, (rank + maker->ranks - 1) % maker->ranks, piece(0));
}

static void make_unequal(const struct maker *maker, int rank, struct summand__schedule *schedule)
{
    (void)maker;
    if (rank)
        summand__send(schedule, 0, piece(0));
    else
        summand__recv(schedule, 1, summand__region(SUMMAND__SCRATCH, 0, 2));
}

TEST(faults)
{
    struct summand__model model = flat_model();
    struct maker deadlock = {3, 1, make_deadlock}, unequal = {2, 1, make_unequal},
                 long_chain = {10, 1000, make_chain};
    assert_string_equal(by_hand(&deadlock, &model).fault, "rank 0 waits for ever for a message");
    assert_string_equal(by_hand(&unequal, &model).fault,
                        "rank 1 sends 1 elements, rank 0 expects 2");
    struct summand__predict predict = by_hand(&long_chain, &model);
    assert_string_equal(predict.fault, "");
    predict.most_bytes = 100000;
    assert_false(summand__predict(&predict));
    assert_string_not_equal(predict.fault, "");
}

/* For every row of the table: the formula's numbers of messages and bytes, one finish per rank, and
 * a critical path without gaps from time 0 to the end. */
static void check_path(const struct summand__predict *predict)
{
    double end = predict->time;
    uint32_t at = predict->last_span;
    for (; at != SUMMAND__NO_SPAN; at = predict->spans[at].cause) {
        const struct summand__span *span = &predict->spans[at];
        assert_true(span->critical && span->begin <= span->end);
        assert_true(span->begin <= end);
        assert_true(span->end == end || span->kind == SUMMAND__SPAN_WIRE);
        end = span->begin;
    }
    assert_true(end == 0);
}

static void check_call(const struct summand__algorithm *algorithm, struct summand__call *call,
                       const struct summand__model *model)
{
    double *finish = malloc((size_t)call->ranks * sizeof *finish), last = 0;
    struct summand__predict predict = {
        .element = BYTES, .model = model, .trace = true, .finish = finish};
    if (!summand__simulate_call(algorithm, call, &predict))
        fail_msg("%s, %d ranks: %s", algorithm->name, call->ranks, predict.fault);
    struct summand__cost cost = summand__cost_of(algorithm, call);
    size_t messages = 0, bytes = 0;
    for (int i = 0; i < SUMMAND__REACHES; i++) {
        messages += predict.messages[i];
        bytes += predict.bytes[i];
    }
    assert_int_equal(messages, cost.messages);
    assert_int_equal(bytes, cost.elements * BYTES);
    for (int r = 0; r < call->ranks; r++)
        last = finish[r] > last ? finish[r] : last;
    assert_true(last == predict.time && finish[predict.last] == last);
    check_path(&predict);
    summand__predict_free(&predict);
    free(finish);
}

TEST(whole_table)
{
    static const int rank_counts[] = {1, 2, 3, 7, 16, 29, 64};
    struct summand__model model = flat_model();
    model.per_node = 4;
    model.shared_card = 1;
    model.eager = 20 * BYTES;
    model.level[SUMMAND__WITHIN_NODE].latency = 3;
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (size_t r = 0; r < sizeof rank_counts / sizeof *rank_counts; r++)
                for (size_t count = 0; count <= 100; count += 20 + count) {
                    size_t offsets[65];
                    for (size_t o = 0; o <= 64; o++)
                        offsets[o] = o * count;
                    struct summand__call call = {.collective = (enum summand__collective)c,
                                                 .ranks = rank_counts[r],
                                                 .count = count,
                                                 .root = rank_counts[r] / 3,
                                                 .offsets = offsets};
                    if (summand__algorithm_does(summand__algorithms[i], &call))
                        check_call(summand__algorithms[i], &call, &model);
                }
}

/* Data that arrives is combined at the end of its round, instead of at the start of the next one.
 * If copies take no time, trees take the same time. Pipelines end, however they are posted. */
TEST(combining)
{
    struct summand__model model = flat_model();
    model.per_node = 64;
    for (int i = 0; summand__algorithms[i]; i++)
        for (int ranks = 2; ranks <= 33; ranks += ranks < 8 ? 1 : 5) {
            struct summand__call call = {
                .collective = SUMMAND__COLL_REDUCE, .ranks = ranks, .count = 8};
            struct summand__predict built = {.element = BYTES, .model = &model}, runs = built;
            runs.combines = true;
            if (!summand__algorithm_does(summand__algorithms[i], &call))
                continue;
            assert_true(summand__simulate_call(summand__algorithms[i], &call, &built));
            assert_true(summand__simulate_call(summand__algorithms[i], &call, &runs));
            assert_int_equal(runs.messages[0] + runs.messages[1] + runs.messages[2],
                             built.messages[0] + built.messages[1] + built.messages[2]);
            if (!strcmp(summand__algorithms[i]->name, "binomial"))
                assert_true(fabs(runs.time - built.time) < 1e-9 * built.time);
        }
}

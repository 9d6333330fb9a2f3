/* SPDX-License-Identifier: BSD-3-Clause */
/* Cards that messages share evenly. */
#include <math.h>

#include "play/share.h"
#include "unit/unit.h"

/* Cards are shared anew before time goes on from `now`. */
static void settle(struct summand__share *share, struct summand__event_queue *queue, double now)
{
    if (share->changes && (!queue->length || summand__event_first(queue)->time > now))
        assert_true(summand__share_settle(share, queue, 0, now));
}

static struct summand__event take(struct summand__event_queue *queue)
{
    struct summand__event event = *summand__event_first(queue);
    summand__event_drop(queue);
    return event;
}

static void expect_event(struct summand__share *share, struct summand__event_queue *queue,
                         double time, uint32_t ends)
{
    struct summand__event event = take(queue);
    uint32_t message;
    assert_true(event.time == time);
    assert_true(summand__share_end(share, queue, 0, event.subject, time, &message));
    assert_int_equal(message, ends);
    settle(share, queue, time);
}

/* A flow of 10 s. */
static bool begin_flow(struct summand__share *share, uint32_t message, uint32_t out, uint32_t in,
                       double now)
{
    const uint32_t card[SUMMAND__SHARED] = {out, in, SUMMAND__NO_LINK, SUMMAND__NO_LINK};
    return summand__share_begin(share, message, card, 10, now);
}

/* Two messages of 10 s each, from one card to two: the second starts when half of the first is
 * complete. */
TEST(shares)
{
    struct summand__share share;
    struct summand__event_queue queue = {0};
    assert_true(summand__share_open(&share, 3, 0, 1, 0));
    assert_true(begin_flow(&share, 0, 0, 4, 0));
    settle(&share, &queue, 0);
    assert_true(begin_flow(&share, 1, 0, 5, 5));
    settle(&share, &queue, 5);
    expect_event(&share, &queue, 10, SUMMAND__NO_FLOW);
    expect_event(&share, &queue, 15, 0);
    expect_event(&share, &queue, 20, 1);
    expect_event(&share, &queue, 25, SUMMAND__NO_FLOW);
    assert_true(queue.length == 0);
    summand__event_queue_free(&queue);
    summand__share_free(&share);
}

/* Two messages from node 0 to node 1 and one back, 10 s each alone. If each also needs half of its
 * bandwidth in the other direction, the full card delays all three equally. */
TEST(crosses)
{
    for (int cross = 0; cross < 2; cross++) {
        struct summand__share share;
        struct summand__event_queue queue = {0};
        double end[3] = {0};
        assert_true(summand__share_open(&share, 2, 0, 1, cross * 0.5));
        for (uint32_t m = 0; m < 3; m++)
            assert_true(begin_flow(&share, m, m == 2, m == 2 ? 2 : 3, 0));
        settle(&share, &queue, 0);
        while (queue.length) {
            struct summand__event event = take(&queue);
            uint32_t message;
            assert_true(summand__share_end(&share, &queue, 0, event.subject, event.time, &message));
            if (message != SUMMAND__NO_FLOW)
                end[message] = event.time;
            settle(&share, &queue, event.time);
        }
        assert_true(end[2] == (cross ? 25 : 10));
        assert_true(end[0] == (cross ? 25 : 20) && end[1] == end[0]);
        summand__event_queue_free(&queue);
        summand__share_free(&share);
    }
}

/* Messages of a random play, by the definition of their shares. */
enum { NODES = 4, SWITCHES = 2, FLOWS = 96 };
struct flow {
    uint32_t card[SUMMAND__SHARED];
    double begin, left, end;
};

static int uses(const struct flow *flow, uint32_t card)
{
    for (int side = 0; side < SUMMAND__SHARED; side++)
        if (flow->card[side] == card)
            return 1;
    return 0;
}

/* The other direction of a card or a link. */
static uint32_t back(uint32_t card)
{
    if (card < 2 * NODES)
        return (card + NODES) % (2 * NODES);
    return 2 * NODES + (card - 2 * NODES + SWITCHES) % (2 * SWITCHES);
}

static double rate(const struct flow *flows, const struct flow *flow, double now, double cross)
{
    double most = 1;
    for (int side = 0; side < SUMMAND__SHARED && flow->card[side] != SUMMAND__NO_LINK; side++) {
        double own = 0, other = 0;
        for (int f = 0; f < FLOWS; f++)
            if (flows[f].begin <= now && flows[f].left > 0) {
                own += uses(&flows[f], flow->card[side]);
                other += uses(&flows[f], back(flow->card[side]));
            }
        double all = own > other ? own + cross * other : other + cross * own;
        all = cross > 0 ? all : own;
        all /= flow->card[side] < 2 * NODES ? 1 : 2;
        most = side ? (all > most ? all : most) : all;
    }
    return 1 / most;
}

/* The play by the definition: at each begin and end all rates are made anew. */
static void play_slowly(struct flow *flows, double cross)
{
    double now = 0;
    for (int step = 0; step < 2 * FLOWS; step++) {
        double next = INFINITY, rates[FLOWS];
        int ends = -1;
        for (int f = 0; f < FLOWS; f++) {
            if (flows[f].begin > now && flows[f].begin < next) {
                next = flows[f].begin;
                ends = -1;
            }
            if (flows[f].begin > now || flows[f].left <= 0)
                continue;
            rates[f] = rate(flows, &flows[f], now, cross);
            if (now + flows[f].left / rates[f] < next) {
                next = now + flows[f].left / rates[f];
                ends = f;
            }
        }
        if (next == INFINITY)
            return;
        for (int f = 0; f < FLOWS; f++)
            if (flows[f].begin <= now && flows[f].left > 0)
                flows[f].left -= (next - now) * rates[f];
        now = next;
        if (ends >= 0) {
            flows[ends].left = 0;
            flows[ends].end = now;
        }
    }
}

TEST(plays_as_defined)
{
    for (int way = 0; way < 4; way++) {
        static struct flow flows[FLOWS];
        struct summand__share share;
        struct summand__event_queue queue = {0};
        double cross = way % 2 ? 0.05 : 0, ends[FLOWS] = {0};
        uint64_t random = (uint64_t)way + 1;
        assert_true(summand__share_open(&share, NODES, SWITCHES, 2, cross));
        for (uint32_t f = 0; f < FLOWS; f++) {
            uint32_t out, in;
            random = random * 6364136223846793005u + 1442695040888963407u;
            out = (uint32_t)(random >> 33) % NODES;
            in = (out + 1 + (uint32_t)(random >> 40) % (NODES - 1)) % NODES;
            const bool far = way / 2 && out / 2 != in / 2;
            flows[f] = (struct flow){{out, NODES + in, far ? 2 * NODES + out / 2 : SUMMAND__NO_LINK,
                                      far ? 2 * NODES + SWITCHES + in / 2 : SUMMAND__NO_LINK},
                                     f / 8 * 3 + 1e-3 * f,
                                     (double)((random >> 45) % 1000 + 1) * 1e-3,
                                     0};
            assert_true(summand__event_push(&queue, flows[f].begin, 1, f));
        }
        while (queue.length) {
            struct summand__event event = take(&queue);
            uint32_t message = event.subject;
            if (event.kind)
                assert_true(summand__share_begin(&share, message, flows[message].card,
                                                 flows[message].left, event.time));
            else
                assert_true(
                    summand__share_end(&share, &queue, 0, event.subject, event.time, &message));
            if (!event.kind && message != SUMMAND__NO_FLOW)
                ends[message] = event.time;
            settle(&share, &queue, event.time);
        }
        play_slowly(flows, cross);
        for (int f = 0; f < FLOWS; f++)
            assert_true(ends[f] > 0 && fabs(ends[f] - flows[f].end) < 1e-9);
        summand__event_queue_free(&queue);
        summand__share_free(&share);
    }
}

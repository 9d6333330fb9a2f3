/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue of a play against a search of all events that wait: in order of time, those of equal
 * time in order of their pushes. */
#include "play/event_queue.h"
#include "unit/unit.h"

enum { WAITING = 600, POPS = 6000 };

static uint64_t state;

static uint32_t random_below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* How far ahead of `now` an event is: even, in bursts of equal times, near and very far, shrinking,
 * and all at once. */
enum { WAYS = 5 };
static double ahead(int way, double now)
{
    switch (way) {
    case 0:
        return random_below(1000000) * 1e-6;
    case 1:
        return random_below(4);
    case 2:
        return random_below(8) ? random_below(1000) * 1e-9 : 1e6 * random_below(10);
    case 3:
        return (random_below(100) + 1) * 1e-2 / (1 + now * now);
    default:
        return 0;
    }
}

static struct {
    double time;
    uint32_t number;
} waiting[WAITING];
static uint32_t waits, pushed;

static void push(struct summand__event_queue *queue, double time)
{
    waiting[waits].time = time;
    waiting[waits++].number = pushed;
    assert_true(summand__event_push(queue, time, pushed % 3, pushed));
    pushed++;
}

static double pop(struct summand__event_queue *queue)
{
    uint32_t least = 0;
    for (uint32_t w = 1; w < waits; w++)
        if (waiting[w].time < waiting[least].time ||
            (waiting[w].time == waiting[least].time && waiting[w].number < waiting[least].number))
            least = w;
    const struct summand__event *first = summand__event_first(queue);
    double time = waiting[least].time;
    assert_true(first && first->time == time);
    assert_int_equal(first->subject, waiting[least].number);
    assert_int_equal(first->kind, first->subject % 3);
    summand__event_drop(queue);
    waiting[least] = waiting[--waits];
    return time;
}

TEST(keeps_the_order)
{
    for (int way = 0; way < WAYS; way++) {
        struct summand__event_queue queue = {0};
        double now = 0;
        waits = pushed = 0;
        state = (uint64_t)way + 1;
        for (int i = 0; i < POPS; i++) {
            uint32_t most = i < POPS / 2 ? WAITING : 20;
            while (waits < most && (waits < 2 || random_below(8)))
                push(&queue, now + ahead(way, now));
            now = pop(&queue);
            assert_int_equal(queue.length, waits);
        }
        while (waits)
            pop(&queue);
        summand__event_queue_free(&queue);
    }
}

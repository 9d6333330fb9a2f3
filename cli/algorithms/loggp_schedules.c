#include "cli/algorithms/loggp_schedules.h"

static struct summand__region in(size_t first, size_t count)
{
    return summand__region(SUMMAND__RECVBUF, first, count);
}

static struct summand__region out(size_t count)
{
    return summand__region(SUMMAND__SENDBUF, 0, count);
}

static struct summand__schedule empty(void)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    return schedule;
}

struct summand__schedule pingpong(struct pair pair, int times, size_t count)
{
    struct summand__schedule schedule = empty();
    for (int leg = 0; leg < 2 * times; leg++) {
        int from = leg % 2 ? pair.b : pair.a, to = leg % 2 ? pair.a : pair.b;
        if (pair.me == from)
            summand__send(&schedule, to, out(count));
        if (pair.me == to)
            summand__recv(&schedule, from, in(0, count));
        summand__round(&schedule);
    }
    return schedule;
}

static void answer(struct summand__schedule *schedule, struct pair pair)
{
    if (pair.me == pair.b)
        summand__send(schedule, pair.a, out(1));
    if (pair.me == pair.a)
        summand__recv(schedule, pair.b, in(0, 1));
    summand__round(schedule);
}

struct summand__schedule burst(struct pair pair, int times, size_t count)
{
    struct summand__schedule schedule = empty();
    for (int i = 0; i < times; i++) {
        if (pair.me == pair.a)
            summand__send(&schedule, pair.b, out(count));
        if (pair.me == pair.b)
            summand__recv(&schedule, pair.a, in((size_t)i * count, count));
    }
    summand__round(&schedule);
    answer(&schedule, pair);
    return schedule;
}

static void wait_a_while(struct summand__schedule *schedule, size_t delay)
{
    summand__copy(schedule, out(delay), in(delay, delay));
}

struct summand__schedule delayed_sends(struct pair pair, int times, size_t delay, bool all)
{
    struct summand__schedule schedule = empty();
    for (int i = 0; i < times; i++) {
        bool speaks = all || i + 1 == times;
        if (pair.me == pair.a && speaks)
            summand__send(&schedule, pair.b, out(1));
        if (pair.me == pair.a)
            wait_a_while(&schedule, delay);
        if (pair.me == pair.b && speaks)
            summand__recv(&schedule, pair.a, in(0, 1));
        summand__round(&schedule);
    }
    answer(&schedule, pair);
    return schedule;
}

struct summand__schedule delayed_recvs(struct pair pair, int times, size_t delay, bool all)
{
    struct summand__schedule schedule = empty();
    for (int i = 0; i < times && pair.me == pair.b; i++) {
        wait_a_while(&schedule, delay);
        summand__round(&schedule);
    }
    for (int i = 0; i < (all ? times : 1); i++) {
        if (pair.me == pair.a)
            summand__send(&schedule, pair.b, out(1));
        if (pair.me == pair.b)
            summand__recv(&schedule, pair.a, in(0, 1));
        summand__round(&schedule);
    }
    return schedule;
}

struct summand__schedule local_work(struct pair pair, enum summand__action action, int times,
                                    size_t count)
{
    struct summand__schedule schedule = empty();
    for (int i = 0; i < times && pair.me == pair.a; i++) {
        if (action == SUMMAND__REDUCE)
            summand__reduce(&schedule, out(count), in(0, count));
        else
            summand__copy(&schedule, out(count), in(0, count));
        summand__round(&schedule);
    }
    return schedule;
}

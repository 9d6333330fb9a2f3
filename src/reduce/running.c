#include "reduce/running.h"

struct summand__running summand__running_start(const struct summand__call *call, bool keep,
                                               int moves)
{
    size_t n = call->count;
    struct summand__region a = summand__region(SUMMAND__SCRATCH, 0, n);
    struct summand__region b =
        keep ? summand__region(SUMMAND__RECVBUF, 0, n) : summand__region(SUMMAND__SCRATCH, n, n);
    struct summand__running running = {.value = summand__region(SUMMAND__SENDBUF, 0, n)};
    if (call->in_place && keep) {
        running.value = b;
        running.spare = a;
        return running;
    }
    running.spare = moves % 2 ? b : a;
    running.other = moves % 2 ? a : b;
    return running;
}

static bool is_input(struct summand__region region)
{
    return region.place == SUMMAND__SENDBUF;
}

struct summand__region summand__part(struct summand__region region, size_t first, size_t count)
{
    return summand__region(region.place, region.first + first, count);
}

struct summand__region summand__running_into(const struct summand__running *running,
                                             struct summand__schedule *schedule, bool higher,
                                             size_t first, size_t count)
{
    if (higher || !is_input(running->value))
        return running->spare;
    /* The copy goes where a move would have gone, the operand to the other one. */
    summand__copy(schedule, summand__part(running->value, first, count),
                  summand__part(running->spare, first, count));
    return running->other;
}

void summand__running_fold_part(struct summand__running *running,
                                struct summand__schedule *schedule, bool higher, size_t first,
                                size_t count)
{
    struct summand__region value = running->value, spare = running->spare;
    summand__round(schedule);
    if (higher) {
        summand__reduce(schedule, summand__part(value, first, count),
                        summand__part(spare, first, count));
        running->value = spare;
        running->spare = is_input(value) ? running->other : value;
    } else if (is_input(value)) {
        summand__reduce(schedule, summand__part(running->other, first, count),
                        summand__part(spare, first, count));
        running->value = spare;
        running->spare = running->other;
    } else {
        summand__reduce(schedule, summand__part(spare, first, count),
                        summand__part(value, first, count));
    }
    summand__round(schedule);
}

void summand__running_recv(struct summand__running *running, struct summand__schedule *schedule,
                           int peer, bool higher)
{
    summand__recv(schedule, peer,
                  summand__running_into(running, schedule, higher, 0, running->value.count));
}

void summand__running_fold(struct summand__running *running, struct summand__schedule *schedule,
                           bool higher)
{
    summand__running_fold_part(running, schedule, higher, 0, running->value.count);
}

void summand__running_finish(struct summand__running *running, struct summand__schedule *schedule)
{
    summand__round(schedule);
    summand__copy(schedule, running->value,
                  summand__region(SUMMAND__RECVBUF, 0, running->value.count));
}

#include "reduce/running.h"

struct summand__running summand__running_start(const struct summand__call *call, bool keep,
                                               int moves)
{
    size_t n = call->count;
    struct summand__region a = summand__region(SUMMAND__SCRATCH, 0, n);
    struct summand__region b = keep ? summand__region(SUMMAND__RECVBUF, 0, n)
                                    : summand__region(SUMMAND__SCRATCH, n, n);
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

void summand__running_recv(struct summand__running *running, struct summand__schedule *schedule,
                           int peer, bool higher)
{
    if (!higher && is_input(running->value)) {
        /* The copy goes where a move would have gone, the operand to the other one. */
        summand__recv(schedule, peer, running->other);
        summand__copy(schedule, running->value, running->spare);
    } else {
        summand__recv(schedule, peer, running->spare);
    }
}

void summand__running_fold(struct summand__running *running, struct summand__schedule *schedule,
                           bool higher)
{
    struct summand__region value = running->value, spare = running->spare;
    summand__round(schedule);
    if (higher) {
        summand__reduce(schedule, value, spare);
        running->value = spare;
        running->spare = is_input(value) ? running->other : value;
    } else if (is_input(value)) {
        summand__reduce(schedule, running->other, spare);
        running->value = spare;
        running->spare = running->other;
    } else {
        summand__reduce(schedule, spare, value);
    }
    summand__round(schedule);
}

void summand__running_finish(struct summand__running *running, struct summand__schedule *schedule)
{
    summand__round(schedule);
    summand__copy(schedule, running->value,
                  summand__region(SUMMAND__RECVBUF, 0, running->value.count));
}

/* The schedules that LogGP parameters are measured with: two ranks speak, the others rest. */
#ifndef SUMMAND_CLI_ALGORITHMS_LOGGP_SCHEDULES_H
#define SUMMAND_CLI_ALGORITHMS_LOGGP_SCHEDULES_H

#include "schedule/schedule.h"

struct pair {
    int me, a, b;
};

/* `times` round trips of `count` elements, begun by a. */
struct summand__schedule pingpong(struct pair pair, int times, size_t count);

/* `times` messages of `count` elements from a to b in one round, and an answer of one element. */
struct summand__schedule burst(struct pair pair, int times, size_t count);

/* The processor of a copies `delay` elements `times` times; with a message to b beside each, or
 * one in all; then b answers. */
struct summand__schedule delayed_sends(struct pair pair, int times, size_t delay, bool all);

/* The processor of b copies `delay` elements `times` times, and then takes in as many messages that
 * lie there, or one. */
struct summand__schedule delayed_recvs(struct pair pair, int times, size_t delay, bool all);

/* a combines, or copies, `count` elements `times` times. */
struct summand__schedule local_work(struct pair pair, enum summand__action action, int times,
                                    size_t count);

#endif

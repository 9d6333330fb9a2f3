/* The end of a reduce whose vector is spread over all ranks, a piece (summand__call_piece) on each:
 * the root takes them in at once. Any operator's reduce-scatter makes a reduce so. */
#ifndef SUMMAND_REDUCE_PIECES_H
#define SUMMAND_REDUCE_PIECES_H

#include "reduce/call.h"
#include "schedule/model.h"

/* `own` is where the rank's piece lies. */
void summand__pieces_collect(const struct summand__call *call, struct summand__region own,
                             struct summand__schedule *schedule);

/* Adds messages, elements and a message's depth, which is an upper bound where pieces are empty. */
void summand__pieces_cost(const struct summand__call *call, struct summand__cost *cost);

double summand__pieces_time(const struct summand__model *model, const struct summand__call *call,
                            size_t element);

#endif

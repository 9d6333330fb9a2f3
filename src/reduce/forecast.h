/* The prediction of a call: its algorithm's schedules, played against a machine. */
#ifndef SUMMAND_REDUCE_FORECAST_H
#define SUMMAND_REDUCE_FORECAST_H

#include "reduce/algorithm.h"
#include "schedule/predict.h"

/* Fills in who plays what (ranks, build, context) and plays; the rest of `predict` is the caller's:
 * model, element, most_bytes, trace, finish. call->rank is ignored. False with predict->fault. */
bool summand__forecast(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       struct summand__predict *predict);

#endif

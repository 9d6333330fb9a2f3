/* k exact accumulators as one operand of a reduction. */
#ifndef SUMMAND_SUM_EXACT_OPERAND_H
#define SUMMAND_SUM_EXACT_OPERAND_H

#include <summand/exact.h>

#include "plan/error_flag.h"
#include "schedule/operator.h"

struct summand__exact_shape {
    size_t k;
    uint32_t signature;
};

struct summand__exact_operand {
    struct summand__head head;
    summand_exact sum[];
};

/* The operator over operands (one schedule element each); `shape` must stay where it is. */
struct summand__operator summand__exact_operator(const struct summand__exact_shape *shape);

#endif

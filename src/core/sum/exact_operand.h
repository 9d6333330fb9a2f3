/* SPDX-License-Identifier: BSD-3-Clause */
/* k exact sums as one operand of a reduction. */
#pragma once

#include <summand/exact.h>

#include "exact/batch.h"
#include "plan/cache.h"
#include "plan/error_flag.h"
#include "schedule/operator.h"

/* An operand without sums has numbers instead, in falling order, with a 0 at the end: each rank
 * offers some, and the reduction keeps those that all ranks offer. */
enum { SUMMAND__OFFERS = SUMMAND__CACHED_PLANS };

struct summand__exact_shape {
    size_t k;
    uint32_t signature;
};

/* In memory the sums, or the numbers, follow the head. */
struct summand__exact_operand {
    struct summand__head head;
    uint64_t sums[];
};

/* The operator over operands (one schedule element each); `shape` must stay valid. */
struct summand__operator summand__exact_operator(const struct summand__exact_shape *shape);

/* The sums of an operand. */
static inline struct summand__batch summand__exact_batch(const struct summand__exact_shape *shape,
                                                         struct summand__exact_operand *operand)
{
    return summand__batch_at(operand->sums, shape->k);
}

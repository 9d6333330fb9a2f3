/* SPDX-License-Identifier: BSD-3-Clause */
/* The first message of an exact reduction of vectors: it tells if all ranks make the same call and
 * know the same formats, which their terms fit. If the lanes are few, it carries them. */
#pragma once

#include <stdbool.h>

#include "plan/error_flag.h"
#include "schedule/operator.h"

struct summand__opening_shape {
    uint32_t signature; /* of the call */
    size_t room;        /* lanes that an operand has room for */
};

struct summand__opening {
    struct summand__head head;
    uint64_t formats; /* a hash of them; 0: unknown, different, or a term does not fit */
    uint32_t words;   /* lanes that follow; 0 if `formats` is */
    uint32_t filled;  /* ranks that have terms: without any a sum is +0.0 */
    int64_t lanes[];
};

/* The operator over operands, one schedule element each. `shape` must stay valid. */
struct summand__operator summand__opening_operator(const struct summand__opening_shape *shape);

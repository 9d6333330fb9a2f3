/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/common/promises.h"

#include <stddef.h>

const char *const promise_words[PROMISES + 1] = {"any", "rank-order", "canonical", NULL};

const enum summand_promise promise_of_word[PROMISES] = {
    SUMMAND_PROMISE_SAME, SUMMAND_PROMISE_RANK_ORDER, SUMMAND_PROMISE_CANONICAL};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/promises.h"

#include <stddef.h>

const char *const promise_words[PROMISES + 1] = {"any", "rank-order", "canonical", NULL};

const char *const promise_words_and_exact[PROMISES + 2] = {"any", "rank-order", "canonical",
                                                           "exact", NULL};

const enum summand_promise promise_of_word[PROMISES + 1] = {
    SUMMAND_PROMISE_SAME, SUMMAND_PROMISE_RANK_ORDER, SUMMAND_PROMISE_CANONICAL,
    SUMMAND_PROMISE_EXACT};

const char *const checked_words[] = {"default", "off", "detect", "correct", NULL};

/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of `--promise` and `--checked`. */
#pragma once

#include <summand/options.h>

enum { PROMISES = 3 };

/* The words, the last is NULL: of promises that an algorithm keeps or not; and with that which the
 * library keeps by any algorithm. Each word's promise. */
extern const char *const promise_words[PROMISES + 1];
extern const char *const promise_words_and_exact[PROMISES + 2];
extern const enum summand_promise promise_of_word[PROMISES + 1];

/* Words of enum summand_checked; the last is NULL. From the second one on: of SUMMAND_CHECKED. */
extern const char *const checked_words[];

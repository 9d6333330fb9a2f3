/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of `--promise`. */
#ifndef SUMMAND_CLI_COMMON_PROMISES_H
#define SUMMAND_CLI_COMMON_PROMISES_H

#include <summand/options.h>

enum { PROMISES = 3 };

/* The words, the last is NULL; and each word's promise. */
extern const char *const promise_words[PROMISES + 1];
extern const enum summand_promise promise_of_word[PROMISES];

#endif

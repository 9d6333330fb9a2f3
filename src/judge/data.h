/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that break sums; the same bits on every machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct summand__judge_data {
    const char *name, *what;
    /* Fills x with n terms, n >= 4. */
    void (*fill)(double *x, size_t n, uint64_t seed);
};

/* The last one has no name. */
extern const struct summand__judge_data summand__judge_data[];

/* A random number below n, n >= 1: a function of seed and index alone. */
uint64_t summand__judge_below(uint64_t seed, uint64_t index, uint64_t n);

/* SPDX-License-Identifier: BSD-3-Clause */
/* How N consecutive elements are spread over ranks: rank i holds [starts[i], starts[i + 1]).
 * Distributions of Stelz (2022), eq. 1.3, 1.4, 3.8 and algorithm 3. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum summand__distribution_kind {
    SUMMAND__EVEN_LOWER, /* floor(N/p) each, the first N mod p ranks one more (1.3) */
    SUMMAND__EVEN_UPPER, /* floor(N/p) each, the last N mod p ranks one more (1.4) */
    SUMMAND__POWER2,     /* N/p rounded down to a power of two, the rest on the last rank (3.8) */
    SUMMAND__OPTIMIZED,  /* even-upper, each start moved down to a rounder index (algorithm 3) */
    SUMMAND__BALANCED,   /* even-lower, starts moved while shares are balanced (table 3.3) */
    SUMMAND__DISTRIBUTIONS
};

struct summand__distribution_row {
    const char *name;        /* "even-lower" */
    const char *description; /* one line */
    bool takes_alpha;
    /* starts: ranks + 1 entries, ascending from 0; starts[ranks] = n. alpha, in units of n / ranks:
     * the most that a start moves, or by how much a share may differ from n / ranks. */
    void (*fill)(double alpha, uint64_t n, int ranks, uint64_t *starts);
};

extern const struct summand__distribution_row summand__distributions[SUMMAND__DISTRIBUTIONS];

/* Names of the table, in the order of the enum, ended by NULL. */
extern const char *const summand__distribution_names[SUMMAND__DISTRIBUTIONS + 1];

/* alpha of the thesis. */
#define SUMMAND__ALPHA 0.2

/* Fills starts[0 .. ranks], for any n (also below ranks, or 0) and ranks >= 1. */
void summand__distribution(enum summand__distribution_kind kind, double alpha, uint64_t n,
                           int ranks, uint64_t *starts);

/* The rank that holds element x < starts[ranks] (3.4), never one without elements. Cost: log2 ranks
 * comparisons. */
int summand__rank_of_index(const uint64_t *starts, int ranks, uint64_t x);

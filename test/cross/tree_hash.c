/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a hash of the results of every tree kernel on seeded data, for comparison between
 * machines: one line for each kind and level. Also checks each against the definition. It uses no
 * test library, so it runs with any cross compiler and emulator. SUMMAND_ARCH sets the instruction
 * set. */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/forest.h"
#include "shape/dyadic.h"
#include "unit/tree_oracle.h"

enum { NUMBERS = 1 << 16, LEVELS = 16 };
static double x64[NUMBERS], y64[NUMBERS];
static float x32[NUMBERS], y32[NUMBERS];
static int wrong;

/* FNV-1a; NaNs differ in sign and payload between machines and count as one. */
static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        bits = 0x7ff8000000000000u;
    for (int byte = 0; byte < 8; byte++)
        hash = (hash ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
    return hash;
}

static uint64_t tree_hash(enum summand__tree_kind kind, unsigned level)
{
    uint64_t hash = 0xcbf29ce484222325u, n = (uint64_t)1 << level;
    for (size_t at = 0; at + n <= NUMBERS; at += n + NUMBERS / 64 / n * n + 1) {
        double v64 = summand__tree_kernels()->f64[kind](x64 + at, y64 + at, level);
        float v32 = summand__tree_kernels()->f32[kind](x32 + at, y32 + at, level);
        wrong += !oracle_same_f64(v64, oracle_f64(kind, x64 + at, y64 + at, n, 0, level));
        wrong += !oracle_same_f32(v32, oracle_f32(kind, x32 + at, y32 + at, n, 0, level));
        hash = mix(mix(hash, v64), (double)v32);
    }
    return hash;
}

static uint64_t forest_hash(enum summand__tree_kind kind)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t count = 1; count < NUMBERS; count += count / 8 + 1) {
        double v64[SUMMAND__DYADIC_MAX];
        float v32[SUMMAND__DYADIC_MAX];
        size_t n = summand__forest_f64(kind, x64, y64, count * 3, count, v64);
        summand__forest_f32(kind, x32, y32, count * 3, count, v32);
        for (size_t i = 0; i < n; i++)
            hash = mix(mix(hash, v64[i]), (double)v32[i]);
        hash = mix(hash, summand__tree_fold_f64(kind, v64, n));
    }
    return hash;
}

int main(void)
{
    uint64_t seed = 21;
    for (int i = 0; i < NUMBERS; i++) {
        bool special = i > NUMBERS / 2;
        x64[i] = oracle_number(&seed, special);
        y64[i] = oracle_number(&seed, special);
        x32[i] = (float)oracle_number(&seed, special);
        y32[i] = (float)oracle_number(&seed, special);
    }
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++) {
        enum summand__tree_kind kind = (enum summand__tree_kind)k;
        for (unsigned level = 0; level <= LEVELS; level++)
            printf("tree %d %u %016llx\n", k, level, (unsigned long long)tree_hash(kind, level));
        printf("forest %d %016llx\n", k, (unsigned long long)forest_hash(kind));
    }
    if (wrong)
        fprintf(stderr, "%d trees differ from the definition\n", wrong);
    if (summand__arch_complaint())
        fprintf(stderr, "%s\n", summand__arch_complaint());
    return wrong || summand__arch_complaint();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a hash of sums of outer products of seeded factors, for comparison between machines: one
 * line for each type and shape. Also checks each against the definition. SUMMAND_ARCH sets the
 * instruction set. */
#include <stdio.h>

#include "kernel/arch.h"
#include "unit/outer_oracle.h"

enum { ROWS = 13, COLUMNS = 150, PAIRS = 140 };
static double a[PAIRS * ROWS], b[PAIRS * COLUMNS], got[ROWS * COLUMNS], want[ROWS * COLUMNS];
static int wrong;

/* FNV-1a. */
static uint64_t hash_of(const void *data, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t outer_hash(enum summand__outer_type type, size_t rows, size_t columns, size_t pairs,
                           bool epilogue)
{
    struct summand__outer w = {.a = a,
                               .b = b,
                               .g = got,
                               .pairs = pairs,
                               .columns = columns,
                               .lda = ROWS,
                               .ldb = COLUMNS,
                               .ldg = COLUMNS};
    w.alpha = epilogue ? 0.7 : 1;
    w.beta = epilogue ? -0.4 : 0;
    w.continues = !epilogue && pairs % 2;
    outer_fill(type == SUMMAND__OUTER_F64 ? type : SUMMAND__OUTER_F32, got, ROWS * COLUMNS,
               &(uint64_t){pairs}, 50);
    memcpy(want, got, sizeof want);
    summand__outer_run(type, &w, 0, rows);
    w.g = want;
    outer_oracle(type, &w, 0, rows);
    wrong += memcmp(got, want, sizeof want) != 0;
    return hash_of(got, sizeof got);
}

int main(void)
{
    static const size_t shapes[][3] = {{1, 1, 1}, {13, 150, 8},  {9, 37, 3},  {13, 64, 140},
                                       {6, 8, 0}, {7, 149, 129}, {12, 32, 5}, {2, 99, 17}};
    uint64_t seed = 41;
    for (int t = 0; t < SUMMAND__OUTER_TYPES; t++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (int epilogue = 0; epilogue < 2; epilogue++) {
                const enum summand__outer_type type = (enum summand__outer_type)t;
                outer_fill(type, a, PAIRS * ROWS, &seed, 100);
                outer_fill(type, b, PAIRS * COLUMNS, &seed, 100);
                printf("%s %zu %d %016llx\n", summand__outer_type_name(type), i, epilogue,
                       (unsigned long long)outer_hash(type, shapes[i][0], shapes[i][1],
                                                      shapes[i][2], epilogue));
            }
    if (wrong)
        fprintf(stderr, "%d sums differ from the definition\n", wrong);
    if (summand__arch_complaint())
        fprintf(stderr, "%s\n", summand__arch_complaint());
    return wrong || summand__arch_complaint();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a hash of the results of every combine kernel on seeded data, for comparison between
 * machines: one line for each operator and type. Also checks each against the definition.
 * SUMMAND_ARCH sets the instruction set. Left out of the hash: long double, which differs between
 * machines, and complex products that are NaN by the textbook, where C leaves the result open. */
#include <stdio.h>

#include "unit/combine_data.h"
#include "unit/combine_oracle.h"

enum { NUMBERS = 1000, ROOM = NUMBERS * 48 };
static char x[ROOM], y[ROOM], got[ROOM], want[ROOM];
static int wrong;

static int both_nan(const struct oracle_type *type, const char *element)
{
    return type->family == ORACLE_COMPLEX && isnan(oracle_real(type, element)) &&
           isnan(oracle_real(type, element + type->bytes));
}

/* FNV-1a. */
static uint64_t kernel_hash(enum summand__combine_operator op, enum summand__combine_type t)
{
    const struct oracle_type *type = &oracle_types[t];
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t n = 1; n <= NUMBERS; n += n / 8 + 1) {
        combine_fill(type, x, n);
        combine_fill(type, y, n);
        memset(got, 0, sizeof got);
        memset(want, 0, sizeof want);
        summand__combine_kernel(op, t)(x, y, got, n);
        for (size_t at = 0; at < n * type->extent; at += type->extent) {
            oracle_combine(op, t, x + at, y + at, want + at);
            if (both_nan(type, want + at))
                continue;
            wrong += memcmp(got + at, want + at, type->extent) != 0;
            for (size_t byte = 0; byte < type->extent; byte++)
                hash = (hash ^ (unsigned char)got[at + byte]) * 0x100000001b3u;
        }
    }
    return hash;
}

int main(void)
{
    for (int op = 0; op < SUMMAND__COMBINE_OPERATORS; op++)
        for (int t = 0; t < SUMMAND__COMBINE_TYPES; t++) {
            enum summand__combine_operator operator=(enum summand__combine_operator) op;
            enum summand__combine_type type = (enum summand__combine_type)t;
            if (!summand__combine_kernel(operator, type))
                continue;
            combine_seed = (uint64_t)(op * SUMMAND__COMBINE_TYPES + t);
            uint64_t hash = kernel_hash(operator, type);
            if (oracle_types[t].bytes <= sizeof(double))
                printf("%s %s %016llx\n", summand__combine_operator_name(operator),
                       summand__combine_type_name(type), (unsigned long long)hash);
        }
    if (wrong)
        fprintf(stderr, "%d results differ from the definition\n", wrong);
    if (summand__arch_complaint())
        fprintf(stderr, "%s\n", summand__arch_complaint());
    return wrong || summand__arch_complaint();
}

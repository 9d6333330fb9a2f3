/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/arith.h"

#include <string.h>

const struct summand__arith *const summand__ariths[] = {
    &summand__arith_double, &summand__arith_single, &summand__arith_fixed, NULL};

const struct summand__arith *summand__arith_named(const char *name)
{
    for (int i = 0; summand__ariths[i]; i++)
        if (!strcmp(summand__ariths[i]->name, name))
            return summand__ariths[i];
    return NULL;
}

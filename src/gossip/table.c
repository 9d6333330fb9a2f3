/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/machine.h"

#include <string.h>

#define ALGORITHMS(X) X(ps) X(pf) X(pflc) X(pfcc) X(hps) X(hpflc) X(hpfcc) X(spread) X(rd) X(ardb)

#define DECLARE(name) extern const struct summand__gossip_algorithm summand__gossip_##name;
ALGORITHMS(DECLARE)
#undef DECLARE

const struct summand__gossip_algorithm *const summand__gossip_algorithms[] = {
#define ENTRY(name) &summand__gossip_##name,
    ALGORITHMS(ENTRY)
#undef ENTRY
        NULL};

const struct summand__gossip_algorithm *summand__gossip_named(const char *name)
{
    for (int i = 0; summand__gossip_algorithms[i]; i++)
        if (!strcmp(summand__gossip_algorithms[i]->name, name))
            return summand__gossip_algorithms[i];
    return NULL;
}

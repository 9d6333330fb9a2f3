/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of the paper that the library does not offer, as state machines for the simulators. */
#pragma once

#include "gossip/machine.h"

struct summand__gossip_variant {
    const struct summand__gossip_algorithm *algorithm;
    /* NULL, or called before a push: shows the node its partner, which no process could see. */
    void (*look)(struct summand__gossip_node *node, const struct summand__gossip_node *partner);
};

/* A variant, or the library's algorithm of that name; algorithm NULL: there is none. */
struct summand__gossip_variant summand__gossip_variant_named(const char *name);

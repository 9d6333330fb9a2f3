/* SPDX-License-Identifier: BSD-3-Clause */
/* One flipped bit: its place and number. */
#pragma once

#include "base/random.h"
#include "gossip/machine.h"

#include <stddef.h>

enum summand__fault_variable { SUMMAND__FAULT_INPUT, SUMMAND__FAULT_FLOW, SUMMAND__FAULT_MESSAGE };
enum summand__fault_component {
    SUMMAND__FAULT_VALUE,
    SUMMAND__FAULT_WEIGHT,
    SUMMAND__FAULT_CHECKSUM,
    SUMMAND__FAULT_ANY, /* one of the three, drawn */
};

struct summand__fault {
    enum summand__fault_variable variable; /* input: the state itself if there are no flows */
    enum summand__fault_component component;
    int bit; /* below 0: drawn */
};

/* Flips a bit of one of `words` in a mass of `width` words. */
void summand__fault_mass(const struct summand__fault *fault, const struct summand__arith *arith,
                         union summand__word *mass, int width, struct summand__random *random);
/* Flips a bit of the node's input, or of one of its flows, drawn at random. If a node has no flows,
 * its state is hit. */
void summand__fault_node(const struct summand__fault *fault, struct summand__gossip_node *node,
                         struct summand__random *random);

/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/fault.h"

void summand__fault_mass(const struct summand__fault *fault, const struct summand__arith *arith,
                         union summand__word *mass, int width, struct summand__random *random)
{
    enum summand__fault_component component = fault->component;
    /* Always drawn, so that the stream does not depend on the request. */
    uint64_t drawn_component = summand__random_below(random, 3);
    uint64_t drawn_value = summand__random_below(random, (uint64_t)width - 2);
    uint64_t drawn_bit = summand__random_below(random, (uint64_t)arith->bits);
    if (component == SUMMAND__FAULT_ANY)
        component = (enum summand__fault_component)drawn_component;
    int word = component == SUMMAND__FAULT_VALUE    ? (int)drawn_value
               : component == SUMMAND__FAULT_WEIGHT ? width - 2
                                                    : width - 1;
    int bit = fault->bit < 0 ? (int)drawn_bit : fault->bit % arith->bits;
    mass[word].bits ^= (uint64_t)1 << bit;
}

void summand__fault_node(const struct summand__fault *fault, struct summand__gossip_node *node,
                         struct summand__random *random)
{
    uint64_t drawn = summand__random_bits(random);
    union summand__word *mass = node->own;
    if (fault->variable == SUMMAND__FAULT_FLOW && node->slots)
        mass = node->flows + (size_t)(drawn % (uint64_t)node->slots) * node->width;
    summand__fault_mass(fault, node->arith, mass, node->width, random);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by compositions with several leaders per node: the calls of their parts and the cost of
 * phases inside nodes. Leader g is local rank g of its node. */
#pragma once

#include "algorithm/hierarchical/node.h"

/* Parts of the vector, each with a leader on every node: at most the ranks of the smallest node.
 * Exception: for whole vectors on nodes of different sizes, ranks of small nodes lead several
 * parts. */
int summand__leaders_of(const struct summand__call *call);

/* The parts [low, high) that a rank leads on a node of `ranks` ranks, with `leaders` leaders or the
 * call's. And the rank that leads a part. */
struct summand__led {
    int low, high;
};
struct summand__led summand__led_of(int leaders, int ranks, int local);
struct summand__led summand__led_by(const struct summand__call *call, int ranks, int local);
int summand__leader_of(const struct summand__call *call, int node, int part);

/* The most parts that a rank leads. */
int summand__most_led(const struct summand__call *call);

/* One part of the call: inside the node of `rank`, or, for one part of the vector of `count`
 * elements, between its leaders. */
struct summand__call summand__leaders_inside(const struct summand__call *call, int rank,
                                             enum summand__collective collective,
                                             const size_t *offsets);
struct summand__call summand__leaders_between(const struct summand__call *call, size_t count);

/* Adds the messages and elements of a part `times` times. */
void summand__leaders_add(struct summand__cost *sum, struct summand__cost more, size_t times);

/* Adds `times` equal phases of the algorithm inside all nodes; returns the depth of one. `cut` sets
 * the offsets of the parts on a node of a given number of ranks. */
size_t summand__leaders_add_nodes(struct summand__cost *sum, const struct summand__call *call,
                                  const struct summand__algorithm *algorithm,
                                  enum summand__collective collective, size_t phases, bool depth,
                                  void (*cut)(const struct summand__call *call, int ranks,
                                              size_t *offsets));

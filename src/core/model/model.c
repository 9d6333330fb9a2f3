/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/model.h"

#include <string.h>

#define AT(field) offsetof(struct summand__model, field)

/* A level's six numbers. */
#define LEVEL(name, reach, words)                                                                  \
    {name ".latency",                                                                              \
     "s",                                                                                          \
     "first byte out to first byte in, " words,                                                    \
     AT(level[reach].latency),                                                                     \
     0,                                                                                            \
     1,                                                                                            \
     false,                                                                                        \
     0},                                                                                           \
        {name ".send", "s", "the sender's processor, per message", AT(level[reach].send), 0, 1,    \
         false,        0},                                                                         \
        {name ".recv", "s", "the receiver's processor, per message", AT(level[reach].recv), 0, 1,  \
         false,        0},                                                                         \
        {name ".gap", "s", "least time between messages of one card", AT(level[reach].gap), 0, 1,  \
         false,       0},                                                                          \
        {name ".byte", "s/B", "a card's time per byte", AT(level[reach].byte), 0, 1, false, 0},    \
    {                                                                                              \
        name ".handshake", "s", "before a message that waits for its receiver",                    \
            AT(level[reach].handshake), 0, 1, false, 0                                             \
    }

const struct summand__model_row summand__model_rows[] = {
    {"per_node", "ranks", "on a node, in order", AT(per_node), 1, 1 << 24, true, 0},
    {"per_switch", "nodes", "under a switch; 0: all under one", AT(per_switch), 0, 1 << 24, true,
     0},
    {"shared_card", "0|1", "the ranks of a node share a network card", AT(shared_card), 0, 1, true,
     0},
    {"fair_card", "0|1", "messages share a card evenly, not one after another", AT(fair_card), 0, 1,
     true, 0},
    {"oversubscription", "x", "bandwidth of a switch's nodes over that of its links upwards",
     AT(oversubscription), 1, 1e6, false, 1},
    {"cross", "part", "of its bandwidth, needed the other way on an even card", AT(cross), 0, 1,
     false, 0},
    {"put_asks", "0|1", "a put longer than `eager` starts when its target looks", AT(put_asks), 0,
     1, true, -1},
    {"eager", "B", "longest message that does not wait for its receiver", AT(eager), 0, 1e18, true,
     0},
    {"reduce", "s/B", "combining", AT(reduce_byte), 0, 1, false, 0},
    {"copy", "s/B", "copying", AT(copy_byte), 0, 1, false, 0},
    {"flop", "s", "an operation of a product, on one processor", AT(flop), 0, 1, false,
     SUMMAND__FLOP},
    {"write", "s/B", "writing a product's result, on one processor", AT(write_byte), 0, 1, false,
     SUMMAND__WRITE_BYTE},
    LEVEL("node", SUMMAND__WITHIN_NODE, "in a node"),
    LEVEL("network", SUMMAND__NETWORK, "between nodes of a switch"),
    LEVEL("far", SUMMAND__FAR, "between switches"),
    {0},
};

double *summand__model_value(struct summand__model *model, const struct summand__model_row *row)
{
    return (double *)(void *)((char *)model + row->offset);
}

const struct summand__model_row *summand__model_row_named(const char *name)
{
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++)
        if (!strcmp(name, row->name))
            return row;
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as LogGP with levels: the costs of messages and local steps, in seconds, bytes and
 * ranks.
 *
 * Ranks lie on nodes in order, per_node on each; nodes under switches, per_switch under each. A
 * message costs its sender `send` of processor time, and waits for the sender's card (per message,
 * the longer of `gap` and its bytes). It takes `latency` to the receiver's card, which is as busy,
 * and costs its receiver `recv`. Messages above `eager` bytes start when both sides are ready,
 * `handshake` later, and hold the sender's round open until they have arrived.
 *
 * Source: Alexandrov, Ionescu, Schauser, Scheiman (1995) for LogGP; the cards shared by a node and
 * the levels are ours. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* One core of a current processor with the widest instructions: 40 Gflop/s, and 20 GB/s of a result
 * that is written once. Both are on the slow side, so that local work does not seem free. */
#define SUMMAND__FLOP 2.5e-11
#define SUMMAND__WRITE_BYTE 5e-11

enum summand__reach {
    SUMMAND__WITHIN_NODE,
    SUMMAND__NETWORK, /* another node, under the same switch */
    SUMMAND__FAR,     /* under another switch */
    SUMMAND__REACHES
};

struct summand__level {
    double latency;   /* L: s from the first byte out to the first byte in */
    double send;      /* o: s of the sender's processor per message */
    double recv;      /* o: s of the receiver's processor per message */
    double gap;       /* g: least s from one message of a card to the next */
    double byte;      /* G: s per byte */
    double handshake; /* s before a rendezvous message */
};

struct summand__model {
    double per_node;    /* ranks, >= 1 */
    double per_switch;  /* nodes; 0: all nodes under one */
    double shared_card; /* 1: the ranks of a node share one network card; 0: one for each rank */
    double fair_card;   /* 1: messages between nodes share their cards evenly, and none waits in a
                           node; 0: first come, first served */
    double
        oversubscription; /* >= 1: bandwidth of a switch's nodes over that of its links upwards */
    double cross;    /* part of its bandwidth that a message on an even card needs the other way */
    double put_asks; /* 1: a put longer than `eager` starts when its target polls, as over messages;
                        0: at once */
    double eager;    /* bytes: the longest message that does not wait for its receiver */
    double reduce_byte; /* gamma: s per byte combined */
    double copy_byte;   /* s per byte copied */
    double flop;        /* s per floating-point operation of a product, on one processor */
    double write_byte;  /* s per byte of a product's result that a processor writes */
    double processors; /* of a node with more ranks, if estimates should consider that; 0: each rank
                          has its own. It is not a property of a machine, so no row names it. */
    double piece; /* s for each segment of a pipeline if processors move the bytes of messages, so
                     that these do not hide its overheads. No row names it. */
    struct summand__level level[SUMMAND__REACHES];
};

/* Every number of a model by name, such as network.latency; ended by a row without name. */
struct summand__model_row {
    const char *name, *unit, *meaning;
    size_t offset; /* of the double in struct summand__model */
    double least, most;
    bool whole; /* an integer */
    double
        standard; /* not 0: the value if a file of an earlier version lacks it; below 0 means 0 */
};

extern const struct summand__model_row summand__model_rows[];

double *summand__model_value(struct summand__model *model, const struct summand__model_row *row);
const struct summand__model_row *summand__model_row_named(const char *name);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowering: makes instructions from the final schedule once, so that a call looks nothing up.
 * Messages are complete except for addresses, which are set when buffers are bound. Each step
 * becomes one instruction. Idle ones are skipped: sends of a multicast except the first, and ends
 * of rounds that wait for nothing. */
#pragma once

#include "schedule/operator.h"
#include "schedule/schedule.h"
#include "transport/transport.h"

enum summand__instruction_kind {
    SUMMAND__OP_SEND,
    SUMMAND__OP_PACK, /* packs into the message, then sends it */
    SUMMAND__OP_RECV,
    SUMMAND__OP_RECV_PACKED,
    SUMMAND__OP_UNPACK, /* unpacks an earlier message; not a step */
    SUMMAND__OP_LOCAL,
    SUMMAND__OP_ONESIDED, /* step `count` of the schedule: exec/onesided.h */
    SUMMAND__OP_FLUSH,    /* completes puts of the round; not a step */
    SUMMAND__OP_WAIT,     /* for messages of the group */
    SUMMAND__OP_END       /* of the schedule; not a step */
};

/* Two cache lines. Up to three regions: the one sent, received or written; the other operand, or
 * the source of a local step; the result of a receive that combines. */
struct summand__instruction {
    uint8_t kind;   /* of enum summand__instruction_kind */
    uint8_t action; /* of the step, or SUMMAND__ACTIONS: not a step */
    uint8_t flags;  /* of the step */
    uint8_t place[3];
    bool awaited;     /* a receive whose wait is next, or after receives of its group */
    uint32_t leap;    /* to the instruction that runs next */
    size_t offset[3]; /* bytes from the start of the place */
    size_t count;     /* elements */
    void *here;       /* the first region */
    union {
        struct {
            struct summand__message message;
            struct summand__arrival arrival;
        };
        struct {
            void (*run)(const void *context, const void *from, void *to, size_t count);
            const void *from; /* the second region, or packed elements */
        };
    };
};

/* The target of lowering. */
struct summand__target {
    const struct summand__operator *operator;
    bool multicasts;     /* a multicast is one message */
    bool ends;           /* the last instruction completes the whole operation */
    unsigned groups;     /* groups that rounds take in turn: more than the schedule's lag */
    unsigned char *wire; /* slots for packed elements, used in turn; or NULL */
    size_t slot, slots;
};

struct summand__instructions {
    struct summand__instruction *of;
    size_t first, length; /* first: index of the first to run */
};

/* Messages, copies and reductions count in elements of the operator. An element of another place is
 * several of these: its unit is a multiple of the operator's extent. Steps that compute, put,
 * notify or wait for counters stay in the schedule, which the caller must then keep. False when out
 * of memory. */
bool summand__lower(const struct summand__schedule *schedule, const struct summand__target *target,
                    struct summand__instructions *instructions);
void summand__instructions_free(struct summand__instructions *instructions);

/* Sets the address of element 0 of each place. */
void summand__instructions_bind(struct summand__instructions *instructions,
                                unsigned char *const *place);

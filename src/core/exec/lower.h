/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowering: from the schedule that runs to instructions that are made once, so that a call looks
 * nothing up. Messages are complete but for the addresses of places, which are put in when buffers
 * are bound. Each step becomes one instruction; those that have nothing to do when they run (sends
 * of a multicast but the first, ends of rounds that wait for nothing) are leapt over. */
#ifndef SUMMAND_EXEC_LOWER_H
#define SUMMAND_EXEC_LOWER_H

#include "schedule/operator.h"
#include "schedule/schedule.h"
#include "transport/transport.h"

enum summand__instruction_kind {
    SUMMAND__OP_SEND,
    SUMMAND__OP_PACK, /* packs into the message, then sends it */
    SUMMAND__OP_RECV,
    SUMMAND__OP_RECV_PACKED,
    SUMMAND__OP_UNPACK, /* what a message before has brought; of no step */
    SUMMAND__OP_LOCAL,
    SUMMAND__OP_ONESIDED, /* step `count` of the schedule: exec/onesided.h */
    SUMMAND__OP_FLUSH,    /* of what the round has put; of no step */
    SUMMAND__OP_WAIT,     /* for the message's group */
    SUMMAND__OP_END       /* of the schedule; of no step */
};

/* Two cache lines. Of up to three regions: the one that is sent, received or written; the other
 * operand, or what a local step reads; the result of a receive that combines. */
struct summand__instruction {
    uint8_t kind;   /* of enum summand__instruction_kind */
    uint8_t action; /* of the step, or SUMMAND__ACTIONS: of none */
    uint8_t flags;  /* of the step */
    uint8_t place[3];
    bool awaited;     /* of a receive: its wait comes next, or behind receives of its group */
    uint32_t leap;    /* to the instruction that runs next */
    size_t offset[3]; /* bytes from the begin of the place */
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

/* What instructions are made for. */
struct summand__target {
    const struct summand__operator *operator;
    bool multicasts;     /* a multicast is one message */
    unsigned groups;     /* that rounds take in turn: more than the schedule's lag */
    unsigned char *wire; /* where elements are packed: slots of these bytes, in turn; or NULL */
    size_t slot, slots;
};

struct summand__instructions {
    struct summand__instruction *of;
    size_t first, length; /* first: the one that runs first */
};

/* Messages, copies and reductions count in elements of the operator; places with elements of their
 * own size have so many of them in each: their unit is a multiple of its extent.
 * False when out of memory. Steps that compute, put, notify or wait for counters stay steps of the
 * schedule, which is to be kept then. */
bool summand__lower(const struct summand__schedule *schedule, const struct summand__target *target,
                    struct summand__instructions *instructions);
void summand__instructions_free(struct summand__instructions *instructions);

/* Element 0 of each place from now on. */
void summand__instructions_bind(struct summand__instructions *instructions,
                                unsigned char *const *place);

#endif

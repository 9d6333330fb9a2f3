/* SPDX-License-Identifier: BSD-3-Clause */
/* How a failure on one rank reaches the others: in a flag before each operand, at no cost. A rank
 * that cannot take part sends its error flag in place of an operand, so no rank waits for it. */
#pragma once

#include <stdint.h>
#include <string.h>

enum summand__error_flag {
    SUMMAND__GOOD,
    SUMMAND__MISMATCH,     /* ranks disagree on the operation */
    SUMMAND__DISTRIBUTION, /* neighbouring ranges are not adjacent */
    SUMMAND__REMOTE /* from here on: a rank's own error, the worst, because it explains others */
};

/* The flag of a rank's own error: the lowest such rank has the worst one. SUMMAND__GOOD for
 * MPI_SUCCESS. */
uint32_t summand__error_flag_of(int rank, int code);

/* The first bytes of every operand, in memory and in messages. */
struct summand__head {
    uint32_t signature;  /* of the call: equal on all ranks */
    uint32_t error_flag; /* the worst so far */
};

static inline void summand__worsen(struct summand__head *head, uint32_t error_flag)
{
    if (error_flag > head->error_flag)
        head->error_flag = error_flag;
}

/* Reads a head from a message; another signature than the expected one is a mismatch. */
static inline struct summand__head summand__head_read(const void *bytes, uint32_t signature)
{
    struct summand__head head;
    memcpy(&head, bytes, sizeof head);
    if (head.signature != signature && !head.error_flag)
        head.error_flag = SUMMAND__MISMATCH;
    head.signature = signature;
    return head;
}

/* The MPI error code of an error flag. Another rank's error gets words. */
int summand__error_flag_code(uint32_t error_flag);

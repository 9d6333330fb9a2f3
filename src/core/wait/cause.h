/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an operation was aborted: a word that ranks hand on, with the lowest failed rank and its
 * error. 0: not known. Of two causes the larger one has the lower rank. */
#pragma once

#include <stdint.h>

struct summand__channel;

/* The last operations that a rank has aborted, in memory that others read. All zero at first. */
enum { SUMMAND__CAUSES = 15 };
struct summand__causes {
    struct {
        _Atomic uint64_t of, cause;
    } last[SUMMAND__CAUSES];
};

/* A rank's own error; 0 for MPI_SUCCESS. Error codes are local to a process: the word has our
 * condition, or the MPI's error class. */
uint64_t summand__cause(int rank, int code);
/* The rank's process has ended. */
uint64_t summand__cause_ended(int rank);

/* Words for SUMMAND_ERR_REMOTE: the rank, and its error. None if the cause is not known. Returns
 * that code. */
int summand__cause_explain(uint64_t cause);

/* A cause in 31 bits, in the same order; ranks from 2^23 - 1 on share a number. */
uint32_t summand__cause_short(uint64_t cause);
uint64_t summand__cause_long(uint32_t bits);
/* The same as numbers of which the least one is told (summand__ballot_least): 0 or less. */
static inline int summand__cause_number(int rank, int code)
{
    return -(int)summand__cause_short(summand__cause(rank, code));
}
static inline int summand__cause_told(int number)
{
    return summand__cause_explain(summand__cause_long((uint32_t)-number));
}

/* Keep and find the cause of the communicator's call of this number, or of the plan that it made;
 * the first one of an operation stays. */
void summand__causes_keep(struct summand__causes *causes, const struct summand__channel *channel,
                          uint64_t number, uint64_t cause);
uint64_t summand__causes_find(const struct summand__causes *causes,
                              const struct summand__channel *channel, uint64_t number);

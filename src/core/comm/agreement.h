/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of an agreement (plan/agree.h) while the MPI may write there. */
#ifndef SUMMAND_COMM_AGREEMENT_H
#define SUMMAND_COMM_AGREEMENT_H

#include <stdint.h>

/* Arguments, at the most; ranks, at the most, that can tell each other a pair of words; words of
 * each agreement: some of the call, two of each argument, and the pairs. */
enum {
    SUMMAND__AGREED = 16,
    SUMMAND__TELLING = 8,
    SUMMAND__AGREEMENT = 7 + 2 * SUMMAND__AGREED + 2 * SUMMAND__TELLING
};

struct summand__agreement {
    int64_t words[SUMMAND__AGREEMENT]; /* this rank's, then the largest of all ranks' */
    uint64_t calls;                    /* this rank's count of tags */
};

/* Also without memory, unless another thread needs it too: a rank without memory must join the
 * agreement all the same, as others are in it. NULL else. */
struct summand__agreement *summand__agreement_new(void);
void summand__agreement_free(struct summand__agreement *agreement);

#endif

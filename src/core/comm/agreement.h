/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of an agreement (plan/agree.h), which must live while the MPI may write to it. */
#pragma once

#include <stdint.h>

/* Most arguments; most ranks that can tell each other a pair of words; words of each agreement: of
 * the call, two of each argument, and the pairs. */
enum {
    SUMMAND__AGREED = 16,
    SUMMAND__TELLING = 8,
    SUMMAND__AGREEMENT = 7 + 2 * SUMMAND__AGREED + 2 * SUMMAND__TELLING
};

struct summand__agreement {
    int64_t words[SUMMAND__AGREEMENT]; /* this rank's, then the maxima over all ranks */
    uint64_t calls;                    /* this rank's count of tags */
};

/* Allocates an agreement. When out of memory, returns a static spare one, or NULL if another thread
 * has it: a rank without memory must still join the agreement, which others wait for. */
struct summand__agreement *summand__agreement_new(void);
void summand__agreement_free(struct summand__agreement *agreement);

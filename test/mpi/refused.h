/* SPDX-License-Identifier: BSD-3-Clause */
/* Refusals: the rank with the wrong argument gets the error, in words that name the argument, its
 * value and the rank. The other ranks get SUMMAND_ERR_REMOTE and that rank's number. */
#pragma once

#include <summand.h>

#include "mpi/harness.h"

/* NO_COMM: the call has no communicator. */
enum { ALL_RANKS = -1, NO_COMM = -2 };

/* The communicator has all ranks in their order. `rank`: the rank with the wrong argument, or
 * ALL_RANKS. */
static inline void check_refused(int got, int code, int rank, const char *words, const char *what)
{
    const int own = rank < 0 || rank == harness_rank;
    const char *text = summand_error_text(got);
    char of[48];
    if (rank == NO_COMM)
        snprintf(of, sizeof of, "(rank %d of ", harness_rank);
    else if (own)
        snprintf(of, sizeof of, "(rank %d of %d)", harness_rank, harness_ranks);
    else
        snprintf(of, sizeof of, "rank %d", rank);
    CHECK(got == (own ? code : summand_error_code(SUMMAND_ERR_REMOTE)), "%s: code %d: %s", what,
          got, text);
    CHECK(strstr(text, own ? words : "") && strstr(text, of), "%s: not \"%s\" and \"%s\" in: %s",
          what, own ? words : "", of, text);
}

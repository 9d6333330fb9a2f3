/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* SUMMAND_ERR_DAMAGED, with one line on stderr and the same words in the error's text: the rank,
 * its host, and what is damaged. */
int summand__refuse_damaged(int rank, int ranks, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

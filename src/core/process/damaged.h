/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

enum { SUMMAND__DAMAGE_WORDS = 256 };

/* What checks have seen in this process so far. */
struct summand__damage {
    uint64_t checked;                  /* chunks with check words */
    uint64_t damaged, repaired;        /* of them */
    char first[SUMMAND__DAMAGE_WORDS]; /* the first damage in words; or empty */
};

/* Counts chunks that have been compared with their check words. */
void summand__damage_checked(uint64_t chunks);

struct summand__damage summand__damage_so_far(void);

/* One line on stderr about damage: the rank, its host, and what is damaged. Counts the chunk. */
void summand__tell_damaged(int rank, int ranks, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What was told of is repaired. */
void summand__damage_repaired(void);

/* One more line about damage that has been told of. */
void summand__tell_more(int rank, int ranks, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* SUMMAND_ERR_DAMAGED, with one line on stderr and the same words in the error's text: the rank,
 * its host, and what is damaged. Counts a damaged chunk. */
int summand__refuse_damaged(int rank, int ranks, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/cause.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

#include "process/error.h"
#include "wait/channel.h"

/* The low bits: a condition of ours, or a class of the MPI; larger classes are told as
 * MPI_ERR_OTHER. Above 32 bits: the rank, counted downwards. */
enum { OURS = 128, ENDED = 127, WHATS = 256, LAST_RANK = (1 << 23) - 1 };

static uint64_t cause_of(int rank, int what)
{
    return (uint64_t)(INT_MAX - rank) << 32 | (uint64_t)what;
}

uint64_t summand__cause(int rank, int code)
{
    const enum summand_error error = summand_error_of(code);
    int class = MPI_ERR_OTHER;
    if (code == MPI_SUCCESS)
        return 0;
    if (error != SUMMAND_ERR_NONE)
        return cause_of(rank, OURS | (int)error);
    if (PMPI_Error_class(code, &class) != MPI_SUCCESS || class <= 0 || class >= OURS)
        class = MPI_ERR_OTHER;
    return cause_of(rank, class);
}

uint64_t summand__cause_ended(int rank)
{
    return cause_of(rank, OURS | ENDED);
}

int summand__cause_explain(uint64_t cause)
{
    char words[MPI_MAX_ERROR_STRING] = ""; /* MPIs differ: 100 to 512 characters */
    const int rank = INT_MAX - (int)(cause >> 32), what = (int)(cause % WHATS);
    int length;
    if (!cause)
        return summand_error_code(SUMMAND_ERR_REMOTE);
    if (what == (OURS | ENDED))
        snprintf(words, sizeof words, "its process has ended");
    else if (what & OURS)
        snprintf(words, sizeof words, "%s", summand__error_text((enum summand_error)(what - OURS)));
    else
        PMPI_Error_string(what, words, &length);
    summand__error_explain(SUMMAND_ERR_REMOTE, "rank %d: %.160s", rank, words);
    return summand_error_code(SUMMAND_ERR_REMOTE);
}

uint32_t summand__cause_short(uint64_t cause)
{
    const int rank = INT_MAX - (int)(cause >> 32);
    return cause ? (uint32_t)(LAST_RANK - (rank < LAST_RANK ? rank : LAST_RANK)) * WHATS |
                       (uint32_t)(cause % WHATS)
                 : 0;
}

uint64_t summand__cause_long(uint32_t bits)
{
    return bits ? cause_of(LAST_RANK - (int)(bits / WHATS), (int)(bits % WHATS)) : 0;
}

/* Differs between communicators, too: their memory is used again. Steps of a call have one cause.
 */
static uint64_t key_of(const struct summand__channel *channel, uint64_t number)
{
    return channel->id << 32 ^ (summand__public_call(number) + 1);
}

void summand__causes_keep(struct summand__causes *causes, const struct summand__channel *channel,
                          uint64_t number, uint64_t cause)
{
    const uint64_t key = key_of(channel, number);
    const int place = (int)(summand__public_call(number) % SUMMAND__CAUSES);
    if (!cause || summand__causes_find(causes, channel, number))
        return;
    atomic_store(&causes->last[place].of, 0);
    atomic_store(&causes->last[place].cause, cause);
    atomic_store(&causes->last[place].of, key);
}

uint64_t summand__causes_find(const struct summand__causes *causes,
                              const struct summand__channel *channel, uint64_t number)
{
    const uint64_t key = key_of(channel, number);
    const int place = (int)(summand__public_call(number) % SUMMAND__CAUSES);
    if (atomic_load(&causes->last[place].of) != key)
        return 0;
    const uint64_t cause = atomic_load(&causes->last[place].cause);
    return atomic_load(&causes->last[place].of) == key ? cause : 0;
}

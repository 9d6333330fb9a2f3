/* SPDX-License-Identifier: BSD-3-Clause */
/* The OR of words of all ranks. */
#pragma once

#include "comm/state.h"

/* Collective: `bytes` of whole words become the OR of all ranks' words; a rank sends zeros for
 * those that it lacks. Uses the library's own messages with this tag, equal on all ranks: a rank
 * that does not join is waited for, or aborts, as in any operation. Returns an MPI error code,
 * perhaps on some ranks only; `words` are then undefined. `words` NULL: this rank is out of memory.
 *
 * Cost: ceil(log2 p) messages of all the words. The plan is cached for the same size. */
int summand__join(struct summand__state *state, int tag, void *words, size_t bytes);

/* The same, for words that all ranks must have in the same number and `form`; else
 * SUMMAND_ERR_MISMATCH on all ranks, without a text. More than SUMMAND__JOIN_LONG bytes cost one
 * exchange more, of sizes and forms, because another rank may have no room for a longer message. */
enum { SUMMAND__JOIN_LONG = 60000 };
int summand__join_alike(struct summand__state *state, int tag, uint64_t form, void *words,
                        size_t bytes);

/* SPDX-License-Identifier: BSD-3-Clause */
/* What all ranks know together: words of each, joined by OR. */
#ifndef SUMMAND_PLAN_JOIN_H
#define SUMMAND_PLAN_JOIN_H

#include "comm/state.h"

/* Collective: `bytes` of whole words, of each rank those that it has and else zeros, become the OR
 * of all ranks'. By messages of the library's own with this tag, which all ranks have alike: a rank
 * that does not come is waited for like one in an operation, and aborts like there. An MPI error
 * code, perhaps on some ranks alone; what they have then is undefined. `words` NULL: this rank has
 * no memory for them.
 *
 * Cost: ceil(log2 p) messages of all the words. The plan is kept for later ones of as many. */
int summand__join(struct summand__state *state, int tag, void *words, size_t bytes);

/* The same, of words that mean something only where all ranks have as many, and the same `form`:
 * else SUMMAND_ERR_MISMATCH on all ranks, with no text yet. Words of more than SUMMAND__JOIN_LONG
 * bytes cost an exchange of their form more, as messages that are longer than others' may not fit
 * there. */
enum { SUMMAND__JOIN_LONG = 60000 };
int summand__join_alike(struct summand__state *state, int tag, uint64_t form, void *words,
                        size_t bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rank tells others that it has given an operation up, where they do not all share memory: by
 * a message with a tag of its own to each of them. Nobody waits for it. A rank
 * that has waited for a while without progress looks for such messages; a rank that fails receives
 * those of the others, too. The rest lies in the MPI until it ends (fabric/closing.h). It
 * cannot be taken for something else: it says which communicator and which call it means, by
 * numbers that never come back. */
#ifndef SUMMAND_WAIT_NOTICE_H
#define SUMMAND_WAIT_NOTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__channel;

/* Operations that others have aborted and that this rank may still come to; the communicator's. */
struct summand__notices {
    uint64_t few[4];   /* four times the number, plus what it is (notice.c) */
    uint64_t *numbers; /* `few`, or memory for more */
    size_t count, room;
};

/* Tells all others that this rank has aborted call `number`, or, with `plan`, the plan that was
 * made in that call; nothing where all share memory. With `rest`: and what follows in the call, to
 * which it does not come. Local. */
void summand__notices_send(struct summand__channel *channel, uint64_t number, bool plan, bool rest);

/* Whether another rank has told so of the call or plan. Local. */
bool summand__notices_received(struct summand__channel *channel, uint64_t number);

void summand__notices_free(struct summand__notices *notices);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of the MPI that are under way, by group of messages, and how those of an operation that
 * failed end. */
#ifndef SUMMAND_TRANSPORT_P2P_REQUESTS_H
#define SUMMAND_TRANSPORT_P2P_REQUESTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"

struct summand__request {
    MPI_Request mpi;
    int rank;      /* that the message comes from; -1 - rank: goes to */
    unsigned turn; /* requests of the link so far */
};

/* Messages that are waited for together. */
struct summand__requests {
    struct summand__request *requests;
    int posted, through; /* so many of the first are complete */
    size_t room;
};

/* Cancels the requests of all SUMMAND__LINK_GROUPS groups, of a link with so many turns so far. */
void summand__requests_cancel(const struct summand__requests *groups, unsigned turns);

/* Waits for those that are cancelled, but not for ever. False if some have not ended. */
bool summand__requests_end(struct summand__requests *group);

#endif

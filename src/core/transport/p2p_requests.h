/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI requests in flight, by group of messages, and how those of a failed operation end. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"

struct summand__request {
    MPI_Request mpi;
    int rank;      /* source of the message; -1 - rank: its destination */
    unsigned turn; /* the link's number of requests before this one */
};

/* Requests of messages that are waited for together. */
struct summand__requests {
    struct summand__request *requests;
    int posted, through; /* the first `through` are complete */
    size_t room;
};

/* Cancels all requests of SUMMAND__LINK_GROUPS groups; `turns`: the link's requests so far. */
void summand__requests_cancel(const struct summand__requests *groups, unsigned turns);

/* Waits for a limited time until cancelled requests end. False if some have not ended. */
bool summand__requests_end(struct summand__requests *group);

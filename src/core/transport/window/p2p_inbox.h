/* SPDX-License-Identifier: BSD-3-Clause */
/* What a window of messages receives. A put is a message that says where its data go; short data go
 * with it, long ones follow in messages of their own. */
#ifndef SUMMAND_TRANSPORT_WINDOW_P2P_INBOX_H
#define SUMMAND_TRANSPORT_WINDOW_P2P_INBOX_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { SUMMAND__P2P_SHORT = 4096 /* bytes */, SUMMAND__P2P_PIECE = 1 << 30 };

/* Puts that arrive at a time. */
enum { SUMMAND__P2P_ARRIVALS = 8 };

/* What is sent. */
struct summand__p2p_head {
    uint64_t window[2];
    uint64_t place, bytes, more;
    int32_t counter;
};

struct summand__p2p_message {
    struct summand__p2p_head head;
    unsigned char data[SUMMAND__P2P_SHORT];
};

struct summand__p2p_arrival;

struct summand__p2p_inbox {
    MPI_Comm comm;  /* of the fabric */
    int tag;        /* as the MPI has it */
    uint64_t id[2]; /* of the communicator; of its windows */
    unsigned char *memory;
    uint64_t *counter;
    struct summand__p2p_arrival *arrival;                      /* room for all */
    struct summand__p2p_arrival *order[SUMMAND__P2P_ARRIVALS]; /* by their heads; then free ones */
    int arrivals;
};

/* False when out of memory. What is NULL is nothing to free. */
bool summand__p2p_inbox_make(struct summand__p2p_inbox *inbox);
void summand__p2p_inbox_free(struct summand__p2p_inbox *inbox);

/* Receives what there is. Data of several puts may come at a time; counts of one producer grow in
 * the order of its puts, when their data are there, and what two of its puts write to one place is
 * written in that order. */
int summand__p2p_inbox_move(struct summand__p2p_inbox *inbox);

/* Gives the MPI the messages that are on their way; `over`: there is no MPI any more. Returns
 * whether there were none: else their memory must stay. */
bool summand__p2p_inbox_close(struct summand__p2p_inbox *inbox, bool over);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The receiving side of a window over messages. A put is a message that names the place of its
 * data. Short data travel with it, long ones in later messages. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { SUMMAND__P2P_SHORT = 4096 /* bytes */, SUMMAND__P2P_PIECE = 1 << 30 };

/* Puts that can arrive at a time. */
enum { SUMMAND__P2P_ARRIVALS = 8 };

/* The message of a put. */
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
    MPI_Comm comm;  /* the fabric's */
    int tag;        /* the MPI's tag */
    uint64_t id[2]; /* the communicator's id; the window's number */
    unsigned char *memory;
    uint64_t *counter;
    struct summand__p2p_arrival *arrival;                      /* SUMMAND__P2P_ARRIVALS of them */
    struct summand__p2p_arrival *order[SUMMAND__P2P_ARRIVALS]; /* by arrival of heads; then free
                                                                  ones */
    int arrivals;
};

/* False when out of memory. `free` accepts NULL members. */
bool summand__p2p_inbox_make(struct summand__p2p_inbox *inbox);
void summand__p2p_inbox_free(struct summand__p2p_inbox *inbox);

/* Receives what has arrived. Data of several puts may arrive at a time. A producer's counts grow in
 * the order of its puts, once their data are there. Two of its puts to one place are written in
 * that order. */
int summand__p2p_inbox_move(struct summand__p2p_inbox *inbox);

/* Leaves messages in transit to the MPI; `over`: MPI is finalized. True if there were none: else
 * their memory must stay. */
bool summand__p2p_inbox_close(struct summand__p2p_inbox *inbox, bool over);

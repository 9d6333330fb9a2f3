/* SPDX-License-Identifier: BSD-3-Clause */
/* A fabric: what carries the messages of communicators. It joins some ranks by a private
 * communicator and by memory that those of a node share. Any communicator of these ranks, or of
 * some of them in any order, takes a context of the fabric, which keeps its messages apart from
 * those of all others: so its first use costs one collective and neither a duplicate nor a split.
 */
#ifndef SUMMAND_FABRIC_FABRIC_H
#define SUMMAND_FABRIC_FABRIC_H

#include <mpi.h>

#include "fabric/calibrated.h"
#include "fabric/network.h"
#include "fabric/nodes.h"
#include "fabric/segment.h"
#include "fabric/settings.h"
#include "fabric/tuning_text.h"

enum {
    SUMMAND__MOST_CONTEXTS = 512, /* of a fabric */
    SUMMAND__CONTEXT_WORDS = SUMMAND__MOST_CONTEXTS / 64,
    SUMMAND__TAGS_PER_CONTEXT = SUMMAND__NOTICE_TAG + 1
};

/* Contexts of a fabric, one bit each. In none of the sets: a call failed there, so messages may
 * still come, and nobody takes it again. */
struct summand__context_sets {
    uint64_t free[SUMMAND__CONTEXT_WORDS];
    uint64_t
        used[SUMMAND__CONTEXT_WORDS]; /* a communicator has it, or this rank offers it to one */
    uint64_t left[SUMMAND__CONTEXT_WORDS]; /* given up; messages may be on their way */
};

/* MPI ends, and with it the fabric (closing.c). */
struct summand__ending {
    bool now;    /* no message has a receiver any more */
    bool awaits; /* that all ranks have littered nothing, or have said goodbye */
    MPI_Request request;
    bool abandoned; /* the time was over before the others answered: the communicator stays */
    int littered;   /* on any rank */
};

struct summand__fabric {
    MPI_Comm comm;   /* private; errors return */
    MPI_Group group; /* its ranks in their order */
    uint64_t id[2];  /* alike on all ranks, and on no other fabric; newer ones have higher ids */
    int rank, ranks;
    struct summand__settings settings;
    struct summand__calibration calibration; /* rank 0's */
    struct summand__network network;         /* rank 0's */
    struct summand__tuning_text tuning;      /* for whoever chooses algorithms */
    void *tuned;                             /* what that one makes of it, and how it goes */
    void (*drop_tuned)(void *tuned);
    struct summand__node_map map;
    struct summand__nodes nodes;
    struct summand__groupings *groupings; /* of `nodes`, to be freed */
    bool shares;                          /* some node has two ranks, and all such share memory */
    struct summand__pool pool;
    pid_t *processes; /* as in summand__segment */
    size_t read_from, read_end;
    bool reads_refused; /* SUMMAND_DIRECT_READ asks for it, and the kernel does not allow it */
    int contexts;
    struct summand__ends *ends; /* by context */
    struct summand__context_sets sets;
    int goodbyes; /* ranks that use the communicator no more (closing.h) */
    bool said;    /* this rank is one of them */
    struct summand__ending ending;
    bool littered; /* messages may be left: its communicator must not be another one's next */
    bool stays;    /* until MPI ends: alike on all ranks */
    int users;     /* communicators, and MPI where it stays */
    struct summand__fabric *next, **link;
};

/* A communicator's part of a fabric: its context there. */
struct summand__context {
    struct summand__fabric *fabric;
    int number;
    uint64_t
        id; /* of this use of the context: alike on the communicator's ranks, and of no other */
    struct summand__members members; /* ranks of the fabric; `member` is to be freed */
    struct summand__nodes nodes;
    struct summand__groupings *groupings; /* of `nodes`, to be freed; NULL: there are none, or they
                                             are the fabric's */
    bool shares; /* some node has two of the communicator's ranks, and these share memory */
    int *local;  /* as in summand__segment; NULL: the fabric's */
};

/* Collective over `comm`: a context for it, in a fabric that all its ranks know or in a new one,
 * where all come with MPI_SUCCESS. An MPI error code, on all ranks; `code` on one that came with
 * it. SUMMAND_ERR_COMMUNICATORS on all of them where the MPI has none left for a new fabric. */
int summand__context_take(MPI_Comm comm, int code, struct summand__context *context);

/* Local: gives the context up. A `clean` one may be another communicator's next; one where
 * something went wrong may not, as what is left of that may still come. */
void summand__context_leave(struct summand__context *context, bool clean);

/* Local, when MPI ends: no fabric has a communicator any more. */
void summand__fabrics_end(void);

/* Parts of the above: list.h has the fabrics of this process, fabric_make.c and fabric_node.c make
 * one, closing.h is its end. */

/* Collective over `comm`, all of whose ranks come with settings that can be used: a fabric with the
 * settings of rank 0, on all ranks or none. `stays`: whether this rank would let it. `newest`: the
 * highest first word of an id that this rank knows; the new one's is higher than rank 0's. An MPI
 * error code. */
int summand__fabric_make(MPI_Comm comm, bool stays, uint64_t newest, struct summand__fabric **made);

#endif

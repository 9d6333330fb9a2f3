/* SPDX-License-Identifier: BSD-3-Clause */
/* A fabric carries the messages of communicators. It joins some ranks by a private communicator and
 * by shared memory within nodes. Any communicator of these ranks, or of some of them in any order,
 * takes a context of the fabric, which separates its messages from all others. So its first use
 * costs one collective and neither a duplicate nor a split. */
#pragma once

#include <mpi.h>

#include "fabric/calibrated.h"
#include "fabric/nodes.h"
#include "fabric/segment.h"
#include "fabric/settings.h"
#include "learn/network.h"
#include "learn/tuning_text.h"

enum {
    SUMMAND__MOST_CONTEXTS = 512, /* of a fabric */
    SUMMAND__CONTEXT_WORDS = SUMMAND__MOST_CONTEXTS / 64,
    SUMMAND__TAGS_PER_CONTEXT = SUMMAND__NOTICE_TAG + 1
};

/* Contexts of a fabric, one bit each. A context in no set is never taken again: a call failed
 * there, so messages may still arrive. */
struct summand__context_sets {
    uint64_t free[SUMMAND__CONTEXT_WORDS];
    uint64_t used[SUMMAND__CONTEXT_WORDS]; /* a communicator has it, or this rank offers it */
    uint64_t left[SUMMAND__CONTEXT_WORDS]; /* released; messages may be in transit */
};

/* MPI, and with it the fabric, ends (closing.c). */
struct summand__ending {
    bool now;    /* no message has a receiver any more */
    bool awaits; /* for all ranks to be free of litter, or to say goodbye */
    MPI_Request request;
    bool abandoned; /* the others did not answer in time: the communicator stays */
    int word;       /* of all ranks: closing.c */
};

/* Rank 0's message to the ranks of a new fabric. No padding. */
struct summand__fabric_head {
    uint64_t told; /* 1: it has been sent */
    struct summand__settings settings;
    struct summand__network network;
    uint64_t id[2];
};

struct summand__fabric {
    MPI_Comm comm;   /* private; errors return */
    MPI_Group group; /* its ranks in their order */
    uint64_t id[2];  /* equal on all ranks, unique to the fabric; newer ones have higher ids */
    int rank, ranks;
    struct summand__settings settings;
    struct summand__calibration calibration; /* rank 0's */
    struct summand__network network;         /* rank 0's */
    struct summand__tuning_text tuning;      /* for choosing algorithms */
    void *tuned;                             /* the parsed text, and its destructor */
    void (*drop_tuned)(void *tuned);
    struct summand__node_map map;
    struct summand__nodes nodes;
    struct summand__groupings *groupings; /* of `nodes`, to be freed */
    bool shares;                          /* a node has two ranks; all such nodes share memory */
    struct summand__pool pool;
    pid_t *processes; /* as in summand__segment */
    size_t read_from;
    bool reads_refused; /* SUMMAND_DIRECT_READ asks for reads, and the kernel refuses them */
    int contexts;
    struct summand__ends *ends; /* by context */
    struct summand__context_sets sets;
    int goodbyes; /* ranks that have stopped using the communicator (closing.h) */
    int clears;   /* of these, ranks that have taken all that was left there */
    bool said;    /* this rank has said goodbye */
    bool remains; /* a call failed on some rank: messages may be left */
    bool cleared; /* this rank has taken its own, and told so */
    struct summand__ending ending;
    bool littered; /* messages may remain: the MPI must not reuse its communicator's context */
    bool stays;    /* until MPI ends: equal on all ranks */
    int users;     /* communicators, and MPI if the fabric stays */
    struct summand__fabric *next, **link;
};

/* A communicator's part of a fabric: its context there. */
struct summand__context {
    struct summand__fabric *fabric;
    int number;
    uint64_t id; /* of this use of the context: equal on the communicator's ranks, and unique */
    struct summand__members members; /* ranks of the fabric; `member` is to be freed */
    struct summand__nodes nodes;
    struct summand__groupings *groupings; /* of `nodes`, to be freed; NULL: none, or the fabric's */
    bool shares; /* a node has two of the communicator's ranks, and these share memory */
    int *local;  /* as in summand__segment; NULL: the fabric's */
};

/* Collective over `comm`: takes a context for it, in a fabric that all its ranks know or in a new
 * one, if all ranks pass MPI_SUCCESS. Returns an MPI error code, on all ranks: its own on a rank
 * that passed one. SUMMAND_ERR_COMMUNICATORS if the MPI has no communicator left for a new
 * fabric. */
int summand__context_take(MPI_Comm comm, int code, struct summand__context *context);

/* Local: releases the context. Another communicator may take a `clean` one next. After an error it
 * must not be clean: old messages may still arrive. */
void summand__context_leave(struct summand__context *context, bool clean);

/* Local, when MPI ends: frees the communicators of all fabrics. */
void summand__fabrics_end(void);

/* Parts of the above. list.h has the fabrics of this process; fabric_make.c and fabric_node.c make
 * one; closing.h ends it. */

/* Collective over `comm`, whose ranks all have valid settings: makes a fabric with rank 0's
 * settings, on all ranks or none. `stays`: this rank has room for one that stays. `newest`: the
 * highest first word of an id that this rank knows; the new id is higher than rank 0's. `head`:
 * rank 0's, equal on all ranks; if it is not told, rank 0 tells it now. Returns an MPI error
 * code. */
int summand__fabric_make(MPI_Comm comm, bool stays, uint64_t newest,
                         struct summand__fabric_head *head, struct summand__fabric **made);

/* Local, on rank 0: fills a head that is zero. */
void summand__fabric_head_make(const struct summand__settings *settings, uint64_t newest,
                               struct summand__fabric_head *head);

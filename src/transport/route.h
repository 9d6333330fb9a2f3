/* Which transport carries an operation's messages: shared memory where all ranks share it, the MPI
 * where none do, both where nodes have several ranks. */
#ifndef SUMMAND_TRANSPORT_ROUTE_H
#define SUMMAND_TRANSPORT_ROUTE_H

#include "comm/state.h"
#include "comm/wait/watch.h"
#include "transport/mixed.h"

struct summand__far {
    struct summand__p2p p2p;
    struct summand__mixed mixed;
};

struct summand__route {
    struct summand__link *link; /* what the executor sees: one of the following */
    struct summand__shm shm;
    struct summand__far *far; /* to other nodes; NULL: all ranks are near */
    bool near;                /* shm is open */
};

/* The same on all ranks of the communicator. `rank_of` stays the caller's; `most` is the largest
 * number of messages in flight. False when out of memory; to be closed all the same. */
bool summand__route_open(struct summand__route *route, const struct summand__state *state,
                         MPI_Datatype datatype, int tag, const int *rank_of, size_t most);
/* Elements of another datatype, and another tag, from the next message on. */
void summand__route_carry(struct summand__route *route, MPI_Datatype datatype);
void summand__route_tag(struct summand__route *route, int tag);
int summand__route_tag_of(const struct summand__route *route);
/* What is looked at while an operation's messages are waited for; stays the caller's. */
void summand__route_watch(struct summand__route *route, struct summand__watch *watch);
/* This rank will take no more part in the operation with this tag, nor has it perhaps taken any:
 * the call that is under way, or, for `_plan`, the plan that call `number` made. Ranks that wait
 * for it learn of it and abort as well (SUMMAND_ERR_REMOTE): those of the node at once, others by
 * a notice (comm/wait/notice.h), unless they have `heard` of it. Its messages that are still to
 * come are dropped. */
void summand__route_abort(struct summand__state *state, int tag);
void summand__route_abort_plan(struct summand__state *state, int tag, uint64_t number, bool heard);
/* False: see summand__p2p_close. */
bool summand__route_close(struct summand__route *route);

#endif

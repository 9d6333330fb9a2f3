/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/closing.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "fabric/list.h"
#include "process/world_root.h"
#include "wait/stale.h"
#include "wait/wait.h"

static struct summand__fabric *closing; /* linked by `next`; guarded by the lock of the fabrics */
static atomic_bool any;                 /* read without the lock by each first use */

/* True if no communicator uses this context. Messages for it would hide all others. */
static bool is_idle(const struct summand__fabric *fabric, int number)
{
    return fabric->ending.now || !fabric->users || number >= fabric->contexts ||
           !(fabric->sets.used[number / 64] >> number % 64 & 1);
}

/* What a goodbye says; the last one comes second, if another one is LITTERED. */
enum { CLEAN, LITTERED, CLEARED };
static const char words[] = {CLEAN, LITTERED, CLEARED};

/* Receives a goodbye that has arrived. */
static bool take_goodbye(struct summand__fabric *fabric, int from)
{
    char word;
    if (PMPI_Recv(&word, 1, MPI_BYTE, from, SUMMAND__GOODBYE_TAG, fabric->comm,
                  MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return false;
    fabric->goodbyes += word != CLEARED;
    fabric->clears += word == CLEARED;
    fabric->remains |= word == LITTERED;
    return true;
}

bool summand__fabric_drain(struct summand__fabric *fabric)
{
    MPI_Status status;
    int there = 0;
    while (PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, fabric->comm, &there, &status) == MPI_SUCCESS &&
           there) {
        bool taken = status.MPI_TAG == SUMMAND__GOODBYE_TAG
                         ? take_goodbye(fabric, status.MPI_SOURCE)
                         : is_idle(fabric, status.MPI_TAG / SUMMAND__TAGS_PER_CONTEXT) &&
                               summand__stale_take(fabric->comm, status.MPI_SOURCE, status.MPI_TAG);
        if (!taken)
            return false;
    }
    return true;
}

static bool say(const struct summand__fabric *fabric, int word)
{
    MPI_Request request;
    bool said = true;
    for (int k = 1; k < fabric->ranks && said; k++) {
        int other = (fabric->rank + k) % fabric->ranks;
        said = PMPI_Isend(&words[word], 1, MPI_BYTE, other, SUMMAND__GOODBYE_TAG, fabric->comm,
                          &request) == MPI_SUCCESS;
        if (said)
            PMPI_Request_free(&request);
    }
    return said;
}

static bool say_goodbye(struct summand__fabric *fabric)
{
    fabric->said = true;
    fabric->remains |= fabric->littered;
    return say(fabric, fabric->littered ? LITTERED : CLEAN);
}

/* True once no rank needs this one any more. The MPI may answer messages of failed calls when they
 * are taken, and a rank that has gone on to MPI_Finalize may take no answers: with UCX, dozens of
 * them fill its queue, and the rank that answers waits for ever. So all ranks first say that they
 * have taken theirs, and these words come behind the answers. */
static bool is_over(struct summand__fabric *fabric)
{
    if (!fabric->said || fabric->goodbyes < fabric->ranks - 1)
        return false;
    if (!fabric->remains)
        return true;
    if (!fabric->cleared) {
        fabric->cleared = true;
        say(fabric, CLEARED);
    }
    return fabric->clears >= fabric->ranks - 1;
}

/* Removes and returns a fabric to which all ranks have said goodbye, or NULL. */
static struct summand__fabric *next_over(void)
{
    struct summand__fabric *over = NULL;
    summand__fabrics_lock();
    for (struct summand__fabric **link = &closing; *link && !over; link = &(*link)->next) {
        summand__fabric_drain(*link);
        if (!is_over(*link))
            continue;
        over = *link;
        *link = over->next;
        break;
    }
    atomic_store(&any, closing != NULL);
    summand__fabrics_unlock();
    return over;
}

void summand__closing_go_on(void)
{
    struct summand__fabric *over;
    while (atomic_load(&any) && (over = next_over())) {
        PMPI_Comm_free(&over->comm);
        free(over);
    }
}

/* Starts the end. A fabric that could not say goodbye is never freed, as the others wait for it. A
 * littered one says it when MPI ends: until then the MPI holds remains of its failed calls. */
static void begin(struct summand__fabric *fabric)
{
    if (!fabric->littered && !say_goodbye(fabric)) {
        free(fabric);
        return;
    }
    summand__fabrics_lock();
    fabric->next = closing;
    closing = fabric;
    atomic_store(&any, true);
    summand__fabrics_unlock();
    summand__closing_go_on();
}

void summand__fabric_drop(struct summand__fabric *fabric)
{
    for (int c = 0; fabric->ends && c < fabric->contexts; c++)
        if (fabric->ends[c].user)
            fabric->ends[c].drop(fabric->ends[c].user);
    if (fabric->group != MPI_GROUP_NULL)
        PMPI_Group_free(&fabric->group);
    if (fabric->pool.memory)
        munmap(fabric->pool.memory, fabric->pool.bytes);
    if (fabric->tuned)
        fabric->drop_tuned(fabric->tuned);
    summand__tuning_text_free(&fabric->tuning);
    summand__node_map_free(&fabric->map);
    free(fabric->groupings);
    free(fabric->processes);
    free(fabric->ends);
    if (fabric->comm != MPI_COMM_NULL)
        begin(fabric);
    else
        free(fabric);
}

void summand__fabric_release(struct summand__fabric *fabric)
{
    summand__fabrics_lock();
    bool last = --fabric->users == 0;
    if (last && fabric->link)
        summand__fabric_delist(fabric);
    summand__fabrics_unlock();
    if (last)
        summand__fabric_drop(fabric);
}

/* True if all of its ranks join the same MPI_Finalize: those of another world may not. */
static bool is_of_this_world(const struct summand__fabric *fabric)
{
    int size = 0;
    MPI_Group own, both;
    if (PMPI_Comm_group(fabric->comm, &own) != MPI_SUCCESS)
        return false;
    if (summand__world_part(own, &both) == MPI_SUCCESS) {
        PMPI_Group_size(both, &size);
        PMPI_Group_free(&both);
    }
    PMPI_Group_free(&own);
    return size == fabric->ranks;
}

/* Bits of the word that ranks combine when MPI ends. */
enum { FAILED = 1, MEASURES = 2 };

/* Fabrics that stay do so on all ranks: these first agree if a call failed on any rank. */
static void begin_ending(struct summand__fabric *fabric, bool listed)
{
    struct summand__ending *ending = &fabric->ending;
    *ending = (struct summand__ending){.request = MPI_REQUEST_NULL};
    if (fabric->ranks == 1 || !is_of_this_world(fabric))
        return;
    ending->now = true;
    ending->word = FAILED * fabric->littered;
    if (listed && fabric->stays && summand__calibrated_ends(fabric))
        ending->word |= MEASURES;
    if (listed && fabric->stays)
        ending->awaits = PMPI_Iallreduce(MPI_IN_PLACE, &ending->word, 1, MPI_INT, MPI_BOR,
                                         fabric->comm, &ending->request) == MPI_SUCCESS;
    else
        ending->awaits = fabric->said || say_goodbye(fabric);
}

/* False: there is more to wait for. */
static bool go_on_ending(struct summand__fabric *fabric)
{
    struct summand__ending *ending = &fabric->ending;
    int done = 1;
    if (!ending->awaits)
        return true;
    if (ending->request != MPI_REQUEST_NULL) {
        ending->awaits = PMPI_Test(&ending->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        if (done && ending->awaits)
            ending->awaits = ending->word & FAILED && say_goodbye(fabric);
    } else {
        summand__fabric_drain(fabric);
        ending->awaits = !is_over(fabric);
    }
    return !ending->awaits;
}

static bool all_ended(void *context, int *code)
{
    bool over = true;
    (void)context, (void)code;
    summand__fabrics_lock();
    for (struct summand__fabric *f = summand__fabrics_first(); f; f = f->next)
        over = go_on_ending(f) && over;
    for (struct summand__fabric *f = closing; f; f = f->next)
        over = go_on_ending(f) && over;
    summand__fabrics_unlock();
    return over;
}

/* This rank waits no longer: the others need not wait for its words. */
static void leave(struct summand__fabric *fabric)
{
    if (!fabric->ending.awaits)
        return;
    if (!fabric->said)
        say_goodbye(fabric);
    if (!fabric->cleared)
        say(fabric, CLEARED);
    fabric->cleared = true;
}

/* The MPI may still write to fabrics that were asked, and send on their communicators. */
static void leave_all(void)
{
    summand__fabrics_lock();
    for (struct summand__fabric *f = summand__fabrics_first(); f; f = f->next) {
        leave(f);
        if (f->ending.request != MPI_REQUEST_NULL) {
            f->ending.abandoned = true;
            f->users++;
        }
    }
    for (struct summand__fabric *f = closing; f; f = f->next)
        leave(f);
    summand__fabrics_unlock();
}

/* Waits for the other ranks as MPI_Finalize does, which all ranks must call; SUMMAND_TIMEOUT ends
 * the wait. */
static void await_ends(void)
{
    struct summand__watch watch = {.rank = summand__world_rank(),
                                   .ranks = summand__world_ranks(),
                                   .where = "MPI_Finalize, for ranks that have not come to it, or "
                                            "whose first call on a communicator failed"};
    struct summand__wait wait = {.backoff = {.oversubscribed = true, .awake = true},
                                 .watch = &watch};
    if (summand__wait_until(&wait, all_ended, NULL) != MPI_SUCCESS)
        leave_all();
}

/* SimGrid's MPI cannot drop messages without a receive. */
#ifdef SMPI_H
enum { TAKES = 0 };
#else
enum { TAKES = 1 };
#endif

void summand__closing_end(void)
{
    for (struct summand__fabric *f = summand__fabrics_first(); TAKES && f; f = f->next)
        begin_ending(f, true);
    for (struct summand__fabric *f = closing; TAKES && f; f = f->next)
        begin_ending(f, false);
    await_ends();
    for (struct summand__fabric *f = summand__fabrics_first(); f; f = f->next)
        if (f->ending.now && f->ending.word & MEASURES && !f->ending.abandoned)
            summand__calibrated_keep(f);
    for (struct summand__fabric *next; closing; closing = next) {
        next = closing->next;
        PMPI_Comm_free(&closing->comm);
        free(closing);
    }
    atomic_store(&any, false);
}

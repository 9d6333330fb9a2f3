/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/notice.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "wait/channel.h"

enum { COMMUNICATOR, NUMBER, WHAT, CAUSE, WORDS };

/* Kind of a notice: a sum. */
enum { OF_PLAN = 1, AND_REST = 2, WHATS = 4 };

/* Words stay here until they are sent. In every MPI that we know, messages as short as these leave
 * at once. If 64 more overtake one, it says what a later one says. */
enum { UNDER_WAY = 64 };

static uint64_t (*place(void))[WORDS]
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t words[UNDER_WAY][WORDS];
    static unsigned next;
    pthread_mutex_lock(&lock);
    uint64_t(*own)[WORDS] = &words[next++ % UNDER_WAY];
    pthread_mutex_unlock(&lock);
    return own;
}

static bool by_messages(const struct summand__channel *channel)
{
    return channel->ranks > 1 && !channel->whole;
}

static bool covers(uint64_t entry, uint64_t number)
{
    uint64_t first = entry / WHATS;
    return first == number || ((entry & AND_REST) && first < number &&
                               summand__public_call(first) == summand__public_call(number));
}

static bool is_known(const struct summand__notices *notices, uint64_t number)
{
    for (size_t i = 0; i < notices->count; i++)
        if (covers(notices->notice[i].number, number))
            return true;
    return false;
}

uint64_t summand__notices_cause(const struct summand__channel *channel, uint64_t number)
{
    const struct summand__notices *notices = &channel->notices;
    uint64_t cause = 0;
    for (size_t i = 0; i < notices->count && !cause; i++)
        cause = covers(notices->notice[i].number, number) ? notices->notice[i].cause : 0;
    return cause;
}

/* A call that this rank has left is forgotten; a plan lives until it is freed. */
static bool is_over(const struct summand__channel *channel, uint64_t entry)
{
    return !(entry & OF_PLAN) &&
           summand__public_call(entry / WHATS) < summand__public_call(channel->calls);
}

static void forget_old(struct summand__channel *channel)
{
    struct summand__notices *notices = &channel->notices;
    size_t kept = 0;
    for (size_t i = 0; i < notices->count; i++)
        if (!is_over(channel, notices->notice[i].number))
            notices->notice[kept++] = notices->notice[i];
    notices->count = kept;
}

static bool make_room(struct summand__channel *channel)
{
    struct summand__notices *notices = &channel->notices;
    if (!notices->notice) {
        notices->notice = notices->few;
        notices->room = sizeof notices->few / sizeof *notices->few;
    }
    if (notices->count == notices->room)
        forget_old(channel);
    if (notices->count < notices->room)
        return true;
    bool few = notices->notice == notices->few;
    struct summand__notice *more =
        realloc(few ? NULL : notices->notice, 2 * notices->room * sizeof *notices->notice);
    if (!more)
        return false;
    if (few)
        memcpy(more, notices->few, sizeof notices->few);
    notices->notice = more;
    notices->room *= 2;
    return true;
}

static void keep(struct summand__channel *channel, const uint64_t *words)
{
    struct summand__notices *notices = &channel->notices;
    uint64_t entry = WHATS * words[NUMBER] + words[WHAT] % WHATS;
    bool more = (entry & AND_REST) || !is_known(notices, words[NUMBER]);
    if (words[COMMUNICATOR] == channel->id && more && !is_over(channel, entry))
        notices->notice[notices->count++] = (struct summand__notice){entry, words[CAUSE]};
}

/* Receives notices. Without memory for them, they stay in the MPI. */
static void receive(struct summand__channel *channel)
{
    MPI_Comm comm = channel->comm;
    int tag = summand__channel_tag(channel, SUMMAND__NOTICE_TAG);
    for (int there = 1; there && make_room(channel);) {
        MPI_Status status;
        uint64_t words[WORDS] = {0};
        int code = PMPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, &status);
        if (code == MPI_SUCCESS && there)
            code = PMPI_Recv(words, WORDS, MPI_UINT64_T, status.MPI_SOURCE, tag, comm,
                             MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return;
        if (there)
            keep(channel, words);
    }
}

bool summand__notices_received(struct summand__channel *channel, uint64_t number)
{
    if (!by_messages(channel))
        return false;
    if (!is_known(&channel->notices, number))
        receive(channel);
    return is_known(&channel->notices, number);
}

/* Receives those of others first, so ranks that fail repeatedly keep few of them. */
void summand__notices_send(struct summand__channel *channel, uint64_t number, bool plan, bool rest,
                           uint64_t cause)
{
    MPI_Request request;
    MPI_Comm comm = channel->comm;
    int tag = summand__channel_tag(channel, SUMMAND__NOTICE_TAG);
    if (!by_messages(channel))
        return;
    receive(channel);
    uint64_t(*words)[WORDS] = place();
    (*words)[COMMUNICATOR] = channel->id;
    (*words)[NUMBER] = number;
    (*words)[WHAT] = OF_PLAN * (unsigned)plan + AND_REST * (unsigned)rest;
    (*words)[CAUSE] = cause;
    for (int rank = 0; rank < channel->ranks; rank++) {
        if (rank == channel->rank)
            continue;
        if (PMPI_Isend(*words, WORDS, MPI_UINT64_T, summand__channel_peer(channel, rank), tag, comm,
                       &request) == MPI_SUCCESS)
            PMPI_Request_free(&request);
    }
}

void summand__notices_free(struct summand__notices *notices)
{
    if (notices->notice != notices->few)
        free(notices->notice);
    notices->notice = NULL;
    notices->count = notices->room = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/mpi/p2p_inbox.h"

#include <stdlib.h>
#include <string.h>

#include "compute/mpi/window.h"
#include "kernel/stream.h"
#include "wait/stale.h"

enum progress {
    HEAD,
    HELD, /* long data wait for those of an earlier put to the same place */
    DATA,
    LANDED, /* arrived, but earlier puts of its producer are counted first */
    DROP,   /* long data of a put to a closed window: received and discarded */
    BROKEN, /* its receive failed: this and later puts of its producer are not counted */
    OVER
};

struct summand__p2p_arrival {
    enum progress progress;
    MPI_Request request;
    int source;    /* a rank of `comm` */
    uint64_t done; /* bytes of long data */
    struct summand__p2p_message message;
};

bool summand__p2p_inbox_make(struct summand__p2p_inbox *inbox)
{
    inbox->arrival = malloc(SUMMAND__P2P_ARRIVALS * sizeof *inbox->arrival);
    for (int i = 0; i < SUMMAND__P2P_ARRIVALS && inbox->arrival; i++)
        inbox->order[i] = &inbox->arrival[i];
    return inbox->arrival;
}

void summand__p2p_inbox_free(struct summand__p2p_inbox *inbox)
{
    free(inbox->arrival);
}

static bool is_long(const struct summand__p2p_head *head)
{
    return head->bytes > SUMMAND__P2P_SHORT;
}

static int receive_data(struct summand__p2p_inbox *inbox, struct summand__p2p_arrival *arrival)
{
    const struct summand__p2p_head *head = &arrival->message.head;
    uint64_t rest = head->bytes - arrival->done;
    arrival->progress = DATA;
    return PMPI_Irecv(inbox->memory + head->place + arrival->done,
                      (int)(rest < SUMMAND__P2P_PIECE ? rest : SUMMAND__P2P_PIECE), MPI_BYTE,
                      arrival->source, inbox->tag, inbox->comm, &arrival->request);
}

static void drop_data(struct summand__p2p_inbox *inbox, struct summand__p2p_arrival *arrival)
{
    uint64_t bytes = is_long(&arrival->message.head) ? arrival->message.head.bytes : 0;
    while (arrival->done < bytes && summand__stale_take(inbox->comm, arrival->source, inbox->tag))
        arrival->done += SUMMAND__P2P_PIECE;
    if (arrival->done >= bytes)
        arrival->progress = OVER;
}

static bool meet(const struct summand__p2p_head *a, const struct summand__p2p_head *b)
{
    return a->place < b->place + b->bytes && b->place < a->place + a->bytes;
}

/* True if an earlier put of the same producer is not over; `place`: one to the same place. */
static bool is_behind(const struct summand__p2p_inbox *inbox, int number, bool place)
{
    const struct summand__p2p_arrival *own = inbox->order[number];
    for (int i = 0; i < number; i++)
        if (inbox->order[i]->source == own->source && inbox->order[i]->progress != OVER &&
            (!place || meet(&inbox->order[i]->message.head, &own->message.head)))
            return true;
    return false;
}

/* Continues an arrival whose awaited message has arrived. */
static int go_on(struct summand__p2p_inbox *inbox, struct summand__p2p_arrival *arrival)
{
    const struct summand__p2p_head *head = &arrival->message.head;
    if (arrival->progress == HEAD) {
        bool meant = head->window[0] == inbox->id[0] && head->window[1] == inbox->id[1];
        arrival->progress = !meant ? DROP : is_long(head) ? HELD : LANDED;
        return MPI_SUCCESS;
    }
    arrival->done += SUMMAND__P2P_PIECE;
    if (arrival->done < head->bytes)
        return receive_data(inbox, arrival);
    arrival->progress = LANDED;
    return MPI_SUCCESS;
}

static void count(struct summand__p2p_inbox *inbox, struct summand__p2p_arrival *arrival)
{
    const struct summand__p2p_head *head = &arrival->message.head;
    if (head->bytes && !is_long(head))
        summand__copy_bytes(inbox->memory + head->place, arrival->message.data, head->bytes);
    if (head->counter != SUMMAND__NO_COUNTER)
        inbox->counter[head->counter] += 1 + head->more;
    arrival->progress = OVER;
}

/* Progresses an arrival as far as possible. */
static int move_arrival(struct summand__p2p_inbox *inbox, int number)
{
    struct summand__p2p_arrival *arrival = inbox->order[number];
    for (int code;;) {
        int done = 0;
        switch (arrival->progress) {
        case HEAD:
        case DATA:
            code = PMPI_Test(&arrival->request, &done, MPI_STATUS_IGNORE);
            if (code == MPI_SUCCESS && done)
                code = go_on(inbox, arrival);
            if (code != MPI_SUCCESS)
                arrival->progress = BROKEN;
            if (code != MPI_SUCCESS || !done)
                return code;
            break;
        case HELD:
            if (is_behind(inbox, number, true))
                return MPI_SUCCESS;
            code = receive_data(inbox, arrival);
            if (code != MPI_SUCCESS) {
                arrival->progress = BROKEN;
                return code;
            }
            break;
        case LANDED:
            if (!is_behind(inbox, number, false))
                count(inbox, arrival);
            return MPI_SUCCESS;
        case DROP:
            drop_data(inbox, arrival);
            return MPI_SUCCESS;
        default:
            return MPI_SUCCESS;
        }
    }
}

/* Moves arrivals that are over to the free ones. */
static void sort(struct summand__p2p_inbox *inbox)
{
    struct summand__p2p_arrival *over[SUMMAND__P2P_ARRIVALS];
    int kept = 0, free_ones = 0;
    for (int i = 0; i < inbox->arrivals; i++)
        if (inbox->order[i]->progress == OVER)
            over[free_ones++] = inbox->order[i];
        else
            inbox->order[kept++] = inbox->order[i];
    for (int i = 0; i < free_ones; i++)
        inbox->order[kept + i] = over[i];
    inbox->arrivals = kept;
}

/* True if the next message of every producer is a head, or has a receive already. */
static bool may_probe(const struct summand__p2p_inbox *inbox)
{
    bool may = inbox->arrivals < SUMMAND__P2P_ARRIVALS;
    for (int i = 0; i < inbox->arrivals && may; i++) {
        const struct summand__p2p_arrival *arrival = inbox->order[i];
        bool last = arrival->done + SUMMAND__P2P_PIECE >= arrival->message.head.bytes;
        may = arrival->progress == LANDED || (arrival->progress == DATA && last);
    }
    return may;
}

int summand__p2p_inbox_move(struct summand__p2p_inbox *inbox)
{
    for (;;) {
        int code = MPI_SUCCESS, there = 0;
        MPI_Status status;
        for (int i = 0; i < inbox->arrivals && code == MPI_SUCCESS; i++)
            code = move_arrival(inbox, i);
        sort(inbox);
        if (code != MPI_SUCCESS || !may_probe(inbox))
            return code;
        code = PMPI_Iprobe(MPI_ANY_SOURCE, inbox->tag, inbox->comm, &there, &status);
        if (code != MPI_SUCCESS || !there)
            return code;
        struct summand__p2p_arrival *arrival = inbox->order[inbox->arrivals];
        arrival->progress = HEAD;
        arrival->source = status.MPI_SOURCE;
        arrival->done = 0;
        code = PMPI_Irecv(&arrival->message, (int)sizeof arrival->message, MPI_BYTE,
                          arrival->source, inbox->tag, inbox->comm, &arrival->request);
        if (code != MPI_SUCCESS)
            return code;
        inbox->arrivals++;
    }
}

bool summand__p2p_inbox_close(struct summand__p2p_inbox *inbox, bool over)
{
    bool idle = !inbox->arrivals;
    for (int i = 0; i < inbox->arrivals; i++) {
        struct summand__p2p_arrival *arrival = inbox->order[i];
        if (!over && (arrival->progress == HEAD || arrival->progress == DATA))
            PMPI_Request_free(&arrival->request);
    }
    return idle;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over MPI_Isend and MPI_Irecv on a private communicator; always available. */
#include <stdlib.h>

#include "base/int_max.h"
#include "base/pace.h"
#include "process/datatype.h"
#include "process/error.h"
#include "process/machine.h"
#include "transport/p2p_requests.h"
#include "transport/table.h"

/* Some MPIs deliver a message of up to so many bytes before its receive is posted. */
enum { SHORT = 65536 };

/* Failed polls, some 50 us, before this rank yields. */
enum { POLLS = 500 };

/* Turns that yield between two looks at all requests in flight. */
enum { LOOKS = 16 };

/* MPICH's probe sees a message of up to so many bytes only when all of it has arrived. */
enum { WHOLE = 1024 };

struct recv {
    void *data;
    int count, rank;
    unsigned group;
};

struct p2p {
    struct summand__link link; /* first: the executor sees the link only */
    MPI_Comm comm;
    MPI_Datatype datatype;
    const int *peers;   /* rank in comm of each rank of the communicator; NULL: the same */
    const int *rank_of; /* rank in the communicator of each rank of the schedule; NULL: the same */
    int first_tag;      /* of the context */
    unsigned turns;     /* requests so far */
    struct summand__requests group[SUMMAND__LINK_GROUPS];
    struct recv *waiting; /* short messages of this group, not yet posted */
    int n_waiting;
    /* MPICH raises an error of MPI_Test on the world's communicator, which ends the program; one of
     * MPI_Recv goes to the right one. So a short message, which may be too long if the ranks
     * disagree, is taken by MPI_Recv if this rank has nothing else to do. */
    bool receives;
    int expected; /* source of the short message that this rank waits for alone, or -1 */
    size_t room;  /* of `waiting`, in receives */
    size_t bytes; /* of an element of the datatype */
    size_t most;  /* messages in flight, each in one piece */
    unsigned looks;
    int code;  /* error of `progress`, returned by `complete`; or MPI_SUCCESS */
    int ended; /* completed messages of the group at the last look */
};

static struct p2p *of(struct summand__link *link)
{
    return (struct p2p *)link;
}

static int peer_rank(const struct p2p *p2p, int peer)
{
    return p2p->rank_of ? p2p->rank_of[peer] : peer;
}

/* The rank in `comm` of a rank of the communicator. */
static int there_of(const struct p2p *p2p, int rank)
{
    return p2p->peers ? p2p->peers[rank] : rank;
}

static int tag_of(const struct p2p *p2p)
{
    return p2p->first_tag + p2p->link.tag;
}

/* Makes room for requests: `more`, and always one for each message of the schedule. A message of
 * more elements than the MPI counts is several requests. */
static bool make_room(struct p2p *p2p, struct summand__requests *group, size_t more)
{
    size_t need = (size_t)group->posted + (size_t)p2p->n_waiting + more + p2p->most;
    if (need > group->room) {
        struct summand__request *requests = realloc(group->requests, need * sizeof *requests);
        if (!requests)
            return false;
        group->requests = requests;
        group->room = need;
    }
    if (need > p2p->room) {
        struct recv *waiting = realloc(p2p->waiting, need * sizeof *waiting);
        if (!waiting)
            return false;
        p2p->waiting = waiting;
        p2p->room = need;
    }
    return true;
}

static int piece(size_t count)
{
    return (int)(count < SUMMAND_INT_MAX ? count : SUMMAND_INT_MAX);
}

static MPI_Request *next_request(struct summand__requests *group)
{
    return &group->requests[group->posted].mpi;
}

/* Counts a request only if it was made: no other is waited for. */
static int posted(struct p2p *p2p, struct summand__requests *group, int rank, int code)
{
    group->requests[group->posted].rank = rank;
    group->requests[group->posted].turn = p2p->turns++;
    group->posted += code == MPI_SUCCESS;
    return code;
}

static int send_piece(struct p2p *p2p, const struct summand__message *message, void *data,
                      int count)
{
    struct summand__requests *group = &p2p->group[message->group];
    bool waits =
        message->flags & SUMMAND__PACED && (size_t)count * p2p->bytes <= SUMMAND__PACED_BYTES;
    int rank = peer_rank(p2p, message->peer);
    return posted(p2p, group, -1 - rank,
                  (waits ? PMPI_Issend : PMPI_Isend)(data, count, p2p->datatype,
                                                     there_of(p2p, rank), tag_of(p2p), p2p->comm,
                                                     next_request(group)));
}

static int receive(struct p2p *p2p, const struct recv *recv)
{
    struct summand__requests *group = &p2p->group[recv->group];
    return posted(p2p, group, recv->rank,
                  PMPI_Irecv(recv->data, recv->count, p2p->datatype, there_of(p2p, recv->rank),
                             tag_of(p2p), p2p->comm, next_request(group)));
}

/* Posts receives of short messages. They come after the sends of the round, which go first. */
static int receive_waiting(struct p2p *p2p)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < p2p->n_waiting && code == MPI_SUCCESS; i++)
        code = receive(p2p, &p2p->waiting[i]);
    p2p->n_waiting = 0;
    return code;
}

static int recv_piece(struct p2p *p2p, const struct summand__message *message, void *data,
                      int count)
{
    struct recv recv = {data, count, peer_rank(p2p, message->peer), message->group};
    if (message->flags & SUMMAND__PACED || (size_t)count * p2p->bytes > SHORT) {
        /* first the short receives of this round, which may come from the same rank */
        int code = receive_waiting(p2p);
        return code == MPI_SUCCESS ? receive(p2p, &recv) : code;
    }
    p2p->waiting[p2p->n_waiting++] = recv;
    return MPI_SUCCESS;
}

/* Splits a message of more elements than an int counts into several MPI messages. */
static int in_pieces(struct p2p *p2p, const struct summand__message *message,
                     int (*post)(struct p2p *p2p, const struct summand__message *message,
                                 void *data, int count))
{
    char *data = message->data;
    size_t count = message->count;
    MPI_Aint lb, extent;
    int code = PMPI_Type_get_extent(p2p->datatype, &lb, &extent);
    if (code == MPI_SUCCESS &&
        !make_room(p2p, &p2p->group[message->group], count / SUMMAND_INT_MAX + 1))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    for (size_t done = 0; done < count && code == MPI_SUCCESS; done += SUMMAND_INT_MAX)
        code = post(p2p, message, data + (MPI_Aint)done * extent, piece(count - done));
    return code;
}

static int p2p_send(struct summand__link *link, const struct summand__message *message)
{
    return message->count > SUMMAND_INT_MAX
               ? in_pieces(of(link), message, send_piece)
               : send_piece(of(link), message, message->data, (int)message->count);
}

static int p2p_recv(struct summand__link *link, const struct summand__message *message)
{
    return message->count > SUMMAND_INT_MAX
               ? in_pieces(of(link), message, recv_piece)
               : recv_piece(of(link), message, message->data, (int)message->count);
}

/* Adds an explanation, because the MPI does not say which message was too long. */
static int explained(int code)
{
    int class = code;
    if (code == MPI_SUCCESS || PMPI_Error_class(code, &class) != MPI_SUCCESS ||
        class != MPI_ERR_TRUNCATE)
        return code;
    return summand__refuse_as(
        code, "a message is longer than this rank has room for: the ranks' counts differ");
}

/* Tests the next incomplete messages in the order of posting. */
static int poll_some(struct summand__requests *group, bool block, int *through)
{
    int code = MPI_SUCCESS, done = 1;
    *through = 0;
    while (group->through < group->posted && done) {
        MPI_Request *request = &group->requests[group->through].mpi;
        code = block ? PMPI_Wait(request, MPI_STATUS_IGNORE)
                     : PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            break;
        group->through += done;
        *through |= done;
    }
    return explained(code);
}

/* SimGrid hardly advances time in MPI_Test, so polling would never end. */
#ifdef SMPI_H
enum { BLOCKS = 1 };
#else
enum { BLOCKS = 0 };
#endif

static void moved(struct p2p *p2p)
{
    p2p->link.moves++;
    summand__backoff_reset(&p2p->link.wait.backoff);
}

/* Counts completed messages, also those after the one that is waited for. */
static int count_ended(const struct summand__requests *group)
{
    int ended = group->through;
    for (int i = group->through; i < group->posted; i++) {
        int done = 0;
        if (PMPI_Request_get_status(group->requests[i].mpi, &done, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS)
            ended += done;
    }
    return ended;
}

/* Takes a turn after a failed poll. Waiting in the MPI would cost some 25 ns less, but would miss
 * aborts of other ranks and the deadline. */
static int wait_on(struct p2p *p2p, const struct summand__requests *group)
{
    if (!summand__backoff_turn(&p2p->link.wait.backoff) || !p2p->link.wait.watch)
        return MPI_SUCCESS;
    int ended = ++p2p->looks % LOOKS ? p2p->ended : count_ended(group);
    if (ended != p2p->ended) {
        p2p->ended = ended;
        moved(p2p);
        return MPI_SUCCESS;
    }
    return summand__wait_look(&p2p->link.wait);
}

static bool fits(const struct p2p *p2p, const struct recv *recv, const MPI_Status *status)
{
    int count;
    return PMPI_Get_count(status, p2p->datatype, &count) == MPI_SUCCESS && count != MPI_UNDEFINED &&
           count <= recv->count;
}

/* Receives one short message; `over`: why this rank leaves the wait. A message that may arrive in
 * parts is only posted, unless it is too long: if its sender ends half-way, only polls see that. */
static int take(struct p2p *p2p, const struct recv *recv, const struct summand__requests *group,
                int *over)
{
    int there = 0, code = MPI_SUCCESS, from = there_of(p2p, recv->rank);
    MPI_Status status;
    p2p->expected = recv->rank;
    while (!there && code == MPI_SUCCESS && *over == MPI_SUCCESS) {
        code = PMPI_Iprobe(from, tag_of(p2p), p2p->comm, &there, &status);
        if (!there && code == MPI_SUCCESS)
            *over = wait_on(p2p, group);
    }
    p2p->expected = -1;
    if (!there || code != MPI_SUCCESS)
        return code;
    moved(p2p);
    if ((size_t)recv->count * p2p->bytes > WHOLE && fits(p2p, recv, &status))
        return receive(p2p, recv);
    return explained(PMPI_Recv(recv->data, recv->count, p2p->datatype, from, tag_of(p2p), p2p->comm,
                               MPI_STATUS_IGNORE));
}

static int take_waiting(struct p2p *p2p, const struct summand__requests *group, int *over)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < p2p->n_waiting && code == MPI_SUCCESS && *over == MPI_SUCCESS; i++)
        code = take(p2p, &p2p->waiting[i], group, over);
    p2p->n_waiting = 0;
    return code;
}

static int p2p_complete(struct summand__link *link, unsigned group_number, bool block, bool *done)
{
    struct p2p *p2p = of(link);
    struct summand__requests *group = &p2p->group[group_number];
    int through = 1, over = MPI_SUCCESS;
    int code = p2p->code;
    if (code == MPI_SUCCESS)
        code = block && p2p->receives ? take_waiting(p2p, group, &over) : receive_waiting(p2p);
    while (code == MPI_SUCCESS && group->through < group->posted && over == MPI_SUCCESS) {
        code = poll_some(group, block && BLOCKS, &through);
        if (code != MPI_SUCCESS)
            return code;
        if (through)
            moved(p2p);
        else if (block)
            over = wait_on(p2p, group);
        else
            break;
    }
    *done = group->through == group->posted && over == MPI_SUCCESS;
    if (*done && code == MPI_SUCCESS) /* else some may be in flight still, to be cancelled */
        group->posted = group->through = 0;
    return code == MPI_SUCCESS ? over : code;
}

/* Any MPI call progresses all requests that the MPI knows. */
static bool p2p_progress(struct summand__link *link, bool *sending)
{
    struct p2p *p2p = of(link);
    int there, code = receive_waiting(p2p);
    if (code == MPI_SUCCESS)
        code = PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, p2p->comm, &there, MPI_STATUS_IGNORE);
    if (p2p->code == MPI_SUCCESS)
        p2p->code = code;
    *sending = true;
    return false;
}

static void p2p_awaited(const struct summand__link *link, void (*each)(void *, int), void *context)
{
    const struct p2p *p2p = (const struct p2p *)link;
    if (p2p->expected >= 0)
        each(context, p2p->expected);
    for (int g = 0; g < SUMMAND__LINK_GROUPS; g++) {
        const struct summand__requests *group = &p2p->group[g];
        for (int i = group->through; i < group->posted; i++) {
            const struct summand__request *request = &group->requests[i];
            int done = 0;
            if (PMPI_Request_get_status(request->mpi, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
                !done)
                each(context, request->rank < 0 ? -1 - request->rank : request->rank);
        }
    }
}

static bool p2p_available(const struct summand__state *state)
{
    (void)state;
    return true;
}

static unsigned p2p_abilities(const struct summand__state *state)
{
    (void)state;
    return SUMMAND__LITTERS;
}

static void p2p_abort(struct summand__state *state, int tag)
{
    summand__stale_add(&state->channel, tag);
}

static void p2p_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    struct p2p *p2p = of(link);
    MPI_Count bytes = 0;
    summand__type_size(datatype, &bytes);
    p2p->datatype = datatype;
    p2p->bytes = (size_t)bytes;
}

static void free_all(struct p2p *p2p)
{
    for (int g = 0; g < SUMMAND__LINK_GROUPS; g++)
        free(p2p->group[g].requests);
    free(p2p->waiting);
    free(p2p);
}

static bool p2p_close(struct summand__link *link)
{
    struct p2p *p2p = of(link);
    bool ended = true;
    int over = 0;
    PMPI_Finalized(&over); /* nothing moves after MPI_Finalize */
    if (!over)
        summand__requests_cancel(p2p->group, p2p->turns);
    for (int g = 0; !over && g < SUMMAND__LINK_GROUPS; g++)
        ended = summand__requests_end(&p2p->group[g]) && ended;
    free_all(p2p);
    return ended;
}

static struct summand__link *p2p_open(const struct summand__link_spec *spec)
{
    const struct summand__state *state = spec->state;
    struct p2p *p2p = calloc(1, sizeof *p2p);
    if (!p2p)
        return NULL;
    *p2p = (struct p2p){
        .link = {.transport = &summand__p2p_transport.transport,
                 .abilities = p2p_abilities(state),
                 .tag = spec->tag,
                 .wait.backoff = {.oversubscribed = state->nodes.most > state->nodes.processors,
                                  .awake = true,
                                  .polls = POLLS}},
        .comm = state->channel.comm,
        .receives = summand__mpi_derives_from_mpich(),
        .peers = state->context.members.member,
        .rank_of = spec->rank_of,
        .first_tag = summand__channel_tag(&state->channel, 0),
        .expected = -1,
        .most = spec->most,
        .room = spec->most + 1,
        .waiting = malloc((spec->most + 1) * sizeof *p2p->waiting)};
    p2p_set_datatype(&p2p->link, spec->datatype);
    bool good = p2p->waiting != NULL;
    for (int g = 0; g < SUMMAND__LINK_GROUPS; g++) {
        p2p->group[g].room = spec->most + 1;
        p2p->group[g].requests = malloc((spec->most + 1) * sizeof *p2p->group[g].requests);
        good = good && p2p->group[g].requests;
    }
    if (good)
        return &p2p->link;
    free_all(p2p);
    return NULL;
}

const struct summand__transport_entry summand__p2p_transport = {
    .transport = {.name = "p2p",
                  .send = p2p_send,
                  .recv = p2p_recv,
                  .complete = p2p_complete,
                  .progress = p2p_progress,
                  .awaited = p2p_awaited},
    .available = p2p_available,
    .abilities = p2p_abilities,
    .open = p2p_open,
    .close = p2p_close,
    .set_datatype = p2p_set_datatype,
    .set_watch = summand__link_set_watch,
    .abort = p2p_abort};

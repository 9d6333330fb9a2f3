#include "transport/p2p.h"

#include <stdlib.h>

#include "base/int_max.h"
#include "base/pace.h"

/* Bytes up to which a message may arrive before its receive is posted: in some MPIs, in all. */
enum { SHORT = 65536, EAGER = 4096 };

static struct summand__p2p *of(struct summand__link *link)
{
    return (struct summand__p2p *)link;
}

static int peer_rank(const struct summand__p2p *p2p, int peer)
{
    int rank = p2p->rank_of ? p2p->rank_of[peer] : peer;
    return p2p->peers ? p2p->peers[rank] : rank;
}

static int tag_of(const struct summand__p2p *p2p)
{
    return p2p->first_tag + p2p->tag;
}

static struct summand__p2p_group *group_of(struct summand__p2p *p2p)
{
    return &p2p->group[p2p->link.group];
}

/* Messages of more elements than the MPI counts travel in pieces, so more may be in flight than the
 * schedule says: room for those and, always, for all its messages in one piece. */
static bool make_room(struct summand__p2p *p2p, size_t more)
{
    struct summand__p2p_group *group = group_of(p2p);
    size_t need = (size_t)group->posted + (size_t)p2p->n_waiting + more + p2p->most;
    if (need > group->room) {
        MPI_Request *requests = realloc(group->requests, need * sizeof *requests);
        if (!requests)
            return false;
        group->requests = requests;
        group->room = need;
    }
    if (need > p2p->room) {
        struct summand__p2p_recv *waiting = realloc(p2p->waiting, need * sizeof *waiting);
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

static MPI_Request *next_request(struct summand__p2p_group *group)
{
    return &group->requests[group->posted];
}

/* A request that was not made is none to wait for. */
static int posted(struct summand__p2p_group *group, int code)
{
    group->posted += code == MPI_SUCCESS;
    return code;
}

static int send_piece(struct summand__p2p *p2p, int peer, const void *data, int count)
{
    struct summand__p2p_group *group = group_of(p2p);
    bool waits = p2p->link.late && (size_t)count * p2p->bytes <= SUMMAND__PACED_BYTES;
    return posted(group,
                  (waits ? MPI_Issend : MPI_Isend)(data, count, p2p->datatype, peer_rank(p2p, peer),
                                                   tag_of(p2p), p2p->comm, next_request(group)));
}

static int send_pieces(struct summand__p2p *p2p, int peer, const char *data, size_t count)
{
    MPI_Aint lb, extent;
    int code = MPI_Type_get_extent(p2p->datatype, &lb, &extent);
    if (code == MPI_SUCCESS && !make_room(p2p, count / SUMMAND_INT_MAX + 1))
        code = MPI_ERR_NO_MEM;
    for (size_t done = 0; done < count && code == MPI_SUCCESS; done += SUMMAND_INT_MAX)
        code = send_piece(p2p, peer, data + (MPI_Aint)done * extent, piece(count - done));
    return code;
}

static int p2p_send(struct summand__link *link, int peer, const void *data, size_t count)
{
    struct summand__p2p *p2p = of(link);
    return count > SUMMAND_INT_MAX ? send_pieces(p2p, peer, data, count)
                                   : send_piece(p2p, peer, data, (int)count);
}

/* One that waited belongs to the group that the link had then. */
static int receive(struct summand__p2p *p2p, const struct summand__p2p_recv *recv)
{
    struct summand__p2p_group *group = &p2p->group[recv->group];
    return posted(group, MPI_Irecv(recv->data, recv->count, p2p->datatype, recv->rank, tag_of(p2p),
                                   p2p->comm, next_request(group)));
}

/* Short messages are received in turn, behind the sends of the round: in Open MPI
 * an MPI_Recv costs a short sum less than MPI_Irecv and MPI_Waitall do. Not those that may wait for
 * their receive: each would begin when the one before it is through. */
static int receive_waiting(struct summand__p2p *p2p, bool block)
{
    int code = MPI_SUCCESS;
    if (p2p->n_waiting > 1 && p2p->longest * p2p->bytes > EAGER)
        block = false;
    p2p->longest = 0;
    for (int i = 0; i < p2p->n_waiting && code == MPI_SUCCESS; i++) {
        const struct summand__p2p_recv *recv = &p2p->waiting[i];
        code = block ? MPI_Recv(recv->data, recv->count, p2p->datatype, recv->rank, tag_of(p2p),
                                p2p->comm, MPI_STATUS_IGNORE)
                     : receive(p2p, recv);
    }
    p2p->n_waiting = 0;
    return code;
}

static int recv_piece(struct summand__p2p *p2p, int peer, void *data, int count)
{
    struct summand__p2p_recv recv = {data, count, peer_rank(p2p, peer), p2p->link.group};
    if (p2p->link.late || (size_t)count * p2p->bytes > SHORT) {
        /* Not before a short one of the same round, which may come from the same rank. */
        int code = receive_waiting(p2p, false);
        return code == MPI_SUCCESS ? receive(p2p, &recv) : code;
    }
    p2p->waiting[p2p->n_waiting++] = recv;
    if ((size_t)count > p2p->longest)
        p2p->longest = (size_t)count;
    return MPI_SUCCESS;
}

static int recv_pieces(struct summand__p2p *p2p, int peer, char *data, size_t count)
{
    MPI_Aint lb, extent;
    int code = MPI_Type_get_extent(p2p->datatype, &lb, &extent);
    if (code == MPI_SUCCESS && !make_room(p2p, count / SUMMAND_INT_MAX + 1))
        code = MPI_ERR_NO_MEM;
    for (size_t done = 0; done < count && code == MPI_SUCCESS; done += SUMMAND_INT_MAX)
        code = recv_piece(p2p, peer, data + (MPI_Aint)done * extent, piece(count - done));
    return code;
}

static int p2p_recv(struct summand__link *link, int peer, void *data, size_t count)
{
    struct summand__p2p *p2p = of(link);
    return count > SUMMAND_INT_MAX ? recv_pieces(p2p, peer, data, count)
                                   : recv_piece(p2p, peer, data, (int)count);
}

static int p2p_complete(struct summand__link *link, bool block, bool *done)
{
    struct summand__p2p *p2p = of(link);
    struct summand__p2p_group *group = group_of(p2p);
    int flag = 1, code = receive_waiting(p2p, block);
    if (code != MPI_SUCCESS)
        return code;
    if (block)
        code = MPI_Waitall(group->posted, group->requests, MPI_STATUSES_IGNORE);
    else
        code = MPI_Testall(group->posted, group->requests, &flag, MPI_STATUSES_IGNORE);
    *done = flag;
    if (flag && code == MPI_SUCCESS) /* else some may be under way still, to be cancelled */
        group->posted = 0;
    return code;
}

static const struct summand__transport p2p_transport = {
    .name = "p2p", .send = p2p_send, .recv = p2p_recv, .complete = p2p_complete};

bool summand__p2p_open(struct summand__p2p *p2p, MPI_Comm comm, MPI_Datatype datatype, int tag,
                       const int *rank_of, size_t most)
{
    *p2p = (struct summand__p2p){.link = {.transport = &p2p_transport},
                                 .comm = comm,
                                 .datatype = datatype,
                                 .tag = tag,
                                 .rank_of = rank_of};
    summand__p2p_carry(p2p, datatype);
    p2p->most = most;
    p2p->room = most + 1;
    p2p->waiting = malloc((most + 1) * sizeof *p2p->waiting);
    bool good = p2p->waiting != NULL;
    for (int g = 0; g < SUMMAND__LINK_GROUPS; g++) {
        p2p->group[g].room = most + 1;
        p2p->group[g].requests = malloc((most + 1) * sizeof *p2p->group[g].requests);
        good = good && p2p->group[g].requests;
    }
    return good;
}

void summand__p2p_carry(struct summand__p2p *p2p, MPI_Datatype datatype)
{
    MPI_Count bytes = 0;
    MPI_Type_size_x(datatype, &bytes);
    p2p->datatype = datatype;
    p2p->bytes = (size_t)bytes;
}

/* Of an operation that failed: nothing may arrive later. After MPI_Finalize nothing does. */
static void cancel(MPI_Request *request)
{
    int over = 0;
    MPI_Finalized(&over);
    if (over || *request == MPI_REQUEST_NULL)
        return;
    MPI_Cancel(request);
    MPI_Request_free(request);
}

void summand__p2p_close(struct summand__p2p *p2p)
{
    for (int g = 0; g < SUMMAND__LINK_GROUPS; g++) {
        for (int i = 0; i < p2p->group[g].posted; i++)
            cancel(&p2p->group[g].requests[i]);
        free(p2p->group[g].requests);
        p2p->group[g].requests = NULL;
    }
    free(p2p->waiting);
    p2p->waiting = NULL;
}

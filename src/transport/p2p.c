#include "transport/p2p.h"

#include <limits.h>
#include <stdlib.h>

static struct summand__p2p *of(struct summand__link *link)
{
    return (struct summand__p2p *)link;
}

static int peer_rank(const struct summand__p2p *p2p, int peer)
{
    return p2p->rank_of ? p2p->rank_of[peer] : peer;
}

static int p2p_send(struct summand__link *link, int peer, const void *data, size_t count)
{
    struct summand__p2p *p2p = of(link);
    if (count > INT_MAX)
        return MPI_ERR_COUNT;
    return MPI_Isend(data, (int)count, p2p->datatype, peer_rank(p2p, peer), p2p->tag, p2p->comm,
                     &p2p->requests[p2p->posted++]);
}

static int p2p_recv(struct summand__link *link, int peer, void *data, size_t count)
{
    struct summand__p2p *p2p = of(link);
    if (count > INT_MAX)
        return MPI_ERR_COUNT;
    return MPI_Irecv(data, (int)count, p2p->datatype, peer_rank(p2p, peer), p2p->tag, p2p->comm,
                     &p2p->requests[p2p->posted++]);
}

/* Finds out which messages did not fit. A failure of another kind is returned. */
static int look_at_statuses(struct summand__p2p *p2p)
{
    int worst = MPI_SUCCESS;
    for (int i = 0; i < p2p->posted; i++) {
        int code = p2p->statuses[i].MPI_ERROR, class = MPI_SUCCESS;
        MPI_Error_class(code, &class);
        p2p->truncated[i] = class == MPI_ERR_TRUNCATE;
        if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE)
            worst = code;
    }
    p2p->link.truncated = p2p->truncated;
    return worst;
}

static int p2p_complete(struct summand__link *link, bool block, bool *done)
{
    struct summand__p2p *p2p = of(link);
    int flag = 1, code;
    link->truncated = NULL;
    if (block)
        code = MPI_Waitall(p2p->posted, p2p->requests, p2p->statuses);
    else
        code = MPI_Testall(p2p->posted, p2p->requests, &flag, p2p->statuses);
    if (code == MPI_ERR_IN_STATUS) {
        flag = 1;
        code = look_at_statuses(p2p);
    }
    *done = flag;
    if (flag)
        p2p->posted = 0;
    return code;
}

static const struct summand__transport p2p_transport = {
    .name = "p2p", .send = p2p_send, .recv = p2p_recv, .complete = p2p_complete};

bool summand__p2p_open(struct summand__p2p *p2p, MPI_Comm comm, MPI_Datatype datatype, int tag,
                       const int *rank_of, size_t most)
{
    *p2p = (struct summand__p2p){.link = {.transport = &p2p_transport}, .comm = comm, .datatype = datatype,
                                 .tag = tag, .rank_of = rank_of, .most = (int)most};
    p2p->requests = malloc((most + 1) * sizeof *p2p->requests);
    p2p->statuses = malloc((most + 1) * sizeof *p2p->statuses);
    p2p->truncated = malloc(most + 1);
    return p2p->requests && p2p->statuses && p2p->truncated;
}

void summand__p2p_close(struct summand__p2p *p2p)
{
    free(p2p->requests);
    free(p2p->statuses);
    free(p2p->truncated);
    p2p->requests = NULL;
    p2p->statuses = NULL;
    p2p->truncated = NULL;
}

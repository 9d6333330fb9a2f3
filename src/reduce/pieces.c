#include "reduce/pieces.h"

#include "reduce/estimate.h"
#include "reduce/running.h"

static struct summand__region piece_at_root(const struct summand__call *call, int rank)
{
    struct summand__block piece = summand__call_piece(call, rank);
    return summand__region(SUMMAND__RECVBUF, piece.first, piece.count);
}

void summand__pieces_collect(const struct summand__call *call, struct summand__region own,
                             struct summand__schedule *schedule)
{
    summand__round(schedule);
    if (call->rank != call->root) {
        summand__send(schedule, call->root, own);
        summand__round(schedule);
        return;
    }
    for (int rank = 0; rank < call->ranks; rank++)
        if (rank != call->root)
            summand__recv(schedule, rank, piece_at_root(call, rank));
    summand__copy(schedule, own, piece_at_root(call, call->root));
    summand__round(schedule);
}

void summand__pieces_cost(const struct summand__call *call, struct summand__cost *cost)
{
    size_t own = summand__call_piece(call, call->root).count, pieces = summand__call_pieces(call);
    cost->depth_at_most = cost->depth_at_most || pieces < (size_t)call->ranks;
    cost->messages += pieces - (own > 0);
    cost->elements += summand__call_total(call) - own;
    cost->depth += call->ranks > 1;
}

double summand__pieces_time(const struct summand__model *model, const struct summand__call *call,
                            size_t element)
{
    double bytes = (double)(call->count * element), ranks = call->ranks;
    double pieces = (double)call->count < ranks ? (double)call->count : ranks;
    double near = ranks < model->per_node ? ranks : model->per_node;
    struct summand__burst burst = {.reach = summand__reach_of(model, call->ranks),
                                   .sends = 1,
                                   .receives = pieces,
                                   .queue = pieces > near ? pieces - near : pieces,
                                   .bytes = pieces > 0 ? bytes / pieces : 0};
    return ranks > 1 && pieces > 0 ? summand__burst_time(model, &burst) : 0;
}

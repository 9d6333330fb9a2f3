/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues count puts in flight whose source data are still in use. The window knows this for each
 * rank, so a queue counts its puts to each rank. */
#include "notify/segment.h"

/* Subtracts completed puts from the count. */
static bool settle(struct summand_segment *segment, struct summand__put_queue *queue, int *code)
{
    struct summand__window *window = segment->window;
    for (int r = 0; r < segment->state->ranks && queue->under_way && *code == MPI_SUCCESS; r++) {
        bool done = false;
        if (!queue->to[r])
            continue;
        *code = window->transport->flush(window, r, false, &done);
        if (done && *code == MPI_SUCCESS) {
            queue->under_way -= queue->to[r];
            queue->to[r] = 0;
        }
    }
    return *code == MPI_SUCCESS && !queue->under_way;
}

bool summand__segment_has_room(struct summand_segment *segment, int queue, int *code)
{
    struct summand__put_queue *own = &segment->queue[queue];
    *code = MPI_SUCCESS;
    if (own->under_way < segment->depth)
        return true;
    settle(segment, own, code);
    summand__segment_note(segment, *code);
    return *code == MPI_SUCCESS && own->under_way < segment->depth;
}

struct waited {
    struct summand_segment *segment;
    struct summand__put_queue *queue;
};

static bool look_at_queue(void *context, int *code)
{
    const struct waited *waited = context;
    return settle(waited->segment, waited->queue, code);
}

int summand__segment_queue_wait(struct summand_segment *segment, int queue, double timeout)
{
    struct waited waited = {segment, &segment->queue[queue]};
    segment->waiting =
        (struct summand__segment_wait){.call = "summand_queue_wait", .id = queue, .rank = -1};
    return summand__segment_wait_until(segment, look_at_queue, &waited, timeout);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ordered/bundle_plan.h"

#include <stdlib.h>

bool summand__bundle_work_open(struct summand__bundle_work *work, bool receives)
{
    size_t bytes = summand__bundle_extent(&work->bundle);
    work->mine = calloc(1, bytes); /* calloc: gaps of values are copied, and must be defined */
    work->total = receives ? calloc(1, bytes) : NULL;
    return work->mine && (work->total || !receives);
}

void summand__bundle_work_close(struct summand__bundle_work *work)
{
    summand__layout_free(&work->layout);
    free(work->mine);
    free(work->total);
}

int summand__bundle_plan_make(struct summand__state *state, int code,
                              const struct summand__layout *layout,
                              struct summand__plan_parts *parts, summand_plan **plan)
{
    struct summand__bundle_work *work = parts->work;
    if (layout->refused) {
        parts->hooks->drop(work);
        return code;
    }
    if (code == MPI_SUCCESS) {
        work->layout = *layout;
        parts->rank_of = work->layout.rank_of;
        parts->operator= summand__bundle_operator(&work->bundle);
        parts->sendbuf = work->mine;
        parts->recvbuf = work->total;
    }
    return summand__plan_make_together(state, code, parts, plan);
}

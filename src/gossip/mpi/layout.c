/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "gossip/mpi/run.h"

bool summand__run_open_layout(struct summand__run *run)
{
    return summand__runner_open_guard(&run->runner, &run->layout);
}

bool summand__run_close_layout(struct summand__run *run)
{
    const struct summand__guarded part = {run, offsetof(struct summand__run, layout) / 8};
    return summand__guard_close(&run->layout, &part, 1);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The watch, without a report or records. */
#include "core/watch.h"

bool watch_start(void)
{
    return false;
}

void watch_begin(struct shim_call *call)
{
    (void)call;
}

void watch_end(struct shim_call *call)
{
    (void)call;
}

void watch_comm_free(struct shim_comm *comm)
{
    (void)comm;
}

void watch_finish(void)
{
}

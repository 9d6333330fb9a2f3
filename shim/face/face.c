/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that serve, in the table that the preloaded part shares. One text for all MPIs: its
 * compiler knows the handles of one. */
#include "face/calls.inc.h"
#include "face/requests.inc.h"
#include "face/also.inc.h"

static void *const functions[SHIM_AT_COUNT] = {
#define SHIM_ENTRY(mpi_name, pmpi_name, n) [AT_##mpi_name] = (void *)on_##mpi_name,
    SHIM_ENTRIES
#undef SHIM_ENTRY
};

/* If a tool comes between, it gets the program's calls first, and calls PMPI_Name. */
__attribute__((visibility("default"))) void summand__shim_open(struct shim_slot *slots);
void summand__shim_open(struct shim_slot *slots)
{
    const struct shim_wanted wanted = shim_wanted();
    shim_slots = slots;
    for (int at = 0; at < SHIM_AT_COUNT; at++) {
        if (!slots[at].real || !shim_takes(&wanted, (enum shim_at)at))
            continue;
        slots[at].pmpi = functions[at];
        if (!slots[at].tool)
            slots[at].mpi = functions[at];
    }
}

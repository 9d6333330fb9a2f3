/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Init to MPI_Finalize. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "comm/state.h"
#include "core/held.h"
#include "core/shim.h"

struct shim_slot *shim_slots;
struct shim_state shim_state;
static char complaint[1024];

static bool is_asked(void)
{
    struct summand__setting mode, strict, requests;
    struct summand__complaint unread;
    if (!summand__environment_take("SUMMAND_MODE", &mode, &unread) ||
        !shim_rules_read(mode.text ? mode.text : "fast", &shim_state.rules, complaint,
                         sizeof complaint))
        return true;
    shim_state.serves = !shim_rules_off(&shim_state.rules);
    if (!summand__environment_read("SUMMAND_STRICT", &strict, &unread) ||
        !summand__environment_read("SUMMAND_REQUESTS", &requests, &unread)) {
        snprintf(complaint, sizeof complaint, "%s", unread.text);
        return true;
    }
    shim_state.strict = strict.text && !strcmp(strict.text, "on");
    shim_state.requests = !shim_rules_promise(&shim_state.rules) ? -1
                          : requests.text                        ? requests.number
                                                                 : SHIM_GATHERED;
    if (shim_state.strict && !shim_rules_promise(&shim_state.rules)) {
        snprintf(
            complaint, sizeof complaint,
            "SUMMAND_STRICT needs a mode that promises bits (ordered, canonical or exact), not "
            "SUMMAND_MODE=%.200s",
            mode.text ? mode.text : "fast");
        return true;
    }
    return shim_state.serves || summand__environment_value("SUMMAND_REPORT", NULL) ||
           summand__environment_value("SUMMAND_RECORD", NULL);
}

struct shim_wanted shim_wanted(void)
{
    const bool asked = is_asked(), reports = summand__environment_value("SUMMAND_REPORT", NULL);
    const bool records = summand__environment_value("SUMMAND_RECORD", NULL);
    const bool serves = asked && !*complaint && shim_state.requests >= 0;
    return (struct shim_wanted){.calls = asked,
                                .asides = asked && (shim_state.strict || reports),
                                .requests = (asked && records) || serves,
                                .also = serves};
}

bool shim_takes(const struct shim_wanted *wanted, enum shim_at at)
{
    return at == AT_MPI_Init || at == AT_MPI_Init_thread ||
           (at >= AT_MPI_Request_get_status ? wanted->also
            : at >= AT_MPI_Wait             ? wanted->requests
            : at >= AT_MPI_Reduce_local     ? wanted->asides
                                            : wanted->calls);
}

/* The mode is wrong, or not that of all: one rank says so, and no rank goes on. */
static void refuse(void)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        shim_say("%s", complaint);
    SHIM_REAL(MPI_Finalize)();
    exit(2);
}

/* The attribute of MPI_COMM_SELF that was set first is deleted last. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    shim_requests_end();
    shim_folds_end();
    if (shim_state.watches)
        watch_finish();
    shim_state.runs = shim_state.watches = false;
    return MPI_SUCCESS;
}

static bool watch_the_end(void)
{
    int keyval;
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &keyval, NULL) == MPI_SUCCESS &&
           PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL) == MPI_SUCCESS;
}

void shim_start(void)
{
    if (shim_state.runs)
        return;
    shim_say_begin();
    if (!shim_agree(complaint, sizeof complaint) || *complaint)
        refuse();
    if (!is_asked())
        return;
    if (!shim_comms_begin() || !watch_the_end())
        return;
    shim_state.watches = watch_start();
    shim_state.runs = shim_state.watches || shim_state.serves;
    if (shim_state.requests >= 0)
        shim_folds_begin();
}

void shim_finish(void)
{
    shim_state.ends = true;
}

const char *shim_complaint(void)
{
    return complaint;
}

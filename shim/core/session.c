/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions outside of MPI_Init and MPI_Finalize: the MPI does their calls, and what the settings
 * ask for is not done. This is said once. */
#include <stdatomic.h>

#include "base/environment.h"
#include "core/held.h"
#include "core/shim.h"
#include "shim/core/record_site.h"

void shim_session(int more)
{
    atomic_fetch_add(&shim_state.sessions, more);
}

/* What is asked for, and does not hold for this call; NULL: nothing. */
static const char *missed(bool rounds)
{
    const bool reports = summand__environment_value("SUMMAND_REPORT", NULL);
    const bool records = summand__environment_value("SUMMAND_RECORD", NULL);
    if (rounds && shim_rules_promise(&shim_state.rules))
        return "is not as the mode promises, and in no report or record";
    return reports || records ? "is in no report or record" : NULL;
}

void shim_session_passes(const char *name, bool rounds, const void *caller, int rank)
{
    if (!shim_state.sessions || shim_state.said || shim_is_inside(caller))
        return;
    shim_depth++;
    const char *const where = record_site(shim_site(caller)), *const what = missed(rounds);
    if (*shim_complaint() || (shim_state.strict && rounds)) {
        shim_say_begin();
        if (*shim_complaint())
            shim_end_program("%s", shim_complaint());
        shim_end_strictly(name, "in a session, outside of MPI_Init", caller, rank);
    }
    if (what && !rank) {
        shim_say_begin();
        shim_say("%s%s%s, in a session outside of MPI_Init and MPI_Finalize, %s: the MPI does all "
                 "calls there",
                 name, where ? " at " : "", where ? where : "", what);
    }
    shim_state.said = !shim_state.strict && (what || !missed(true));
    shim_depth--;
}

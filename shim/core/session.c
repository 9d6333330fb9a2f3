/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions outside of MPI_Init and MPI_Finalize: the MPI does their calls, and what the settings
 * ask for is not done. This is said once, and once more if a promise is lost later. */
#include <stdatomic.h>
#include <unistd.h>

#include "base/environment.h"
#include "core/held.h"
#include "core/shim.h"
#include "shim/core/record_site.h"

void shim_session(int more)
{
    atomic_fetch_add(&shim_state.sessions, more);
}

/* What is asked for, and does not hold for this call; NULL: nothing. */
static const char *missed(bool lost)
{
    if (lost)
        return "is not as the mode promises, and in no report or record";
    return summand__environment_value("SUMMAND_REPORT", NULL) ||
                   summand__environment_value("SUMMAND_RECORD", NULL)
               ? "is in no report or record"
               : NULL;
}

static void say(const char *name, const char *what, const void *caller)
{
    const char *const where = record_site(shim_site(caller));
    shim_say("%s%s%s, in a session outside of MPI_Init and MPI_Finalize, %s: the MPI does all "
             "calls there",
             name, where ? " at " : "", where ? where : "", what);
}

void shim_session_passes(const char *name, bool rounds, const void *caller, int rank)
{
    static atomic_bool noted; /* the lesser line is said, for a call that keeps its promise */
    if (!shim_state.sessions || shim_state.said || shim_is_inside(caller))
        return;
    shim_depth++;
    const bool promises = shim_rules_promise(&shim_state.rules), lost = rounds && promises;
    const bool is_wrong = *shim_complaint(), ends = shim_state.strict && rounds;
    const char *const what = lost || !atomic_exchange(&noted, true) ? missed(lost) : NULL;
    if (is_wrong || ends || what)
        shim_say_begin();
    if (is_wrong && rank > 0)
        sleep(1);
    if (is_wrong)
        shim_end_program("%s", shim_complaint());
    if (ends)
        shim_end_strictly(name, "in a session, outside of MPI_Init", caller, rank);
    if (what && rank <= 0)
        say(name, what, caller);
    shim_state.said = !shim_state.strict && (lost || !promises);
    shim_depth--;
}

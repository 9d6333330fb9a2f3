/* SPDX-License-Identifier: BSD-3-Clause */
/* summand gossip: the gossip all-reduce, simulated and real. */
#include "cli/gossip/gossip.h"

#include "cli/output/progress.h"
#include "lab/gossip/events.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct command *const members[] = {&gossip_list, &gossip_topology, &gossip_run,
                                                &gossip_allreduce, NULL};

const struct command command_gossip = {
    .name = "gossip",
    .summary = "all-reduce by gossip, which heals from bit flips: simulated and over MPI",
    .synopsis = "gossip COMMAND [options]",
    .examples = "  summand gossip run --nodes 1k\n"
                "  mpirun -np 4 summand gossip allreduce\n",
    .members = members,
};

double gossip_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void gossip_progress(const char *what, double done, double total)
{
    progress_show(what, done, total);
}

bool gossip_duration(const char *command, const char *option, const char *text,
                     struct summand__duration *duration)
{
    const double most = 1e100;
    char *end;
    bool exponential = !strncmp(text, "exp:", 4);
    double low = strtod(exponential ? text + 4 : text, &end), high = low;
    if (!exponential && !strncmp(end, "..", 2))
        high = strtod(end + 2, &end);
    if (*end || end == text || !(low >= 0) || !(high >= low) || high > most) {
        complain(command, "--%s: '%s' is not T, LOW..HIGH or exp:MEAN, from 0 to %g", option, text,
                 most);
        return false;
    }
    double mean = (low + high) / 2;
    *duration = (struct summand__duration){mean, mean > 0 ? (high - low) / mean : 0, exponential};
    return true;
}

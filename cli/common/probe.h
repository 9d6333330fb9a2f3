/* Small schedules of our own, run and timed through the transport that the library's plans use:
 * what LogGP parameters are measured with. Elements are doubles, which are added. */
#ifndef SUMMAND_CLI_COMMON_PROBE_H
#define SUMMAND_CLI_COMMON_PROBE_H

#include "cli/common/agree.h"
#include "cli/common/counter_barrier.h"
#include "comm/state.h"
#include "schedule/schedule.h"

struct probe {
    struct summand__state *state; /* of MPI_COMM_WORLD */
    size_t elements;              /* of each of the buffers */
    double *sendbuf, *recvbuf;
    struct counter_barrier barrier; /* the MPI's own, unless ranks share processors */
    struct trouble trouble;
};

/* Collective, as all that follow. False, on all ranks, after a complaint of `command`. */
bool probe_begin(struct probe *probe, const char *command, size_t elements);
void probe_end(struct probe *probe);

/* Runs the ranks' schedules together, again and again; the median of the seconds that rank `whose`
 * needs from a barrier to the end of its own, on all ranks. Frees the schedule. Troubles are noted,
 * and the time is 0 then. */
double probe_time(struct probe *probe, struct summand__schedule *schedule, int whose);

#endif

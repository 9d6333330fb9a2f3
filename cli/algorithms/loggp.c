/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/loggp.h"

#include <math.h>
#include <stdlib.h>
#include <summand/reduce.h>

#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/ranks/agree.h"
#include "fabric/fabric.h"
#include "plan/tuned.h"
#include "select/choose.h"

static const double seconds_between = 1; /* for messages between nodes */

/* A library message from each of two ranks to the other. */
struct ways {
    MPI_Comm pair;
    summand_plan *way[2];
};

static int both_ways(const struct ways *ways)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < 2 && code == MPI_SUCCESS; i++) {
        code = summand_plan_start(ways->way[i]);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(ways->way[i]);
    }
    return code;
}

/* Seconds one way: half of the shortest of many round trips. */
static int time_size(struct ways *ways, void *buffer, size_t bytes, double *seconds)
{
    enum { LEAST = 10, MOST = 400 };
    static const double most_seconds = 0.02;
    int code = MPI_SUCCESS, going = 1;
    double first = MPI_Wtime();
    *seconds = INFINITY;
    for (int i = 0; i < 2 && code == MPI_SUCCESS; i++)
        code = summand_bcast_init(buffer, (int)bytes, MPI_BYTE, i, ways->pair, NULL, &ways->way[i]);
    for (int i = 0; code == MPI_SUCCESS && going; i++) {
        double start = MPI_Wtime();
        code = both_ways(ways);
        *seconds = fmin(*seconds, fmax(1e-9, (MPI_Wtime() - start) / 2));
        going = i < LEAST || (i < MOST && MPI_Wtime() - first < most_seconds);
        MPI_Bcast(&going, 1, MPI_INT, 0, ways->pair);
    }
    for (int i = 0; i < 2; i++)
        if (ways->way[i])
            summand_plan_free(&ways->way[i]);
    return code;
}

/* Library messages within a node: between the first two ranks of rank 0's node, through shared
 * memory. */
static void take_sample(struct trouble *trouble, int other, struct summand__network_sample *sample)
{
    enum { LARGEST = 4 << 20 };
    struct ways ways = {.pair = MPI_COMM_NULL};
    int rank = cli_rank(), code = MPI_SUCCESS;
    bool in = rank == 0 || rank == other;
    char *buffer = in ? calloc(1, LARGEST) : NULL;
    if (in && !buffer)
        trouble_note(trouble, "out of memory");
    if (!agree_fine(!trouble->text[0])) {
        free(buffer);
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, rank, &ways.pair);
    for (size_t bytes = 8; in && code == MPI_SUCCESS && bytes <= LARGEST; bytes *= 2) {
        progress_show("tune: what messages cost", sample->sizes, SUMMAND__NETWORK_SIZES);
        sample->bytes[sample->sizes] = bytes;
        code = time_size(&ways, buffer, bytes, &sample->seconds[sample->sizes++]);
    }
    trouble_note_mpi(trouble, "messages", code);
    if (in)
        MPI_Comm_free(&ways.pair);
    free(buffer);
}

/* The measurement of a first use, but longer. */
static void measure_messages(struct trouble *trouble, const struct summand__fabric *fabric,
                             struct loggp *loggp)
{
    struct summand__network network;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int code = summand__network_measure(comm, fabric->map.leader,
                                        fabric->shares ? &fabric->calibration : NULL, loggp->sample,
                                        seconds_between, &network);
    MPI_Comm_free(&comm);
    trouble_note_mpi(trouble, "messages", code);
    if (code == MPI_SUCCESS && !network.known)
        trouble_note(trouble, "out of memory");
    loggp->model = network.model;
}

/* The second rank of rank 0's node; 0: none. */
static int second(const struct summand__node_map *map)
{
    for (int r = 1; r < map->ranks; r++)
        if (map->leader[r] == 0)
            return r;
    return 0;
}

static void measure(struct trouble *trouble, const struct summand__state *state,
                    struct loggp *loggp)
{
    const struct summand__fabric *fabric = state->context.fabric;
    struct summand__query query = summand__query_on(state, NULL);
    const int other = second(&fabric->map);
    loggp->far = state->nodes.most < state->ranks;
    if (loggp->far || !fabric->shares)
        measure_messages(trouble, fabric, loggp);
    else
        loggp->model = summand__query_model(&query);
    loggp->model.per_node = state->nodes.most;
    if (state->nodes.most < 2)
        loggp->model.shared_card = 0;
    if (fabric->shares && other)
        take_sample(trouble, other, &loggp->sample[SUMMAND__WITHIN_NODE]);
}

bool loggp_measure(const char *command, struct loggp *loggp)
{
    struct summand__state *state;
    struct trouble trouble = {""};
    *loggp = (struct loggp){.far = false};
    trouble_note_mpi(&trouble, "communicator", summand__state_of(MPI_COMM_WORLD, &state));
    if (!agree(command, &trouble))
        return false;
    measure(&trouble, state, loggp);
    progress_show("tune: what messages cost", 1, 1);
    return agree(command, &trouble);
}

static double modelled(const struct summand__level *level, double eager, double bytes)
{
    return level->send + level->latency + level->recv + bytes * level->byte +
           (bytes > eager ? level->handshake : 0);
}

static void print_reach(const struct loggp *loggp, enum summand__reach reach, const char *name,
                        const char *lead, FILE *out)
{
    const struct summand__network_sample *sample = &loggp->sample[reach];
    double model[SUMMAND__NETWORK_SIZES];
    double worst = 0, sum = 0;
    int at = 0;
    for (int i = 0; i < sample->sizes; i++) {
        model[i] =
            modelled(&loggp->model.level[reach], loggp->model.eager, (double)sample->bytes[i]);
        double error = fabs(model[i] / sample->seconds[i] - 1);
        sum += error;
        if (error > worst) {
            worst = error;
            at = i;
        }
    }
    char text[400];
    snprintf(text, sizeof text,
             "%sone-way time of messages %s, 8 B to %zu B: the model is off by %.0f %% in the mean,"
             " %.0f %% at most (%zu B: %.3g us measured, %.3g by the model)",
             lead, name, sample->bytes[sample->sizes - 1], 100 * sum / sample->sizes, 100 * worst,
             sample->bytes[at], 1e6 * sample->seconds[at], 1e6 * model[at]);
    if (*lead)
        fprintf(out, "%s\n", text);
    else
        print_wrapped(text, 0, out);
}

void loggp_print_fit(const struct loggp *loggp, const char *lead, FILE *out)
{
    if (loggp->sample[SUMMAND__WITHIN_NODE].sizes)
        print_reach(loggp, SUMMAND__WITHIN_NODE, "in a node", lead, out);
    if (loggp->far)
        print_reach(loggp, SUMMAND__NETWORK, "between nodes", lead, out);
    else
        fprintf(out, "%sall ranks were on one node: between nodes the same numbers are taken\n",
                lead);
    if (loggp->model.per_switch > 0)
        fprintf(out,
                "%s%.0f nodes are under a switch; others are %.3g us farther away, and links up "
                "carry 1/%.2g of what these nodes can send\n",
                lead, loggp->model.per_switch,
                1e6 * (loggp->model.level[SUMMAND__FAR].latency -
                       loggp->model.level[SUMMAND__NETWORK].latency),
                loggp->model.oversubscription);
    else
        fprintf(out, "%sbetween switches (far) the numbers between nodes are taken\n", lead);
}

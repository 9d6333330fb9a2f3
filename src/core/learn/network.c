/* SPDX-License-Identifier: BSD-3-Clause */
#include "learn/network.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "learn/network_fit.h"
#include "process/error.h"
#include "select/tuning.h"
#include "wait/ballot.h"

enum { ROOM = 1 << 19 }; /* bytes of the longest message */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct summand__network had;

struct summand__network summand__network_recall(void)
{
    pthread_mutex_lock(&lock);
    struct summand__network network = had;
    pthread_mutex_unlock(&lock);
    return network;
}

void summand__network_keep(const struct summand__network *network)
{
    pthread_mutex_lock(&lock);
    if (network->known)
        had = *network;
    pthread_mutex_unlock(&lock);
}

/* Rank 0's message after its measurement. No padding. */
struct word {
    struct summand__network network;
    int64_t bytes;  /* of a simultaneous exchange of all nodes; 0: none */
    double seconds; /* of such an exchange without others */
};

/* Each node's first rank exchanges with the node half of the nodes away. If this takes longer than
 * two nodes alone, there are fewer links between switches than nodes. */
static int press(struct summand__probe *probe, const struct summand__network_roles *roles,
                 struct word *word)
{
    int all = 0;
    int code = summand__ballot_least(probe->comm, &all, 1); /* all start together */
    if (code != MPI_SUCCESS)
        return code;
    double start = PMPI_Wtime();
    if (roles->across >= 0)
        summand__probe_swap(probe, roles->across, (size_t)word->bytes);
    all = -(int)fmin(1e9, 1e9 * (PMPI_Wtime() - start));
    code = probe->code; /* of messages to one rank: the others join the vote in any case */
    int told = summand__ballot_least(probe->comm, &all, 1);
    if (told == MPI_SUCCESS) {
        /* Rank 0 computes and broadcasts the result: rounding modes of callers may differ. */
        double times = -1e-9 * all / word->seconds;
        word->network.model.oversubscription = times > 1.15 ? summand__network_rounded(times) : 1;
        told = summand__ballot_tell(probe->comm, word, (int)sizeof *word);
    }
    return code != MPI_SUCCESS ? code : told;
}

static int measure(struct summand__probe *probe, const struct summand__network_roles *roles,
                   const struct summand__calibration *calibration,
                   struct summand__network_sample thorough[2], double seconds,
                   struct summand__network *network)
{
    struct word word = {{0, {0}}, 0, 0};
    struct summand__network_bulk bulk = {0, 0};
    if (roles->rank == 0) {
        word.network.known = summand__network_fit(probe, roles, calibration, thorough, seconds,
                                                  &word.network.model, &bulk);
        word.bytes = (int64_t)bulk.bytes;
        word.seconds = bulk.seconds;
    } else if (roles->follows) {
        summand__probe_follow(probe);
    }
    int code = probe->code;
    int told = summand__ballot_tell(probe->comm, &word, (int)sizeof word);
    if (code == MPI_SUCCESS)
        code = told;
    if (code == MPI_SUCCESS && word.network.known && word.bytes)
        code = press(probe, roles, &word);
    *network = word.network;
    return code;
}

int summand__network_measure(MPI_Comm comm, const int *leader,
                             const struct summand__calibration *calibration,
                             struct summand__network_sample thorough[2], double seconds,
                             struct summand__network *network)
{
    struct summand__network_roles roles;
    struct summand__probe probe = {.comm = comm, .code = MPI_SUCCESS, .room = ROOM};
    int rank, ranks;
    memset(network, 0, sizeof *network);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    summand__network_cast(leader, ranks, rank, &roles);
    if (roles.nodes < 2 && !thorough)
        return MPI_SUCCESS;
    bool needed = rank == 0 || roles.follows || roles.across >= 0;
    probe.memory = needed ? calloc(1, summand__probe_memory(ROOM)) : NULL;
    int can = !needed || probe.memory;
    int code = summand__ballot_least(comm, &can, 1);
    if (code == MPI_SUCCESS && can)
        code = measure(&probe, &roles, calibration, thorough, seconds, network);
    if (!probe.left)
        free(probe.memory);
    return code;
}

int summand__network_learn(MPI_Comm comm, const int *leader,
                           const struct summand__calibration *calibration,
                           const struct summand__tuning_text *text,
                           struct summand__network *network)
{
    static const double budget = 0.0045; /* s */
    if (network->known ||
        (text->path && !*text->fault && summand__tuning_has_model(text->text, text->length)))
        return MPI_SUCCESS;
    return summand__network_measure(comm, leader, calibration, NULL, budget, network);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/fabric_node.h"

#include <summand/error.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/reads.h"
#include "wait/ballot.h"
#include "wait/cause.h"

/* Items that MPI_MIN combines. */
enum { ERROR, SHARED, ALONE, STAYS, CONTEXTS, PROCESSORS, ITEMS };

static bool wants_memory(const struct summand__fabric *fabric)
{
    return fabric->settings.transport != SUMMAND__P2P;
}

/* Maps the pool within the limits of all ranks. No rank touches the file before all agree that it
 * is long enough: in the caller's last collective. */
static void map_pool(struct summand__fabric *fabric, const struct summand__note *notes,
                     int descriptor)
{
    struct summand__pool *pool = &fabric->pool;
    struct summand__allowance limits = notes[0].limits;
    const int ranks = fabric->map.ranks_here;
    int contexts = notes[0].contexts;
    for (int i = 1; i < ranks; i++) {
        const struct summand__allowance *l = &notes[i].limits;
        contexts = notes[i].contexts < contexts ? notes[i].contexts : contexts;
        limits.file = l->file < limits.file ? l->file : limits.file;
        limits.addresses = l->addresses < limits.addresses ? l->addresses : limits.addresses;
    }
    *pool = summand__pool_plan(ranks, contexts, limits);
    if (!pool->contexts)
        return;
    if (fabric->map.local[fabric->rank] > 0)
        descriptor = summand__file_attach(&notes[0].file);
    else if (!summand__file_extend(descriptor, pool->bytes))
        return;
    summand__pool_map(pool, descriptor);
    if (fabric->map.local[fabric->rank] > 0 && descriptor >= 0)
        close(descriptor);
}

/* Gathers the ranks of this node, by one collective. `*descriptor`: the first one's file. */
static int meet(struct summand__making *making, int *descriptor)
{
    struct summand__fabric *fabric = making->fabric;
    struct summand__note mine = {.neighbour = summand__neighbour_now(fabric->rank),
                                 .contexts = fabric->contexts,
                                 .limits = summand__allowance_now()};
    struct summand__node_map *map = &fabric->map;
    int own;
    PMPI_Comm_size(making->node, &map->ranks_here);
    PMPI_Comm_rank(making->node, &own);
    if (wants_memory(fabric) && map->ranks_here > 1 && !own)
        *descriptor = summand__file_create(&mine.file);
    int code = summand__ballot_gather(making->node, &mine, making->notes, (int)sizeof mine);
    if (code != MPI_SUCCESS)
        return code;
    for (int r = 0; r < fabric->ranks; r++)
        map->local[r] = -1;
    for (int i = 0; i < map->ranks_here; i++) {
        map->here[i] = making->notes[i].neighbour;
        map->local[map->here[i].rank] = i;
    }
    return MPI_SUCCESS;
}

/* All ranks join a measurement, even after an error. */
static int share_memory(MPI_Comm comm, struct summand__making *making, int *descriptor)
{
    struct summand__fabric *fabric = making->fabric;
    int measured = MPI_SUCCESS, code = meet(making, descriptor);
    if (code == MPI_SUCCESS && wants_memory(fabric) && fabric->map.ranks_here > 1)
        map_pool(fabric, making->notes, *descriptor);
    if (making->calibrated.lacks)
        measured =
            summand__calibrated_measure(comm, &fabric->map, &fabric->pool, &making->calibrated);
    fabric->calibration = making->calibrated.calibration;
    if (code == MPI_SUCCESS)
        code = measured;
    return code == MPI_SUCCESS ? summand__reads_try(fabric, making->node) : code;
}

static void describe(const struct summand__making *making, int code, int mine[ITEMS])
{
    const struct summand__fabric *fabric = making->fabric;
    struct summand__members members = {NULL, fabric->ranks, fabric->rank};
    bool alone = fabric->map.ranks_here < 2;
    mine[SHARED] = alone || fabric->pool.memory;
    mine[ALONE] = alone;
    mine[STAYS] = making->stays;
    mine[CONTEXTS] = fabric->pool.memory ? fabric->pool.contexts : fabric->contexts;
    mine[PROCESSORS] =
        code == MPI_SUCCESS
            ? summand__members_processors(&fabric->map, &members, fabric->settings.node_size > 0)
            : 0;
}

static void conclude(struct summand__fabric *fabric, const int all[ITEMS])
{
    struct summand__nodes *nodes = &fabric->nodes;
    fabric->shares = wants_memory(fabric) && all[SHARED] && !all[ALONE];
    fabric->stays = all[STAYS];
    fabric->contexts = all[CONTEXTS];
    nodes->processors = all[PROCESSORS];
    nodes->declared = fabric->settings.node_size > 0;
    if (nodes->declared)
        nodes->node_size = nodes->most = (int)fabric->settings.node_size;
    if (!fabric->shares && fabric->pool.memory) {
        munmap(fabric->pool.memory, fabric->pool.bytes);
        fabric->pool.memory = NULL;
    }
}

int summand__fabric_settle(MPI_Comm comm, struct summand__making *making)
{
    struct summand__fabric *fabric = making->fabric;
    struct summand__node_map *map = &fabric->map;
    struct summand__members members = {NULL, fabric->ranks, fabric->rank};
    int descriptor = -1, all[ITEMS];
    int code = share_memory(comm, making, &descriptor);
    describe(making, code, all);
    int first = code == MPI_SUCCESS ? map->here[0].rank : 0;
    int told = summand__ballot_gather(comm, &first, map->leader, (int)sizeof first);
    if (told == MPI_SUCCESS && code == MPI_SUCCESS && !fabric->settings.node_size &&
        !summand__nodes_find(map, &members, making->scratch, &fabric->nodes, &fabric->groupings))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    all[ERROR] = summand__cause_number(fabric->rank, code);
    if (told == MPI_SUCCESS) /* also: the first rank's descriptor is no longer needed */
        told = summand__ballot_least(comm, all, ITEMS);
    if (descriptor >= 0)
        close(descriptor);
    if (code != MPI_SUCCESS || told != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : told;
    if (all[ERROR])
        return summand__cause_told(all[ERROR]);
    conclude(fabric, all);
    return MPI_SUCCESS;
}

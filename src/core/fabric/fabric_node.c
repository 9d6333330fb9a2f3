/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/fabric_node.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <summand/error.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/reads.h"
#include "wait/ballot.h"
#include "wait/cause.h"

/* Words that MPI_MIN combines. Rank 0 tells the last ones. */
enum {
    ERROR,
    SHARED,
    ALONE,
    STAYS,
    CONTEXTS,
    PROCESSORS,
    SEVERAL,
    CALIBRATION,
    WORDS = CALIBRATION + sizeof(struct summand__calibration) / 8
};

/* Numbers of which some are negative, in the same order. */
static uint64_t word_of(int number)
{
    return (uint64_t)((int64_t)number - INT_MIN);
}

static int number_of(uint64_t word)
{
    return (int)((int64_t)word + INT_MIN);
}

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
    *pool = summand__pool_plan(ranks, contexts + 1, limits); /* one to measure in: calibrated.h */
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

static int share_memory(struct summand__making *making, int *descriptor)
{
    struct summand__fabric *fabric = making->fabric;
    int code = meet(making, descriptor);
    if (code == MPI_SUCCESS && wants_memory(fabric) && fabric->map.ranks_here > 1)
        map_pool(fabric, making->notes, *descriptor);
    return code == MPI_SUCCESS ? summand__reads_try(fabric, making->node) : code;
}

/* Rank 0's calibration. */
static void tell_calibration(const struct summand__fabric *fabric, uint64_t words[WORDS])
{
    const struct summand__pool *pool = &fabric->pool;
    bool several;
    const struct summand__calibration calibration = summand__calibrated_read(
        fabric->settings.calibration,
        pool->memory ? pool->slots : summand__slots_of(fabric->map.ranks_here), &several);
    words[SEVERAL] = several && summand__calibrated_pair(&fabric->map, pool);
    memcpy(words + CALIBRATION, &calibration, sizeof calibration);
}

static void describe(const struct summand__making *making, int code, uint64_t words[WORDS])
{
    const struct summand__fabric *fabric = making->fabric;
    const struct summand__pool *pool = &fabric->pool;
    struct summand__members members = {NULL, fabric->ranks, fabric->rank};
    const bool alone = fabric->map.ranks_here < 2, fine = code == MPI_SUCCESS;
    const int contexts = pool->contexts > 1 ? pool->contexts - 1 : 1;
    for (size_t w = 0; w < WORDS; w++)
        words[w] = INT64_MAX;
    words[ERROR] = word_of(summand__cause_number(fabric->rank, code));
    words[SHARED] = alone || pool->memory;
    words[ALONE] = alone;
    words[STAYS] = making->stays;
    words[CONTEXTS] = (uint64_t)(pool->memory ? contexts : fabric->contexts);
    words[PROCESSORS] = fine ? (uint64_t)summand__members_processors(&fabric->map, &members,
                                                                     fabric->settings.node_size > 0)
                             : 0;
    if (fine && !fabric->rank)
        tell_calibration(fabric, words);
}

static void conclude(struct summand__fabric *fabric, const uint64_t all[WORDS])
{
    struct summand__nodes *nodes = &fabric->nodes;
    fabric->shares = wants_memory(fabric) && all[SHARED] && !all[ALONE];
    fabric->stays = all[STAYS];
    fabric->contexts = (int)all[CONTEXTS];
    nodes->processors = (int)all[PROCESSORS];
    memcpy(&fabric->calibration, all + CALIBRATION, sizeof fabric->calibration);
    nodes->declared = fabric->settings.node_size > 0;
    if (nodes->declared)
        nodes->node_size = nodes->most = (int)fabric->settings.node_size;
    if (!fabric->shares && fabric->pool.memory) {
        munmap(fabric->pool.memory, fabric->pool.bytes);
        fabric->pool.memory = NULL;
    }
}

/* All ranks learn the nodes; an irregular order of these takes memory. */
static int find_nodes(MPI_Comm comm, struct summand__making *making)
{
    struct summand__fabric *fabric = making->fabric;
    struct summand__members members = {NULL, fabric->ranks, fabric->rank};
    int code = MPI_SUCCESS, one_node = 1;
    for (int r = 1; r < fabric->ranks; r++)
        one_node = one_node && fabric->map.leader[r] == fabric->map.leader[0];
    if (fabric->settings.node_size)
        return MPI_SUCCESS;
    if (!summand__nodes_find(&fabric->map, &members, making->scratch, &fabric->nodes,
                             &fabric->groupings))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    if (one_node)
        return code;
    int least = summand__cause_number(fabric->rank, code);
    const int told = summand__ballot_least(comm, &least, 1);
    if (code != MPI_SUCCESS || told != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : told;
    return least ? summand__cause_told(least) : MPI_SUCCESS;
}

int summand__fabric_settle(MPI_Comm comm, struct summand__making *making)
{
    struct summand__fabric *fabric = making->fabric;
    int descriptor = -1;
    uint64_t all[WORDS];
    int code = share_memory(making, &descriptor);
    describe(making, code, all);
    const int first = code == MPI_SUCCESS ? fabric->map.here[0].rank : 0;
    const int told = summand__ballot_gather_lowest(comm, &first, fabric->map.leader,
                                                   (int)sizeof first, all, WORDS);
    if (descriptor >= 0) /* the first rank's: all have mapped it */
        close(descriptor);
    if (code != MPI_SUCCESS || told != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : told;
    if (number_of(all[ERROR]))
        return summand__cause_told(number_of(all[ERROR]));
    code = find_nodes(comm, making);
    if (code != MPI_SUCCESS)
        return code;
    conclude(fabric, all);
    return all[SEVERAL]
               ? summand__calibrated_choose(comm, &fabric->map, &fabric->pool, &fabric->calibration)
               : MPI_SUCCESS;
}

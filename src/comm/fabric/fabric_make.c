/* SPDX-License-Identifier: BSD-3-Clause */
/* How a fabric is made: a private communicator, what rank 0 sets, which ranks share a node, and
 * memory for these. All that is collective goes over the caller's communicator, so that it works
 * where the MPI has none left for us: then another fabric lends its own, or all ranks must share
 * memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "comm/error.h"
#include "comm/fabric/ballot.h"
#include "comm/fabric/closing.h"
#include "comm/fabric/fabric.h"
#include "comm/fabric/list.h"
#include "comm/fabric/loan.h"
#include "comm/fabric/reads.h"

/* What rank 0 says. */
struct head {
    struct summand__settings settings;
    struct summand__calibrated calibrated;
    struct summand__network network;
    uint64_t id[2];
};

/* What each rank of a node tells the others; of the first one the file counts. */
struct note {
    struct summand__neighbour neighbour;
    int contexts; /* that it has numbers for */
    struct summand__allowance limits;
    struct summand__file file;
};

/* What is joined by MPI_MIN. */
enum { GOOD, SHARED, ALONE, STAYS, CONTEXTS, PROCESSORS, ITEMS };

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Without the system's random numbers: those of this process and time. */
static uint64_t random_word(void)
{
    struct timespec now;
    uint64_t word;
    if (getrandom(&word, sizeof word, 0) == sizeof word)
        return word;
    clock_gettime(CLOCK_REALTIME, &now);
    return mix(mix((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) ^
               (uint64_t)(uintptr_t)&now);
}

uint64_t summand__fabric_draw(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t first, drawn;
    pthread_mutex_lock(&lock);
    if (!drawn)
        first = random_word();
    uint64_t word = first + mix(++drawn) + mix((uint64_t)getpid() << 32); /* a fork draws others */
    pthread_mutex_unlock(&lock);
    return mix(word);
}

static void draw_id(uint64_t newest, uint64_t id[2])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    id[0] = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (id[0] <= newest)
        id[0] = newest + 1;
    id[1] = summand__fabric_draw();
}

/* The same ranks and none of the caller's attributes: MPI_Comm_dup would call what copies those. */
static int duplicate(MPI_Comm comm, MPI_Group group, MPI_Comm *private)
{
    int code = PMPI_Comm_create(comm, group, private);
    if (code != MPI_SUCCESS)
        *private = MPI_COMM_NULL;
    else
        PMPI_Comm_set_errhandler(*private, MPI_ERRORS_RETURN);
    return code;
}

/* The rank of `group` that is the first of another communicator. */
static int first_of(MPI_Comm comm, MPI_Group group)
{
    MPI_Group all;
    int first = 0, rank = 0;
    if (PMPI_Comm_group(comm, &all) != MPI_SUCCESS)
        return rank;
    PMPI_Group_translate_ranks(all, 1, &first, group, &rank);
    PMPI_Group_free(&all);
    return rank;
}

/* The ranks of this node. What is declared can only part what shares memory: simulators declare
 * nodes that do not. */
static int split(MPI_Comm comm, MPI_Group group, const struct summand__settings *settings, int rank,
                 MPI_Comm *node, int *machine)
{
    MPI_Comm sharing;
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    *node = ranks == 1 ? comm : MPI_COMM_NULL;
    if (ranks == 1)
        return MPI_SUCCESS;
    int code = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing);
    if (code != MPI_SUCCESS)
        return code;
    PMPI_Comm_set_errhandler(sharing, MPI_ERRORS_RETURN);
    *machine = first_of(sharing, group);
    if (!settings->node_size) {
        *node = sharing;
        return code;
    }
    code = PMPI_Comm_split(sharing, rank / (int)settings->node_size, rank, node);
    if (code == MPI_SUCCESS)
        PMPI_Comm_set_errhandler(*node, MPI_ERRORS_RETURN);
    else
        *node = MPI_COMM_NULL;
    PMPI_Comm_free(&sharing);
    return code;
}

static bool wants_memory(const struct summand__fabric *fabric)
{
    return fabric->settings.transport != SUMMAND__P2P;
}

/* Each rank's own limits count, and no rank looks at the file before it is as long as all agreed:
 * the caller's last collective. */
static void map_pool(struct summand__fabric *fabric, const struct note *notes, int descriptor)
{
    struct summand__pool *pool = &fabric->pool;
    struct summand__allowance limits = notes[0].limits;
    const int ranks = fabric->map.ranks_here;
    int contexts = SUMMAND__MOST_CONTEXTS;
    for (int i = 0; i < ranks; i++) {
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

/* Each context has all tags that the smallest MPI has. */
static int most_contexts(void)
{
    int contexts = summand__fabric_numbers();
    return contexts < 1 ? 1 : contexts > SUMMAND__MOST_CONTEXTS ? SUMMAND__MOST_CONTEXTS : contexts;
}

/* What is made on the way. */
struct making {
    struct summand__fabric *fabric;
    struct note *notes; /* by rank of `node`; then by rank on this node */
    int *scratch;       /* two by rank */
    MPI_Comm node;      /* the caller's communicator where that is `bare` or of one rank */
    int machine;        /* the first rank that shares memory with this one; not where `bare` */
    struct summand__calibrated calibrated;
    uint64_t newest; /* first word of an id that this rank knows */
    bool stays;
    bool bare; /* `node` is the caller's communicator, and may have ranks of other nodes */
    bool left; /* before its end: what others may still be at is not freed */
};

/* Whether a rank of `node` is on this node. Without a communicator of the node's it is what the
 * lender of the fabric's knows of shared memory, parted by what is declared of this fabric's. */
static bool is_here(const struct making *making, int rank)
{
    const struct summand__fabric *fabric = making->fabric;
    int64_t size = fabric->settings.node_size;
    if (!making->bare)
        return true;
    if (fabric->lender) {
        const int *machine = fabric->lender->map.machine;
        if (machine[fabric->peers[rank]] != machine[fabric->lender->rank])
            return false;
    }
    return !size || rank / size == fabric->rank / size;
}

/* The ranks of this node, by one collective. */
static int meet(struct making *making, int *descriptor)
{
    struct summand__fabric *fabric = making->fabric;
    struct note mine = {.neighbour = summand__neighbour_now(fabric->rank)};
    struct note *notes = making->notes;
    struct summand__node_map *map = &fabric->map;
    int all, own, first = -1, here = 0;
    PMPI_Comm_size(making->node, &all);
    PMPI_Comm_rank(making->node, &own);
    for (int i = 0; i < all; i++) {
        bool is = is_here(making, i);
        first = is && !here ? i : first;
        here += is;
    }
    mine.contexts = fabric->contexts;
    mine.limits = summand__allowance_now();
    if (wants_memory(fabric) && here > 1 && own == first)
        *descriptor = summand__file_create(&mine.file);
    int code = summand__ballot_gather(making->node, &mine, notes, (int)sizeof mine);
    if (code != MPI_SUCCESS)
        return code;
    map->ranks_here = here;
    for (int r = 0; r < fabric->ranks; r++)
        map->local[r] = -1;
    for (int i = 0, local = 0; i < all; i++) {
        if (!is_here(making, i))
            continue;
        notes[local] = notes[i];
        map->here[local] = notes[i].neighbour;
        map->local[notes[i].neighbour.rank] = local++;
    }
    return MPI_SUCCESS;
}

static void describe(const struct making *making, int code, int mine[ITEMS])
{
    const struct summand__fabric *fabric = making->fabric;
    struct summand__members members = {NULL, fabric->ranks, fabric->rank};
    bool alone = fabric->map.ranks_here < 2;
    mine[GOOD] = code == MPI_SUCCESS;
    mine[SHARED] = alone || fabric->pool.memory;
    mine[ALONE] = alone;
    mine[STAYS] = making->stays;
    mine[CONTEXTS] = fabric->pool.memory ? fabric->pool.contexts : fabric->contexts;
    mine[PROCESSORS] =
        code == MPI_SUCCESS
            ? summand__members_processors(&fabric->map, &members, fabric->settings.node_size > 0)
            : 0;
}

/* Shares memory on each node, and tells all what each found. */
static int settle(MPI_Comm comm, struct making *making)
{
    struct summand__fabric *fabric = making->fabric;
    struct summand__node_map *map = &fabric->map;
    struct summand__members members = {NULL, fabric->ranks, fabric->rank};
    int descriptor = -1, all[ITEMS];
    int code = meet(making, &descriptor);
    if (code == MPI_SUCCESS && wants_memory(fabric) && map->ranks_here > 1)
        map_pool(fabric, making->notes, descriptor);
    int measured = MPI_SUCCESS;
    if (making->calibrated.lacks) /* on all ranks, whatever has failed on one */
        measured = summand__calibrated_measure(comm, map, &fabric->pool, &making->calibrated);
    if (code == MPI_SUCCESS)
        code = measured;
    fabric->calibration = making->calibrated.calibration;
    if (code == MPI_SUCCESS)
        code = summand__reads_try(fabric, making->node);
    describe(making, code, all);
    int first[2] = {code == MPI_SUCCESS ? map->here[0].rank : 0, making->machine};
    int told = summand__ballot_gather(comm, first, making->scratch, (int)sizeof first);
    for (int r = 0; r < 2 * fabric->ranks; r++)
        (r % 2 ? map->machine : map->leader)[r / 2] = making->scratch[r];
    if (told == MPI_SUCCESS && code == MPI_SUCCESS && !fabric->settings.node_size &&
        !summand__nodes_find(map, &members, making->scratch, &fabric->nodes, &fabric->groupings))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    all[GOOD] = code == MPI_SUCCESS;
    if (told == MPI_SUCCESS) /* also: nobody needs the first one's descriptor any more */
        told = summand__ballot_least(comm, all, ITEMS);
    if (descriptor >= 0)
        close(descriptor);
    if (code != MPI_SUCCESS || told != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : told;
    if (!all[GOOD])
        return summand_error_code(SUMMAND_ERR_REMOTE);
    fabric->shares = wants_memory(fabric) && all[SHARED] && !all[ALONE];
    fabric->stays = all[STAYS] && !making->bare; /* there may be communicators again later */
    fabric->contexts = all[CONTEXTS];
    fabric->nodes.processors = all[PROCESSORS];
    fabric->nodes.declared = fabric->settings.node_size > 0;
    if (fabric->nodes.declared)
        fabric->nodes.node_size = fabric->nodes.most = (int)fabric->settings.node_size;
    if (!fabric->shares && fabric->pool.memory) {
        munmap(fabric->pool.memory, fabric->pool.bytes);
        fabric->pool.memory = NULL;
    }
    return MPI_SUCCESS;
}

/* All must have memory for what follows, a communicator, and their node. False on all ranks where
 * one lacks communicators. */
static int agree_on_means(MPI_Comm comm, struct making *making, int lack, bool *complete)
{
    struct summand__fabric *fabric = making->fabric;
    int here = fabric ? fabric->ranks : 0;
    if (fabric && !making->bare && lack == MPI_SUCCESS)
        PMPI_Comm_size(making->node, &here);
    if (fabric) {
        free(making->notes);
        free(fabric->map.here);
        making->notes = malloc((size_t)here * sizeof *making->notes);
        fabric->map.here = malloc((size_t)here * sizeof *fabric->map.here);
    }
    bool room = fabric && fabric->map.leader && fabric->map.machine && fabric->map.local &&
                fabric->map.here && fabric->ends && making->notes && making->scratch &&
                (!making->bare || fabric->peers);
    int all[2] = {room, lack == MPI_SUCCESS};
    int code = summand__ballot_least(comm, all, 2);
    *complete = all[1];
    if (code == MPI_SUCCESS && !all[0])
        code = summand_error_code(room ? SUMMAND_ERR_REMOTE : SUMMAND_ERR_MEMORY);
    return code;
}

/* Without communicators: with another fabric's, else on one node, all of whose ranks share memory.
 */
static int settle_bare(MPI_Comm comm, MPI_Group group, struct making *making)
{
    struct summand__fabric *fabric = making->fabric;
    int lack = summand_error_code(SUMMAND_ERR_COMMUNICATORS);
    bool complete;
    making->bare = true;
    making->node = comm;
    fabric->peers = malloc((size_t)fabric->ranks * sizeof *fabric->peers);
    int code = agree_on_means(comm, making, MPI_SUCCESS, &complete);
    if (code == MPI_SUCCESS)
        code = summand__loan_take(comm, group, fabric, making->scratch);
    if (code != MPI_SUCCESS)
        return code;
    if (fabric->lender) {
        fabric->contexts = 1;
    } else {
        free(fabric->peers);
        fabric->peers = NULL;
        if (fabric->settings.node_size && fabric->settings.node_size < fabric->ranks)
            return lack;
    }
    code = settle(comm, making);
    if (code == MPI_SUCCESS && fabric->ranks > 1 && !fabric->shares && !fabric->lender)
        code = lack;
    return code;
}

static void start(MPI_Comm comm, struct making *making)
{
    struct summand__fabric *fabric = making->fabric = calloc(1, sizeof *fabric);
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    making->scratch = malloc(2 * (size_t)ranks * sizeof *making->scratch);
    making->node = MPI_COMM_NULL;
    if (!fabric)
        return;
    fabric->comm = MPI_COMM_NULL;
    fabric->group = MPI_GROUP_NULL;
    fabric->ranks = ranks;
    PMPI_Comm_rank(comm, &fabric->rank);
    fabric->contexts = most_contexts();
    fabric->ends = calloc((size_t)fabric->contexts, sizeof *fabric->ends);
    summand__node_map_make(&fabric->map, ranks);
}

/* By a vote, which does not end before all ranks have come: what follows makes communicators, and
 * nobody could leave that. */
static int tell_settings(MPI_Comm comm, int rank, uint64_t newest, struct head *head)
{
    memset(head, 0, sizeof *head);
    if (!rank) {
        head->settings = summand__settings_read();
        head->calibrated = summand__calibrated_read(head->settings.calibration);
        if (head->settings.network == SUMMAND__NETWORK_AUTO)
            head->network = summand__network_recall();
        draw_id(newest, head->id);
    }
    return summand__ballot_or(comm, (uint64_t *)(void *)head, (int)(sizeof *head / 8));
}

static void free_node(MPI_Comm comm, struct making *making)
{
    if (!making->left && making->node != MPI_COMM_NULL && making->node != comm)
        PMPI_Comm_free(&making->node);
}

/* Communicators are asked for on all ranks in any case: some of them may get theirs. */
static int make(MPI_Comm comm, struct making *making, MPI_Comm *private, MPI_Group group)
{
    struct head head;
    bool complete = false;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    int code = tell_settings(comm, rank, making->newest, &head);
    if (code != MPI_SUCCESS)
        return code;
    int lack = duplicate(comm, group, private);
    int parted = split(comm, group, &head.settings, rank, &making->node, &making->machine);
    if (lack == MPI_SUCCESS)
        lack = parted;
    code = agree_on_means(comm, making, lack, &complete);
    if (code != MPI_SUCCESS)
        return code;
    struct summand__fabric *fabric = making->fabric;
    fabric->settings = head.settings;
    making->calibrated = head.calibrated;
    fabric->network = head.network;
    memcpy(fabric->id, head.id, sizeof head.id);
    if (head.settings.tuning[0])
        code = summand__tuning_text_get(comm, &fabric->tuning);
    if (code == MPI_SUCCESS && complete) {
        code = settle(comm, making);
        return code == MPI_SUCCESS ? summand__network_learn(*private, fabric) : code;
    }
    if (*private != MPI_COMM_NULL)
        PMPI_Comm_free(private);
    free_node(comm, making);
    *private = MPI_COMM_NULL;
    return code == MPI_SUCCESS ? settle_bare(comm, group, making) : code;
}

/* What was asked for must be had. */
static int check_transport(const struct summand__fabric *fabric)
{
    const char *missing = NULL;
    if (fabric->settings.transport == SUMMAND__SHM && fabric->ranks > 1 && !fabric->shares)
        missing = "SUMMAND_TRANSPORT is 'shm': the ranks cannot share memory";
#ifndef SUMMAND_GPI2_FILE
    if (fabric->settings.transport == SUMMAND__GPI2)
        missing = "SUMMAND_TRANSPORT is 'gpi2': Summand was built without GPI-2";
#endif
    if (!missing)
        return MPI_SUCCESS;
    summand__error_explain(SUMMAND_ERR_ENVIRONMENT, "%s", missing);
    return summand_error_code(SUMMAND_ERR_ENVIRONMENT);
}

int summand__fabric_make(MPI_Comm comm, bool stays, uint64_t newest, struct summand__fabric **made)
{
    struct making making = {.stays = stays, .newest = newest};
    MPI_Comm private = MPI_COMM_NULL;
    MPI_Group group;
    MPI_Errhandler handler;
    *made = NULL;
    int code = PMPI_Comm_group(comm, &group);
    if (code == MPI_SUCCESS)
        code = PMPI_Comm_get_errhandler(comm, &handler);
    if (code != MPI_SUCCESS)
        return code;
    /* A lack of communicators is not the caller's error. */
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    start(comm, &making);
    code = make(comm, &making, &private, group);
    making.left = code == summand_error_code(SUMMAND_ERR_TIMEOUT);
    if (making.left) /* freeing it may be collective */
    private = MPI_COMM_NULL;
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    free(making.notes);
    free(making.scratch);
    free_node(comm, &making);
    struct summand__fabric *fabric = making.fabric;
    if (fabric) {
        if (!fabric->lender)
            fabric->comm = private;
        fabric->littered = making.left;
        fabric->group = group;
    } else {
        PMPI_Group_free(&group);
        if (private != MPI_COMM_NULL)
            PMPI_Comm_free(&private);
    }
    if (code == MPI_SUCCESS)
        code = check_transport(fabric);
    if (code != MPI_SUCCESS) {
        if (fabric)
            summand__fabric_drop(fabric);
        return code;
    }
    summand__number_set_begin(&fabric->own, fabric->contexts);
    summand__number_set_begin(&fabric->loans, summand__fabric_numbers() - fabric->contexts);
    summand__calibrated_use(&making.calibrated);
    summand__network_keep(&fabric->network);
    summand__reads_warn(fabric);
    *made = fabric;
    return MPI_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/calibrated.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/backoff.h"
#include "base/environment.h"
#include "base/hash.h"
#include "base/warning.h"
#include "calibrate/store.h"
#include "fabric/node_split.h"
#include "kernel/prefetch.h"
#include "kernel/stream.h"
#include "process/world_root.h"
#include "wait/ballot.h"

static const double budget = 0.05; /* seconds at a first use */

/* This process's calibration, read or measured once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct summand__calibrated had;
static bool has;

int64_t summand__calibration_asked(const char *text)
{
    if (!*text || !strcmp(text, "auto"))
        return SUMMAND__CALIBRATE_AUTO;
    if (!strcmp(text, "off"))
        return SUMMAND__CALIBRATE_OFF;
    return (int64_t)(summand__hash_text(text) | 2);
}

static bool recall(int64_t asked, struct summand__calibrated *calibrated)
{
    pthread_mutex_lock(&lock);
    bool same = has && had.asked == asked;
    if (same)
        *calibrated = had;
    pthread_mutex_unlock(&lock);
    return same;
}

void summand__calibrated_use(const struct summand__calibrated *calibrated)
{
    pthread_mutex_lock(&lock);
    if (!calibrated->lacks) {
        had = *calibrated;
        has = true;
    }
    pthread_mutex_unlock(&lock);
    summand__spins_set((uint32_t)calibrated->calibration.value[SUMMAND__SPIN_TURNS]);
    summand__prefetch_set(calibrated->calibration.value[SUMMAND__PREFETCH_AHEAD]);
    summand__stream_set(SUMMAND__STREAM_RESULTS,
                        calibrated->calibration.value[SUMMAND__BYPASS_RESULTS]);
    summand__stream_set(SUMMAND__STREAM_COPIES,
                        calibrated->calibration.value[SUMMAND__BYPASS_COPIES]);
}

static void read_named(struct summand__calibration *calibration)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    const char *fault;
    if (summand__environment_read("SUMMAND_CALIBRATION", &setting, &complaint) && setting.text &&
        !summand__calibration_load(setting.text, NULL, calibration, &fault) &&
        summand__is_world_root())
        summand__warn("SUMMAND_CALIBRATION: %s: %s; the defaults hold", setting.text, fault);
}

/* Rank 0's files of this machine, read once if there is a folder: no rank waits for a file while
 * two ranks measure. */
static struct {
    bool read, keepable;
    int n;
    struct summand__kept list[SUMMAND__MOST_KEPT];
} files;

/* Files hold distances between cores, which two ranks measure. A simulation has nothing to measure:
 * its processes share a core, and its clock stands still. */
static bool read_files(void)
{
#ifdef SMPI_H
    return false;
#else
    char path[PATH_MAX];
    pthread_mutex_lock(&lock);
    if (!files.read) {
        files.n = summand__calibration_list(files.list);
        files.keepable =
            summand__calibration_path(0, 0, path) && summand__calibration_keepable(path);
        files.read = files.keepable;
    }
    pthread_mutex_unlock(&lock);
    return true;
#endif
}

/* A kept calibration for so many slots, if possible; else the standard one. */
static struct summand__calibration any_kept(unsigned slots)
{
    const struct summand__kept *kept =
        summand__calibration_find(files.list, files.n, SUMMAND__ANY_DISTANCE, slots);
    return kept ? kept->calibration : summand__calibration_standard();
}

struct search {
    struct summand__calibration calibration; /* of any distance, or of the measured one */
    unsigned slots;
};

struct summand__calibrated summand__calibrated_read(int64_t asked)
{
    struct summand__calibrated calibrated = {asked, 0, summand__calibration_standard()};
    if (recall(asked, &calibrated))
        return calibrated;
    if (asked == SUMMAND__CALIBRATE_AUTO)
        calibrated.lacks = read_files();
    else if (asked != SUMMAND__CALIBRATE_OFF)
        read_named(&calibrated.calibration);
    return calibrated;
}

/* True for the two ranks that measure; false if the node's ranks cannot have a processor each. */
static bool is_one(const struct summand__node_map *map, int rank)
{
    const struct summand__members all = {NULL, map->ranks, rank};
    return map->ranks_here > 1 && map->here[0].rank == 0 && map->local[rank] < 2 &&
           summand__members_processors(map, &all, false) >= map->ranks_here;
}

static struct summand__pair pair_of(unsigned char *memory, unsigned slots, bool first,
                                    double seconds)
{
    return (struct summand__pair){
        .memory = memory, .slots = slots, .first = first, .seconds = seconds};
}

/* Looks up a calibration in memory only, because the other rank waits. A file that is damaged, or
 * not settled for long, is replaced; the latter's values stay if measuring fails. */
static bool known(void *context, int64_t line)
{
    struct search *search = context;
    const int distance = summand__calibration_distance(line);
    const struct summand__kept *exact =
        summand__calibration_find(files.list, files.n, distance, search->slots);
    if (exact)
        search->calibration = exact->calibration;
    return exact && summand__calibration_holds(&exact->calibration, time(NULL));
}

/* Finds a calibration on the two ranks: a new or kept one, else that of any distance. Without a
 * writable folder it holds for this job only. */
static void find(const struct summand__pool *pool, bool first,
                 struct summand__calibration *calibration)
{
    struct search search = {any_kept(pool->slots), pool->slots};
    char path[PATH_MAX];
    unsigned char *memory =
        summand__pool_pages(pool) + (size_t)pool->ranks * SUMMAND__ABORTED_BYTES;
    struct summand__pair pair = pair_of(memory, pool->slots, first, budget);
    pair.known = known;
    pair.context = &search;
    enum summand__measured how = summand__calibration_measure(&pair, calibration);
    if (how == SUMMAND__MEASURED_NOT || how == SUMMAND__MEASURED_KNOWN)
        *calibration = search.calibration;
    else if (first && files.keepable &&
             summand__calibration_path_of(calibration, pool->slots, path))
        summand__calibration_save(path, calibration);
}

int summand__calibrated_measure(MPI_Comm comm, const struct summand__node_map *map,
                                const struct summand__pool *pool,
                                struct summand__calibrated *calibrated)
{
    int64_t words[1 + sizeof calibrated->calibration / 8] = {1}; /* first: if it still lacks */
    int rank;
    PMPI_Comm_rank(comm, &rank);
    bool one = is_one(map, rank);
    int can = !one || pool->memory; /* the memory is not touched before it is long enough */
    int code = summand__ballot_least(comm, &can, 1);
    if (code != MPI_SUCCESS)
        return code;
    if (one && can) {
        find(pool, rank == 0, &calibrated->calibration);
        words[0] = 0;       /* a failure is not tried again */
    } else if (rank == 0) { /* ranks that share processors, or a single one on its node */
        calibrated->calibration = any_kept(summand__slots_of(map->ranks_here));
        words[0] = map->ranks == 1 || !files.n;
    }
    memcpy(words + 1, &calibrated->calibration, sizeof calibrated->calibration);
    code = summand__ballot_tell(comm, words, (int)sizeof words);
    calibrated->lacks = words[0];
    memcpy(&calibrated->calibration, words + 1, sizeof calibrated->calibration);
    return code;
}

/* The slots of a program's queues within the limits of the node's ranks; 0 without queues. */
static int slots_allowed(MPI_Comm node, int ranks, unsigned *slots)
{
    const struct summand__allowance mine = summand__allowance_now();
    uint64_t limits[] = {mine.file, mine.addresses};
    int code = summand__ballot_lowest(node, limits, 2);
    struct summand__allowance all = {(size_t)limits[0], (size_t)limits[1]};
    const struct summand__pool plan = summand__pool_plan(ranks, 1, all);
    *slots = plan.contexts ? plan.slots : 0;
    return code;
}

int summand__calibrate_anew(MPI_Comm comm, double seconds, struct summand__calibration *calibration,
                            unsigned *slots, enum summand__measured *how)
{
    unsigned char *memory = NULL;
    MPI_Comm node = MPI_COMM_NULL;
    size_t bytes = 0;
    int rank, local, ranks, done = SUMMAND__MEASURED_NOT;
    *calibration = summand__calibration_standard();
    PMPI_Comm_rank(comm, &rank);
    int code = summand__ballot_least(comm, &done, 1); /* all have joined */
    if (code != MPI_SUCCESS)
        return code;
    code = summand__node_split(comm, &node);
    if (code == MPI_SUCCESS) {
        PMPI_Comm_size(node, &ranks);
        code = slots_allowed(node, ranks, slots);
        bytes = 2 * summand__slots_bytes(*slots);
    }
    if (code == MPI_SUCCESS && *slots)
        code = summand__segment_share(node, bytes, &memory);
    if (!memory)
        *slots = 0;
    if (code == MPI_SUCCESS) {
        PMPI_Comm_rank(node, &local);
        const struct summand__pair pair = pair_of(memory, *slots, local == 0, seconds);
        if (memory && local < 2)
            done = (int)summand__calibration_measure(&pair, calibration);
        int over = done; /* the others sleep, so the processors are free */
        code = summand__ballot_least(node, &over, 1);
    }
    if (memory)
        munmap(memory, bytes);
    if (node != MPI_COMM_NULL)
        PMPI_Comm_free(&node);
    int told = summand__ballot_tell(comm, &done, (int)sizeof done);
    if (told == MPI_SUCCESS)
        told = summand__ballot_tell(comm, calibration, (int)sizeof *calibration);
    *how = (enum summand__measured)done;
    return code == MPI_SUCCESS ? told : code;
}

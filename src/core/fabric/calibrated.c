/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/calibrated.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/backoff.h"
#include "base/environment.h"
#include "base/hash.h"
#include "base/warning.h"
#include "calibrate/store.h"
#include "fabric/fabric.h"
#include "fabric/node_split.h"
#include "kernel/prefetch.h"
#include "kernel/stream.h"
#include "process/world_root.h"
#include "wait/ballot.h"

/* Seconds: of a measurement; of a look at the distance of two cores; a program that lasted so long
 * measures at its end, which is a small part of its time. */
static const double budget = 0.05, glance = 0.002, lasting = 2;

/* This process's calibration for later fabrics, if it is not a file of this machine: named, of the
 * distance that was measured, or `summand tune`'s. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool has;
    int64_t asked;
    struct summand__calibration calibration;
} had;

int64_t summand__calibration_asked(const char *text)
{
    if (!*text || !strcmp(text, "auto"))
        return SUMMAND__CALIBRATE_AUTO;
    if (!strcmp(text, "off"))
        return SUMMAND__CALIBRATE_OFF;
    return (int64_t)(summand__hash_text(text) | 2);
}

static bool recall(int64_t asked, struct summand__calibration *calibration)
{
    pthread_mutex_lock(&lock);
    bool same = had.has && had.asked == asked;
    if (same)
        *calibration = had.calibration;
    pthread_mutex_unlock(&lock);
    return same;
}

void summand__calibrated_prefer(int64_t asked, const struct summand__calibration *calibration)
{
    pthread_mutex_lock(&lock);
    had.has = true;
    had.asked = asked;
    had.calibration = *calibration;
    pthread_mutex_unlock(&lock);
}

void summand__calibrated_use(const struct summand__calibration *calibration)
{
    summand__spins_set((uint32_t)calibration->value[SUMMAND__SPIN_TURNS]);
    summand__prefetch_set(calibration->value[SUMMAND__PREFETCH_AHEAD]);
    summand__stream_set(SUMMAND__STREAM_RESULTS, calibration->value[SUMMAND__BYPASS_RESULTS]);
    summand__stream_set(SUMMAND__STREAM_COPIES, calibration->value[SUMMAND__BYPASS_COPIES]);
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

/* Rank 0's files of this machine, read once if there is a folder. */
static struct {
    bool read, keepable;
    uint64_t when;
    int n;
    struct summand__kept list[SUMMAND__MOST_KEPT];
} files;

/* Files hold distances between cores, which two ranks measure. A simulation has nothing to measure:
 * its processes share a core, and its clock stands still. */
static void read_files(void)
{
#ifndef SMPI_H
    char path[PATH_MAX];
    pthread_mutex_lock(&lock);
    if (!files.read) {
        files.n = summand__calibration_list(files.list);
        files.keepable =
            summand__calibration_path(0, 0, path) && summand__calibration_keepable(path);
        files.read = files.keepable;
        files.when = summand__clock();
    }
    pthread_mutex_unlock(&lock);
#endif
}

static bool are_several(unsigned slots)
{
    int good = 0;
    for (int i = 0; i < files.n; i++)
        good += files.list[i].slots == slots && !files.list[i].fault;
    return good > 1;
}

struct summand__calibration summand__calibrated_read(int64_t asked, unsigned slots, bool *several)
{
    struct summand__calibration calibration = summand__calibration_standard();
    *several = false;
    if (asked == SUMMAND__CALIBRATE_OFF || recall(asked, &calibration))
        return calibration;
    if (asked != SUMMAND__CALIBRATE_AUTO) {
        read_named(&calibration);
        summand__calibrated_prefer(asked, &calibration);
        return calibration;
    }
    read_files();
    pthread_mutex_lock(&lock); /* without a folder, other threads read them again */
    const struct summand__kept *kept =
        summand__calibration_find(files.list, files.n, SUMMAND__ANY_DISTANCE, slots);
    *several = are_several(slots);
    if (kept)
        calibration = kept->calibration;
    pthread_mutex_unlock(&lock);
    return calibration;
}

bool summand__calibrated_pair(const struct summand__node_map *map, const struct summand__pool *pool)
{
    const struct summand__members all = {NULL, map->ranks, 0};
    return pool->memory && map->ranks_here > 1 && map->here[0].rank == 0 &&
           summand__members_processors(map, &all, false) >= map->ranks_here;
}

static struct summand__pair pair_of(unsigned char *memory, unsigned slots, bool first,
                                    double seconds)
{
    return (struct summand__pair){
        .memory = memory, .slots = slots, .first = first, .seconds = seconds};
}

struct search {
    struct summand__calibration calibration; /* of the measured distance, if it was found */
    unsigned slots;
    bool only_looks; /* measures nothing else */
};

/* Looks up a calibration in memory only, because the other rank waits. A file that is damaged, or
 * not settled for long, is replaced. */
static bool known(void *context, int64_t line)
{
    struct search *search = context;
    const int distance = summand__calibration_distance(line);
    pthread_mutex_lock(&lock);
    const struct summand__kept *exact =
        summand__calibration_find(files.list, files.n, distance, search->slots);
    if (exact)
        search->calibration = exact->calibration;
    const bool holds = exact && summand__calibration_holds(&exact->calibration, time(NULL));
    pthread_mutex_unlock(&lock);
    return search->only_looks || holds;
}

/* On the two ranks, in an unused share of the pool. */
static enum summand__measured measure(const struct summand__pool *pool, int share, bool first,
                                      double seconds, struct search *search,
                                      struct summand__calibration *calibration)
{
    unsigned char *memory = summand__pool_pages(pool) + pool->pages * (size_t)share +
                            (size_t)pool->ranks * SUMMAND__ABORTED_BYTES;
    struct summand__pair pair = pair_of(memory, pool->slots, first, seconds);
    search->slots = pool->slots;
    pair.known = known;
    pair.context = search;
    return summand__calibration_measure(&pair, calibration);
}

int summand__calibrated_choose(MPI_Comm comm, const struct summand__node_map *map,
                               const struct summand__pool *pool,
                               struct summand__calibration *calibration)
{
    struct search search = {.calibration = *calibration, .only_looks = true};
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (summand__calibrated_pair(map, pool) && map->local[rank] < 2)
        measure(pool, 0, rank == 0, glance, &search, calibration);
    /* Rank 0's words are the lowest. The vote ends when both have left the memory, which then
     * belongs to the first context. */
    enum { WORDS = sizeof *calibration / 8 };
    uint64_t words[WORDS];
    for (int w = 0; w < WORDS; w++)
        words[w] = INT64_MAX;
    if (!rank)
        memcpy(words, &search.calibration, sizeof words);
    int code = summand__ballot_lowest(comm, words, WORDS);
    if (code == MPI_SUCCESS)
        memcpy(calibration, words, sizeof words);
    if (!rank && code == MPI_SUCCESS)
        summand__calibrated_prefer(SUMMAND__CALIBRATE_AUTO, calibration);
    return code;
}

/* The variable may have changed since the fabric was made. */
static bool is_auto(const struct summand__fabric *fabric)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    return fabric->settings.calibration == SUMMAND__CALIBRATE_AUTO &&
           summand__environment_read("SUMMAND_CALIBRATION", &setting, &complaint) &&
           summand__calibration_asked(setting.text ? setting.text : "") == SUMMAND__CALIBRATE_AUTO;
}

/* One pair of a program measures: several would slow each other down. */
bool summand__calibrated_ends(const struct summand__fabric *fabric)
{
    static atomic_flag once = ATOMIC_FLAG_INIT;
    return fabric->rank == 0 && summand__is_world_root() && is_auto(fabric) && files.keepable &&
           (double)(summand__clock() - files.when) > 1e9 * lasting &&
           fabric->contexts < fabric->pool.contexts &&
           summand__calibrated_pair(&fabric->map, &fabric->pool) &&
           !atomic_flag_test_and_set(&once);
}

/* True if another program has stored one meanwhile that holds. */
static bool is_kept(const char *path)
{
    char machine[SUMMAND__MACHINE_KEY];
    struct summand__calibration there;
    const char *fault;
    summand__calibration_machine(machine);
    return summand__calibration_load(path, machine, &there, &fault) &&
           summand__calibration_holds(&there, time(NULL));
}

void summand__calibrated_keep(const struct summand__fabric *fabric)
{
    const struct summand__pool *pool = &fabric->pool;
    const bool first = fabric->rank == 0;
    struct search search = {.only_looks = false};
    struct summand__calibration calibration;
    char path[PATH_MAX];
    if (!summand__calibrated_pair(&fabric->map, pool) || fabric->map.local[fabric->rank] > 1)
        return;
    summand__pool_open(pool, pool->contexts - 1);
    enum summand__measured how =
        measure(pool, pool->contexts - 1, first, budget, &search, &calibration);
    if (how > SUMMAND__MEASURED_KNOWN && first &&
        summand__calibration_path_of(&calibration, pool->slots, path) && !is_kept(path))
        summand__calibration_save(path, &calibration);
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

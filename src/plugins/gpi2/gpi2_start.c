/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading and starting GPI-2 under an MPI launcher: GASPI's processes are those of MPI_COMM_WORLD.
 * Its default TCP ports are fixed, so two jobs on one machine would collide. Instead the ranks
 * agree on ports that are free on all machines. */
#include "plugins/gpi2/gpi2.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/backoff.h"
#include "fabric/node_split.h"
#include "process/finalize.h"
#include "wait/ballot.h"

/* Ports below those that Linux assigns itself. */
enum { FIRST_PORT = 12000, PORTS = 20000, TRIES = 30 };

/* Milliseconds for the shutdown, once all processes have reached it. */
enum { ENDING = 10000 };

enum outcome { UNTRIED, RUNS, FAILED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum outcome outcome;
static struct {
    struct summand__gpi2 calls;
    bool own; /* not the program's */
    void (*before_end)(void);
} gpi2;

static bool load(struct summand__gpi2 *calls)
{
    void *library = dlopen(SUMMAND_GPI2_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen(SUMMAND_GPI2_FILE, RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
#define TAKE(name) all = all && (*(void **)&calls->name = dlsym(library, "gaspi_" #name));
    SUMMAND__GPI2_CALLS(TAKE)
#undef TAKE
    return all;
}

static bool is_free(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int on = 1, end = socket(AF_INET, SOCK_STREAM, 0);
    if (end < 0)
        return false;
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    bool is = !bind(end, (struct sockaddr *)&address, sizeof address) && !listen(end, 1);
    close(end);
    return is;
}

/* True if all ranks say yes. */
static bool all_say(MPI_Comm comm, bool yes)
{
    uint64_t no = !yes;
    return summand__ballot_or(comm, &no, 1) == MPI_SUCCESS && !no;
}

/* Finds two ranges of ports, with one port of each for each process of a machine; their first
 * ports, or 0. */
static int find_ports(MPI_Comm comm, int ranks)
{
    MPI_Comm machine;
    int local = 0, first;
    bool can = ranks <= PORTS / 4 && summand__node_split(comm, &machine) == MPI_SUCCESS;
    if (!can)
        return 0;
    PMPI_Comm_rank(machine, &local);
    PMPI_Comm_free(&machine);
    for (int try = 0; try < TRIES; try++) {
        uint64_t seed = summand__clock() / 1024 * 2654435761U + (uint64_t)getpid() * 40503U;
        first = FIRST_PORT + (int)(seed % (unsigned)(PORTS - 2 * ranks));
        if (summand__ballot_tell(comm, &first, sizeof first) != MPI_SUCCESS)
            return 0;
        if (all_say(comm, is_free(first + local) && is_free(first + ranks + local)))
            return first;
    }
    return 0;
}

static bool configure(const struct summand__gpi2 *calls, int port, int range)
{
    gaspi_config_t config;
    if (calls->config_get(&config) != GASPI_SUCCESS)
        return false;
    config.sn_port = (gaspi_uint)port;
    if (config.network == GASPI_ETHERNET)
        config.dev_config.params.tcp.port = (gaspi_uint)(port + range);
    return calls->config_set(config) == GASPI_SUCCESS;
}

/* Reads the limits; true if the ranks are those of the MPI. */
static bool take_limits(struct summand__gpi2 *calls)
{
    gaspi_rank_t rank, ranks;
    int mpi_rank, mpi_ranks = summand__gpi2_world();
    PMPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
    return calls->proc_rank(&rank) == GASPI_SUCCESS && calls->proc_num(&ranks) == GASPI_SUCCESS &&
           rank == mpi_rank && ranks == mpi_ranks &&
           calls->segment_max(&calls->segments) == GASPI_SUCCESS &&
           calls->queue_num(&calls->queues) == GASPI_SUCCESS && calls->queues > 0 &&
           calls->notification_num(&calls->notifications) == GASPI_SUCCESS &&
           calls->transfer_size_max(&calls->longest) == GASPI_SUCCESS;
}

/* The first process must not end GASPI while others still use it. */
static void on_finalize(void)
{
    if (gpi2.before_end)
        gpi2.before_end();
    PMPI_Barrier(MPI_COMM_WORLD);
    if (gpi2.own)
        gpi2.calls.proc_term(ENDING);
    outcome = FAILED;
}

/* GPI-2 1.6 also answers before it is started. */
static bool runs_already(const struct summand__gpi2 *calls)
{
    gaspi_rank_t ranks = 0;
    return calls->proc_num(&ranks) == GASPI_SUCCESS && ranks > 0;
}

static bool start(MPI_Comm comm, struct summand__gpi2 *calls)
{
    bool theirs, none;
    int ranks = summand__gpi2_world(), port;
    if (!all_say(comm, load(calls)))
        return false;
    none = all_say(comm, !(theirs = runs_already(calls)));
    if (none &&
        (!(port = find_ports(comm, ranks)) || !all_say(comm, configure(calls, port, ranks))))
        return false;
    if (none)
        gpi2.own = calls->proc_init(GASPI_BLOCK) == GASPI_SUCCESS;
    return all_say(comm, (gpi2.own || theirs) && take_limits(calls));
}

bool summand__gpi2_start(MPI_Comm comm, void (*before_end)(void))
{
    pthread_mutex_lock(&lock);
    if (outcome == UNTRIED) {
        bool runs = start(comm, &gpi2.calls);
        gpi2.before_end = before_end;
        runs = all_say(comm, runs && summand__at_finalize(on_finalize) == MPI_SUCCESS);
        outcome = runs ? RUNS : FAILED;
    }
    bool runs = outcome == RUNS;
    pthread_mutex_unlock(&lock);
    return runs;
}

const struct summand__gpi2 *summand__gpi2(void)
{
    pthread_mutex_lock(&lock);
    const struct summand__gpi2 *calls = outcome == RUNS ? &gpi2.calls : NULL;
    pthread_mutex_unlock(&lock);
    return calls;
}

int summand__gpi2_world(void)
{
    int ranks;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

bool summand__gpi2_places(MPI_Comm comm, int ranks, int *own, int *places)
{
    MPI_Group world, group;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(comm, &group);
    for (int r = 0; r < ranks; r++)
        own[r] = r;
    bool all = PMPI_Group_translate_ranks(group, ranks, own, world, places) == MPI_SUCCESS;
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    for (int r = 0; r < ranks && all; r++)
        all = places[r] != MPI_UNDEFINED && places[r] <= UINT16_MAX;
    return all;
}

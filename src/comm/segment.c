#include "comm/segment.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"

/* In the order of the table of variables. */
enum choice { AUTO, P2P, SHM, NO_CHOICE };

enum { NEVER = -1 };

/* Rank 0's. */
struct wish {
    int64_t choice;
    int64_t read_from; /* bytes, or NEVER */
};

/* Messages are read directly only if that was asked for: see docs/performance.md. */
static struct wish read_wish(void)
{
    struct summand__setting transport, read;
    struct summand__complaint complaint;
    struct wish wish = {NO_CHOICE, NEVER};
    if (summand__environment_read("SUMMAND_TRANSPORT", &transport, &complaint) &&
        summand__environment_read("SUMMAND_DIRECT_READ", &read, &complaint))
        wish = (struct wish){transport.number, read.text ? read.number : NEVER};
    return wish;
}

/* Nobody can take memory from under the ranks that use it (SIGBUS), or change this. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* How others find the leader's file: in its table of open files. */
struct file {
    int64_t process, descriptor;
    uint64_t device, inode;
};

static bool identify(int descriptor, struct file *file)
{
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status))
        return false;
    *file = (struct file){getpid(), descriptor, (uint64_t)status.st_dev, (uint64_t)status.st_ino};
    return true;
}

/* A file beyond the limit that `ulimit -f` sets is no error but a deadly signal, even one that lies
 * in memory only. */
static bool allowed(size_t bytes)
{
    struct rlimit limit;
    return !getrlimit(RLIMIT_FSIZE, &limit) &&
           (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

static int create(size_t bytes, struct file *file)
{
    *file = (struct file){0};
    if (!allowed(bytes))
        return -1;
    int descriptor = memfd_create("summand", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor >= 0 && !fchmod(descriptor, S_IRUSR | S_IWUSR) &&
        !ftruncate(descriptor, (off_t)bytes) && !fcntl(descriptor, F_ADD_SEALS, SEALS) &&
        identify(descriptor, file))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    *file = (struct file){0};
    return -1;
}

static bool same(const struct stat *status, const struct file *file)
{
    return (uint64_t)status->st_dev == file->device && (uint64_t)status->st_ino == file->inode;
}

/* The process number may mean another process here (containers): so the file must be the same.
 * Another process's file is not even opened, as that may have an effect (a pipe, a device). */
static int attach(const struct file *file)
{
    char path[64];
    struct stat status;
    if (!file->process)
        return -1;
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)file->process,
             (long long)file->descriptor);
    if (stat(path, &status) || !same(&status, file))
        return -1;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor >= 0 && !fstat(descriptor, &status) && same(&status, file))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

static unsigned char *map(int descriptor, size_t bytes)
{
    void *memory = MAP_FAILED;
    if (descriptor >= 0)
        memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int summand__segment_share(MPI_Comm node, size_t bytes, unsigned char **memory)
{
    struct file file;
    int rank, descriptor = -1, mine, all = 0;
    MPI_Comm_rank(node, &rank);
    if (rank == 0)
        descriptor = create(bytes, &file);
    int code = MPI_Bcast(&file, (int)sizeof file, MPI_BYTE, 0, node);
    if (rank && code == MPI_SUCCESS)
        descriptor = attach(&file);
    *memory = map(descriptor, bytes);
    mine = *memory != NULL;
    if (code == MPI_SUCCESS) /* also: nobody needs the leader's descriptor any more */
        code = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, node);
    if (descriptor >= 0)
        close(descriptor);
    if (*memory && !all) {
        munmap(*memory, bytes);
        *memory = NULL;
    }
    return code;
}

/* The ranks of this node. What is declared can only part what shares memory: simulators declare
 * nodes that do not. */
static int split(MPI_Comm comm, const struct summand__nodes *nodes, MPI_Comm *node)
{
    MPI_Comm sharing;
    int rank;
    MPI_Comm_rank(comm, &rank);
    int code = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing);
    if (code != MPI_SUCCESS || !nodes->declared) {
        *node = code == MPI_SUCCESS ? sharing : MPI_COMM_NULL;
    } else {
        code = MPI_Comm_split(sharing, rank / nodes->node_size, rank, node);
        MPI_Comm_free(&sharing);
    }
    if (code == MPI_SUCCESS)
        MPI_Comm_set_errhandler(*node, MPI_ERRORS_RETURN);
    return code;
}

static int find_ranks(struct summand__segment *segment, MPI_Comm comm, MPI_Comm node)
{
    int ranks, rank;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_rank(node, &segment->rank);
    MPI_Comm_size(node, &segment->ranks);
    segment->comm = comm;
    segment->total = ranks;
    segment->whole = segment->ranks == ranks;
    segment->local = malloc((size_t)ranks * sizeof *segment->local);
    int *there = malloc((size_t)segment->ranks * sizeof *there);
    int fine = segment->local && there, all = 0;
    int code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, node);
    if (code == MPI_SUCCESS && all)
        code = MPI_Allgather(&rank, 1, MPI_INT, there, 1, MPI_INT, node);
    for (int r = 0; fine && r < ranks; r++)
        segment->local[r] = -1;
    for (int i = 0; all && code == MPI_SUCCESS && i < segment->ranks; i++)
        segment->local[there[i]] = i;
    free(there);
    return code == MPI_SUCCESS && !fine ? summand_error_code(SUMMAND_ERR_MEMORY) : code;
}

static int share(struct summand__segment *segment, MPI_Comm node)
{
    bool few = segment->ranks <= SUMMAND__FEW_RANKS;
    segment->slots = few ? SUMMAND__MOST_SLOTS : SUMMAND__LEAST_SLOTS;
    size_t pair = summand__pair_bytes(segment);
    size_t pairs = (size_t)segment->ranks * ((size_t)segment->ranks + 1);
    if (segment->ranks == 1)
        return MPI_SUCCESS;
    segment->bytes = pairs > SIZE_MAX / 2 / pair ? 0 : pairs * pair;
    return summand__segment_share(node, segment->bytes, &segment->memory);
}

enum outcome { SHARED, UNSHARED, NO_MEMORY };

/* All nodes need theirs, and some node two ranks. A rank without memory for a few bytes of its own
 * is no reason to send by the MPI from now on: it is an error. */
static int agree(MPI_Comm comm, enum outcome outcome, int ranks, bool *all)
{
    int mine[2] = {(int)outcome, -(outcome == SHARED && ranks > 1)}, worst[2] = {1, 0};
    int code = MPI_Allreduce(&mine[0], &worst[0], 1, MPI_INT, MPI_MAX, comm);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&mine[1], &worst[1], 1, MPI_INT, MPI_MIN, comm);
    *all = code == MPI_SUCCESS && !worst[0] && worst[1];
    if (code == MPI_SUCCESS && worst[0] == NO_MEMORY)
        code = summand_error_code(outcome == NO_MEMORY ? SUMMAND_ERR_MEMORY : SUMMAND_ERR_REMOTE);
    return code;
}

static int try_reads(struct summand__segment *segment, MPI_Comm node, int64_t from)
{
    segment->read_from = SIZE_MAX;
    if (from == NEVER || !segment->memory)
        return MPI_SUCCESS;
    int code = summand__peer_memory_try(node, &segment->processes);
    if (segment->processes)
        segment->read_from = (size_t)from;
    segment->reads_refused = !segment->processes;
    return code;
}

static int make(MPI_Comm comm, const struct summand__nodes *nodes, const struct wish *wish,
                struct summand__segment **made)
{
    MPI_Comm node;
    bool all = false;
    int code = split(comm, nodes, &node);
    if (code != MPI_SUCCESS)
        return code;
    struct summand__segment *segment = calloc(1, sizeof *segment), none = {0};
    int memory = summand_error_code(SUMMAND_ERR_MEMORY);
    int found = find_ranks(segment ? segment : &none, comm, node);
    bool good = found == MPI_SUCCESS && segment;
    if (segment)
        segment->processors = nodes->processors;
    int ranks = segment ? segment->ranks : 1;
    int fine = good, every = 0;
    code = MPI_Allreduce(&fine, &every, 1, MPI_INT, MPI_MIN, node);
    if (code == MPI_SUCCESS && every)
        code = share(segment, node);
    if (code == MPI_SUCCESS && every)
        code = try_reads(segment, node, wish->read_from);
    good = good && every && code == MPI_SUCCESS && (segment->memory || ranks == 1);
    MPI_Comm_free(&node);
    enum outcome outcome = good ? SHARED : UNSHARED;
    if (!segment || found == memory || code == memory)
        outcome = NO_MEMORY;
    int agreed = agree(comm, outcome, ranks, &all);
    free(none.local);
    if (all) {
        *made = segment;
        return MPI_SUCCESS;
    }
    summand__segment_drop(segment);
    return code != MPI_SUCCESS ? code : agreed;
}

int summand__segment_make(MPI_Comm comm, const struct summand__nodes *nodes,
                          struct summand__segment **made, bool *complaint)
{
    int rank, ranks;
    struct wish wish = {0};
    *made = NULL;
    *complaint = false;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0)
        wish = read_wish();
    int code = MPI_Bcast(&wish, (int)sizeof wish, MPI_BYTE, 0, comm);
    if (code != MPI_SUCCESS)
        return code;
    if (wish.choice == AUTO || wish.choice == SHM)
        code = ranks > 1 ? make(comm, nodes, &wish, made) : MPI_SUCCESS;
    *complaint = wish.choice == NO_CHOICE || (wish.choice == SHM && ranks > 1 && !*made);
    return code;
}

void summand__segment_drop(struct summand__segment *segment)
{
    if (!segment)
        return;
    if (segment->drop)
        segment->drop(segment->user);
    if (segment->memory)
        munmap(segment->memory, segment->bytes);
    free(segment->processes);
    free(segment->local);
    free(segment);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/segment.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/page.h"
#include "wait/ballot.h"

/* Address space for the contexts of a node; pages use memory only once they are touched. A large
 * node has some contexts, too. */
enum { LEAST_CONTEXTS = 16 };
static const size_t addresses = (size_t)(SIZE_MAX > UINT32_MAX ? 1024 : 256) << 20;

static size_t round_up(size_t bytes)
{
    return summand__whole_pages(bytes, SUMMAND__PAGE);
}

static size_t bytes_of(const struct summand__pool *pool, int contexts)
{
    return round_up(pool->lines * (size_t)contexts) + pool->pages * (size_t)contexts;
}

/* A part of a limit: the program needs some addresses, too. */
static size_t allowed(int which, int part)
{
    struct rlimit limit;
    if (getrlimit(which, &limit))
        return 0;
    return limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > SIZE_MAX / 4
               ? SIZE_MAX / 4
               : (size_t)limit.rlim_cur / (size_t)part;
}

unsigned summand__slots_of(int ranks)
{
    return ranks <= 2                    ? SUMMAND__PAIR_SLOTS
           : ranks <= SUMMAND__FEW_RANKS ? SUMMAND__FEW_SLOTS
                                         : SUMMAND__LEAST_SLOTS;
}

/* Bytes that can be mapped at once. If new memory is locked, addresses count as locked bytes, which
 * RLIMIT_MEMLOCK limits. */
static size_t mappable(size_t most)
{
    static const size_t least = 1 << 20;
    for (; most > least; most /= 2) {
        void *memory =
            mmap(NULL, most, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        munmap(memory, most);
        break;
    }
    return most;
}

struct summand__allowance summand__allowance_now(void)
{
    size_t all = allowed(RLIMIT_AS, 8), at_once = mappable(addresses);
    return (struct summand__allowance){allowed(RLIMIT_FSIZE, 1),
                                       at_once < addresses && at_once < all ? at_once : all};
}

/* A single share, with queues of so many slots. */
static struct summand__pool share_of(int ranks, unsigned slots)
{
    struct summand__pool pool = {.ranks = ranks, .slots = slots};
    size_t n = (size_t)ranks, queues = n * (n - 1);
    pool.lines = n * sizeof(struct summand__presence) + queues * summand__head_bytes(pool.slots);
    if (summand__has_broadcasts(ranks)) {
        pool.lines += n * summand__broadcast_head_bytes(ranks, pool.slots);
        queues += n;
    }
    pool.pages = n * SUMMAND__ABORTED_BYTES + queues * summand__slots_bytes(pool.slots);
    return pool;
}

struct summand__pool summand__pool_plan(int ranks, int most, struct summand__allowance limits)
{
    static const unsigned fewer[] = {SUMMAND__FEW_SLOTS, SUMMAND__LEAST_SLOTS};
    struct summand__pool pool = share_of(ranks, summand__slots_of(ranks));
    size_t limit = limits.file < limits.addresses ? limits.file : limits.addresses;
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++)
        if (fewer[i] < pool.slots && pool.lines + pool.pages + SUMMAND__PAGE > limit)
            pool = share_of(ranks, fewer[i]);
    size_t share = pool.lines + pool.pages, room = addresses / share;
    if (room < LEAST_CONTEXTS)
        room = LEAST_CONTEXTS;
    size_t files = limits.file / (share + SUMMAND__PAGE);
    size_t spared = limits.addresses / (share + SUMMAND__PAGE);
    if (room > spared)
        room = spared ? spared : 1;
    if (room > files)
        room = files;
    pool.contexts = room > (size_t)most ? most : (int)room;
    pool.bytes = bytes_of(&pool, pool.contexts);
    return pool;
}

unsigned char *summand__pool_pages(const struct summand__pool *pool)
{
    return pool->memory + round_up(pool->lines * (size_t)pool->contexts);
}

static bool identify(int descriptor, struct summand__file *file)
{
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status))
        return false;
    *file = (struct summand__file){getpid(), descriptor, (uint64_t)status.st_dev,
                                   (uint64_t)status.st_ino};
    return true;
}

int summand__file_create(struct summand__file *file)
{
    *file = (struct summand__file){0};
    int descriptor = memfd_create("summand", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor >= 0 && !fchmod(descriptor, S_IRUSR | S_IWUSR) && identify(descriptor, file))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

/* No process can shrink the file under the ranks that use it (SIGBUS), or change the seals. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* Checks the limit of `ulimit -f`: a longer file, even one in memory, is no error but a fatal
 * signal. */
bool summand__file_extend(int descriptor, size_t bytes)
{
    return descriptor >= 0 && bytes <= allowed(RLIMIT_FSIZE, 1) &&
           !ftruncate(descriptor, (off_t)bytes) && !fcntl(descriptor, F_ADD_SEALS, SEALS);
}

static bool same(const struct stat *status, const struct summand__file *file)
{
    return (uint64_t)status->st_dev == file->device && (uint64_t)status->st_ino == file->inode;
}

/* The process number may mean another process here (containers), so the file is compared. Another
 * file is not even opened, which could have an effect (a pipe, a device). */
int summand__file_attach(const struct summand__file *file)
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

/* Excluded from core dumps, which would touch all pages. */
static unsigned char *map(int descriptor, size_t bytes, int access, int flags)
{
    void *memory = mmap(NULL, bytes, access, flags | MAP_NORESERVE, descriptor, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, bytes, MADV_DONTDUMP);
    return memory;
}

static unsigned char *map_file(int descriptor, size_t bytes, int access)
{
    return descriptor < 0 ? NULL : map(descriptor, bytes, access, MAP_SHARED);
}

unsigned char *summand__file_map(int descriptor, size_t bytes)
{
    return map_file(descriptor, bytes, PROT_READ | PROT_WRITE);
}

/* Bytes that this process has locked. */
static size_t locked_bytes(void)
{
    char line[128];
    unsigned long long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmLck: %llu kB", &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    return (size_t)kilobytes << 10;
}

/* Pages without access use no memory. So a program that locks its memory, now or later, locks only
 * shares in use, not 1 GiB. */
bool summand__pool_map(struct summand__pool *pool, int descriptor)
{
    pool->memory = map_file(descriptor, pool->bytes, PROT_NONE);
    if (!pool->memory)
        return false;
    pool->locks = locked_bytes() >= pool->bytes;
    if (pool->locks)
        munlock(pool->memory, pool->bytes);
    summand__pool_open(pool, 0);
    return true;
}

/* Opens pages; or the whole pool, which is one memory area of the kernel, if that fails. */
static void open_pages(const struct summand__pool *pool, unsigned char *begin, size_t bytes)
{
    const size_t page = summand__page_here();
    unsigned char *first = begin - (uintptr_t)begin % page;
    bytes = summand__whole_pages(bytes + (size_t)(begin - first), page);
    if (mprotect(first, bytes, PROT_READ | PROT_WRITE))
        mprotect(pool->memory, pool->bytes, PROT_READ | PROT_WRITE);
#ifdef MLOCK_ONFAULT
    if (pool->locks)
        mlock2(first, bytes, MLOCK_ONFAULT); /* as far as RLIMIT_MEMLOCK allows */
#endif
}

void summand__pool_open(const struct summand__pool *pool, int context)
{
    open_pages(pool, pool->memory + pool->lines * (size_t)context, pool->lines);
    open_pages(pool, summand__pool_pages(pool) + pool->pages * (size_t)context, pool->pages);
}

int summand__segment_share(MPI_Comm node, size_t bytes, unsigned char **memory)
{
    struct summand__file file = {0};
    int rank, ranks, descriptor = -1, all = 0;
    PMPI_Comm_rank(node, &rank);
    PMPI_Comm_size(node, &ranks);
    if (ranks == 1) { /* no other rank needs a file */
        *memory = map(-1, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        return MPI_SUCCESS;
    }
    if (rank == 0 && !summand__file_extend(descriptor = summand__file_create(&file), bytes))
        file.process = 0;
    int code = summand__ballot_tell(node, &file, (int)sizeof file);
    if (rank && code == MPI_SUCCESS)
        descriptor = summand__file_attach(&file);
    *memory = file.process ? summand__file_map(descriptor, bytes) : NULL;
    bool mine = *memory != NULL;
    all = mine;
    if (code == MPI_SUCCESS) /* also: the first rank's descriptor is no longer needed */
        code = summand__ballot_least(node, &all, 1);
    if (descriptor >= 0)
        close(descriptor);
    if (*memory && (!all || code != MPI_SUCCESS)) {
        munmap(*memory, bytes);
        *memory = NULL;
    }
    return code;
}

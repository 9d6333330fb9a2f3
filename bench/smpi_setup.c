/* SPDX-License-Identifier: BSD-3-Clause */
/* scale_run.sh loads this before SimGrid (LD_PRELOAD), for three reasons. SimGrid finds which ranks
 * share a node, once per communicator and outside of timed parts, by an all-gather of one int
 * around a ring of all ranks. For 4096 ranks these are p^2 = 17 million messages, which take the
 * simulator half an hour. Here Bruck's algorithm does it with p log p messages; longer all-gathers
 * go their usual way.
 *
 * Also, its collectives allocate whole vectors by `new`, on each rank. If results are not checked
 * (SCALE_UNCHECKED), long ones are mapped onto one file of 16 MB.
 *
 * And it counts the messages that ranks send, for scale_setup.c. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* libc's, not SimGrid's. */
#undef malloc
#undef free

enum { LONG = 1 << 20, BLOCK = 1 << 24, PAGE = 4096 };

/* Addresses of long vectors, one after the other; a page before each holds its length in bytes. */
#define FIRST UINT64_C(0x200000000000)
#define END UINT64_C(0x400000000000)

static void *folded(size_t bytes)
{
    static int file = -1;
    static uint64_t next = FIRST;
    size_t length = (bytes + PAGE - 1) / PAGE * PAGE;
    if (file < 0 && ((file = memfd_create("folded", 0)) < 0 || ftruncate(file, BLOCK)))
        abort();
    size_t *header = mmap((void *)next, PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    for (size_t at = 0; header != MAP_FAILED && at < length; at += BLOCK)
        if (mmap((void *)(next + PAGE + at), length - at < BLOCK ? length - at : BLOCK,
                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0) == MAP_FAILED)
            header = MAP_FAILED;
    if (header == MAP_FAILED)
        abort();
    *header = length;
    next += PAGE + length;
    return (char *)header + PAGE;
}

/* The operators new[] and delete[]. */
__attribute__((visibility("default"))) void *taken(size_t bytes) __asm__("_Znam");
__attribute__((visibility("default"))) void given_back(void *memory) __asm__("_ZdaPv");
__attribute__((visibility("default"))) void given_back_all(void *memory,
                                                           size_t bytes) __asm__("_ZdaPvm");

void *taken(size_t bytes)
{
    void *memory =
        bytes >= LONG && getenv("SCALE_UNCHECKED") ? folded(bytes) : malloc(bytes + !bytes);
    if (!memory)
        abort();
    return memory;
}

void given_back(void *memory)
{
    uint64_t at = (uint64_t)memory;
    if (at < FIRST || at >= END)
        free(memory);
    else
        munmap((char *)memory - PAGE, *(size_t *)(void *)((char *)memory - PAGE) + PAGE);
}

void given_back_all(void *memory, size_t bytes)
{
    (void)bytes;
    given_back(memory);
}

typedef int allgather(const void *sendbuf, int sendcount, void *sendtype, void *recvbuf,
                      int recvcount, void *recvtype, void *comm);

/* simgrid::smpi::allgather__ring and allgather__bruck. The second is weak because the shell that
 * starts the simulation also loads this. */
allgather ring __asm__("_ZN7simgrid4smpi15allgather__ringEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE");
__attribute__((weak))
allgather bruck __asm__("_ZN7simgrid4smpi16allgather__bruckEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE");

__attribute__((visibility("default"))) int ring(const void *sendbuf, int sendcount, void *sendtype,
                                                void *recvbuf, int recvcount, void *recvtype,
                                                void *comm)
{
    allgather *usual = 0;
    if (sendcount == 1 && recvcount == 1)
        return bruck(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    *(void **)&usual =
        dlsym(RTLD_NEXT, "_ZN7simgrid4smpi15allgather__ringEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE");
    return usual(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

/* The library waits at once for its agreements with all ranks, so these may block. SimGrid's
 * versions send from every rank to every other one at once, which takes the simulator p^4 steps.
 * None of these is timed. simgrid::smpi::colls::iallgather and iallreduce, and allreduce__rdb. */
#define IALLGATHER                                                                                 \
    "_ZN7simgrid4smpi5colls10iallgatherEPKviPNS0_8DatatypeEPviS5_PNS0_4CommEPPNS0_7RequestEi"
#define IALLREDUCE                                                                                 \
    "_ZN7simgrid4smpi5colls10iallreduceEPKvPviPNS0_8DatatypeEPNS0_2OpEPNS0_4CommEPPNS0_7RequestEi"

typedef int iallgather(const void *sendbuf, int sendcount, void *sendtype, void *recvbuf,
                       int recvcount, void *recvtype, void *comm, void **request, int external);
typedef int iallreduce(const void *sendbuf, void *recvbuf, int count, void *type, void *op,
                       void *comm, void **request, int external);
typedef int allreduce(const void *sendbuf, void *recvbuf, int count, void *type, void *op,
                      void *comm);
iallgather gather_now __asm__(IALLGATHER);
iallreduce reduce_now __asm__(IALLREDUCE);
__attribute__((weak)) allreduce
    doubling __asm__("_ZN7simgrid4smpi14allreduce__rdbEPKvPviPNS0_8DatatypeEPNS0_2OpEPNS0_4CommE");

__attribute__((visibility("default"))) int gather_now(const void *sendbuf, int sendcount,
                                                      void *sendtype, void *recvbuf, int recvcount,
                                                      void *recvtype, void *comm, void **request,
                                                      int external)
{
    (void)external;
    *request = 0;
    return bruck(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

__attribute__((visibility("default"))) int reduce_now(const void *sendbuf, void *recvbuf, int count,
                                                      void *type, void *op, void *comm,
                                                      void **request, int external)
{
    (void)external;
    *request = 0;
    return doubling(sendbuf, recvbuf, count, type, op, comm);
}

__attribute__((visibility("default"))) unsigned long long smpi_setup_sent[2];

/* simgrid::kernel::activity::CommImpl::set_src_buff, which each send calls once. */
#define SOURCE "_ZN7simgrid6kernel8activity8CommImpl12set_src_buffEPhm"
typedef void *source(void *message, unsigned char *data, size_t bytes);
source counted __asm__(SOURCE);

__attribute__((visibility("default"))) void *counted(void *message, unsigned char *data,
                                                     size_t bytes)
{
    source *usual = 0;
    *(void **)&usual = dlsym(RTLD_NEXT, SOURCE);
    smpi_setup_sent[0]++;
    smpi_setup_sent[1] += bytes;
    return usual(message, data, bytes);
}

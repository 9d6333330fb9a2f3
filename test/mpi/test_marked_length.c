/* np: 1, long: 2; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages as long as the markers that replace a piece in a queue: 2^32 - 2 and 2^32 - 1 bytes,
 * which a root reads from the other rank's memory. On one rank, the same with small messages. Only
 * the first and last element sent are not 0, so it takes no memory. */
#include <limits.h>
#include <summand.h>
#include <sys/mman.h>

#include "mpi/harness.h"

static unsigned char *zeros(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* Elements of this many bytes; each rank has 1 + rank first and 10 + rank last. */
static void check(MPI_Count count, size_t size, MPI_Datatype type)
{
    size_t bytes = (size_t)count * size, last = bytes - size;
    unsigned char *sendbuf = zeros(bytes), *recvbuf = harness_rank ? NULL : zeros(bytes);
    summand_options options = {.algorithm = "binomial", .timeout = 300};
    int first_sum = harness_ranks + harness_ranks * (harness_ranks - 1) / 2;
    sendbuf[0] = (unsigned char)(1 + harness_rank); /* little endian, like every tested machine */
    sendbuf[last] = (unsigned char)(10 + harness_rank);
    int code =
        summand_reduce_c(sendbuf, recvbuf, count, type, MPI_SUM, 0, MPI_COMM_WORLD, &options);
    CHECK(code == MPI_SUCCESS, "%zu bytes: code %d", bytes, code);
    if (!harness_rank)
        CHECK(recvbuf[0] == first_sum && recvbuf[last] == first_sum + 9 * harness_ranks &&
                  !recvbuf[size] && !recvbuf[last - size],
              "%zu bytes: %d and %d at the ends", bytes, recvbuf[0], recvbuf[last]);
    munmap(sendbuf, bytes);
    if (recvbuf)
        munmap(recvbuf, bytes);
}

int main(int argc, char **argv)
{
    setenv("SUMMAND_DIRECT_READ", "1m", 1);
    harness_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(harness_ranks > 1 ? INT_MAX : 1000, sizeof(short), MPI_SHORT);
    check(harness_ranks > 1 ? (MPI_Count)UINT_MAX : 1001, 1, MPI_UINT8_T);
    return harness_end();
}

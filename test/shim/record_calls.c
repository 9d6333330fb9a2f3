/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of every recorded call, which knows nothing of Summand. It writes the inputs and the
 * results that it sees to DIR/RANK.N.in and .out, N: the number of the call on its communicator, as
 * bytes without gaps: from these the test computes the hashes again. An argument changes a call:
 *     order     the sum of solve() is made of other numbers on rank 1
 *     child     rank 0 starts the program again, with `end`, before solve()
 *     end       no call
 *     lose      the program ends by _exit in the middle
 *     abort N   rank N ends it by MPI_Abort, with a call that is not complete
 *     nan N     one call, of NaN with N in their significands
 *     requests  none of these calls, but requests that records and samples stumbled over */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *folder;
static int rank, size, number;

static void put(const char *what, const void *bytes, size_t count)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/%d.%d.%s", folder, rank, number, what);
    FILE *file = fopen(name, "ab");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file))
        MPI_Abort(MPI_COMM_WORLD, 3);
}
#define PUT(what, array, count) put(what, array, (size_t)(count) * sizeof *(array))

enum { N = 12 };
static double x[N], y[8 * N];
static int i1[8 * N], i2[8 * N];

static void fill(void)
{
    number++;
    for (int i = 0; i < N; i++) {
        x[i] = 1.0 / (1 + i + 3 * rank + number);
        i1[i] = 7 * i + rank - number;
    }
    memset(y, 0, sizeof y);
}

/* Its name is in the record. */
__attribute__((noinline)) static void solve(const char *change)
{
    fill();
    if (!strcmp(change, "order") && rank == 1)
        x[3] += 1e-3;
    PUT("in", x, N);
    MPI_Allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    PUT("out", y, N);
}

static void blocking(void)
{
    int counts[8], displs[8];
    fill();
    if (rank == 1)
        PUT("in", i1, 5);
    MPI_Bcast(i1, 5, MPI_INT, 1, MPI_COMM_WORLD);
    PUT("out", i1, 5);
    fill();
    PUT("in", x, N);
    MPI_Reduce(rank ? x : MPI_IN_PLACE, rank ? NULL : x, N, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (!rank)
        PUT("out", x, N);
    fill();
    PUT("in", x, size);
    MPI_Reduce_scatter_block(x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    PUT("out", y, 1);
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        displs[i] = 3 * i + 1;
    }
    fill();
    PUT("in", i1, size * (size + 1) / 2);
    MPI_Reduce_scatter(i1, i2, counts, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    PUT("out", i2, rank + 1);
    fill();
    PUT("in", i1, 2);
    MPI_Allgather(i1, 2, MPI_INT, i2, 2, MPI_INT, MPI_COMM_WORLD);
    PUT("out", i2, 2 * size);
    fill();
    for (int i = 0; i <= rank; i++)
        i2[displs[rank] + i] = i1[i];
    PUT("in", i1, rank + 1);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, i2, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        PUT("out", i2 + displs[i], counts[i]);
}

/* A rank's input is its block of the result. */
static void gather_in_place(void)
{
    fill();
    memcpy(i2 + 2 * rank, i1, 2 * sizeof *i1);
    PUT("in", i1, 2);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, i2, 2, MPI_INT, MPI_COMM_WORLD);
    PUT("out", i2, 2 * size);
}

/* Gaps hold rubbish, another one at each run: the addresses of the stack. */
static void gapped(void)
{
    struct {
        double value;
        int at;
    } a[3], b[3];
    long double l[2], m[2];
    MPI_Datatype columns;
    void *rubbish = &rubbish;
    for (size_t i = 0; i + sizeof rubbish <= sizeof a; i += sizeof rubbish)
        memcpy((char *)a + i, &rubbish, sizeof rubbish);
    for (size_t i = 0; i + sizeof rubbish <= sizeof l; i += sizeof rubbish)
        memcpy((char *)l + i, &rubbish, sizeof rubbish);
    fill();
    for (int i = 0; i < 3; i++) {
        a[i].value = x[i];
        a[i].at = i1[i];
        PUT("in", &a[i].value, 1);
        PUT("in", &a[i].at, 1);
    }
    MPI_Allreduce(a, b, 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        PUT("out", &b[i].value, 1);
        PUT("out", &b[i].at, 1);
    }
    fill();
    for (int i = 0; i < 2; i++) {
        l[i] = 1 / (3.0L + i + rank);
        put("in", &l[i], 10);
    }
    MPI_Allreduce(l, m, 2, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        put("out", &m[i], 10);
    /* Every other number, 5 of them. */
    MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    fill();
    for (int i = 0; i < 5 && !rank; i++)
        PUT("in", x + 2 * i, 1);
    memcpy(&x[1], &rubbish, sizeof rubbish);
    MPI_Bcast(x, 1, columns, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        PUT("out", x + 2 * i, 1);
    /* The type ends before the call. */
    MPI_Request request;
    fill();
    for (int i = 0; i < 5 && !rank; i++)
        PUT("in", x + 2 * i, 1);
    MPI_Ibcast(x, 1, columns, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&columns);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++)
        PUT("out", x + 2 * i, 1);
}

/* Started one after another, and completed by each function, the last one first. */
static void nonblocking(void)
{
    enum { CALLS = 8 };
    static double in[CALLS][N], out[CALLS][N];
    MPI_Request request[CALLS];
    int first = number + 1, index, flag, done, places[CALLS];
    for (int c = 0; c < CALLS; c++) {
        fill();
        memcpy(in[c], x, sizeof x);
        PUT("in", in[c], N);
        MPI_Iallreduce(in[c], out[c], N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request[c]);
    }
    MPI_Wait(&request[7], MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
        MPI_Test(&request[6], &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(1, &request[5], &index, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
        MPI_Testany(1, &request[4], &index, &flag, MPI_STATUS_IGNORE);
    MPI_Waitsome(1, &request[3], &done, places, MPI_STATUSES_IGNORE);
    for (done = 0; done < 1;)
        MPI_Testsome(1, &request[2], &done, places, MPI_STATUSES_IGNORE);
    for (flag = 0; !flag;)
        MPI_Testall(1, &request[1], &flag, MPI_STATUSES_IGNORE);
    MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
    for (int c = 0; c < CALLS; c++) {
        number = first + c;
        PUT("out", out[c], N);
    }
}

/* Complete at once: the MPI may give both the same request. The first result is used again before
 * the second one is waited for. */
static void alone(void)
{
    int in[2] = {41, 43}, out[2];
    MPI_Request request[2];
    for (int c = 0; c < 2; c++)
        MPI_Iallreduce(&in[c], &out[c], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request[c]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    out[0] = 0;
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}

/* A persistent call, started twice, with other inputs. */
#ifdef HAS_INIT
#define Allreduce_init MPI_Allreduce_init
#else /* Open MPI 4 */
#include <mpi-ext.h>
#define Allreduce_init MPIX_Allreduce_init
#endif
static void persistent(void)
{
    MPI_Request request;
    Allreduce_init(x, y, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    number++;
    for (int i = 0; i < 2; i++) {
        fill();
        PUT("in", x, N);
        if (i)
            MPI_Startall(1, &request);
        else
            MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        PUT("out", y, N);
    }
    MPI_Request_free(&request);
}

/* Rank 0 starts its request before blocking calls, the others after them. */
static void starts(void)
{
    MPI_Request request;
    Allreduce_init(x, y, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 0)
        MPI_Start(&request);
    for (int i = 0; i < 100; i++) {
        MPI_Allreduce(&i, i2, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (i2[0] != size * i)
            MPI_Abort(MPI_COMM_WORLD, 6);
    }
    if (rank)
        MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* A request that MPI_Waitall completes although another one fails: its buffers are no more when its
 * handle comes again. */
static void fails(void)
{
    enum { COUNT = 1 << 17 };
    const size_t bytes = 2 * COUNT * sizeof(double);
    double *buffers = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int little, done = 0;
    MPI_Request request[2];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Irecv(&little, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(buffers, buffers + COUNT, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                   &request[1]);
    MPI_Send(i1, 4, MPI_INT, next, 7, MPI_COMM_WORLD);
    while (!done)
        MPI_Request_get_status(request[1], &done, MPI_STATUS_IGNORE);
    MPI_Status statuses[2];
    if (MPI_Waitall(2, request, statuses) == MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (request[1] != MPI_REQUEST_NULL)
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    munmap(buffers, bytes);
    for (int i = 0; i < 50; i++) {
        MPI_Iallreduce(x, y, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request[0]);
        MPI_Ibarrier(MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
}

static void end_by_abort(int who, MPI_Comm twin)
{
    MPI_Request request;
    while (rank != who)
        pause();
    MPI_Iallreduce(x, y, N, MPI_DOUBLE, MPI_SUM, twin, &request);
    MPI_Allreduce(i1, i2, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Abort(MPI_COMM_WORLD, 5);
}

/* An MPI program of its own: without the variables of this launch. */
static int run_child(const char *program)
{
    char command[8192];
    snprintf(
        command, sizeof command,
        "unset $(env | grep -oE '^(OMPI_COMM|OMPI_MCA_(ess|orte|pmix)|PMIX?|HYDI?)_[A-Za-z0-9_]*');"
        " '%s' '%s' end >&2",
        program, folder);
    return system(command);
}

/* Copied as bytes: a load into a register may change a NaN. */
static void send_nan(unsigned n)
{
    const uint64_t d[] = {0x7ff8000000000000 + n, 0xfff0000000000000 + n};
    const uint32_t f[] = {0x7fc00000 + n, 0xff800000 + n};
    MPI_Bcast((void *)d, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast((void *)f, 2, MPI_FLOAT, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *change = argc > 2 ? argv[2] : "";
    MPI_Comm twin, half;
    MPI_Init(&argc, &argv);
    if (argc < 2)
        return 1;
    folder = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(change, "requests") || !strcmp(change, "end") || !strcmp(change, "nan")) {
        if (!strcmp(change, "nan"))
            send_nan((unsigned)atoi(argv[3]));
        if (!strcmp(change, "requests")) {
            starts();
            fails();
        }
        MPI_Finalize();
        return 0;
    }
    blocking();
    gapped();
    nonblocking();
    alone();
    persistent();
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    for (int i = 0; i < 3; i++) {
        MPI_Allreduce(&rank, i2, 1, MPI_INT, MPI_SUM, half);
        MPI_Allreduce(&rank, i2, 1, MPI_INT, MPI_SUM, twin);
    }
    if (!strcmp(change, "child") && rank == 0 && run_child(argv[0]))
        return 4;
    if (!strcmp(change, "lose"))
        _exit(0);
    if (!strcmp(change, "abort"))
        end_by_abort(atoi(argv[3]), twin);
    solve(change);
    gather_in_place();
    MPI_Comm_free(&twin);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Every form of the nine collectives, looked up by name as mpi4py's wheels do: of a form that this
 * process does not have, the program calls another one. Prints a line per form: the errors' classes
 * and a hash of what all ranks got, so the output without the shim is that with it. The numbers are
 * such that no order of additions rounds. */
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 6, RANKS = 8, ROOM = 4 * N * RANKS };

static int rank, size;
static double send[ROOM], recv[ROOM];
static int counts[RANKS], displs[RANKS];
static MPI_Count large_counts[RANKS];
static MPI_Aint large_displs[RANKS];

static void *find(const char *name, const char *other)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    return function ? function : dlsym(RTLD_DEFAULT, other);
}

static void begin(int turn)
{
    for (int i = 0; i < ROOM; i++) {
        send[i] = (rank + 1) * (i % 17 + 1) + turn;
        recv[i] = -3 - i % 5;
    }
    for (int r = 0; r < size; r++) {
        large_counts[r] = counts[r] = r % 3 == 1 ? 0 : 2 + r;
        large_displs[r] = displs[r] = r ? displs[r - 1] + counts[r - 1] + r % 2 : 1;
    }
}

static void tell(const char *form, int code)
{
    uint64_t own[2] = {UINT64_C(14695981039346656037), 0}, all[2 * RANKS];
    for (size_t i = 0; i < sizeof recv; i++)
        own[0] = (own[0] ^ ((const unsigned char *)recv)[i]) * UINT64_C(1099511628211);
    int class = 0;
    MPI_Error_class(code, &class);
    own[1] = (uint64_t) class;
    MPI_Gather(own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank)
        return;
    printf("%s", form);
    for (int r = 0; r < size; r++)
        printf(" %d %016llx", (int)all[2 * r + 1], (unsigned long long)all[2 * r]);
    puts("");
}

static int finish(MPI_Request *request, int code)
{
    return code == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : code;
}

static int start(MPI_Request *request)
{
    return finish(request, MPI_Start(request));
}

#define ONCE(form, call)                                                                           \
    do {                                                                                           \
        MPI_Request request;                                                                       \
        begin(0);                                                                                  \
        tell(form, finish(&request, (request = MPI_REQUEST_NULL, (call))));                        \
    } while (0)

/* A persistent call, with two inputs. */
#define TWICE(form, make, arguments, otherwise)                                                    \
    do {                                                                                           \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        if (make)                                                                                  \
            make(arguments, MPI_INFO_NULL, &request);                                              \
        for (int turn = 1; turn < 3; turn++) {                                                     \
            begin(turn);                                                                           \
            tell(form, make ? start(&request) : (otherwise));                                      \
        }                                                                                          \
        if (make)                                                                                  \
            MPI_Request_free(&request);                                                            \
    } while (0)

/* take and take_c: the parameters with counts of int, and large ones. */
#define FORMS(Name, name, take, take_c)                                                            \
    static void forms_##Name(void)                                                                 \
    {                                                                                              \
        int (*large)(take_c) = find("MPI_" #Name "_c", "");                                        \
        int (*large_begun)(take_c, MPI_Request *) = find("MPI_I" #name "_c", "");                  \
        int (*made)(take, MPI_Info, MPI_Request *) =                                               \
            find("MPI_" #Name "_init", "MPIX_" #Name "_init");                                     \
        int (*made_before)(take, MPI_Info, MPI_Request *) =                                        \
            find("MPIX_" #Name "_init", "MPI_" #Name "_init");                                     \
        int (*large_made)(take_c, MPI_Info, MPI_Request *) = find("MPI_" #Name "_init_c", "");     \
        ONCE(#Name, MPI_##Name(GIVE_##Name));                                                      \
        ONCE(#Name "_c", large ? large(LARGE_##Name) : MPI_##Name(GIVE_##Name));                   \
        ONCE("I" #name, MPI_I##name(GIVE_##Name, &request));                                       \
        ONCE("I" #name "_c", large_begun ? large_begun(LARGE_##Name, &request)                     \
                                         : MPI_I##name(GIVE_##Name, &request));                    \
        TWICE(#Name "_init", made, GIVE_##Name, MPI_##Name(GIVE_##Name));                          \
        TWICE("MPIX_" #Name "_init", made_before, GIVE_##Name, MPI_##Name(GIVE_##Name));           \
        TWICE(#Name "_init_c", large_made, LARGE_##Name, MPI_##Name(GIVE_##Name));                 \
    }
#define TAKEN(...) __VA_ARGS__
#define BOTH(Name, name, ...)                                                                      \
    FORMS(Name, name, TAKEN(TAKE_##Name(int, int)), TAKEN(TAKE_##Name(MPI_Count, MPI_Aint)))

#define TAKE_Allreduce(C, D) const void *, void *, C, MPI_Datatype, MPI_Op, MPI_Comm
#define TAKE_Reduce(C, D) const void *, void *, C, MPI_Datatype, MPI_Op, int, MPI_Comm
#define TAKE_Reduce_scatter(C, D) const void *, void *, const C *, MPI_Datatype, MPI_Op, MPI_Comm
#define TAKE_Reduce_scatter_block(C, D) TAKE_Allreduce(C, D)
#define TAKE_Bcast(C, D) void *, C, MPI_Datatype, int, MPI_Comm
#define TAKE_Allgather(C, D) const void *, C, MPI_Datatype, void *, C, MPI_Datatype, MPI_Comm
#define TAKE_Allgatherv(C, D)                                                                      \
    const void *, C, MPI_Datatype, void *, const C *, const D *, MPI_Datatype, MPI_Comm
#define TAKE_Scan(C, D) TAKE_Allreduce(C, D)
#define TAKE_Exscan(C, D) TAKE_Allreduce(C, D)

#define GIVE_Allreduce send, recv, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD
#define GIVE_Reduce send, recv, N, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD
#define GIVE_Reduce_scatter send, recv, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD
#define GIVE_Reduce_scatter_block GIVE_Allreduce
#define GIVE_Bcast rank ? recv : send, N, MPI_DOUBLE, 0, MPI_COMM_WORLD
#define GIVE_Allgather send, N, MPI_DOUBLE, recv, N, MPI_DOUBLE, MPI_COMM_WORLD
#define GIVE_Allgatherv                                                                            \
    send, counts[rank], MPI_DOUBLE, recv, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD
#define GIVE_Scan GIVE_Allreduce
#define GIVE_Exscan GIVE_Allreduce
#define LARGE_Allreduce GIVE_Allreduce
#define LARGE_Scan GIVE_Allreduce
#define LARGE_Exscan GIVE_Allreduce
#define LARGE_Reduce GIVE_Reduce
#define LARGE_Reduce_scatter send, recv, large_counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD
#define LARGE_Reduce_scatter_block GIVE_Allreduce
#define LARGE_Bcast GIVE_Bcast
#define LARGE_Allgather GIVE_Allgather
#define LARGE_Allgatherv                                                                           \
    send, counts[rank], MPI_DOUBLE, recv, large_counts, large_displs, MPI_DOUBLE, MPI_COMM_WORLD

#define COLLECTIVES(X)                                                                             \
    X(Allreduce, allreduce)                                                                        \
    X(Reduce, reduce)                                                                              \
    X(Reduce_scatter, reduce_scatter)                                                              \
    X(Reduce_scatter_block, reduce_scatter_block)                                                  \
    X(Bcast, bcast)                                                                                \
    X(Allgather, allgather)                                                                        \
    X(Allgatherv, allgatherv)                                                                      \
    X(Scan, scan)                                                                                  \
    X(Exscan, exscan)
COLLECTIVES(BOTH)

/* More elements than an int counts, of an MPI that has no large counts, in calls that it gets: its
 * error for counts. */
static void too_many(void)
{
    const MPI_Count many = (MPI_Count)INT_MAX + 1;
    int (*large)(TAKE_Bcast(MPI_Count, MPI_Aint)) = find("MPI_Bcast_c", "");
    int (*begun)(TAKE_Bcast(MPI_Count, MPI_Aint), MPI_Request *) = find("MPI_Ibcast_c", "");
    MPI_Request request;
    const bool has_large = find("MPI_Type_size_c", "");
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    tell("too many",
         large && !has_large ? large(send, many, MPI_DOUBLE, 0, MPI_COMM_SELF) : MPI_ERR_COUNT);
    tell("too many, begun", begun && !has_large
                                ? begun(send, many, MPI_DOUBLE, 0, MPI_COMM_SELF, &request)
                                : MPI_ERR_COUNT);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#define CALL(Name, name) forms_##Name();
    COLLECTIVES(CALL)
    begin(0);
    too_many();
    MPI_Finalize();
    return 0;
}

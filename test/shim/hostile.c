/* SPDX-License-Identifier: BSD-3-Clause */
/* The intercepted collectives with arguments that break tools. Prints a line per case: the errors'
 * classes, and a hash of what all ranks got, gaps included. The numbers are such that no order of
 * additions rounds. So the output without the shim is that with it, in each mode (shim.sh). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 48, ROOM = 8 * N * 8 };

static int rank, size, rank_of_world;
static MPI_Comm comm;
static MPI_Datatype vector_type, gapped, absolute_send, absolute_recv;
static MPI_Op user, user_ordered;
static double send[ROOM], recv[ROOM];
static int counts[16], displs[16];
static int is_mpich; /* MPICH 4.0 ends in an assertion at some of the cases */

static uint64_t hash(const void *data, size_t bytes)
{
    uint64_t value = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes; i++)
        value = (value ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
    return value;
}

/* A long double has 6 bytes that nobody sets. */
static void clear_padding(const char *name)
{
    for (int i = 0; i < N && strstr(name, "long double"); i++)
        memset((char *)((long double *)recv + i) + 10, 0, sizeof(long double) - 10);
}

/* Ends a case: rank 0 of the world prints the hash over all ranks. */
static void tell(const char *name, int code)
{
    clear_padding(name);
    uint64_t own[2] = {hash(recv, sizeof recv), 0}, all[32];
    int class = 0, ranks;
    MPI_Error_class(code, &class);
    own[1] = (uint64_t) class;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Gather(own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank_of_world)
        return;
    printf("%-34s", name);
    for (int r = 0; r < ranks; r++)
        printf(" %d", (int)all[2 * r + 1]);
    printf(" %016llx\n", (unsigned long long)hash(all, (size_t)ranks * 2 * sizeof *all));
}

static void begin(void)
{
    for (int i = 0; i < ROOM; i++) {
        send[i] = (rank + 1) * (i % 17 + 1);
        recv[i] = -3 - i % 5;
    }
    for (int r = 0; r < size; r++) {
        counts[r] = r % 3 == 1 ? 0 : 2 + r;
        displs[r] = r ? displs[r - 1] + counts[r - 1] + r % 2 : 1;
    }
}

#define CASE(name, call)                                                                           \
    do {                                                                                           \
        begin();                                                                                   \
        int code_ = (call);                                                                        \
        tell(name, code_);                                                                         \
    } while (0)

/* Adds the elements of `gapped`, or doubles. It must not touch the gaps. */
static void add(void *a, void *b, int *count, MPI_Datatype *type)
{
    static const int places[] = {1, 2, 4, 5};
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    const int step = (int)(extent / 8);
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < (step == 1 ? 1 : 4); k++) {
            const int place = i * step + (step == 1 ? 0 : places[k]);
            ((double *)b)[place] += ((double *)a)[place];
        }
}

/* Not commutative: the result is that of the first rank. */
static void first(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)b)[i] = ((double *)a)[i];
}

/* Bytes that are valid numbers of the type. */
static void prepare(MPI_Datatype of)
{
    for (int i = 0; i < N * 8; i++) {
        const int number = (rank + 1) * (i % 7 + 1);
        if (of == MPI_FLOAT)
            ((float *)send)[i] = (float)number, ((float *)recv)[i] = (float)(2 * number);
        else if (of == MPI_LONG_DOUBLE) {
            memset((long double *)send + i, 0, sizeof(long double));
            memset((long double *)recv + i, 0, sizeof(long double));
            ((long double *)send)[i] = number, ((long double *)recv)[i] = 2 * number;
        } else if (of == MPI_DOUBLE_INT) {
            struct {
                double value;
                int place;
            } *s = (void *)send, *r = (void *)recv;
            s[i].value = number % 5, s[i].place = rank, r[i].value = number % 3, r[i].place = -rank;
        }
    }
}

static void reductions(void)
{
    static const struct {
        const char *name;
        MPI_Datatype type;
        MPI_Op op;
        int count;
    } rows[] = {{"double sum", MPI_DOUBLE, MPI_SUM, N},
                {"double sum, 1", MPI_DOUBLE, MPI_SUM, 1},
                {"none", MPI_DOUBLE, MPI_SUM, 0},
                {"double max", MPI_DOUBLE, MPI_MAX, N},
                {"float sum", MPI_FLOAT, MPI_SUM, 7},
                {"int64 sum", MPI_INT64_T, MPI_SUM, 9},
                {"byte xor", MPI_BYTE, MPI_BXOR, 100},
                {"double_int maxloc", MPI_DOUBLE_INT, MPI_MAXLOC, 5},
                {"complex sum", MPI_C_DOUBLE_COMPLEX, MPI_SUM, 6},
                {"long double sum", MPI_LONG_DOUBLE, MPI_SUM, 4}};
    const int last = size - 1;
    char name[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const MPI_Datatype type = rows[i].type;
        const MPI_Op op = rows[i].op;
        const int n = rows[i].count;
#define ROW(what, call)                                                                            \
    snprintf(name, sizeof name, "%s, %s", what, rows[i].name);                                     \
    CASE(name, (prepare(type), call))
        ROW("allreduce", MPI_Allreduce(send, recv, n, type, op, comm));
        ROW("allreduce in place", MPI_Allreduce(MPI_IN_PLACE, recv, n, type, op, comm));
        ROW("reduce", MPI_Reduce(send, recv, n, type, op, last, comm));
        ROW("reduce in place",
            MPI_Reduce(rank == last ? MPI_IN_PLACE : send, recv, n, type, op, last, comm));
        ROW("reduce_scatter_block", MPI_Reduce_scatter_block(send, recv, n, type, op, comm));
        ROW("reduce_scatter", MPI_Reduce_scatter(send, recv, counts, type, op, comm));
        ROW("reduce_scatter in place",
            MPI_Reduce_scatter(MPI_IN_PLACE, recv, counts, type, op, comm));
#undef ROW
    }
    CASE("reduce, NULL elsewhere",
         MPI_Reduce(send, rank == 0 ? recv : NULL, N, MPI_DOUBLE, MPI_SUM, 0, comm));
    CASE("allreduce, nothing at NULL", MPI_Allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, comm));
    if (!is_mpich)
        CASE("allreduce, buffers overlap",
             (memcpy(recv, send, sizeof recv),
              MPI_Allreduce(recv + 5, recv, 9, MPI_DOUBLE, MPI_SUM, comm)));
    CASE("allreduce, user", MPI_Allreduce(send, recv, N, MPI_DOUBLE, user, comm));
    CASE("allreduce, user, gaps", MPI_Allreduce(send, recv, 3, gapped, user, comm));
    CASE("reduce, user in order", MPI_Reduce(send, recv, N, MPI_DOUBLE, user_ordered, 0, comm));
    CASE("allreduce, user in order", MPI_Allreduce(send, recv, N, MPI_DOUBLE, user_ordered, comm));
    CASE("reduce_scatter_block, user",
         MPI_Reduce_scatter_block(send, recv, 5, MPI_DOUBLE, user, comm));
}

static void moves(void)
{
    const int last = size - 1;
    CASE("bcast", MPI_Bcast(rank == last ? send : recv, N, MPI_DOUBLE, last, comm));
    CASE("bcast, gaps", MPI_Bcast(rank == 0 ? send : recv, 3, gapped, 0, comm));
    CASE("bcast, types differ", rank == 0 ? MPI_Bcast(send, 2, vector_type, 0, comm)
                                          : MPI_Bcast(recv, 12, MPI_DOUBLE, 0, comm));
    CASE("bcast, nothing", MPI_Bcast(NULL, 0, MPI_DOUBLE, 0, comm));
    CASE("bcast, MPI_BOTTOM",
         MPI_Bcast(MPI_BOTTOM, 1, rank == 0 ? absolute_send : absolute_recv, 0, comm));
    CASE("allgather", MPI_Allgather(send, 5, MPI_DOUBLE, recv, 5, MPI_DOUBLE, comm));
    CASE("allgather in place",
         MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, 5, MPI_DOUBLE, comm));
    if (!is_mpich)
        CASE("allgather, own block in its place",
             (memcpy(recv, send, sizeof recv),
              MPI_Allgather(recv + 5 * rank, 5, MPI_DOUBLE, recv, 5, MPI_DOUBLE, comm)));
    CASE("allgather, gaps", MPI_Allgather(send, 1, gapped, recv, 1, gapped, comm));
    CASE("allgather, types differ", MPI_Allgather(send, 1, gapped, recv, 4, MPI_DOUBLE, comm));
    if (!is_mpich)
        CASE("allgather, MPI_BOTTOM",
             MPI_Allgather(MPI_BOTTOM, 1, absolute_send, recv, 6, MPI_DOUBLE, comm));
    CASE("allgatherv",
         MPI_Allgatherv(send, counts[rank], MPI_DOUBLE, recv, counts, displs, MPI_DOUBLE, comm));
    CASE("allgatherv in place", MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, counts,
                                               displs, MPI_DOUBLE, comm));
}

static void other_forms(void)
{
    MPI_Request request;
    CASE("iallreduce", MPI_Iallreduce(send, recv, N, MPI_DOUBLE, MPI_SUM, comm, &request) |
                           MPI_Wait(&request, MPI_STATUS_IGNORE));
    CASE("ibcast", MPI_Ibcast(rank ? recv : send, N, MPI_DOUBLE, 0, comm, &request) |
                       MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* The MPI's errors, on all ranks alike: nobody waits. */
static void errors(void)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CASE("error: count", MPI_Allreduce(send, recv, -1, MPI_DOUBLE, MPI_SUM, comm));
    CASE("error: type", MPI_Allreduce(send, recv, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
    CASE("error: op", MPI_Allreduce(send, recv, 1, MPI_DOUBLE, MPI_OP_NULL, comm));
    CASE("error: op of type", MPI_Allreduce(send, recv, 1, MPI_DOUBLE, MPI_BAND, comm));
    CASE("error: root", MPI_Reduce(send, recv, 1, MPI_DOUBLE, MPI_SUM, size, comm));
    CASE("error: one buffer", MPI_Allreduce(recv, recv, 9, MPI_DOUBLE, MPI_SUM, comm));
    CASE("error: root of bcast", MPI_Bcast(recv, 1, MPI_DOUBLE, -5, comm));
}

static void between_groups(void)
{
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank_of_world % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !(rank_of_world % 2), 7, &inter);
    CASE("inter: allreduce", MPI_Allreduce(send, recv, N, MPI_DOUBLE, MPI_SUM, inter));
    CASE("inter: bcast", MPI_Bcast(rank_of_world ? recv : send, N, MPI_DOUBLE,
                                   rank_of_world % 2 ? 0
                                   : rank_of_world   ? MPI_PROC_NULL
                                                     : MPI_ROOT,
                                   inter));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void make_types(void)
{
    const int lengths[2] = {2, 2}, places[2] = {1, 4};
    MPI_Aint address;
    MPI_Datatype indexed;
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector_type);
    MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &indexed);
    MPI_Type_create_resized(indexed, 0, 7 * sizeof(double), &gapped);
    MPI_Get_address(send, &address);
    MPI_Type_create_hindexed(1, &(int){6}, &address, MPI_DOUBLE, &absolute_send);
    MPI_Get_address(recv, &address);
    MPI_Type_create_hindexed(1, &(int){6}, &address, MPI_DOUBLE, &absolute_recv);
    MPI_Type_commit(&vector_type);
    MPI_Type_commit(&gapped);
    MPI_Type_commit(&absolute_send);
    MPI_Type_commit(&absolute_recv);
    MPI_Type_free(&indexed);
    MPI_Op_create(add, 1, &user);
    MPI_Op_create(first, 0, &user_ordered);
}

static void all(void)
{
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    reductions();
    moves();
    other_forms();
    if (!is_mpich)
        errors();
    CASE("after errors", MPI_Allreduce(send, recv, N, MPI_DOUBLE, MPI_SUM, comm));
}

int main(int argc, char **argv)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int ranks, length;
    MPI_Init(&argc, &argv);
    MPI_Get_library_version(version, &length);
    is_mpich = strstr(version, "MPICH") != NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_world);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make_types();
    comm = MPI_COMM_WORLD;
    all();
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_of_world, &comm);
    all();
    MPI_Comm_free(&comm);
    if (ranks > 1)
        between_groups();
    comm = MPI_COMM_SELF;
    all();
    MPI_Type_free(&vector_type);
    MPI_Type_free(&gapped);
    MPI_Type_free(&absolute_send);
    MPI_Type_free(&absolute_recv);
    MPI_Op_free(&user);
    MPI_Op_free(&user_ordered);
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that reduces between two groups of ranks; it knows nothing of Summand. Each result must
 * have the bits of the other group's own reduction. */
#include <stdlib.h>

#include "shim/requests.h"

enum { UP_TO = 24000 }; /* elements of a vector */

static double other[UP_TO];
static MPI_Comm own, both;          /* the group, and the communicator of both */
static int place, size, far, lower; /* in the own group; ranks of both; the first of world? */

/* Two groups: the first `low` ranks, or the even ones, and the rest. */
static void make_groups(int low)
{
    const int first = low ? rank < low : rank % 2 == 0;
    MPI_Comm_split(world, first, 0, &own);
    MPI_Intercomm_create(own, 0, world, first ? (low ? low : 1) : 0, 7, &both);
    MPI_Comm_rank(own, &place);
    MPI_Comm_size(own, &size);
    MPI_Comm_remote_size(both, &far);
    lower = first;
}

static void end_groups(void)
{
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
}

/* What the other group's operands are together, by its own all-reduce; n elements. */
static void expect(long n, MPI_Datatype type, MPI_Op op)
{
    static double together[UP_TO];
    MPI_Request request;
    MPI_Allreduce(in, together, (int)n, type, op, own);
    MPI_Irecv(other, (int)n, type, place % far, 5, both, &request);
    for (int r = 0; r < far; r++)
        if (r % size == place)
            MPI_Send(together, (int)n, type, r, 5, both);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

enum form { BLOCKING, STARTED, MADE, FORMS };

/* The call in one of its forms; a persistent one starts twice. */
#define RUN(Name, name, ...)                                                                       \
    do {                                                                                           \
        MPI_Request request;                                                                       \
        if (form == BLOCKING)                                                                      \
            MPI_##Name(__VA_ARGS__, both);                                                         \
        else if (form == STARTED)                                                                  \
            MPI_I##name(__VA_ARGS__, both, &request);                                              \
        else                                                                                       \
            MPI_##Name##_init(__VA_ARGS__, both, MPI_INFO_NULL, &request);                         \
        for (int turn = 0; turn < (form == MADE ? 2 : form == STARTED); turn++) {                  \
            if (form == MADE)                                                                      \
                MPI_Start(&request);                                                               \
            MPI_Wait(&request, MPI_STATUS_IGNORE);                                                 \
        }                                                                                          \
        if (form == MADE)                                                                          \
            MPI_Request_free(&request);                                                            \
    } while (0)

static void all(enum form form, int n, MPI_Datatype type, MPI_Op op)
{
    RUN(Allreduce, allreduce, in, out, n, type, op);
    memcpy(wanted, other, (size_t)n * sizeof *out);
}

/* To each rank of each group. What a root's neighbours pass is ignored, but Open MPI 4 counts
 * non-blocking calls with elements alone. */
static void to_root(enum form form, int n, MPI_Datatype type, MPI_Op op)
{
    for (int group = 0; group < 2; group++)
        for (int to = 0; to < (lower == group ? size : far); to++) {
            const int root = lower != group ? to : to == place ? MPI_ROOT : MPI_PROC_NULL;
            /* Only a root's second buffer is looked at; Open MPI takes the rank of the same number
             * for a root. A root's first one may not be MPI_IN_PLACE in either MPI, nor NULL in
             * MPICH. */
            void *ignored = form == BLOCKING ? MPI_IN_PLACE : NULL;
            void *result = root == MPI_ROOT || root == place ? out : ignored;
            if (root == MPI_PROC_NULL)
                RUN(Reduce, reduce, NULL, NULL, n > 0, MPI_INT, MPI_MAX, root);
            else
                RUN(Reduce, reduce, in, result, n, type, op, root);
        }
    memcpy(wanted, other, (size_t)n * sizeof *out);
}

static void blocks(enum form form, int n, MPI_Datatype type, MPI_Op op)
{
    RUN(Reduce_scatter_block, reduce_scatter_block, in, out, n / size, type, op);
    memcpy(wanted, other + n / size * place, (size_t)(n / size) * sizeof *out);
}

/* All to the last rank but one element of each other one, and none of the first. */
static void scatter(enum form form, int n, MPI_Datatype type, MPI_Op op)
{
    int counts[RANKS];
    for (int r = 0; r < size; r++)
        counts[r] = r > 0;
    counts[size - 1] = size > 1 ? n - size + 2 : n;
    RUN(Reduce_scatter, reduce_scatter, in, out, counts, type, op);
    memcpy(wanted, other + (place > 0 ? place - 1 : 0), (size_t)counts[place] * sizeof *out);
}

static void (*const calls[])(enum form, int, MPI_Datatype, MPI_Op) = {all, to_root, blocks,
                                                                      scatter};
static const int counts[] = {0, 1, 3, 1000};

static void with_groups(MPI_Datatype type, MPI_Op op, const char *name, int forms)
{
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 4; c++)
            for (int form = 0; form < forms; form++) {
                const int n = counts[s] * size * far;
                if (c == 3 && n < size)
                    continue;
                prepare(c + s);
                memset(out, 0, sizeof out);
                memset(wanted, 0, sizeof wanted);
                expect(n, type, op);
                calls[c](form, n, type, op);
                check(!memcmp(out, wanted, sizeof out), name, c * 1000 + s * 100 + form * 10);
            }
}

static void in_groups(MPI_Datatype type, MPI_Op op, const char *name, int forms)
{
    for (int low = ranks > 2 ? 0 : 1; low <= ranks / 2; low++) { /* both groups have results */
        make_groups(low);
        with_groups(type, op, name, forms);
        end_groups();
    }
}

static void sums(void)
{
    in_groups(MPI_DOUBLE, MPI_SUM, "sums", FORMS);
}

/* Products of 2 x 2 matrices of bytes: their order matters, their bracketing does not. */
static void multiply(void *from, void *inout, int *count, MPI_Datatype *type)
{
    const unsigned char(*a)[4] = from;
    unsigned char(*b)[4] = inout;
    (void)type;
    for (int i = 0; i < 2 * *count; i++) {
        const unsigned char c[4] = {
            a[i][0] * b[i][0] + a[i][1] * b[i][2], a[i][0] * b[i][1] + a[i][1] * b[i][3],
            a[i][2] * b[i][0] + a[i][3] * b[i][2], a[i][2] * b[i][1] + a[i][3] * b[i][3]};
        memcpy(b[i], c, sizeof c);
    }
}

/* Two of them in the place of a double. */
static void products(void)
{
    MPI_Datatype type;
    MPI_Op op;
    MPI_Type_contiguous(sizeof(double), MPI_UNSIGNED_CHAR, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op);
    in_groups(type, op, "products", FORMS);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* Integers, which are the MPI's: it has no persistent form of Reduce_scatter that ends
 * (MPICH 4.0.2). */
static void integers(void)
{
    in_groups(MPI_LONG_LONG, MPI_SUM, "integers", MADE);
}

/* What the MPI refuses, and the right call. */
static void refused(void)
{
    make_groups(1);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    prepare(1);
    int code = MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_OP_NULL, both);
    check(code != MPI_SUCCESS, "no operator", code);
    MPI_Error_class(code, &code);
    if (!rank)
        printf("no operator: class %d\n", code);
    expect(4, MPI_DOUBLE, MPI_SUM);
    code = MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, both);
    check(!code && !memcmp(out, other, 32), "behind an error", code);
    end_groups();
}

/* Two requests at once beside messages of the program's with any tag, completed in turn. */
static void mixed(void)
{
    make_groups(1);
    static double second[8];
    MPI_Request requests[4];
    int token = rank, got = -1;
    prepare(2);
    expect(8, MPI_DOUBLE, MPI_SUM);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, both, &requests[0]);
    MPI_Iallreduce(in, out, 8, MPI_DOUBLE, MPI_SUM, both, &requests[1]);
    MPI_Iallreduce(in, second, 8, MPI_DOUBLE, MPI_SUM, both, &requests[2]);
    requests[3] = MPI_REQUEST_NULL;
    if (!lower)
        MPI_Isend(&token, 1, MPI_INT, 0, 9, both, &requests[3]);
    else
        for (int r = 0; r < far; r++)
            MPI_Send(&token, 1, MPI_INT, r, 9, both);
    if (lower) /* one of the messages */
        for (int r = 1; r < far; r++)
            MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 9, both, MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    check(got >= 0, "a message is lost", got);
    check(!memcmp(out, other, 64) && !memcmp(second, other, 64), "requests", 0);
    end_groups();
}

static const struct row rows[] = {{"sums", sums},
                                  {"products", products},
                                  {"integers", integers},
                                  {"refused", refused},
                                  {"mixed", mixed}};

int main(int argc, char **argv)
{
    return run_rows(argc, argv, MPI_THREAD_SINGLE, rows, sizeof rows / sizeof *rows);
}

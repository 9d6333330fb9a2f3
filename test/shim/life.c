/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs between MPI_Init and MPI_Finalize, by name; each checks its own results. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks;
static char *self;

static void check(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "life: rank %d: wrong: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* One sum over a communicator. */
static void sum(MPI_Comm comm, const char *what)
{
    int own, all;
    double x[3] = {1, 2, 3}, y[3] = {0};
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &all);
    MPI_Allreduce(x, y, 3, MPI_DOUBLE, MPI_SUM, comm);
    check(y[0] == all && y[1] == 2 * all && y[2] == 3 * all, what);
}

static void sums(void)
{
    for (int i = 0; i < 5; i++)
        sum(MPI_COMM_WORLD, "a sum");
}

/* Errors return: the program goes on after damage (SUMMAND_INJECT). */
static void damaged(void)
{
    double x[3] = {1, 2, 3}, y[3];
    int failed = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 5; i++)
        failed += MPI_Allreduce(x, y, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
    check(y[1] == 2 * ranks, "the last sum");
    printf("rank %d: %d failed\n", rank, failed);
}

/* Communicators of the same ranks: one call each of each kind, by size. */
static void many(void)
{
    for (int i = 0; i < 60; i++) {
        MPI_Comm comm;
        double x[100], y[300];
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int k = 0; k < 100; k++)
            x[k] = rank + k, y[k] = -1;
        switch (i % 4) {
        case 0:
            MPI_Allreduce(x, y, 100, MPI_DOUBLE, MPI_SUM, comm);
            check(y[99] == ranks * 99 + ranks * (ranks - 1) / 2, "allreduce");
            break;
        case 1:
            MPI_Reduce(x, y, 100, MPI_DOUBLE, MPI_SUM, 1 % ranks, comm);
            check(rank != 1 % ranks || y[9] == ranks * 9 + ranks * (ranks - 1) / 2, "reduce");
            break;
        case 2:
            MPI_Bcast(x, 100, MPI_DOUBLE, ranks - 1, comm);
            check(x[5] == ranks - 1 + 5, "bcast");
            break;
        case 3:
            MPI_Allgather(x, 100, MPI_DOUBLE, y, 100, MPI_DOUBLE, comm);
            check(y[100 * (ranks - 1)] == ranks - 1, "allgather");
        }
        sum(comm, "the sum after it");
        MPI_Comm_free(&comm);
    }
}

/* A rank waits for a message that another one sends while it is in a collective. */
static void progress(void)
{
    enum { LONG = 1 << 20 };
    static double message[LONG];
    for (int i = 0; i < 3; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0)
            MPI_Isend(message, LONG, MPI_DOUBLE, 1 % ranks, 5, MPI_COMM_WORLD, &request);
        if (rank == 1 % ranks) {
            usleep(20000);
            MPI_Recv(message, LONG, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        sum(MPI_COMM_WORLD, "a sum while a message is under way");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Terms whose sum is 1, and that round in every order of the ranks for some element. */
static void exact(void)
{
    enum { EACH = 4 };
    static const double terms[3] = {1e16, 1, -1e16};
    static double x[EACH * 16], y[EACH * 16], z[EACH];
    const int n = EACH * ranks;
    const int lacks = ranks < 3; /* a term */
    for (int i = 0; i < n; i++)
        x[i] = rank < 3 ? terms[(rank + i) % 3] : 0;
    MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        check(lacks || y[i] == 1, "allreduce is not exact");
    memcpy(y, x, sizeof y);
    MPI_Reduce(rank == ranks - 1 ? MPI_IN_PLACE : x, y, n, MPI_DOUBLE, MPI_SUM, ranks - 1,
               MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        check(lacks || rank != ranks - 1 || y[i] == 1, "reduce is not exact");
    MPI_Reduce_scatter_block(x, z, EACH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < EACH; i++)
        check(lacks || z[i] == 1, "reduce_scatter_block is not exact");
}

/* One bracketing for all counts and calls. */
static void canonical(void)
{
    enum { N = 960, SLICES = 12 };
    static double x[N], whole[N], sliced[N], other[N];
    int counts[16], first = 0;
    for (int i = 0; i < N; i++)
        x[i] = 1.0 / (3 + rank * 7 + i % 97);
    MPI_Allreduce(x, whole, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < SLICES; k++)
        MPI_Allreduce(x + k * (N / SLICES), sliced + k * (N / SLICES), N / SLICES, MPI_DOUBLE,
                      MPI_SUM, MPI_COMM_WORLD);
    check(!memcmp(whole, sliced, sizeof whole), "slices have other bits");
    MPI_Reduce(x, other, N, MPI_DOUBLE, MPI_SUM, ranks - 1, MPI_COMM_WORLD);
    check(rank != ranks - 1 || !memcmp(whole, other, sizeof whole), "reduce has other bits");
    for (int r = 0, all = 0; r < ranks; r++) {
        counts[r] = r == ranks - 1 ? N - all : 3 + 2 * r;
        first = r == rank ? all : first;
        all += counts[r];
    }
    MPI_Reduce_scatter(x, other, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check(!memcmp(whole + first, other, (size_t)counts[rank] * sizeof *other),
          "reduce_scatter has other bits");
    if (rank == 0)
        printf("%a %a %a\n", whole[0], whole[7], whole[N - 1]);
}

static void add(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)b)[i] += ((double *)a)[i];
}

/* Not commutative: the operand of the first rank. */
static void first(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    memcpy(b, a, (size_t)*count * sizeof(double));
}

/* Handles of freed operators and datatypes, used again for others. */
static void handles(void)
{
    for (int i = 0; i < 40; i++) {
        MPI_Op op;
        MPI_Datatype type;
        const int adds = i % 2, gap = 1 + i % 3;
        double x[4], y[4] = {-1, -1, -1, -1}, z[12] = {0};
        for (int k = 0; k < 4; k++)
            x[k] = rank + 1 + k;
        MPI_Op_create(adds ? add : first, adds, &op);
        MPI_Allreduce(x, y, 4, MPI_DOUBLE, op, MPI_COMM_WORLD);
        check(y[0] == (adds ? ranks * (ranks + 1) / 2 : 1), "a new operator, allreduce");
        MPI_Reduce(x, y, 4, MPI_DOUBLE, op, ranks - 1, MPI_COMM_WORLD);
        check(rank != ranks - 1 || y[0] == (adds ? ranks * (ranks + 1) / 2 : 1), "a new operator");
        MPI_Op_free(&op);
        MPI_Type_vector(4, 1, gap, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        for (int k = 0; k < 4; k++)
            z[k * gap] = rank ? 0 : k + i;
        MPI_Bcast(z, 1, type, 0, MPI_COMM_WORLD);
        for (int k = 0; k < 4; k++)
            check(z[k * gap] == k + i, "a new datatype");
        MPI_Type_free(&type);
    }
}

/* As HDF5: what closes files in MPI_Finalize still communicates. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    sum(MPI_COMM_WORLD, "in MPI_Finalize");
    if (rank == 0)
        puts("closed");
    return MPI_SUCCESS;
}

static void callback(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    sums();
}

/* The first call of all is in MPI_Finalize. */
static void callback_first(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* Handles of freed communicators are used again, and cached state must not be. */
static void comms(void)
{
    for (int i = 0; i < 40; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? rank % 2 : 0, i % 3 ? -rank : rank, &comm);
        sum(comm, "a sum on a part");
        sum(comm, "a sum on a part, again");
        if (i % 2)
            MPI_Comm_disconnect(&comm);
        else
            MPI_Comm_free(&comm);
    }
}

/* The child has the same preloaded libraries. */
static void children(void)
{
    sums();
    for (int i = 0; i < 2; i++) {
        int status = -1;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0 && i)
            _exit(7);
        if (child == 0) {
            execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
            _exit(1);
        }
        check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7,
              "a child");
    }
    sums();
}

static void spawn(void)
{
    MPI_Comm parent, both, inter;
    MPI_Comm_get_parent(&parent);
    sums();
    if (parent == MPI_COMM_NULL) {
        char *words[] = {(char *)"spawn", NULL};
        MPI_Comm_spawn(self, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    } else {
        inter = parent;
    }
    sum(inter, "a sum of the other program's numbers");
    MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &both);
    sum(both, "a sum with spawned processes");
    sum(both, "a sum with spawned processes, again");
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&inter);
    sums();
}

/* Collective output: the MPI's own collectives are not the program's. */
static void files(void)
{
    MPI_File file;
    double x[8] = {1, 2, 3, 4, 5, 6, 7, rank}, y[8] = {0};
    check(MPI_File_open(MPI_COMM_WORLD, "life.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS,
          "a file that cannot be opened");
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof x, x, 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_read_at_all(file, rank * (MPI_Offset)sizeof y, y, 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    check(!memcmp(x, y, sizeof x), "what a file holds");
    sums();
}

/* More communicators than the MPI has: Summand needs its own, and gets none. */
static void limit(void)
{
    static MPI_Comm all[70000];
    int n = 0, code = MPI_SUCCESS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (n < 70000 && code == MPI_SUCCESS) {
        code = MPI_Comm_split(MPI_COMM_WORLD, 0, rank % 2 ? rank : -rank, &all[n]);
        n += code == MPI_SUCCESS;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    sums();
    for (int i = 0; i < 3 && i < n; i++)
        sum(all[i], "beyond the limit");
    while (n)
        MPI_Comm_free(&all[--n]);
}

#ifdef HAS_SESSIONS
static void session(const char *what)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "life", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    sum(comm, what);
    sum(comm, what);
    if (rank == 0)
        puts(what);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

/* Without MPI_Init. MPICH 4.0 itself fails at a second session. */
static int sessions(void)
{
    session("a session");
    return 0;
}
#endif

static const struct {
    const char *name;
    void (*run)(void);
} rows[] = {{"damaged", damaged}, {"sums", sums},           {"handles", handles},
            {"exact", exact},     {"canonical", canonical}, {"progress", progress},
            {"many", many},       {"callback", callback},   {"first", callback_first},
            {"comms", comms},     {"children", children},   {"spawn", spawn},
            {"files", files},     {"limit", limit}};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    self = argv[0];
#ifdef HAS_SESSIONS
    if (!strcmp(name, "sessions"))
        return sessions();
#endif
    if (!strcmp(name, "uninitialized"))
        return puts("no MPI_Init") < 0;
    if (!strcmp(name, "status"))
        setenv("LIFE_STATUS", "5", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            rows[i].run();
    MPI_Finalize();
    if (rank == 0)
        printf("end of %s\n", name);
    return getenv("LIFE_STATUS") ? 5 : 0;
}

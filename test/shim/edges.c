/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/* Programs that do to their process what a library may not expect. They know nothing of Summand.
 *     harmonic         a loop of each rank, then one sum over the ranks
 *     closes DIR WHICH puts a file of its own in the place of stderr, or of all descriptors not the MPI's
 *     small            limits the size of its files to 64 KiB
 *     comma LOCALE     numbers with a decimal comma
 *     moves DIR        goes to another folder before MPI_Init and after
 *     retries          a call with a wrong argument on one rank, which then makes it right
 *     crashes          after some calls rank 0 dies by a signal
 *     many N           N calls
 *     starts           first a non-blocking all-reduce, as large as what the shim may compare
 *     doubles          first a copy of MPI_COMM_WORLD */
/* clang-format on */
#include <fcntl.h>
#include <locale.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;
static char **words;

static void begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* Its name is in the record. */
__attribute__((noinline)) static double sum(double x)
{
    double y = 0;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return y;
}

static void calls(int count)
{
    for (int i = 0; i < count; i++)
        sum(rank + 0.5);
}

static int harmonic(void)
{
    double own = 0;
    begin();
    for (int i = 10000 * rank / size; i < 10000 * (rank + 1) / size; i++)
        own += 1.0 / (i + 1);
    const double total = sum(own);
    if (rank == 0)
        printf("%a\n", total);
    return 0;
}

/* Puts a file of its own in the place of descriptors that it did not open: of stderr, or also of
 * all that are not the MPI's. */
static int closes(void)
{
    static const char line[] = "my own line of data\n";
    char path[4096];
    struct stat status;
    begin();
    calls(10);
    snprintf(path, sizeof path, "%s/data-%d", words[2], rank);
    const int data = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    const int last = strcmp(words[3], "all") ? 0 : 1100; /* the MPI's own are low */
    for (int fd = 800; fd < last; fd++)
        dup2(data, fd);
    dup2(data, 2);
    if (write(data, line, sizeof line - 1) != sizeof line - 1)
        return 1;
    calls(3000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    for (int fd = 800; fd < last && fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            printf("rank %d: descriptor %d was closed\n", rank, fd);
    if (fstat(data, &status) || status.st_size != sizeof line - 1)
        printf("rank %d: its file has %lld bytes\n", rank, (long long)status.st_size);
    return -1;
}

static int small(void)
{
    const struct rlimit limit = {1 << 16, 1 << 16};
    begin();
    setrlimit(RLIMIT_FSIZE, &limit);
    calls(3000);
    if (rank == 0)
        puts("the end");
    return 0;
}

static int comma(void)
{
    const double x[3] = {1.5, 1e300, 1.0 / 3};
    double y[3];
    long double l = 1.25L, m = 0;
    if (!setlocale(LC_ALL, words[2])) {
        printf("no locale %s\n", words[2]);
        return 1;
    }
    begin();
    calls(100);
    MPI_Reduce(x, y, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&l, &m, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return 0;
}

static int moves(void)
{
    if (chdir(words[2]))
        return 1;
    begin();
    calls(3);
    if (chdir("/"))
        return 1;
    calls(3);
    return 0;
}

static int retries(void)
{
    int in = 1, out = 0, code;
    begin();
    in += rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    code = MPI_Reduce(&in, rank ? NULL : &in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", code ? "an error" : "no error");
    if (code)
        MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", out);
    return 0;
}

static int crashes(void)
{
    begin();
    calls(7);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        raise(SIGKILL);
    while (pause() != 0) /* until the launcher ends it */
        continue;
    return 0;
}

static int many(void)
{
    begin();
    calls(atoi(words[2]));
    return 0;
}

static int starts(void)
{
    long long in[2] = {1, 1}, out[2] = {0};
    MPI_Request request;
    begin();
    MPI_Iallreduce(in, out, 2, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("goes on\n");
    return 0;
}

static int doubles(void)
{
    MPI_Comm copy;
    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    printf("goes on\n");
    MPI_Comm_free(&copy);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void); /* -1: it has ended the MPI by itself */
    } programs[] = {{"harmonic", harmonic}, {"closes", closes}, {"small", small},
                    {"comma", comma},       {"moves", moves},   {"retries", retries},
                    {"crashes", crashes},   {"many", many},     {"starts", starts},
                    {"doubles", doubles}};
    words = argv;
    for (size_t i = 0; i < sizeof programs / sizeof *programs && argc > 1; i++)
        if (!strcmp(programs[i].name, argv[1])) {
            const int status = programs[i].run();
            if (status == 0)
                MPI_Finalize();
            return status > 0;
        }
    return 2;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* All-reduces of COUNT integers for SECONDS, a few per second; each result is checked. A rank that
 * gets an error says so, tries one more call and ends the program. Lines, on stderr:
 *     rank 1 on host0: 40 calls, 0 wrong, longest 0.5 s
 *     rank 1 on host0: call 17: TEXT; then: TEXT
 * struck COUNT SECONDS. After some calls a rank writes its process number on its host to
 * $HOSTS/HOST/RANK.process. With STRUCK_NO_FILES in its environment it may enlarge no file, so it
 * cannot share memory. */
#include <stdbool.h>
#include <summand.h>
#include <sys/resource.h>

#include "mpi/harness.h"

static double *x, *y;

/* Fills x for a call. The last number tells all ranks that rank 0 wants to stop. */
static void fill(int count, long call, int stop)
{
    for (int i = 0; i < count - 1; i++)
        x[i] = harness_rank + i % 7 + (double)(call % 5);
    x[count - 1] = stop;
}

static int wrong(int count, long call)
{
    int n = harness_ranks, bad = 0;
    for (int i = 0; i < count - 1; i++)
        bad += y[i] != n * (n - 1) / 2 + n * (i % 7 + (double)(call % 5));
    return bad;
}

static void put_process(const char *host)
{
    char name[300];
    snprintf(name, sizeof name, "%s/%s/%d.process", getenv("HOSTS"), host, harness_rank);
    FILE *file = fopen(name, "w");
    if (file) {
        fprintf(file, "%ld\n", (long)getpid());
        fclose(file);
    }
}

static void fails(const char *host, long call, int code)
{
    double one = 1, sum = 0;
    char text[1024];
    snprintf(text, sizeof text, "%s", summand_error_text(code));
    code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    fprintf(stderr, "rank %d on %s: call %ld: %s; then: %s\n", harness_rank, host, call, text,
            code == MPI_SUCCESS ? sum == harness_ranks ? "right" : "WRONG"
                                : summand_error_text(code));
    sleep(1); /* the others have a line, too */
    MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
    char host[64] = "";
    long call = 0, bad = 0;
    double longest = 0;
    harness_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    gethostname(host, sizeof host - 1);
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    double seconds = argc > 2 ? atof(argv[2]) : 1, begin = MPI_Wtime();
    x = calloc((size_t)count, sizeof *x);
    y = calloc((size_t)count, sizeof *y);
    const bool no_files = getenv("STRUCK_NO_FILES") != NULL;
    if (no_files && setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0}))
        return 1;
    for (int stop = 0; !stop; call++) {
        fill(count, call, !harness_rank && MPI_Wtime() - begin > seconds);
        double start = MPI_Wtime();
        int code = summand_allreduce(x, y, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
        double took = MPI_Wtime() - start;
        if (code != MPI_SUCCESS)
            fails(host, call, code);
        longest = took > longest ? took : longest;
        bad += wrong(count, call);
        stop = y[count - 1] > 0;
        if (call == 3 && !no_files)
            put_process(host);
        usleep(20000);
    }
    fprintf(stderr, "rank %d on %s: %ld calls, %ld wrong, longest %.1f s\n", harness_rank, host,
            call, bad, longest);
    CHECK(!bad, "%ld wrong", bad);
    return harness_end();
}

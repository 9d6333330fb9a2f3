/* np: 1 2 3 5; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* SUMMAND_TUNING in a program: matching lines change the algorithm on all ranks, and nothing else;
 * a call's own request precedes the file. A file that is damaged, missing or from another machine
 * gives one warning on rank 0, and otherwise has no effect. */
#include <stdarg.h>
#include <stdlib.h>
#include <summand.h>
#include <unistd.h>

#include "harness.h"
#include "plan/tuned.h"
#include "process/machine.h"

static char path[64]; /* rank 0's file: the others are never read */

static void write_file(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void write_file(const char *format, ...)
{
    va_list list;
    if (harness_rank)
        return;
    FILE *file = fopen(path, "w");
    va_start(list, format);
    vfprintf(file, format, list);
    va_end(list);
    fclose(file);
}

/* The library's choice, as "algorithm segment radix"; checks that it works and is the same on all
 * ranks. */
static const char *used(MPI_Comm comm, int count, MPI_Op op, const summand_options *options)
{
    static char text[200], other[200];
    summand_plan *plan = NULL;
    summand_options got;
    const char *transport = NULL;
    double *x = malloc(((size_t)count + 1) * 2 * sizeof *x), *y = x + count + 1;
    for (int i = 0; i < count; i++)
        x[i] = (harness_rank + 1) * (i % 10 + 1);
    int code = summand_allreduce_init(x, y, count, MPI_DOUBLE, op, comm, options, &plan);
    CHECK(code == MPI_SUCCESS, "init: %d", code);
    for (int again = 0; again < 2; again++) {
        code = again ? summand_allreduce(x, y, count, MPI_DOUBLE, op, comm, options)
                     : summand_plan_start(plan);
        code = code == MPI_SUCCESS && !again ? summand_plan_wait(plan) : code;
        CHECK(code == MPI_SUCCESS, "run: %d", code);
        long wrong = 0;
        for (int i = 0; i < count; i++)
            wrong += y[i] != harness_ranks * (harness_ranks + 1) / 2 * (i % 10 + 1);
        CHECK(!wrong, "%ld elements", wrong);
    }
    code = summand_plan_describe(plan, &got, &transport);
    CHECK(code == MPI_SUCCESS && transport && *transport, "describe: %d", code);
    snprintf(text, sizeof text, "%s %lld %d", got.algorithm, (long long)got.segment, got.radix);
    strcpy(other, text);
    MPI_Bcast(other, sizeof other, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(!strcmp(text, other), "'%s', on rank 0 '%s'", text, other);
    summand_plan_free(&plan);
    free(x);
    return text;
}

static MPI_Comm fresh(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

static void expect(MPI_Comm comm, int count, MPI_Op op, const summand_options *options,
                   const char *want)
{
    const char *got = used(comm, count, op, options);
    CHECK(!strcmp(got, want), "%d elements: '%s', not '%s'", count, got, want);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] += ((double *)in)[i];
}

static void check_lines(void)
{
    char machine[512], line[600];
    MPI_Op op;
    MPI_Op_create(add, 0, &op);
    struct summand__state *state;
    summand__machine_text(machine, sizeof machine);
    summand__state_of(MPI_COMM_WORLD, &state);
    summand__tuned_machine(state, machine, line, sizeof line);
    write_file("machine %s\n"
               "allreduce %d/* 0-1k linear radix=2\n"
               "allreduce %d/* 1k-64k ring segment=4k\n"
               "allreduce %d/* 1k-2k chain segment=1\n"
               "allreduce %d/* 64k- k-nomial radix=3\n",
               line, harness_ranks, harness_ranks, harness_ranks, harness_ranks + 1);
    MPI_Comm comm = fresh();
    char small[200], large[200], ordered[200];
    summand_options asked = {.algorithm = "recursive-doubling"};
    unsetenv("SUMMAND_TUNING");
    MPI_Comm plain = fresh();
    strcpy(small, used(plain, 100, MPI_SUM, NULL));
    strcpy(large, used(plain, 10000, MPI_SUM, NULL));
    strcpy(ordered, used(plain, 1000, op, NULL));
    setenv("SUMMAND_TUNING", harness_rank ? "/nowhere" : path, 1);
    expect(comm, 0, MPI_SUM, NULL, "linear 0 2");
    expect(comm, 127, MPI_SUM, NULL, "linear 0 2");
    expect(comm, 128, MPI_SUM, NULL, "chain 1 0");
    expect(comm, 256, MPI_SUM, NULL, "ring 512 0");
    expect(comm, 8191, MPI_SUM, NULL, "ring 512 0");
    expect(comm, 10000, MPI_SUM, NULL, large); /* a line for other rank counts */
    expect(comm, 1000, op, NULL, ordered);     /* a ring does not keep the order */
    expect(comm, 100, MPI_SUM, &asked, "recursive-doubling 0 0");
    expect(plain, 100, MPI_SUM, NULL, small); /* made before the variable was set */
    MPI_Comm_free(&comm);
    MPI_Comm_free(&plain);
    MPI_Op_free(&op);
}

/* Warnings of three communicators. */
static int warnings(const char *want)
{
    char line[1024];
    int lines = 0;
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    for (int i = 0; i < 3; i++) {
        MPI_Comm comm = fresh();
        const char *got = used(comm, 100, MPI_SUM, NULL);
        CHECK(!strcmp(got, want), "'%s', not '%s'", got, want);
        MPI_Comm_free(&comm);
    }
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        lines += strstr(line, "summand: SUMMAND_TUNING: ") && strstr(line, path);
        if (strstr(line, ".c:"))
            fputs(line, stderr);
    }
    fclose(file);
    return lines;
}

/* Elements of equal extent with more or less data may get different algorithms. Ranks cache plans
 * differently: at the root a call in place is a different call, elsewhere it is not. */
static void check_kept_plans(void)
{
    enum { N = 1000 };
    static struct pair {
        short value;
        int index;
    } pairs[N], best[N];
    static double x[N], y[N];
    write_file("reduce * 0-7000 linear\nreduce * 7000- chain\n");
    MPI_Comm comm = fresh();
    for (int i = 0; i < N; i++) {
        pairs[i] = best[i] = (struct pair){(short)(harness_rank + i % 5), harness_rank};
        x[i] = harness_rank + i % 7;
    }
    const void *sendbuf = harness_rank ? (const void *)pairs : MPI_IN_PLACE;
    int code = summand_reduce(sendbuf, best, N, MPI_SHORT_INT, MPI_MAXLOC, 0, comm, NULL);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    code = summand_reduce(x, y, N, MPI_DOUBLE, MPI_SUM, 0, comm, NULL);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    long wrong = 0;
    for (int i = 0; i < N && !harness_rank; i++)
        wrong += best[i].index != harness_ranks - 1 ||
                 y[i] != harness_ranks * (harness_ranks - 1) / 2 + harness_ranks * (i % 7);
    CHECK(!wrong, "%ld elements", wrong);
    MPI_Comm_free(&comm);
}

TESTS
{
    snprintf(path, sizeof path, "/tmp/summand-tuned-%ld", (long)getpid());
    MPI_Comm plain = fresh();
    char standard[200];
    strcpy(standard, used(plain, 100, MPI_SUM, NULL));
    MPI_Comm_free(&plain);
    setenv("SUMMAND_TUNING", harness_rank ? "" : path, 1);
    check_lines();
    check_kept_plans();
    /* The first of these gives a warning, on rank 0; none changes the choice. */
    write_file("machine PDP-11/70, 1 per node, by mail\nallreduce %d 0- chain\n", harness_ranks);
    int lines = warnings(standard);
    CHECK(lines == !harness_rank, "%d lines", lines);
    write_file("allreduce %d 0- chain\nallreduce %d 0 chain\n", harness_ranks, harness_ranks);
    CHECK(warnings(standard) == 0, "a second time");
    if (!harness_rank)
        unlink(path);
    CHECK(warnings(standard) == 0, "a third time");
}

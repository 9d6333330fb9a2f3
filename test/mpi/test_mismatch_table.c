/* np: 2 3; other_sleeper; over: shm; also: p2p/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The outcome of a call in which rank 0 gives another argument than the others: for each argument
 * of each call, blocking and as a plan, with and without SUMMAND_CHECK. With it, for plans, and in
 * calls that always agree, all ranks get an error that names the argument and the ranks with each
 * value. Without it a blocking call may be silently wrong, as in MPI, but nobody waits beyond
 * SUMMAND_TIMEOUT.
 *
 * Over p2p it takes about half a second if nothing else runs. Beside other programs it may take
 * many seconds: ranks yield, and each of many messages waits for a turn of the scheduler.
 *
 *     SUMMAND_TRANSPORT=shm mpiexec -n 3 test_mismatch_table --table        prints all outcomes */
#include "mpi/differing.h"

enum { HANG = 120 /* seconds */ };

/* From the best outcome to the worst. */
enum outcome { NONE, RIGHT, NAMED, ERROR, WAITS, SILENT, OUTCOMES };
static const char *const outcome_names[OUTCOMES] = {"-",     "right",    "named",
                                                    "error", "time out", "silent"};

/* Without shared memory, messages that are too long are the MPI's, and Open MPI 4.1.4 may write
 * behind the buffer. So rows on which the ranks do not agree are left out. */
static int over_messages;

enum { ROWS = sizeof rows / sizeof *rows };
static enum outcome table[ROWS][2][2]; /* by form and check */

static void make_files(void)
{
    const char *folder = getenv("TMPDIR");
    int id = (int)getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int k = 0; k < 2; k++) {
        snprintf(paths[k], sizeof paths[k], "%.30s/summand-%d-%d", folder ? folder : "/tmp", id, k);
        FILE *file = harness_rank ? NULL : fopen(paths[k], "w");
        if (file)
            fwrite(x, sizeof *x, 144, file);
        CHECK(harness_rank || (file && !fclose(file)), "%s", paths[k]);
    }
}

static void remove_files(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 2 && !harness_rank; k++)
        remove(paths[k]);
}

/* A call on which the ranks agree is right. */
static void works(const char *after)
{
    double one = 1, sum = 0;
    summand_options patient = {.timeout = HANG};
    int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &patient);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks, "after %s: code %d, %g", after, code, sum);
}

/* Another communicator, known to the library. If the call agrees, the timeout suits a busy machine;
 * otherwise ranks may wait for nothing, so it is short. */
static void renew(int check, int agreed)
{
    setenv("SUMMAND_TIMEOUT", agreed ? "100" : "1", 1);
    setenv("SUMMAND_CHECK", check ? "on" : "off", 1);
    comm = harness_comm();
    works("nothing");
}

/* Ranks that differ only in an insignificant argument get the sum. */
static int is_right(const struct row *row)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += y[i] != harness_ranks * (harness_ranks + 1) / 2.0;
    return row->free && !wrong;
}

/* "ARGUMENT: ... on rank 0, ... on rank..." */
static int is_named(const struct row *row, int code, char *text)
{
    int length;
    MPI_Error_string(code, text, &length);
    const char *at = strstr(text, row->word ? row->word : row->argument);
    if (code != summand_error_code(SUMMAND_ERR_MISMATCH) || !at)
        return 0;
    if (!strcmp(row->call, "segment_barrier")) /* a rank knows its own value, and all others */
        return strstr(at, harness_rank ? "fence: 0 on rank " : "fence: 1 on rank 0") &&
               strstr(at, harness_rank ? "fence: 1 on some others" : "fence: 0 on some others");
    return strstr(at, " on rank 0, ") &&
           strstr(strstr(at, " on rank 0, "), harness_ranks > 2 ? " on ranks 1-2" : " on rank 1");
}

static int run_row(const struct row *row, int init)
{
    summand_plan *plan = NULL;
    int code = row->run(row->argument, init ? &plan : NULL);
    if (init && code == MPI_SUCCESS)
        code = summand_plan_start(plan);
    if (init && code == MPI_SUCCESS)
        code = summand_plan_wait(plan);
    summand_plan_free(&plan);
    return code;
}

/* Over all ranks. */
static enum outcome outcome_of(const struct row *row, int code, char *text)
{
    enum { DONE, GOOD, SAID, LATE, WORDS };
    int mine[WORDS] = {0}, all[WORDS];
    mine[DONE] = code == MPI_SUCCESS;
    mine[GOOD] = mine[DONE] && is_right(row);
    mine[SAID] = !mine[DONE] && is_named(row, code, text);
    mine[LATE] = code == summand_error_code(SUMMAND_ERR_TIMEOUT);
    MPI_Allreduce(mine, all, WORDS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all[LATE])
        return WAITS;
    if (all[DONE] == harness_ranks)
        return all[GOOD] == harness_ranks ? RIGHT : SILENT;
    if (all[DONE]) /* some have an error, others a wrong result */
        return SILENT;
    return all[SAID] == harness_ranks ? NAMED : ERROR;
}

static void one_row(int k, int init, int check)
{
    const struct row *row = &rows[k];
    char text[MPI_MAX_ERROR_STRING] = "";
    const int agreed = init || check || row->forms & ALWAYS;
    if (!(row->forms & (init ? PLAN : BLOCKING)) || (!agreed && over_messages))
        return;
    renew(check, agreed);
    for (int i = 0; i < ROOM; i++)
        x[i] = harness_rank + 1, y[i] = z[i] = 0;
    alarm(HANG);
    enum outcome *o = &table[k][init][check];
    *o = outcome_of(row, run_row(row, init), text);
    if (*o == NAMED)
        works(row->argument);
    alarm(0);
    CHECK(!agreed || *o == NAMED, "%s%s, check %d: %s: %s: %s", row->call, init ? "_init" : "",
          check, row->argument, outcome_names[*o], text);
    MPI_Comm_free(&comm);
}

static void print_table(void)
{
    printf("%-22s %-24s %-10s %-10s %-10s %-10s\n", "call", "argument", "blocking", "with check",
           "plan", "with check");
    for (int k = 0; k < ROWS; k++)
        printf("%-22s %-24s %-10s %-10s %-10s %-10s\n", rows[k].call, rows[k].argument,
               outcome_names[table[k][0][0]], outcome_names[table[k][0][1]],
               outcome_names[table[k][1][0]], outcome_names[table[k][1][1]]);
}

int main(int argc, char **argv)
{
    setenv("SUMMAND_STALL", "0", 1);
    harness_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* where MPICH raises some */
    other = !harness_rank;
    over_messages = getenv("SUMMAND_TRANSPORT") && !strcmp(getenv("SUMMAND_TRANSPORT"), "p2p");
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(nothing, 1, &user);
    make_files();
    for (int check = 0; check < 2; check++)
        for (int init = 0; init < 2; init++)
            for (int k = 0; k < ROWS; k++)
                one_row(k, init, check);
    if (!harness_rank && argc > 1 && !strcmp(argv[1], "--table"))
        print_table();
    remove_files();
    MPI_Op_free(&user);
    MPI_Type_free(&pair);
    return harness_end();
}

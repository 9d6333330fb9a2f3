/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory requests fail one by one, on one rank after the other, in any operation. The outcome must
 * be right, or an error on every rank that cannot have the result. Nobody waits for ever, and the
 * next calls, with memory, work as before.
 *
 * `--table` prints the outcomes. */
#pragma once

#include <signal.h>
#include <summand.h>

#include "mpi/harness.h"
#include "mpi/scarce.h"

/* An operation on one communicator, with its arguments and buffers. */
struct operation {
    const char *group, *name; /* a row of the table, and an operation in it */
    void *self;
    /* New arguments and buffers; only the same turn gives the same shape. */
    void (*reset)(void *self, MPI_Comm comm, int turn);
    void (*refill)(void *self); /* restores the same buffers to their state before the call */
    /* Makes the blocking call, or a plan. */
    int (*call)(void *self, summand_plan **plan);
    int (*right)(void *self); /* whether this rank's result is right and nothing else has changed */
};

/* When memory is refused. */
enum moment { FIRST_CALL, NEW_SHAPE, REPEATED, MAKING, FIRST_RUN, SECOND_RUN, MOMENTS };
static const char *const moment_names[MOMENTS] = {"first call",      "new shape",
                                                  "repeated call",   "making a plan",
                                                  "plan, first run", "plan, second run"};

/* How an operation ends on a rank. */
enum { RIGHT = 'r', MEMORY = 'm', REMOTE = 'o', UNSHARED = 'u', WRONG = 'X', OTHER = '?' };

enum { MOST_REQUESTS = 500, SECONDS = 100, MOST_ROWS = 256, MOST_RANKS = 16 };

/* Attempts on one communicator. MPI messages to a rank that has aborted a call stay there until the
 * tag comes back, 16384 calls later. */
enum { MOST_ATTEMPTS = 1000 };

/* The outcomes of all requests of a group, moment and victim. */
struct refusal_row {
    const char *group;
    enum moment moment;
    int victim;
    long refused, right, all_failed, some_failed; /* attempts: the latter three by outcome */
};

static struct {
    const struct operation *operation;
    enum moment moment;
    int victim, all, turn;
    int everywhere; /* other ranks may get the same memory error: windows do this */
    long n;
    MPI_Comm comm; /* known to Summand */
    int rows;
    struct refusal_row row[MOST_ROWS];
} refusals;

static void refusals_alarm(int signal)
{
    char text[256];
    int length = snprintf(text, sizeof text,
                          "rank %d of %d waits: %s %s, %s, request %ld%s of rank %d refused\n",
                          harness_rank, harness_ranks, refusals.operation->group,
                          refusals.operation->name, moment_names[refusals.moment], refusals.n,
                          refusals.all ? " and all after it" : "", refusals.victim);
    (void)signal;
    if (write(2, text, (size_t)length) == length)
        _exit(1);
    _exit(2);
}

/* Another communicator, for which the environment is read anew. */
static inline void refusals_renew(void)
{
    if (refusals.comm != MPI_COMM_NULL)
        MPI_Comm_free(&refusals.comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &refusals.comm);
    MPI_Comm_set_errhandler(refusals.comm, MPI_ERRORS_RETURN);
}

static inline void refusals_begin(void)
{
    refusals.comm = MPI_COMM_NULL;
    refusals_renew();
    signal(SIGALRM, refusals_alarm);
}

static char outcome_of(const struct operation *o, int code)
{
    if (code == MPI_SUCCESS)
        return o->right(o->self) ? RIGHT : WRONG;
    if (code == summand_error_code(SUMMAND_ERR_MEMORY))
        return MEMORY;
    if (code == summand_error_code(SUMMAND_ERR_REMOTE)) {
        char words[64];
        snprintf(words, sizeof words, ": rank %d: out of memory", refusals.victim);
        CHECK(strstr(summand_error_text(code), words), "%s %s: %s", o->group, o->name,
              summand_error_text(code));
        return REMOTE;
    }
    return code == summand_error_code(SUMMAND_ERR_ENVIRONMENT) ? UNSHARED : OTHER;
}

static int run_plan(summand_plan *plan)
{
    int code = summand_plan_start(plan);
    return code == MPI_SUCCESS ? summand_plan_wait(plan) : code;
}

/* The operation without refusals. */
static void succeeds(const struct operation *o, const char *when, int as_plan)
{
    summand_plan *plan = NULL;
    o->refill(o->self);
    int code = o->call(o->self, as_plan ? &plan : NULL);
    for (int run = 0; run < 2 * as_plan && code == MPI_SUCCESS; run++) {
        o->refill(o->self);
        code = run_plan(plan);
    }
    char outcome = outcome_of(o, code);
    CHECK(outcome == RIGHT, "%s %s, %s request %ld of rank %d %s: code %d, %c", o->group, o->name,
          moment_names[refusals.moment], refusals.n, refusals.victim, when, code, outcome);
    summand_plan_free(&plan);
}

/* Runs it while the victim is refused memory; returns the number of refusals. */
static long attempt(const struct operation *o, summand_plan **plan, char *outcome)
{
    enum moment moment = refusals.moment;
    int code;
    alarm(SECONDS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (harness_rank == refusals.victim)
        scarce_begin(refusals.n, refusals.all);
    if (moment == FIRST_RUN || moment == SECOND_RUN)
        code = run_plan(*plan);
    else
        code = o->call(o->self, moment == MAKING ? plan : NULL);
    long refused = scarce_end();
    int good = code == MPI_SUCCESS, all = 1;
    if (moment == MAKING) { /* an error of one rank must be one of all */
        MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        CHECK(good == all, "%s %s: code %d", o->group, o->name, code);
        if (good && all)
            code = run_plan(*plan);
    }
    *outcome = outcome_of(o, code);
    return harness_rank == refusals.victim ? refused : 0;
}

static struct refusal_row *row_of(const struct operation *o)
{
    struct refusal_row *row = refusals.row;
    for (int i = 0; i < refusals.rows; i++, row++)
        if (!strcmp(row->group, o->group) && row->moment == refusals.moment &&
            row->victim == refusals.victim)
            return row;
    if (refusals.rows == MOST_ROWS)
        return &refusals.row[MOST_ROWS - 1];
    refusals.rows++;
    *row = (struct refusal_row){o->group, refusals.moment, refusals.victim, 0, 0, 0, 0};
    return row;
}

/* Whether any request was refused. */
static int judge(const struct operation *o, char outcome, long refused)
{
    int mapped = scarce.mapped;
    char mine[3] = {outcome, refused > 0, (char)mapped}, all[3 * MOST_RANKS];
    MPI_Allgather(mine, 3, MPI_CHAR, all, 3, MPI_CHAR, MPI_COMM_WORLD);
    int any = all[3 * refusals.victim + 1], failed = 0;
    mapped = all[3 * refusals.victim + 2];
    for (int r = 0; r < harness_ranks; r++)
        failed += all[3 * r] != RIGHT;
    int fine = outcome == RIGHT ||
               (any && outcome == (harness_rank == refusals.victim ? MEMORY : REMOTE)) ||
               (any && refusals.everywhere && outcome == MEMORY) ||
               (any && mapped && outcome == UNSHARED);
    CHECK(fine, "%s %s, %s, request %ld%s of rank %d %s: outcome %c", o->group, o->name,
          moment_names[refusals.moment], refusals.n, refusals.all ? " and all after it" : "",
          refusals.victim, any ? "refused" : "not refused", outcome);
    struct refusal_row *row = row_of(o);
    row->refused += any;
    row->right += any && !failed;
    row->all_failed += any && failed == harness_ranks;
    row->some_failed += any && failed && failed < harness_ranks;
    return any;
}

static int try_one(const struct operation *o)
{
    enum moment moment = refusals.moment;
    int plans = moment >= MAKING;
    summand_plan *plan = NULL;
    MPI_Comm comm;
    char outcome;
    if (refusals.turn % (2 * MOST_ATTEMPTS) == 0)
        refusals_renew();
    comm = refusals.comm;
    if (moment == FIRST_CALL) {
        comm = harness_comm();
    }
    o->reset(o->self, comm, refusals.turn++);
    if (moment == REPEATED)
        CHECK(o->call(o->self, NULL) == MPI_SUCCESS, "%s %s", o->group, o->name);
    if (moment > MAKING)
        CHECK(o->call(o->self, &plan) == MPI_SUCCESS, "%s %s: plan", o->group, o->name);
    if (moment == SECOND_RUN)
        CHECK(run_plan(plan) == MPI_SUCCESS, "%s %s: run", o->group, o->name);
    o->refill(o->self);
    long refused = attempt(o, &plan, &outcome);
    int any = judge(o, outcome, refused);
    summand_plan_free(&plan);
    succeeds(o, "once there is memory", plans);
    o->reset(o->self, comm, refusals.turn++);
    succeeds(o, "and another shape", 0);
    alarm(0);
    if (moment == FIRST_CALL)
        MPI_Comm_free(&comm);
    return any;
}

/* Over the MPI's messages, waiting ranks look for notices only after milliseconds, so one case in
 * 12 runs. */
static int refusals_skip(void)
{
    static int cases, far;
    const char *transport = getenv("SUMMAND_TRANSPORT");
    if (!cases++) { /* something is always tried */
        far = harness_spans_nodes() || (transport && !strcmp(transport, "p2p"));
        return 0;
    }
    return far ? (cases - 1) % 12 : harness_skips();
}

/* Fails every request of `victims` ranks from the first one on at that moment: alone, and if `all`,
 * also together with all later ones until the operation ends. */
static inline void refuse_of(const struct operation *o, enum moment moment, int all, int first,
                             int victims)
{
    if (refusals_skip())
        return;
    refusals.operation = o;
    refusals.moment = moment;
    for (refusals.all = 0; refusals.all <= all; refusals.all++)
        for (refusals.victim = first; refusals.victim < first + victims; refusals.victim++)
            for (refusals.n = 1; refusals.n <= MOST_REQUESTS && try_one(o);)
                refusals.n++;
    CHECK(refusals.n <= MOST_REQUESTS, "%s %s: too many requests", o->group, o->name);
}

static inline void refuse(const struct operation *o, enum moment moment, int all)
{
    refuse_of(o, moment, all, 0, harness_ranks);
}

/* Of one rank: of another one from case to case of a sweep, whose cases ask for memory at the same
 * places. */
static inline void refuse_in_turn(const struct operation *o, enum moment moment, int all)
{
    static int turn;
    refuse_of(o, moment, all, turn++ % harness_ranks, 1);
}

static inline void print_refusals(void)
{
    printf("%-22s %-18s %6s %8s %8s %10s %11s\n", "operation", "moment", "victim", "refused",
           "right", "all fail", "some fail");
    for (int i = 0; i < refusals.rows; i++) {
        const struct refusal_row *row = &refusals.row[i];
        printf("%-22s %-18s %6d %8ld %8ld %10ld %11ld\n", row->group, moment_names[row->moment],
               row->victim, row->refused, row->right, row->all_failed, row->some_failed);
    }
}

static inline int refusals_end(int argc, char **argv)
{
    if (!harness_rank && argc > 1 && !strcmp(argv[1], "--table"))
        print_refusals();
    MPI_Comm_free(&refusals.comm);
    return harness_end();
}

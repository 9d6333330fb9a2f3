/* np: 2 3 4, long: 5 8; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Gossip all-reduce: a flipped bit anywhere in data that a rank keeps or receives ends in the same
 * bits, or in an error on all ranks. There are no silent errors and no hangs.
 *
 * `mpiexec -n 4 test_gossip_flips 100000` flips that many bits instead of a few hundred, and prints
 * the outcomes. */
#include "mpi/harness.h"

#include <math.h>
#include <stdbool.h>
#include <summand.h>
#include <summand/gossip_faults.h>

enum { KINDS = 5, SMALL = 700 /* words, of which most are in use */, HANG = 280 /* seconds */ };
enum outcome { SAME, ERROR_EVERYWHERE, SILENT, DISAGREE, OUTCOMES };

static const char *const kinds[KINDS] = {"input", "flow", "message", "kept", "received"};
static long table[KINDS][OUTCOMES], repaired[KINDS];

static double input(int k)
{
    return sin(1 + harness_rank + 10 * k) * (k ? 1e12 : 1);
}

struct how {
    MPI_Op op;
    int count;
    const char *algorithm;
};

static int reduce(const struct how *how, summand_gossip_options *o, double *y,
                  summand_gossip_report *report)
{
    double x[3];
    for (int k = 0; k < how->count; k++)
        x[k] = input(k);
    o->algorithm = how->algorithm;
    o->eps = 1e-6;
    o->timeout = 20;
    memset(y, 0, 3 * sizeof *y);
    return summand_gossip_allreduce(x, y, how->count, MPI_DOUBLE, how->op, MPI_COMM_WORLD, o,
                                    report);
}

/* Over all ranks: the same result, an error on all, or worse. */
static enum outcome outcome_of(int code, const double *y, const double *clean)
{
    int mine[3] = {code == MPI_SUCCESS, code != MPI_SUCCESS,
                   code == MPI_SUCCESS && memcmp(y, clean, 3 * sizeof *y) != 0};
    int all[3];
    MPI_Allreduce(mine, all, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all[0] && all[1] ? DISAGREE : all[2] ? SILENT : all[1] ? ERROR_EVERYWHERE : SAME;
}

static void one_flip(const struct how *how, const double *clean, int rounds, uint64_t *state)
{
    int kind = (int)(harness_random(state) % 8);
    kind = kind < KINDS ? kind : kind % 2 ? 3 : 4;
    summand_gossip_fault fault = {.variable = (enum summand_gossip_variable)kind};
    fault.rank = (int)(harness_random(state) % (uint64_t)harness_ranks);
    fault.component = (enum summand_gossip_component)(harness_random(state) % 3);
    fault.bit = (int)(harness_random(state) % 64);
    uint64_t steps = (uint64_t)rounds + (kind > 2 ? 40 : 0);
    fault.round = (int)(harness_random(state) % steps);
    uint64_t word = harness_random(state);
    fault.word = (int)(word % 2 ? (word >> 8) % SMALL : (word >> 8) % 1000003);
    summand_gossip_options o = summand_gossip_options_default();
    summand_gossip_report report = {0};
    double y[3];
    const summand_gossip_faults faults = {1, &fault, NULL, NULL};
    o.faults = &faults;
    int code = reduce(how, &o, y, &report);
    enum outcome outcome = outcome_of(code, y, clean);
    table[kind][outcome]++;
    repaired[kind] += report.bad_messages + report.bad_states > 0;
    CHECK(outcome == SAME || outcome == ERROR_EVERYWHERE,
          "%s: %s of rank %d, component %d, bit %d, round or step %d, word %d: code %d, %.17g for "
          "%.17g",
          how->op == MPI_SUM ? "sum" : "maximum", kinds[kind], fault.rank, (int)fault.component,
          fault.bit, fault.round, fault.word, code, y[0], clean[0]);
}

static void campaign(long flips)
{
    const struct how hows[] = {{MPI_SUM, 1, "hpfcc"}, {MPI_SUM, 3, "hpfcc"}, {MPI_MAX, 1, "hpfcc"}};
    uint64_t state = 99 + (uint64_t)harness_ranks + (uint64_t)flips;
    for (int h = 0; h < 3; h++) {
        summand_gossip_options o = summand_gossip_options_default();
        summand_gossip_report report;
        double clean[3];
        int code = reduce(&hows[h], &o, clean, &report);
        CHECK(code == MPI_SUCCESS && report.converged, "code %d without a flip", code);
        for (long f = 0; f < flips / (h ? 4 : 2); f++)
            one_flip(&hows[h], clean, report.rounds, &state);
    }
    for (int k = 0; k < KINDS && !harness_rank; k++)
        printf("%d ranks, %-8s %7ld same bits (%ld noticed), %ld errors on all, %ld silent, %ld "
               "disagree\n",
               harness_ranks, kinds[k], table[k][SAME], repaired[k], table[k][ERROR_EVERYWHERE],
               table[k][SILENT], table[k][DISAGREE]);
}

/* The same bit of a value and of the checksum: a sum does not detect it. */
static void two_flips_that_fit(void)
{
    static const enum summand_gossip_variable variables[] = {SUMMAND_GOSSIP_FLOW,
                                                             SUMMAND_GOSSIP_MESSAGE};
    const struct how how = {MPI_SUM, 1, "hpfcc"};
    summand_gossip_options o = summand_gossip_options_default();
    summand_gossip_report report;
    double clean[3], y[3];
    reduce(&how, &o, clean, &report);
    int rounds = report.rounds;
    for (int v = 0; v < 2; v++)
        for (int bit = 20; bit < 60; bit += 3)
            for (int back = 1; back < 12; back += 3) {
                /* later, fewer pairs meet again to replace the flow by their messages */
                int round = rounds - back;
                summand_gossip_fault two[2] = {
                    {.variable = variables[v], .bit = bit, .round = round},
                    {.variable = variables[v],
                     .component = SUMMAND_GOSSIP_CHECKSUM,
                     .bit = bit,
                     .round = round}};
                o = summand_gossip_options_default();
                const summand_gossip_faults faults = {2, two, NULL, NULL};
                o.faults = &faults;
                int code = reduce(&how, &o, y, &report);
                CHECK(code == MPI_SUCCESS && y[0] == clean[0], "bit %d round %d: %.17g for %.17g",
                      bit, round, y[0], clean[0]);
            }
}

/* Two faults for one rank and round, observed where nothing repairs: their effects add up. */
static void two_faults_for(const char *variable, bool certain)
{
    static const char *const texts[] = {"rank=1,variable=%s,bit=44,round=4",
                                        "rank=1,variable=%s,bit=48,round=4",
                                        ("rank=1,variable=%s,bit=44,round=4;"
                                         "rank=1,variable=%s,bit=48,round=4")};
    double x = ldexp(1 + harness_rank % 3, -2), y[4];
    char text[128];
    for (int t = 0; t < 4; t++) {
        summand_gossip_options o = summand_gossip_options_default();
        o.algorithm = "hps";
        o.average = 1;
        o.form = SUMMAND_GOSSIP_FIXED;
        if (t < 3) {
            snprintf(text, sizeof text, texts[t], variable, variable);
            setenv("SUMMAND_FAULT", text, 1);
        }
        int code =
            summand_gossip_allreduce(&x, &y[t], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, NULL);
        unsetenv("SUMMAND_FAULT");
        CHECK(code == MPI_SUCCESS, "code %d", code);
    }
    double one = y[0] - y[3], two = y[1] - y[3], both = y[2] - y[3];
    CHECK(!certain || (one != 0 && two != 0), "a fault of the %s was not injected", variable);
    CHECK(fabs(both - one - two) <= 1e-2 * fabs(both), "%s: %g and %g give %g", variable, one, two,
          both);
}

static void two_faults_in_one_round(void)
{
    two_faults_for("message", harness_ranks == 3); /* rank 1 of 3 certainly sends in round 4 */
    two_faults_for("input", true);
}

static void sleep_in_round_3(void *context, int round, const double *y, int count)
{
    (void)y, (void)count;
    if (round == 3 && harness_rank == 1)
        usleep(*(unsigned *)context);
}

/* The call fails on all ranks because one of them waited too long; no result was written. */
static bool fails_late(const summand_gossip_options *o)
{
    double x = input(0), y = -7;
    MPI_Barrier(MPI_COMM_WORLD);
    int code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, o, NULL);
    bool late = code == summand_error_code(SUMMAND_ERR_TIMEOUT) ||
                code == summand_error_code(SUMMAND_ERR_REMOTE);
    CHECK(late ? y == -7 : code == MPI_SUCCESS, "%s: code %d, result %g", o->algorithm, code, y);
    MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    return late;
}

/* A rank that does not answer: all get an error within the limit, and the next call works. It is
 * silent for seven times the limit. On a busy machine the others may lack a processor meanwhile and
 * miss this; then it is silent for longer. A limit that expires before round 3 gives the same
 * error. */
static void waiting_has_a_limit(void)
{
    static const char *const names[] = {"hpfcc", "pfcc", "rd", "hps", "ps"};
    for (int a = 0; a < 5; a++) {
        summand_gossip_options o = summand_gossip_options_default();
        double x = input(0), y = -7, sum;
        unsigned pause = 700000;
        o.algorithm = names[a];
        o.timeout = 0.1;
        o.eps = 1e-3;
        o.watch = sleep_in_round_3;
        o.context = &pause;
        bool late = fails_late(&o), short_one = !strcmp(names[a], "rd"); /* it has no round 3 */
        for (; !late && !short_one && pause < 5000000; pause *= 2)
            late = fails_late(&o);
        CHECK(late || short_one, "%s: no call fails", names[a]);
        pause = 0;
        o.timeout = 0;
        int code =
            summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, NULL);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(code == MPI_SUCCESS && fabs(y - sum) <= 2e-3 * fabs(sum), "%s: code %d, %g for %g",
              names[a], code, y, sum);
    }
}

static void sleep_in_each_round(void *context, int round, const double *y, int count)
{
    (void)context, (void)round, (void)y, (void)count;
    if (harness_rank == 1)
        usleep(40000);
}

/* The limit applies to one wait: some fifty waits of 40 ms each, between two exchanges, do not add
 * up to 1 s. A busy machine may stop a rank for that long, but not three times. */
static void the_limit_is_of_one_wait(void)
{
    summand_gossip_options o = summand_gossip_options_default();
    double x = input(0), y = -7, sum;
    int code = 1, worst = 1;
    o.timeout = 1;
    o.watch = sleep_in_each_round;
    for (int call = 0; call < 3 && worst != MPI_SUCCESS; call++) {
        code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, NULL);
        MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(code == MPI_SUCCESS && fabs(y - sum) <= 2e-9 * fabs(sum), "code %d, %g for %g", code, y,
          sum);
}

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    long flips = argc > 1 ? atol(argv[1]) : 400;
    if (argc < 2)
        alarm(HANG);
    campaign(flips);
    if (argc < 2) {
        two_flips_that_fit();
        two_faults_in_one_round();
        waiting_has_a_limit();
        if (harness_ranks == 2)
            the_limit_is_of_one_wait();
    }
    return harness_end();
}

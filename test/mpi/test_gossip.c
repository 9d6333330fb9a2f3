/* np: 1 2 3 5 8; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Gossip all-reduce over real processes: the promised accuracy, faults, errors, trajectories. */
#include "mpi/harness.h"

#include "lab/gossip/data.h"
#include "lab/gossip/rounds.h"

#include <math.h>
#include <stdbool.h>
#include <summand.h>
#include <summand/gossip_faults.h>

static double input(int rank, int k)
{
    return summand__datum(SUMMAND__DATA_UNIFORM, 40 + (uint64_t)k, harness_ranks, rank) - 0.2;
}

static double true_sum(int k, double scale)
{
    long double sum = 0;
    for (int r = 0; r < harness_ranks; r++)
        sum += input(r, k);
    return (double)(sum * scale);
}

static void every_algorithm_and_form(void)
{
    static const char *const names[] = {"hpfcc", "hpflc", "hps", "rd", "pfcc", "pflc", "pf", "ps"};
    for (int a = 0; a < 8; a++)
        for (int form = 0; form < 3; form++) {
            bool asynchronous = a > 3; /* many messages: one form each */
            if (asynchronous && form != a % 2)
                continue;
            summand_gossip_options o = summand_gossip_options_default();
            summand_gossip_report report;
            double x = input(harness_rank, 0), y = 0, truth = true_sum(0, 1);
            o.algorithm = names[a];
            o.form = (enum summand_gossip_form)form;
            o.eps = form == SUMMAND_GOSSIP_SINGLE ? 1e-3 : asynchronous ? 1e-6 : 1e-9;
            int code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o,
                                                &report);
            CHECK(code == MPI_SUCCESS, "%s form %d: code %d", names[a], form, code);
            CHECK(report.converged, "%s form %d: spread %g after %d rounds", names[a], form,
                  report.spread, report.rounds);
            CHECK(fabs(y - truth) <= 2 * o.eps * fabs(truth), "%s form %d: %g for %g", names[a],
                  form, y, truth);
            CHECK(!report.rigorous || fabs(y - truth) <= report.spread,
                  "%s form %d: error %g, bound %g", names[a], form, fabs(y - truth), report.spread);
            CHECK(report.bad_messages + report.bad_states == 0, "%s form %d: false alarm", names[a],
                  form);
        }
}

/* A path, the slowest topology of all, as a file. */
static void asynchronous_on_topologies(void)
{
    static const char *const names[] = {"full", "ring", "torus2", "file:gossip-path", NULL};
    if (!harness_rank) {
        FILE *out = fopen("gossip-path", "w");
        for (int r = 0; out && r + 1 < harness_ranks; r++)
            fprintf(out, "%d %d\n", r, r + 1);
        if (out)
            fclose(out);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int t = 0; names[t]; t++) {
        summand_gossip_options o = summand_gossip_options_default();
        summand_gossip_report report;
        double x = input(harness_rank, t), y = 0, truth = true_sum(t, 1);
        o.algorithm = t % 2 ? "pfcc" : "pflc";
        o.topology = names[t];
        o.eps = 1e-3;
        int code =
            summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
        CHECK(code == MPI_SUCCESS && report.converged && report.rigorous &&
                  fabs(y - truth) <= report.spread,
              "%s: code %d, %g for %g, spread %g", names[t], code, y, truth, report.spread);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!harness_rank)
        remove("gossip-path");
    summand_gossip_options o = summand_gossip_options_default();
    double x = 1, y = -7;
    o.algorithm = "pfcc";
    o.topology = "file:no-such-file";
    int code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, NULL);
    CHECK(code != MPI_SUCCESS && y == -7, "a topology that is not there is taken");
}

/* Runs end when they may not continue, and repair the injected faults. */
static void asynchronous_ends_and_heals(void)
{
    static const char *const names[] = {"ps", "pf", "pflc", "pfcc"};
    for (int a = 0; a < 4; a++) {
        summand_gossip_options o = summand_gossip_options_default();
        summand_gossip_report report;
        double x = input(harness_rank, a), y = 0, truth = true_sum(a, 1);
        o.algorithm = names[a];
        o.max_rounds = 2;
        int code =
            summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
        CHECK(code == MPI_SUCCESS && report.rounds <= 2, "%s: %d rounds", names[a], report.rounds);
        CHECK(harness_ranks < 3 || !report.converged, "%s has converged in 2 rounds", names[a]);
        summand_gossip_fault fault = {
            .rank = harness_ranks / 2, .variable = SUMMAND_GOSSIP_FLOW, .bit = 62, .round = 6};
        o.max_rounds = 0;
        o.eps = 1e-6;
        const summand_gossip_faults faults = {1, &fault, NULL, NULL};
        o.faults = &faults;
        code =
            summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
        CHECK(code == MPI_SUCCESS && (a < 2 || (report.converged && report.rigorous)),
              "%s with a flip: code %d, converged %d", names[a], code, report.converged);
        CHECK(!report.rigorous || fabs(y - truth) <= report.spread,
              "%s with a flip: %g for %g, spread %g", names[a], y, truth, report.spread);
        CHECK(a < 2 || harness_ranks == 1 || report.bad_states, "%s: the flip went unseen",
              names[a]);
    }
}

static void scales_vectors_and_in_place(void)
{
    static const double scales[] = {1e-300, 1e-12, 1, 1e12, 1e300};
    enum { COUNT = 100 };
    for (int s = 0; s < 5; s++) {
        summand_gossip_options o = summand_gossip_options_default();
        double x[COUNT], bits[COUNT], least[COUNT], most[COUNT];
        for (int k = 0; k < COUNT; k++)
            x[k] = input(harness_rank, k) * scales[s];
        o.norm = SUMMAND_GOSSIP_RMS;
        o.average = s % 2;
        summand_gossip_report report;
        int code = summand_gossip_allreduce(MPI_IN_PLACE, x, COUNT, MPI_DOUBLE, MPI_SUM,
                                            MPI_COMM_WORLD, &o, &report);
        CHECK(code == MPI_SUCCESS && report.converged && report.rigorous, "scale %g", scales[s]);
        double divisor = o.average ? harness_ranks : 1, worst = 0;
        for (int k = 0; k < COUNT; k++)
            worst = fmax(worst, fabs(x[k] / scales[s] - true_sum(k, 1) / divisor));
        CHECK(worst <= 1e-8 && worst <= report.spread / scales[s] + 1e-15,
              "scale %g: error %g, bound %g", scales[s], worst, report.spread / scales[s]);
        memcpy(bits, x, sizeof x);
        MPI_Bcast(bits, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        CHECK(!memcmp(bits, x, sizeof x), "the ranks' bits differ");
        for (int k = 0; k < COUNT; k++)
            x[k] = input(harness_rank, k) * scales[s];
        for (int maximum = 0; maximum < 2; maximum++) {
            MPI_Op op = maximum ? MPI_MAX : MPI_MIN;
            code = summand_gossip_allreduce(x, least, COUNT, MPI_DOUBLE, op, MPI_COMM_WORLD, NULL,
                                            &report);
            MPI_Allreduce(x, most, COUNT, MPI_DOUBLE, op, MPI_COMM_WORLD);
            CHECK(code == MPI_SUCCESS && !memcmp(least, most, sizeof most) && report.spread == 0,
                  "extremum at scale %g", scales[s]);
        }
    }
}

static void weights_floats_and_mean_zero(void)
{
    summand_gossip_options o = summand_gossip_options_default();
    summand_gossip_report report;
    float x = (float)input(harness_rank, 3), y;
    long double sum = 0, weights = 0;
    for (int r = 0; r < harness_ranks; r++) {
        sum += (long double)(float)input(r, 3) * (r + 1);
        weights += r + 1;
    }
    o.average = 1;
    o.weight = harness_rank + 1;
    int code = summand_gossip_allreduce(&x, &y, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS && fabs(y - (double)(sum / weights)) < 1e-6,
          "weighted mean %g, not %g", y, (double)(sum / weights));
    /* The sum is exactly 0, so a relative error means nothing; the call reports this and stops. */
    double odd = harness_ranks % 2 && harness_rank == harness_ranks - 1 ? 0
                 : harness_rank % 2                                     ? 1
                                                                        : -1;
    double zero = 1;
    o = summand_gossip_options_default();
    code =
        summand_gossip_allreduce(&odd, &zero, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS && fabs(zero) < 1e-12 && report.rounds < 1000,
          "mean zero: %g after %d rounds", zero, report.rounds);
    CHECK(harness_ranks == 1 || !report.converged || zero == 0, "claims to have converged");
    o.norm = SUMMAND_GOSSIP_RMS;
    code =
        summand_gossip_allreduce(&odd, &zero, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS && report.converged && fabs(zero) < 1e-8, "rms: %g", zero);
}

static int inject_in_round_3(void *context, int round, summand_gossip_fault *fault)
{
    if (round != 3 || harness_rank != harness_ranks - 1)
        return 0;
    *fault = *(summand_gossip_fault *)context;
    return 1;
}

/* In the default form, a flip of any bit leaves no trace except in the report. */
static void faults_leave_no_trace(void)
{
    summand_gossip_options o = summand_gossip_options_default();
    summand_gossip_report clean, report;
    double x = input(harness_rank, 0), y, z;
    summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &clean);
    for (int variable = 0; variable < 3; variable++)
        for (int component = 0; component < 3; component++)
            for (int bit = 0; bit < 64; bit += 13) {
                summand_gossip_fault fault = {.rank = bit % harness_ranks,
                                              .variable = (enum summand_gossip_variable)variable,
                                              .component = (enum summand_gossip_component)component,
                                              .bit = bit,
                                              .round = 2 + bit % 5};
                o = summand_gossip_options_default();
                const summand_gossip_faults listed = {1, &fault, NULL, NULL};
                const summand_gossip_faults injected = {0, NULL, inject_in_round_3, &fault};
                o.faults = component == 1 ? &injected : &listed;
                int code = summand_gossip_allreduce(&x, &z, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                                    &o, &report);
                CHECK(code == MPI_SUCCESS && fabs(y - z) <= clean.spread && report.converged,
                      "variable %d bit %d: %.17g for %.17g", variable, bit, z, y);
                CHECK(report.rounds == clean.rounds, "variable %d bit %d: %d rounds for %d",
                      variable, bit, report.rounds, clean.rounds);
                CHECK(harness_ranks < 3 || report.repairs >= 1, "variable %d bit %d: not noticed",
                      variable, bit);
            }
}

static void extremum_survives_faults(void)
{
    double x = input(harness_rank, 0), want, got;
    MPI_Allreduce(&x, &want, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int variable = 0; variable < 3; variable += 2)
        for (int bit = 0; bit < 64; bit += 5) {
            summand_gossip_fault fault = {.rank = bit % harness_ranks,
                                          .bit = bit,
                                          .round = bit % 6,
                                          .variable = (enum summand_gossip_variable)variable};
            summand_gossip_options o = summand_gossip_options_default();
            summand_gossip_report report;
            const summand_gossip_faults faults = {1, &fault, NULL, NULL};
            o.faults = &faults;
            summand_gossip_allreduce(&x, &got, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &o, &report);
            CHECK(got == want && report.converged, "bit %d: %g for %g", bit, got, want);
        }
}

static void environment_can_flip(void)
{
    double x = input(harness_rank, 0), y;
    summand_gossip_report report;
    setenv("SUMMAND_FAULT", "rank=0,variable=flow,component=value,bit=62,round=4", 1);
    int code =
        summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &report);
    CHECK(code == MPI_SUCCESS && (harness_ranks < 3 || report.repairs == 1), "repairs %llu",
          (unsigned long long)report.repairs);
    static const char *const wrong[] = {"rank=0,bit=64",
                                        "rank=0,rank=0",
                                        "rank=0,",
                                        "rank=0;",
                                        "rank=0,bit=1x",
                                        "rank",
                                        "rank=0,bit=3,round=2,bit=4"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SUMMAND_FAULT", wrong[i], 1);
        code =
            summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &report);
        CHECK(code == summand_error_code(SUMMAND_ERR_ENVIRONMENT), "%s: code %d", wrong[i], code);
    }
    unsetenv("SUMMAND_FAULT");
}

static void errors_reach_all_ranks(void)
{
    double x = harness_rank == harness_ranks - 1 ? NAN : 1, y = -7;
    int code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, NULL);
    int want = harness_rank == harness_ranks - 1 ? SUMMAND_ERR_NOT_FINITE : SUMMAND_ERR_REMOTE;
    CHECK(code == summand_error_code((enum summand_error)want) && y == -7, "code %d", code);
    summand_gossip_options o = summand_gossip_options_default();
    x = 1;
    o.algorithm = "ardb";
    code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, NULL);
    CHECK(code == summand_error_code(SUMMAND_ERR_ALGORITHM), "code %d", code);
    o = summand_gossip_options_default();
    o.eps = harness_rank ? 1e-3 : 1e-4;
    code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, NULL);
    CHECK(code != MPI_SUCCESS || harness_ranks == 1, "different eps went unseen");
    o = summand_gossip_options_default();
    o.max_rounds = 1;
    summand_gossip_report report;
    x = harness_rank;
    code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS && (harness_ranks == 1 || !report.converged) && report.rounds <= 1,
          "one round: converged %d", report.converged);
    y = -7;
    code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o,
                                    harness_rank ? NULL : &report);
    const bool here = harness_ranks > 1 && harness_rank;
    CHECK(code == (here ? summand_error_code(SUMMAND_ERR_NOT_CONVERGED) : MPI_SUCCESS) &&
              (y == -7) == here,
          "one round without a report: code %d, %g", code, y);
    CHECK(!here || strstr(summand_error_text(code), "after round 1 (options.max_rounds is 1)"),
          "%s", summand_error_text(code));
    code = summand_gossip_allreduce(&x, &y, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &report);
    CHECK(code == MPI_SUCCESS && report.rounds == 0, "count 0: code %d", code);
}

enum { TRACE = 400 };
struct trace {
    int count;
    double y[TRACE];
};

static void keep(void *context, int round, const double *y, int count)
{
    struct trace *trace = context;
    (void)round, (void)count;
    if (trace->count < TRACE)
        trace->y[trace->count++] = y[0];
}

/* 32-bit values have one digit, so both compute with one word. */
static double simulated_input(const void *context, int64_t i)
{
    (void)context;
    double x = i == 0 ? 0.75 : summand__datum(SUMMAND__DATA_UNIFORM, 6, harness_ranks, i);
    return ldexp(floor(ldexp(x, 32)), -32);
}

/* The simulator and the processes take the same course, bit for bit. */
static void trajectory_is_the_simulators(void)
{
    static const char *const names[] = {"hps", "hpflc", "hpfcc", "rd"};
    static const struct summand__arith *const forms[] = {
        &summand__arith_fixed, &summand__arith_double, &summand__arith_single};
    for (int a = 0; a < 4; a++)
        for (int form = 0; form < 3; form++) {
            struct trace trace = {0};
            summand_gossip_options o = summand_gossip_options_default();
            double x = simulated_input(NULL, harness_rank), y;
            o.algorithm = names[a];
            o.form = (enum summand_gossip_form)form;
            o.eps = 1e-3;
            o.average = 1;
            o.seed = 77;
            o.watch = keep;
            o.context = &trace;
            summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, NULL);
            struct summand__rounds sim;
            struct summand__rounds_setup setup = {.algorithm = summand__gossip_named(names[a]),
                                                  .arith = forms[form],
                                                  .n = harness_ranks,
                                                  .seed = 77,
                                                  .tau = -1,
                                                  .threads = 1,
                                                  .value = simulated_input,
                                                  .truth = 1};
            CHECK(summand__rounds_open(&sim, &setup), "out of memory");
            for (int round = 0; round < trace.count; round++) {
                double want;
                summand__rounds_step(&sim, NULL, 0);
                sim.nodes[harness_rank]->algorithm->estimate(sim.nodes[harness_rank], &want);
                CHECK(trace.y[round] == want, "%s form %d round %d: %.17g for %.17g", names[a],
                      form, round, trace.y[round], want);
            }
            CHECK(harness_ranks == 1 || trace.count > 0, "no rounds");
            summand__rounds_close(&sim);
        }
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    every_algorithm_and_form();
    asynchronous_on_topologies();
    asynchronous_ends_and_heals();
    scales_vectors_and_in_place();
    weights_floats_and_mean_zero();
    faults_leave_no_trace();
    extremum_survives_faults();
    environment_can_flip();
    errors_reach_all_ranks();
    trajectory_is_the_simulators();
}

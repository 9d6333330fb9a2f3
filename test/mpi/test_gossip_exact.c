/* np: 1 2 3 4 8; together; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Gossip all-reduce: its reports are true. Sums that cancel, weights far apart, signed zeros; the
 * oracle is the exact accumulator on one rank, from all inputs. */
#include "mpi/harness.h"

#include "gossip/machine.h"

#include <math.h>
#include <stdbool.h>
#include <summand.h>

enum { CASES = 200, LENGTH = 5 };

static double oracle(double mine)
{
    double all[64];
    MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    return summand_exact_sum((size_t)harness_ranks, all);
}

/* If eps has a meaning, converged must be 1 and the result within eps. */
static void check_sum(const char *what, double x, double eps, int form)
{
    summand_gossip_options o = summand_gossip_options_default();
    summand_gossip_report report;
    double truth = oracle(x), y = 7;
    o.form = (enum summand_gossip_form)form;
    o.eps = eps;
    int code =
        summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS, "%s: code %d", what, code);
    CHECK(!report.converged || fabs(y - truth) <= eps * fabs(truth),
          "%s form %d: converged with %.17g for %.17g, spread %g", what, form, y, truth,
          report.spread);
    CHECK(form != SUMMAND_GOSSIP_FIXED || report.converged, "%s: spread %g of %g after %d rounds",
          what, report.spread, truth, report.rounds);
    CHECK(fabs(y - truth) <= report.spread, "%s form %d: error %g, spread %g", what, form,
          fabs(y - truth), report.spread);
}

static void sums_that_cancel(void)
{
    static const double three[] = {1e16, -1e16, 0.3};
    static const double far[] = {1e308, -1e308, 5e-324};
    static const double near[] = {1 + 0x1p-52, -1, 0x1p-60};
    for (int form = 0; form < 2; form++) {
        int r = harness_rank;
        check_sum("1e16 - 1e16 + 0.3", r < 3 ? three[r] : 0, 1e-9, form);
        check_sum("1e308 - 1e308 + 5e-324", r < 3 ? far[r] : 0, 1e-9, form);
        check_sum("1 + u - 1 + u / 256", r < 3 ? near[r] : 0, 1e-15, form);
        check_sum("alternating", (r % 2 ? -1 : 1) * (1e15 + 0.1 * r), 1e-12, form);
    }
}

/* Terms of random size, with later ones that cancel earlier ones. */
static void random_sums(void)
{
    uint64_t state = 17 + (uint64_t)harness_ranks;
    for (int c = 0; c < CASES / harness_ranks; c++) {
        double mine = 0, sum = 0;
        int spread = 1 << harness_random(&state) % 11;
        for (int r = 0; r < harness_ranks; r++) {
            int exponent = (int)(harness_random(&state) % (uint64_t)spread) - spread / 2;
            double x = ldexp((double)(int64_t)harness_random(&state), exponent - 63);
            if (r + 1 == harness_ranks && harness_random(&state) % 2)
                x = -sum;
            sum += x;
            mine = r == harness_rank ? x : mine;
        }
        check_sum("random", mine, 1e-12, 0);
    }
}

/* Fixed point to the end: the exact sum, rounded once. */
static void exact_to_the_last_bit(void)
{
    uint64_t state = 3;
    for (int c = 0; c < 40; c++) {
        double x[LENGTH], y[LENGTH];
        summand_gossip_options o = summand_gossip_options_default();
        o.eps = 1e-300;
        for (int r = 0; r <= harness_rank; r++)
            for (int k = 0; k < LENGTH; k++)
                x[k] = ldexp((double)(int64_t)harness_random(&state),
                             (int)(harness_random(&state) % 40));
        state = (uint64_t)c;
        summand_gossip_report report;
        int code = summand_gossip_allreduce(x, y, LENGTH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o,
                                            &report);
        CHECK(code == MPI_SUCCESS && report.converged && report.rigorous, "code %d", code);
        for (int k = 0; k < LENGTH; k++) {
            double truth = oracle(x[k]);
            CHECK(y[k] == truth, "element %d: %.17g for %.17g", k, y[k], truth);
        }
    }
}

static void check_mean(const char *what, double x, double weight, double truth, double eps,
                       int form)
{
    summand_gossip_options o = summand_gossip_options_default();
    summand_gossip_report report;
    double y = 7;
    o.form = (enum summand_gossip_form)form;
    o.average = 1;
    o.weight = weight;
    int code =
        summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS, "%s: code %d", what, code);
    CHECK(form || report.converged, "%s: has not converged", what);
    CHECK(!report.converged || fabs(y - truth) <= eps * fabs(truth), "%s form %d: %.17g for %.17g",
          what, form, y, truth);
    CHECK(fabs(y - truth) <= report.spread + 2 * fabs(truth) * 0x1p-53, "%s: spread %g, error %g",
          what, report.spread, fabs(y - truth));
}

static void weights_far_apart(void)
{
    int r = harness_rank, n = harness_ranks;
    for (int form = 0; form < 2; form++) {
        double others = n - 1; /* of weight 1 and value 1 */
        check_mean("weight 1e-20", r ? 1 : 1e20, r ? 1 : 1e-20, (1 + others) / (1e-20 + others),
                   1e-9, n > 1 ? form : 0);
        check_mean("weight 1e-12", r ? 1 : 1e12, r ? 1 : 1e-12, (1 + others) / (1e-12 + others),
                   1e-9, n > 1 ? form : 0);
    }
    /* Weights and values whose products leave the range of doubles. */
    double tiny = ldexp(1, -1000), huge = ldexp(1, 1000);
    check_mean("products of 1", r ? tiny : huge, r ? huge : tiny,
               n > 1 ? n / ((n - 1) * huge) : huge, 1e-9, 0);
    check_mean("all alike", 1e300, 1e300, 1e300, 1e-9, 0);
    check_mean("all small", 1e-300, 1e-300, 1e-300, 1e-9, 0);
}

static bool same_everywhere(double y)
{
    uint64_t bits = harness_bits(y), ends[2] = {bits, ~bits}, most[2];
    MPI_Allreduce(ends, most, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return most[0] == ~most[1];
}

static void signed_zeros(void)
{
    static const char *const names[] = {"hpfcc", "hpflc", "hps", "pfcc", "ps", "rd"};
    for (int c = 0; c < 3; c++)
        for (int a = 0; a < 6; a++)
            for (int form = 0; form < 2; form++) {
                double x = (c + harness_rank) % 3 ? -0.0 : 0.0, y = 7;
                summand_gossip_options o = summand_gossip_options_default();
                o.algorithm = names[a];
                o.form = (enum summand_gossip_form)form;
                int code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                                    &o, NULL);
                CHECK(code == MPI_SUCCESS && y == 0 && same_everywhere(y), "%s: %g", names[a], y);
            }
    for (int agree = 0; agree < 2; agree++)
        for (int positive = 0; positive < harness_ranks; positive++) {
            double x = harness_rank == positive ? 0.0 : -0.0, most, least;
            summand_gossip_options o = summand_gossip_options_default();
            o.promise = agree ? SUMMAND_PROMISE_SAME : SUMMAND_PROMISE_NONE;
            summand_gossip_allreduce(&x, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &o, NULL);
            summand_gossip_allreduce(&x, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &o, NULL);
            CHECK(!signbit(most), "the maximum of -0 and +0 is -0");
            CHECK(signbit(least) || harness_ranks == 1, "the minimum of -0 and +0 is +0");
        }
}

/* Elements whose inputs are all 0 have converged, in each form of each algorithm; others beside
 * them do not matter, nor do weights. */
static void zeros_have_converged(const char *algorithm, int form, int weights, int norm)
{
    enum { COUNT = 3 };
    double x[COUNT] = {0, harness_rank % 2 ? -0.0 : 0, 0}, y[COUNT] = {7, 7, 7};
    float single[COUNT] = {0, 0, 0}, z[COUNT] = {7, 7, 7};
    summand_gossip_options o = summand_gossip_options_default();
    summand_gossip_report report;
    o.algorithm = algorithm;
    o.form = (enum summand_gossip_form)form;
    o.norm = (enum summand_gossip_norm)norm;
    o.average = weights > 0;
    o.weight = weights > 1 ? 1 + harness_rank : 1;
    int code =
        summand_gossip_allreduce(x, y, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS && report.converged && report.spread == 0 && !report.resets,
          "%s form %d: code %d, converged %d, spread %g", algorithm, form, code, report.converged,
          report.spread);
    for (int k = 0; k < COUNT; k++)
        CHECK(harness_bits(y[k]) == 0, "%s form %d: %g, which is not +0", algorithm, form, y[k]);
    code =
        summand_gossip_allreduce(single, z, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS && report.converged && z[0] == 0 && z[COUNT - 1] == 0,
          "%s form %d, floats: code %d, converged %d", algorithm, form, code, report.converged);
    /* One element that is not 0 has an error beside them. */
    x[1] = harness_rank ? 0 : 1.5;
    o.average = 0;
    code = summand_gossip_allreduce(x, y, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    CHECK(code == MPI_SUCCESS && y[0] == 0 && y[2] == 0 && fabs(y[1] - 1.5) <= report.spread,
          "%s form %d: %g %g %g, spread %g", algorithm, form, y[0], y[1], y[2], report.spread);
}

static void zeros_are_exact(void)
{
    for (int a = 0; summand__gossip_algorithms[a]; a++)
        for (int form = 0; form < 3; form++)
            if (!summand__gossip_algorithms[a]->study && !summand__gossip_algorithms[a]->extremum) {
                zeros_have_converged(summand__gossip_algorithms[a]->name, form, 0, 0);
                zeros_have_converged(summand__gossip_algorithms[a]->name, form, 1, 1);
                zeros_have_converged(summand__gossip_algorithms[a]->name, form, 2, form);
            }
}

/* Long vectors whose elements need different numbers of digits. */
static void vectors_of_all_sizes(void)
{
    enum { COUNT = 150 };
    double x[COUNT], y[COUNT];
    for (int norm = 0; norm < 2; norm++)
        for (int form = 0; form < 2; form++) {
            summand_gossip_options o = summand_gossip_options_default();
            summand_gossip_report report;
            o.norm = (enum summand_gossip_norm)norm;
            o.form = (enum summand_gossip_form)form;
            for (int k = 0; k < COUNT; k++)
                x[k] = ldexp(1 + harness_rank / 7.0, k % 5 * 13 * (harness_rank - 2));
            int code = summand_gossip_allreduce(x, y, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                                &o, &report);
            CHECK(code == MPI_SUCCESS && report.converged, "code %d", code);
            for (int k = 0; k < COUNT; k++) {
                double truth = oracle(x[k]);
                CHECK(fabs(y[k] - truth) <= 1e-8 * fabs(truth), "element %d: %g for %g", k, y[k],
                      truth);
            }
        }
}

TESTS
{
    sums_that_cancel();
    random_sums();
    exact_to_the_last_bit();
    weights_far_apart();
    signed_zeros();
    zeros_are_exact();
    vectors_of_all_sizes();
}

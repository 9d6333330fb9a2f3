/* SPDX-License-Identifier: BSD-3-Clause */
/* A gossip call's report of its results is true: no rank's result is farther from the true one than
 * `spread`, `converged` is within eps, and a result that is not finite is neither converged nor
 * proven. Covers every algorithm, form and norm, on values and weights of all kinds, with all ranks
 * in one process. The oracle is MPFR. */
#include "flips/call.h"
#include "gossip/machine.h"
#include "unit/exact_oracle.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = CALL_ELEMENTS };

int __wrap_summand_error_code(enum summand_error error); /* world.c's */

static const int ranks_of[] = {1, 2, 3, 5, 8};
static uint64_t draws = 11;
static long calls, converged, rigorous, faults;

static uint64_t draw(void)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return draws >> 20;
}

static double of_any_size(int least, int most)
{
    double mantissa = (double)draw() * 0x1p-44 - 0.5;
    return ldexp(mantissa, least + (int)(draw() % (uint64_t)(most - least)));
}

enum kind { SIMILAR, SAME, HUGE, TINY, FULL, CANCELLING, MIXED, ZEROS, ONE_OF_MANY, KINDS };
static const char *const kind_names[] = {"similar",    "same",  "huge",  "tiny",       "full",
                                         "cancelling", "mixed", "zeros", "one of many"};

static double value(enum kind kind, int rank, int ranks, int k)
{
    switch (kind) {
    case SAME:
        return 0.1 * (k + 1);
    case HUGE:
        return of_any_size(1020, 1024);
    case TINY:
        return of_any_size(-1074, -1068);
    case FULL:
        return k == 1 ? -DBL_MAX : DBL_MAX;
    case CANCELLING:
        return (rank % 2 ? -1 : 1) * (1e15 + 0.1 * rank * k);
    case MIXED:
        return of_any_size(-1060, 1023);
    case ZEROS:
        return rank % 2 ? -0.0 : 0.0;
    case ONE_OF_MANY:
        return rank == ranks - 1 ? 1 : k * 1e-30;
    default:
        return 1 + rank + k + of_any_size(-3, 0);
    }
}

enum weights { NONE, TWO, HUNDRED, THIRD, RISING, FAR, APART, LEAST, MOST, ANY, WEIGHTS };
static const char *const weight_names[] = {
    "1", "2", "100", "1/3", "rank + 1", "1, 1e-20", "1e-300, 1e300", "least", "most", "any"};

static double weight(enum weights weights, int rank)
{
    switch (weights) {
    case TWO:
        return 2;
    case HUNDRED:
        return 100;
    case THIRD:
        return 1 / 3.;
    case RISING:
        return rank + 1;
    case FAR:
        return rank % 2 ? 1e-20 : 1;
    case APART:
        return rank % 2 ? 1e300 : 1e-300;
    case LEAST:
        return 0x1p-1074;
    case MOST:
        return DBL_MAX;
    case ANY:
        return fabs(of_any_size(-1060, 1023)) + 0x1p-1074;
    default:
        return 1;
    }
}

struct truth {
    mpfr_t value, scale; /* scale: the reference value of eps */
};

/* The exact result of element k. */
static void find_truth(const struct call_case *how, int ranks, int k, struct truth *t)
{
    struct oracle sum, squares, weights;
    oracle_init(&sum);
    oracle_init(&squares);
    oracle_init(&weights);
    mpfr_t extremum;
    mpfr_init2(extremum, 53);
    mpfr_set_d(extremum, how->x[0][k], MPFR_RNDN);
    for (int r = 0; r < ranks; r++) {
        double x = how->floats ? (double)(float)how->x[r][k] : how->x[r][k];
        double w = how->mean ? how->weight[r] : 1;
        oracle_product(&sum, x, w);
        oracle_add(&weights, w);
        mpfr_mul_d(squares.term, sum.term, x, MPFR_RNDN);
        mpfr_add(squares.sum, squares.sum, squares.term, MPFR_RNDN);
        double best = mpfr_get_d(extremum, MPFR_RNDN);
        if (r == 0 || (how->maximum ? x > best : x < best))
            mpfr_set_d(extremum, x, MPFR_RNDN);
    }
    if (how->maximum || how->minimum)
        mpfr_set(t->value, extremum, MPFR_RNDN);
    else if (how->mean)
        mpfr_div(t->value, sum.sum, weights.sum, MPFR_RNDN);
    else
        mpfr_set(t->value, sum.sum, MPFR_RNDN);
    mpfr_abs(t->scale, t->value, MPFR_RNDN);
    if (how->norm == SUMMAND_GOSSIP_ABSOLUTE)
        mpfr_set_d(t->scale, 1, MPFR_RNDN);
    if (how->norm == SUMMAND_GOSSIP_RMS && !how->maximum && !how->minimum) {
        mpfr_div(t->scale, squares.sum, weights.sum, MPFR_RNDN);
        mpfr_sqrt(t->scale, t->scale, MPFR_RNDN);
        if (!how->mean)
            mpfr_mul_d(t->scale, t->scale, ranks, MPFR_RNDN);
    }
    mpfr_clear(extremum);
    oracle_clear(&sum);
    oracle_clear(&squares);
    oracle_clear(&weights);
}

static double least_step(const struct call_case *how, double y)
{
    if (!how->floats)
        return nextafter(fabs(y), INFINITY) - fabs(y);
    return (double)nextafterf((float)fabs(y), INFINITY) - fabs(y);
}

/* Returns NULL, or the fault of a rank's result. */
static const char *judge(const struct call_case *how, const summand_gossip_report *report,
                         const struct truth *t, double y)
{
    mpfr_t error;
    const char *wrong = NULL;
    if (report->converged && !isfinite(y))
        return "not finite, and converged";
    if (report->rigorous && !(isfinite(y) && isfinite(report->spread)))
        return "not finite, and rigorous";
    if (isnan(report->spread) || report->spread < 0)
        return "no spread";
    if (!isfinite(y))
        return isnan(y) ? "NaN" : report->spread < INFINITY ? "infinite within a spread" : NULL;
    mpfr_init2(error, 6000);
    mpfr_sub_d(error, t->value, y, MPFR_RNDA);
    mpfr_abs(error, error, MPFR_RNDA);
    if (mpfr_cmp_d(error, report->spread) > 0)
        wrong = "farther away than the spread";
    bool rounding = mpfr_cmp_d(error, least_step(how, y)) <= 0;
    mpfr_t goal;
    mpfr_init2(goal, 6000);
    mpfr_mul_d(goal, t->scale, how->eps, MPFR_RNDU);
    if (report->converged && mpfr_cmp(error, goal) > 0 && !rounding)
        wrong = "converged, and not within eps";
    mpfr_clears(error, goal, (mpfr_ptr)0);
    return wrong;
}

static const char *algorithm_of(const struct call_case *how)
{
    return how->maximum ? "max" : how->minimum ? "min" : how->algorithm;
}

static void check(const struct call_case *how, int ranks, const char *what, const char *weights)
{
    static const struct call_flip none = {.where = CALL_NOTHING};
    static struct call_outcome outcome;
    struct truth t;
    call_run(how, ranks, draw() % 2 ? 0 : draw(), &none, &outcome);
    calls++;
    converged += outcome.report[0].converged;
    rigorous += outcome.report[0].rigorous;
    mpfr_inits2(6000, t.value, t.scale, (mpfr_ptr)0);
    for (int k = 0; k < how->count; k++) {
        find_truth(how, ranks, k, &t);
        for (int r = 0; r < ranks; r++) {
            const char *wrong = outcome.hangs ? "hangs" : NULL;
            double y = outcome.y[r][k];
            if (!wrong && outcome.code[r] != MPI_SUCCESS)
                wrong = "an error";
            if (!wrong && memcmp(&outcome.report[r], &outcome.report[0], sizeof *outcome.report))
                wrong = "another report than on rank 0";
            if (!wrong && !how->disagree && memcmp(&y, &outcome.y[0][k], sizeof y))
                wrong = "other bits than on rank 0";
            if (!wrong)
                wrong = judge(how, &outcome.report[r], &t, y);
            if (!wrong)
                continue;
            if (faults++ < 40)
                printf(
                    "%s form %d norm %d%s%s, %s, weights %s, %d rounds%s, rank %d of %d, element "
                    "%d: %s: %.17g for %.17g, spread %g, eps %g, converged %d, rigorous %d\n",
                    algorithm_of(how), how->form, how->norm, how->mean ? " mean" : "",
                    how->disagree ? " own" : "", what, weights, outcome.report[r].rounds,
                    how->floats ? ", floats" : "", r, ranks, k, wrong, y,
                    mpfr_get_d(t.value, MPFR_RNDN), outcome.report[r].spread, how->eps,
                    outcome.report[r].converged, outcome.report[r].rigorous);
            break;
        }
    }
    mpfr_clears(t.value, t.scale, (mpfr_ptr)0);
}

static double as_float(double x)
{
    return fabs(x) > FLT_MAX ? copysign(FLT_MAX, x) : x;
}

static void with_values(struct call_case *how, int ranks, enum kind kind)
{
    static double x[WORLD_MOST][ELEMENTS], w[WORLD_MOST];
    how->x = (const double(*)[ELEMENTS])x;
    how->weight = w;
    for (int weights = NONE; weights < (how->mean ? WEIGHTS : TWO); weights++) {
        for (int r = 0; r < ranks; r++) {
            w[r] = weight((enum weights)weights, r);
            for (int k = 0; k < ELEMENTS; k++) {
                double v = value(kind, r, ranks, k);
                x[r][k] = how->floats ? as_float(v) : v;
            }
        }
        check(how, ranks, kind_names[kind], weight_names[weights]);
    }
}

/* Two norms, two widths of results, and calls that run to the end or are cut short, one combination
 * each time. */
static void with_options(struct call_case how, int ranks)
{
    static const double eps[] = {1e-9, 1e-3, 1e-14, 1e-300, 0.5};
    static const int rounds[] = {1000, 1000, 1000, 1, 7};
    for (int own = 0; own < 2; own++)
        for (int mean = 0; mean < 2; mean++)
            for (int kind = 0; kind < KINDS; kind++) {
                how.disagree = own;
                how.mean = mean;
                how.norm = (enum summand_gossip_norm)(draw() % 3);
                how.floats = draw() % 4 == 0;
                how.eps = eps[draw() % 5];
                how.tau = draw() % 8 ? 0 : draw() % 2 ? 1e300 : 1e-3;
                how.max_rounds = rounds[draw() % 5];
                how.count = 1 + (int)(draw() % ELEMENTS);
                with_values(&how, ranks, (enum kind)kind);
            }
}

/* If rounding is taken for damage, no rank asks for ever: calls end, possibly with an error. */
static void false_alarms_end(void)
{
    static const struct call_flip none = {.where = CALL_NOTHING};
    static struct call_outcome outcome;
    for (int a = 0; summand__gossip_algorithms[a]; a++)
        for (int form = SUMMAND_GOSSIP_DOUBLE; form <= SUMMAND_GOSSIP_SINGLE; form++) {
            const struct call_case how = {.algorithm = summand__gossip_algorithms[a]->name,
                                          .form = (enum summand_gossip_form)form,
                                          .count = ELEMENTS,
                                          .eps = 1e-300,
                                          .tau = 1e-18};
            if (!summand__gossip_algorithms[a]->checked || summand__gossip_algorithms[a]->extremum)
                continue;
            call_run(&how, 5, 0, &none, &outcome);
            int timeout = __wrap_summand_error_code(SUMMAND_ERR_TIMEOUT);
            for (int r = 0; r < 5; r++)
                if (outcome.hangs || outcome.code[r] == timeout) {
                    printf("%s form %d: waits for ever after false alarms\n", how.algorithm, form);
                    faults++;
                    break;
                }
        }
}

int main(int argc, char **argv)
{
    long repeats = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    if (argc > 2)
        draws = strtoull(argv[2], NULL, 10);
    for (long repeat = 0; repeat < repeats; repeat++)
        for (size_t p = 0; p < sizeof ranks_of / sizeof *ranks_of; p++) {
            for (int a = 0; summand__gossip_algorithms[a]; a++) {
                const struct summand__gossip_algorithm *algorithm = summand__gossip_algorithms[a];
                for (int form = 0; form < 3 && !algorithm->study && !algorithm->extremum; form++)
                    with_options((struct call_case){.algorithm = algorithm->name,
                                                    .form = (enum summand_gossip_form)form},
                                 ranks_of[p]);
            }
            for (int maximum = 0; maximum < 2; maximum++)
                with_options((struct call_case){.algorithm = "spread",
                                                .maximum = maximum,
                                                .minimum = !maximum},
                             ranks_of[p]);
        }
    false_alarms_end();
    printf("%ld calls, %ld converged, %ld rigorous; %ld faults\n", calls, converged, rigorous,
           faults);
    return faults != 0 || converged == 0 || rigorous == 0 || converged == calls;
}

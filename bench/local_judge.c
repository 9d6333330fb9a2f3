/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums that people use, judged (summand/judge.h): one row each for docs/comparison.md. Where a sum
 * has parts, the parts' sums are added in their order, as MPI_Allreduce does on few ranks. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <summand/exact.h>
#include <summand/judge.h>

static double loop(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double by_parts(size_t parts, const size_t counts[], const double x[], void *of)
{
    double (*add)(size_t, const double *) = *(double (**)(size_t, const double *))of, sum = 0;
    for (size_t p = 0; p < parts; x += counts[p++])
        sum += add(counts[p], x);
    return sum;
}

/* Kahan 1965. */
static double kahan(size_t n, const double *x)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        const double y = x[i] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    return sum;
}

/* Neumaier 1974. */
static double neumaier(size_t n, const double *x)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        const double t = sum + x[i];
        lost += fabs(sum) >= fabs(x[i]) ? (sum - t) + x[i] : (x[i] - t) + sum;
        sum = t;
    }
    return sum + lost;
}

static double pairwise(size_t n, const double *x)
{
    return n <= 8 ? loop(n, x) : pairwise(n / 2, x) + pairwise(n - n / 2, x + n / 2);
}

struct two {
    double high, low;
};

/* A double-double and another one (He and Ding 2001, as an MPI operator). */
static struct two add_two(struct two a, struct two b)
{
    const double s = a.high + b.high, c = s - a.high;
    const double rest = (a.high - (s - c)) + (b.high - c) + a.low + b.low;
    return (struct two){s + rest, rest - ((s + rest) - s)};
}

static double double_double(size_t parts, const size_t counts[], const double x[], void *of)
{
    struct two all = {0, 0};
    (void)of;
    for (size_t p = 0; p < parts; x += counts[p++]) {
        struct two part = {0, 0};
        for (size_t i = 0; i < counts[p]; i++)
            part = add_two(part, (struct two){x[i], 0});
        all = add_two(all, part);
    }
    return all.high + all.low;
}

/* Integers of 128 bits in units of 2^-62 (Hallberg and Adcroft 2014 have several words): right as
 * long as the terms fit. */
__extension__ typedef __int128 wide;

static double fixed_point(size_t parts, const size_t counts[], const double x[], void *of)
{
    size_t n = 0;
    wide sum = 0;
    (void)of;
    for (size_t p = 0; p < parts; p++)
        n += counts[p];
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i]) < 0x1p53)
            sum += (wide)ldexp(x[i], 62);
    return ldexp((double)sum, -62);
}

/* Merged as ranks do, by accumulators. */
static double exact(size_t parts, const size_t counts[], const double x[], void *of)
{
    summand_exact all;
    (void)of;
    summand_exact_init(&all);
    for (size_t p = 0; p < parts; x += counts[p++]) {
        summand_exact part;
        summand_exact_init(&part);
        summand_exact_add(&part, counts[p], x);
        summand_exact_merge(&all, &part);
    }
    return summand_exact_round(&all);
}

static double (*const loop_of)(size_t,
                               const double *) = loop,
                                            (*const kahan_of)(size_t, const double *) = kahan,
                                            (*const neumaier_of)(size_t, const double *) = neumaier,
                                            (*const pairwise_of)(size_t, const double *) = pairwise;

static const struct {
    const char *name;
    summand_judge_sum sum;
    const void *of;
} sums[] = {{"a loop on each rank, MPI_Allreduce", by_parts, &loop_of},
            {"pairwise on each rank, MPI_Allreduce", by_parts, &pairwise_of},
            {"Kahan on each rank, MPI_Allreduce", by_parts, &kahan_of},
            {"Neumaier on each rank, MPI_Allreduce", by_parts, &neumaier_of},
            {"double-double with an MPI_Op", double_double, NULL},
            {"fixed point, 128 bits", fixed_point, NULL},
            {"`summand_exact`, `summand_sum`", exact, NULL}};

static int sets_with(const summand_judge_report *report, unsigned fault)
{
    int sets = 0;
    for (int i = 0; i < report->verdicts; i++)
        sets += (report->verdict[i].faults & fault) != 0;
    return sets;
}

static double worst_of(const summand_judge_report *report, const char *data)
{
    for (int i = 0; i < report->verdicts; i++)
        if (!strcmp(report->verdict[i].data, data))
            return report->verdict[i].ulps_worst;
    return NAN;
}

int main(void)
{
    puts("| sum | depends on ranks | on the order | special values wrong | not the exact sum, "
         "rounded | ulps, uniform | ulps, "
         "cancel | time of a loop |\n|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        summand_judge_report *report;
        if (summand_judge(sums[i].sum, (void *)(uintptr_t)sums[i].of, 0, &report))
            return 1;
        printf("| %s | %d | %d | %d | %d | %.2g | %.2g | %.2f |\n", sums[i].name,
               sets_with(report, SUMMAND_JUDGE_PARTS), sets_with(report, SUMMAND_JUDGE_ORDER),
               sets_with(report, SUMMAND_JUDGE_SPECIAL), sets_with(report, SUMMAND_JUDGE_ROUNDING),
               worst_of(report, "uniform"), worst_of(report, "cancel"), report->ratio);
        summand_judge_free(&report);
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The judge finds what is wrong with sums whose faults are known, and nothing else. */
#include <math.h>
#include <summand/exact.h>

#include "base/hash.h"
#include "judge/judge.h"
#include "unit/unit.h"

static double whole(size_t parts, const size_t counts[], const double x[],
                    double (*add)(size_t, const double *))
{
    double sum = 0;
    for (size_t p = 0; p < parts; x += counts[p++])
        sum += add(counts[p], x);
    return sum;
}

static double loop(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double plain(size_t parts, const size_t counts[], const double x[], void *of)
{
    (void)of;
    return whole(parts, counts, x, loop);
}

static double exact(size_t parts, const size_t counts[], const double x[], void *of)
{
    size_t n = 0;
    (void)of;
    for (size_t p = 0; p < parts; p++)
        n += counts[p];
    return summand_exact_sum(n, x);
}

/* Exact but for the order of parts: the number of parts does not matter. */
static double one_loop(size_t parts, const size_t counts[], const double x[], void *of)
{
    size_t n = 0;
    (void)of;
    for (size_t p = 0; p < parts; p++)
        n += counts[p];
    return loop(n, x);
}

/* Each second call is one unit in the last place off. */
static double restless(size_t parts, const size_t counts[], const double x[], void *of)
{
    int *calls = of;
    const double sum = exact(parts, counts, x, NULL);
    return ++*calls % 2 && isfinite(sum) ? nextafter(sum, INFINITY) : sum;
}

/* Leaves NaN and infinities out. */
static double careless(size_t parts, const size_t counts[], const double x[], void *of)
{
    size_t n = 0, kept = 0;
    for (size_t p = 0; p < parts; p++)
        n += counts[p];
    double *finite = malloc((n + 1) * sizeof *finite);
    for (size_t i = 0; i < n && finite; i++)
        if (isfinite(x[i]))
            finite[kept++] = x[i];
    const double sum = exact(1, &kept, finite, of);
    free(finite);
    return sum;
}

static const struct {
    const char *name;
    summand_judge_sum sum;
    unsigned faults;
} sums[] = {
    {"exact", exact, 0},
    {"plain", plain,
     SUMMAND_JUDGE_PARTS | SUMMAND_JUDGE_ORDER | SUMMAND_JUDGE_SPECIAL | SUMMAND_JUDGE_ROUNDING},
    {"one loop", one_loop, SUMMAND_JUDGE_ORDER | SUMMAND_JUDGE_SPECIAL | SUMMAND_JUDGE_ROUNDING},
    {"careless", careless, SUMMAND_JUDGE_SPECIAL | SUMMAND_JUDGE_ROUNDING},
};

/* A witness is what it says: both cases again give its results, which differ. */
static void check_witness(summand_judge_sum sum, const struct summand_judge_witness *witness)
{
    double y[64], result[2];
    size_t counts[16];
    assert_between(witness->terms, 1, 64);
    for (int side = 0; side < 2; side++) {
        const struct summand_judge_case *one = &witness->pair[side];
        assert_true(
            summand__judge_arrange(witness->x, witness->terms, 1, one->parts, one->order, y));
        for (size_t p = 0; p < one->parts; p++)
            counts[p] = summand__judge_share(witness->terms, one->parts, p);
        result[side] = sum(one->parts, counts, y, NULL);
        assert_true(summand__judge_same(result[side], one->result));
    }
    assert_false(summand__judge_same(result[0], result[1]));
}

TEST(faults_are_found)
{
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        summand_judge_report *report;
        assert_int_equal(summand_judge(sums[i].sum, NULL, 301, &report), 0);
        if (report->faults != sums[i].faults)
            fail_msg("%s: faults %x instead of %x", sums[i].name, report->faults, sums[i].faults);
        for (int k = 0; k < SUMMAND_JUDGE_WITNESSES; k++) {
            assert_int_equal(report->witness[k].terms != 0, (sums[i].faults >> k) & 1);
            if (report->witness[k].terms)
                check_witness(sums[i].sum, &report->witness[k]);
        }
        for (int v = 0; v < report->verdicts && !sums[i].faults; v++) {
            assert_int_equal(report->verdict[v].results, 1);
            assert_true(report->verdict[v].ulps_worst == 0);
        }
        for (int v = 0; v < report->verdicts; v++)
            assert_false(report->verdict[v].ulps_median > report->verdict[v].ulps_worst);
        assert_true(report->ratio > 0);
        summand_judge_free(&report);
        assert_null(report);
    }
}

TEST(a_restless_sum_is_found)
{
    int calls = 0;
    summand_judge_report *report;
    assert_int_equal(summand_judge(restless, &calls, 10, &report), 0);
    assert_true(report->faults & SUMMAND_JUDGE_REPETITION);
    assert_true(report->verdict[0].ulps_worst == 1);
    summand_judge_free(&report);
}

/* Witnesses and papers name data sets: they must stay. */
TEST(data_are_the_same_everywhere)
{
    uint64_t hash = SUMMAND__HASH_BEGIN;
    double x[101];
    for (const struct summand__judge_data *data = summand__judge_data; data->name; data++) {
        data->fill(x, 101, 1979);
        for (int i = 0; i < 101; i++)
            x[i] = isnan(x[i]) ? 0 : x[i];
        hash = summand__hash(hash, x, sizeof x);
        for (size_t n = 4; n < 12; n++)
            data->fill(x, n, n);
    }
    assert_int_equal(hash, UINT64_C(0xfa5aac7e48f237da));
}

/* The data are as hard as their words say, whatever their number and the program's environment. */
TEST(data_are_what_they_say)
{
    static double x[10001];
    double high, low;
    for (size_t n = 4; n <= 10001; n = 3 * n + 1 - n % 2) {
        for (const struct summand__judge_data *data = summand__judge_data; data->name; data++) {
            summand_exact sum;
            summand_exact_init(&sum);
            data->fill(x, n, n);
            summand_exact_add(&sum, n, x);
            summand_exact_round2(&sum, &high, &low);
            if (!strcmp(data->name, "overflow"))
                assert_true(high == (n % 2 ? 1 : 4));
            if (!strcmp(data->name, "ties"))
                assert_true(fabs(low) == (n % 2 ? 1 - 0x1p-30 : 1));
        }
    }
#if defined(__x86_64__)
    summand_judge_report *report;
    const unsigned modes = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(modes | 0x8040); /* flush to zero, denormals are zeros */
    assert_int_equal(summand_judge(plain, NULL, 100, &report), 0);
    __builtin_ia32_ldmxcsr(modes);
    for (int i = 0; i < report->verdicts; i++)
        if (!strcmp(report->verdict[i].data, "subnormal"))
            assert_true(report->verdict[i].exact != 0 && report->verdict[i].ulps_worst > 1000);
    summand_judge_free(&report);
#endif
}

TEST(words_of_a_report)
{
    char *text = NULL;
    size_t size;
    summand_judge_report *report;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(summand_judge(plain, NULL, 0, &report), 0);
    summand_judge_print(report, out);
    fclose(out);
    for (int i = 0; i < report->verdicts; i++)
        assert_non_null(strstr(text, report->verdict[i].data));
    assert_non_null(strstr(text, summand_judge_fault_text(SUMMAND_JUDGE_PARTS)));
    assert_non_null(strstr(text, "1 process, as made: "));
    assert_non_null(strstr(text, "of a plain loop's"));
    free(text);
    summand_judge_free(&report);
    summand_judge_free(&report);
}

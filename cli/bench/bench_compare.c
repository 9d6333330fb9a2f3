/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench compare: what changed between two measurements, and whether that is more than
 * chance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/rank_sum.h"
#include "cli/bench/bench_measured.h"
#include "cli/common/cli.h"
#include "cli/common/setting.h"
#include "cli/common/table.h"

extern const struct command benchmark_compare;

struct compare_options {
    double alpha, threshold;
    bool changed, json;
};

struct comparison {
    const struct measured_case *a, *b;
    double change, p; /* of the medians, b against a, as a part; of the test */
    bool apart;       /* the launches' medians do not overlap, or there is one launch each */
    bool significant;
};

static void compare_case(struct comparison *c)
{
    const struct measured_case *a = c->a, *b = c->b;
    c->change = b->median > a->median || b->median < a->median ? b->median / a->median - 1 : 0;
    c->p = rank_sum_test(b->sample, b->samples, a->sample, a->samples).p;
    c->apart =
        (a->launches == 1 && b->launches == 1) || a->greatest < b->least || b->greatest < a->least;
}

static int by_p(const void *x, const void *y)
{
    const struct comparison *a = x, *b = y;
    return (a->p > b->p) - (a->p < b->p);
}

static int by_place(const void *x, const void *y)
{
    const struct comparison *a = x, *b = y;
    return (a->a > b->a) - (a->a < b->a);
}

/* Holm 1979: the k-th smallest of n p-values is held against alpha / (n - k), until one fails; so
 * the chance of any false alarm among all cases is alpha. */
static void judge(struct comparison *all, int count, const struct compare_options *o)
{
    bool passing = true;
    qsort(all, (size_t)count, sizeof *all, by_p);
    for (int k = 0; k < count; k++) {
        passing = passing && all[k].p <= o->alpha / (count - k);
        all[k].significant = passing && all[k].apart && fabs(all[k].change) * 100 >= o->threshold;
    }
    qsort(all, (size_t)count, sizeof *all, by_place);
}

static int count_if(const struct comparison *all, int count, bool slower)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += all[i].significant && (all[i].change > 0) == slower;
    return n;
}

static void print_table(const struct comparison *all, int count, const struct compare_options *o)
{
    struct table table;
    int rows = 0;
    table_begin(&table, "<case|A/us|B/us|change|times as fast|p|<");
    for (int i = 0; i < count; i++) {
        const struct comparison *c = &all[i];
        if (o->changed && !c->significant)
            continue;
        table_cell(&table, "%s", c->a->name);
        table_cell(&table, "%.2f", 1e6 * c->a->median);
        table_cell(&table, "%.2f", 1e6 * c->b->median);
        table_cell(&table, "%+.1f %%", 100 * c->change);
        table_cell(&table, "%.2f", 1 / (1 + c->change));
        table_cell(&table, "%.1e", c->p);
        table_cell(&table, "%s", !c->significant ? "" : c->change > 0 ? "slower" : "faster");
        rows++;
    }
    table_end(&table, rows ? stdout : NULL);
}

static void print_method(const struct measured *a, const struct measured *b,
                         const struct compare_options *o)
{
    print_remark("A: %s", a->title);
    print_remark("B: %s", b->title);
    if (strcmp(a->what, b->what))
        print_remark("Warning: not measured alike. A: %s; B: %s", a->what, b->what);
    print_remark("times as fast: B against A, above 1 is better.");
    print_remark("Significant: Mann-Whitney on all repetitions, two-sided, p <= %g in all (Holm), "
                 "and medians %g %% apart or more, and the medians of the launches apart.",
                 o->alpha, o->threshold);
    if (a->launches == 1 && b->launches == 1)
        print_remark("One launch each: what differs from launch to launch is taken for a change; "
                     "--launches 6 tells.");
}

static int write_comparisons(const struct comparison *all, int count, const struct measured *a,
                             const struct measured *b)
{
    json_t *list = json_array(), *object = json_head(benchmark_compare.name);
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_make("sffffbb", "case", all[i].a->name, "a",
                                              all[i].a->median, "b", all[i].b->median,
                                              "times_as_fast", 1 / (1 + all[i].change), "p",
                                              all[i].p, "significant", all[i].significant, "slower",
                                              all[i].significant && all[i].change > 0));
    json_object_update_new(
        object, json_make("ssso", "a", a->title, "b", b->title, "unit", "seconds", "cases", list));
    return write_json(benchmark_compare.name, object, NULL);
}

static void print_counts(const struct comparison *all, int count, int only_a, int only_b)
{
    int slower = count_if(all, count, true), faster = count_if(all, count, false);
    if (slower + faster)
        printf("# %d of %d cases slower, %d faster", slower, count, faster);
    else
        printf("# no significant change in %d case%s", count, count == 1 ? "" : "s");
    if (only_a || only_b)
        printf("; %d only in A, %d only in B", only_a, only_b);
    printf("\n");
}

static int compare(const struct measured *a, const struct measured *b,
                   const struct compare_options *o)
{
    struct comparison *all = calloc((size_t)a->count + 1, sizeof *all);
    int count = 0, only_a = 0;
    if (!all)
        return misuse(benchmark_compare.name, "out of memory");
    for (int i = 0; i < a->count; i++) {
        const struct measured_case *other = measured_named(b, a->cases[i].name);
        if (other) {
            all[count] = (struct comparison){.a = &a->cases[i], .b = other};
            compare_case(&all[count++]);
        } else {
            only_a++;
        }
    }
    judge(all, count, o);
    bool written = true;
    if (o->json) {
        written = !write_comparisons(all, count, a, b);
    } else {
        print_method(a, b, o);
        print_table(all, count, o);
        print_counts(all, count, only_a, b->count - count);
    }
    int slower = count_if(all, count, true);
    free(all);
    if (!count)
        return misuse(benchmark_compare.name, "no case is in both files");
    return written ? slower > 0 : 2;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct compare_options o = {.alpha = 0.01, .threshold = 5};
    const struct option_row rows[] = {
        {"alpha", 'A', OPTION_REAL, &o.alpha, "P", "chance of a false alarm, all cases together",
         NULL, ABOVE_ZERO, 1 - DBL_EPSILON},
        {"threshold", 't', OPTION_REAL, &o.threshold, "PERCENT", "smallest change that counts",
         NULL, 0, DBL_MAX},
        {"changed", 'c', OPTION_FLAG, &o.changed, NULL, "show only what changed", NULL},
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print JSON, of all cases", NULL},
        {0}};
    struct measured a, b;
    bool help;
    int first = parse_options(parsing, &benchmark_compare, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (argc - first != 2)
        return misuse(benchmark_compare.name, "two files are needed, as --json writes them");
    if (!measured_read(benchmark_compare.name, argv[first], &a))
        return 2;
    int status = 2;
    if (measured_read(benchmark_compare.name, argv[first + 1], &b)) {
        status = compare(&a, &b, &o);
        measured_free(&b);
    }
    measured_free(&a);
    return status;
}

const struct command benchmark_compare = {
    "bench compare",
    "what changed between two files of --json, and whether it is significant",
    "bench compare [options] A.json B.json (exit status 0: nothing slower, 1: something is)",
    "  summand bench compare before.json after.json\n"
    "  summand bench compare --changed --threshold 10 before.json after.json\n",
    false,
    run,
    NULL};

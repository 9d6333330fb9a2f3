/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench compare: the differences between two measurements, and their significance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "bench/rank_sum.h"
#include "cli/common/cli.h"
#include "cli/output/json.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/output/text.h"

/* The parts of a `summand bench ... --json` file that a comparison needs. */
struct measured_case {
    char name[256]; /* "bytes=8 count=2 algorithm=auto" */
    int launches, samples;
    double *sample;         /* seconds, of all launches */
    double median;          /* of the launches' medians */
    double least, greatest; /* of the launches' medians */
};

struct measured {
    char title[256]; /* file, commit, MPI, machine, date */
    char what[512];  /* benchmark, ranks, options: must be equal in both files */
    int launches, count;
    struct measured_case *cases;
};

static void append(char *text, size_t room, const char *name, const json_t *value)
{
    size_t used = strlen(text);
    char *number = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
    snprintf(text + used, room - used, "%s%s=%s", used ? " " : "", name,
             number                  ? number
             : json_is_string(value) ? json_string_value(value)
                                     : "");
    free(number);
}

static bool is_number_list(const json_t *list)
{
    size_t i;
    json_t *value;
    if (!json_array_size(list))
        return false;
    json_array_foreach(list, i, value)
    {
        if (!json_is_null(value) && !(json_is_number(value) && json_number_value(value) >= 0))
            return false;
    }
    return true;
}

static bool read_launches(const json_t *launches, struct measured_case *c)
{
    size_t l, i, total = 0;
    json_t *launch, *value;
    json_array_foreach(launches, l, launch)
    {
        if (!is_number_list(launch))
            return false;
        total += json_array_size(launch);
    }
    double *medians = need(malloc((json_array_size(launches) + 1) * sizeof *medians));
    c->sample = need(malloc((total + 1) * sizeof *c->sample));
    c->least = INFINITY;
    json_array_foreach(launches, l, launch)
    {
        int first = c->samples;
        json_array_foreach(launch, i, value)
        {
            if (json_is_number(value)) /* null: dropped */
                c->sample[c->samples++] = 1e-9 * json_number_value(value);
        }
        double median = measure_median(c->sample + first, c->samples - first).median;
        medians[c->launches++] = median;
        c->least = fmin(c->least, median);
        c->greatest = fmax(c->greatest, median);
    }
    if (c->launches)
        c->median = measure_median(medians, c->launches).median;
    free(medians);
    return c->launches > 0 && c->median >= 0;
}

static bool read_case(const json_t *json, const json_t *keys, struct measured_case *c)
{
    size_t i;
    json_t *key;
    *c = (struct measured_case){.launches = 0};
    json_array_foreach(keys, i, key)
    {
        const char *name = json_string_value(key);
        if (!name || !json_object_get(json, name))
            return false;
        append(c->name, sizeof c->name, name, json_object_get(json, name));
    }
    return c->name[0] && read_launches(json_object_get(json, "samples_ns"), c);
}

static const char *fact(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json_object_get(json, "setting"), name));
    return text ? text : "unknown";
}

static void describe(const json_t *json, const char *path, struct measured *measured)
{
    const char *name, *command = json_string_value(json_object_get(json, "command"));
    json_t *value;
    snprintf(measured->title, sizeof measured->title, "%.70s: build %.20s, %.50s, %.60s, %.24s",
             path, fact(json, "build"), fact(json, "mpi"), fact(json, "machine"),
             fact(json, "date"));
    snprintf(measured->what, sizeof measured->what, "%s", command ? command : "unknown");
    append(measured->what, sizeof measured->what, "ranks", json_object_get(json, "ranks"));
    json_object_foreach(json_object_get(json, "options"), name, value)
    {
        if (strcmp(name, "seed"))
            append(measured->what, sizeof measured->what, name, value);
    }
}

static void measured_free(struct measured *measured)
{
    for (int i = 0; i < measured->count; i++)
        free(measured->cases[i].sample);
    free(measured->cases);
}

/* False after a complaint of `command`. */
static bool measured_read(const char *command, const char *path, struct measured *measured)
{
    json_t *json = read_json(command, path, "'summand bench ... --json'"), *result;
    const json_t *results = json_object_get(json, "results");
    size_t i;
    *measured = (struct measured){.launches = 0};
    if (!json)
        return false;
    bool fine = json_array_size(results) > 0;
    measured->cases = need(calloc(json_array_size(results) + 1, sizeof *measured->cases));
    json_array_foreach(results, i, result)
    {
        fine = fine && read_case(result, json_object_get(json, "keys"), &measured->cases[i]);
        measured->count++;
    }
    describe(json, path, measured);
    measured->launches = (int)json_integer_value(json_object_get(json, "launches"));
    json_decref(json);
    if (!fine) {
        measured_free(measured);
        return !complain(command, "%s: not a report of 'summand bench' with its repetitions", path);
    }
    return true;
}

/* The case with this name, or NULL. */
static const struct measured_case *measured_named(const struct measured *measured, const char *name)
{
    for (int i = 0; i < measured->count; i++)
        if (!strcmp(measured->cases[i].name, name))
            return &measured->cases[i];
    return NULL;
}

extern const struct command benchmark_compare;

struct compare_options {
    double alpha, threshold;
    bool changed, json;
};

struct comparison {
    const struct measured_case *a, *b;
    double change, p; /* relative change of the median from a to b; p-value of the test */
    bool apart;       /* medians of the launches do not overlap, or there is one launch each */
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

/* Holm 1979: compares the k-th smallest of n p-values with alpha / (n - k), until one fails; so the
 * chance of any false alarm in all cases is alpha. */
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
        printf("# no significant change in %d case%s", count, text_plural(count));
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
        {"threshold", 0, OPTION_REAL, &o.threshold, "PERCENT", "smallest change that counts", NULL,
         0, DBL_MAX},
        {"changed", 0, OPTION_FLAG, &o.changed, NULL, "show only what changed", NULL},
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
    "bench compare [options] A.json B.json",
    "  summand bench compare before.json after.json\n"
    "  summand bench compare --changed --threshold 10 before.json after.json\n",
    false,
    run,
    NULL,
    "0: nothing is slower. 1: something is. 2: they cannot be compared."};

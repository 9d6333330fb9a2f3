/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study table: one flip in every bit of every variable, at several times, for every
 * algorithm and form, on several sizes, scales and kinds of data: healed or not, noticed or silent,
 * rounds added. */
#include "cli/gossip/gossip.h"
#include "cli/output/setting.h"
#include "cli/ranks/interrupt.h"
#include "cli/study/experiment.h"
#include "cli/study/outcome.h"

#include "lab/gossip/variants.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BITS = 64, VARIABLES = 3, COMPONENTS = 3, TIMES = 3 };
/* per variable and bit */
enum { HEALED, SILENT, WORST_SILENT, ADDED, WORST_ADDED, STATS };
enum { FALSE_ALARMS = VARIABLES * BITS * STATS, CLEAN_ROUNDS, WIDTH };
enum { PER_BIT = COMPONENTS * TIMES };

static const struct {
    const char *algorithm, *form;
} methods[] = {{"rd", "double"},
               {"hps", "double"},
               {"ps", "double"},
               {"pf", "double"},
               {"pflc", "double"},
               {"pfcc", "double"},
               {"hpflc", "double"},
               {"hpfcc", "double"},
               {"pf", "fixed"},
               {"pflc", "fixed"},
               {"pfcc", "fixed"},
               {"hpflc", "fixed"},
               {"pfcc-recomputed", "double"},
               {"pfcc-recomputed", "fixed"},
               {"hpfcc", "fixed"}};
enum { METHODS = sizeof methods / sizeof *methods };
static const double scales[] = {1, 1e12, 1e-12};
static const char *const variables[VARIABLES] = {"input", "flow", "message"};

/* The sizes, scales and kinds of data of a sweep; a cell has one of each and a method. */
struct sweep {
    int sizes, scales, kinds, bit_step, nodes[3];
};

static struct experiment experiment_of(const struct study *study, const struct sweep *sweep,
                                       int cell)
{
    int method = cell % METHODS, rest = cell / METHODS;
    struct experiment e = {.algorithm =
                               summand__gossip_variant_named(methods[method].algorithm).algorithm,
                           .arith = summand__arith_named(methods[method].form),
                           .seed = study->seed,
                           .eps = 1e-12};
    e.nodes = sweep->nodes[rest % sweep->sizes];
    rest /= sweep->sizes;
    e.scale = scales[rest % sweep->scales];
    e.kind = (enum summand__data_kind)(rest / sweep->scales);
    return e;
}

static void judge(const struct outcome *clean, const struct outcome *hit, double *stats)
{
    double added = hit->healed ? fmax(0, hit->rounds - clean->rounds) : 0;
    stats[HEALED] += hit->healed;
    if (!hit->healed && !hit->noticed) {
        stats[SILENT]++;
        stats[WORST_SILENT] = fmax(stats[WORST_SILENT], hit->error);
    }
    stats[ADDED] += added;
    stats[WORST_ADDED] = fmax(stats[WORST_ADDED], added);
}

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    const struct sweep *sweep = context;
    struct experiment e = experiment_of(study, sweep, cell);
    memset(values, 0, WIDTH * sizeof *values);
    struct outcome clean = outcome_of(&e, NULL, 0);
    values[FALSE_ALARMS] = clean.noticed;
    values[CLEAN_ROUNDS] = clean.healed ? clean.rounds : -1;
    for (int variable = 0; variable < VARIABLES; variable++)
        for (int bit = 0; bit < BITS; bit += sweep->bit_step)
            for (int k = 0; k < PER_BIT; k++) {
                static const double times[TIMES] = {0.25, 0.5, 0.9};
                struct injection injection = {.fault = {(enum summand__fault_variable)variable,
                                                        (enum summand__fault_component)(k / TIMES),
                                                        bit},
                                              .when = times[k % TIMES] * clean.rounds,
                                              .seed = (uint64_t)(bit * PER_BIT + k + 1)};
                struct outcome hit = outcome_of(&e, &injection, clean.rounds);
                judge(&clean, &hit, values + (variable * BITS + bit) * STATS);
            }
}

struct row {
    double runs, stats[STATS], false_alarms, clean, cells;
};

static void add(struct row *row, const double *stats)
{
    row->runs += PER_BIT;
    for (int k = 0; k < STATS; k++)
        row->stats[k] = k == WORST_SILENT || k == WORST_ADDED ? fmax(row->stats[k], stats[k])
                                                              : row->stats[k] + stats[k];
}

static void print_row(const char *name, const char *variable, const struct row *row)
{
    printf("| %s | %s | %.0f | %.2f %% | %.0f | %.2g | %.2f %% | %.0f | %.0f |\n", name, variable,
           row->runs, 100 * row->stats[HEALED] / row->runs, row->stats[SILENT],
           row->stats[WORST_SILENT],
           100 * row->stats[ADDED] / fmax(1, row->stats[HEALED]) / (row->clean / row->cells),
           row->stats[WORST_ADDED], row->false_alarms);
}

static int write_cells(struct study *study, const struct sweep *sweep, const double *values,
                       int cells)
{
    FILE *csv = study_csv(study, "algorithm,form,nodes,scale,data,variable,bit,runs,healed,silent,"
                                 "worst_silent_error,mean_rounds_added,worst_rounds_added,"
                                 "rounds_without_fault,false_alarm");
    for (int cell = 0; csv && cell < cells; cell++) {
        struct experiment e = experiment_of(study, sweep, cell);
        const double *v = values + (size_t)cell * WIDTH;
        for (int variable = 0; variable < VARIABLES; variable++)
            for (int bit = 0; bit < BITS; bit += sweep->bit_step) {
                const double *s = v + (variable * BITS + bit) * STATS;
                fprintf(csv, "%s,%s,%d,%g,%s,%s,%d,%d,%g,%g,%g,%g,%g,%g,%g\n", e.algorithm->name,
                        e.arith->name, e.nodes, e.scale, summand__data_names[e.kind],
                        variables[variable], bit, PER_BIT, s[HEALED], s[SILENT], s[WORST_SILENT],
                        s[ADDED] / fmax(1, s[HEALED]), s[WORST_ADDED], v[CLEAN_ROUNDS],
                        v[FALSE_ALARMS]);
            }
    }
    return !csv || !study_csv_close(study);
}

static struct row row_of(const struct sweep *sweep, const double *values, int cells, int method,
                         int variable)
{
    struct row row = {0};
    for (int cell = method; cell < cells; cell += METHODS) {
        const double *v = values + (size_t)cell * WIDTH;
        row.false_alarms += v[FALSE_ALARMS];
        row.clean += v[CLEAN_ROUNDS];
        row.cells++;
        for (int bit = 0; bit < BITS; bit += sweep->bit_step)
            add(&row, v + (variable * BITS + bit) * STATS);
    }
    return row;
}

static json_t *json_row(int method, int variable, const struct row *row)
{
    return json_make(
        "sssfffofff", "algorithm", methods[method].algorithm, "form", methods[method].form,
        "variable", variables[variable], "flips", row->runs, "healed", row->stats[HEALED], "silent",
        row->stats[SILENT], "worst_silent_error", json_finite(row->stats[WORST_SILENT]),
        "rounds_added", row->stats[ADDED] / fmax(1, row->stats[HEALED]) / (row->clean / row->cells),
        "worst_rounds_added", row->stats[WORST_ADDED], "false_alarms", row->false_alarms);
}

static json_t *json_table(const struct sweep *sweep, const double *values, int cells)
{
    json_t *list = json_array();
    for (int method = 0; method < METHODS; method++)
        for (int variable = 0; variable < VARIABLES; variable++) {
            struct row row = row_of(sweep, values, cells, method, variable);
            json_array_append_new(list, json_row(method, variable, &row));
        }
    return list;
}

static void print_table(const struct sweep *sweep, const double *values, int cells)
{
    printf("| algorithm | flip in | flips | healed | silent | worst silent | added "
           "| worst | false alarms |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int method = 0; method < METHODS; method++)
        for (int variable = 0; variable < VARIABLES; variable++) {
            struct row row = row_of(sweep, values, cells, method, variable);
            char name[32];
            snprintf(name, sizeof name, "%s/%s", methods[method].algorithm, methods[method].form);
            print_row(name, variables[variable], &row);
        }
}

/* Judges the promises of the default, which is the last method. */
static void judge_default(struct study *study, const struct sweep *sweep, const double *values,
                          int cells)
{
    struct row row;
    for (int variable = 0; variable < VARIABLES; variable++) {
        row = row_of(sweep, values, cells, METHODS - 1, variable);
        study_claim(study, row.stats[HEALED] == row.runs && !row.stats[SILENT],
                    "hpfcc/fixed, %s: every flip healed, no silent error", variables[variable]);
        study_claim(study, row.stats[WORST_ADDED] == 0, "hpfcc/fixed, %s: rounds as without faults",
                    variables[variable]);
    }
    study_claim(study, row.false_alarms == 0, "hpfcc/fixed: no false alarm");
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct study study = {.name = "table", .directory = "figures"};
    long long seed = 1, threads = 0, step = 0, nodes = 0;
    bool json = false;
    const struct option_row rows[] = {
        {"quick", 0, OPTION_FLAG, &study.quick, NULL, "every 7th bit, N = 8 and 32, scale 1", NULL},
        {"every", 0, OPTION_INT, &step, "K", "every K-th bit; else all, or as --quick says", NULL,
         1, BITS - 1},
        {"nodes", 0, OPTION_INT, &nodes, "N",
         "one power of two; else 8, 32 and 64, or as --quick says", NULL, 2, 1024},
        {"output", 'o', OPTION_FOLDER, &study.directory, "DIR", "folder for the CSV", NULL},
        {"seed", 's', OPTION_INT, &seed, "S", "seed of all random numbers", NULL, ANY_SEED},
        {"threads", 0, OPTION_INT, &threads, "T", "else one per processor", NULL, THREADS},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
        {0}};
    bool help;
    int at = parse_options(parsing, &study_table, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    if (nodes & (nodes - 1))
        return misuse("table", "--nodes: %lld is not a power of two", nodes);
    if (step)
        study_note(&study, " every %lld", step);
    if (nodes)
        study_note(&study, " nodes %lld", nodes);
    study.seed = (uint64_t)seed;
    study.threads = (int)threads;
    if (mkdir(study.directory, 0777) && errno != EEXIST)
        return complain("table", "%s: %s", study.directory, strerror(errno));
    struct sweep sweep =
        study.quick ? (struct sweep){2, 1, 3, 7, {8, 32}} : (struct sweep){3, 3, 3, 1, {8, 32, 64}};
    if (nodes)
        sweep.sizes = 1, sweep.nodes[0] = (int)nodes;
    sweep.bit_step = step ? (int)step : sweep.bit_step;
    struct study_grid grid = {METHODS * sweep.sizes * sweep.scales * sweep.kinds, WIDTH, &sweep,
                              compute, NULL};
    double start = gossip_clock();
    interrupt_listen();
    double *values = study_compute(&study, &grid);
    if (!values)
        return interrupted() ? INTERRUPTED : 1;
    if (json)
        study.json = study_json("table");
    else
        print_table(&sweep, values, grid.cells);
    judge_default(&study, &sweep, values, grid.cells);
    int status = write_cells(&study, &sweep, values, grid.cells);
    json_t *object = json && !status ? json_head("table") : NULL;
    if (object) {
        json_object_set_new(object, "rows", json_table(&sweep, values, grid.cells));
        json_object_set(object, "claims", json_object_get(study.json, "claims"));
        json_object_set_new(object, "seconds", json_finite(gossip_clock() - start));
    }
    free(values);
    json_decref(study.json);
    if (object)
        return write_json("table", object, NULL);
    if (!status)
        print_line("wrote %s/table.csv; %.1f s", study.directory, gossip_clock() - start);
    return status;
}

const struct command study_table = {
    .name = "table",
    .summary = "every algorithm under a flip of every bit of every variable: healed, silent, cost",
    .synopsis = "table [options]",
    .examples = "  summand-study table --quick --every 20 --output results\n",
    .run = run,
};

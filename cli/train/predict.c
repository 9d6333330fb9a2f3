/* SPDX-License-Identifier: BSD-3-Clause */
/* summand predict train: predicts by a formula the time of an epoch in stages on groups of ranks,
 * and in replicas, and the fastest groups or mode. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/options/numbers.h"
#include "cli/output/json.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/output/text.h"
#include "cli/train/train.h"
#include "train/estimate.h"

struct predict_words {
    const char *layers, *model, *set, *groups;
    long long ranks, batch, samples;
    double gflops;
    int mode, update;
    bool twins, json;
};

/* Gflop/s of a product of this batch and the widest layers on one process: the best of a short
 * measurement. */
static double measure(const struct summand__net_shape *shape, size_t batch)
{
    enum { TRIES = 5, WIDEST = 1024 };
    size_t widest = 1;
    double best = 0;
    for (int l = 1; l <= shape->layers; l++)
        if (shape->widths[l - 1] * shape->widths[l] >
            shape->widths[widest - 1] * shape->widths[widest])
            widest = (size_t)l;
    size_t n = shape->widths[widest], k = shape->widths[widest - 1], m = batch;
    n = n < WIDEST ? n : WIDEST;
    k = k < WIDEST ? k : WIDEST;
    m = m < WIDEST ? m : WIDEST;
    float *memory = calloc(n * k + k * m + n * m, sizeof *memory);
    struct summand__net_product product = {
        m, n, k, false, false, memory + n * k, memory, memory ? memory + n * k + k * m : NULL,
        k, n, n, 1,     0};
    for (int i = 0; i < TRIES && memory; i++) {
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        summand__net_multiply(summand__net_arithmetics[0], &product);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
        double rate = 2e-9 * (double)m * (double)n * (double)k / (seconds > 0 ? seconds : 1e-9);
        best = rate > best ? rate : best;
    }
    free(memory);
    return best;
}

static void put_one(struct table *table, const char *groups, const struct train_estimate *e,
                    int stages)
{
    double fraction = e->busy[e->slowest] > 0 ? e->moved[e->slowest] / e->busy[e->slowest] : 0;
    char slowest[16];
    snprintf(slowest, sizeof slowest, e->slowest < stages ? "%d" : "twin %d", e->slowest % stages);
    table_cell(table, "%s", groups);
    table_cell(table, "%d", stages);
    table_cell(table, "%.4g", e->epoch);
    table_cell(table, "%.1f", 100 * e->efficiency);
    table_cell(table, "%s", slowest);
    table_cell(table, "%.1f", 100 * fraction);
}

static json_t *one_json(const char *groups, const struct train_estimate *e, int stages)
{
    return json_make("siffib", "groups", groups, "stages", stages, "epoch", e->epoch, "efficiency",
                     e->efficiency, "slowest", e->slowest % stages, "slowest_twin",
                     e->slowest >= stages);
}

static const char *const modes[] = {"stashed", "sync", "2bw", "poad", NULL};

static void print_suggestion(const struct predict_words *w, const struct train_grids *grids,
                             double stages, double replicas)
{
    char text[1024];
    train_grids_write(grids, text, sizeof text);
    if (w->update) {
        const int ranks = grids->ranks * (w->twins ? 2 : 1);
        print_line("suggested: %d rank%s, %.4g s for an epoch", ranks, text_plural(ranks), stages);
        return;
    }
    print_line("replicas: --mode data, %.4g s for an epoch", replicas);
    if (replicas < stages)
        print_line("suggested: --mode data (of stages: --groups '%s'%s)", text,
                   w->twins ? " and twins" : "");
    else
        print_line("suggested: --groups '%s'%s, %.4g s for an epoch", text,
                   w->twins ? " and twins" : "", stages);
}

static int show(const struct predict_words *w, struct train_pipeline *p,
                const struct train_machine *machine, const struct train_grids *given)
{
    struct train_grids grids;
    struct train_estimate e = {.epoch = 0};
    char text[1024];
    int ranks = (int)w->ranks / (w->twins ? 2 : 1);
    json_t *list = json_array();
    struct table table;
    table_begin(&table, "<groups|stages|epoch/s|efficient/%|slowest|moving/%");
    for (int stages = 1; stages <= TRAIN_STAGES_MOST; stages++) {
        if (given && given->count != stages)
            continue;
        if (given && train_pipeline_cut(p, stages))
            e = train_estimate(p, given, machine);
        else if (given || !train_suggest_stages(p, ranks, stages, machine, &grids, &e))
            continue;
        train_grids_write(given ? given : &grids, text, sizeof text);
        json_array_append_new(list, one_json(text, &e, stages));
        put_one(&table, text, &e, stages);
    }
    table_end(&table, w->json ? NULL : stdout);
    if (given)
        grids = *given;
    else
        train_suggest(p, ranks, machine, &grids, &e);
    train_grids_write(&grids, text, sizeof text);
    int all = given ? given->ranks * (w->twins ? 2 : 1) : (int)w->ranks;
    double replicas = train_estimate_replicas(p, all, machine);
    const char *best = !given && !w->update && replicas < e.epoch ? "data" : modes[w->mode];
    if (w->json) {
        json_t *object = json_head("predict");
        json_object_update_new(object, json_make("fosfs", "gflops", 1e-9 / machine->flop,
                                                 "groupings", list, "suggested", text, "replicas",
                                                 replicas, "suggested_mode", best));
        return write_json("predict", object, NULL);
    }
    json_decref(list);
    if (!given)
        print_suggestion(w, &grids, e.epoch, replicas);
    return 0;
}

static const enum train_delay delays[] = {TRAIN_STASHED, TRAIN_SYNC, TRAIN_2BW, TRAIN_STASHED};
static const char *const twins_choices[] = {"together", "apart", NULL};
static const char *const update_choices[] = {"own", "last", NULL};

static int predict(const struct predict_words *w)
{
    struct numbers widths;
    struct summand__net_shape shape = {.layers = 0};
    struct summand__model model;
    struct train_grids given;
    struct summand__net_fault fault = {.text = ""};
    if (!read_numbers(w->layers, 1, SUMMAND__NET_WIDTH_MOST, &widths) || widths.count < 2)
        return misuse("predict train", "--layers: '%s' is no list of at least two widths",
                      w->layers);
    if (w->groups && !train_grids_read(w->groups, &given, &fault))
        return misuse("predict train", "%s", fault.text);
    if (w->groups && given.count >= widths.count)
        return misuse("predict train", "%d layers are too few for %d groups", widths.count - 1,
                      given.count);
    if (!model_get("predict train", w->model ? w->model : model_entries[0].name, w->set, &model))
        return 2;
    shape.layers = widths.count - 1;
    for (int l = 0; l < widths.count; l++)
        shape.widths[l] = (size_t)widths.value[l];
    size_t batch = (size_t)(w->batch < w->samples ? w->batch : w->samples);
    double gflops = w->gflops > 0 ? w->gflops : measure(&shape, batch);
    if (!(gflops > 0))
        return complain("predict train", "out of memory");
    const struct summand__level *level =
        &model.level[model.per_node >= (double)w->ranks ? SUMMAND__WITHIN_NODE : SUMMAND__NETWORK];
    const struct train_machine machine = {1e-9 / gflops, level->latency + level->send + level->recv,
                                          level->byte};
    struct train_pipeline pipeline = {.shape = &shape,
                                      .delay = w->update ? TRAIN_LAST : delays[w->mode],
                                      .samples = (size_t)w->samples,
                                      .batch = batch,
                                      .twins = w->twins};
    if (!w->json)
        print_remark("%.3g Gflop/s on a rank%s, %.3g us for a put, %.3g GB/s", gflops,
                     w->gflops > 0 ? "" : " (measured)", 1e6 * machine.latency,
                     1e-9 / machine.byte);
    return show(w, &pipeline, &machine, w->groups ? &given : NULL);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct predict_words w = {
        .layers = "784,512,512,10", .ranks = 8, .batch = 64, .samples = 60000};
    bool help;
    int twins = 0;
    const struct option_row rows[] = {
        {"layers", 'l', OPTION_TEXT, &w.layers, "N,...", "widths from the input to the output",
         NULL},
        {"ranks", 'p', OPTION_INT, &w.ranks, "P",
         "number of ranks, of all groups and their twins together", NULL, 1, 1 << 20},
        {"groups", 'g', OPTION_TEXT, &w.groups, "GRIDS",
         "these alone, such as 2x(1x2),2x2; else the best ones for each number of stages", NULL},
        {"batch", 0, OPTION_INT, &w.batch, "N", "samples per step", NULL, 1, 1e12},
        {"samples", 0, OPTION_INT, &w.samples, "N", "of an epoch", NULL, 1, 1e12},
        {"mode", 'm', OPTION_CHOICE, &w.mode, "M",
         "of the pipeline; poad is of twins apart, with weights as far behind as keeps all busy",
         modes},
        {"twins", 0, OPTION_CHOICE, &twins, "T",
         "apart: a stage goes forward and its twin, on ranks of its own, back (stashed)",
         twins_choices},
        {"update", 0, OPTION_CHOICE, &w.update, "U",
         "last: stage 0 makes all gradients and improves all weights; poad: its twin does (one "
         "rank for each stage or twin)",
         update_choices},
        {"gflops", 0, OPTION_REAL, &w.gflops, "R",
         "10^9 operations a second of a rank; else measured", NULL, ABOVE_ZERO, 1e9},
        {"model", 0, OPTION_TEXT, &w.model, "M", "machine, as of summand predict", NULL},
        {"set", 0, OPTION_TEXT, &w.set, "N=V,...", "numbers that replace those of the machine",
         NULL},
        {"json", 'j', OPTION_FLAG, &w.json, NULL, "print JSON", NULL},
        {0}};
    int first = parse_options(parsing, &command_predict_train, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    bool poad = strcmp(modes[w.mode], "poad") == 0;
    if (option_given(parsing, "twins") && (poad ? !twins : twins && w.mode))
        return misuse("predict train", "--twins: %s goes with --mode %s only", twins_choices[twins],
                      twins ? "stashed or poad" : "stashed, sync or 2bw");
    w.twins = twins || poad;
    if (w.update && (w.groups || (!poad && (w.mode || w.twins))))
        return misuse("predict train", "--update last: goes with --mode stashed or poad, and one "
                                       "rank for each stage or twin");
    if (w.twins && w.ranks < 2)
        return misuse("predict train", "twins apart take two ranks at least");
    return first < argc ? misuse("predict train", "%s: no operands expected", argv[first])
                        : predict(&w);
}

const struct command command_predict_train = {
    .name = "predict train",
    .summary = "how long training takes in stages on groups of ranks, and which groups are best",
    .synopsis = "predict train [options]",
    .examples = "  summand predict train --ranks 8 --layers 784,2048,2048,2048,10\n"
                "  summand predict train --groups '2x(1x2)' --mode sync\n"
                "  summand predict train --ranks 8 --mode poad\n"
                "  summand predict train --ranks 4 --mode poad --update last\n",
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study gemm: figures 5.5 to 5.10, tables 5.4 to 5.8 and 5.12 to 5.14 of Schmidtobreick
 * (2017). */
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/ranks/interrupt.h"
#include "cli/study/gemm/gemm.h"

static const struct gemm_figure figures[] = {
    {"5.5", "time of the loop over the blocks of C", "time in T_block", true, false,
     gemm_figure_loop},
    {"5.6", "product and transfer of a block", "time", false, true, gemm_figure_block},
    {"5.7", "time of products of matrices", "time", true, true, gemm_figure_time},
    {"5.8", "speed-up of products of matrices", "times as fast as the base", true, false,
     gemm_figure_speedup},
    {"5.9", "strong efficiency of products of matrices", "efficiency", true, false,
     gemm_figure_efficiency},
    {"5.10", "weak efficiency of products of matrices", "efficiency", true, false,
     gemm_figure_weak}};
static const struct {
    const char *number;
    int (*run)(const struct gemm_request *request, bool json);
    int local; /* nu_l */
} tables[] = {{"5.4", gemm_table_body, 1},    {"5.5", gemm_table_body, 2},
              {"5.6", gemm_table_body, 3},    {"5.7", gemm_table_body, 4},
              {"5.8", gemm_table_body, 5},    {"5.12", gemm_table_largest, 0},
              {"5.13", gemm_table_blocks, 0}, {"5.14", gemm_table_local, 0}};

enum { FIGURES = sizeof figures / sizeof *figures, TABLES = sizeof tables / sizeof *tables };

/* The dissertation's cluster, as bench/platforms/qdr-64x8.model describes it: 8 ranks on a node,
 * InfiniBand QDR, (5.9). */
static const char cluster[] =
    "per_node=8,reduce=0,copy=1e-10,flop=3.13e-11,eager=16383,fair_card=1,cross=0.05,"
    "put_asks=1,network.latency=1.6e-6,network.byte=2.66e-10,node.latency=0.4e-6,"
    "node.byte=2.128e-10";

struct words {
    const char *figure, *table, *grids, *sizes, *algorithm, *model, *path;
    bool json, csv;
};

/* Figures and tables that do not use all options, and those that they take. */
static const struct narrow {
    const char *number, *taken[8];
} narrow[] = {{"5.5", {"figure", "grids", "products", "output", "csv", "json"}},
              {"5.6", {"figure", "model", "output", "csv", "json"}}},
  narrow_table = {NULL, {"table", "output", "csv", "json"}};

static int figure_named(const char *name)
{
    for (int i = 0; i < FIGURES; i++)
        if (name && !strcmp(figures[i].number, name))
            return i;
    return -1;
}

static int table_named(const char *name)
{
    for (int i = 0; i < TABLES; i++)
        if (name && !strcmp(tables[i].number, name))
            return i;
    return -1;
}

static const struct narrow *narrow_of(const struct words *words)
{
    const int table = table_named(words->table);
    if (table >= 0)
        return tables[table].run == gemm_table_blocks || tables[table].run == gemm_table_local
                   ? NULL
                   : &narrow_table;
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (words->figure && !strcmp(narrow[i].number, words->figure))
            return &narrow[i];
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* Ascending, each once. */
static bool read_axis(const char *option, const char *text, long long most, int count,
                      struct numbers *axis)
{
    if (!read_numbers_by(text, 1, most, 2, axis) || axis->count > count)
        return misuse("gemm", "--%s: '%s' is not a list of 1 to %d integers from 1 to %lld", option,
                      text, count, most) == 0;
    qsort(axis->value, (size_t)axis->count, sizeof *axis->value, by_value);
    int kept = 0;
    for (int i = 0; i < axis->count; i++)
        if (!kept || axis->value[i] != axis->value[kept - 1])
            axis->value[kept++] = axis->value[i];
    axis->count = kept;
    return true;
}

static bool read_algorithm(const char *name, struct gemm_request *request)
{
    request->only = name ? summand__algorithm_named(name) : NULL;
    if (name &&
        (!request->only || !request->only->build[SUMMAND__COLL_GEMM] || request->only->takes_boxes))
        return misuse("gemm",
                      "--algorithm: '%s' is not gemm-panels, gemm-pairs, gemm-pairs-rows or "
                      "gemm-barriers",
                      name) == 0;
    return true;
}

static bool is_divisible(const struct gemm_request *request)
{
    for (int g = 0; g < request->grids.count; g++)
        for (int s = 0; s < request->sizes.count; s++)
            if (request->sizes.value[s] % request->grids.value[g])
                return misuse("gemm", "--sizes: %lld is not a multiple of %lld, the side of a grid",
                              request->sizes.value[s], request->grids.value[g]) == 0;
    return true;
}

static bool read_words(const struct words *words, struct gemm_request *request)
{
    enum { GRIDS_MOST = 64 };
    const int count = words->table ? GEMM_AXIS : GEMM_DRAWN;
    return model_get("gemm", words->model, words->model ? NULL : cluster, &request->model) &&
           read_axis("grids", words->grids, GRIDS_MOST, count, &request->grids) &&
           read_axis("sizes", words->sizes, 1 << 20, count, &request->sizes) &&
           (narrow_of(words) || is_divisible(request)) && read_algorithm(words->algorithm, request);
}

static int run_figure(const struct gemm_figure *figure, const struct gemm_request *request,
                      const struct words *words)
{
    struct gemm_lines *lines = need(calloc(1, sizeof *lines));
    figure->fill(request, lines);
    int status = lines->failed ? 1 : gemm_show(figure, request, lines, words->path, words->json);
    free(lines);
    return status;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct words words = {.grids = "1,2,4,8,16", .sizes = "1k..32k"};
    struct gemm_request request = {.most = 1e5};
    bool help;
    const struct option_row rows[] = {
        {"figure", 0, OPTION_TEXT, &words.figure, "N",
         "5.5 (the loop over blocks), 5.6 (the size of blocks), 5.7 (time), 5.8 (speed-up), 5.9 "
         "and "
         "5.10 (strong and weak efficiency)",
         NULL},
        {"table", 0, OPTION_TEXT, &words.table, "N",
         "5.4 to 5.8 (what overlaps in a block of C), 5.12 (largest matrices), 5.13 (the fastest "
         "block) or 5.14 (its number on a rank)",
         NULL},
        {"grids", 0, OPTION_TEXT, &words.grids, "LIST", "sides P of the grids: 2 P x P ranks",
         NULL},
        {"sizes", 0, OPTION_TEXT, &words.sizes, "LIST", "n of the matrices; multiples of all P",
         NULL},
        {"algorithm", 'a', OPTION_TEXT, &words.algorithm, "NAME",
         "only gemm-panels, gemm-pairs, gemm-pairs-rows or gemm-barriers, the dissertation's own",
         NULL},
        {"segment", 0, OPTION_INT, &request.segment, "N",
         "elements in a call of an all-reduce of gemm-barriers; else 255, as GASPI has it; no more "
         "than 50 million steps of all-reduces are predicted",
         NULL, 1, 1LL << 40},
        {"model", 0, OPTION_TEXT, &words.model, "NAME|FILE",
         "the machine, as for 'summand predict'; else the dissertation's cluster", NULL},
        {"products", 0, OPTION_REAL, &request.most, "N",
         "most products of blocks in one prediction; a million takes about 1.5 GB", NULL, 1, 1e9},
        {"output", 'o', OPTION_OUTPUT, &words.path, "FILE", "draw the figure as SVG too", NULL},
        {"csv", 0, OPTION_FLAG, &words.csv, NULL,
         "print the times of figures 5.7 to 5.10 as a FILE; a figure reads them instead of "
         "predicting them",
         NULL},
        {"json", 'j', OPTION_FLAG, &words.json, NULL, "print JSON", NULL},
        {0}};
    int first = parse_options(parsing, &study_gemm, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    const int figure = figure_named(words.figure), table = table_named(words.table);
    if (words.figure && figure < 0)
        return misuse("gemm", "--figure: '%s' is not 5.5, 5.6, 5.7, 5.8, 5.9 or 5.10",
                      words.figure);
    if (words.table && table < 0)
        return misuse("gemm", "--table: '%s' is not 5.4 to 5.8, 5.12, 5.13 or 5.14", words.table);
    if ((figure < 0) == (table < 0))
        return misuse("gemm", "one of --figure and --table is needed");
    const struct narrow *only = narrow_of(&words);
    const char *other = only ? option_beyond(parsing, rows, only->taken) : NULL;
    if (other)
        return misuse("gemm", "%s takes no --%s", figure >= 0 ? words.figure : words.table, other);
    const bool predicts = figure >= figure_named("5.7");
    if (words.path && (words.json || words.csv || table >= 0))
        return misuse("gemm", "--output goes with --figure, without --json and --csv");
    if (words.csv && (words.json || !predicts))
        return misuse("gemm", "--csv goes with --figure 5.7, 5.8, 5.9 and 5.10, without --json");
    for (; first < argc; first++) {
        if (!predicts || request.files == GEMM_FILES)
            return misuse("gemm",
                          "%s: files of bench/scale_gemm.sh, %d at most, go with --figure "
                          "5.7, 5.8, 5.9 and 5.10",
                          argv[first], GEMM_FILES);
        request.file[request.files++] = argv[first];
    }
    if (!read_words(&words, &request))
        return 2;
    if (table >= 0 && request.only && !request.only->order)
        return misuse("gemm", "--table: %s has no blocks", words.algorithm);
    if (request.segment && !(request.only && request.only->limits[SUMMAND__SEGMENT].most))
        return misuse("gemm", "--segment goes with --algorithm gemm-barriers");
    request.local = table >= 0 ? tables[table].local : 0;
    interrupt_listen();
    int status = table >= 0  ? tables[table].run(&request, words.json)
                 : words.csv ? gemm_print_times(&request)
                             : run_figure(&figures[figure], &request, &words);
    return interrupted() ? interrupt_say("gemm") : status;
}

const struct command study_gemm = {
    .name = "gemm",
    .summary = "figures and tables of products over two groups (Schmidtobreick), predicted",
    .synopsis = "gemm --figure N | --table N [options] [FILE.csv...]",
    .examples = "  summand-study gemm --figure 5.6 -o figure5.6.svg\n"
                "  summand-study gemm --figure 5.5 --grids 2,4 -o figure5.5.svg\n"
                "  summand-study gemm --figure 5.9 --grids 2,4 --sizes 1k,4k -o figure5.9.svg\n"
                "  summand-study gemm --figure 5.9 --grids 2,4 --sizes 1k,4k --csv >times.csv\n"
                "  summand-study gemm --table 5.13 --grids 2 --sizes 64..1k\n",
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study figure N: the experiments of Casas, Gansterer, Wimmer (2018). */
#include "cli/gossip/gossip.h"
#include "cli/options/numbers.h"
#include "cli/output/setting.h"
#include "cli/ranks/interrupt.h"
#include "cli/ranks/launched.h"
#include "cli/study/experiment.h"

#include "lab/gossip/interval.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct figure figures[] = {
    {1, "Convergence of the push-flow algorithms with a single flip of bit 56", false, 2, 12, false,
     figure_1},
    {2, "Largest relative error by the position of the flipped bit", false, 2, 12, false, figure_2},
    {3, "Messages relative to push-sum by the position of the flipped bit", false, 2, 12, false,
     figure_3},
    {4, "Influence of tau, flip rate 1e-4", false, 2, 12, false, figure_4},
    {5, "Influence of tau, flip rate 1e-4, on more processes", false, 2, 12, false, figure_5},
    {6, "Messages by the number of flips", false, 2, 12, false, figure_6},
    {7, "Rounds of push-sum to 1e-14 by topology", false, 3, 16, true, figure_7},
    {8, "Runtime of asynchronous push-sum over MPI by topology", true, 0, 0, false, figure_8},
    {9, "Rounds of HPS to 1e-4, 1e-5, 1e-6", false, 2, 30, true, figure_9},
    {10, "Rounds of HPS to 1e-1, 1e-2, 1e-3", false, 2, 30, true, figure_10},
    {11, "HPS and recursive doubling as MPI programs", true, 0, 0, false, figure_11},
    {12, "HPFLC and ARDB on up to 2^30 nodes", false, 2, 30, true, figure_12},
    {13, "Extra rounds of HPFLC for one flip, single precision", false, 4, 30, false, figure_13},
    {0}};

static const struct figure *find(const char *number)
{
    long long value;
    const bool good = parse_integer(number, &value);
    for (const struct figure *f = figures; good && f->number; f++)
        if (f->number == value)
            return f;
    return NULL;
}

/* With MPI only rank 0 prints, and all ranks return the same. */
static int draw(const struct figure *figure, struct study study, json_t *all)
{
    bool speaks = !cli_rank() && !all;
    snprintf(study.name, sizeof study.name, "figure%d", figure->number);
    if (study.runs) /* other cells */
        study_note(&study, " runs %d", study.runs);
    for (int k = 0; k < study.sizes; k++)
        study_note(&study, "%s%d", k ? "," : " logs ", study.logs[k]);
    double start = gossip_clock();
    study.json = all ? study_json(study.name) : NULL;
    if (speaks)
        print_line("figure %d: %s (%s)", figure->number, figure->caption,
                   study.quick ? "quick" : "full");
    int status = figure->run(&study);
    if (!status && speaks)
        print_line("figure %d: %d of %d claims hold; %.1f s", figure->number, study.held,
                   study.claims, gossip_clock() - start);
    if (all) {
        json_object_update_new(study.json,
                               json_make("sbf", "caption", figure->caption, "quick", study.quick,
                                         "seconds", gossip_clock() - start));
        json_array_append_new(all, study.json);
    }
    return status;
}

static bool mpi_needed(char **names, int count)
{
    bool parallel = false;
    for (int k = 0; k < count; k++) {
        const struct figure *f = find(names[k]);
        parallel = parallel || (f && f->parallel);
    }
    return parallel;
}

/* Checks that the figure supports the request; returns 0, or 2 after a complaint. */
static int check(const struct study *study, const char *name)
{
    const struct figure *f = find(name);
    if (!f)
        return misuse("figure", "'%s' is not one of the figures 1 to 13, or all", name);
    if (study->sizes && !f->least)
        return misuse("figure", "figure %d: its sizes are those of --least and --factor",
                      f->number);
    if (!f->least)
        return 0;
    if (study->runs && study->runs < SUMMAND__INTERVAL_LEAST)
        return misuse("figure", "figure %d: %d runs have no interval: at least %d", f->number,
                      study->runs, SUMMAND__INTERVAL_LEAST);
    if (study->least || study->factor)
        return misuse("figure", "figure %d: its sizes are those of --nodes", f->number);
    if (study->sizes > 1 && !f->several)
        return misuse("figure", "figure %d: has one size at a time", f->number);
    if (study->sizes && (study->logs[0] < f->least || study->logs[study->sizes - 1] > f->most))
        return misuse("figure", "figure %d: --nodes %lld..%lld", f->number, 1ll << f->least,
                      1ll << f->most);
    return 0;
}

static int draw_named(char **names, int count, const struct study *study, json_t *all)
{
    bool parallel = mpi_needed(names, count);
    int status = 0;
    for (int k = 0; k < count && !status; k++)
        status = check(study, names[k]);
    if (status)
        return status;
    if (parallel)
        MPI_Init(NULL, NULL);
    for (int k = 0; k < count && !status; k++)
        status = draw(find(names[k]), *study, all);
    if (parallel)
        MPI_Finalize();
    return status;
}

static int draw_all(const struct study *study, json_t *all)
{
    int status = 0;
    if (study->sizes || study->least || study->factor)
        return misuse("figure", "'all' has the figures' own sizes");
    if (check(study, "1"))
        return 2;
    for (const struct figure *f = figures; f->number && !status; f++)
        if (!f->parallel)
            status = draw(f, *study, all);
    return status;
}

/* "64,256" or "16..16m:4": ascending powers of two. */
static bool read_sizes(const char *text, struct study *study)
{
    struct numbers n = {0};
    if (!text)
        return true;
    if (!read_numbers(text, 2, 1ll << 30, &n) || n.count > STUDY_SIZES)
        return false;
    for (int k = 0; k < n.count; k++) {
        int log = 63 - __builtin_clzll((unsigned long long)n.value[k]);
        if (n.value[k] != 1ll << log || (k && log <= study->logs[k - 1]))
            return false;
        study->logs[study->sizes++] = log;
    }
    return true;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct study study = {.directory = "figures"};
    long long seed = 1, threads = 0, runs = 0, least = 0, factor = 0;
    const char *nodes = NULL;
    bool json = false;
    const struct option_row rows[] = {
        {"quick", 0, OPTION_FLAG, &study.quick, NULL, "fewer runs, smaller sizes", NULL},
        {"output", 'o', OPTION_FOLDER, &study.directory, "DIR", "folder for CSV and SVG", NULL},
        {"seed", 's', OPTION_INT, &seed, "S", "seed of all random numbers", NULL, ANY_SEED},
        {"threads", 0, OPTION_INT, &threads, "T", "else one per processor", NULL, THREADS},
        {"runs", 0, OPTION_INT, &runs, "K",
         "runs of each cell, 6 or more (figures 8, 11: 1 or more); else as many as the figure has",
         NULL, 1, STUDY_RUNS_MOST},
        {"nodes", 0, OPTION_TEXT, &nodes, "LIST",
         "powers of two: one, of figures 7, 9, 10, 12 several; default: the figure's", NULL},
        {"least", 0, OPTION_INT, &least, "P", "figures 8, 11: smallest rank count; else 2", NULL, 2,
         1 << 20},
        {"factor", 0, OPTION_INT, &factor, "F",
         "figures 8, 11: factor from one rank count to the next; else 2", NULL, 2, 1024},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON: claims, remarks, files", NULL},
        {0}};
    bool help;
    int at = parse_options(parsing, &study_figure, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    if (at >= argc) {
        complain("figure", "which figure? 1..13, or 'all' for those without MPI");
        return 2;
    }
    study.seed = (uint64_t)seed;
    study.threads = (int)threads;
    if (!read_sizes(nodes, &study))
        return misuse("figure", "--nodes: '%s' is not a list of powers of two up to 1g, ascending",
                      nodes);
    study.runs = (int)runs;
    study.least = (int)least;
    study.factor = (int)factor;
    if (launched_idle() && !mpi_needed(argv + at, argc - at))
        return 0;
    if (mkdir(study.directory, 0777) && errno != EEXIST)
        return complain("figure", "%s: %s", study.directory, strerror(errno));
    bool speaks = !cli_rank(); /* ask while MPI is up, if it is */
    json_t *all = json ? json_array() : NULL;
    if (!mpi_needed(argv + at, argc - at))
        interrupt_listen();
    int status = strcmp(argv[at], "all") ? draw_named(argv + at, argc - at, &study, all)
                                         : draw_all(&study, all);
    if (status || !speaks) {
        json_decref(all);
        return status && interrupted() ? INTERRUPTED : status;
    }
    json_t *object = all ? json_head("figure") : NULL;
    if (all)
        json_object_set_new(object, "figures", all);
    return all ? write_json("figure", object, NULL) : 0;
}

const struct command study_figure = {
    .name = "figure",
    .summary = "a figure of the paper: runs the experiment, judges its claims, writes CSV and SVG",
    .synopsis = "figure [options] N... | all",
    .examples = "  summand-study figure 1 --quick\n"
                "  summand-study figure 7 --quick --output figures # 'all' takes some minutes\n"
                "  summand-study figure 9 --quick --runs 200 --nodes 16..4k:4\n"
                "  mpirun -np 2 summand-study figure 8 --quick --runs 1\n"
                "  sh bench/gossip_smpi.sh # figures 8 and 11 on simulated clusters\n",
    .parallel = IN_EACH_PROCESS,
    .run = run,
};

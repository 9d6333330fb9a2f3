/* summand study figure N: the experiments of Casas, Gansterer, Wimmer (2018). */
#include "cli/common/interrupt.h"
#include "cli/common/setting.h"
#include "cli/gossip/gossip.h"
#include "cli/gossip/gossip_study.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct figure figures[] = {
    {1, "Convergence of the push-flow algorithms with a single flip of bit 56", false, figure_1},
    {2, "Largest relative error by the position of the flipped bit", false, figure_2},
    {3, "Messages relative to push-sum by the position of the flipped bit", false, figure_3},
    {4, "Influence of tau, 32 processes, flip rate 1e-4", false, figure_4},
    {5, "Influence of tau, 64 processes, flip rate 1e-4", false, figure_5},
    {6, "Messages by the number of flips, 64 processes", false, figure_6},
    {7, "Rounds of push-sum to 1e-14 by topology", false, figure_7},
    {8, "Runtime of asynchronous push-sum over MPI by topology", true, figure_8},
    {9, "Rounds of HPS to 1e-4, 1e-5, 1e-6", false, figure_9},
    {10, "Rounds of HPS to 1e-1, 1e-2, 1e-3", false, figure_10},
    {11, "HPS and recursive doubling as MPI programs", true, figure_11},
    {12, "HPFLC and ARDB on up to 2^30 nodes", false, figure_12},
    {13, "Extra rounds of HPFLC for one flip, single precision", false, figure_13},
    {0}};

static const struct figure *find(const char *number)
{
    for (const struct figure *f = figures; f->number; f++)
        if (f->number == atoi(number))
            return f;
    return NULL;
}

/* Where MPI is up rank 0 speaks, and all ranks return the same. */
static int draw(const struct figure *figure, struct study study, json_t *all)
{
    bool speaks = !cli_rank() && !all;
    snprintf(study.name, sizeof study.name, "figure%d", figure->number);
    if (study.runs) /* other cells */
        snprintf(study.note, sizeof study.note, " runs %d", study.runs);
    double start = gossip_clock();
    study.json = all ? study_json(study.name) : NULL;
    if (speaks)
        printf("figure %d: %s (%s)\n", figure->number, figure->caption,
               study.quick ? "quick" : "full");
    int status = figure->run(&study);
    if (!status && speaks)
        printf("figure %d: %d of %d claims hold; %.1f s\n", figure->number, study.held,
               study.claims, gossip_clock() - start);
    if (all) {
        json_object_update_new(study.json,
                               json_pack("{s:s, s:b, s:f}", "caption", figure->caption, "quick",
                                         study.quick, "seconds", gossip_clock() - start));
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

static int draw_named(char **names, int count, const struct study *study, json_t *all)
{
    bool parallel = mpi_needed(names, count);
    int status = 0;
    for (int k = 0; k < count; k++)
        if (!find(names[k]))
            return misuse("study figure", "no figure '%s'", names[k]);
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
    for (const struct figure *f = figures; f->number && !status; f++)
        if (!f->parallel)
            status = draw(f, *study, all);
    return status;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct study study = {.directory = "figures"};
    long long seed = 1, threads = 0, runs = 0, least = 2, factor = 2, log = 0;
    bool json = false;
    const struct option_row rows[] = {
        {"quick", 'q', OPTION_FLAG, &study.quick, NULL, "fewer runs, smaller sizes", NULL},
        {"output", 'o', OPTION_TEXT, &study.directory, "DIR", "folder for CSV and SVG", NULL},
        {"seed", 's', OPTION_INT, &seed, "S", "of everything random", NULL},
        {"threads", 0, OPTION_INT, &threads, "T", "0: one per processor", NULL},
        {"runs", 0, OPTION_INT, &runs, "K",
         "of each cell, no more than the figure has in full; 0: its own", NULL},
        {"log", 0, OPTION_INT, &log, "L", "figures 12, 13: the largest N is 2^L; 0: their own",
         NULL},
        {"least", 0, OPTION_INT, &least, "P", "smallest rank count of figures 8 and 11", NULL},
        {"json", 0, OPTION_FLAG, &json, NULL, "print JSON: claims, remarks, files", NULL},
        {"factor", 0, OPTION_INT, &factor, "F", "from one rank count to the next", NULL},
        {0}};
    bool help;
    int at = parse_options(parsing, &gossip_figure, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    if (at >= argc) {
        complain("study figure", "which figure? 1..13, or 'all' for those without MPI");
        return 2;
    }
    study.seed = (uint64_t)seed;
    study.threads = (int)threads;
    if (log < 0 || log > 30 || runs < 0 || runs > 1000 || least < 2 || least > 1 << 20 ||
        factor < 2 || factor > 1024) {
        if (!cli_rank())
            complain("study figure",
                     "--runs 0..1000, --log 0..30, --least 2..1m, --factor 2..1024");
        return 2;
    }
    study.runs = (int)runs;
    study.log = (int)log;
    study.least = (int)least;
    study.factor = (int)factor;
    if (mkdir(study.directory, 0777) && errno != EEXIST)
        return complain("study figure", "%s: %s", study.directory, strerror(errno));
    bool speaks = !cli_rank(); /* asked for while MPI is up, if it is */
    json_t *all = json ? json_array() : NULL;
    if (!mpi_needed(argv + at, argc - at))
        interrupt_listen();
    int status = strcmp(argv[at], "all") ? draw_named(argv + at, argc - at, &study, all)
                                         : draw_all(&study, all);
    if (status || !speaks) {
        json_decref(all);
        return status && interrupted() ? INTERRUPTED : status;
    }
    json_t *object = all ? json_head("study figure") : NULL;
    if (all)
        json_object_set_new(object, "figures", all);
    return all ? write_json("study figure", object, NULL) : 0;
}

const struct command gossip_figure = {
    .name = "study figure",
    .summary = "a figure of the paper: runs the experiment, judges its claims, writes CSV and SVG",
    .synopsis = "study figure [options] N... | all",
    .examples = "  summand study figure 1 --quick\n"
                "  summand study figure 7 --quick --output figures # 'all' takes some minutes\n"
                "  mpirun -np 2 summand study figure 8 --quick --runs 1\n"
                "  sh bench/gossip_smpi.sh # figures 8 and 11 on simulated clusters\n",
    .run = run,
};

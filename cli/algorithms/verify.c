/* SPDX-License-Identifier: BSD-3-Clause */
/* summand verify: proves every algorithm for many rank counts, roots and counts, and the pipelines
 * of training. */
#include <stdlib.h>
#include <string.h>
#ifndef malloc /* SimGrid's compiler defines macros for the header's functions */
#include <malloc.h>
#endif

#include "algorithm/call.h"
#include "algorithm/nearest.h"
#include "base/machine.h"
#include "cli/algorithms/jobs.h"
#include "cli/algorithms/options_of_calls.h"
#include "cli/common/cli.h"
#include "cli/options/nodes.h"
#include "cli/output/json.h"
#include "cli/output/progress.h"
#include "cli/output/setting.h"
#include "cli/output/stdout.h"
#include "cli/output/text.h"
#include "cli/ranks/interrupt.h"
#include "lab/train/prove_order.h"
#include "lab/train/prove_pipeline.h"
#include "lab/train/prove_twins.h"
#include "lab/verify/cases.h"
#include "lab/verify/prove.h"

/* The pipelines of training. */
enum { VERIFY_STAGES = 8 };

struct verify_training {
    const char *name;
    /* Proves all cases of a number of stages: adds to `proofs`, or returns false after writing a
     * fault. */
    bool (*prove)(int stages, size_t *proofs, char *fault, size_t room);
};

static bool prove_sync(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_mode(TRAIN_SYNC, stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_SYNC, false, false, stages, proofs, fault, room);
}

static bool prove_stashed(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_mode(TRAIN_STASHED, stages, proofs, fault, room) &&
           train_prove_stashed_twins(stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_STASHED, false, false, stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_STASHED, true, false, stages, proofs, fault, room);
}

static bool prove_2bw(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_mode(TRAIN_2BW, stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_2BW, false, false, stages, proofs, fault, room);
}

static bool prove_poad(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_poad(stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_STASHED, true, true, stages, proofs, fault, room);
}

static bool prove_last(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_mode(TRAIN_LAST, stages, proofs, fault, room);
}

/* The last row has no name. */
static const struct verify_training verify_trainings[] = {
    {"train-sync", prove_sync}, {"train-stashed", prove_stashed}, {"train-2bw", prove_2bw},
    {"train-last", prove_last}, {"train-poad", prove_poad},       {NULL, NULL}};

static const struct verify_training *verify_training_named(const char *name)
{
    for (int i = 0; verify_trainings[i].name; i++)
        if (!strcmp(name, verify_trainings[i].name))
            return &verify_trainings[i];
    return NULL;
}

extern const struct command command_verify;

struct verify_options {
    long long max_ranks, jobs;
    const char *algorithm, *collective;
    struct node_options lie;
    struct nodes nodes; /* of all cases; none: runs of one size, and some others */
    int of;             /* that collective; -1: all */
    bool quiet, whole, json;
};

enum {
    MOST_SHOWN = 10,
    LINE = 800
}; /* faults printed per algorithm and collective, each so long */

/* A rank count of an algorithm's collective, or a number of stages of a training's pipeline. */
struct task {
    const struct summand__algorithm *algorithm;
    const struct verify_training *training; /* or NULL */
    enum summand__collective collective;
    int ranks;
    enum summand__effort effort;
    bool last; /* of the collective */
};

/* A worker's result, in shared memory. */
struct tally {
    size_t proofs, faults;
};
struct told {
    char line[MOST_SHOWN][LINE];
};

struct verification {
    const struct verify_options *options;
    struct task *tasks;
    size_t count;
    struct tally *tallies; /* per task */
    struct told *told;     /* per task */
    struct tally row;      /* of the collective that is being printed */
    size_t faults;         /* of all rows before */
    size_t through;
    json_t *rows; /* NULL: text */
};

static void print_case(FILE *out, const struct summand__algorithm *algorithm,
                       const struct summand__call *call)
{
    fprintf(out, "%s %s: ranks %d", algorithm->name, summand__collective_name(call->collective),
            call->ranks);
    if (summand__has_root(call->collective))
        fprintf(out, " root %d", call->root);
    fprintf(out, " count %zu", summand__call_total(call));
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (call->parameter[i])
            fprintf(out, " %s %zu", summand__parameter_name((enum summand__parameter)i),
                    call->parameter[i]);
    for (int g = 0; call->grouping && g < call->grouping->groups && g < MOST_SHOWN; g++)
        fprintf(out, "%s%d",
                g                        ? ","
                : call->grouping->member ? " mixed nodes "
                                         : " nodes ",
                summand__group_size(call->grouping, g));
    fprintf(out, "%s", call->in_place ? " in place" : "");
}

/* The place for a worker's results of a task. */
struct finding {
    struct tally *tally;
    struct told *told;
    uint32_t cases; /* so far */
};

/* For other kinds of nodes, one case in this many goes with placements: schedules differ from those
 * on runs of one size only in names, copies and sizes. */
enum { SELDOM = 16 };

static bool prove(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  uint32_t turn, size_t *proofs, struct summand__proof *proof)
{
    if (!call->grouping || turn % SELDOM == 0)
        return summand__prove_placed(algorithm, call, turn, proofs, proof);
    ++*proofs;
    return summand__prove(algorithm, call, proof);
}

/* A hash selects the placements of a case, so each kind of case meets different ones. */
static bool prove_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       void *context)
{
    struct finding *finding = context;
    struct summand__proof proof;
    uint32_t turn = (finding->cases++ + (uint32_t)call->ranks * 977) * 2654435761u >> 12;
    if (prove(algorithm, call, turn, &finding->tally->proofs, &proof) ||
        finding->tally->faults++ >= MOST_SHOWN)
        return true;
    FILE *line = fmemopen(finding->told->line[finding->tally->faults - 1], LINE, "w");
    if (!line)
        return true;
    print_case(line, algorithm, call);
    fprintf(line, ": %s", proof.fault);
    fclose(line);
    return true;
}

/* The effort for each rank count, unless --ranks asks for all. Many cases run with every rank count
 * or with one in three: each count has many cases for a third of the algorithms, and few for the
 * others. */
struct extent {
    int all_roots, few_all_roots, many, most; /* up to this number of ranks */
    int turns;                                /* one rank count in this many has many cases */
};
static const struct extent quick = {20, 0, 66, 257, 3}, complete = {66, 257, 66, 1025, 1},
                           asked = {20, 4096, 0, 0, 1}; /* --ranks */

static bool effort_for(const struct verify_options *options, int number, int ranks,
                       enum summand__effort *effort)
{
    const struct extent *extent = options->max_ranks ? &asked : options->whole ? &complete : &quick;
    bool beside = false, in_turn = (ranks + number) % extent->turns == 0;
    for (int power = 1; power <= extent->most; power *= 2)
        beside = beside || (ranks >= power - 1 && ranks <= power + 1);
    if (ranks <= extent->all_roots)
        *effort = SUMMAND__ALL_ROOTS;
    else if (ranks <= extent->few_all_roots)
        *effort = SUMMAND__FEW_ALL_ROOTS;
    else if (ranks <= extent->many)
        *effort = in_turn ? SUMMAND__MANY_CASES : SUMMAND__FEW_CASES;
    else
        *effort = SUMMAND__FEW_CASES;
    return ranks <= extent->many || *effort != SUMMAND__FEW_CASES || beside;
}

/* Keeps freed memory in the process: each proof allocates and frees, and system calls would take a
 * sixth of the time. */
static void keep_memory(void)
{
#ifdef M_MXFAST /* glibc */
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 1 << 24);
    mallopt(M_MXFAST, 0);
#endif
}

static const char *name_of(const struct task *task)
{
    return task->training ? task->training->name : task->algorithm->name;
}

static const char *what_of(const struct task *task)
{
    return task->training ? "training" : summand__collective_name(task->collective);
}

static void prove_training(const struct task *task, struct tally *tally, struct told *told)
{
    char fault[LINE - 64];
    if (!task->training->prove(task->ranks, &tally->proofs, fault, sizeof fault) &&
        tally->faults++ < MOST_SHOWN)
        snprintf(told->line[0], LINE, "%s: %s", name_of(task), fault);
}

static void prove_task(size_t number, void *context)
{
    struct verification *all = context;
    const struct task *task = &all->tasks[number];
    if (task->training) {
        prove_training(task, &all->tallies[number], &all->told[number]);
        return;
    }
    struct finding finding = {&all->tallies[number], &all->told[number], 0};
    const struct summand__groupings *groupings = all->options->nodes.groupings;
    bool all_proved = groupings ? summand__cases_on(task->algorithm, task->collective, groupings,
                                                    task->effort, prove_case, &finding)
                                : summand__cases(task->algorithm, task->collective, task->ranks,
                                                 task->effort, prove_case, &finding);
    if (!all_proved && finding.tally->faults++ < MOST_SHOWN)
        snprintf(finding.told->line[finding.tally->faults - 1], LINE,
                 "%s %s: ranks %d: out of memory", task->algorithm->name,
                 summand__collective_name(task->collective), task->ranks);
}

static void progress(size_t number, void *context)
{
    struct verification *all = context;
    (void)number;
    progress_show("verify", (double)++all->through, (double)all->count);
}

static void print_row(struct verification *all, const struct task *task)
{
    unsigned promises = task->training ? 0 : task->algorithm->promises;
    const struct tally *row = &all->row;
    if (all->rows)
        json_array_append_new(all->rows, json_make("ssII", "algorithm", name_of(task), "collective",
                                                   what_of(task), "proofs", (json_int_t)row->proofs,
                                                   "faults", (json_int_t)row->faults));
    else if (!all->options->quiet)
        print_line("%-21s %-20s %7zu proof%s %3zu fault%s  %s%s%s%s", name_of(task), what_of(task),
                   row->proofs, text_plural((long long)row->proofs), row->faults,
                   text_plural((long long)row->faults),
                   promises & SUMMAND__RANK_ORDER ? "rank-order " : "",
                   promises & SUMMAND__SAME_BITS ? "same-bits " : "",
                   promises & SUMMAND__CANONICAL ? "canonical" : "",
                   promises & SUMMAND__PAIR_ORDER ? "pair-order" : "");
    stdout_flush();
}

static void print_task(size_t number, const char *why, void *context)
{
    struct verification *all = context;
    const struct task *task = &all->tasks[number];
    const struct tally *tally = &all->tallies[number];
    size_t shown = all->row.faults;
    if (tally->faults || why || task->last)
        progress_hide();
    for (size_t f = 0; f < tally->faults && f < MOST_SHOWN && shown < MOST_SHOWN; f++, shown++)
        if (*all->told[number].line[f])
            fprintf(all->rows ? stderr : stdout, "%s\n", all->told[number].line[f]);
    if (why)
        fprintf(all->rows ? stderr : stdout, "%s %s: ranks %d: not proved: %s\n", name_of(task),
                what_of(task), task->ranks, why);
    all->row.proofs += tally->proofs;
    all->row.faults += tally->faults + (why != NULL);
    if (!task->last)
        return;
    print_row(all, task);
    all->faults += all->row.faults;
    all->row = (struct tally){0};
}

/* Appends the rank counts of one collective, or counts them if there is no room yet. */
static void add_tasks(struct verification *all, int number, enum summand__collective collective)
{
    const struct summand__algorithm *algorithm = summand__algorithms[number];
    size_t first = all->count;
    for (int ranks = 1; ranks <= (all->options->max_ranks ? all->options->max_ranks : 1025);
         ranks++) {
        struct task task = {.algorithm = algorithm, .collective = collective, .ranks = ranks};
        if (!effort_for(all->options, number, ranks, &task.effort) ||
            (all->options->nodes.ranks && ranks != all->options->nodes.ranks))
            continue;
        if (all->tasks)
            all->tasks[all->count] = task;
        all->count++;
    }
    if (all->tasks && all->count > first)
        all->tasks[all->count - 1].last = true;
}

/* Appends the stage counts of a training, or counts them. */
static void add_training(struct verification *all, const struct verify_training *training)
{
    long long most = all->options->max_ranks;
    most = most && most < VERIFY_STAGES ? most : VERIFY_STAGES;
    for (int stages = 1; stages <= most; stages++) {
        if (all->tasks)
            all->tasks[all->count] =
                (struct task){.training = training, .ranks = stages, .last = stages == most};
        all->count++;
    }
}

static void list_tasks(struct verification *all)
{
    const char *only = all->options->algorithm;
    int of = all->options->of;
    all->count = 0;
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__COLLECTIVES; c++)
            if (summand__algorithms[i]->build[c] && (of < 0 || c == of) &&
                (!only || !strcmp(only, summand__algorithms[i]->name)))
                add_tasks(all, i, (enum summand__collective)c);
    for (int i = 0; verify_trainings[i].name && of < 0 && !all->options->nodes.ranks; i++)
        if (!only || !strcmp(only, verify_trainings[i].name))
            add_training(all, &verify_trainings[i]);
}

static int verify(const struct verify_options *options)
{
    struct verification all = {.options = options};
    int workers = options->jobs ? (int)options->jobs : summand__processors_allowed();
    all.rows = options->json ? json_array() : NULL;
    interrupt_listen();
    list_tasks(&all);
    if (!all.count) {
        if (options->json)
            json_decref(all.rows);
        return misuse("verify", "%s: cannot do %s", options->algorithm,
                      summand__collective_name((enum summand__collective)options->of));
    }
    all.tasks = calloc(all.count, sizeof *all.tasks);
    all.tallies = jobs_memory(all.count * sizeof *all.tallies);
    all.told = jobs_memory(all.count * sizeof *all.told);
    const struct jobs jobs = {"verify", workers, all.count, &all, prove_task, progress, print_task};
    bool good = all.tasks && all.tallies && all.told;
    if (good) {
        list_tasks(&all);
        keep_memory();
        good = jobs_run(&jobs);
    } else {
        complain("verify", "out of memory");
    }
    jobs_forget(all.tallies, all.count * sizeof *all.tallies);
    jobs_forget(all.told, all.count * sizeof *all.told);
    free(all.tasks);
    int status = good && !all.faults ? 0 : 1;
    if (options->json) {
        json_t *object = json_head("verify");
        json_object_set_new(object, "results", all.rows);
        json_object_set_new(object, "complete", json_boolean(good && !interrupted()));
        if (write_json("verify", object, NULL))
            status = 1;
    }
    return interrupted() ? interrupt_say("verify") : status;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct verify_options o = {0};
    bool help;
    const struct option_row rows[] = {
        {"ranks", 'p', OPTION_INT, &o.max_ranks, "P", "prove rank counts 1..P, every root", NULL, 1,
         4096},
        {"algorithm", 'a', OPTION_TEXT, &o.algorithm, "NAME", "only this algorithm", NULL},
        {"collective", 'c', OPTION_TEXT, &o.collective, "NAME", "only this collective", NULL},
        NODE_OPTIONS(o.lie),
        {"all", 0, OPTION_FLAG, &o.whole, NULL,
         "every root for 1..257 ranks, and up to 1025 ranks: hours", NULL},
        {"jobs", 0, OPTION_INT, &o.jobs, "N",
         "worker processes (default: one for each usable processor)", NULL, 1, 4096},
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print JSON instead of text", NULL},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print faults only", NULL},
        {0},
    };
    int operand = parse_options(parsing, &command_verify, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    if (operand < argc)
        return misuse("verify", "%s: no operands expected", argv[operand]);
    if (o.max_ranks && o.whole)
        return misuse("verify", "--ranks and --all exclude each other");
    bool training = o.algorithm && verify_training_named(o.algorithm);
    if (training && (o.collective || o.lie.sizes))
        return misuse("verify", "%s: takes no --collective and no --nodes", o.algorithm);
    if (o.algorithm && !training && !summand__algorithm_named(o.algorithm))
        return misuse("verify", "%s: no such algorithm%s; 'summand list' names them", o.algorithm,
                      summand__nearest_algorithm(o.algorithm).text);
    const struct call_options names = {.collective = o.collective};
    enum summand__collective of = SUMMAND__COLL_REDUCE;
    if (!call_collective("verify", &names, of, &of))
        return 2;
    o.of = o.collective ? (int)of : -1;
    if (o.lie.placement && !o.lie.sizes)
        return misuse("verify", "--placement: needs --nodes");
    if (o.lie.sizes && (o.max_ranks || o.whole))
        return misuse("verify", "--nodes gives the number of ranks: leave out --ranks and --all");
    if (!nodes_read("verify", &o.lie, 0, 1, &o.nodes))
        return 2;
    if (o.nodes.ranks > 4096)
        return misuse("verify", "--nodes: %d ranks are more than 4096", o.nodes.ranks);
    if (o.nodes.ranks && !o.nodes.groupings)
        return misuse("verify", "--nodes: needless for nodes of one size in rank order");
    if (o.nodes.ranks)
        o.max_ranks = o.nodes.ranks;
    int status = verify(&o);
    nodes_free(&o.nodes);
    return status;
}

const struct command command_verify = {
    .name = "verify",
    .summary =
        "proves every algorithm correct for 1..66 ranks and some to 257, or more, without MPI",
    .synopsis = "verify [options]",
    .examples = "  summand verify -a binomial      # one algorithm; all: 8 minutes of one core\n"
                "  summand verify -p 3             # all algorithms, every root of 1..3 ranks\n"
                "  summand verify -a train-stashed # a training's pipeline: 1..8 stages\n"
                "  summand verify --nodes 5,3,1 --placement cyclic -a ring   # on these nodes\n"
                "  summand-study verify -a binary-cut -p 9   # an algorithm of a paper\n",
    .parallel = false,
    .run = run,
    .exits = "0: all is proved. 1: there is a fault, or no memory. 2: the call was wrong. 130: "
             "interrupted.",
};

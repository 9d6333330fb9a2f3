/* SPDX-License-Identifier: BSD-3-Clause */
/* summand inject: damages messages on purpose, over every algorithm, and counts what becomes of the
 * calls. */
#include <mpi.h>
#include <string.h>
#include <summand/info.h>

#include "cli/common/cli.h"
#include "cli/inject/campaign.h"
#include "cli/options/promises.h"
#include "cli/output/json.h"
#include "cli/output/table.h"
#include "cli/ranks/agree.h"
#include "fabric/settings.h"

extern const struct command command_inject;

static const char *const *const modes = checked_words + 1;

static const char exact[] = "exact"; /* sums, by the algorithm that the library chooses */

/* In one frame behind the seal; where they lie; of several chunks. */
static const size_t counts[] = {3, 700, 20000};
enum { SIZES = sizeof counts / sizeof *counts };

struct request {
    int mode, code;
    long long trials, seed;
    double timeout;
    bool json, all;
    const char *algorithm;
};

struct rows {
    struct table table;
    json_t *list;
    struct outcomes total;
};

static void add_row(struct rows *rows, const char *algorithm, const char *collective,
                    const struct outcomes *o)
{
    struct table *table = &rows->table;
    table_cell(table, "%s", algorithm);
    table_cell(table, "%s", collective);
    const long long numbers[] = {o->calls,  o->damaged, o->found, o->right,
                                 o->silent, o->hangs,   o->alarms};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        table_cell(table, "%lld", numbers[i]);
    json_array_append_new(rows->list,
                          json_make("ssIIIIIII", "algorithm", algorithm, "collective", collective,
                                    "calls", (json_int_t)o->calls, "damaged",
                                    (json_int_t)o->damaged, "found", (json_int_t)o->found, "right",
                                    (json_int_t)o->right, "silent", (json_int_t)o->silent, "hangs",
                                    (json_int_t)o->hangs, "alarms", (json_int_t)o->alarms));
}

static void add(struct outcomes *total, const struct outcomes *o)
{
    total->calls += o->calls;
    total->damaged += o->damaged;
    total->found += o->found;
    total->right += o->right;
    total->silent += o->silent;
    total->hangs += o->hangs;
    total->alarms += o->alarms;
}

/* All sizes of one call by one algorithm. */
static void run_calls(const struct request *q, struct campaign *c, const char *algorithm,
                      struct rows *rows)
{
    struct outcomes outcomes = {0};
    const char *name = summand__collective_name(c->collective);
    bool any = false;
    c->options.algorithm = algorithm;
    for (int s = 0; s < SIZES; s++) {
        c->count = counts[s];
        c->seed = (uint64_t)q->seed + (uint64_t)s;
        any = campaign_run(c, &outcomes) || any;
    }
    if (any)
        add_row(rows, algorithm ? algorithm : exact, name, &outcomes);
    add(&rows->total, &outcomes);
}

static void run_all(const struct request *q, MPI_Comm comm, struct rows *rows)
{
    struct campaign c = {
        .comm = comm, .trials = q->all ? 0 : q->trials, .options.timeout = q->timeout};
    for (int a = 0; summand__algorithms[a]; a++)
        for (int k = 0; k < SUMMAND__MPI_COLLECTIVES; k++) {
            const char *name = summand__algorithms[a]->name;
            c.collective = (enum summand__collective)k;
            if (summand__algorithms[a]->build[k] && (!q->algorithm || !strcmp(q->algorithm, name)))
                run_calls(q, &c, name, rows);
        }
    c.options.promise = SUMMAND_PROMISE_EXACT;
    c.collective = SUMMAND__COLL_ALLREDUCE;
    if (!q->algorithm || !strcmp(q->algorithm, exact))
        run_calls(q, &c, NULL, rows);
}

static int report(const struct request *q, struct rows *rows)
{
    const struct outcomes *t = &rows->total;
    const bool unmended = q->mode == SUMMAND__CORRECT && t->found;
    int wrong = t->silent || t->hangs || t->alarms || !t->damaged || unmended, status = 0;
    add_row(rows, "all", "", t);
    if (!cli_rank() && q->json) {
        json_t *json = json_head("inject");
        int ranks;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        json_object_update_new(json, json_make("siIO", "checked", modes[q->mode], "ranks", ranks,
                                               "seed", (json_int_t)q->seed, "rows", rows->list));
        status = write_json("inject", json, NULL);
    }
    table_end(&rows->table, cli_rank() || q->json ? NULL : stdout);
    json_decref(rows->list);
    return status ? status : wrong;
}

static int inject(const struct request *q)
{
    struct rows rows = {.list = json_array()};
    MPI_Comm comm;
    int ranks;
    struct trouble trouble = {""};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2)
        trouble_note(&trouble, "needs at least two ranks: mpirun -np 2 summand inject");
    if (q->algorithm && strcmp(q->algorithm, exact) && !summand__algorithm_named(q->algorithm))
        return misuse(
            "inject",
            "--algorithm is '%s', which is not 'exact', and which 'summand list' does not "
            "have",
            q->algorithm);
    trouble_note_mpi(&trouble, "SUMMAND_CHECKED",
                     summand_setting_set("SUMMAND_CHECKED", modes[q->mode]));
    if (!agree("inject", &trouble))
        return 2;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    table_begin(&rows.table,
                "<algorithm|<call|calls|damaged|found|right|silent|hangs|false alarms");
    run_all(q, comm, &rows);
    MPI_Comm_free(&comm);
    return report(q, &rows);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct request q = {.mode = 1, .trials = 4, .seed = 1, .timeout = 60};
    const struct option_row rows[] = {
        {"checked", 0, OPTION_CHOICE, &q.mode, "MODE", "value of SUMMAND_CHECKED", modes},
        {"algorithm", 'a', OPTION_TEXT, &q.algorithm, "NAME", "this one alone", NULL},
        {"trials", 0, OPTION_INT, &q.trials, "N",
         "drawn faults of each kind, for each call and size", NULL, 1, 1e9},
        {"all", 0, OPTION_FLAG, &q.all, NULL, "a fault of each kind in every message", NULL},
        {"limit", 0, OPTION_REAL, &q.timeout, "T", "seconds after which a waiting rank hangs", NULL,
         ABOVE_ZERO, DBL_MAX},
        {"json", 'j', OPTION_FLAG, &q.json, NULL, "print JSON", NULL},
        {"seed", 's', OPTION_INT, &q.seed, "S", "seed of data and faults", NULL, ANY_SEED},
        {0}};
    bool help;
    int at = parse_options(parsing, &command_inject, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    return inject(&q);
}

const struct command command_inject = {
    .name = "inject",
    .summary = "damage messages on purpose: does any damage stay unseen?",
    .synopsis = "inject [options]",
    .examples = "  mpirun -np 3 summand inject\n"
                "  mpirun -np 3 summand inject --checked off -a ring\n"
                "  mpirun -np 2 summand inject --all --json\n",
    .parallel = true,
    .run = run,
    .exits = "0: no damage stayed unseen, no rank hung, no alarm was false. 1: one of these. 2: "
             "the call "
             "was wrong.",
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* summand tune: measures the fastest algorithms, or the costs of messages. */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/info.h>

#include "calibrate/store.h"
#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/ranks/agree.h"
#include "cli/ranks/interrupt.h"
#include "cli/tune/tune_file.h"
#include "cli/tune/tune_search.h"
#include "fabric/calibrated.h"
#include "plan/tuned.h"
#include "process/machine.h"

extern const struct command command_tune;

enum { CALIBRATION_SECONDS = 1 };

/* For a search, which needs a new calibration. */
static const double REFRESH_SECONDS = 0.2;

static void heading(const char *what, int ranks, char *text, size_t room)
{
    char machine[512], date[SETTING_ROOM] = "";
    summand__machine_text(machine, sizeof machine);
    for (const struct setting_row *row = setting_rows; row->name; row++)
        if (!strcmp(row->name, "date"))
            row->text(date, sizeof date);
    snprintf(text, room, "# %s, measured by summand tune on %d rank%s, %s\n# %s\n", what, ranks,
             text_plural(ranks), date, machine);
}

static json_t *rule_json(const struct summand__tuning_rule *rule)
{
    json_t *parameters = json_object();
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (rule->parameter[i])
            json_object_set_new(parameters, summand__parameter_name((enum summand__parameter)i),
                                json_integer((json_int_t)rule->parameter[i]));
    json_t *end = rule->end == SIZE_MAX ? json_null() : json_integer((json_int_t)rule->end);
    json_t *node = rule->node_size == SUMMAND__UNEVEN ? json_text("uneven")
                                                      : json_integer((json_int_t)rule->node_size);
    return json_make("sioIoiso", "collective", summand__collective_name(rule->collective), "ranks",
                     rule->ranks, "node_size", node, "least", (json_int_t)rule->least, "end", end,
                     "promises", (int)rule->promises, "algorithm", rule->algorithm->name,
                     "parameters", parameters);
}

/* The first fields of all of tune's JSON. */
static json_t *tune_json(const char *path, int ranks)
{
    json_t *object = json_head("tune");
    json_object_update_new(
        object, json_make("ois", "setting", setting_json(), "ranks", ranks, "file", path));
    return object;
}

static int world_ranks(void)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

static bool on_screen(const char *path)
{
    return !path || !strcmp(path, "-");
}

/* Rank 0: writes the model if requested, and a short summary of its fit. */
static int tell_model(const char *path, const char *head, const struct loggp *loggp, bool json)
{
    if ((!json || !on_screen(path)) && !tune_file_write_model("tune", path, head, loggp))
        return 1;
    if (json) {
        json_t *object = tune_json(path, world_ranks());
        json_object_set_new(object, "model", model_json(&loggp->model));
        return write_json("tune", object, NULL);
    }
    if (!on_screen(path)) {
        print_line("%s: a model for 'summand predict --model %s'", path, path);
        loggp_print_fit(loggp, "", stdout);
    }
    return 0;
}

/* The path at which programs look for it; false if it cannot be stored. */
static bool keepable_path(const struct summand__calibration *calibration, unsigned slots,
                          char path[PATH_MAX])
{
    return summand__calibration_path_of(calibration, slots, path) &&
           summand__calibration_keepable(path);
}

/* Rank 0: writes the calibration, into this machine's cache if no file is named. */
static int tell_calibration(const char *path, const struct summand__calibration *calibration,
                            unsigned slots, bool json)
{
    char kept[PATH_MAX], machine[SUMMAND__MACHINE_KEY];
    if (!path && !keepable_path(calibration, slots, kept))
        return complain("tune", "neither XDG_CACHE_HOME nor HOME has a cache; -o names a file");
    summand__calibration_machine(machine);
    if (path && on_screen(path)) {
        if (!json)
            summand__calibration_print(calibration, machine, stdout);
    } else if (!summand__calibration_save(path ? path : kept, calibration)) {
        return complain("tune", "%s: %s", path ? path : kept, strerror(errno));
    }
    if (json) {
        json_t *object = tune_json(path ? path : kept, world_ranks()), *values = json_object();
        for (int q = 0; q < SUMMAND__QUANTITIES; q++)
            json_object_set_new(values, summand__quantities[q].name,
                                json_integer((json_int_t)calibration->value[q]));
        json_object_set_new(object, "calibration", values);
        return write_json("tune", object, NULL);
    }
    if (!on_screen(path ? path : kept))
        print_line("%s: 'summand info' shows it", path ? path : kept);
    return 0;
}

static int calibrate(const char *path, bool json)
{
    struct summand__calibration calibration;
    struct trouble trouble = {""};
    enum summand__measured how = SUMMAND__MEASURED_NOT;
    unsigned slots = 0;
    int status = 0;
    trouble_note_mpi(
        &trouble, "calibration",
        summand__calibrate_anew(MPI_COMM_WORLD, CALIBRATION_SECONDS, &calibration, &slots, &how));
    if (how == SUMMAND__MEASURED_NOT && !slots)
        trouble_note(&trouble, "the ranks of the node share no memory; 'ulimit -f' and 'ulimit -v' "
                               "may be too small");
    if (how == SUMMAND__MEASURED_NOT)
        trouble_note(&trouble, "the first two ranks need a processor each, on one node, with "
                               "little else to do");
    if (!agree("tune", &trouble))
        return 1;
    calibration.unsettled = 0; /* requested: programs keep it */
    if (cli_rank() == 0)
        status = tell_calibration(path, &calibration, slots, json);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

/* If programs calibrate themselves, measures anew before a search or a model, which then use it, as
 * programs will. The stored one stays if no measurement settles now. */
static void refresh_calibration(void)
{
    char path[PATH_MAX];
    const char *asked = summand_setting_value("SUMMAND_CALIBRATION", NULL);
    struct summand__calibration anew;
    bool wanted = summand__calibration_asked(asked ? asked : "") == SUMMAND__CALIBRATE_AUTO;
    unsigned slots = 0;
    enum summand__measured how = SUMMAND__MEASURED_NOT;
    MPI_Bcast(&wanted, 1, MPI_C_BOOL, 0, MPI_COMM_WORLD);
    if (!wanted || summand__calibrate_anew(MPI_COMM_WORLD, REFRESH_SECONDS, &anew, &slots, &how) !=
                       MPI_SUCCESS)
        return;
    if (how == SUMMAND__MEASURED_WELL && cli_rank() == 0 && keepable_path(&anew, slots, path))
        summand__calibration_save(path, &anew);
    if (how != SUMMAND__MEASURED_NOT)
        summand__calibrated_prefer(SUMMAND__CALIBRATE_AUTO, &anew);
}

static int measure(const char *path, bool json)
{
    struct loggp loggp;
    int ranks, status = 0;
    char head[1024];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    refresh_calibration();
    if (!loggp_measure("tune", &loggp))
        return 1;
    heading("LogGP parameters", ranks, head, sizeof head);
    if (cli_rank() == 0)
        status = tell_model(path, head, &loggp, json);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

/* The output: rank 0's file. */
struct target {
    const char *path;
    bool with_model, json;
    char head[1024];
    struct summand__tuning tuning;
    int comparisons, open; /* finished; still to go */
    double start, spent;   /* seconds, in the search */
    int ranks;
};

/* Called after every tournament, so an interrupted run keeps its results. */
static bool save(void *context, int comparisons, int open)
{
    struct target *target = context;
    bool good = true;
    interrupt_hold();
    target->spent = MPI_Wtime() - target->start;
    target->comparisons = comparisons;
    target->open = open;
    interrupt_release();
    if (cli_rank() == 0 && !on_screen(target->path))
        good = tune_file_write("tune", target->path, target->head, &target->tuning);
    MPI_Bcast(&good, 1, MPI_C_BOOL, 0, MPI_COMM_WORLD);
    return good;
}

/* Gets the state's view of nodes and transport, the file to extend, and the model. */
static bool prepare(struct target *target, struct tune_setup *setup, struct loggp *loggp)
{
    struct summand__state *state;
    struct trouble trouble = {""};
    char machine[512], line[600];
    bool good = true;
    refresh_calibration();
    trouble_note_mpi(&trouble, "communicator", summand__state_of(MPI_COMM_WORLD, &state));
    if (!agree("tune", &trouble))
        return false;
    setup->ranks = state->ranks;
    setup->node_size = (size_t)state->nodes.node_size;
    setup->groupings = state->nodes.groupings;
    setup->fullest = state->nodes.most;
    setup->processors = state->segment ? state->nodes.processors : 0;
    summand__machine_text(machine, sizeof machine);
    summand__tuned_machine(state, machine, line, sizeof line);
    heading("fastest algorithms", state->ranks, target->head, sizeof target->head);
    if (cli_rank() == 0)
        good = tune_file_read("tune", target->path, line, &target->tuning);
    MPI_Bcast(&good, 1, MPI_C_BOOL, 0, MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (!good || !loggp_measure("tune", loggp))
        return false;
    double spent = MPI_Wtime() - start;
    MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    setup->budget = fmax(setup->budget - spent, setup->budget / 4);
    if (target->with_model) {
        target->tuning.has_model = true;
        target->tuning.model = loggp->model;
    }
    setup->model = &loggp->model;
    return true;
}

/* Seconds, with some for the model: for each tournament the mean time of those so far. */
static double budget_of_all(const struct target *target)
{
    double each = target->spent / (target->comparisons ? target->comparisons : 1);
    return ceil(1.2 * (target->spent + each * target->open));
}

/* On rank 0. Must not call MPI: see interrupt_answer. */
static bool tell_search(const struct target *target)
{
    bool good = true;
    if (target->json) {
        json_t *object = tune_json(target->path, target->ranks), *rules = json_array();
        for (size_t i = 0; i < target->tuning.rules; i++)
            json_array_append_new(rules, rule_json(&target->tuning.rule[i]));
        json_object_update_new(object,
                               json_make("iiio", "comparisons", target->comparisons, "races",
                                         target->comparisons, /* the old name, until 0.2 */
                                         "open", target->open, "rules", rules));
        good = !write_json("tune", object, NULL);
    } else if (on_screen(target->path)) {
        good = tune_file_write("tune", NULL, target->head, &target->tuning);
    } else {
        print_line("%s: %zu lines after %d comparisons", target->path, target->tuning.rules,
                   target->comparisons);
    }
    if (target->open && !interrupted())
        fprintf(
            stderr,
            "tune: the budget ended with about %d comparisons to go; --budget %.0f makes them\n",
            target->open, budget_of_all(target));
    return good;
}

static bool any_so_far(const void *context)
{
    return ((const struct target *)context)->comparisons > 0;
}

static void print_so_far(void *context)
{
    tell_search(context);
}

static int search(struct target *target, struct tune_setup *setup)
{
    struct loggp loggp = {0};
    int status = 0;
    if (!prepare(target, setup, &loggp))
        return 1;
    setup->save = save;
    setup->context = target;
    target->ranks = setup->ranks;
    interrupt_answer("tune", (struct interrupt_answer){any_so_far, print_so_far, target});
    target->start = MPI_Wtime();
    bool good = tune_search(setup, &target->tuning, &target->comparisons, &target->open);
    if (!interrupt_answered() && good && cli_rank() == 0)
        good = tell_search(target);
    status = !good;
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    summand__tuning_free(&target->tuning);
    return good && interrupt_agreed() ? interrupt_say("tune") : status;
}

static int exponent(long long size)
{
    int e = 0;
    while (e < 40 && 1ll << e < size)
        e++;
    return e;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct target target = {0};
    struct tune_setup setup = {.budget = 60};
    struct trouble trouble = {""};
    long long least = 8, most = 16 << 20;
    bool model_only = false, calibrates = false, help;
    int ranks;
    const struct option_row rows[] = {
        {"output", 'o', OPTION_OUTPUT, &target.path, "FILE", "write to FILE; its other lines stay",
         NULL},
        {"budget", 'b', OPTION_REAL, &setup.budget, "S",
         "about so many seconds; more if ranks share processors", NULL, ABOVE_ZERO, 1e6},
        {"collectives", 'c', OPTION_TEXT, &setup.collectives, "NAME,...",
         "only these: reduce, allreduce, scan, exscan, reduce_scatter, bcast, allgather", NULL},
        {"least", 0, OPTION_INT, &least, "BYTES", "smallest vector that is measured", NULL, 8,
         1ll << 32},
        {"most", 0, OPTION_INT, &most, "BYTES", "largest vector that is measured", NULL, 8,
         1ll << 32},
        {"with-model", 0, OPTION_FLAG, &target.with_model, NULL,
         "write LogGP parameters too: calls that no line covers are estimated with them", NULL},
        {"json", 'j', OPTION_FLAG, &target.json, NULL, "print JSON instead of text", NULL},
        {"measure", 0, OPTION_FLAG, &model_only, NULL,
         "measure LogGP parameters instead: a file for `summand predict --model`", NULL},
        {"calibrate", 0, OPTION_FLAG, &calibrates, NULL,
         "measure the machine as the end of a program does, but longer, and write it to the cache "
         "or FILE",
         NULL},
        {0}};
    int first = parse_options(parsing, &command_tune, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    static const char *const of_search[] = {"budget", "collectives", "least",
                                            "most",   "with-model",  NULL};
    if (!options_only_with(parsing, "tune", "a search, not --measure or --calibrate,",
                           !model_only && !calibrates, of_search))
        return 2;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (first < argc)
        trouble_note(&trouble, "%s: no operand expected", argv[first]);
    if (most < least)
        trouble_note(&trouble, "--least: %lld is above --most, %lld", least, most);
    if (model_only && calibrates)
        trouble_note(&trouble, "--measure and --calibrate exclude each other");
    if (ranks < 2)
        trouble_note(&trouble, "needs at least two ranks: mpirun -np 2 summand tune");
    tune_collectives_check(setup.collectives, &trouble);
    if (!agree("tune", &trouble))
        return 2;
    interrupt_listen();
    if (calibrates)
        return calibrate(target.path, target.json);
    if (model_only)
        return measure(target.path, target.json);
    setup.least = exponent(least);
    setup.most = exponent(most);
    return search(&target, &setup);
}

const struct command command_tune = {
    .name = "tune",
    .summary = "measures which algorithm is the fastest, for SUMMAND_TUNING, or what messages cost",
    .synopsis = "tune [options]",
    .examples = "  mpirun -np 2 summand tune --budget 5 -o tuning.txt\n"
                "  SUMMAND_TUNING=tuning.txt mpirun -np 4 ./program\n"
                "  mpirun -np 2 summand tune --calibrate\n"
                "  mpirun -np 2 summand tune --measure -o here.model\n"
                "  summand predict --model here.model --ranks 64\n",
    .parallel = true,
    .run = run,
};

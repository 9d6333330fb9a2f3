/* SPDX-License-Identifier: BSD-3-Clause */
/* summand info: this build and its machine. */
#include "cli/output/json.h"
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "calibrate/store.h"
#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/options/variables.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/ranks/agree.h"
#include "compute/blas.h"
#include "kernel/arch.h"
#include "plan/tuned.h"
#include "select/choose.h"

extern const struct command command_info;

static json_t *arch_json(void)
{
    json_t *list = json_array();
    for (int a = 0; a < SUMMAND__ARCHS; a++)
        if (summand__arch_supported((enum summand__arch)a))
            json_array_append_new(list, json_text(summand__arch_name((enum summand__arch)a)));
    return list;
}

/* "OpenBLAS 0.3.21, as SkylakeX, 1 thread, /usr/lib/...". */
static void blas_text(char *text, size_t room)
{
    const struct summand__blas *blas = summand__blas();
    if (!blas) {
        snprintf(text, room, "none");
        return;
    }
    int threads = blas->threads ? blas->threads() : 0;
    int used = snprintf(text, room, "%s, ", blas->name);
    if (*blas->core)
        used += snprintf(text + used, room - (size_t)used, "taken for %s, ", blas->core);
    if (threads)
        used += snprintf(text + used, room - (size_t)used, "%d %s, ", threads,
                         threads == 1 ? "thread" : "threads");
    snprintf(text + used, room - (size_t)used, "%s", blas->path);
}

static json_t *blas_json(void)
{
    const struct summand__blas *blas = summand__blas();
    const char *advice = summand__blas_advice();
    return blas ? json_make("sssbis", "name", blas->name, "core", blas->core, "file", blas->path,
                            "fast", blas->fast, "threads", blas->threads ? blas->threads() : 0,
                            "advice", advice)
                : json_null();
}

enum { FROM = PATH_MAX + 80 };

/* Values, and their source. */
struct found {
    struct summand__calibration calibration;
    char from[FROM];                         /* a path, or why the defaults hold */
    enum { DEFAULTS, NAMED, MEASURED } kind; /* NAMED: by SUMMAND_CALIBRATION */
};

/* One sentence on what holds, and why. What has not settled (calibrate/measure.c) keeps the
 * defaults of the two quantities whose wrong values cost most. */
static void why_text(const struct found *found, char *text, size_t room)
{
    const struct summand__quantity_row *results = &summand__quantities[SUMMAND__BYPASS_RESULTS],
                                       *copies = &summand__quantities[SUMMAND__BYPASS_COPIES];
    if (found->kind == DEFAULTS)
        snprintf(text, room, "%s", found->from);
    else if (found->kind == NAMED)
        snprintf(text, room, "as SUMMAND_CALIBRATION says: %s", found->from);
    else if (!found->calibration.unsettled)
        snprintf(text, room, "measured on this machine, and settled, so programs use it: %s",
                 found->from);
    else
        snprintf(text, room,
                 "measured while this machine was busy, and not settled, so programs use it with "
                 "the defaults of '%s' and '%s', and measure again when it is an hour old: %s",
                 results->name, copies->name, found->from);
}

/* The file that SUMMAND_CALIBRATION names. */
static int find_named(const char *path, struct found *found)
{
    const char *fault = NULL;
    if (summand__calibration_load(path, NULL, &found->calibration, &fault))
        snprintf(found->from, FROM, "%s", path);
    else
        snprintf(found->from, FROM, "the defaults, because SUMMAND_CALIBRATION names %s: %s", path,
                 fault);
    found->kind = fault ? DEFAULTS : NAMED;
    found->calibration.unsettled = 0; /* is used as it is */
    return 1;
}

/* The calibrations in this machine's cache, or the defaults. */
static int find_kept(struct found found[SUMMAND__MOST_KEPT])
{
    struct summand__kept list[SUMMAND__MOST_KEPT];
    char path[PATH_MAX];
    const int n = summand__calibration_list(list);
    for (int i = 0; i < n; i++) {
        found[i].calibration = list[i].calibration;
        summand__calibration_path(list[i].distance, list[i].slots, path);
        found[i].kind = list[i].fault ? DEFAULTS : MEASURED;
        if (list[i].fault)
            snprintf(found[i].from, FROM, "the defaults, because of %s: %s", path, list[i].fault);
        else
            snprintf(found[i].from, FROM, "%s", path);
    }
    if (n)
        return n;
    found->calibration = summand__calibration_standard();
    if (summand__calibration_path(0, 0, path))
        snprintf(found->from, FROM,
                 "the defaults, because no program has measured this machine yet: %.*s has no file "
                 "of it",
                 (int)(strrchr(path, '/') - path), path);
    else
        snprintf(found->from, FROM,
                 "the defaults, because neither XDG_CACHE_HOME nor HOME is a folder to keep a "
                 "measurement in");
    return 1;
}

/* The calibrations that programs started now would use, for each distance of two cores and number
 * of ranks on a node. */
static int find_calibrations(struct found found[SUMMAND__MOST_KEPT])
{
    const char *asked = summand_setting_value("SUMMAND_CALIBRATION", NULL);
    found->kind = DEFAULTS;
    if (!asked || !strcmp(asked, "auto"))
        return find_kept(found);
    if (strcmp(asked, "off") != 0)
        return find_named(asked, found);
    found->calibration = summand__calibration_standard();
    snprintf(found->from, FROM, "the defaults, because SUMMAND_CALIBRATION is off");
    return 1;
}

static json_t *calibration_json(const struct found *found)
{
    json_t *quantities = json_array();
    for (int q = 0; q < SUMMAND__QUANTITIES; q++) {
        const struct summand__quantity_row *row = &summand__quantities[q];
        json_array_append_new(quantities, json_make("sIsIss", "name", row->name, "value",
                                                    (json_int_t)found->calibration.value[q], "unit",
                                                    row->unit, "default", (json_int_t)row->standard,
                                                    "meaning", row->meaning, "used", row->used));
    }
    char why[FROM + 320];
    why_text(found, why, sizeof why);
    return json_make("ssbo", "why", why, "from", found->from, "settled",
                     !found->calibration.unsettled, "quantities", quantities);
}

static json_t *calibrations_json(void)
{
    struct found found[SUMMAND__MOST_KEPT];
    const int n = find_calibrations(found);
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, calibration_json(&found[i]));
    return list;
}

static void print_calibrations(void)
{
    struct found found[SUMMAND__MOST_KEPT];
    const int n = find_calibrations(found);
    char value[40], text[FROM + 320];
    for (int i = 0; i < n; i++) {
        why_text(&found[i], text, sizeof text);
        printf("\n%-12s ", "calibration");
        print_wrapped(text, 13, stdout);
        for (int q = 0; q < SUMMAND__QUANTITIES; q++) {
            const struct summand__quantity_row *row = &summand__quantities[q];
            snprintf(value, sizeof value, "%lld %s", (long long)found[i].calibration.value[q],
                     row->unit);
            printf("  %-10s %-14s ", row->name, value);
            print_wrapped(row->meaning, 28, stdout);
        }
    }
}

static json_t *environment_json(void)
{
    const summand_setting *row;
    json_t *list = json_array();
    for (int i = 0; (row = summand_setting_at(i)); i++)
        json_array_append_new(list, json_make("ssssss", "name", row->name, "type", row->allowed,
                                              "default", row->standard, "meaning", row->meaning,
                                              "read", variable_when(row), "value",
                                              summand_setting_value(row->name, NULL)));
    return list;
}

static void print_setting(void)
{
    char text[SETTING_ROOM];
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        row->text(text, sizeof text);
        printf("%-12s ", row->name);
        print_wrapped(text, 13, stdout);
    }
    printf("%-12s", "supported");
    for (int a = 0; a < SUMMAND__ARCHS; a++)
        if (summand__arch_supported((enum summand__arch)a))
            printf(" %s", summand__arch_name((enum summand__arch)a));
    printf("\n");
    blas_text(text, sizeof text);
    printf("%-12s ", "blas");
    print_wrapped(text, 13, stdout);
    if (summand__blas_advice())
        print_remark("%s.", summand__blas_advice());
}

static void print_environment(void)
{
    const summand_setting *row;
    for (int i = 0; (row = summand_setting_at(i)); i++) {
        const char *value = summand_setting_value(row->name, NULL);
        char text[VARIABLE_ROOM];
        print_line("%-20s %s", row->name, value ? value : "(unset)");
        fputs("    ", stdout);
        variable_words(row, text);
        print_wrapped(text, 4, stdout);
    }
    struct summand__complaint complaint;
    const char *warning = summand__arch_complaint();
    if (!summand__environment_check(&complaint))
        warning = complaint.text;
    if (!warning)
        return;
    putchar('\n');
    print_line("warning: %s", warning);
}

/* The source of the network's model on these ranks: learned at this first use, or why not. */
static const char *network_source(const struct summand__state *state)
{
    const struct summand__tuning *tuning = summand__tuned(state);
    const struct summand__fabric *fabric = state->context.fabric;
    if (state->nodes.most >= state->ranks)
        return "all ranks are on one node: its calibration counts";
    if (tuning && tuning->has_model)
        return "SUMMAND_TUNING";
    if (fabric->network.known)
        return "measured at the first use";
    return fabric->settings.network == SUMMAND__NETWORK_OFF ? "off: the defaults"
                                                            : "not measured: the defaults";
}

static struct summand__model network_model(const struct summand__state *state)
{
    const struct summand__tuning *tuning = summand__tuned(state);
    struct summand__query query =
        summand__query_on(state, summand__grouping_for(state->nodes.groupings, false));
    if (tuning && tuning->has_model)
        query.model = &tuning->model;
    return summand__query_model(&query);
}

/* How ranks lie on nodes. `runs`: of consecutive ranks on one node. */
struct placement {
    int nodes, least, most, runs;
};

static struct placement placement_of(const struct summand__state *state)
{
    const struct summand__groupings *groupings = state->nodes.groupings;
    const int size = state->nodes.node_size, ranks = state->ranks;
    if (groupings)
        return (struct placement){groupings->any.groups, groupings->any.least, groupings->any.most,
                                  groupings->ordered.groups};
    const int nodes = (ranks + size - 1) / size, rest = ranks - (nodes - 1) * size;
    return (struct placement){nodes, rest, size < ranks ? size : ranks, nodes};
}

/* "3 nodes of 1 to 4 ranks, in 6 runs of consecutive ranks". */
static void placement_text(const struct placement *placement, char *text, size_t room)
{
    char least[24] = "", runs[56] = "";
    if (placement->least < placement->most)
        snprintf(least, sizeof least, "%d to ", placement->least);
    if (placement->runs > placement->nodes)
        snprintf(runs, sizeof runs, ", in %d runs of consecutive ranks", placement->runs);
    snprintf(text, room, "%d node%s of %s%d rank%s%s", placement->nodes,
             text_plural(placement->nodes), least, placement->most, text_plural(placement->most),
             runs);
}

static int tell_network(bool json)
{
    struct summand__state *state = NULL;
    struct trouble trouble = {""};
    char text[128];
    trouble_note_mpi(&trouble, "communicator", summand__state_of(MPI_COMM_WORLD, &state));
    if (!agree(command_info.name, &trouble))
        return 1;
    struct summand__model model = network_model(state);
    const struct placement placement = placement_of(state);
    const char *source = network_source(state);
    if (cli_rank())
        return 0;
    if (json) {
        json_t *object = json_head(command_info.name);
        json_object_set_new(object, "network",
                            json_make("siiiiio", "from", source, "ranks", state->ranks, "nodes",
                                      placement.nodes, "least_ranks", placement.least, "most_ranks",
                                      placement.most, "runs", placement.runs, "model",
                                      model_json(&model)));
        return write_json(command_info.name, object, NULL);
    }
    placement_text(&placement, text, sizeof text);
    print_remark("the machine as %d rank%s it, %s; %s", state->ranks,
                 state->ranks == 1 ? " sees" : "s see", text, source);
    model_print(&model, stdout);
    return 0;
}

static int print_text(bool environment_only)
{
    if (!environment_only) {
        print_setting();
        print_calibrations();
        printf("\n");
    }
    print_environment();
    return 0;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    bool json = false, environment_only = false, network = false, help;
    const struct option_row rows[] = {
        {"env", 0, OPTION_FLAG, &environment_only, NULL, "the environment variables only", NULL},
        {"network", 0, OPTION_FLAG, &network, NULL,
         "on all ranks: the costs of messages by which algorithms are chosen", NULL},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON instead of text", NULL},
        {0}};
    int first = parse_options(parsing, &command_info, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first < 0)
        return 2;
    if (first < argc) {
        complain(command_info.name, "%s: no operand expected", argv[first]);
        return 2;
    }
    if (network)
        return tell_network(json);
    if (!json)
        return print_text(environment_only);
    json_t *object = json_head(command_info.name);
    if (!environment_only) {
        json_object_update_new(object, setting_json());
        json_object_set_new(object, "supported", arch_json());
        json_object_set_new(object, "blas", blas_json());
        json_object_set_new(object, "calibrations", calibrations_json());
    }
    json_object_set_new(object, "variables", environment_json());
    return write_json(command_info.name, object, NULL);
}

const struct command command_info = {"info",
                                     "version, MPI library, instruction set, environment variables",
                                     "info [options]",
                                     "  summand info\n"
                                     "  summand info --env\n"
                                     "  mpirun -np 4 summand info --network\n"
                                     "  SUMMAND_ARCH=avx2 summand info --json\n",
                                     WITH_NETWORK,
                                     run,
                                     NULL};

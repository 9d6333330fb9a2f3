/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/tuned.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/warning.h"
#include "fabric/fabric.h"
#include "process/world_root.h"

/* Guards data kept with fabrics: communicators of several threads may share one. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct summand__tuning none;

static void drop(void *tuned)
{
    summand__tuning_free(tuned);
    free(tuned);
}

/* Warns once per process: many communicators may read the same file. */
static void warn(const char *path, const char *what, const char *which)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (summand__is_world_root() && !atomic_flag_test_and_set(&warned))
        summand__warn("SUMMAND_TUNING: %s: %s%s", path, what, which);
}

static const char *const shares[] = {"no memory shared", "memory shared"};

void summand__tuned_machine(const struct summand__state *state, const char *machine, char *text,
                            size_t room)
{
    snprintf(text, room, "%s, %s", machine, shares[state->segment != NULL]);
}

/* If no two ranks are on one node, shared memory makes no difference. */
static bool is_here(const struct summand__state *state, const char *machine)
{
    const char *here = state->context.fabric->tuning.machine;
    size_t length = strlen(here);
    if (strncmp(machine, here, length) || strncmp(machine + length, ", ", 2))
        return false;
    for (int s = 0; s < 2; s++)
        if (!strcmp(machine + length + 2, shares[s]))
            return state->nodes.node_size == 1 || s == (state->segment != NULL);
    return false;
}

/* The file's rules, for all communicators of the fabric. NULL when out of memory: a rank that used
 * the defaults alone would choose other algorithms than the others, and all would wait for ever. */
static struct summand__tuning *read_tuning(const struct summand__tuning_text *text)
{
    struct summand__tuning *tuning = calloc(1, sizeof *tuning);
    char fault[256] = "";
    if (!tuning)
        return NULL;
    if (*text->fault) {
        warn(text->path, text->fault, "; the defaults hold");
        return tuning;
    }
    if (!summand__tuning_parse(tuning, text->text, text->length, fault, sizeof fault)) {
        if (*fault) {
            warn(text->path, fault, "; the defaults hold");
            return tuning;
        }
        free(tuning);
        return NULL;
    }
    return tuning;
}

static const struct summand__tuning *rules_of(struct summand__fabric *fabric)
{
    pthread_mutex_lock(&lock);
    if (!fabric->tuned) {
        fabric->tuned = read_tuning(&fabric->tuning);
        fabric->drop_tuned = drop;
    }
    const struct summand__tuning *tuning = fabric->tuned;
    pthread_mutex_unlock(&lock);
    return tuning;
}

const struct summand__tuning *summand__tuned(const struct summand__state *state)
{
    struct summand__fabric *fabric = state->context.fabric;
    const char *path = fabric->tuning.path;
    if (!path)
        return &none;
    const struct summand__tuning *tuning = rules_of(fabric);
    if (!tuning)
        return NULL;
    if (*tuning->machine && !is_here(state, tuning->machine)) {
        warn(path, "from another machine, so the defaults hold: ", tuning->machine);
        return &none;
    }
    if (tuning->left_out)
        warn(path, "lines left out: ", tuning->left_out_why);
    return tuning;
}

struct summand__query summand__query_on(const struct summand__state *state,
                                        const struct summand__grouping *grouping)
{
    const struct summand__fabric *fabric = state->context.fabric;
    const struct summand__nodes *nodes = &state->nodes;
    const bool spans = nodes->node_size < state->ranks && nodes->most < state->ranks;
    return (struct summand__query){
        .ranks = state->ranks,
        .node_size = grouping ? (size_t)grouping->most : (size_t)nodes->node_size,
        .grouping = grouping,
        .processors = state->segment ? nodes->processors : 0,
        .model = fabric->network.known && spans ? &fabric->network.model : NULL,
        .calibration = &fabric->calibration};
}

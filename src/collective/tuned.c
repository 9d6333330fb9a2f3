#include "collective/tuned.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/warning.h"
#include "comm/speaker.h"

struct cache {
    struct summand__cache head;
    struct summand__tuning tuning;
    bool read; /* else there was no memory for it, and the next call tries again */
};

static const char owner;

static void drop(struct summand__cache *head)
{
    struct cache *cache = (struct cache *)head;
    summand__tuning_free(&cache->tuning);
    free(cache);
}

/* Once per process: a program with many communicators meets the same file again and again. */
static void warn(const char *path, const char *what, const char *which)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (summand__is_speaker() && !atomic_flag_test_and_set(&warned))
        summand__warn("SUMMAND_TUNING: %s: %s%s", path, what, which);
}

static const char *const shares[] = {"no memory shared", "memory shared"};

void summand__tuned_machine(const struct summand__state *state, const char *machine, char *text,
                            size_t room)
{
    snprintf(text, room, "%s, %s", machine, shares[state->segment != NULL]);
}

/* Where no two ranks are on one node, it does not matter whether memory could be shared. */
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

/* False when out of memory: a rank that took the defaults alone would choose other algorithms than
 * the others, and all would wait for ever. */
static bool read_tuning(const struct summand__state *state, struct summand__tuning *tuning)
{
    const struct summand__tuning_text *text = &state->context.fabric->tuning;
    char fault[256] = "";
    if (*text->fault) {
        warn(text->path, text->fault, "; the defaults hold");
        return true;
    }
    if (!summand__tuning_parse(tuning, text->text, text->length, fault, sizeof fault)) {
        if (*fault)
            warn(text->path, fault, "; the defaults hold");
        return *fault;
    }
    if (*tuning->machine && !is_here(state, tuning->machine)) {
        warn(text->path, "from another machine, so the defaults hold: ", tuning->machine);
        summand__tuning_free(tuning);
        return true;
    }
    if (tuning->left_out)
        warn(text->path, "lines left out: ", tuning->left_out_why);
    summand__tuning_keep(tuning, state->ranks, (size_t)state->nodes.node_size);
    return true;
}

const struct summand__tuning *summand__tuned(struct summand__state *state)
{
    static const struct summand__tuning none;
    if (!state->context.fabric->tuning.path)
        return &none;
    struct cache *cache = summand__state_cache(state, &owner, sizeof *cache, drop);
    if (cache && !cache->read)
        cache->read = read_tuning(state, &cache->tuning);
    return cache && cache->read ? &cache->tuning : NULL;
}

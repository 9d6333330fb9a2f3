/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings that must be equal on all ranks: with other ones, ranks would wait for each other for
 * ever, or lose the promise of the mode. All ranks compare theirs in MPI_Init, by small messages up
 * and down a binomial tree; only a difference costs more.
 *
 * No collective does it: the first one of a program without the shim, or its MPI_Comm_dup, which is
 * an all-reduce in Open MPI 4, would be taken for that of the ranks with it. Of such a program's
 * own messages only a receive with MPI_ANY_TAG can get one of these, and the rank that sent it ends
 * the program then. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_rank.h"
#include "base/environment.h"
#include "base/hash.h"
#include "core/shim.h"
#include "process/error.h"
#include "wait/ballot.h"

/* `is_set`: only whether it is set counts; folders of hosts may have other names. */
static const struct setting {
    const char *name, *unset;
    bool is_set;
} settings[] = {{"SUMMAND_MODE", "fast", false},          {"SUMMAND_STRICT", "off", false},
                {"SUMMAND_REQUESTS", "268435456", false}, {"SUMMAND_REPORT", "not set", true},
                {"SUMMAND_REPORT_SAMPLE", "64", false},   {"SUMMAND_RECORD", "not set", true}};
enum { SETTINGS = sizeof settings / sizeof *settings, TEXT = 120 };

/* A rank's settings; texts of rules that are longer lose their end. */
struct told {
    char text[SETTINGS][TEXT];
};

static const char *value_of(const struct setting *setting)
{
    const char *value = summand__environment_value(setting->name, NULL);
    return !value ? setting->unset : setting->is_set ? "set" : value;
}

static uint64_t hash_all(void)
{
    uint64_t hash = SUMMAND__HASH_BEGIN;
    for (int i = 0; i < SETTINGS; i++)
        hash = summand__hash(hash, value_of(&settings[i]), strlen(value_of(&settings[i])) + 1);
    return hash;
}

static bool alike(const void *a, const void *b)
{
    return !strcmp(a, b);
}

static const char *itself(const void *text)
{
    return text;
}

/* Rank 0 names the settings that differ, with their ranks. */
static void name_all(const struct told *told, int ranks, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, "all ranks need the same settings; ");
    for (int i = 0; i < SETTINGS && used < room - 1; i++) {
        bool differs = false;
        for (int r = 1; r < ranks; r++)
            differs = differs || strcmp(told[r].text[i], told[0].text[i]) != 0;
        const struct summand__by_rank table = {told->text[i], sizeof *told, ranks, alike, itself};
        if (differs)
            summand__by_rank_say(&table, settings[i].name, text + used, room - used);
        used += strlen(text + used);
    }
}

static void explain(int rank, int ranks, char *text, size_t room)
{
    struct told own, *all = rank ? NULL : malloc((size_t)ranks * sizeof *all);
    int good = rank || all;
    for (int i = 0; i < SETTINGS; i++)
        snprintf(own.text[i], TEXT, "%s", value_of(&settings[i]));
    snprintf(text, room, "ranks have different settings SUMMAND_*, and no memory to name them");
    PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (good)
        PMPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (all)
        name_all(all, ranks, text, room);
    free(all);
}

/* All ranks leave the MPI's own MPI_Init at about the same time, so a rank that is not here so many
 * seconds after a report of it, or without reports, is without the shim. */
static double patience(void)
{
    enum { STALLS = 5, LEAST = 10, UNREPORTED = 300 };
    double timeout, stall;
    summand__wait_limits(&timeout, &stall);
    if (timeout > 0)
        return timeout;
    return stall > 0 ? fmax(STALLS * stall, LEAST) : UNREPORTED;
}

/* The greatest tag: no program that counts its tags comes near. */
static int tag_of_agreement(void)
{
    enum { ALWAYS_THERE = 32767 };
    int *most = NULL, found = 0;
    const int code = PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    return code == MPI_SUCCESS && found ? *most : ALWAYS_THERE;
}

/* What a rank says of itself and of those above it in the tree: that all have this hash. */
struct said {
    uint64_t hash, alike;
};

/* Ends the program if the other rank does not come. */
static void exchange(const struct summand__watch *wait, struct said *said, int peer, bool sends)
{
    struct summand__watch watch = *wait;
    MPI_Request request;
    const int tag = tag_of_agreement(), bytes = sizeof *said;
    int code = sends ? PMPI_Isend(said, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request)
                     : PMPI_Irecv(said, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
    if (code == MPI_SUCCESS)
        code = summand__ballot_request(&watch, &request, true);
    if (code != MPI_SUCCESS)
        shim_end_program("rank %d: %s", watch.rank, summand_error_text(code));
}

/* True on all ranks if all have this hash. */
static bool is_alike(const struct summand__watch *watch, uint64_t hash)
{
    struct said own = {hash, true};
    int step = 1;
    for (; step < watch->ranks && !(watch->rank & step); step *= 2)
        if (watch->rank + step < watch->ranks) {
            struct said other;
            exchange(watch, &other, watch->rank + step, false);
            own.alike &= other.alike && other.hash == hash;
        }
    if (watch->rank) {
        exchange(watch, &own, watch->rank - step, true);
        exchange(watch, &own, watch->rank - step, false);
    }
    while (step /= 2)
        if (watch->rank + step < watch->ranks)
            exchange(watch, &own, watch->rank + step, true);
    return own.alike;
}

bool shim_agree(char *complaint, size_t room)
{
    struct summand__watch watch = {
        .where = "MPI_Init, where all ranks compare SUMMAND_MODE, for ranks without the preloaded "
                 "library: of a static program, or on a host that LD_PRELOAD has not reached",
        .timeout = patience()};
    PMPI_Comm_rank(MPI_COMM_WORLD, &watch.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &watch.ranks);
    if (is_alike(&watch, hash_all()))
        return true;
    explain(watch.rank, watch.ranks, complaint, room);
    return false;
}

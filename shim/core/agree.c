/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings that must be equal on all ranks: with other ones, ranks would wait for each other for
 * ever, or lose the promise of the mode. All ranks compare theirs in MPI_Init, by a small
 * all-reduce; only a difference costs more. */
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

bool shim_agree(char *complaint, size_t room)
{
    struct summand__watch watch = {
        .where = "MPI_Init, where all ranks compare SUMMAND_MODE, for ranks without the preloaded "
                 "library: of a static program, or on a host that LD_PRELOAD has not reached",
        .timeout = patience()};
    uint64_t own = hash_all(), least[2] = {own, ~own};
    MPI_Request request;
    PMPI_Comm_rank(MPI_COMM_WORLD, &watch.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &watch.ranks);
    if (watch.ranks == 1)
        return true;
    int code =
        PMPI_Iallreduce(MPI_IN_PLACE, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD, &request);
    if (code == MPI_SUCCESS)
        code = summand__ballot_request(&watch, &request, true);
    if (code != MPI_SUCCESS) /* the others are not here */
        shim_end_program("rank %d: %s", watch.rank, summand_error_text(code));
    if (least[0] == ~least[1])
        return true;
    explain(watch.rank, watch.ranks, complaint, room);
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rank's work in a pipeline at the begin of the last epoch: filling, bubbles, draining. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cli/algorithms/record.h"
#include "cli/output/output.h"
#include "cli/output/text.h"
#include "cli/train/train.h"
#include "train/mpi/modes.h"

enum { PIECES = 4 }; /* parts drawn for each stage */

/* Gathers the records of all ranks on rank 0; false, on all, without memory. Collective. */
static bool gather(const struct train_run *run, MPI_Comm comm, struct summand__timeline *timeline)
{
    size_t count = run->mode->recorded(run, 0, 0, NULL);
    struct summand__recorded *own = malloc((count + 1) * sizeof *own);
    unsigned long long mine = own ? count : 0, *all = NULL;
    bool good = own && count;
    *timeline = (struct summand__timeline){.ranks = run->ranks, .immediate = true};
    if (!run->rank) {
        all = calloc((size_t)run->ranks, sizeof *all);
        timeline->of = calloc((size_t)run->ranks, sizeof *timeline->of);
        timeline->count = calloc((size_t)run->ranks, sizeof *timeline->count);
        good = good && all && timeline->of && timeline->count;
    }
    good = agree_fine(good);
    if (good) {
        run->mode->recorded(run, 0, count, own);
        MPI_Gather(&mine, 1, MPI_UNSIGNED_LONG_LONG, all, 1, MPI_UNSIGNED_LONG_LONG, 0, comm);
    }
    for (int r = 0; r < run->ranks && good && !run->rank; r++) {
        timeline->count[r] = (size_t)all[r];
        timeline->of[r] = malloc((timeline->count[r] + 1) * sizeof *own);
        good = timeline->of[r] != NULL;
    }
    good = agree_fine(good);
    if (good && run->rank)
        MPI_Send(own, (int)(count * sizeof *own), MPI_BYTE, 0, 0, comm);
    for (int r = 0; r < run->ranks && good && !run->rank; r++) {
        if (r)
            MPI_Recv(timeline->of[r], (int)(timeline->count[r] * sizeof *own), MPI_BYTE, r, 0, comm,
                     MPI_STATUS_IGNORE);
        else
            memcpy(timeline->of[0], own, count * sizeof *own);
    }
    free(own);
    free(all);
    return good;
}

static void free_all(struct summand__timeline *timeline)
{
    summand__timeline_free(timeline);
    for (int r = 0; r < timeline->ranks && timeline->of; r++)
        free(timeline->of[r]);
    free(timeline->of);
    free(timeline->count);
}

/* Prints the share of computing time of each rank, from the last begin to the first end over the
 * ranks; the rest is waiting, and other processes' turns. */
static void tell(const struct summand__timeline *timeline, double begin, double end)
{
    for (int r = 0; r < timeline->ranks; r++) {
        double of[SUMMAND__TIMELINE_KINDS] = {0};
        for (size_t i = 0; i < timeline->count[r]; i++) {
            const struct summand__recorded *record = &timeline->of[r][i];
            double from = record->begin > begin ? record->begin : begin;
            double to = record->end < end ? record->end : end;
            if (to > from)
                of[summand__timeline_kind_of(record)] += to - from;
        }
        print_line("rank %d: computed %.1f %%, sent %.1f %%, idle %.1f %% of the steady state", r,
                   100 * of[SUMMAND__TIMELINE_COMPUTING] / (end - begin),
                   100 * of[SUMMAND__TIMELINE_SENDING] / (end - begin),
                   100 - 100 * (of[SUMMAND__TIMELINE_COMPUTING] + of[SUMMAND__TIMELINE_SENDING]) /
                             (end - begin));
    }
}

/* The end of a rank's computing for the first `shown` of the recorded batches: each batch has as
 * many computations. By time they differ: the first ones are slower. */
static double end_of_batches(const struct summand__recorded *of, size_t count, size_t shown,
                             size_t batches)
{
    size_t all = 0, seen = 0;
    for (size_t i = 0; i < count; i++)
        all += of[i].action == SUMMAND__COMPUTE;
    const size_t wanted = (all * shown + batches - 1) / batches;
    for (size_t i = 0; i < count; i++) {
        seen += of[i].action == SUMMAND__COMPUTE;
        if (seen == wanted)
            return of[i].end;
    }
    return of[count - 1].end;
}

/* Of the epoch's first stretch, finds the time in which all ranks have work, and draws its
 * begin. */
static int draw(const struct train_run *run, struct summand__timeline *timeline, const char *path,
                bool quiet)
{
    struct output output;
    char title[128], note[160];
    double first = 0, end = 0, until = 0;
    for (int r = 0; r < timeline->ranks; r++) {
        const struct summand__recorded *of = timeline->of[r];
        size_t i = 0, n = timeline->count[r];
        while (i + 1 < n && of[i].action != SUMMAND__COMPUTE)
            i++;
        first = !r || of[i].begin > first ? of[i].begin : first;
        for (i = n - 1; i && of[i].action != SUMMAND__COMPUTE;)
            i--;
        end = !r || of[i].end < end ? of[i].end : end;
    }
    if (!quiet && end > first)
        tell(timeline, first, end);
    else if (!quiet)
        print_remark("no time was recorded in which all ranks had work, so none is told");
    size_t batches = train_run_batches(run), shown = (size_t)(PIECES * timeline->ranks);
    const size_t recorded = batches < run->stretch ? batches : run->stretch;
    shown = shown < recorded ? shown : recorded;
    for (int r = 0; r < timeline->ranks; r++)
        until = fmax(until, end_of_batches(timeline->of[r], timeline->count[r], shown, recorded));
    for (int r = 0; r < timeline->ranks; r++)
        while (timeline->count[r] > 1 && timeline->of[r][timeline->count[r] - 1].begin > until)
            timeline->count[r]--;
    summand__timeline_make(timeline);
    if (timeline->failed)
        return complain(command_train.name, "out of memory");
    snprintf(title, sizeof title, "A pipeline on %d rank%s, mode %s", timeline->ranks,
             text_plural(timeline->ranks), run->mode->name);
    snprintf(note, sizeof note, "The first %zu of %zu batches of an epoch, recorded", shown,
             batches);
    if (!output_open(&output, command_train.name, path))
        return 1;
    record_draw(timeline, title, note, output.file);
    return !output_close(&output, true);
}

int train_write_timeline(const struct train_run *run, MPI_Comm comm, const char *path, bool quiet)
{
    struct summand__timeline timeline;
    int status = 0;
    if (!gather(run, comm, &timeline))
        status = run->rank ? 1 : complain(command_train.name, "no memory for the time line");
    else if (!run->rank)
        status = draw(run, &timeline, path, quiet);
    free_all(&timeline);
    return status;
}

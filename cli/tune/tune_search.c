/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/tune/tune_search.h"
#include "base/nearest.h"

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "algorithm/call.h"
#include "base/number.h"
#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/ranks/interrupt.h"
#include "lab/tuning/tuning.h"

enum { EXPONENTS = 48, STRIDE = 3, COLLECTIVES = 8 };
#define LEAST_RACE 0.02 /* seconds; shorter comparisons are meaningless */

/* One collective: the fastest at each power of two, for each promise. */
struct track {
    struct tune_call call;
    bool compared[EXPONENTS];
    int last; /* the compared size, as an exponent */
    struct tune_winner winner[PROMISES][EXPONENTS];
};

struct search {
    const struct tune_setup *setup;
    struct summand__tuning *tuning;
    int tracks, comparisons;
    struct track track[COLLECTIVES];
    double start;
    bool failed; /* on all ranks */
    struct trouble trouble;
};

/* True if a word is in "one,two,three"; NULL contains all. */
static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !strncmp(at, word, length))
            return true;
    return !list;
}

void tune_collectives_check(const char *list, struct trouble *trouble)
{
    static const char all[] = "reduce, allreduce, scan, exscan, reduce_scatter, bcast, allgather";
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        char word[40];
        bool known = false;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        for (const struct bench_collective *c = bench_collectives; c->size; c++)
            known = known || !strcmp(word, summand__collective_name(c->collective));
        if (!known)
            trouble_note(trouble, "--collectives: '%s' is none of %s%s", word, all,
                         summand__nearest_in(word, all).text);
    }
}

/* Rank 0's time, and its interruption flag. */
static double elapsed(const struct search *search)
{
    return interrupt_agreed_seconds(search->start);
}

static bool same_choice(const struct tune_winner *a, const struct tune_winner *b)
{
    return a->algorithm == b->algorithm && a->runs == b->runs &&
           !memcmp(a->parameter, b->parameter, sizeof a->parameter);
}

/* The next compared power of two above `e`, or EXPONENTS. */
static int next_raced(const struct track *track, int e)
{
    do
        e++;
    while (e < EXPONENTS && !track->compared[e]);
    return e;
}

/* The first size to compare: the coarse ones, then the middle between two sizes with different
 * winners. -1: none. */
static int wanted(const struct search *search, const struct track *track, int above)
{
    const struct tune_setup *setup = search->setup;
    for (int e = setup->least; e <= setup->most; e++)
        if (e > above && !track->compared[e] &&
            ((e - setup->least) % STRIDE == 0 || e == setup->most))
            return e;
    for (int e = setup->least; e < setup->most; e++) {
        int next = next_raced(track, e), middle = (e + next) / 2;
        bool changes = false;
        if (!track->compared[e] || next >= EXPONENTS || next == e + 1 || middle <= above)
            continue;
        for (int p = 0; p < PROMISES; p++)
            changes = changes || !same_choice(&track->winner[p][e], &track->winner[p][next]);
        if (changes)
            return middle;
    }
    return -1;
}

/* The approximate number of comparisons wanted so far; each may lead to another. */
static int count_wanted(const struct search *search)
{
    int count = 0;
    for (int t = 0; t < search->tracks; t++)
        for (int e = wanted(search, &search->track[t], -1); e >= 0;
             e = wanted(search, &search->track[t], e))
            count += summand__has_operator(search->track[t].call.collective->collective)
                         ? 2
                         : 1; /* promises */
    return count;
}

static bool keeps(const struct tune_winner *winner, enum summand__collective collective,
                  int promise)
{
    return winner->algorithm &&
           summand__promises_kept(winner->algorithm, collective, tune_promises(promise));
}

static void show_progress(const struct search *search, const char *what, double used, int likely)
{
    char text[160];
    double budget = search->setup->budget;
    snprintf(text, sizeof text, "tune: %s: tournament %d of about %d, %.0f s of %.0f s over", what,
             search->comparisons + 1, search->comparisons + likely, used, budget);
    progress_show(text, fmin(used, 0.999 * budget), budget);
}

/* A tournament for any order, and one for each stronger promise that its winner does not keep. */
static void tournament(struct search *search, struct track *track, int e)
{
    double used = elapsed(search), left = search->setup->budget - used;
    int open = count_wanted(search), likely = open + open / 2 + 1;
    double each = fmax(left / likely, LEAST_RACE);
    char label[64], size[32];
    summand__print_integer(1ll << e, size, sizeof size);
    snprintf(label, sizeof label, "%s %s",
             summand__collective_name(track->call.collective->collective), size);
    show_progress(search, label, used, likely);
    track->compared[e] = true;
    for (int p = 0; p < PROMISES && !search->failed; p++) {
        struct tune_winner *winner = &track->winner[p][e];
        *winner = p ? track->winner[p - 1][e] : (struct tune_winner){.algorithm = NULL};
        if (keeps(winner, track->call.collective->collective, p) ||
            (p && !summand__has_operator(track->call.collective->collective)))
            continue;
        *winner = tune_tournament(&track->call, (size_t)1 << e, p, label, p ? each / 2 : each,
                                  &search->trouble);
        search->comparisons++;
        search->failed = !winner->algorithm;
    }
}

/* Between two powers of two: the middle exponent, or the middle between the middle two. */
static size_t boundary(int a, int b)
{
    int sum = a + b;
    return sum % 2 ? (size_t)3 << ((sum - 1) / 2 - 1) : (size_t)1 << (sum / 2);
}

/* `served`: another line covers these calls, so this one is removed. */
static bool put_rule(struct summand__tuning *tuning, const struct track *track,
                     const struct tune_winner *winner, int promise, size_t least, size_t end,
                     bool served)
{
    bool (*act)(struct summand__tuning *, const struct summand__tuning_rule *) =
        served ? summand__tuning_drop : summand__tuning_put;
    enum summand__collective collective = track->call.collective->collective;
    struct summand__tuning_rule rule = {.collective = collective,
                                        .ranks = track->call.ranks,
                                        .node_size = track->call.groupings ? SUMMAND__UNEVEN
                                                                           : track->call.node_size,
                                        .least = least,
                                        .end = end,
                                        .promises = tune_promises(promise),
                                        .algorithm = winner->algorithm,
                                        .runs = winner->runs};
    memcpy(rule.parameter, winner->parameter, sizeof rule.parameter);
    bool good = act(tuning, &rule);
    for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++) /* the same with blocks of other sizes */
        if (c != (int)collective &&
            summand__collectives[c].even == summand__collectives[collective].even &&
            winner->algorithm->build[c]) {
            rule.collective = (enum summand__collective)c;
            good = act(tuning, &rule) && good;
        }
    return good;
}

/* Ranges for one promise, from 0 on, without an end if the largest size was compared. If the winner
 * for fewer promises keeps this one too, its line serves. */
static bool put_rules(struct summand__tuning *tuning, const struct track *track, int promise,
                      int most)
{
    size_t least = 0;
    bool good = true;
    for (int e = next_raced(track, -1); e < EXPONENTS;) {
        int next = next_raced(track, e);
        const struct tune_winner *winner = &track->winner[promise][e];
        size_t end = next < EXPONENTS ? boundary(e, next)
                     : e < most       ? boundary(e, e + 1)
                                      : SIZE_MAX;
        bool served = promise && same_choice(winner, &track->winner[promise - 1][e]);
        if (winner->algorithm)
            good = put_rule(tuning, track, winner, promise, least, end, served) && good;
        least = end;
        e = next;
    }
    return good;
}

static bool save(struct search *search, const struct track *track)
{
    bool good = true;
    interrupt_hold();
    for (int p = 0; p < PROMISES; p++)
        good = put_rules(search->tuning, track, p, search->setup->most) && good;
    summand__tuning_tidy(search->tuning);
    interrupt_release();
    if (!good)
        trouble_note(&search->trouble, "out of memory");
    return agree("tune", &search->trouble) &&
           search->setup->save(search->setup->context, search->comparisons, count_wanted(search));
}

/* Compares the next wanted size of one collective. Collectives take turns, so each gets a share
 * of the time; each gets at least a first size, unless oversubscription makes that take much
 * longer. */
static bool step(struct search *search, struct track *track)
{
    double used = elapsed(search), budget = search->setup->budget;
    bool crowded = search->setup->processors && search->setup->fullest > search->setup->processors;
    bool over = next_raced(track, -1) < EXPONENTS
                    ? used >= budget
                    : crowded && search->comparisons > 0 && used >= 3 * budget;
    if (interrupt_agreed())
        return false;
    int e = wanted(search, track, track->last);
    if (e < 0)
        e = wanted(search, track, -1);
    if (e < 0 || over)
        return false;
    tournament(search, track, e);
    track->last = e;
    return !search->failed;
}

bool tune_search(const struct tune_setup *setup, struct summand__tuning *tuning, int *comparisons,
                 int *open)
{
    struct search search = {.setup = setup, .tuning = tuning, .start = MPI_Wtime()};
    for (const struct bench_collective *c = bench_collectives; c->size; c++)
        if (is_listed(setup->collectives, summand__collective_name(c->collective)) &&
            search.tracks < COLLECTIVES)
            search.track[search.tracks++] =
                (struct track){.call = {c, setup->ranks, setup->node_size, setup->groupings,
                                        setup->processors, setup->model},
                               .last = -1};
    for (bool more = true, good = true; more && good;) {
        more = false;
        for (int t = 0; t < search.tracks && good; t++)
            if (!search.failed && step(&search, &search.track[t])) {
                more = true;
                good = save(&search, &search.track[t]);
            }
        if (!good)
            return false;
    }
    progress_show("tune", 1, 1);
    *comparisons = search.comparisons;
    *open = count_wanted(&search);
    return !search.failed;
}

#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "interrupt.h"
#include "need.h"
#include "progress.h"
#include "reduce/call.h"
#include "select/search.h"

/* Crossings are searched for up to here; above, a prediction takes too long to be repeated. */
enum { MOST_RANKS_SEARCHED = 4096 };

int contest_ranks(const struct contest_setup *setup, int point)
{
    return (int)setup->ranks.value[contest_by_ranks(setup) ? point : 0];
}

size_t contest_count(const struct contest_setup *setup, int point)
{
    return (size_t)setup->counts.value[contest_by_ranks(setup) ? 0 : point];
}

bool contest_by_ranks(const struct contest_setup *setup)
{
    return setup->ranks.count > 1;
}

static struct contest_entry *entry_at(struct contest *contest, int algorithm, int point)
{
    return &contest->entries[algorithm * NUMBERS_MOST + point];
}

const struct contest_entry *contest_at(const struct contest *contest, int algorithm, int point)
{
    return &contest->entries[algorithm * NUMBERS_MOST + point];
}

/* Blocks of equal size where a collective wants to know their positions. */
static size_t *make_offsets(const struct summand__call *call)
{
    size_t *offsets = need(malloc(((size_t)call->ranks + 1) * sizeof *offsets));
    for (size_t r = 0; r <= (size_t)call->ranks; r++)
        offsets[r] = r * call->count;
    return offsets;
}

/* Of this process, so that what is left out does not depend on who else is at work. */
static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double deadline;

static bool is_late(void)
{
    return interrupted() || (deadline > 0 && processor_seconds() > deadline);
}

bool contest_predict(const struct contest_setup *setup, const struct summand__algorithm *algorithm,
                     const size_t parameter[SUMMAND__PARAMETERS], int ranks, size_t count,
                     struct summand__predict *predict)
{
    struct summand__call call = {
        .collective = setup->collective, .ranks = ranks, .root = (int)setup->root, .count = count};
    memcpy(call.parameter, parameter, sizeof call.parameter);
    predict->fault[0] = 0;
    size_t *offsets = make_offsets(&call);
    call.offsets = offsets;
    predict->model = &setup->model;
    predict->element = setup->element;
    predict->most_bytes = setup->most_bytes;
    deadline = setup->patience > 0 ? processor_seconds() + setup->patience : 0;
    predict->stop = is_late;
    bool good =
        summand__algorithm_does(algorithm, &call) && summand__forecast(algorithm, &call, predict);
    free(offsets);
    if (!good && !strncmp(predict->fault, "out of memory", 13))
        need(NULL); /* what would be left out is no algorithm's fault */
    return good;
}

/* What a search for parameters asks the play for. */
struct asked {
    const struct contest_setup *setup;
    struct contest_entry *best;
    bool told; /* what is left out is told once of an algorithm at a point */
};

/* While crossings are searched, which asks for more of what has been asked for. */
static bool silent;

static double play(struct summand__search *search, const struct summand__call *call)
{
    struct asked *asked = search->context;
    struct contest_entry *best = asked->best;
    struct summand__predict predict = {0};
    if (interrupted())
        return INFINITY;
    if (!contest_predict(asked->setup, search->algorithm, call->parameter, call->ranks, call->count,
                         &predict)) {
        if (predict.fault[0] && !asked->told && !silent && !interrupted())
            complain(asked->setup->command, "left out %s at %d ranks, %zu elements: %s",
                     search->algorithm->name, call->ranks, call->count, predict.fault);
        asked->told = true;
        return INFINITY;
    }
    if (best->known && best->seconds <= predict.time)
        return predict.time;
    best->known = true;
    best->seconds = predict.time;
    memcpy(best->messages, predict.messages, sizeof best->messages);
    memcpy(best->bytes, predict.bytes, sizeof best->bytes);
    memcpy(best->parameter, call->parameter, sizeof best->parameter);
    return predict.time;
}

struct contest_entry contest_best(const struct contest_setup *setup,
                                  const struct summand__algorithm *algorithm, int ranks,
                                  size_t count)
{
    struct contest_entry best = {0};
    struct asked asked = {setup, &best, false};
    struct summand__search search = {
        .seconds = play,
        .context = &asked,
        .algorithm = algorithm,
        .call = {.collective = setup->collective, .ranks = ranks, .count = count},
        .element = setup->element};
    for (int which = 0; which < SUMMAND__PARAMETERS; which++) {
        search.call.parameter[which] = setup->fixed[which];
        search.given[which] = setup->fixed[which] || (which != SUMMAND__SEGMENT && !setup->tune);
    }
    if (!setup->fixed[SUMMAND__NODE_SIZE])
        search.call.parameter[SUMMAND__NODE_SIZE] = (size_t)setup->model.per_node;
    summand__search(&search);
    return best;
}

/* Halves [low, high] until `after` is known to win from `at` on; sizes by their ratio. */
static void search(const struct contest *contest, int point, struct contest_crossing *crossing)
{
    const struct contest_setup *setup = contest->setup;
    bool ranks = contest_by_ranks(setup);
    const struct numbers *axis = ranks ? &setup->ranks : &setup->counts;
    long long low = axis->value[point], high = axis->value[point + 1];
    while (high - low > 1 && high > low + low / 200) {
        long long middle = low + (high - low) / 2;
        if (!ranks && low && high / low >= 2)
            for (middle = low; middle < high / middle * low;)
                middle += 1 + middle / 16;
        if (middle <= low || middle >= high)
            middle = low + (high - low) / 2;
        int p = ranks ? (int)middle : contest_ranks(setup, point);
        size_t n = ranks ? contest_count(setup, point) : (size_t)middle;
        struct contest_entry a = contest_best(setup, contest->algorithm[crossing->before], p, n);
        struct contest_entry b = contest_best(setup, contest->algorithm[crossing->after], p, n);
        if (b.known && (!a.known || b.seconds < a.seconds))
            high = middle;
        else
            low = middle;
    }
    crossing->at = high;
    crossing->exact = true;
}

static void find_crossings(struct contest *contest)
{
    silent = true;
    const struct contest_setup *setup = contest->setup;
    const struct numbers *axis = contest_by_ranks(setup) ? &setup->ranks : &setup->counts;
    for (int i = 0; i + 1 < contest->points && !interrupted(); i++) {
        progress_show("predict: crossings", i, contest->points - 1);
        int before = contest->best[i], after = contest->best[i + 1];
        if (before == after || before < 0 || after < 0)
            continue;
        struct contest_crossing crossing = {axis->value[i + 1], false, before, after};
        if (contest_ranks(setup, i) <= MOST_RANKS_SEARCHED && axis->value[i] < axis->value[i + 1])
            search(contest, i, &crossing);
        if (!interrupted())
            contest->crossing[contest->crossings++] = crossing;
    }
    progress_show("predict: crossings", 1, 1);
    silent = false;
}

static bool wanted(const struct contest_setup *setup, const struct summand__algorithm *algorithm)
{
    return algorithm->build[setup->collective] &&
           (!setup->only || !strcmp(setup->only, algorithm->name)) &&
           !(setup->rank_order && summand__needs_commutative(algorithm));
}

bool contest_run(const struct contest_setup *setup, struct contest *contest)
{
    *contest = (struct contest){.setup = setup};
    contest->points = contest_by_ranks(setup) ? setup->ranks.count : setup->counts.count;
    for (int i = 0; summand__algorithms[i] && contest->algorithms < CONTEST_ALGORITHMS; i++)
        if (wanted(setup, summand__algorithms[i]))
            contest->algorithm[contest->algorithms++] = summand__algorithms[i];
    contest->entries =
        calloc((size_t)contest->algorithms * NUMBERS_MOST + 1, sizeof *contest->entries);
    if (!contest->entries)
        return !complain(setup->command, "out of memory");
    int all = contest->algorithms * contest->points;
    for (int p = 0; p < contest->points; p++) {
        contest->best[p] = -1;
        for (int a = 0; a < contest->algorithms; a++) {
            progress_show(setup->command, p * contest->algorithms + a, all);
            struct contest_entry *entry = entry_at(contest, a, p);
            *entry = contest_best(setup, contest->algorithm[a], contest_ranks(setup, p),
                                  contest_count(setup, p));
            int best = contest->best[p];
            if (entry->known &&
                (best < 0 || entry->seconds < contest_at(contest, best, p)->seconds))
                contest->best[p] = a;
        }
        if (interrupted())
            contest->points = p;
    }
    progress_show(setup->command, 1, 1);
    find_crossings(contest);
    return true;
}

void contest_free(struct contest *contest)
{
    free(contest->entries);
    contest->entries = NULL;
}

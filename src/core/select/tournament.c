/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice between nodes, where estimates are wrong most: the first ones by estimate are played.
 *
 * A play costs about 0.15 us a message, and ends once it takes longer than the best so far. The
 * plays of a round together have so many messages, and as many more as take 3 % of the call's time.
 * No clock is read, so ranks agree. Stronger promises have rounds before, by the same rules as if
 * they were asked for, on their grouping: so a weaker promise takes no longer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "play/simulate_call.h"
#include "select/choose.h"

enum { PLAYED = 5, ROUNDS = 3, PER_RANK = 64, MOST = 32768, SEARCHED = 1 << 18 };

/* In messages: what the schedules of a rank cost, each of their messages, and each of the blocks
 * that a rank moves. */
enum { RANK = 2 };
static const double built = 0.125, moved = 1.0 / 32;
static const double message_seconds = 1.5e-7, part_of_call = 0.03;

/* What is this much slower by its estimate than the best so far is not played, unless parts of
 * nodes share cards, which estimates divide evenly. */
static const double hopeless = 1.5;

struct tournament {
    const struct summand__query *query;
    struct summand__model model;
    int *node;                                   /* of each rank; NULL: by the model */
    double budget;                               /* messages */
    struct summand__choice had[ROUNDS * PLAYED]; /* choices that have had their turn */
    int turns;
    bool runs; /* this round is on runs of ranks, but the query is not */
    struct summand__choice best;
    bool poor;
};

/* The number of messages; INFINITY when out of memory. */
static double messages_of(struct tournament *tournament, const struct summand__algorithm *algorithm,
                          const struct summand__call *call)
{
    struct summand__cost cost = summand__volume_of(algorithm, call);
    tournament->poor = tournament->poor || cost.unknown;
    return cost.unknown ? INFINITY : (double)cost.messages;
}

static double blocks_of(const struct summand__call *call)
{
    const double ranks = call->ranks;
    return summand__has_blocks(call->collective) ? moved * ranks * ranks : 0;
}

/* Seconds; INFINITY if it takes longer than `enough`, or is too much to play. */
static double play(struct summand__search *search, const struct summand__call *call)
{
    struct tournament *tournament = search->context;
    double messages = messages_of(tournament, search->algorithm, call);
    if (messages + blocks_of(call) > tournament->budget)
        return INFINITY;
    struct summand__predict predict = {.element = search->element,
                                       .model = &tournament->model,
                                       .node = tournament->node,
                                       .enough = isfinite(search->enough) ? search->enough : 0};
    bool ends = summand__simulate_call(search->algorithm, call, &predict);
    tournament->poor = tournament->poor || (!ends && !predict.slow);
    tournament->budget -= RANK * (double)call->ranks + built * messages + blocks_of(call);
    for (int reach = 0; reach < SUMMAND__REACHES; reach++)
        tournament->budget -= (double)predict.messages[reach];
    if (!ends)
        return INFINITY;
    double seconds = summand__played_seconds(predict.time, search->algorithm, call, search->element,
                                             &tournament->model);
    tournament->poor = tournament->poor || isinf(seconds);
    return seconds;
}

/* The best so far. */
static void lead(struct tournament *tournament, const struct summand__choice *choice,
                 double seconds)
{
    tournament->best = *choice;
    tournament->best.seconds = seconds;
    tournament->best.runs = tournament->runs;
}

static bool has_had(const struct tournament *tournament, const struct summand__choice *choice)
{
    for (int i = 0; i < tournament->turns; i++)
        if (tournament->had[i].algorithm == choice->algorithm &&
            tournament->had[i].runs == tournament->runs &&
            !memcmp(tournament->had[i].parameter, choice->parameter, sizeof choice->parameter))
            return true;
    return false;
}

/* The choice's turn, if it has not had it. Without a `rival` its estimate counts if it is too much
 * to play. */
static void take_turn(struct tournament *tournament, struct summand__search *search,
                      const struct summand__choice *choice, bool rival)
{
    struct summand__call call = search->call;
    const struct summand__choice *best = &tournament->best;
    if (has_had(tournament, choice))
        return;
    tournament->had[tournament->turns] = *choice;
    tournament->had[tournament->turns++].runs = tournament->runs;
    memcpy(call.parameter, choice->parameter, sizeof call.parameter);
    search->algorithm = choice->algorithm;
    search->enough = best->algorithm ? best->seconds : INFINITY;
    double messages = rival ? 0 : messages_of(tournament, choice->algorithm, &call);
    bool counts = !rival && messages + blocks_of(&call) > tournament->budget;
    double seconds = counts ? choice->seconds : play(search, &call);
    if (seconds < search->enough)
        lead(tournament, choice, seconds);
}

/* Algorithms without an estimate: plays search their parameters, each in so many messages. */
static void play_unestimated(struct tournament *tournament, struct summand__search *search,
                             const struct summand__query *query)
{
    const struct summand__choice *best = &tournament->best;
    for (int i = 0; summand__algorithms[i] && !tournament->poor; i++) {
        search->algorithm = summand__algorithms[i];
        if (search->algorithm->estimate ||
            !summand__may_be_chosen(query, search->algorithm, &search->call))
            continue;
        search->rival = best->algorithm ? best->seconds : 0;
        tournament->budget = SEARCHED;
        summand__search(search);
        if (search->best.algorithm && (!best->algorithm || search->best.seconds < best->seconds))
            lead(tournament, &search->best, search->best.seconds);
    }
}

/* Choices with these promises against the best with stronger ones, and then those whose parameters
 * are near the best one's. */
static void play_round(struct tournament *tournament, unsigned promises)
{
    const struct summand__query query = summand__query_promising(tournament->query, promises);
    struct summand__choice choices[SUMMAND__MOST_ALGORITHMS];
    const struct summand__choice before = tournament->best, *best = &tournament->best;
    tournament->runs = tournament->query->groupings &&
                       summand__keeps_order(query.collective, promises) &&
                       !summand__keeps_order(query.collective, tournament->query->promises);
    int count = summand__choices(&query, choices, SUMMAND__MOST_ALGORITHMS);
    tournament->poor = tournament->poor || count < 0;
    struct summand__search search = {.seconds = play,
                                     .context = tournament,
                                     .call = summand__query_call(&query),
                                     .element = query.element};
    search.call.parameter[SUMMAND__NODE_SIZE] = query.node_size;
    search.call.collective = summand__collectives[query.collective].even; /* taken as equal */
    bool shared = query.grouping && query.grouping->sharing > 1; /* estimates divide cards evenly */
    if (count > 0)
        tournament->budget = (shared ? MOST : fmin(PER_RANK * (double)query.ranks, MOST)) +
                             part_of_call * choices[0].seconds / message_seconds;
    for (int i = 0, turns = 0; i < count && turns < PLAYED && !tournament->poor; i++) {
        if (!shared && best->algorithm && choices[i].seconds > hopeless * best->seconds)
            break;
        if (!i || choices[i].seconds > choices[i - 1].seconds * (1 + 1e-9)) {
            take_turn(tournament, &search, &choices[i], i > 0);
            turns++;
        }
    }
    play_unestimated(tournament, &search, &query);
    if (tournament->poor || !best->algorithm || best->seconds == before.seconds)
        return;
    search.algorithm = best->algorithm;
    search.best = *best;
    summand__search_near(&search);
    lead(tournament, &search.best, search.best.seconds);
}

/* The node of each rank, as far as the query knows it. */
static bool place(struct tournament *tournament)
{
    const struct summand__grouping *grouping = summand__query_whole(tournament->query);
    if (!grouping)
        return true;
    tournament->node = malloc((size_t)grouping->ranks * sizeof *tournament->node);
    for (int at = 0; tournament->node && at < grouping->ranks; at++)
        tournament->node[grouping->member ? grouping->member[at] : at] =
            summand__group_at(grouping, at);
    return tournament->node;
}

/* The machine of whole nodes, as far as the query knows them. */
static struct summand__model model_of(const struct summand__query *query)
{
    struct summand__query whole = *query;
    whole.grouping = summand__query_whole(query);
    if (whole.grouping)
        whole.node_size = (size_t)whole.grouping->most;
    return summand__query_model(&whole);
}

static bool hold(const struct summand__query *query, struct summand__choice *choice)
{
    static const unsigned stronger[] = {SUMMAND__RANK_ORDER | SUMMAND__CANONICAL,
                                        SUMMAND__RANK_ORDER};
    struct tournament tournament = {.query = query, .model = model_of(query)};
    bool good = place(&tournament);
    for (int i = 0; i < ROUNDS - 1 && good && summand__has_operator(query->collective); i++)
        if (query->promises != stronger[i] && !(query->promises & ~stronger[i]))
            play_round(&tournament, stronger[i]);
    if (good && !tournament.poor)
        play_round(&tournament, query->promises);
    free(tournament.node);
    *choice = tournament.best;
    return good && !tournament.poor && choice->algorithm;
}

bool summand__choose(const struct summand__query *query, struct summand__choice *choice)
{
    struct summand__query bucket = summand__query_bucket(query);
    bool good = summand__query_plays(query) ? hold(&bucket, choice)
                                            : summand__choices(query, choice, 1) == 1;
    if (good)
        summand__choice_fit(choice, query);
    return good;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The first of the ranks' differences. On one communicator the number of the call tells. Otherwise
 * run A is played: a call takes place when all its ranks have come to it, and has the time of the
 * last one plus 1 (Lamport 1978). A rank stops at its first difference, so the earliest stop
 * precedes, or is independent of, all others. */
#include "cli/diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "bench/need.h"

struct player {
    struct call_name *call; /* up to the first difference */
    long long calls, at, time;
    bool waits; /* has come to the call `at` */
};

/* Moves a player on as far as it can go now; true if it moved. */
static bool advance(struct named_calls *play, struct player *player)
{
    bool moved = false;
    while (player->at < player->calls) {
        struct named_call *meeting = named_call(play, &player->call[player->at]);
        if (!player->waits) {
            meeting->here++;
            meeting->time = player->time > meeting->time ? player->time : meeting->time;
            meeting->over = meeting->here == meeting->name.communicator.size;
            player->waits = moved = true;
        }
        if (!meeting->over)
            break;
        player->time = meeting->time + 1;
        player->waits = false;
        player->at++;
        moved = true;
    }
    return moved;
}

static bool load_player(const struct run *run, int rank, long long calls, struct player *player)
{
    struct rank_record record;
    if (!run_load(run, rank, &record))
        return false;
    calls = calls < record.count ? calls : record.count;
    *player = (struct player){.calls = calls};
    player->call = need(malloc((size_t)(calls + 1) * sizeof *player->call));
    for (long long i = 0; i < calls; i++)
        player->call[i] = (struct call_name){record.communicator[record.call[i].communicator],
                                             record.call[i].call.number};
    rank_record_free(&record);
    return true;
}

static int play_all(struct player *players, const struct rank_difference *differences, int ranks)
{
    struct named_calls play = {0};
    int best = -1;
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < ranks; i++)
            moved |= advance(&play, &players[i]);
    }
    for (int i = 0; i < ranks; i++) {
        bool stopped = differences[i].kind != SAME && players[i].at == players[i].calls;
        if (stopped && (best < 0 || players[i].time < players[best].time))
            best = i;
    }
    named_calls_free(&play);
    return best;
}

/* The rank whose difference comes first by number, if all are on one communicator; -1: none; -2:
 * they are on several. */
static int first_by_number(const struct rank_difference *differences, int ranks)
{
    int best = -1;
    for (int i = 0; i < ranks; i++) {
        const struct rank_difference *d = &differences[i];
        if (d->kind == SAME)
            continue;
        if (best < 0) {
            best = i;
            continue;
        }
        struct call_name name = d->first;
        name.number = differences[best].first.number;
        if (!call_name_equal(&name, &differences[best].first))
            return -2;
        if (d->first.number < differences[best].first.number)
            best = i;
    }
    return best;
}

int first_of_all(const struct run *a, const struct rank_difference *differences)
{
    int first = first_by_number(differences, a->ranks);
    if (first != -2)
        return first;
    struct player *players = need(calloc((size_t)a->ranks, sizeof *players));
    bool good = true;
    for (int i = 0; i < a->ranks && good; i++)
        good = load_player(a, i, differences[i].position, &players[i]);
    first = good ? play_all(players, differences, a->ranks) : -2;
    /* Records of ranks that cannot have met: the shortest way to a difference is as good. */
    for (int i = 0; i < a->ranks && first == -1; i++)
        if (differences[i].kind != SAME &&
            (first < 0 || differences[i].position < differences[first].position))
            first = i;
    for (int i = 0; i < a->ranks; i++)
        free(players[i].call);
    free(players);
    return first;
}

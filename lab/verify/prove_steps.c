/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/prove_steps.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lab/verify/clocks.h"
#include "lab/verify/meaning.h"
#include "lab/verify/play.h"

static bool fault(struct summand__steps_proof *proof, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(proof->fault, sizeof proof->fault, format, list);
    va_end(list);
    return false;
}

/* Numbers elements of input places consecutively, after those of sendbuf and recvbuf. These two
 * share numbers, because a reduction combines elements of one number. */
static uint32_t first_input(const struct summand__schedule *schedule, uint32_t place)
{
    size_t first = (size_t)1 << 24;
    for (unsigned p = SUMMAND__PLACES; p < place; p++)
        first += schedule->info[p - SUMMAND__PLACES].count;
    return place < SUMMAND__PLACES ? 0 : (uint32_t)first;
}

static struct summand__cell input_cell(const struct summand__expressions *pool,
                                       const struct summand__schedule *schedule, int rank,
                                       uint32_t place, size_t i)
{
    return (struct summand__cell){summand__contribution(pool, rank),
                                  first_input(schedule, place) + (uint32_t)i};
}

uint32_t summand__input_operand(struct summand__expressions *pool,
                                const struct summand__schedule *schedule, int rank, uint32_t place,
                                size_t i)
{
    return summand__operand_expression(pool, input_cell(pool, schedule, rank, place, i));
}

/* Numbers after those of inputs. */
static struct summand__cell alike_cell(const struct summand__expressions *pool, uint32_t place,
                                       size_t i)
{
    return (struct summand__cell){summand__contribution(pool, 0),
                                  ((uint32_t)1 << 30) + (place << 20) % (1u << 30) + (uint32_t)i};
}

uint32_t summand__alike_operand(struct summand__expressions *pool, uint32_t place, size_t i)
{
    return summand__operand_expression(pool, alike_cell(pool, place, i));
}

static enum summand__place_kind kind_of(const struct summand__schedule *schedule, uint32_t place)
{
    static const enum summand__place_kind kinds[SUMMAND__PLACES] = {SUMMAND__INPUT, SUMMAND__RESULT,
                                                                    SUMMAND__TEMPORARY};
    return place < SUMMAND__PLACES
               ? kinds[place]
               : (enum summand__place_kind)schedule->info[place - SUMMAND__PLACES].kind;
}

static bool holds_input(enum summand__place_kind kind)
{
    return kind == SUMMAND__INPUT || kind == SUMMAND__UPDATED;
}

static bool is_result(enum summand__place_kind kind)
{
    return kind == SUMMAND__RESULT || kind == SUMMAND__UPDATED;
}

/* The places of the schedule: memory has no others. */
static unsigned places_of(const struct summand__steps_proof *proof, int rank)
{
    return SUMMAND__PLACES + proof->schedules[rank].places;
}

static size_t count_of(const struct summand__steps_proof *proof, int rank, uint32_t place)
{
    const struct summand__schedule *schedule = &proof->schedules[rank];
    return place == SUMMAND__SENDBUF   ? proof->sendbuf
           : place == SUMMAND__RECVBUF ? proof->recvbuf
           : place == SUMMAND__SCRATCH ? schedule->scratch
                                       : schedule->info[place - SUMMAND__PLACES].count;
}

/* The place of which a place is a view, or NULL. */
static const struct summand__place_info *view_of(const struct summand__steps_proof *proof, int rank,
                                                 uint32_t place)
{
    const struct summand__schedule *schedule = &proof->schedules[rank];
    if (place < SUMMAND__PLACES)
        return NULL;
    const struct summand__place_info *info = &schedule->info[place - SUMMAND__PLACES];
    return info->kind == SUMMAND__VIEW ? info : NULL;
}

/* At the begin of a start, inputs hold their operands; all other cells are undefined. */
static void fill(const struct summand__steps_proof *proof, struct summand__play *play)
{
    for (int r = 0; r < proof->ranks; r++)
        for (uint32_t place = 0; place < play->memories[r].places; place++) {
            struct summand__room *room = &play->memories[r].place[place];
            if (view_of(proof, r, place))
                continue;
            bool input = holds_input(kind_of(&proof->schedules[r], place));
            for (size_t i = 0; i < room->count; i++)
                room->cells[i] = input && room->writable && proof->alike
                                     ? alike_cell(play->pool, place, i)
                                 : input ? input_cell(play->pool, &proof->schedules[r], r, place, i)
                                         : (struct summand__cell){0};
        }
}

/* Gives views the cells of their places; a view of a place that is not shared stays empty. */
static void show_views(const struct summand__steps_proof *proof, struct summand__memory *memories)
{
    for (int r = 0; r < proof->ranks; r++)
        for (uint32_t place = SUMMAND__PLACES; place < memories[r].places; place++) {
            const struct summand__place_info *view = view_of(proof, r, place);
            bool other = view && view->peer >= 0 && view->peer < proof->ranks && view->peer != r;
            const struct summand__schedule *there = &proof->schedules[other ? view->peer : r];
            if (!other || view->of < SUMMAND__PLACES || view->of >= SUMMAND__PLACES + there->places)
                continue;
            const struct summand__place_info *shown = &there->info[view->of - SUMMAND__PLACES];
            if (!shown->shared || shown->kind == SUMMAND__VIEW || shown->kind == SUMMAND__WINDOW ||
                shown->unit != view->unit || shown->count != view->count)
                continue;
            memories[r].place[place] = memories[view->peer].place[view->of];
            memories[r].place[place].writable = shown->kind != SUMMAND__INPUT;
        }
}

static struct summand__memory *make_memories(const struct summand__steps_proof *proof)
{
    size_t total = 0, places = 0, ranks = proof->ranks > 0 ? (size_t)proof->ranks : 1;
    for (int r = 0; r < proof->ranks; r++) {
        for (uint32_t place = 0; place < places_of(proof, r); place++)
            total += view_of(proof, r, place) ? 0 : count_of(proof, r, place);
        places += places_of(proof, r);
    }
    struct summand__memory *memories =
        calloc(1, ranks * sizeof *memories + (places + 1) * sizeof(struct summand__room));
    struct summand__cell *cells = calloc(total + 1, sizeof *cells);
    if (!memories || !cells) {
        free(memories);
        free(cells);
        return NULL;
    }
    struct summand__room *rooms = (struct summand__room *)(memories + ranks);
    for (int r = 0; r < proof->ranks; r++) {
        memories[r] = (struct summand__memory){places_of(proof, r), rooms};
        for (uint32_t place = 0; place < memories[r].places; place++) {
            size_t count = view_of(proof, r, place) ? 0 : count_of(proof, r, place);
            bool writable = count && kind_of(&proof->schedules[r], place) != SUMMAND__INPUT;
            *rooms++ = (struct summand__room){cells, count, writable};
            cells += count;
        }
    }
    show_views(proof, memories);
    return memories;
}

static void free_memories(struct summand__memory *memories)
{
    if (memories)
        free(memories[0].place[0].cells);
    free(memories);
}

static bool check_rank(struct summand__steps_proof *proof, struct summand__play *play, int rank)
{
    const struct summand__memory *memory = &play->memories[rank];
    for (uint32_t place = 0; place < memory->places; place++) {
        size_t count = memory->place[place].count;
        bool result = count && is_result(kind_of(&proof->schedules[rank], place));
        for (size_t i = 0; result && i < count; i++) {
            uint32_t wanted = proof->expected(proof->context, play->pool, rank, place, i);
            struct summand__cell cell = memory->place[place].cells[i];
            bool meant = wanted == SUMMAND__UNTOUCHED
                             ? cell.expression == SUMMAND__UNDEFINED
                             : summand__operand_expression(play->pool, cell) == wanted;
            if (wanted && !meant &&
                !(proof->meant && proof->meant(proof->context, play->pool, rank, place, i, cell)))
                return fault(proof,
                             "start %u, rank %d: element %zu of place %u is not what it is to be",
                             proof->starts, rank, i, place);
        }
    }
    return true;
}

/* Between starts the caller may touch the shared places. */
static bool check_views(struct summand__steps_proof *proof, const struct summand__clocks *clocks)
{
    int viewer, owner = summand__clocks_viewed(clocks, &viewer);
    return owner < 0 ||
           fault(proof,
                 "start %u: rank %d ends and does not know that rank %d has done with its places",
                 proof->starts, owner, viewer);
}

/* If the starts touch different elements, this proof says nothing of further starts. */
static bool check_alike(struct summand__steps_proof *proof, const struct summand__clocks *clocks)
{
    int owner;
    unsigned place;
    size_t element = summand__clocks_differ(clocks, &owner, &place);
    return element == SIZE_MAX ||
           fault(proof,
                 "start %u touches element %zu of rank %d's place %u otherwise than the start "
                 "before, so nothing is proved of further ones",
                 proof->starts, element, owner, place);
}

static bool play_start(struct summand__steps_proof *proof, struct summand__play *play, bool *recurs)
{
    fill(proof, play);
    if (!summand__play(play))
        return fault(proof, "%s", play->fault);
    for (int r = 0; proof->expected && r < proof->ranks; r++)
        if (!check_rank(proof, play, r))
            return false;
    if (!check_views(proof, play->clocks) || !check_alike(proof, play->clocks))
        return false;
    proof->starts++;
    return summand__clocks_turn(play->clocks, recurs) || fault(proof, "out of memory");
}

bool summand__prove_steps(struct summand__steps_proof *proof)
{
    struct summand__expressions pool = {0};
    struct summand__clocks clocks = {0};
    struct summand__play play = {.ranks = proof->ranks,
                                 .schedules = proof->schedules,
                                 .node = proof->node,
                                 .pool = &pool,
                                 .clocks = &clocks,
                                 .memories = make_memories(proof)};
    bool recurs = false, good = play.memories && summand__expressions_init(&pool, proof->ranks) &&
                                summand__clocks_init(&clocks, proof->schedules, proof->ranks);
    proof->fault[0] = 0;
    proof->starts = 0;
    if (!good)
        fault(proof, "out of memory");
    do {
        good = good && play_start(proof, &play, &recurs);
    } while (good && !recurs && proof->starts < proof->most_starts);
    if (good && proof->most_starts && !recurs)
        good = fault(proof, "%u starts are not enough to prove more", proof->starts);
    proof->messages = play.messages;
    proof->elements = play.elements;
    proof->repeats = play.repeats;
    proof->repeated = play.repeated;
    proof->depth = play.depth;
    proof->puts = play.puts;
    proof->waits = play.waits;
    free_memories(play.memories);
    summand__clocks_free(&clocks);
    summand__expressions_free(&pool);
    return good;
}

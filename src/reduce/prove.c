#include "reduce/prove.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "shape/halving.h"

static bool fault(struct summand__proof *proof, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(proof->fault, sizeof proof->fault, format, list);
    va_end(list);
    return false;
}

static bool is_root(const struct summand__call *call, int rank)
{
    return rank == call->root;
}

static bool has_result(const struct summand__call *call, int rank)
{
    return call->collective != SUMMAND__COLL_REDUCE || is_root(call, rank);
}

/* Which place holds the rank's input, if any. */
static enum summand__place input_place(const struct summand__call *call, int rank)
{
    if (call->collective == SUMMAND__COLL_BCAST)
        return is_root(call, rank) ? SUMMAND__RECVBUF : SUMMAND__PLACES;
    return call->in_place && has_result(call, rank) ? SUMMAND__RECVBUF : SUMMAND__SENDBUF;
}

static bool make_place(struct summand__memory *memory, enum summand__place place, size_t count,
                       bool writable)
{
    memory->place[place] = calloc(count + 1, sizeof(struct summand__cell));
    memory->count[place] = count;
    memory->writable[place] = writable;
    return memory->place[place] != NULL;
}

static bool make_memory(const struct summand__call *call, int rank, size_t scratch,
                        struct summand__memory *memory)
{
    enum summand__place input = input_place(call, rank);
    bool good = make_place(memory, SUMMAND__SENDBUF, input == SUMMAND__SENDBUF ? call->count : 0,
                           false) &&
                make_place(memory, SUMMAND__RECVBUF, has_result(call, rank) ? call->count : 0,
                           true) &&
                make_place(memory, SUMMAND__SCRATCH, scratch, true);
    for (size_t i = 0; good && input != SUMMAND__PLACES && i < call->count; i++)
        memory->place[input][i] = (struct summand__cell){1 + (uint32_t)rank, (uint32_t)i};
    return good;
}

static uint32_t canonical(struct summand__expressions *pool, int low, int high)
{
    if (high - low == 1)
        return summand__contribution(pool, low);
    int middle = high - (high - low) / 2, twice;
    uint32_t left = canonical(pool, low, middle);
    return summand__combine(pool, left, canonical(pool, middle, high), &twice);
}

static bool check_element(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, const struct summand__play *play,
                          int rank, size_t i, struct summand__proof *proof)
{
    struct summand__cell cell = play->memories[rank].place[SUMMAND__RECVBUF][i];
    const struct summand__expression *node = &play->pool->nodes[cell.expression];
    if (cell.expression == SUMMAND__UNDEFINED)
        return fault(proof, "rank %d: result element %zu is never written", rank, i);
    if (cell.element != i)
        return fault(proof, "rank %d: result element %zu holds element %u", rank, i, cell.element);
    if (call->collective == SUMMAND__COLL_BCAST)
        return cell.expression == summand__contribution(play->pool, call->root)
                   ? true
                   : fault(proof, "rank %d: element %zu is not the root's", rank, i);
    int missing = summand__missing(play->pool, cell.expression);
    if (missing >= 0)
        return fault(proof, "rank %d: element %zu lacks the contribution of rank %d", rank, i,
                     missing);
    if (algorithm->promises & SUMMAND__RANK_ORDER && !node->ordered)
        return fault(proof, "rank %d: element %zu is not combined in rank order", rank, i);
    return true;
}

static bool check_results(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, struct summand__play *play,
                          struct summand__proof *proof)
{
    uint32_t wanted = SUMMAND__UNDEFINED;
    if (algorithm->promises & SUMMAND__CANONICAL && call->collective != SUMMAND__COLL_BCAST)
        wanted = canonical(play->pool, 0, call->ranks);
    for (int r = 0; r < call->ranks; r++) {
        if (!has_result(call, r))
            continue;
        const struct summand__cell *result = play->memories[r].place[SUMMAND__RECVBUF];
        for (size_t i = 0; i < call->count; i++) {
            if (!check_element(algorithm, call, play, r, i, proof))
                return false;
            if (wanted && result[i].expression != wanted)
                return fault(proof, "rank %d: element %zu has not the canonical bracketing", r, i);
            const struct summand__memory *first = &play->memories[has_result(call, 0) ? 0 : r];
            if (algorithm->promises & SUMMAND__SAME_BITS &&
                result[i].expression != first->place[SUMMAND__RECVBUF][i].expression)
                return fault(proof, "ranks 0 and %d bracket element %zu differently", r, i);
        }
    }
    return true;
}

static bool check_cost(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       struct summand__proof *proof)
{
    struct summand__cost told = algorithm->cost(call), *counted = &proof->counted;
    if (told.messages != counted->messages)
        return fault(proof, "%zu messages, formula says %zu", counted->messages, told.messages);
    if (told.elements != counted->elements)
        return fault(proof, "%zu elements sent, formula says %zu", counted->elements,
                     told.elements);
    if (told.depth != counted->depth)
        return fault(proof, "depth %zu, formula says %zu", counted->depth, told.depth);
    return true;
}

static void free_memories(struct summand__memory *memories, int ranks)
{
    for (int r = 0; memories && r < ranks; r++)
        for (int p = 0; p < SUMMAND__PLACES; p++)
            free(memories[r].place[p]);
    free(memories);
}

bool summand__prove_schedules(const struct summand__algorithm *algorithm,
                              const struct summand__call *call,
                              const struct summand__schedule *schedules,
                              struct summand__proof *proof)
{
    struct summand__expressions pool = {0};
    struct summand__memory *memories = calloc((size_t)call->ranks, sizeof *memories);
    bool good = memories && summand__expressions_init(&pool, call->ranks);
    *proof = (struct summand__proof){.fault = ""};
    for (int r = 0; good && r < call->ranks; r++)
        good = make_memory(call, r, schedules[r].scratch, &memories[r]);
    if (!good) {
        fault(proof, "out of memory");
    } else {
        struct summand__play play = {.ranks = call->ranks, .schedules = schedules,
                                     .memories = memories, .pool = &pool};
        good = summand__play(&play);
        if (!good)
            fault(proof, "%s", play.fault);
        proof->counted = (struct summand__cost){play.messages, play.elements, play.depth};
        good = good && check_results(algorithm, call, &play, proof) &&
               check_cost(algorithm, call, proof);
    }
    free_memories(memories, call->ranks);
    summand__expressions_free(&pool);
    return good;
}

bool summand__prove(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__proof *proof)
{
    struct summand__schedule *schedules = calloc((size_t)call->ranks, sizeof *schedules);
    bool good = schedules != NULL;
    for (int r = 0; good && r < call->ranks; r++) {
        struct summand__call one = *call;
        one.rank = r;
        one.in_place = call->in_place && has_result(call, r);
        good = summand__build(algorithm, &one, &schedules[r]);
    }
    if (good)
        good = summand__prove_schedules(algorithm, call, schedules, proof);
    else
        fault(proof, "out of memory");
    for (int r = 0; schedules && r < call->ranks; r++)
        summand__schedule_free(&schedules[r]);
    free(schedules);
    return good;
}

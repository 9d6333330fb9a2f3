/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/prove.h"

#include <stdarg.h>
#include <stdlib.h>

#include "algorithm/call.h"
#include "shape/halving.h"

static bool fault(struct summand__proof *proof, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(proof->fault, sizeof proof->fault, format, list);
    va_end(list);
    return false;
}

/* The element of the vector with which the rank's input begins. */
static size_t first_input(const struct summand__call *call)
{
    bool gathers =
        summand__has_blocks(call->collective) && !summand__has_operator(call->collective);
    return gathers ? summand__call_block(call, call->rank).first : 0;
}

/* The element of the vector with which the rank's result begins. */
static size_t first_output(const struct summand__call *call)
{
    bool scatters =
        summand__has_blocks(call->collective) && summand__has_operator(call->collective);
    return scatters ? summand__call_block(call, call->rank).first : 0;
}

/* The one rank that contributes an element of a broadcast or allgather. */
static int owner(const struct summand__call *call, size_t element)
{
    if (call->collective == SUMMAND__COLL_BCAST)
        return call->root;
    int low = 0, high = call->ranks;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (summand__call_block(call, middle).first <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Only significant buffers exist: the sendbuf of a rank that contributes from it, and the recvbuf
 * of a rank that has a result. Returns the number of cells. */
static size_t measure_memory(const struct summand__call *call, size_t scratch,
                             struct summand__room *place)
{
    struct summand__region input = summand__call_input(call);
    size_t recvbuf = summand__call_output(call).count;
    bool sent = input.place == SUMMAND__SENDBUF;
    if (!sent && input.first + input.count > recvbuf)
        recvbuf = input.first + input.count;
    place[SUMMAND__SENDBUF] = (struct summand__room){.count = sent ? input.count : 0};
    place[SUMMAND__RECVBUF] = (struct summand__room){
        .count = recvbuf, .writable = summand__call_result(call, call->rank)};
    place[SUMMAND__SCRATCH] = (struct summand__room){.count = scratch, .writable = true};
    return place[SUMMAND__SENDBUF].count + recvbuf + scratch;
}

/* Numbers inputs by their element of the whole vector. Returns the cells after those of the
 * rank. */
static struct summand__cell *fill_memory(const struct summand__call *call,
                                         struct summand__cell *cells,
                                         struct summand__memory *memory)
{
    struct summand__region input = summand__call_input(call);
    size_t first = first_input(call);
    for (int place = 0; place < SUMMAND__PLACES; place++) {
        memory->place[place].cells = cells;
        cells += memory->place[place].count;
    }
    for (size_t i = 0; i < input.count; i++)
        memory->place[input.place].cells[input.first + i] =
            (struct summand__cell){1 + (uint32_t)call->rank, (uint32_t)(first + i)};
    return cells;
}

/* The memories of all ranks, or NULL when out of memory. The first memory begins with the cells of
 * all. */
static struct summand__memory *make_memories(const struct summand__call *call,
                                             const struct summand__schedule *schedules)
{
    size_t ranks = (size_t)call->ranks;
    struct summand__room *rooms;
    struct summand__memory *memories =
        malloc(ranks * (sizeof *memories + SUMMAND__PLACES * sizeof *rooms));
    struct summand__call view = *call;
    size_t total = 1;
    rooms = memories ? (struct summand__room *)(memories + ranks) : NULL;
    for (view.rank = 0; memories && view.rank < call->ranks; view.rank++) {
        memories[view.rank] =
            (struct summand__memory){SUMMAND__PLACES, rooms + SUMMAND__PLACES * view.rank};
        total += measure_memory(&view, schedules[view.rank].scratch, memories[view.rank].place);
    }
    struct summand__cell *cells = memories ? calloc(total, sizeof *cells) : NULL;
    if (!cells) {
        free(memories);
        return NULL;
    }
    for (view.rank = 0; view.rank < call->ranks; view.rank++)
        cells = fill_memory(&view, cells, &memories[view.rank]);
    return memories;
}

static uint32_t canonical(struct summand__expressions *pool, int low, int high)
{
    if (high - low == 1)
        return summand__contribution(pool, low);
    int middle = high - (high - low) / 2, twice;
    uint32_t left = canonical(pool, low, middle);
    return summand__combine(pool, left, canonical(pool, middle, high), &twice);
}

/* Expectations of all results. */
struct wanted {
    uint32_t canonical; /* or SUMMAND__UNDEFINED */
    uint32_t *first;    /* per element of the vector: the first rank's expression */
    uint32_t whole;     /* the last expression that had all contributions */
    int ranks;          /* that contribute to a result of this rank: the first ones */
    bool combined;      /* the collective has an operator */
    bool in_order;      /* rank order is promised */
};

static bool check_element(const struct summand__call *call, const struct summand__play *play,
                          size_t i, size_t element, struct wanted *wanted,
                          struct summand__proof *proof)
{
    struct summand__cell cell = play->memories[call->rank].place[SUMMAND__RECVBUF].cells[i];
    cell.element &= ~SUMMAND__NOT_AGAIN;
    const struct summand__expression *node = &play->pool->nodes[cell.expression];
    if (cell.expression == SUMMAND__UNDEFINED)
        return fault(proof, "rank %d: result element %zu is never written", call->rank, i);
    if (cell.element != element)
        return fault(proof, "rank %d: result element %zu holds element %u", call->rank, element,
                     cell.element);
    if (!wanted->combined)
        return cell.expression == summand__contribution(play->pool, owner(call, element))
                   ? true
                   : fault(proof, "rank %d: element %zu is not that of rank %d", call->rank,
                           element, owner(call, element));
    int missing = cell.expression == wanted->whole
                      ? -1
                      : summand__missing(play->pool, cell.expression, wanted->ranks);
    if (missing >= 0)
        return fault(proof, "rank %d: element %zu lacks the contribution of rank %d", call->rank,
                     element, missing);
    if (node->high > wanted->ranks)
        return fault(proof, "rank %d: element %zu has the contribution of rank %d", call->rank,
                     element, node->high - 1);
    if (wanted->in_order && !node->ordered)
        return fault(proof, "rank %d: element %zu is not combined in rank order", call->rank,
                     element);
    wanted->whole = cell.expression;
    return true;
}

static bool check_rank(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       const struct summand__play *play, struct wanted *wanted,
                       struct summand__proof *proof)
{
    const struct summand__cell *result = play->memories[call->rank].place[SUMMAND__RECVBUF].cells;
    size_t count = summand__call_output(call).count, begin = first_output(call);
    for (size_t i = 0; i < count; i++) {
        uint32_t *first = &wanted->first[begin + i];
        if (!check_element(call, play, i, begin + i, wanted, proof))
            return false;
        if (wanted->canonical && result[i].expression != wanted->canonical)
            return fault(proof, "rank %d: element %zu has not the canonical bracketing", call->rank,
                         i);
        if (!*first)
            *first = result[i].expression;
        if (algorithm->promises & SUMMAND__SAME_BITS && !summand__is_prefix(call->collective) &&
            result[i].expression != *first)
            return fault(proof, "rank %d brackets element %zu in its own way", call->rank, i);
    }
    return true;
}

static bool check_results(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, struct summand__play *play,
                          struct summand__proof *proof)
{
    unsigned promises = summand__promises_of(algorithm, call);
    struct wanted wanted = {.whole = SUMMAND__UNDEFINED,
                            .combined = summand__has_operator(call->collective),
                            .in_order = promises & SUMMAND__RANK_ORDER};
    struct summand__call view = *call;
    wanted.first = calloc(summand__call_total(call) + 1, sizeof *wanted.first);
    bool good = wanted.first || fault(proof, "out of memory");
    for (view.rank = 0; good && view.rank < call->ranks; view.rank++) {
        const int ranks = summand__call_contributing(&view);
        if (promises & SUMMAND__CANONICAL && wanted.combined && ranks != wanted.ranks && ranks)
            wanted.canonical = canonical(play->pool, 0, ranks);
        if (ranks != wanted.ranks)
            wanted.whole = SUMMAND__UNDEFINED;
        wanted.ranks = ranks;
        good = check_rank(algorithm, &view, play, &wanted, proof);
    }
    free(wanted.first);
    return good;
}

/* Checks the depth only of the schedules as they are built. */
static bool check_cost(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       bool depth, struct summand__proof *proof)
{
    struct summand__cost told =
        depth ? summand__cost_of(algorithm, call) : summand__volume_of(algorithm, call);
    const struct summand__cost *counted = &proof->counted;
    if (told.unknown)
        return fault(proof, "out of memory");
    if (told.messages != counted->messages)
        return fault(proof, "%zu messages, formula says %zu", counted->messages, told.messages);
    if (told.elements != counted->elements)
        return fault(proof, "%zu elements sent, formula says %zu", counted->elements,
                     told.elements);
    if (told.repeats != counted->repeats || told.repeated != counted->repeated)
        return fault(proof, "%zu elements repeated in %zu messages, formula says %zu in %zu",
                     counted->repeated, counted->repeats, told.repeated, told.repeats);
    if (depth && (told.depth_at_most ? counted->depth > told.depth : counted->depth != told.depth))
        return fault(proof, "depth %zu, formula says %s%zu", counted->depth,
                     told.depth_at_most ? "at most " : "", told.depth);
    return true;
}

static void free_memories(struct summand__memory *memories)
{
    if (memories)
        free(memories[0].place[0].cells);
    free(memories);
}

bool summand__prove_checked(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, const int *node,
                            const struct summand__schedule *schedules, const bool *checked,
                            struct summand__proof *proof)
{
    if (call->collective == SUMMAND__COLL_OUTER)
        return summand__prove_outer(algorithm, call, node, schedules, proof);
    if (call->collective == SUMMAND__COLL_GEMM)
        return summand__prove_gemm(algorithm, call, node, schedules, proof);
    struct summand__expressions pool = {0};
    struct summand__play play = {.ranks = call->ranks,
                                 .schedules = schedules,
                                 .node = node,
                                 .checked = checked,
                                 .pool = &pool};
    play.memories = make_memories(call, schedules);
    bool good = play.memories && summand__expressions_init(&pool, call->ranks);
    *proof = (struct summand__proof){.fault = ""};
    if (!good) {
        fault(proof, "out of memory");
    } else {
        good = summand__play(&play) || fault(proof, "%s", play.fault);
        proof->counted = (struct summand__cost){.messages = play.messages,
                                                .elements = play.elements,
                                                .depth = play.depth,
                                                .repeats = play.repeats,
                                                .repeated = play.repeated};
        good = good && check_results(algorithm, call, &play, proof) &&
               check_cost(algorithm, call, !node, proof);
    }
    free_memories(play.memories);
    summand__expressions_free(&pool);
    return good;
}

bool summand__prove_schedules(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, const int *node,
                              const struct summand__schedule *schedules,
                              struct summand__proof *proof)
{
    return summand__prove_checked(algorithm, call, node, schedules, NULL, proof);
}

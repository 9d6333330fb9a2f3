/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/prove.h"

#include <stdio.h>
#include <stdlib.h>

#include "lab/verify/meaning.h"
#include "lab/verify/prove_steps.h"
#include "outer/algorithm/build.h"
#include "outer/algorithm/kernels.h"

struct subject {
    const struct summand__algorithm *algorithm;
    const struct summand__call *call;
    const struct summand__schedule *schedules;
    uint32_t *
        *chains; /* per layer and element: the chain of all pairs from rank 0 on; 0: not made yet */
};

/* An element of a layer's result; the rank decides its position. */
struct element {
    const struct summand__outer_layer *layer;
    int l;
    size_t row, column;
    bool between; /* after the end of a row */
};

static struct element find(const struct subject *subject, int rank, uint32_t place, size_t i)
{
    const struct summand__call *call = subject->call;
    int l = (int)((place - SUMMAND__PLACES) / 3);
    const struct summand__outer_layer *layer = &call->outer->layer[l];
    struct summand__outer_block block =
        summand__outer_block_of(call->outer, layer, rank, call->root, call->ranks);
    size_t width = call->outer->result == SUMMAND__OUTER_FACTORS
                       ? layer->rows + (layer->symmetric ? 0 : layer->columns)
                       : block.columns;
    return (struct element){.layer = layer,
                            .l = l,
                            .row = block.row + i / layer->ldg,
                            .column = block.column + i % layer->ldg,
                            .between = i % layer->ldg >= width};
}

static uint32_t factor(const struct subject *subject, struct summand__expressions *pool,
                       const struct element *element, int rank, size_t k, bool a, size_t column)
{
    const struct summand__outer_layer *layer = element->layer;
    bool from_a = a || layer->symmetric;
    return summand__input_operand(
        pool, &subject->schedules[rank], rank,
        summand__outer_place(element->l, from_a ? SUMMAND__OUTER_A : SUMMAND__OUTER_B),
        k * (from_a ? layer->lda : layer->ldb) + column);
}

/* The chain of all pairs of `count` ranks from `first` on, cyclically. */
static uint32_t chain_of(const struct subject *subject, struct summand__expressions *pool,
                         const struct element *element, int first, int count)
{
    uint32_t chain = summand__chain_zero();
    const struct summand__kernel *kernel = &summand__outer_chains[subject->call->outer->type];
    for (int i = 0; i < count; i++)
        for (size_t k = 0, r = (size_t)((first + i) % subject->call->ranks);
             k < summand__outer_pairs(subject->call, (int)r); k++) {
            uint32_t a = factor(subject, pool, element, (int)r, k, true, element->row);
            uint32_t b = factor(subject, pool, element, (int)r, k, false, element->column);
            chain = summand__link(pool, chain, summand__term(pool, kernel, a, b));
        }
    return chain;
}

/* The chain of all pairs from rank 0 on, the same on every rank that holds the element. */
static uint32_t chain_of_all(const struct subject *subject, struct summand__expressions *pool,
                             const struct element *element)
{
    uint32_t *chain =
        &subject->chains[element->l][element->row * element->layer->columns + element->column];
    if (!*chain)
        *chain = chain_of(subject, pool, element, 0, subject->call->ranks);
    return *chain;
}

/* The pair whose factors lie in a row of a result of factors. */
static uint32_t row_of_factors(const struct subject *subject, struct summand__expressions *pool,
                               const struct element *element)
{
    const size_t *pairs = subject->call->outer->pairs;
    int rank = 0;
    while (pairs[rank + 1] <= element->row)
        rank++;
    bool a = element->column < element->layer->rows;
    return factor(subject, pool, element, rank, element->row - pairs[rank], a,
                  a ? element->column : element->column - element->layer->rows);
}

/* The input that an element of a parcel copies: finds its source rank, then skips that rank's
 * parcels for ranks before this one. */
static uint32_t of_parcel(const struct subject *subject, struct summand__expressions *pool,
                          int rank, size_t i)
{
    const size_t *parcel = subject->call->outer->parcel;
    const int ranks = subject->call->ranks;
    int from = 0;
    for (; from < ranks && i >= parcel[from * ranks + rank]; from++)
        i -= parcel[from * ranks + rank];
    for (int to = 0; to < rank && from < ranks; to++)
        i += parcel[from * ranks + to];
    return from < ranks ? summand__input_operand(pool, &subject->schedules[from], from,
                                                 summand__outer_place(0, SUMMAND__OUTER_A), i)
                        : SUMMAND__UNDEFINED;
}

static uint32_t before_of(const struct subject *subject, struct summand__expressions *pool,
                          int rank, uint32_t place, size_t i)
{
    if (subject->call->outer->replicated && subject->call->outer->beta != 0)
        return summand__alike_operand(pool, place, i);
    return subject->call->outer->beta != 0
               ? summand__input_operand(pool, &subject->schedules[rank], rank, place, i)
               : 0;
}

static uint32_t expected(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    const struct subject *subject = context;
    const struct summand__outer_shape *shape = subject->call->outer;
    if (place >= SUMMAND__PLACES + 3 * (uint32_t)shape->layers)
        return SUMMAND__UNDEFINED;
    if (shape->result == SUMMAND__OUTER_PARCELS)
        return of_parcel(subject, pool, rank, i);
    struct element element = find(subject, rank, place, i);
    bool factors = shape->result == SUMMAND__OUTER_FACTORS;
    if (element.between)
        return shape->beta != 0 && !factors ? before_of(subject, pool, rank, place, i)
                                            : SUMMAND__UNTOUCHED;
    if (factors)
        return row_of_factors(subject, pool, &element);
    /* If bits may differ, each rank begins with its own pairs. */
    bool same = subject->algorithm->promises & SUMMAND__SAME_BITS;
    uint32_t made = same ? chain_of_all(subject, pool, &element)
                         : chain_of(subject, pool, &element, rank, subject->call->ranks);
    if (summand__outer_updates(shape))
        made = summand__updated(pool, before_of(subject, pool, rank, place, i), made);
    return summand__held(pool, made, 0);
}

/* Expected operands of a sum of chains in any bracketing: each rank's chain, until it is met. Ranks
 * without pairs have the same chain. */
struct leaves {
    struct {
        uint32_t chain;
        bool met;
    } * of;
    int ranks, left;
};

static bool meet(const struct summand__expressions *pool, uint32_t expression,
                 struct leaves *leaves)
{
    for (int r = 0; r < leaves->ranks; r++)
        if (leaves->of[r].chain == expression && !leaves->of[r].met) {
            leaves->of[r].met = true;
            leaves->left--;
            return true;
        }
    if (!expression || expression >= pool->count) /* nothing, or a symbol */
        return false;
    const struct summand__expression *node = &pool->nodes[expression];
    return meet(pool, node->left, leaves) && meet(pool, node->right, leaves);
}

/* The sum, from a place of its own, with which a result was updated. Finds it in the held
 * expression and checks that the update gives that expression; else 0. */
static uint32_t applied(const struct subject *subject, struct summand__expressions *pool, int rank,
                        uint32_t place, size_t i, uint32_t held)
{
    const struct summand__kernel *kernel = &summand__outer_applies[subject->call->outer->type];
    uint32_t at = held;
    const bool right[] = {true, true, false, true, false};
    for (int step = 0; step < 5 && at && at < pool->count; step++)
        at = right[step] ? pool->nodes[at].right : pool->nodes[at].left;
    if (!at)
        return 0;
    uint32_t term = summand__term(pool, kernel, summand__held(pool, at, 0), summand__symbol(0));
    uint32_t again = summand__updated(pool, before_of(subject, pool, rank, place, i),
                                      summand__link(pool, summand__chain_zero(), term));
    return again == held ? at : 0;
}

static bool meant(const void *context, struct summand__expressions *pool, int rank, uint32_t place,
                  size_t i, struct summand__cell cell)
{
    const struct subject *subject = context;
    const struct summand__call *call = subject->call;
    struct element element = find(subject, rank, place, i);
    struct leaves leaves = {.ranks = call->ranks, .left = call->ranks};
    uint32_t sum = cell.expression;
    const bool ordered = subject->algorithm->promises & SUMMAND__PAIR_ORDER;
    const bool apart =
        summand__outer_updates(call->outer) || element.layer->ldg != element.layer->columns;
    if (element.between || (ordered && !apart))
        return false;
    if (ordered) {
        sum = applied(subject, pool, rank, place, i, sum);
        return sum && sum == chain_of_all(subject, pool, &element);
    }
    leaves.of = calloc((size_t)call->ranks, sizeof *leaves.of);
    if (!leaves.of) /* not proved */
        return false;
    if (apart)
        sum = applied(subject, pool, rank, place, i, sum);
    for (int r = 0; r < call->ranks; r++)
        leaves.of[r].chain = chain_of(subject, pool, &element, r, 1);
    bool good = sum && meet(pool, sum, &leaves) && !leaves.left;
    free(leaves.of);
    return good;
}

static bool fault(struct summand__proof *proof, const char *what, size_t counted, size_t told)
{
    snprintf(proof->fault, sizeof proof->fault, "%zu %s, formula says %zu", counted, what, told);
    return false;
}

static bool check_cost(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       bool depth, struct summand__proof *proof)
{
    struct summand__cost told = summand__cost_of(algorithm, call);
    const struct summand__cost *counted = &proof->counted;
    if (told.unknown)
        return fault(proof, "bytes of memory", 0, 1);
    if (told.messages != counted->messages)
        return fault(proof, "messages", counted->messages, told.messages);
    if (told.elements != counted->elements)
        return fault(proof, "elements", counted->elements, told.elements);
    if (told.repeats != counted->repeats)
        return fault(proof, "repeated messages", counted->repeats, told.repeats);
    if (told.repeated != counted->repeated)
        return fault(proof, "repeated elements", counted->repeated, told.repeated);
    if (depth && (told.depth_at_most ? counted->depth > told.depth : counted->depth != told.depth))
        return fault(proof, "messages deep", counted->depth, told.depth);
    return true;
}

static void free_chains(uint32_t **chains, int layers)
{
    for (int l = 0; chains && l < layers; l++)
        free(chains[l]);
    free(chains);
}

static uint32_t **make_chains(const struct summand__outer_shape *shape)
{
    uint32_t **chains = calloc((size_t)shape->layers, sizeof *chains);
    bool good = chains;
    for (int l = 0; good && l < shape->layers; l++) {
        chains[l] = calloc(shape->layer[l].rows * shape->layer[l].columns + 1, sizeof **chains);
        good = chains[l];
    }
    if (!good)
        free_chains(chains, shape->layers);
    return good ? chains : NULL;
}

bool summand__prove_outer(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, const int *node,
                          const struct summand__schedule *schedules, struct summand__proof *proof)
{
    const struct subject subject = {algorithm, call, schedules, make_chains(call->outer)};
    struct summand__steps_proof steps = {.ranks = call->ranks,
                                         .schedules = schedules,
                                         .node = node,
                                         .expected = expected,
                                         .meant = meant,
                                         .alike = call->outer->replicated,
                                         .context = &subject};
    bool good = subject.chains && summand__prove_steps(&steps);
    if (!subject.chains)
        snprintf(steps.fault, sizeof steps.fault, "out of memory");
    free_chains(subject.chains, call->outer->layers);
    *proof = (struct summand__proof){.counted = {.messages = steps.messages,
                                                 .elements = steps.elements,
                                                 .depth = steps.depth,
                                                 .repeats = steps.repeats,
                                                 .repeated = steps.repeated}};
    if (!good)
        snprintf(proof->fault, sizeof proof->fault, "%s", steps.fault);
    return good && check_cost(algorithm, call, !node, proof);
}

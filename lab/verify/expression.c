/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/expression.h"
#include "base/hash.h"

#include <stdlib.h>

/* A symbol is its number with this bit: it needs no place in the pool. */
#define SUMMAND__SYMBOL (UINT32_C(1) << 31)

/* An entry of the hash table, with its key: a look-up reads one cache line. */
struct summand__expression_slot {
    uint32_t left, right, index; /* index 0: free */
};

bool summand__expressions_init(struct summand__expressions *pool, int ranks)
{
    *pool = (struct summand__expressions){.ranks = ranks, .words = ((size_t)ranks + 63) / 64};
    pool->capacity = 2 * (uint32_t)ranks + 16;
    pool->slots = 4;
    while (pool->slots < 2 * (size_t)pool->capacity)
        pool->slots *= 2;
    pool->nodes = malloc(pool->capacity * sizeof *pool->nodes);
    pool->table = calloc(pool->slots, sizeof *pool->table);
    if (!pool->nodes || !pool->table) {
        summand__expressions_free(pool);
        return false;
    }
    pool->nodes[0] = (struct summand__expression){0};
    for (int r = 0; r < ranks; r++)
        pool->nodes[1 + r] = (struct summand__expression){.low = r, .high = r + 1, .ordered = true};
    pool->count = 1 + (uint32_t)ranks;
    return true;
}

void summand__expressions_free(struct summand__expressions *pool)
{
    free(pool->nodes);
    free(pool->table);
    free(pool->sets);
    *pool = (struct summand__expressions){0};
}

uint32_t summand__contribution(const struct summand__expressions *pool, int rank)
{
    (void)pool;
    return 1 + (uint32_t)rank;
}

static size_t slot_of(const struct summand__expressions *pool, uint32_t left, uint32_t right)
{
    /* Mixed twice: terms of one row and column differ in few bits of both. */
    uint64_t key = ((uint64_t)left << 32 | right) * SUMMAND__GOLDEN;
    key = (key ^ key >> 32) * 0xd6e8feb86659fd93u;
    size_t slot = (size_t)(key >> 32) & (pool->slots - 1);
    const struct summand__expression_slot *at = &pool->table[slot];
    while (at->index && (at->left != left || at->right != right)) {
        slot = (slot + 1) & (pool->slots - 1);
        at = &pool->table[slot];
    }
    return slot;
}

static bool grow(struct summand__expressions *pool)
{
    uint32_t capacity = 2 * pool->capacity;
    size_t slots = 2 * pool->slots;
    struct summand__expression *nodes = realloc(pool->nodes, capacity * sizeof *nodes);
    if (!nodes)
        return false;
    pool->nodes = nodes;
    struct summand__expression_slot *table = calloc(slots, sizeof *table);
    if (!table)
        return false;
    free(pool->table);
    pool->table = table;
    pool->slots = slots;
    pool->capacity = capacity;
    for (uint32_t i = 1 + (uint32_t)pool->ranks; i < pool->count; i++)
        table[slot_of(pool, nodes[i].left, nodes[i].right)] =
            (struct summand__expression_slot){nodes[i].left, nodes[i].right, i};
    return true;
}

/* Ranks 64 w ... 64 w + 63 of an expression, as bits. */
static uint64_t word_of(const struct summand__expressions *pool,
                        const struct summand__expression *node, int w)
{
    int low = node->low - 64 * w, high = node->high - 64 * w;
    if (!node->ordered)
        return pool->sets[node->set + (size_t)w];
    if (low >= 64 || high <= 0)
        return 0;
    uint64_t from = low <= 0 ? ~(uint64_t)0 : ~(uint64_t)0 << low;
    uint64_t to = high >= 64 ? ~(uint64_t)0 : ~(~(uint64_t)0 << high);
    return from & to;
}

/* Fills the set of `node` with the union of a and b; returns a rank that is in both, or -1. */
static int unite(struct summand__expressions *pool, struct summand__expression *node,
                 const struct summand__expression *a, const struct summand__expression *b)
{
    uint64_t *set = pool->sets + node->set;
    for (int w = 0; w < (int)pool->words; w++) {
        uint64_t in_a = word_of(pool, a, w), in_b = word_of(pool, b, w);
        if (in_a & in_b)
            return 64 * w + __builtin_ctzll(in_a & in_b);
        set[w] = in_a | in_b;
    }
    return -1;
}

static bool reserve_set(struct summand__expressions *pool)
{
    if (pool->set_words + pool->words <= pool->set_capacity)
        return true;
    size_t capacity = 2 * pool->set_capacity + 64 * pool->words;
    uint64_t *sets = realloc(pool->sets, capacity * sizeof *sets);
    if (!sets)
        return false;
    pool->sets = sets;
    pool->set_capacity = capacity;
    return true;
}

/* True if there is no expression to make: it exists, or memory ran out. Else `slot` is free for
 * it. */
static bool is_known(struct summand__expressions *pool, uint32_t left, uint32_t right, size_t *slot,
                     uint32_t *known)
{
    *slot = slot_of(pool, left, right);
    *known = pool->table[*slot].index;
    if (*known)
        return true;
    if (2 * (size_t)pool->count < pool->slots && pool->count < pool->capacity)
        return false;
    *known = SUMMAND__UNDEFINED;
    if (!grow(pool))
        return true;
    *slot = slot_of(pool, left, right);
    return false;
}

static uint32_t append(struct summand__expressions *pool, struct summand__expression node,
                       size_t slot)
{
    pool->nodes[pool->count] = node;
    pool->table[slot] = (struct summand__expression_slot){node.left, node.right, pool->count};
    return pool->count++;
}

static const struct summand__expression *node_of(const struct summand__expressions *pool,
                                                 uint32_t expression)
{
    static const struct summand__expression symbol = {.ordered = true}; /* no contributions */
    return expression & SUMMAND__SYMBOL ? &symbol : &pool->nodes[expression];
}

uint32_t summand__combine(struct summand__expressions *pool, uint32_t left, uint32_t right,
                          int *twice)
{
    *twice = -1;
    size_t slot;
    uint32_t known;
    if (is_known(pool, left, right, &slot, &known))
        return known;
    const struct summand__expression *a = node_of(pool, left), *b = node_of(pool, right);
    struct summand__expression node = {.left = left, .right = right};
    node.low = a->low < b->low ? a->low : b->low;
    node.high = a->high > b->high ? a->high : b->high;
    node.ordered = a->ordered && b->ordered && a->high == b->low;
    if (!node.ordered) {
        if (!reserve_set(pool))
            return SUMMAND__UNDEFINED;
        node.set = pool->set_words;
        *twice = unite(pool, &node, a, b);
        if (*twice >= 0)
            return SUMMAND__UNDEFINED;
        pool->set_words += pool->words;
    }
    return append(pool, node, slot);
}

uint32_t summand__pair_up(struct summand__expressions *pool, uint32_t left, uint32_t right)
{
    size_t slot;
    uint32_t known;
    if (is_known(pool, left, right, &slot, &known))
        return known;
    struct summand__expression node = {.left = left, .right = right, .ordered = true};
    return append(pool, node, slot);
}

uint32_t summand__symbol(uint32_t number)
{
    return SUMMAND__SYMBOL | number;
}

int summand__missing(const struct summand__expressions *pool, uint32_t expression, int ranks)
{
    const struct summand__expression all = {.low = 0, .high = ranks, .ordered = true};
    for (int w = 0; w < (int)pool->words; w++) {
        uint64_t missing = word_of(pool, &all, w) & ~word_of(pool, node_of(pool, expression), w);
        if (missing)
            return 64 * w + __builtin_ctzll(missing);
    }
    return -1;
}

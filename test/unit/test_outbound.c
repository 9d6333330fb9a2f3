/* SPDX-License-Identifier: BSD-3-Clause */
/* The message-per-subtree programs, run on all ranks with expressions instead of numbers. */
#include <stdbool.h>

#include "lab/index_tree/distribution.h"
#include "lab/index_tree/messages.h"
#include "lab/index_tree/outbound.h"
#include "unit/unit.h"

enum { MOST_RANKS = 24, MOST_MESSAGES = 4096 };

/* An expression is known by a hash that depends on its leaves and its brackets. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t leaf(uint64_t i)
{
    return mix(i + 0x9e3779b97f4a7c15u);
}

static uint64_t combine(uint64_t a, uint64_t b)
{
    return mix(a * 0xd6e8feb86659fd93u + mix(b) + 1);
}

/* (2.1) as written, for the root with any y >= ceil(log2 N). */
static uint64_t reduce(uint64_t x, unsigned y, uint64_t n)
{
    if (y == 0)
        return leaf(x);
    uint64_t right = x + ((uint64_t)1 << (y - 1));
    if (right >= n)
        return reduce(x, y - 1, n);
    return combine(reduce(x, y - 1, n), reduce(right, y - 1, n));
}

struct message {
    int from, to, count;
    uint64_t values[64];
};

struct player {
    struct summand__outbound_op ops[SUMMAND__OUTBOUND_OPS_MAX];
    int count, next, cells;
    bool written[SUMMAND__OUTBOUND_CELLS_MAX];
    uint64_t cell[SUMMAND__OUTBOUND_CELLS_MAX];
};

struct game {
    const uint64_t *starts;
    int ranks;
    struct summand__outbound_rule rule;
    struct player players[MOST_RANKS];
    struct message messages[MOST_MESSAGES];
    int sent;
    bool taken[MOST_MESSAGES];
};

static void put(struct player *p, int cell, uint64_t value)
{
    assert_true(cell >= 0 && cell < p->cells);
    p->cell[cell] = value;
    p->written[cell] = true;
}

static uint64_t get(const struct player *p, int cell)
{
    assert_true(cell >= 0 && cell < p->cells && p->written[cell]);
    return p->cell[cell];
}

static void play_local(struct game *g, int rank, const struct summand__outbound_op *op)
{
    uint64_t end = op->level < 63 ? op->x + ((uint64_t)1 << op->level) : UINT64_MAX;
    uint64_t n = g->starts[g->ranks];
    assert_true(op->x >= g->starts[rank] && (end < n ? end : n) <= g->starts[rank + 1]);
    put(&g->players[rank], op->cell, reduce(op->x, op->level, n));
}

static void play_send(struct game *g, int rank, const struct summand__outbound_op *op)
{
    assert_true(g->sent < MOST_MESSAGES && op->peer >= 0 && op->peer < rank);
    assert_true(op->count >= 1 && op->count <= g->rule.values);
    struct message *message = &g->messages[g->sent++];
    *message = (struct message){.from = rank, .to = op->peer, .count = op->count};
    for (int i = 0; i < op->count; i++)
        message->values[i] = get(&g->players[rank], op->cell + i);
}

/* Returns false if the message has not been sent yet. */
static bool play_receive(struct game *g, int rank, const struct summand__outbound_op *op)
{
    for (int m = 0; m < g->sent; m++) {
        if (g->taken[m] || g->messages[m].from != op->peer || g->messages[m].to != rank)
            continue;
        assert_int_equal(g->messages[m].count, op->count);
        for (int i = 0; i < op->count; i++)
            put(&g->players[rank], op->cell + i, g->messages[m].values[i]);
        return g->taken[m] = true;
    }
    return false;
}

static bool step(struct game *g, int rank)
{
    struct player *p = &g->players[rank];
    if (p->next == p->count)
        return false;
    const struct summand__outbound_op *op = &p->ops[p->next];
    switch (op->kind) {
    case SUMMAND__OUTBOUND_LOCAL:
        play_local(g, rank, op);
        break;
    case SUMMAND__OUTBOUND_COMBINE:
        put(p, op->cell, combine(get(p, op->cell), get(p, op->right)));
        assert_true(p->cell[op->cell] == reduce(op->x, op->level, g->starts[g->ranks]));
        break;
    case SUMMAND__OUTBOUND_SEND:
        play_send(g, rank, op);
        break;
    case SUMMAND__OUTBOUND_RECEIVE:
        if (!play_receive(g, rank, op))
            return false;
    }
    p->next++;
    return true;
}

static void play(struct game *g)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int rank = 0; rank < g->ranks; rank++)
            while (step(g, rank))
                moved = true;
    }
    for (int rank = 0; rank < g->ranks; rank++)
        assert_int_equal(g->players[rank].next, g->players[rank].count);
    for (int m = 0; m < g->sent; m++)
        assert_true(g->taken[m]);
}

static void check(const uint64_t *starts, int ranks, struct summand__outbound_rule rule)
{
    static struct game g;
    memset(&g, 0, sizeof g);
    g = (struct game){.starts = starts, .ranks = ranks, .rule = rule};
    for (int rank = 0; rank < ranks; rank++) {
        struct player *p = &g.players[rank];
        p->count = summand__outbound_program(starts, ranks, rank, rule, p->ops, &p->cells);
        assert_true(p->count <= SUMMAND__OUTBOUND_OPS_MAX);
        assert_true(p->cells <= SUMMAND__OUTBOUND_CELLS_MAX);
    }
    play(&g);
    assert_int_equal(g.sent, summand__messages_buffered(starts, ranks, rule));
    if (rule.values == 1)
        assert_int_equal(g.sent, summand__messages(starts, ranks));
    uint64_t n = starts[ranks];
    if (n) {
        int owner = summand__rank_of_index(starts, ranks, 0);
        assert_true(get(&g.players[owner], 0) == reduce(0, 20, n));
    }
}

static const struct summand__outbound_rule rules[] = {{1, 0}, {1, 64},      {4, 64},         {4, 1},
                                                      {2, 4}, {3, 1 << 20}, {64, UINT64_MAX}};

static void check_rules(const uint64_t *starts, int ranks)
{
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        check(starts, ranks, rules[i]);
}

TEST(all_splits_of_few)
{
    for (uint64_t n = 0; n <= 9; n++)
        for (uint64_t a = 0; a <= n; a++)
            for (uint64_t b = a; b <= n; b++)
                for (uint64_t c = b; c <= n; c++)
                    check_rules((uint64_t[]){0, a, b, c, n}, 4);
}

TEST(named_distributions)
{
    uint64_t starts[MOST_RANKS + 1];
    for (int kind = 0; kind < SUMMAND__DISTRIBUTIONS; kind++)
        for (int p = 1; p <= MOST_RANKS; p += p < 9 ? 1 : 5)
            for (uint64_t n = 0; n < 700; n += 1 + n / 20) {
                summand__distribution((enum summand__distribution_kind)kind, 0.2, n, p, starts);
                check_rules(starts, p);
            }
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

TEST(random_distributions)
{
    uint64_t starts[MOST_RANKS + 1];
    srand(3);
    for (int i = 0; i < 2000; i++) {
        int p = 1 + rand() % MOST_RANKS;
        uint64_t n = 1 + (uint64_t)rand() % (1u << rand() % 11);
        for (int r = 1; r < p; r++) /* few distinct values: many empty ranks */
            starts[r] = rand() % 3 ? (uint64_t)rand() % (n + 1) : n / 2;
        starts[0] = 0;
        starts[p] = n;
        qsort(starts, (size_t)p, sizeof *starts, ascending);
        check_rules(starts, p);
    }
}

/* N is too large to run: the lists must stay within their bounds and agree with the counter. */
TEST(huge_ranges_fit)
{
    srand(4);
    struct summand__outbound_op ops[SUMMAND__OUTBOUND_OPS_MAX];
    struct summand__outbound_node nodes[SUMMAND__OUTBOUND_MAX];
    for (int i = 0; i < 20000; i++) {
        uint64_t starts[9] = {0};
        for (int r = 1; r <= 8; r++)
            starts[r] = ((uint64_t)rand() << 32 ^ (uint64_t)rand() << 16 ^ (uint64_t)rand()) >>
                        (rand() % 4 ? rand() % 40 + 1 : 1);
        qsort(starts, 9, sizeof *starts, ascending);
        uint64_t sent = 0, expected = 0;
        for (int r = 0; r < 8; r++) {
            int cells, received = 0;
            int count = summand__outbound_program(starts, 8, r, rules[0], ops, &cells);
            assert_true(count <= SUMMAND__OUTBOUND_OPS_MAX && cells <= SUMMAND__OUTBOUND_CELLS_MAX);
            for (int j = 0; j < count; j++) {
                sent += ops[j].kind == SUMMAND__OUTBOUND_SEND;
                received += ops[j].kind == SUMMAND__OUTBOUND_RECEIVE;
            }
            assert_int_equal(received, summand__inbound_nodes(starts, 8, r, nodes));
            expected += (uint64_t)received;
        }
        assert_int_equal(sent, expected);
        assert_int_equal(sent, summand__messages(starts, 8));
    }
}

/* Figure 3.3: 6 elements on 2 ranks. Nodes (3,0) and (4,1) share a message unless the buffer is off
 * or (4,1) counts as large. */
TEST(buffer_rule)
{
    const uint64_t starts[] = {0, 3, 6};
    struct summand__outbound_rule small = {4, 1};
    assert_int_equal(summand__messages_buffered(starts, 2, SUMMAND__OUTBOUND_RULE), 1);
    assert_int_equal(summand__messages_buffered(starts, 2, rules[0]), 2);
    assert_int_equal(summand__messages_buffered(starts, 2, small), 2);
    /* 7 roots, of 1, 2, 4, ... 64 elements, to one rank: two messages; one more begins at 128. */
    const uint64_t seven[] = {0, 129, 256}, eight[] = {0, 257, 512};
    assert_int_equal(summand__messages_buffered(seven, 2, SUMMAND__OUTBOUND_RULE), 2);
    assert_int_equal(summand__messages_buffered(eight, 2, SUMMAND__OUTBOUND_RULE), 3);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A gather that overlaps with a product: the sum of all ranks' outer products, on each rank.
 *
 * Each rank has `blocks` pairs of vectors, a row of A and one of B each, and puts them to all
 * others. The result is the chain over all pairs in rank order, from rank 0's pairs on, so its bits
 * depend neither on the number of ranks nor on the tiles. A rank waits for a slice of pairs when
 * the chain reaches it; later ones arrive meanwhile. Each rank sends its first slice to all others
 * before the next one, so that all can begin early. A credit says that a rank has released a block,
 * so that the next start may overwrite it.
 *
 * Source of the operation: Enderlin et al., "Distributed sum of outer products" (ETH). */
#include "compute/kernels.h"
#include "lab/sample/sample.h"
#include "lab/verify/meaning.h"
#include "lab/verify/prove_steps.h"

struct factors {
    uint32_t input[2], window[2], result; /* of A and of B */
    size_t width[2];
};

/* A rank's counter for another rank: of blocks that arrived from it, or of credits from it. */
static uint32_t counter_of(int ranks, bool credit, int rank, int other)
{
    return (uint32_t)((credit ? ranks - 1 : 0) + other - (other > rank));
}

static void add_places(const struct summand__sample_size *size, struct factors *factors,
                       struct summand__schedule *schedule)
{
    size_t all = size->blocks * (size_t)size->ranks;
    factors->width[0] = size->rows;
    factors->width[1] = size->count;
    for (int f = 0; f < 2; f++)
        factors->input[f] = summand__add_place(schedule, SUMMAND__INPUT, sizeof(double),
                                               size->blocks * factors->width[f]);
    for (int f = 0; f < 2; f++)
        factors->window[f] =
            summand__add_place(schedule, SUMMAND__WINDOW, sizeof(double), all * factors->width[f]);
    factors->result =
        summand__add_place(schedule, SUMMAND__RESULT, sizeof(double), size->rows * size->count);
}

/* Pairs [first, first + count) of a rank. */
struct piece {
    size_t first, count;
};

static size_t pieces_of(const struct summand__sample_size *size)
{
    return size->slots < size->blocks ? size->slots : size->blocks;
}

static struct piece piece_of(const struct summand__sample_size *size, size_t number)
{
    size_t pieces = pieces_of(size), first = size->blocks * number / pieces;
    return (struct piece){first, size->blocks * (number + 1) / pieces - first};
}

static void send(const struct summand__sample_size *size, const struct factors *factors, int rank,
                 int to, size_t number, struct summand__schedule *schedule)
{
    struct piece piece = piece_of(size, number);
    if (!number)
        summand__wait_counter(schedule, counter_of(size->ranks, true, rank, to), 0);
    for (int f = 0; f < 2; f++) {
        size_t n = factors->width[f], first = (size_t)rank * size->blocks + piece.first;
        summand__put(
            schedule, to,
            summand__region((enum summand__place)factors->input[f], piece.first * n,
                            piece.count * n),
            summand__region((enum summand__place)factors->window[f], first * n, piece.count * n));
    }
    summand__notify(schedule, to, counter_of(size->ranks, false, to, rank));
}

/* A slice of one rank's pairs: all tiles of the result. */
static void multiply(const struct summand__sample_size *size, const struct factors *factors,
                     int rank, int of, size_t number, struct summand__schedule *schedule)
{
    const uint32_t *place = of == rank ? factors->input : factors->window;
    const size_t *width = factors->width;
    struct piece piece = piece_of(size, number);
    size_t first = piece.first + (of == rank ? 0 : (size_t)of * size->blocks), tile = size->tile;
    for (size_t i = 0; i < size->rows; i += tile)
        for (size_t j = 0; j < size->count; j += tile) {
            size_t rows = size->rows - i < tile ? size->rows - i : tile;
            size_t columns = size->count - j < tile ? size->count - j : tile;
            summand__compute(
                schedule, summand__kernel_named("outer"),
                summand__tile(place[0], first * width[0] + i, piece.count, rows, width[0]),
                summand__tile(place[1], first * width[1] + j, piece.count, columns, width[1]),
                summand__tile(factors->result, i * width[1] + j, rows, columns, width[1]),
                of == 0 && !number);
        }
}

static void build(const struct summand__sample_size *size, int rank,
                  struct summand__schedule *schedule)
{
    struct factors factors;
    int ranks = size->ranks;
    size_t pieces = pieces_of(size);
    add_places(size, &factors, schedule);
    for (int credit = 0; credit < 2; credit++)
        for (int other = 0; other < ranks; other++)
            if (other != rank)
                summand__add_counter(schedule, other, credit ? 1 : pieces);
    for (size_t piece = 0; piece < pieces; piece++)
        for (int k = 1; k < ranks; k++)
            send(size, &factors, rank, (rank + k) % ranks, piece, schedule);
    for (int of = 0; of < ranks; of++) {
        for (size_t piece = 0; piece < pieces; piece++) {
            if (of != rank)
                summand__wait_counter(schedule, counter_of(ranks, false, rank, of),
                                      (int64_t)piece + 1);
            multiply(size, &factors, rank, of, piece, schedule);
        }
        if (of != rank)
            summand__notify(schedule, of, counter_of(ranks, true, of, rank));
    }
    summand__round(schedule);
}

static uint32_t expected(const struct summand__sample_size *size, struct summand__expressions *pool,
                         int rank, size_t i)
{
    struct summand__schedule places = {0};
    struct factors factors;
    uint32_t chain = summand__chain_zero();
    (void)rank;
    add_places(size, &factors, &places);
    for (int r = 0; r < size->ranks; r++)
        for (size_t k = 0; k < size->blocks; k++) {
            uint32_t a = summand__input_operand(pool, &places, r, factors.input[0],
                                                k * size->rows + i / size->count);
            uint32_t b = summand__input_operand(pool, &places, r, factors.input[1],
                                                k * size->count + i % size->count);
            chain = summand__link(pool, chain,
                                  summand__term(pool, summand__kernel_named("outer"), a, b));
        }
    summand__schedule_free(&places);
    return summand__held(pool, chain, 0);
}

static double plain(const struct summand__sample_size *size, const double *const *in, int rank,
                    size_t i)
{
    double sum = 0;
    (void)rank;
    for (int r = 0; r < size->ranks; r++)
        for (size_t k = 0; k < size->blocks; k++)
            sum += in[r][k * size->rows + i / size->count] *
                   in[r][size->blocks * size->rows + k * size->count + i % size->count];
    return sum;
}

const struct summand__sample summand__sample_product = {
    .name = "gather-product",
    .description = "a gather of factors, overlapped with the sum of their outer products",
    .usual = {.ranks = 4, .blocks = 8, .slots = 4, .rows = 128, .count = 128, .tile = 64},
    .build = build,
    .expected = expected,
    .plain = plain};

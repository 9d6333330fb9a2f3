/* SPDX-License-Identifier: BSD-3-Clause */
/* Common to the algorithms for sums of outer products: places and steps. */
#pragma once

#include "algorithm/call.h"
#include "outer/algorithm/shape.h"
#include "schedule/compute.h"
#include "schedule/embed.h"

/* The caller's places are the same for every algorithm: for each layer a, b and the result. */
enum summand__outer_place { SUMMAND__OUTER_A, SUMMAND__OUTER_B, SUMMAND__OUTER_G };

static inline uint32_t summand__outer_place(int layer, enum summand__outer_place which)
{
    return SUMMAND__PLACES + 3 * (uint32_t)layer + (uint32_t)which;
}

struct summand__outer_build {
    const struct summand__call *call;
    const struct summand__outer_shape *shape;
    struct summand__schedule *schedule;
    size_t unit, result; /* bytes of an element of the factors, and of the result */
    uint32_t room;       /* a temporary place for elements of the result; it grows */
    bool partial;        /* products compute parts of rows, so rows are not complete after them */
};

/* Adds `count` elements to that place, from `*first` on. Layers share one place, because a schedule
 * has too few places for one each. */
uint32_t summand__outer_room(const struct summand__outer_build *build, size_t count, size_t *first);

/* Adds the caller's places. */
struct summand__outer_build summand__outer_begin(const struct summand__call *call,
                                                 struct summand__schedule *schedule);

/* Pairs of a rank. */
static inline size_t summand__outer_pairs(const struct summand__call *call, int rank)
{
    return call->outer->pairs[rank + 1] - call->outer->pairs[rank];
}

/* Elements of the parcels that this rank gets from the ranks before `rank`. */
static inline size_t summand__outer_parcels_before(const struct summand__call *call, int rank)
{
    size_t before = 0;
    for (int r = 0; r < rank; r++)
        before += call->outer->parcel[(size_t)r * (size_t)call->ranks + (size_t)call->rank];
    return before;
}

struct summand__outer_block summand__outer_own(const struct summand__outer_build *build, int l);
/* The part of G that a rank makes: rows, if the result is whole or for a root. */
struct summand__outer_block summand__outer_made(const struct summand__call *call, int l, int rank);

/* Packs columns [first, first + count) of this rank's a or b of a layer, row by row, into a place
 * from element `to` on; rows are `pitch` elements apart. */
void summand__outer_pack(const struct summand__outer_build *build, int l,
                         enum summand__outer_place which, size_t first, size_t count,
                         uint32_t place, size_t to, size_t pitch);

/* `count` pairs of factors in places: column 0 of the first pair is at elements `a` and `b`. */
struct summand__outer_factors {
    uint32_t place_a, place_b;
    size_t a, b, pitch_a, pitch_b, count;
};

/* Adds the products of the factors to rows and columns of a layer's result. `at`: the element of
 * `place` for (0, 0). `begins`: the result begins at zero. `whole`: the factors are all pairs, and
 * the result is updated as the shape says. */
void summand__outer_product(const struct summand__outer_build *build,
                            const struct summand__outer_factors *factors, uint32_t place, size_t at,
                            size_t pitch, size_t rows, size_t columns, bool begins, bool whole);

/* A place for all factors, pair by pair; this rank's own pairs are packed into it. */
uint32_t summand__outer_own_factors(const struct summand__outer_build *build);
/* The factors of a layer in such a place, of pairs [first, first + count). */
struct summand__outer_factors summand__outer_factors_in(const struct summand__outer_build *build,
                                                        uint32_t place, int l, size_t first,
                                                        size_t count);

/* Sets the place of the scratch of a collective inside. */
void summand__outer_scratch(const struct summand__outer_build *build, uint32_t place,
                            const struct summand__schedule *steps,
                            struct summand__embedding *embedding);

/* Appends a collective inside the call. Its buffers begin at element `at` of a place. */
void summand__outer_embed(const struct summand__outer_build *build,
                          const struct summand__outer_part *part, const struct summand__call *call,
                          uint32_t place, size_t at);

/* a + b. The sum of the depths is an upper bound. */
struct summand__cost summand__outer_add(struct summand__cost a, struct summand__cost b);

/* The cost of one collective inside. */
struct summand__cost summand__outer_part_cost(const struct summand__outer_part *part,
                                              const struct summand__call *call, bool depth);
/* The cost of the collectives of all layers that `part` names: of G's rows, of the rows that are
 * not common (`rest`), or of whole matrices. */
struct summand__cost summand__outer_layers_cost(const struct summand__call *call,
                                                const struct summand__outer_part *part, bool rest,
                                                bool depth);
/* The cost of an allgather of all factors. */
struct summand__cost summand__outer_gather_cost(const struct summand__call *call, bool depth);

/* Estimated seconds of the product of so many rows, columns and pairs. */
double summand__outer_seconds(const struct summand__outer_shape *shape, double rows, double columns,
                              double pairs, const struct summand__model *model);

/* Additional seconds to gather so many bytes of a result among so many ranks if no cache holds
 * them. The node's model has the time per byte in a cache. */
double summand__outer_uncached_seconds(int ranks, double bytes, const struct summand__model *model);
/* Seconds of gathering a layer's rows of G, or those that are not common, on all ranks. */
double summand__outer_spread_seconds(const struct summand__call *call, int l, bool rest,
                                     const struct summand__model *model);

/* Seconds of copying so many elements of factors. */
double summand__outer_copy_seconds(const struct summand__outer_shape *shape, double elements,
                                   const struct summand__model *model);

/* Seconds to search and pack factors that are not rows of elements. */
double summand__outer_packing_seconds(const struct summand__outer_shape *shape,
                                      const struct summand__model *model);

/* Whether the result may be gathered by rows after the factors, or slices of them: a whole result
 * on all ranks whose rows are contiguous and, if it is updated, the same on all ranks. */
bool summand__outer_spreads(const struct summand__call *call);

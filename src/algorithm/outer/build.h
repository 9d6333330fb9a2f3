/* What the algorithms for sums of outer products share: places, and the steps on them. */
#ifndef SUMMAND_ALGORITHM_OUTER_BUILD_H
#define SUMMAND_ALGORITHM_OUTER_BUILD_H

#include "algorithm/call.h"
#include "algorithm/outer/shape.h"
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
    uint32_t room;       /* a temporary place of elements of the result, which grows */
    bool partial;        /* products make parts of rows, which are not done then */
};

/* So many more elements of that place, from `*first` on: layers share it, as a schedule has fewer
 * places than they would take. */
uint32_t summand__outer_room(const struct summand__outer_build *build, size_t count, size_t *first);

/* Adds the caller's places. */
struct summand__outer_build summand__outer_begin(const struct summand__call *call,
                                                 struct summand__schedule *schedule);

/* Pairs of a rank, or of all before it. */
static inline size_t summand__outer_pairs(const struct summand__call *call, int rank)
{
    return call->outer->pairs[rank + 1] - call->outer->pairs[rank];
}

/* Elements that this rank gets of parcels of the ranks before one. */
static inline size_t summand__outer_parcels_before(const struct summand__call *call, int rank)
{
    size_t before = 0;
    for (int r = 0; r < rank; r++)
        before += call->outer->parcel[(size_t)r * (size_t)call->ranks + (size_t)call->rank];
    return before;
}

struct summand__outer_block summand__outer_own(const struct summand__outer_build *build, int l);

/* Columns [first, first + count) of this rank's a or b of a layer go to row-major elements of a
 * place from `to` on, `pitch` apart. */
void summand__outer_pack(const struct summand__outer_build *build, int l,
                         enum summand__outer_place which, size_t first, size_t count,
                         uint32_t place, size_t to, size_t pitch);

/* Factors as they lie: pairs [first, first + count), column 0 of each at `a` and `b` of places. */
struct summand__outer_factors {
    uint32_t place_a, place_b;
    size_t a, b, pitch_a, pitch_b, count;
};

/* Rows and columns of a layer's result += its factors; `at`: the element of `place` with (0, 0) of
 * these. `begins`: from zero on. Whole: these are all pairs, and the result is to be updated as the
 * shape says. */
void summand__outer_product(const struct summand__outer_build *build,
                            const struct summand__outer_factors *factors, uint32_t place, size_t at,
                            size_t pitch, size_t rows, size_t columns, bool begins, bool whole);

/* A place for all factors, pair by pair; with this rank's own pairs packed. */
uint32_t summand__outer_own_factors(const struct summand__outer_build *build);
/* The factors of a layer in such a place, of pairs [first, first + count). */
struct summand__outer_factors summand__outer_factors_in(const struct summand__outer_build *build,
                                                        uint32_t place, int l, size_t first,
                                                        size_t count);

/* Where the scratch of a collective inside lies, beside that place. */
void summand__outer_scratch(const struct summand__outer_build *build, uint32_t place,
                            const struct summand__schedule *steps,
                            struct summand__embedding *embedding);

/* A collective inside, whose recvbuf begins at element `at` of a place. */
void summand__outer_embed(const struct summand__outer_build *build,
                          const struct summand__outer_part *part, const struct summand__call *call,
                          uint32_t place, size_t at);

/* a + b, but for the depths, which add up to a bound. */
struct summand__cost summand__outer_add(struct summand__cost a, struct summand__cost b);

/* Of one collective inside. */
struct summand__cost summand__outer_part_cost(const struct summand__outer_part *part,
                                              const struct summand__call *call, bool depth);
/* Of the collective of each layer that `part` names: of G's rows, of those that are not common, or
 * of whole G's. */
struct summand__cost summand__outer_layers_cost(const struct summand__call *call,
                                                const struct summand__outer_part *part, bool rest,
                                                bool depth);
/* Of an allgather of all factors. */
struct summand__cost summand__outer_gather_cost(const struct summand__call *call, bool depth);

/* Seconds of the product of so many rows and columns by so many pairs, about. */
double summand__outer_seconds(const struct summand__outer_shape *shape, double rows, double columns,
                              double pairs, const struct summand__model *model);

/* What gathering so many bytes of a result takes longer where no cache holds them, among so many
 * ranks: the bytes of a node's model are those of a cache. */
double summand__outer_uncached_seconds(int ranks, double bytes, const struct summand__model *model);
/* Seconds of gathering a layer's rows of G, or those that are not common, on all ranks. */
double summand__outer_spread_seconds(const struct summand__call *call, int l, bool rest,
                                     const struct summand__model *model);

/* Seconds of copying so many elements of factors. */
double summand__outer_copy_seconds(const struct summand__outer_shape *shape, double elements,
                                   const struct summand__model *model);

/* Algorithms keep the order of pairs; those that gather all factors, or slices of them, and then
 * the result by rows, do so where the rows of all results lie one behind the other. */
bool summand__outer_spreads(const struct summand__call *call);

#endif

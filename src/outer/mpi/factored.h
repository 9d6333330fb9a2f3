/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products that no schedule of the table computes: of lists, of matrices with their
 * own pairs, and in tiles that are not stored. Factors travel as blocks of words of any length.
 * Then each rank computes its results from the blocks of all ranks. There are two methods:
 * - outer-gather: a rank has one block with all its factors, which is gathered like the factors of
 *   one matrix.
 * - outer-slices: a rank has a block for each other rank, with the slices for the other's part.
 *
 * A block holds for each matrix in turn: the number of its pairs; a; b, unless b is a. A list is
 * begin, index, value; dense factors are rows of elements. Each begins at a word. If a part is
 * empty, the block holds nothing for it. */
#pragma once

#include "outer/mpi/outer.h"

/* A matrix's factors in a rank's block. */
struct summand__outer_segment {
    size_t pairs;
    struct summand__outer_list a, b;
    const uint64_t *next; /* of the block: the next matrix */
};

struct summand__outer_factored {
    struct summand__outer_arguments arguments; /* matrices and lists are its own */
    summand_outer_matrix *matrices;
    summand_outer_list *lists;            /* of a and b of each */
    summand_outer_compressed *compressed; /* of each */
    int rank, ranks;
    bool slices;          /* a block for each rank, else one for all */
    bool changed;         /* the factors need another amount of memory than the plan has */
    uint64_t *own, *all;  /* this rank's blocks to send, and the received blocks in rank order */
    size_t *sent, *first; /* ranks + 1 each: displacements of the blocks in `own` and in `all` */
    size_t *parcel; /* of slices: words from each rank to each, as in outer/shape.h; else NULL */
    size_t *pairs, *hits;                   /* of all ranks, of each matrix; elements of a */
    struct summand__outer_segment *segment; /* of each rank, of the current matrix */
    uint32_t *every;                        /* 0, 1, 2, ... */
    void *room;                             /* of results.c */
};

enum { SUMMAND__OUTER_WHOLE = -1 }; /* instead of a rank: all factors */
/* In place of a block's first number: the factors of its rank have changed (`changed`). */
#define SUMMAND__OUTER_CHANGED UINT64_MAX

/* block.c. True if the ranks exchange the lengths of slices; the same on all ranks. */
bool summand__outer_may_slice(const struct summand__outer_arguments *arguments, int ranks);
/* The number of words that each rank sends to all: pairs and elements of a of each matrix, the
 * length of the whole block, and that of the slices for each rank. */
static inline size_t summand__outer_told_words(const struct summand__outer_arguments *arguments,
                                               int ranks)
{
    return 2 * (size_t)arguments->n + 1 +
           (summand__outer_may_slice(arguments, ranks) ? (size_t)ranks : 0);
}
void summand__outer_tell(const struct summand__outer_arguments *arguments, int ranks,
                         uint64_t *words);
void summand__outer_pack_block(struct summand__outer_factored *factored);
/* first_segments sets the segments to all ranks' factors of the first matrix; next_segments to
 * those of the next one. Returns a rank whose factors differ from its announced numbers, or the
 * number of ranks. */
int summand__outer_first_segments(struct summand__outer_factored *factored);
void summand__outer_next_segments(struct summand__outer_factored *factored, int m);

/* factored.c. NULL: out of memory. `told`: words of all ranks. */
struct summand__outer_factored *
summand__outer_factored(const struct summand__outer_arguments *arguments, int rank, int ranks,
                        const uint64_t *told, bool slices);
/* Allocates memory for blocks and results. False when out of memory. */
bool summand__outer_factored_reserve(struct summand__outer_factored *factored);
void summand__outer_factored_free(struct summand__outer_factored *factored);
void summand__outer_factored_rebind(struct summand__outer_factored *factored,
                                    const struct summand__outer_arguments *arguments);

/* Approximate seconds for a rank to search its own pairs and those that it gets; and the most words
 * that a rank packs. The same on all ranks. */
double summand__outer_looks(const struct summand__outer_factored *factored, const uint64_t *told,
                            size_t *packed);

/* The call that moves the blocks: gathers them, or sends each rank its own. */
struct summand__outer_arguments
summand__outer_gathering(const struct summand__outer_factored *factored,
                         summand_outer_matrix *matrix);

/* results.c: bytes for computing the results. And: computes all results; an MPI error code. */
size_t summand__outer_results_room(const struct summand__outer_factored *factored);
int summand__outer_make_results(struct summand__outer_factored *factored);

/* compressed.c: the same for one matrix as compressed rows, with its segments set. */
size_t summand__outer_compressed_room(const struct summand__outer_factored *factored, int m);
int summand__outer_make_compressed(struct summand__outer_factored *factored, int m);

static inline struct summand__outer_block
summand__outer_factored_block(const struct summand__outer_factored *factored, int m)
{
    return summand__outer_part_of(&factored->arguments, m, factored->rank, factored->ranks);
}

enum { SUMMAND__OUTER_ALIGNED = 64 };

/* So many bytes, rounded up to a cache line. */
static inline size_t summand__outer_rounded(size_t bytes)
{
    return (bytes + SUMMAND__OUTER_ALIGNED - 1) / SUMMAND__OUTER_ALIGNED * SUMMAND__OUTER_ALIGNED;
}

/* The next bytes of `*room`. */
static inline void *summand__outer_take(char **room, size_t bytes)
{
    char *taken = (char *)summand__outer_rounded((uintptr_t)*room);
    *room = taken + bytes;
    return taken;
}

/* The first matrix whose factors exceed options.room; the number of matrices if there is none. */
int summand__outer_factored_beyond(const struct summand__outer_factored *factored,
                                   const summand_outer_options *options);

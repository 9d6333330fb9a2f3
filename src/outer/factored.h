/* Sums of outer products that schedules of the table do not make: of lists, of matrices that have
 * pairs of their own, in tiles that nobody keeps. Each rank's factors travel as one block of words
 * of any length, gathered like the factors of one matrix; then each rank makes its results of all
 * blocks. What a block holds, for each matrix in turn: the number of its pairs; a; b, unless it is
 * a. Of a list begin, index, value; else rows of elements. Each begins at a word. */
#ifndef SUMMAND_OUTER_FACTORED_H
#define SUMMAND_OUTER_FACTORED_H

#include "outer/outer.h"

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
    uint64_t *own, *all;                    /* this rank's block, and those of all in their order */
    size_t *first;                          /* ranks + 1: where each rank's begins in `all` */
    size_t *pairs, *hits;                   /* of all ranks, of each matrix; elements of a */
    struct summand__outer_segment *segment; /* of each rank, of the matrix at hand */
    uint32_t *every;                        /* 0, 1, 2, ... */
    void *room;                             /* of results.c */
};

/* block.c. What each rank tells of itself: words of each matrix, then of the block. */
static inline size_t summand__outer_told_words(const struct summand__outer_arguments *arguments)
{
    return 2 * (size_t)arguments->n + 1;
}
void summand__outer_tell(const struct summand__outer_arguments *arguments, uint64_t *words);
void summand__outer_pack_block(struct summand__outer_factored *factored);
/* The factors of the next matrix, of all ranks; they begin with the first one. */
void summand__outer_first_segments(struct summand__outer_factored *factored);
void summand__outer_next_segments(struct summand__outer_factored *factored, int m);

/* factored.c. NULL: out of memory. `told`: words of all ranks. */
struct summand__outer_factored *
summand__outer_factored(const struct summand__outer_arguments *arguments, int rank, int ranks,
                        const uint64_t *told);
void summand__outer_factored_free(struct summand__outer_factored *factored);
void summand__outer_factored_rebind(struct summand__outer_factored *factored,
                                    const struct summand__outer_arguments *arguments);

/* The call that gathers the blocks. */
struct summand__outer_arguments
summand__outer_gathering(const struct summand__outer_factored *factored,
                         summand_outer_matrix *matrix);

/* results.c: bytes that the results take; and all of them. An MPI error code. */
size_t summand__outer_results_room(const struct summand__outer_factored *factored);
int summand__outer_make_results(struct summand__outer_factored *factored);

/* compressed.c: the same of one matrix as compressed rows, with its segments at hand. */
size_t summand__outer_compressed_room(const struct summand__outer_factored *factored, int m);
int summand__outer_make_compressed(struct summand__outer_factored *factored, int m);

static inline struct summand__outer_block
summand__outer_factored_block(const struct summand__outer_factored *factored, int m)
{
    return summand__outer_part_of(&factored->arguments, m, factored->rank, factored->ranks);
}

enum { SUMMAND__OUTER_ALIGNED = 64 };

/* So many bytes, and what brings the next ones to a line of the cache. */
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

#endif

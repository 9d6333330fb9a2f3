/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks: packs this rank's factors, and reads the factors in the blocks of all ranks. */
#include "outer/mpi/factored.h"

#include <string.h>

enum { WORD = sizeof(uint64_t) };

bool summand__outer_is_factored(const struct summand__outer_arguments *arguments)
{
    bool lists = false;
    for (int m = 0; m < arguments->n; m++)
        lists = lists || arguments->matrices[m].list_a || arguments->matrices[m].list_b;
    return lists || arguments->options.tile || arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX;
}

/* Beyond that limit the agreement of the ranks would be longer than many factors. */
bool summand__outer_may_slice(const struct summand__outer_arguments *arguments, int ranks)
{
    enum { MOST = 128 };
    const summand_outer_options *o = &arguments->options;
    const struct summand__algorithm *algorithm =
        o->algorithm ? summand__algorithm_named(o->algorithm) : NULL;
    const bool named = algorithm && algorithm->takes_slices;
    const bool parts = o->result == SUMMAND_OUTER_ROWS || o->result == SUMMAND_OUTER_BLOCKS ||
                       arguments->root != SUMMAND_ROOT_ALL;
    return parts &&
           (named || (!o->algorithm && !o->inside.algorithm && ranks > 1 && ranks <= MOST));
}

/* The share of a rank's block: all of it, or the needs of a rank's part of each matrix. */
struct taken {
    bool whole;
    struct summand__outer_block block;
};

static struct taken taken_of(const struct summand__outer_arguments *arguments, int m, int rank,
                             int ranks)
{
    const summand_outer_matrix *matrix = &arguments->matrices[m];
    if (rank == SUMMAND__OUTER_WHOLE)
        return (struct taken){true, {0, (size_t)matrix->rows, 0, (size_t)matrix->columns}};
    return (struct taken){false, summand__outer_part_of(arguments, m, rank, ranks)};
}

/* A rank with an empty part of a matrix takes nothing of it. */
static bool is_nothing(const struct taken *taken)
{
    return !taken->whole && !(taken->block.rows && taken->block.columns);
}

/* A symmetric matrix has one factor if the part takes the same elements as a and as b. */
static bool has_b(const summand_outer_matrix *matrix, const struct taken *taken)
{
    const struct summand__outer_block *block = &taken->block;
    return !matrix->symmetric || block->row != block->column || block->rows != block->columns;
}

/* One factor of this rank, as the caller gave it, and the elements of it that are taken. */
struct given {
    const summand_outer_list *list; /* or NULL */
    const char *data;
    size_t lead, first, width;
    bool all; /* every element */
};

static struct given given_of(const summand_outer_matrix *matrix, const struct taken *taken, bool a)
{
    const struct summand__outer_block *block = &taken->block;
    const bool from_a = a || matrix->symmetric;
    const size_t width = (size_t)(a ? matrix->rows : matrix->columns);
    const MPI_Count lead = from_a ? matrix->lead_a : matrix->lead_b;
    struct given given = {.list = from_a ? matrix->list_a : matrix->list_b,
                          .data = from_a ? matrix->a : matrix->b,
                          .lead = lead ? (size_t)lead : width,
                          .first = a ? block->row : block->column,
                          .width = a ? block->rows : block->columns};
    given.all = given.width == width;
    return given;
}

/* The first element of a list from number `from` to `end` whose index is at least `least`. The last
 * few elements are searched linearly, as many lists are short. */
static inline size_t find(const uint32_t *index, size_t from, size_t end, size_t least)
{
    enum { FEW = 16 };
    while (end - from > FEW) {
        const size_t middle = from + (end - from) / 2;
        if (index[middle] < least)
            from = middle + 1;
        else
            end = middle;
    }
    while (from < end && index[from] < least)
        from++;
    return from;
}

/* Elements [first, end) of a factor of a pair. */
struct span {
    size_t first, end;
};

enum { TAKERS = 16 }; /* ranks that one pass over the pairs serves */

/* The slices of a factor, each once, and their places in the current pair. */
struct slices {
    int count;
    struct given given[TAKERS];
    struct span span[TAKERS];
};

/* Returns the slice's number. */
static int add_slice(struct slices *slices, const struct given *given)
{
    int number = 0;
    while (number < slices->count && (slices->given[number].first != given->first ||
                                      slices->given[number].width != given->width))
        number++;
    if (number == slices->count)
        slices->given[slices->count++] = *given;
    return number;
}

/* Finds the spans of pair k. Most slices begin at the end of the one before. */
static void find_spans(struct slices *slices, size_t k)
{
    size_t behind = 0, end = 0; /* the slice before: its end, also in elements */
    for (int s = 0; s < slices->count; s++) {
        const struct given *given = &slices->given[s];
        const summand_outer_list *list = given->list;
        struct span *span = &slices->span[s];
        *span = (struct span){0, given->width};
        if (!list)
            continue;
        *span = (struct span){(size_t)list->begin[k], (size_t)list->begin[k + 1]};
        if (given->all)
            continue;
        const size_t last = span->end;
        span->first =
            s && given->first == behind ? end : find(list->index, span->first, last, given->first);
        behind = given->first + given->width;
        end = span->end = find(list->index, span->first, last, behind);
    }
}

static size_t words(size_t bytes)
{
    return (bytes + WORD - 1) / WORD;
}

static size_t words_of(size_t pairs, size_t elements, bool list, size_t unit)
{
    return (list ? pairs + 1 + words(elements * sizeof(uint32_t)) : 0) + words(elements * unit);
}

static size_t factor_size(const struct summand__outer_arguments *arguments)
{
    return summand__outer_factor_size(arguments->type);
}

/* The pairs that are sent, and their elements. */
struct size {
    size_t pairs, a, b;
};

/* The place to write the next part of a factor. */
struct writer {
    uint64_t *begin, done;
    char *index, *value;
};

/* A rank, or all: its share of a matrix, and the place of that share. */
struct taker {
    bool takes, has_b;
    int a, b; /* indices of its slices */
    struct size size;
    struct writer to_a, to_b;
};

struct takers {
    int count;
    struct taker taker[TAKERS];
    struct slices a, b;
};

/* For ranks [first, first + count), at most TAKERS, or for all. */
static void meet_takers(const struct summand__outer_arguments *arguments, int m, int first,
                        int count, int ranks, struct takers *takers)
{
    const summand_outer_matrix *matrix = &arguments->matrices[m];
    takers->count = count;
    takers->a.count = takers->b.count = 0;
    for (int t = 0; t < count; t++) {
        const struct taken taken = taken_of(arguments, m, first + t, ranks);
        const struct given a = given_of(matrix, &taken, true), b = given_of(matrix, &taken, false);
        struct taker *taker = &takers->taker[t];
        *taker = (struct taker){.takes = !is_nothing(&taken), .has_b = has_b(matrix, &taken)};
        taker->a = taker->takes ? add_slice(&takers->a, &a) : 0;
        taker->b = taker->takes ? add_slice(&takers->b, &b) : 0;
    }
}

static void put(const struct given *given, struct span span, size_t k, size_t unit,
                struct writer *to)
{
    const size_t count = span.end - span.first;
    const char *from = given->list ? (const char *)given->list->value + span.first * unit
                                   : given->data + (k * given->lead + given->first) * unit;
    if (given->list) {
        memcpy(to->index, given->list->index + span.first, count * sizeof(uint32_t));
        to->index += count * sizeof(uint32_t);
        to->done += count;
        *++to->begin = to->done;
    }
    if (count)
        memcpy(to->value, from, count * unit);
    to->value += count * unit;
}

/* Counts each taker's share of all pairs, or packs it. A pair is not sent if one of its lists has
 * nothing to send. */
static void pass(const struct summand__outer_arguments *arguments, int m, struct takers *takers,
                 bool packs)
{
    const size_t pairs = summand__outer_pairs_of(arguments, m), unit = factor_size(arguments);
    const bool list_a = takers->a.count && takers->a.given[0].list;
    const bool list_b = takers->b.count && takers->b.given[0].list;
    for (size_t k = 0; k < pairs; k++) {
        find_spans(&takers->a, k);
        find_spans(&takers->b, k);
        for (int t = 0; t < takers->count; t++) {
            struct taker *taker = &takers->taker[t];
            const struct span a = takers->a.span[taker->a], b = takers->b.span[taker->b];
            if (!taker->takes || (list_a && a.first == a.end) || (list_b && b.first == b.end))
                continue;
            if (packs)
                put(&takers->a.given[taker->a], a, k, unit, &taker->to_a);
            if (packs && taker->has_b)
                put(&takers->b.given[taker->b], b, k, unit, &taker->to_b);
            taker->size.pairs += !packs;
            taker->size.a += packs ? 0 : a.end - a.first;
            taker->size.b += packs ? 0 : b.end - b.first;
        }
    }
}

/* Sets the sizes of the takers' shares. */
static void count_for(const struct summand__outer_arguments *arguments, int m,
                      struct takers *takers)
{
    const summand_outer_matrix *matrix = &arguments->matrices[m];
    const size_t pairs = summand__outer_pairs_of(arguments, m);
    if (matrix->list_a || matrix->list_b) {
        pass(arguments, m, takers, false);
        return;
    }
    for (int t = 0; t < takers->count; t++) {
        struct taker *taker = &takers->taker[t];
        if (taker->takes)
            taker->size = (struct size){pairs, pairs * takers->a.given[taker->a].width,
                                        pairs * takers->b.given[taker->b].width};
    }
}

/* Words of taker t. */
static size_t words_taken(const struct takers *takers, int t, size_t unit)
{
    const struct taker *taker = &takers->taker[t];
    const struct size *size = &taker->size;
    if (!taker->takes)
        return 0;
    return 1 + words_of(size->pairs, size->a, takers->a.given[taker->a].list, unit) +
           (taker->has_b ? words_of(size->pairs, size->b, takers->b.given[taker->b].list, unit)
                         : 0);
}

/* Words for ranks [first, first + count), at most TAKERS. */
static void words_for(const struct summand__outer_arguments *arguments, int first, int count,
                      int ranks, uint64_t *all)
{
    struct takers takers;
    memset(all, 0, (size_t)count * sizeof *all);
    for (int m = 0; m < arguments->n; m++) {
        meet_takers(arguments, m, first, count, ranks, &takers);
        count_for(arguments, m, &takers);
        for (int t = 0; t < count; t++)
            all[t] += words_taken(&takers, t, factor_size(arguments));
    }
}

static int at_most(int most, int count)
{
    return count < most ? count : most;
}

void summand__outer_tell(const struct summand__outer_arguments *arguments, int ranks,
                         uint64_t *told)
{
    struct takers whole;
    size_t all = 0;
    for (int m = 0; m < arguments->n; m++) {
        meet_takers(arguments, m, SUMMAND__OUTER_WHOLE, 1, ranks, &whole);
        count_for(arguments, m, &whole);
        told[m] = whole.taker->size.pairs;
        told[arguments->n + m] = whole.taker->size.a;
        all += words_taken(&whole, 0, factor_size(arguments));
    }
    told += 2 * arguments->n;
    *told++ = all;
    for (int r = 0; r < ranks && summand__outer_may_slice(arguments, ranks); r += TAKERS)
        words_for(arguments, r, at_most(TAKERS, ranks - r), ranks, told + r);
}

/* Lays out the parts of a factor; returns its words. */
static size_t lay_out(const struct given *given, size_t pairs, size_t elements, size_t unit,
                      uint64_t *to, struct writer *writer)
{
    const size_t ahead = given->list ? pairs + 1 : 0;
    *writer = (struct writer){.begin = to, .index = (char *)(to + ahead)};
    writer->value = (char *)(to + ahead + (given->list ? words(elements * sizeof(uint32_t)) : 0));
    if (given->list)
        *to = 0;
    return words_of(pairs, elements, given->list, unit);
}

static void lay_out_both(struct takers *takers, int t, size_t unit, uint64_t *to)
{
    struct taker *taker = &takers->taker[t];
    const struct size *size = &taker->size;
    *to++ = size->pairs;
    to += lay_out(&takers->a.given[taker->a], size->pairs, size->a, unit, to, &taker->to_a);
    if (taker->has_b)
        lay_out(&takers->b.given[taker->b], size->pairs, size->b, unit, to, &taker->to_b);
}

/* Packs the shares of ranks [first, first + count) contiguously from `begin` on. Block t ends at
 * word begin[t + 1], as agreed when the plan was made. False if a block has another length. */
static bool pack_for(const struct summand__outer_factored *factored, int first, int count,
                     const size_t *begin)
{
    const struct summand__outer_arguments *arguments = &factored->arguments;
    const size_t unit = factor_size(arguments);
    struct takers takers;
    size_t next[TAKERS];
    bool good = true;
    memcpy(next, begin, (size_t)count * sizeof *next);
    for (int m = 0; m < arguments->n; m++) {
        meet_takers(arguments, m, first, count, factored->ranks, &takers);
        count_for(arguments, m, &takers);
        for (int t = 0; t < count; t++) {
            const size_t from = next[t];
            next[t] += words_taken(&takers, t, unit);
            takers.taker[t].takes &= next[t] <= begin[t + 1];
            if (takers.taker[t].takes)
                lay_out_both(&takers, t, unit, factored->own + from);
        }
        pass(arguments, m, &takers, true);
    }
    for (int t = 0; t < count; t++) {
        const bool is_changed = next[t] != begin[t + 1];
        good &= !is_changed;
        if (is_changed && begin[t + 1] > begin[t])
            factored->own[begin[t]] = SUMMAND__OUTER_CHANGED;
    }
    return good;
}

void summand__outer_pack_block(struct summand__outer_factored *factored)
{
    factored->changed = false;
    if (!factored->slices)
        factored->changed = !pack_for(factored, SUMMAND__OUTER_WHOLE, 1, factored->sent);
    for (int r = 0; r < factored->ranks && factored->slices; r += TAKERS)
        factored->changed |=
            !pack_for(factored, r, at_most(TAKERS, factored->ranks - r), factored->sent + r);
}

int summand__outer_first_segments(struct summand__outer_factored *factored)
{
    int changed = factored->ranks;
    for (int r = 0; r < factored->ranks; r++) {
        const bool any = factored->first[r + 1] > factored->first[r];
        factored->segment[r].next = factored->all + factored->first[r];
        if (any && *factored->segment[r].next == SUMMAND__OUTER_CHANGED)
            changed = r;
    }
    return changed;
}

/* Reads a factor in a block; returns the word after it. */
static const uint64_t *read_factor(const struct summand__outer_factored *factored,
                                   const struct given *given, size_t pairs, const uint64_t *from,
                                   struct summand__outer_list *list)
{
    const size_t unit = factor_size(&factored->arguments);
    if (!given->list) {
        *list = (struct summand__outer_list){
            .index = factored->every + given->first, .value = from, .width = given->width};
        return from + words_of(pairs, pairs * given->width, false, unit);
    }
    const size_t elements = (size_t)from[pairs];
    *list = (struct summand__outer_list){
        .begin = from,
        .index = (const uint32_t *)(const void *)(from + pairs + 1),
        .value = from + pairs + 1 + words(elements * sizeof(uint32_t))};
    return from + words_of(pairs, elements, true, unit);
}

void summand__outer_next_segments(struct summand__outer_factored *factored, int m)
{
    const summand_outer_matrix *matrix = &factored->arguments.matrices[m];
    const struct taken taken =
        taken_of(&factored->arguments, m, factored->slices ? factored->rank : SUMMAND__OUTER_WHOLE,
                 factored->ranks);
    const struct given a = given_of(matrix, &taken, true), b = given_of(matrix, &taken, false);
    for (int r = 0; r < factored->ranks; r++) {
        struct summand__outer_segment *s = &factored->segment[r];
        s->pairs = is_nothing(&taken) ? 0 : (size_t)*s->next++;
        if (is_nothing(&taken))
            continue;
        s->next = read_factor(factored, &a, s->pairs, s->next, &s->a);
        s->b = s->a;
        if (has_b(matrix, &taken))
            s->next = read_factor(factored, &b, s->pairs, s->next, &s->b);
    }
}

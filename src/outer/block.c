/* A rank's block: what it has, packed; and the factors that are found in all ranks' blocks. */
#include "outer/factored.h"

#include <string.h>

enum { WORD = sizeof(uint64_t) };

bool summand__outer_is_factored(const struct summand__outer_arguments *arguments)
{
    bool lists = false;
    for (int m = 0; m < arguments->n; m++)
        lists = lists || arguments->matrices[m].list_a || arguments->matrices[m].list_b;
    return lists || arguments->options.tile || arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX;
}

/* Beyond that what the ranks tell each other would be longer than many factors. */
bool summand__outer_may_slice(const struct summand__outer_arguments *arguments, int ranks)
{
    enum { MOST = 128 };
    const summand_outer_options *o = &arguments->options;
    const bool named = o->algorithm && !strcmp(o->algorithm, "outer-slices");
    const bool parts = o->result == SUMMAND_OUTER_ROWS || o->result == SUMMAND_OUTER_BLOCKS ||
                       o->result == SUMMAND_OUTER_ROOT;
    return parts &&
           (named || (!o->algorithm && !o->inside.algorithm && ranks > 1 && ranks <= MOST));
}

/* What of a rank's block is meant: all of it, or what a rank's part of each matrix takes. */
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

/* A rank whose part of a matrix is empty takes nothing of it. */
static bool is_nothing(const struct taken *taken)
{
    return !taken->whole && !(taken->block.rows && taken->block.columns);
}

/* A symmetric matrix has one factor where the part takes as much of it as a and as b. */
static bool has_b(const summand_outer_matrix *matrix, const struct taken *taken)
{
    const struct summand__outer_block *block = &taken->block;
    return !matrix->symmetric || block->row != block->column || block->rows != block->columns;
}

/* One factor of this rank, as the caller gave it, and which elements of it are taken. */
struct given {
    const summand_outer_list *list; /* or NULL */
    const char *data;
    size_t ld, first, width;
    bool all; /* every element */
};

static struct given given_of(const summand_outer_matrix *matrix, const struct taken *taken, bool a)
{
    const struct summand__outer_block *block = &taken->block;
    const bool from_a = a || matrix->symmetric;
    const size_t width = (size_t)(a ? matrix->rows : matrix->columns);
    const MPI_Count ld = from_a ? matrix->lda : matrix->ldb;
    struct given given = {.list = from_a ? matrix->list_a : matrix->list_b,
                          .data = from_a ? matrix->a : matrix->b,
                          .ld = ld ? (size_t)ld : width,
                          .first = a ? block->row : block->column,
                          .width = a ? block->rows : block->columns};
    given.all = given.width == width;
    return given;
}

/* The first element of a list from number `from` to `end` whose index is at least that. */
static size_t find(const summand_outer_list *list, size_t from, size_t end, size_t index)
{
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (list->index[middle] < index)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/* Elements [first, end) of a list, of pair k. */
struct span {
    size_t first, end;
};

static struct span span_of(const struct given *given, size_t k)
{
    const summand_outer_list *list = given->list;
    struct span span = {(size_t)list->begin[k], (size_t)list->begin[k + 1]};
    if (given->all)
        return span;
    span.first = find(list, span.first, span.end, given->first);
    span.end = find(list, span.first, span.end, given->first + given->width);
    return span;
}

static size_t elements_in(const struct given *given, size_t k)
{
    const struct span span = given->list ? span_of(given, k) : (struct span){0, given->width};
    return span.end - span.first;
}

/* A pair is not sent where one of its lists has nothing to send. */
static bool is_sent(const struct given *a, const struct given *b, size_t k)
{
    return (!a->list || elements_in(a, k)) && (!b->list || elements_in(b, k));
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
    return summand__outer_factor_size((enum summand__outer_type)arguments->type);
}

/* The pairs that are sent, and their elements. */
struct size {
    size_t pairs, a, b;
};

static struct size size_of(const struct summand__outer_arguments *arguments, int m,
                           const struct taken *taken)
{
    const summand_outer_matrix *matrix = &arguments->matrices[m];
    const struct given a = given_of(matrix, taken, true), b = given_of(matrix, taken, false);
    const size_t pairs = summand__outer_pairs_of(arguments, m);
    struct size size = {0, 0, 0};
    if (is_nothing(taken))
        return size;
    if (!a.list && !b.list)
        return (struct size){pairs, pairs * a.width, pairs * b.width};
    for (size_t k = 0; k < pairs; k++) {
        const size_t of_a = elements_in(&a, k), of_b = !a.list || of_a ? elements_in(&b, k) : 0;
        if ((a.list && !of_a) || (b.list && !of_b))
            continue;
        size.pairs++;
        size.a += of_a;
        size.b += of_b;
    }
    return size;
}

static size_t words_taken(const struct summand__outer_arguments *arguments, int m,
                          const struct taken *taken, const struct size *size)
{
    const summand_outer_matrix *matrix = &arguments->matrices[m];
    const size_t unit = factor_size(arguments);
    if (is_nothing(taken))
        return 0;
    return 1 + words_of(size->pairs, size->a, matrix->list_a, unit) +
           (has_b(matrix, taken)
                ? words_of(size->pairs, size->b,
                           matrix->symmetric ? matrix->list_a : matrix->list_b, unit)
                : 0);
}

static size_t words_for(const struct summand__outer_arguments *arguments, int rank, int ranks)
{
    size_t all = 0;
    for (int m = 0; m < arguments->n; m++) {
        const struct taken taken = taken_of(arguments, m, rank, ranks);
        const struct size size = size_of(arguments, m, &taken);
        all += words_taken(arguments, m, &taken, &size);
    }
    return all;
}

void summand__outer_tell(const struct summand__outer_arguments *arguments, int ranks,
                         uint64_t *told)
{
    size_t all = 0;
    for (int m = 0; m < arguments->n; m++) {
        const struct taken taken = taken_of(arguments, m, SUMMAND__OUTER_WHOLE, ranks);
        const struct size size = size_of(arguments, m, &taken);
        told[m] = size.pairs;
        told[arguments->n + m] = size.a;
        all += words_taken(arguments, m, &taken, &size);
    }
    told += 2 * arguments->n;
    *told++ = all;
    for (int r = 0; r < ranks && summand__outer_may_slice(arguments, ranks); r++)
        *told++ = words_for(arguments, r, ranks);
}

/* A factor goes to `to`; the words that it takes. */
static size_t pack_list(const struct given *list, const struct given *other, bool is_a,
                        const struct size *size, size_t pairs, size_t unit, uint64_t *to)
{
    const size_t elements = is_a ? size->a : size->b;
    uint64_t *begin = to;
    char *index = (char *)(to + size->pairs + 1);
    char *value = (char *)(to + size->pairs + 1 + words(elements * sizeof(uint32_t)));
    size_t done = 0;
    *begin++ = 0;
    for (size_t k = 0; k < pairs; k++) {
        if (!is_sent(list, other, k))
            continue;
        const struct span span = span_of(list, k);
        const size_t count = span.end - span.first;
        memcpy(index + done * sizeof(uint32_t), list->list->index + span.first,
               count * sizeof(uint32_t));
        memcpy(value + done * unit, (const char *)list->list->value + span.first * unit,
               count * unit);
        done += count;
        *begin++ = done;
    }
    return words_of(size->pairs, elements, true, unit);
}

static size_t pack_factor(const struct summand__outer_arguments *arguments, int m, bool is_a,
                          const struct taken *taken, const struct size *size, uint64_t *to)
{
    const summand_outer_matrix *matrix = &arguments->matrices[m];
    const struct given given = given_of(matrix, taken, is_a),
                       other = given_of(matrix, taken, !is_a);
    const size_t unit = factor_size(arguments), row = given.width * unit;
    const size_t pairs = summand__outer_pairs_of(arguments, m);
    char *next = (char *)to;
    if (given.list)
        return pack_list(&given, &other, is_a, size, pairs, unit, to);
    for (size_t k = 0; k < pairs && row; k++)
        if (is_sent(&given, &other, k)) {
            memcpy(next, given.data + (k * given.ld + given.first) * unit, row);
            next += row;
        }
    return words_of(size->pairs, is_a ? size->a : size->b, false, unit);
}

/* What a rank takes, which must be as long as was told when the plan was made. */
static bool pack_for(const struct summand__outer_factored *factored, int rank, uint64_t *to,
                     size_t room)
{
    const struct summand__outer_arguments *arguments = &factored->arguments;
    if (words_for(arguments, rank, factored->ranks) != room) {
        if (room)
            *to = SUMMAND__OUTER_CHANGED;
        return false;
    }
    for (int m = 0; m < arguments->n; m++) {
        const struct taken taken = taken_of(arguments, m, rank, factored->ranks);
        const struct size size = size_of(arguments, m, &taken);
        if (is_nothing(&taken))
            continue;
        *to++ = size.pairs;
        to += pack_factor(arguments, m, true, &taken, &size, to);
        if (has_b(&arguments->matrices[m], &taken))
            to += pack_factor(arguments, m, false, &taken, &size, to);
    }
    return true;
}

void summand__outer_pack_block(struct summand__outer_factored *factored)
{
    const size_t *first = factored->sent;
    factored->changed = false;
    if (!factored->slices)
        factored->changed = !pack_for(factored, SUMMAND__OUTER_WHOLE, factored->own, first[1]);
    for (int r = 0; r < factored->ranks && factored->slices; r++)
        factored->changed |=
            !pack_for(factored, r, factored->own + first[r], first[r + 1] - first[r]);
}

bool summand__outer_first_segments(struct summand__outer_factored *factored)
{
    bool good = true;
    for (int r = 0; r < factored->ranks; r++) {
        const bool any = factored->first[r + 1] > factored->first[r];
        factored->segment[r].next = factored->all + factored->first[r];
        good &= !any || *factored->segment[r].next != SUMMAND__OUTER_CHANGED;
    }
    return good;
}

/* A factor in a block; what is behind it. */
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

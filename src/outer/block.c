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

size_t summand__outer_pairs_of(const struct summand__outer_arguments *arguments, int m)
{
    return (size_t)(arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX ? arguments->matrices[m].pairs
                                                                      : arguments->pairs);
}

/* One factor of this rank, as the caller gave it. */
struct given {
    const summand_outer_list *list; /* or NULL */
    const char *data;
    size_t ld, width;
};

static struct given given_of(const summand_outer_matrix *matrix, bool a)
{
    const size_t width = (size_t)(a ? matrix->rows : matrix->columns);
    const MPI_Count ld = a ? matrix->lda : matrix->ldb;
    return (struct given){.list = a ? matrix->list_a : matrix->list_b,
                          .data = a ? matrix->a : matrix->b,
                          .ld = ld ? (size_t)ld : width,
                          .width = width};
}

static bool is_empty(const summand_outer_list *list, size_t k)
{
    return list && list->begin[k] == list->begin[k + 1];
}

static bool is_sent(const summand_outer_matrix *matrix, size_t k)
{
    return !is_empty(matrix->list_a, k) && !is_empty(matrix->list_b, k);
}

static size_t sent_pairs(const struct summand__outer_arguments *arguments, int m)
{
    size_t count = 0;
    for (size_t k = 0; k < summand__outer_pairs_of(arguments, m); k++)
        count += is_sent(&arguments->matrices[m], k);
    return count;
}

/* Of the pairs that are sent. */
static size_t elements_of(const struct summand__outer_arguments *arguments, int m, bool a)
{
    const summand_outer_matrix *matrix = &arguments->matrices[m];
    const struct given given = given_of(matrix, a);
    size_t count = 0;
    for (size_t k = 0; k < summand__outer_pairs_of(arguments, m); k++)
        if (is_sent(matrix, k))
            count += given.list ? (size_t)(given.list->begin[k + 1] - given.list->begin[k])
                                : given.width;
    return count;
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

void summand__outer_tell(const struct summand__outer_arguments *arguments, uint64_t *told)
{
    const size_t unit = factor_size(arguments);
    size_t all = 0;
    for (int m = 0; m < arguments->n; m++) {
        const summand_outer_matrix *matrix = &arguments->matrices[m];
        const size_t pairs = sent_pairs(arguments, m), a = elements_of(arguments, m, true);
        told[m] = pairs;
        told[arguments->n + m] = a;
        all += 1 + words_of(pairs, a, matrix->list_a, unit);
        if (!matrix->symmetric)
            all += words_of(pairs, elements_of(arguments, m, false), matrix->list_b, unit);
    }
    told[2 * arguments->n] = all;
}

/* A factor goes to `to`; the words that it takes. */
static size_t pack_list(const struct summand__outer_arguments *arguments, int m,
                        const summand_outer_list *list, size_t pairs, size_t elements, uint64_t *to)
{
    const size_t unit = factor_size(arguments);
    uint64_t *begin = to;
    char *index = (char *)(to + pairs + 1);
    char *value = (char *)(to + pairs + 1 + words(elements * sizeof(uint32_t)));
    size_t done = 0;
    *begin++ = 0;
    for (size_t k = 0; k < summand__outer_pairs_of(arguments, m); k++) {
        if (!is_sent(&arguments->matrices[m], k))
            continue;
        const size_t first = (size_t)list->begin[k], count = (size_t)list->begin[k + 1] - first;
        memcpy(index + done * sizeof(uint32_t), list->index + first, count * sizeof(uint32_t));
        memcpy(value + done * unit, (const char *)list->value + first * unit, count * unit);
        done += count;
        *begin++ = done;
    }
    return words_of(pairs, elements, true, unit);
}

static size_t pack_factor(const struct summand__outer_arguments *arguments, int m, bool a,
                          uint64_t *to)
{
    const summand_outer_matrix *matrix = &arguments->matrices[m];
    const struct given given = given_of(matrix, a);
    const size_t row = given.width * factor_size(arguments);
    const size_t pairs = sent_pairs(arguments, m), elements = elements_of(arguments, m, a);
    char *next = (char *)to;
    if (given.list)
        return pack_list(arguments, m, given.list, pairs, elements, to);
    for (size_t k = 0; k < summand__outer_pairs_of(arguments, m) && row; k++)
        if (is_sent(matrix, k)) {
            memcpy(next, given.data + k * given.ld * factor_size(arguments), row);
            next += row;
        }
    return words_of(pairs, elements, false, factor_size(arguments));
}

void summand__outer_pack_block(struct summand__outer_factored *factored)
{
    const struct summand__outer_arguments *arguments = &factored->arguments;
    uint64_t *to = factored->own;
    for (int m = 0; m < arguments->n; m++) {
        *to++ = sent_pairs(arguments, m);
        to += pack_factor(arguments, m, true, to);
        if (!arguments->matrices[m].symmetric)
            to += pack_factor(arguments, m, false, to);
    }
}

void summand__outer_first_segments(struct summand__outer_factored *factored)
{
    for (int r = 0; r < factored->ranks; r++)
        factored->segment[r].next = factored->all + factored->first[r];
}

/* A factor in a block; what is behind it. */
static const uint64_t *read_factor(const struct summand__outer_factored *factored, int m, bool a,
                                   size_t pairs, const uint64_t *from,
                                   struct summand__outer_list *list)
{
    const summand_outer_matrix *matrix = &factored->arguments.matrices[m];
    const size_t unit = factor_size(&factored->arguments);
    const size_t width = (size_t)(a ? matrix->rows : matrix->columns);
    if (!(a ? matrix->list_a : matrix->list_b)) {
        *list =
            (struct summand__outer_list){.index = factored->every, .value = from, .width = width};
        return from + words_of(pairs, pairs * width, false, unit);
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
    for (int r = 0; r < factored->ranks; r++) {
        struct summand__outer_segment *s = &factored->segment[r];
        s->pairs = (size_t)*s->next++;
        s->next = read_factor(factored, m, true, s->pairs, s->next, &s->a);
        if (factored->arguments.matrices[m].symmetric)
            s->b = s->a;
        else
            s->next = read_factor(factored, m, false, s->pairs, s->next, &s->b);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/mpi/factored.h"

#include <stdlib.h>

void summand__outer_factored_rebind(struct summand__outer_factored *factored,
                                    const struct summand__outer_arguments *arguments)
{
    factored->arguments = *arguments;
    factored->arguments.matrices = factored->matrices;
    summand__outer_keep_names(&factored->arguments.options);
    for (int m = 0; m < arguments->n; m++) {
        summand_outer_matrix *matrix = &factored->matrices[m];
        *matrix = arguments->matrices[m];
        const summand_outer_list *given[] = {matrix->list_a, matrix->list_b};
        for (int side = 0; side < 2; side++)
            if (given[side])
                factored->lists[2 * m + side] = *given[side];
        matrix->list_a = given[0] ? &factored->lists[2 * m] : NULL;
        matrix->list_b = given[1] ? &factored->lists[2 * m + 1] : NULL;
        if (matrix->compressed) {
            factored->compressed[m] = *matrix->compressed;
            matrix->compressed = &factored->compressed[m];
        }
    }
}

/* Adds up the numbers that the ranks have told. */
static void add_up(struct summand__outer_factored *f, const uint64_t *told)
{
    const size_t n = (size_t)f->arguments.n;
    const size_t step = summand__outer_told_words(&f->arguments, f->ranks);
    const uint64_t *own = told + (size_t)f->rank * step + 2 * n;
    for (int r = 0; r < f->ranks; r++, told += step) {
        const uint64_t *words = told + 2 * n; /* of the whole block, of slices for each rank */
        f->first[r + 1] = f->first[r] + (size_t)(f->slices ? words[1 + f->rank] : words[0]);
        f->sent[r + 1] = f->sent[r] + (size_t)(f->slices ? own[1 + r] : r ? 0 : own[0]);
        for (size_t m = 0; m < n; m++) {
            f->pairs[m] += (size_t)told[m];
            f->hits[m] += (size_t)told[n + m];
        }
        for (int q = 0; q < f->ranks && f->slices; q++)
            f->parcel[(size_t)r * (size_t)f->ranks + (size_t)q] = (size_t)words[1 + q];
    }
}

/* A rank reads a pair once for each slice that it packs. Each rank that has only a part of the
 * result reads each pair of a whole block once. The times are those of an AMD EPYC (family 25,
 * model 17) for lists of 4 to 40 elements on 8 and 48 ranks, within a factor of 2. */
double summand__outer_looks(const struct summand__outer_factored *f, const uint64_t *told,
                            size_t *packed)
{
    static const double look = 1e-8, send = 2.5e-8;
    enum { LEAST_WORDS = 5 }; /* of a pair of lists that is sent */
    const size_t n = (size_t)f->arguments.n, ranks = (size_t)f->ranks;
    const size_t step = summand__outer_told_words(&f->arguments, f->ranks);
    const enum summand_outer_result result = f->arguments.options.result;
    const bool parts = result == SUMMAND_OUTER_ROWS || result == SUMMAND_OUTER_BLOCKS;
    double most = 0, looks = 0;
    *packed = 0;
    for (size_t r = 0; r < ranks; r++, told += step) {
        size_t pairs = 0, words = f->slices ? 0 : (size_t)told[2 * n];
        for (size_t m = 0; m < n; m++)
            pairs += (size_t)told[m];
        for (size_t q = 0; q < ranks && f->slices; q++)
            words += (size_t)told[2 * n + 1 + q];
        const double looked = (double)pairs * (f->slices ? (double)ranks : 1);
        const double fit = (double)words / LEAST_WORDS, sends = looked < fit ? looked : fit;
        const double seconds = looked * look + sends * send;
        most = seconds > most ? seconds : most;
        looks += !f->slices && parts ? (double)pairs * look : 0;
        *packed = words > *packed ? words : *packed;
    }
    looks += most;
    return looks;
}

/* Of dense factors beside lists. */
static size_t longest_row(const struct summand__outer_arguments *arguments)
{
    size_t longest = 0;
    for (int m = 0; m < arguments->n; m++) {
        const summand_outer_matrix *matrix = &arguments->matrices[m];
        const size_t a = matrix->list_b && !matrix->list_a ? (size_t)matrix->rows : 0;
        const size_t b =
            matrix->list_a && !matrix->list_b && !matrix->symmetric ? (size_t)matrix->columns : 0;
        longest = a > longest ? a : longest;
        longest = b > longest ? b : longest;
    }
    return longest;
}

bool summand__outer_factored_reserve(struct summand__outer_factored *f)
{
    const size_t longest = longest_row(&f->arguments);
    f->own = malloc((f->sent[f->ranks] + 1) * sizeof(uint64_t));
    f->all = malloc((f->first[f->ranks] + 1) * sizeof(uint64_t));
    f->every = malloc((longest + 1) * sizeof *f->every);
    f->room = malloc(summand__outer_results_room(f) + 1);
    for (size_t i = 0; f->every && i < longest; i++)
        f->every[i] = (uint32_t)i;
    return f->own && f->all && f->every && f->room;
}

struct summand__outer_factored *
summand__outer_factored(const struct summand__outer_arguments *arguments, int rank, int ranks,
                        const uint64_t *told, bool slices)
{
    const size_t n = (size_t)arguments->n + 1;
    struct summand__outer_factored *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->rank = rank;
    f->ranks = ranks;
    f->slices = slices;
    f->matrices = calloc(n, sizeof *f->matrices);
    f->lists = calloc(2 * n, sizeof *f->lists);
    f->compressed = calloc(n, sizeof *f->compressed);
    f->sent = calloc((size_t)ranks + 1, sizeof *f->sent);
    f->first = calloc((size_t)ranks + 1, sizeof *f->first);
    if (slices)
        f->parcel = calloc((size_t)ranks * (size_t)ranks, sizeof *f->parcel);
    f->pairs = calloc(n, sizeof *f->pairs);
    f->hits = calloc(n, sizeof *f->hits);
    f->segment = calloc((size_t)ranks, sizeof *f->segment);
    if (f->matrices && f->lists && f->compressed && f->sent && f->first && f->pairs && f->hits &&
        f->segment && (f->parcel || !slices)) {
        summand__outer_factored_rebind(f, arguments);
        add_up(f, told);
        return f;
    }
    summand__outer_factored_free(f);
    return NULL;
}

void summand__outer_factored_free(struct summand__outer_factored *factored)
{
    if (!factored)
        return;
    void *const parts[] = {
        factored->matrices, factored->lists, factored->compressed, factored->sent, factored->first,
        factored->pairs,    factored->hits,  factored->segment,    factored->own,  factored->all,
        factored->every,    factored->room,  factored->parcel,     factored};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

struct summand__outer_arguments
summand__outer_gathering(const struct summand__outer_factored *factored,
                         summand_outer_matrix *matrix)
{
    struct summand__outer_arguments gathering = {.datatype = MPI_DOUBLE,
                                                 .type = SUMMAND__OUTER_F64,
                                                 .n = 1,
                                                 .matrices = matrix,
                                                 .root = SUMMAND_ROOT_ALL,
                                                 .result = SUMMAND__OUTER_FACTORS,
                                                 .options = factored->arguments.options};
    *matrix = (summand_outer_matrix){
        .rows = 1, .a = factored->own, .b = factored->own, .g = factored->all};
    gathering.pairs = (MPI_Count)factored->sent[factored->ranks];
    gathering.options.result = SUMMAND_OUTER_FACTORS;
    gathering.options.room = (MPI_Count)factored->first[factored->ranks];
    gathering.alpha = 1;
    gathering.beta = 0;
    gathering.options.finished = NULL;
    gathering.options.tile = NULL;
    return gathering;
}

int summand__outer_factored_beyond(const struct summand__outer_factored *factored,
                                   const summand_outer_options *options)
{
    int m = 0;
    while (m < factored->arguments.n && (options->result != SUMMAND_OUTER_FACTORS ||
                                         factored->pairs[m] <= (size_t)options->room))
        m++;
    return m;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sum/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/data/psllh_like.h"
#include "cli/sum/source.h"
#include "lab/index_tree/distribution.h"

void dataset_options_check(const struct dataset_options *options, const struct parsing *parsing,
                           struct trouble *trouble)
{
    if (option_given(parsing, "alpha") &&
        !summand__distributions[options->distribution].takes_alpha)
        trouble_note(trouble, "--alpha: does not go with --distribution %s",
                     summand__distributions[options->distribution].name);
}

/* Computes this rank's range of n values, and allocates it. */
static void make_room(struct dataset *dataset, const struct dataset_options *options, uint64_t n,
                      struct trouble *trouble)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t *starts = malloc(((size_t)ranks + 1) * sizeof *starts);
    dataset->n = n;
    if (!starts) {
        trouble_note(trouble, "out of memory");
        return;
    }
    summand__distribution((enum summand__distribution_kind)options->distribution, options->alpha, n,
                          ranks, starts);
    dataset->first = starts[rank];
    dataset->count = starts[rank + 1] - starts[rank];
    free(starts);
    const size_t size = (size_t)dataset->terms * sizeof(double), bytes = dataset->count * size;
    if (dataset->count > SIZE_MAX / size - 64 ||
        !(dataset->values = aligned_alloc(64, (bytes / 64 + 1) * 64)))
        trouble_note(trouble, "%s: no memory for %" PRIu64 " values", dataset->name,
                     dataset->count);
}

static void check_finite(const struct dataset *dataset, struct trouble *trouble)
{
    const uint64_t terms = (uint64_t)dataset->terms;
    for (uint64_t i = 0; i < dataset->count * terms; i++)
        if (!isfinite(dataset->values[i])) {
            trouble_note(trouble, "%s: NaN-free promise broken: value %" PRIu64 " is %g",
                         dataset->name, dataset->first + i / terms, dataset->values[i]);
            return;
        }
}

/* Reads with so many doubles for each element. Returns true on all ranks if any needs more of them.
 */
static bool read_terms(struct dataset *dataset, const struct dataset_options *options,
                       struct source *source, int terms, struct trouble *trouble)
{
    dataset->terms = terms;
    source->wide = false;
    make_room(dataset, options, source->count, trouble);
    if (!trouble->text[0])
        source->format->read(source, dataset->first, dataset->count, terms, dataset->values,
                             trouble);
    return !agree_fine(!source->wide);
}

bool dataset_read(struct dataset *dataset, const char *command,
                  const struct dataset_options *options, const char *path, struct dataset_how how)
{
    struct trouble trouble = {""};
    struct source source;
    *dataset = (struct dataset){.name = path};
    if (!source_open(&source, command, path, &options->choice))
        return false;
    dataset->complex = source.parts == 2;
    source_take_part(&source, how.part);
    if (read_terms(dataset, options, &source, 1, &trouble) && how.pairs) {
        dataset_free(dataset);
        trouble = (struct trouble){""};
        read_terms(dataset, options, &source, 2, &trouble);
    }
    if (!trouble.text[0] && options->no_nan)
        check_finite(dataset, &trouble);
    source_close(&source);
    bool fine = agree(command, &trouble);
    if (!fine)
        dataset_free(dataset);
    return fine;
}

bool dataset_generate(struct dataset *dataset, const char *command,
                      const struct dataset_options *options, const char *name, uint64_t n,
                      uint64_t seed)
{
    struct trouble trouble = {""};
    *dataset = (struct dataset){.name = name, .terms = 1};
    make_room(dataset, options, n, &trouble);
    bool fine = agree(command, &trouble);
    if (fine)
        psllh_like_fill(seed, dataset->first, dataset->count, dataset->values);
    else
        dataset_free(dataset);
    return fine;
}

void dataset_free(struct dataset *dataset)
{
    free(dataset->values);
    dataset->values = NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/ranks/agree.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/common/cli.h"
#include "cli/output/text.h"

void trouble_note(struct trouble *trouble, const char *format, ...)
{
    if (trouble->text[0])
        return;
    va_list list;
    va_start(list, format);
    char *text = text_format(format, list);
    va_end(list);
    text_fit(trouble->text, sizeof trouble->text, text);
    free(text);
}

void trouble_note_mpi(struct trouble *trouble, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &length);
    trouble_note(trouble, "%s: %s", what, text);
}

/* The lowest rank in trouble; the number of ranks if all are fine. */
static int first_in_trouble(bool fine)
{
    int rank, ranks, first;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int mine = fine ? ranks : rank;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

bool agree_fine(bool fine)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return first_in_trouble(fine) == ranks;
}

bool agree(const char *command, const struct trouble *trouble)
{
    int rank, ranks, first = first_in_trouble(!trouble->text[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (first == rank)
        complain(command, "%s", trouble->text);
    return first == ranks;
}

bool agree_words(const char *command, int argc, char **argv)
{
    struct trouble trouble = {""};
    char words[300] = "";
    size_t used = 0;
    int rank;
    uint64_t hash = SUMMAND__HASH_BEGIN, of_first;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < argc; i++) {
        const char *word = i ? argv[i] : command;
        hash = summand__hash(hash, word, strlen(word) + 1);
        if (used < sizeof words)
            used += (size_t)snprintf(words + used, sizeof words - used, " %s", word);
    }
    of_first = hash;
    MPI_Bcast(&of_first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (hash != of_first)
        trouble_note(&trouble, "rank %d has other words than rank 0:%s", rank, words);
    return agree(command, &trouble);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "learn/tuning_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>
#include <sys/stat.h>

#include "base/environment.h"
#include "base/input.h"
#include "base/quiet.h"
#include "process/machine.h"
#include "wait/ballot.h"
#include "wait/cause.h"

enum { MOST = 4 << 20, MACHINE = 512, FAULT = 128 };

/* Length of the path if rank 0 has no memory to read the file. */
enum { NO_MEMORY = -1 };

/* Lengths of the four texts, each with its final 0. */
struct lengths {
    int path, machine, fault, text;
};

/* The data of rank 0. */
struct source {
    const char *path;
    char machine[MACHINE], fault[FAULT];
    char *text;
    size_t length;
};

/* False when out of memory. */
static bool read_file(struct source *source)
{
    const char *why;
    uint64_t bytes;
    FILE *file;
    source->text = malloc(MOST + 1);
    if (!source->text)
        return false;
    errno = 0;
    if (!(file = summand__input_file(source->path, &bytes, &why)))
        snprintf(source->fault, FAULT, "%s", why);
    else {
        source->length = fread(source->text, 1, MOST + 1, file);
        if (ferror(file))
            snprintf(source->fault, FAULT, "%s", summand__reason(errno));
        else if (source->length > MOST)
            snprintf(source->fault, FAULT, "longer than %d MiB", MOST >> 20);
    }
    if (file)
        fclose(file);
    if (*source->fault)
        source->length = 0;
    return file || errno != ENOMEM;
}

static int share(MPI_Comm comm, const struct lengths *lengths, const struct source *source,
                 struct summand__tuning_text *text)
{
    int head = lengths->path + lengths->machine + lengths->fault, rank, error = 0;
    text->path = malloc((size_t)head + (size_t)lengths->text);
    PMPI_Comm_rank(comm, &rank);
    if (!text->path)
        error = summand__cause_number(rank, summand_error_code(SUMMAND_ERR_MEMORY));
    int code = summand__ballot_least(comm, &error, 1);
    if (code == MPI_SUCCESS && error)
        code = text->path ? summand__cause_told(error) : summand_error_code(SUMMAND_ERR_MEMORY);
    if (code != MPI_SUCCESS)
        return code;
    char *machine = text->path + lengths->path, *fault = machine + lengths->machine;
    if (rank == 0) {
        strcpy(text->path, source->path);
        strcpy(machine, source->machine);
        strcpy(fault, source->fault);
        if (source->length)
            memcpy(text->path + head, source->text, source->length);
        text->path[head + lengths->text - 1] = 0;
    }
    text->machine = machine;
    text->fault = fault;
    text->text = text->path + head;
    text->length = (size_t)lengths->text - 1;
    return summand__ballot_tell(comm, text->path, head + lengths->text);
}

int summand__tuning_text_get(MPI_Comm comm, struct summand__tuning_text *text)
{
    struct source source = {.text = NULL};
    struct summand__setting setting;
    struct summand__complaint complaint;
    struct lengths lengths = {0, 0, 0, 0};
    int rank;
    *text = (struct summand__tuning_text){.path = NULL};
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && summand__environment_read("SUMMAND_TUNING", &setting, &complaint) &&
        setting.text) {
        source.path = setting.text;
        bool read = read_file(&source);
        summand__machine_text(source.machine, MACHINE);
        lengths = (struct lengths){read ? (int)strlen(source.path) + 1 : NO_MEMORY,
                                   (int)strlen(source.machine) + 1, (int)strlen(source.fault) + 1,
                                   (int)source.length + 1};
    }
    int code = summand__ballot_tell(comm, &lengths, (int)sizeof lengths);
    if (code == MPI_SUCCESS && lengths.path == NO_MEMORY)
        code =
            rank == 0
                ? summand_error_code(SUMMAND_ERR_MEMORY)
                : summand__cause_explain(summand__cause(0, summand_error_code(SUMMAND_ERR_MEMORY)));
    else if (code == MPI_SUCCESS && lengths.path)
        code = share(comm, &lengths, &source, text);
    free(source.text);
    if (code != MPI_SUCCESS)
        summand__tuning_text_free(text);
    return code;
}

void summand__tuning_text_free(struct summand__tuning_text *text)
{
    free(text->path);
    *text = (struct summand__tuning_text){.path = NULL};
}

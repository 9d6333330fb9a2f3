/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sum/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every format once. */
#define FORMATS(X) X(binpsllh) X(psllh) X(npy) X(f64) X(f32)

#define DECLARE(name) extern const struct data_format format_##name;
FORMATS(DECLARE)
#undef DECLARE

const struct data_format *const data_formats[] = {
#define ENTRY(name) &format_##name,
    FORMATS(ENTRY)
#undef ENTRY
        NULL};

const char *const format_choices[] = {"auto",
#define NAME(name) #name,
                                      FORMATS(NAME)
#undef NAME
                                          NULL};

static const struct data_format *format_of_name(const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; data_formats[i]; i++) {
        size_t end = strlen(data_formats[i]->ending);
        if (length >= end && !strcmp(path + length - end, data_formats[i]->ending))
            return data_formats[i];
    }
    return NULL;
}

const struct data_format *format_chosen(int choice, const char *path)
{
    return choice ? data_formats[choice - 1] : format_of_name(path);
}

static void open_file(struct source *source, struct trouble *trouble)
{
    struct stat status;
    /* A pipe without a writer is refused below, instead of blocking. */
    source->fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (source->fd < 0 || fstat(source->fd, &status)) {
        trouble_note(trouble, "%s: %s", source->path, strerror(errno));
        return;
    }
    if (S_ISDIR(status.st_mode)) {
        trouble_note(trouble, "%s: %s", source->path, strerror(EISDIR));
        return;
    }
    if (!source->format) {
        trouble_note(trouble, "%s: the name does not tell the format; give --format", source->path);
        return;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &source->chunks);
    source->chunk = calloc((size_t)source->chunks + 1, sizeof *source->chunk);
    if (!source->chunk)
        trouble_note(trouble, "out of memory");
    if (!S_ISREG(status.st_mode))
        trouble_note(trouble, "%s: not a regular file", source->path);
    source->bytes = (uint64_t)status.st_size;
}

/* On a cluster a path can name different files on different nodes. */
static void check_same(const struct source *source, struct trouble *trouble)
{
    uint64_t mine[2] = {source->count, ~source->count}, most[2];
    MPI_Allreduce(mine, most, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (most[0] != ~most[1])
        trouble_note(trouble, "%s: holds %" PRIu64 " values on one rank and %" PRIu64 " on another",
                     source->path, ~most[1], most[0]);
}

/* Opens a source that has its path and format. */
static bool open_source(struct source *source, const char *command)
{
    struct trouble trouble = {""};
    source->fd = -1;
    open_file(source, &trouble);
    bool fine = agree(command, &trouble);
    if (fine) {
        source->format->open(source, &trouble);
        fine = agree(command, &trouble);
    }
    if (fine) {
        check_same(source, &trouble);
        fine = agree(command, &trouble);
    }
    if (!fine)
        source_close(source);
    return fine;
}

bool source_open(struct source *source, const char *command, const char *path, int format_choice)
{
    *source = (struct source){.path = path, .format = format_chosen(format_choice, path)};
    return open_source(source, command);
}

bool source_open_matrix(struct source *source, const char *command, const char *path)
{
    *source = (struct source){.path = path, .format = &format_npy, .matrix = true};
    return open_source(source, command);
}

void source_close(struct source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    free(source->chunk);
    source->fd = -1;
    source->chunk = NULL;
}

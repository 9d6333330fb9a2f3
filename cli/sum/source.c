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

#include "cli/common/cli.h"
#include "cli/sum/inflate.h"
#include "cli/sum/text.h"

const char *const header_choices[] = {"auto", "yes", "no", NULL};

enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY }; /* a pipe is refused, not waited for */

/* Opens "FILE:NAME" as an array of an archive, where no file has this name. */
static void open_archive(struct source *source, const char *path)
{
    const char *colon = strrchr(path, ':');
    if (!colon || colon == path || source->choice.array)
        return;
    char *name = strndup(path, (size_t)(colon - path));
    source->fd = name ? open(name, HOW) : -1;
    if (source->fd >= 0) {
        source->name = name;
        source->choice.array = colon + 1;
    } else {
        free(name);
        errno = ENOENT;
    }
}

static void open_file(struct source *source, const char *path, struct trouble *trouble)
{
    source->fd = open(path, HOW);
    if (source->fd < 0 && errno == ENOENT)
        open_archive(source, path);
    if (source->fd < 0)
        trouble_note(trouble, "%s: %s", source->path, strerror(errno));
}

static void examine(struct source *source, struct trouble *trouble)
{
    struct stat status;
    if (trouble->text[0])
        return;
    if (fstat(source->fd, &status))
        trouble_note(trouble, "%s: %s", source->path, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        trouble_note(trouble, "%s: %s", source->path, strerror(EISDIR));
    else if (!S_ISREG(status.st_mode))
        trouble_note(trouble, "%s: not a regular file; 'summand sum <FILE' reads a pipe",
                     source->path);
    else
        source->bytes = (uint64_t)status.st_size;
}

/* Rank 0 tells the format, so all ranks take the same steps. */
static void choose_format(struct source *source, struct trouble *trouble)
{
    int place = -1;
    if (cli_rank() == 0) {
        const struct data_format *format = format_told(source, trouble);
        for (int i = 0; data_formats[i]; i++)
            place = data_formats[i] == format ? i : place;
    }
    MPI_Bcast(&place, 1, MPI_INT, 0, MPI_COMM_WORLD);
    source->format = place < 0 ? NULL : data_formats[place];
    if (source->format && source->choice.array && !source->format->archive)
        trouble_note(trouble, "%s: no archive, so it has no array '%s'", source->path,
                     source->choice.array);
}

/* On a cluster a path can name different files on different nodes. */
static void check_same(const struct source *source, struct trouble *trouble)
{
    const uint64_t shape = source->text ? text_hash(source->text) : source->stride;
    uint64_t mine[4] = {source->count, ~source->count, shape, ~shape}, most[4];
    MPI_Allreduce(mine, most, 4, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (most[0] != ~most[1])
        trouble_note(trouble, "%s: holds %" PRIu64 " values on one rank and %" PRIu64 " on another",
                     source->path, ~most[1], most[0]);
    else if (most[2] != ~most[3])
        trouble_note(trouble, "%s: is another file on another rank", source->path);
}

bool source_open(struct source *source, const char *command, const char *path,
                 const struct source_choice *choice)
{
    static void (*const steps[])(struct source *, struct trouble *) = {examine, choose_format};
    struct trouble trouble = {""};
    const bool standard = !strcmp(path, "-");
    *source = (struct source){
        .path = standard ? "standard input" : path, .choice = *choice, .fd = -1, .parts = 1};
    if (standard)
        source->fd = source_standard_input(&trouble);
    else
        open_file(source, path, &trouble);
    bool fine = agree(command, &trouble);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && fine; i++) {
        steps[i](source, &trouble);
        fine = agree(command, &trouble);
    }
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

void source_close(struct source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    inflater_free(source->inflater);
    text_free(source->text);
    free(source->name);
    source->fd = -1;
    source->inflater = NULL;
    source->text = NULL;
    source->name = NULL;
}

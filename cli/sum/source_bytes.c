/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a source: of a file, of an archive's array, or of standard input. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "cli/common/cli.h"
#include "cli/ranks/interrupt.h"
#include "cli/sum/inflate.h"
#include "cli/sum/source.h"
#include "fabric/node_split.h"

static bool read_file(const struct source *source, char *to, uint64_t bytes, uint64_t offset,
                      struct trouble *trouble)
{
    while (bytes) {
        ssize_t got = pread(source->fd, to, bytes < 1u << 30 ? bytes : 1u << 30, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            trouble_note(trouble, "%s: %s", source->path,
                         got ? strerror(errno) : "the file ends too early");
            return false;
        }
        to += got;
        offset += (uint64_t)got;
        bytes -= (uint64_t)got;
    }
    return true;
}

bool source_pread(struct source *source, void *buffer, uint64_t bytes, uint64_t offset,
                  struct trouble *trouble)
{
    if (offset > source->bytes || bytes > source->bytes - offset) {
        trouble_note(trouble, "%s: the file ends too early", source->path);
        return false;
    }
    if (!source->inflater)
        return read_file(source, buffer, bytes, source->base + offset, trouble);
    const char *wrong = inflater_read(source->inflater, buffer, bytes, offset);
    if (wrong)
        trouble_note(trouble, "%s: %s", source->path, wrong);
    return !wrong;
}

/* A file of a node for what standard input brings, without a name as soon as the node's ranks have
 * opened it. */
static int open_kept(MPI_Comm node, bool writes, struct trouble *trouble)
{
    char path[4096] = "";
    const char *folder = summand__environment_foreign("TMPDIR");
    int file = -1;
    if (writes) {
        snprintf(path, sizeof path, "%s/summand-XXXXXX", folder ? folder : "/tmp");
        file = mkostemp(path, O_CLOEXEC);
        if (file < 0)
            trouble_note(trouble, "standard input: cannot be kept in %s: %s", path,
                         strerror(errno));
    }
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, node);
    if (!writes && (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        trouble_note(trouble, "standard input: %s: %s", path, strerror(errno));
    MPI_Barrier(node);
    if (writes && file >= 0)
        unlink(path);
    return file;
}

/* The next bytes, at most `room`; 0 at the end, -1 after a note. A signal ends the wait for them.
 */
static int64_t next_bytes(char *to, size_t room, struct trouble *trouble)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = -1;
    while (ready < 0 && !interrupted())
        if ((ready = poll(&input, 1, -1)) < 0 && errno != EINTR)
            break;
    const ssize_t got = ready < 0 ? -1 : read(STDIN_FILENO, to, room);
    if (got < 0)
        trouble_note(trouble, "standard input: %s",
                     interrupted() ? "interrupted" : strerror(errno));
    return got;
}

static void keep(int file, const char *from, int64_t count, struct trouble *trouble)
{
    while (count > 0 && file >= 0 && !trouble->text[0]) {
        const ssize_t put = write(file, from, (size_t)count);
        if (put < 0 && errno != EINTR)
            trouble_note(trouble,
                         "standard input: cannot be kept (TMPDIR names another folder): %s",
                         strerror(errno));
        from += put > 0 ? put : 0;
        count -= put > 0 ? put : 0;
    }
}

/* Rank 0 reads; a rank of each node writes. */
static void spread(int file, bool writes, struct trouble *trouble)
{
    enum { PIECE = 1 << 20 };
    char *piece = malloc(PIECE);
    int64_t count = 1;
    if (!piece)
        trouble_note(trouble, "out of memory");
    while (count > 0) {
        if (cli_rank() == 0)
            count = trouble->text[0] ? -1 : next_bytes(piece, PIECE, trouble);
        MPI_Bcast(&count, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
        if (!agree_fine(!trouble->text[0]) || count <= 0)
            break;
        MPI_Bcast(piece, (int)count, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (writes)
            keep(file, piece, count, trouble);
    }
    free(piece);
}

int source_standard_input(struct trouble *trouble)
{
    MPI_Comm node;
    int rank;
    summand__node_split(MPI_COMM_WORLD, &node);
    MPI_Comm_rank(node, &rank);
    const int file = open_kept(node, rank == 0, trouble);
    spread(file, rank == 0, trouble);
    MPI_Barrier(node); /* all has been written */
    MPI_Comm_free(&node);
    return file;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/data/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef SUMMAND_WITH_ZLIB
#include <zlib.h>
#endif

#include "base/input.h"
#include "base/quiet.h"

enum { PIECE = 1 << 20 };

/* A pipe without a writer counts as missing. */
static bool name_file(char path[4096], const char *folder, const char *name, const char *ending)
{
    struct stat there;
    return snprintf(path, 4096, "%s/%s%s", folder, name, ending) < 4096 && !access(path, R_OK) &&
           !stat(path, &there) && (S_ISREG(there.st_mode) || S_ISDIR(there.st_mode));
}

bool train_bytes_there(const char *folder, const char *name)
{
    char path[4096];
    return name_file(path, folder, name, "") || name_file(path, folder, name, ".gz");
}

/* One source of bytes: a file, or one that is unpacked as it is read. */
struct source {
    FILE *plain;
#ifdef SUMMAND_WITH_ZLIB
    gzFile packed;
#endif
};

static bool source_open(struct source *source, const char *path, bool packed,
                        struct summand__net_fault *fault)
{
    uint64_t bytes;
    const char *why = summand__reason(ENOMEM);
    *source = (struct source){0};
#ifndef SUMMAND_WITH_ZLIB
    if (packed)
        return summand__net_fail(
            fault, "%s: this summand was built without zlib; unpack it first (gunzip)", path);
#endif
    if (!packed)
        source->plain = summand__input_file(path, &bytes, &why);
#ifdef SUMMAND_WITH_ZLIB
    const int file = packed ? summand__input_open(path, &bytes, &why) : -1;
    if (file >= 0 && !(source->packed = gzdopen(file, "rb")))
        close(file);
    if (source->packed)
        return true;
#endif
    return source->plain || summand__net_fail(fault, "%s: %s", path, why);
}

/* Returns the bytes read. If fewer than `room`, the source is at its end, or `fault` has the
 * error. */
static size_t source_read(struct source *source, char *to, size_t room, const char *path,
                          struct summand__net_fault *fault)
{
    size_t got = 0;
    if (source->plain) {
        got = fread(to, 1, room, source->plain);
        if (ferror(source->plain))
            summand__net_fail(fault, "%s: %s", path, strerror(errno));
        return got;
    }
#ifdef SUMMAND_WITH_ZLIB
    while (got < room) {
        int n = gzread(source->packed, to + got, (unsigned)(room - got)), code;
        const char *why = gzerror(source->packed, &code);
        if (n < 0 || code == Z_BUF_ERROR)
            summand__net_fail(fault, "%s: %s", path,
                              code == Z_BUF_ERROR ? "the file ends within its packed data" : why);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
#endif
    return got;
}

static bool source_close(struct source *source)
{
#ifdef SUMMAND_WITH_ZLIB
    if (source->packed)
        return gzclose(source->packed) == Z_OK;
#endif
    return !source->plain || !fclose(source->plain);
}

static bool read_all(struct source *source, struct train_bytes *bytes,
                     struct summand__net_fault *fault)
{
    size_t room = 0;
    for (;;) {
        if (room - bytes->count < PIECE + 1) {
            room += room / 2 + PIECE + 1;
            char *grown = realloc(bytes->at, room);
            if (!grown)
                return summand__net_fail(fault, "%s: out of memory", bytes->path);
            bytes->at = grown;
        }
        size_t got = source_read(source, bytes->at + bytes->count, PIECE, bytes->path, fault);
        bytes->count += got;
        bytes->at[bytes->count] = '\0';
        if (fault->text[0])
            return false;
        if (got < PIECE)
            return true;
    }
}

static bool read_path(struct train_bytes *bytes, bool packed, struct summand__net_fault *fault)
{
    struct source source;
    if (!source_open(&source, bytes->path, packed, fault))
        return false;
    bool good = read_all(&source, bytes, fault);
    if (!source_close(&source) && good)
        good = summand__net_fail(fault, "%s: the file ends within its packed data", bytes->path);
    if (!good)
        train_bytes_free(bytes);
    return good;
}

bool train_bytes_read(const char *folder, const char *name, struct train_bytes *bytes,
                      struct summand__net_fault *fault)
{
    *bytes = (struct train_bytes){0};
    bool packed =
        !name_file(bytes->path, folder, name, "") && name_file(bytes->path, folder, name, ".gz");
    if (!packed)
        name_file(bytes->path, folder, name, "");
    return read_path(bytes, packed, fault);
}

bool train_bytes_read_file(const char *path, struct train_bytes *bytes,
                           struct summand__net_fault *fault)
{
    *bytes = (struct train_bytes){0};
    int length = snprintf(bytes->path, sizeof bytes->path, "%s", path);
    return read_path(bytes, length > 3 && !strcmp(path + length - 3, ".gz"), fault);
}

void train_bytes_free(struct train_bytes *bytes)
{
    free(bytes->at);
    bytes->at = NULL;
}

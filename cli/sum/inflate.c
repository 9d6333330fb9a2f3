/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sum/inflate.h"

#include <stdlib.h>

#ifdef SUMMAND_WITH_ZLIB
#include <unistd.h>
#include <zlib.h>

enum { ROOM = 1 << 16 };

struct inflater {
    z_stream stream;
    int fd;
    uint64_t base, deflated, bytes; /* the compressed bytes; the size of what they become */
    uint64_t taken, place;          /* bytes of each of both so far */
    uint32_t crc, sum;              /* wanted; so far */
    bool begun;
    unsigned char in[ROOM], out[ROOM]; /* out: what is passed over */
};

bool inflater_there(void)
{
    return true;
}

struct inflater *inflater_new(int fd, uint64_t base, uint64_t deflated, uint64_t bytes,
                              uint32_t crc)
{
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater)
        return NULL;
    inflater->fd = fd;
    inflater->base = base;
    inflater->deflated = deflated;
    inflater->bytes = bytes;
    inflater->crc = crc;
    if (inflateInit2(&inflater->stream, -MAX_WBITS) == Z_OK)
        return inflater;
    free(inflater);
    return NULL;
}

void inflater_free(struct inflater *inflater)
{
    if (inflater)
        inflateEnd(&inflater->stream);
    free(inflater);
}

static const char *refill(struct inflater *inflater)
{
    const uint64_t left = inflater->deflated - inflater->taken;
    const ssize_t got = pread(inflater->fd, inflater->in, left < ROOM ? left : ROOM,
                              (off_t)(inflater->base + inflater->taken));
    if (got <= 0)
        return "its compressed bytes end too early";
    inflater->taken += (uint64_t)got;
    inflater->stream.next_in = inflater->in;
    inflater->stream.avail_in = (unsigned)got;
    return NULL;
}

/* The next bytes, at most ROOM. */
static const char *next(struct inflater *inflater, unsigned char *to, unsigned bytes)
{
    z_stream *stream = &inflater->stream;
    stream->next_out = to;
    stream->avail_out = bytes;
    while (stream->avail_out) {
        const char *wrong = stream->avail_in ? NULL : refill(inflater);
        if (wrong)
            return wrong;
        const int code = inflate(stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END && stream->avail_out)
            return "its compressed bytes hold fewer than announced";
        if (code != Z_OK && code != Z_STREAM_END)
            return code == Z_MEM_ERROR ? "out of memory" : "its compressed bytes are damaged";
    }
    inflater->place += bytes;
    inflater->sum = (uint32_t)crc32(inflater->sum, to, bytes);
    return inflater->place == inflater->bytes && inflater->sum != inflater->crc
               ? "its bytes are damaged (their checksum differs)"
               : NULL;
}

const char *inflater_read(struct inflater *inflater, void *to, uint64_t bytes, uint64_t offset)
{
    unsigned char *at = to;
    const char *wrong = NULL;
    if (!inflater->begun || offset < inflater->place) {
        inflateReset(&inflater->stream);
        inflater->stream.avail_in = 0;
        inflater->taken = inflater->place = 0;
        inflater->sum = (uint32_t)crc32(0, Z_NULL, 0);
        inflater->begun = true;
    }
    while (!wrong && inflater->place < offset) {
        const uint64_t left = offset - inflater->place;
        wrong = next(inflater, inflater->out, left < ROOM ? (unsigned)left : ROOM);
    }
    while (!wrong && bytes) {
        const unsigned some = bytes < ROOM ? (unsigned)bytes : ROOM;
        wrong = next(inflater, at, some);
        at += some;
        bytes -= some;
    }
    return wrong;
}

#else

bool inflater_there(void)
{
    return false;
}

struct inflater *inflater_new(int fd, uint64_t base, uint64_t deflated, uint64_t bytes,
                              uint32_t crc)
{
    (void)fd, (void)base, (void)deflated, (void)bytes, (void)crc;
    return NULL;
}

void inflater_free(struct inflater *inflater)
{
    (void)inflater;
}

const char *inflater_read(struct inflater *inflater, void *to, uint64_t bytes, uint64_t offset)
{
    (void)inflater, (void)to, (void)bytes, (void)offset;
    return "this command was built without zlib";
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sum/zip.h"

#include <stdlib.h>
#include <string.h>

enum {
    END = 22,        /* bytes of the record at the end, without its comment */
    COMMENT = 65535, /* most bytes of that */
    LOCATOR = 20,    /* bytes before it, of ZIP64: where the larger record is */
    END64 = 56,      /* bytes of that record */
    ENTRY = 46,      /* bytes of an entry of the list, without its texts */
    LOCAL = 30,      /* of an entry's own header */
    LIST_MOST = 1 << 24
};

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int b = 0; b < bytes; b++)
        value |= (uint64_t)at[b] << 8 * b;
    return value;
}

static bool is(const unsigned char *at, const char *magic)
{
    return !memcmp(at, magic, 4);
}

static bool damaged(const struct source *source, struct trouble *trouble)
{
    trouble_note(trouble, "%s: an archive (zip) whose list of files is damaged or cut",
                 source->path);
    return false;
}

/* Finds the record at the end, which has the list's place and size. */
static bool find_list(struct source *source, uint64_t *at, uint64_t *bytes, struct trouble *trouble)
{
    const uint64_t most = END + COMMENT + LOCATOR,
                   count = source->bytes < most ? source->bytes : most,
                   from = source->bytes - count;
    unsigned char *tail = malloc(count + 1), record[END64];
    if (!tail)
        trouble_note(trouble, "out of memory");
    bool found = false;
    if (tail && source_pread(source, tail, count, from, trouble))
        for (uint64_t i = count < END ? 0 : count - END + 1; i > 0 && !found; i--) {
            const unsigned char *end = tail + i - 1;
            if (!is(end, "PK\5\6") || number(end + 20, 2) != count - (i - 1) - END)
                continue;
            found = true;
            *bytes = number(end + 12, 4);
            *at = number(end + 16, 4);
            if (i - 1 < LOCATOR || !is(end - LOCATOR, "PK\6\7"))
                break;
            found = source_pread(source, record, END64, number(end - LOCATOR + 8, 8), trouble) &&
                    is(record, "PK\6\6");
            *bytes = found ? number(record + 40, 8) : 0;
            *at = found ? number(record + 48, 8) : 0;
        }
    free(tail);
    return found || damaged(source, trouble);
}

bool zip_open(struct zip *zip, struct source *source, struct trouble *trouble)
{
    uint64_t at, bytes;
    *zip = (struct zip){.list = NULL};
    if (!find_list(source, &at, &bytes, trouble))
        return false;
    if (bytes > LIST_MOST || at > source->bytes || bytes > source->bytes - at)
        return damaged(source, trouble);
    zip->list = malloc(bytes + 1);
    zip->bytes = bytes;
    if (!zip->list)
        trouble_note(trouble, "out of memory");
    return zip->list && source_pread(source, zip->list, bytes, at, trouble);
}

/* Sizes that do not fit in 32 bits stand in a field of their own, in this order. */
static void read_large(struct zip_entry *entry, const unsigned char *extra, size_t left)
{
    uint64_t *const sizes[] = {&entry->bytes, &entry->packed, &entry->at};
    while (left >= 4) {
        const size_t length = (size_t)number(extra + 2, 2);
        if (number(extra, 2) == 1 && length <= left - 4) {
            const unsigned char *at = extra + 4, *end = at + length;
            for (int i = 0; i < 3; i++)
                if (*sizes[i] == UINT32_MAX && end - at >= 8) {
                    *sizes[i] = number(at, 8);
                    at += 8;
                }
            return;
        }
        if (length > left - 4)
            return;
        extra += 4 + length;
        left -= 4 + length;
    }
}

bool zip_next(struct zip *zip, const struct source *source, struct zip_entry *entry,
              struct trouble *trouble)
{
    const unsigned char *at = zip->list + zip->at;
    const uint64_t left = zip->bytes - zip->at;
    if (!left)
        return false;
    if (left < ENTRY || !is(at, "PK\1\2"))
        return damaged(source, trouble);
    const size_t name = (size_t)number(at + 28, 2), extra = (size_t)number(at + 30, 2),
                 whole = ENTRY + name + extra + (size_t)number(at + 32, 2);
    if (whole > left)
        return damaged(source, trouble);
    *entry = (struct zip_entry){.name = (const char *)at + ENTRY,
                                .length = name,
                                .method = (int)number(at + 10, 2),
                                .encrypted = number(at + 8, 2) & 1,
                                .crc = (uint32_t)number(at + 16, 4),
                                .packed = number(at + 20, 4),
                                .bytes = number(at + 24, 4),
                                .at = number(at + 42, 4)};
    read_large(entry, at + ENTRY + name, extra);
    zip->at += whole;
    return true;
}

uint64_t zip_place(struct source *source, const struct zip_entry *entry, struct trouble *trouble)
{
    unsigned char header[LOCAL];
    if (entry->at > source->bytes || !source_pread(source, header, LOCAL, entry->at, trouble) ||
        !is(header, "PK\3\4")) {
        damaged(source, trouble);
        return UINT64_MAX;
    }
    const uint64_t place = entry->at + LOCAL + number(header + 26, 2) + number(header + 28, 2);
    if (place <= source->bytes && entry->packed <= source->bytes - place)
        return place;
    damaged(source, trouble);
    return UINT64_MAX;
}

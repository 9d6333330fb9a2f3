/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of files in an archive (PKWARE's APPNOTE: ZIP, and ZIP64 for large ones). */
#pragma once

#include "cli/sum/source.h"

struct zip {
    unsigned char *list; /* one entry after another */
    uint64_t bytes, at;  /* of the list; of the next entry */
};

struct zip_entry {
    const char *name; /* in the list, without a 0 at its end */
    size_t length;    /* of it */
    int method;       /* 0: stored, 8: deflated */
    bool encrypted;
    uint32_t crc;
    uint64_t packed, bytes; /* sizes in the archive and outside */
    uint64_t at;            /* of its own header in the archive */
};

/* Reads the list; false after a note. Free zip->list. */
bool zip_open(struct zip *zip, struct source *source, struct trouble *trouble);
/* The next entry; false at the end, or after a note. */
bool zip_next(struct zip *zip, const struct source *source, struct zip_entry *entry,
              struct trouble *trouble);
/* The place of an entry's bytes in the archive; UINT64_MAX after a note. */
uint64_t zip_place(struct source *source, const struct zip_entry *entry, struct trouble *trouble);

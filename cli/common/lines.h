/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files, read line by line, from any editor or system: a line ends with LF, CR LF or CR; the
 * last one may have no end. A byte order mark at the beginning is skipped. A byte 0 is refused,
 * because the rest of its line would be lost. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct lines {
    FILE *file;
    char *text;
    size_t room;
    int number;        /* of the last line read, from 1 */
    const char *wrong; /* why reading stopped; NULL: end of file */
};

/* Returns false with errno set. */
bool lines_open(struct lines *lines, const char *path);

/* The next line without its end, writable; valid until the next call. NULL: none. */
char *lines_next(struct lines *lines);

void lines_close(struct lines *lines);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of text, read line by line, as editors and other systems leave them: a line ends with LF,
 * CR LF or CR, the last one perhaps with nothing; a byte order mark at the beginning is skipped. A
 * byte 0 is refused: what follows it in its line would be lost. */
#ifndef SUMMAND_CLI_COMMON_LINES_H
#define SUMMAND_CLI_COMMON_LINES_H

#include <stdbool.h>
#include <stdio.h>

struct lines {
    FILE *file;
    char *text;
    size_t room;
    int number;        /* of the line that was read last, from 1 */
    const char *wrong; /* why there are no more lines; NULL: the file has ended */
};

/* False: errno says why. */
bool lines_open(struct lines *lines, const char *path);

/* The next line without its end, to be written to; valid until the next call. NULL: none. */
char *lines_next(struct lines *lines);

void lines_close(struct lines *lines);

#endif

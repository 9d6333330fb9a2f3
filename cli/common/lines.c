/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/common/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"

/* A device might send one line for ever. */
enum { LONGEST = 16 << 20 };

bool lines_open(struct lines *lines, const char *path)
{
    *lines = (struct lines){.file = fopen(path, "r")};
    return lines->file;
}

static bool is_end(struct lines *lines, int byte)
{
    if (byte == '\r') {
        const int next = getc(lines->file);
        if (next != '\n' && next != EOF)
            ungetc(next, lines->file);
    }
    return byte == '\n' || byte == '\r' || byte == EOF;
}

static void put(struct lines *lines, size_t at, char byte)
{
    if (at == lines->room) {
        lines->room = 2 * lines->room + 256;
        lines->text = need(realloc(lines->text, lines->room));
    }
    lines->text[at] = byte;
}

char *lines_next(struct lines *lines)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t length = 0;
    int byte;
    if (lines->wrong)
        return NULL;
    lines->number++;
    while (!is_end(lines, byte = getc(lines->file))) {
        if (!byte || length == LONGEST) {
            lines->wrong = byte ? "a line of more than 16 MiB is no text" : "a byte 0 is no text";
            return NULL;
        }
        put(lines, length++, (char)byte);
    }
    put(lines, length, '\0');
    if (ferror(lines->file))
        lines->wrong = strerror(errno);
    if (lines->wrong || (byte == EOF && !length))
        return NULL;
    const bool marked = lines->number == 1 && !strncmp(lines->text, mark, strlen(mark));
    return lines->text + (marked ? strlen(mark) : 0);
}

void lines_close(struct lines *lines)
{
    free(lines->text);
    fclose(lines->file);
}

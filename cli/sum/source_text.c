/* SPDX-License-Identifier: BSD-3-Clause */
/* Text: the count, then that many numbers, separated by white space, usually one per line.
 *
 * Each rank counts the words in its own byte range; the prefix sums of those counts tell every rank
 * in which chunk its first value lies. So a rank reads its chunk, its slice, and at most one chunk
 * to find the slice's start; no values travel. A word belongs to the chunk of its first byte. A
 * byte order mark at the beginning counts as blanks. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sum/source.h"

enum { WORD_MOST = 2048, BUFFER = 1 << 16 }; /* a word holds all digits of any double */

struct scanner {
    const struct source *source;
    struct trouble *trouble;
    uint64_t next; /* byte of the file after the buffer */
    uint64_t line; /* newlines so far */
    size_t used, fill;
    unsigned char buffer[BUFFER];
};

static int next_byte(struct scanner *s)
{
    if (s->used == s->fill) {
        uint64_t left = s->source->bytes > s->next ? s->source->bytes - s->next : 0;
        size_t n = left < BUFFER ? left : BUFFER;
        if (!n || !source_pread(s->source, s->buffer, n, s->next, s->trouble))
            return EOF;
        for (size_t i = 0; i < n && s->next + i < s->source->offset; i++)
            s->buffer[i] = ' ';
        s->next += n;
        s->fill = n;
        s->used = 0;
    }
    return s->buffer[s->used++];
}

static bool is_blank(int byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Starts at byte `start`, behind the rest of a word that began before it. */
static void scanner_begin(struct scanner *s, const struct source *source, uint64_t start,
                          uint64_t lines, struct trouble *trouble)
{
    *s = (struct scanner){.source = source, .trouble = trouble, .next = start, .line = lines};
    if (!start)
        return;
    s->next--;
    int byte = next_byte(s);
    if (is_blank(byte))
        return;
    while (byte != EOF && !is_blank(byte))
        byte = next_byte(s);
    if (byte != EOF)
        s->used--;
}

/* Reads the next word. A '?' replaces a character that no number has, a byte 0 or text beyond the
 * buffer. */
static bool next_word(struct scanner *s, char *word)
{
    int byte = next_byte(s);
    for (; byte != EOF && is_blank(byte); byte = next_byte(s))
        s->line += byte == '\n';
    size_t length = 0;
    for (; byte != EOF && !is_blank(byte); byte = next_byte(s))
        if (length < WORD_MOST - 1)
            word[length++] = byte ? (char)byte : '?';
        else
            word[WORD_MOST - 2] = '?';
    if (byte != EOF)
        s->used--;
    word[length] = '\0';
    return length > 0;
}

static void count_chunk(const struct source *source, uint64_t start, uint64_t end,
                        struct text_chunk *counts, struct trouble *trouble)
{
    struct scanner *s = malloc(sizeof *s);
    if (!s) {
        trouble_note(trouble, "out of memory");
        return;
    }
    *s = (struct scanner){.source = source, .trouble = trouble, .next = start ? start - 1 : 0};
    bool inside = start && !is_blank(next_byte(s));
    for (uint64_t i = start; i < end; i++) {
        int byte = next_byte(s);
        if (byte == EOF)
            break;
        counts->words += !inside && !is_blank(byte);
        counts->lines += byte == '\n';
        inside = !is_blank(byte);
    }
    free(s);
}

static void make_map(struct source *source, struct trouble *trouble)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t size = source->bytes / (uint64_t)ranks + 1;
    uint64_t start = size * (uint64_t)rank < source->bytes ? size * (uint64_t)rank : source->bytes;
    uint64_t end = start + size < source->bytes ? start + size : source->bytes;
    struct text_chunk mine = {.start = start};
    if (start < end)
        count_chunk(source, start, end, &mine, trouble);
    struct text_chunk *chunk = source->chunk, before = {0};
    MPI_Allgather(&mine, 3, MPI_UINT64_T, chunk, 3, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        struct text_chunk counts = chunk[i];
        chunk[i].words = before.words;
        chunk[i].lines = before.lines;
        before.words += counts.words;
        before.lines += counts.lines;
    }
    chunk[ranks] = (struct text_chunk){source->bytes, before.words, before.lines};
}

static void read_count(struct source *source, struct trouble *trouble)
{
    struct scanner *s = malloc(sizeof *s);
    char word[WORD_MOST], *end;
    uint64_t words = source->chunk[source->chunks].words;
    if (!s || !words) {
        trouble_note(trouble, "%s: %s", source->path,
                     s ? "an empty file; the count of its values expected first" : "out of memory");
        free(s);
        return;
    }
    scanner_begin(s, source, 0, 0, trouble);
    next_word(s, word);
    errno = 0;
    source->count = strtoull(word, &end, 10);
    if (!isdigit((unsigned char)word[0]) || *end || errno)
        trouble_note(trouble, "%s: line %" PRIu64 ": '%.40s' is not a count of values",
                     source->path, s->line + 1, word);
    else if (source->count != words - 1)
        trouble_note(trouble,
                     "%s: line %" PRIu64 " announces %" PRIu64 " values, but %" PRIu64 " follow",
                     source->path, s->line + 1, source->count, words - 1);
    free(s);
}

static void find_mark(struct source *source, struct trouble *trouble)
{
    static const char mark[] = "\xef\xbb\xbf";
    char start[sizeof mark - 1];
    if (source->bytes >= sizeof start && source_pread(source, start, sizeof start, 0, trouble) &&
        !memcmp(start, mark, sizeof start))
        source->offset = sizeof start;
}

static void open_text(struct source *source, struct trouble *trouble)
{
    find_mark(source, trouble);
    make_map(source, trouble);
    read_count(source, trouble);
}

static double parse_number(struct scanner *s, const char *word)
{
    char *end;
    errno = 0;
    double value = strtod(word, &end);
    if (end == word || *end)
        trouble_note(s->trouble, "%s: line %" PRIu64 ": '%.40s' is not a number", s->source->path,
                     s->line + 1, word);
    else if (errno == ERANGE && (value > 1 || value < -1))
        trouble_note(s->trouble, "%s: line %" PRIu64 ": %.40s is too large for a double",
                     s->source->path, s->line + 1, word);
    return value;
}

static void read_text(const struct source *source, uint64_t first, uint64_t count, double *values,
                      struct trouble *trouble)
{
    const struct text_chunk *chunk = source->chunk;
    char word[WORD_MOST];
    struct scanner *s = count ? malloc(sizeof *s) : NULL;
    if (!s) {
        if (count)
            trouble_note(trouble, "out of memory");
        return;
    }
    int c = 0;
    while (c + 1 < source->chunks && chunk[c + 1].words <= first + 1)
        c++;
    scanner_begin(s, source, chunk[c].start, chunk[c].lines, trouble);
    for (uint64_t i = chunk[c].words; i < first + 1 && next_word(s, word); i++)
        ;
    for (uint64_t i = 0; i < count && !trouble->text[0]; i++) {
        if (!next_word(s, word))
            trouble_note(trouble, "%s: the file ends too early", source->path);
        else
            values[i] = parse_number(s, word);
    }
    free(s);
}

static void head_text(FILE *out, uint64_t count)
{
    fprintf(out, "%" PRIu64 "\n", count);
}

static void values_text(FILE *out, uint64_t count, const double *values)
{
    for (uint64_t i = 0; i < count; i++)
        fprintf(out, "%.17g\n", values[i]);
}

const struct data_format format_psllh = {"psllh",    "text: the count, then a number per line",
                                         ".psllh",   open_text,
                                         read_text,  head_text,
                                         values_text};

/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/sum/text.h"

static int next_byte(struct scanner *s)
{
    if (s->used == s->fill) {
        const uint64_t bytes = s->source->bytes, left = bytes > s->next ? bytes - s->next : 0;
        const size_t n = left < TEXT_BUFFER ? (size_t)left : TEXT_BUFFER;
        const unsigned char last = s->fill ? s->buffer[s->fill - 1] : 0;
        if (!n || !source_pread(s->source, s->buffer + 1, n, s->next, s->trouble))
            return EOF;
        s->buffer[0] = last;
        s->next += n;
        s->fill = n + 1;
        s->used = 1;
    }
    return s->buffer[s->used++];
}

/* The next byte: '\n' for each end of a line. After any byte, `used` may go back by one. */
static int get(struct scanner *s)
{
    const int byte = next_byte(s);
    if (byte != '\r')
        return byte;
    const int next = next_byte(s);
    if (next != EOF)
        s->used--;
    return next == '\n' ? ' ' : '\n';
}

static void unget(struct scanner *s, int byte)
{
    s->used -= byte != EOF;
}

uint64_t text_place(const struct scanner *s)
{
    return s->next - (s->fill - s->used);
}

static bool has_separator(const struct scanner *s)
{
    return s->text->kind == TEXT_TABLE && s->text->separator != ' ';
}

static bool is_blank(const struct scanner *s, int byte)
{
    if (has_separator(s) && byte == s->text->separator)
        return false;
    return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f' ||
           (s->text->kind == TEXT_LIST && (byte == ',' || byte == ';'));
}

enum { AHEAD = 24 };

/* Copies the bytes that come next, and ends them by a 0. */
static void peek(struct scanner *s, char ahead[AHEAD + 1])
{
    const uint64_t left = s->source->bytes - text_place(s);
    const size_t count = left < AHEAD ? (size_t)left : AHEAD;
    ahead[count] = '\0';
    if (count <= s->fill - s->used)
        memcpy(ahead, s->buffer + s->used, count);
    else if (!source_pread(s->source, ahead, count, text_place(s), s->trouble))
        ahead[0] = '\0';
}

/* '#N/A' of a spreadsheet is a field, and so is a per cent sign behind a number ('5 %') without
 * words behind it. */
static bool begins_comment(struct scanner *s, int byte, bool behind)
{
    char ahead[AHEAD + 1];
    if ((byte != '#' && byte != '%') || s->text->kind == TEXT_COUNTED)
        return false;
    peek(s, ahead);
    if (byte == '%') {
        const size_t blanks = strspn(ahead, " \t\v\f");
        return !behind || blanks == AHEAD || !strchr("\r\n,;\"0123456789.+-", ahead[blanks]);
    }
    const size_t length = strcspn(ahead, " \t\v\f\r\n,;\"");
    if (length == AHEAD)
        return true;
    ahead[length] = '\0';
    return !text_is_sheet_error(ahead);
}

/* Reads up to the end of the line, which is returned; its end is not counted. */
static int pass(struct scanner *s)
{
    int byte;
    do {
        while (s->used < s->fill && s->buffer[s->used] != '\n' && s->buffer[s->used] != '\r')
            s->used++;
        byte = get(s);
    } while (byte != EOF && byte != '\n');
    return byte;
}

static int pass_blanks(struct scanner *s)
{
    int byte = get(s);
    while (is_blank(s, byte))
        byte = get(s);
    return byte;
}

void text_scan(struct scanner *s, struct source *source, uint64_t start, uint64_t lines,
               struct trouble *trouble)
{
    const struct text *text = source->text;
    s->source = source;
    s->text = text;
    s->trouble = trouble;
    s->line = lines;
    s->used = s->fill = 0;
    s->within = s->due = false;
    s->next = start > text->begin ? start - 1 : text->begin;
    if (start > text->begin)
        pass(s);
}

/* A '?' stands for a byte 0, and for text beyond the room. */
static void put(char *word, size_t *length, int byte)
{
    if (*length < TEXT_WORD - 1)
        word[(*length)++] = byte ? (char)byte : '?';
    else
        word[TEXT_WORD - 2] = '?';
}

/* Puts bytes of the buffer, as long as none can have a meaning of its own. */
static void put_run(struct scanner *s, char *word, size_t *length)
{
    const unsigned char *at = s->buffer + s->used;
    const size_t left = s->fill - s->used, room = TEXT_WORD - 1 - *length;
    size_t n = 0;
    while (n < left && at[n] > '%' && at[n] != ',' && at[n] != ';')
        n++;
    memcpy(word + *length, at, n < room ? n : room);
    *length += n < room ? n : room;
    if (n > room)
        word[TEXT_WORD - 2] = '?';
    s->used += n;
}

static enum text_token end_line(struct scanner *s, int byte)
{
    s->within = false;
    s->line += byte == '\n';
    return byte == '\n' ? TEXT_LINE : TEXT_END;
}

static bool ends_field(const struct scanner *s, int byte)
{
    if (byte == EOF || byte == '\n')
        return true;
    return has_separator(s) ? byte == s->text->separator : is_blank(s, byte);
}

/* Reads the text behind a quote, up to the quote that ends it; two stand for one. Returns the byte
 * behind it and blanks, where the field ends. */
static int quoted(struct scanner *s, char *word, size_t *length)
{
    const char *wrong = "a quote has no end on its line";
    int byte = get(s);
    for (; byte != EOF && byte != '\n'; byte = get(s)) {
        if (byte == '"' && (byte = get(s)) != '"') {
            const bool blank = has_separator(s) && is_blank(s, byte);
            if (blank)
                byte = pass_blanks(s);
            if (ends_field(s, byte))
                return byte;
            if (blank && begins_comment(s, byte, true))
                return pass(s);
            wrong = "more follows a quoted field";
            break;
        }
        put(word, length, byte);
    }
    trouble_note(s->trouble, "%s: line %" PRIu64 ": %s", s->source->path, s->line + 1, wrong);
    return byte;
}

/* Reads text up to the end of the field, or a comment behind blanks. Returns the byte behind it. */
static int plain(struct scanner *s, int byte, char *word, size_t *length)
{
    while (!ends_field(s, byte)) {
        if (*length && is_blank(s, word[*length - 1]) && begins_comment(s, byte, true) &&
            s->text->columns) {
            byte = pass(s);
            break;
        }
        put(word, length, byte);
        put_run(s, word, length);
        byte = get(s);
    }
    while (*length && is_blank(s, word[*length - 1]))
        --*length;
    return byte;
}

static enum text_token next_between(struct scanner *s, char *word)
{
    size_t length = 0;
    int byte = pass_blanks(s);
    if (!s->within) {
        if (begins_comment(s, byte, false))
            byte = pass(s);
        if (byte == EOF || byte == '\n')
            return end_line(s, byte);
        s->within = s->due = true;
    }
    if (!s->due)
        return end_line(s, byte);
    byte = byte == '"' ? quoted(s, word, &length) : plain(s, byte, word, &length);
    word[length] = '\0';
    s->due = byte != EOF && byte != '\n';
    if (!s->due)
        unget(s, byte);
    return TEXT_FIELD;
}

enum text_token text_next(struct scanner *s, char word[TEXT_WORD])
{
    if (has_separator(s))
        return next_between(s, word);
    size_t length = 0;
    int byte = pass_blanks(s);
    if (begins_comment(s, byte, s->within))
        byte = pass(s);
    if (byte == EOF || byte == '\n')
        return end_line(s, byte);
    s->within = true;
    if (byte == '"' && s->text->kind == TEXT_TABLE)
        byte = quoted(s, word, &length);
    else
        byte = plain(s, byte, word, &length);
    unget(s, byte);
    word[length] = '\0';
    return TEXT_FIELD;
}

enum text_line text_skip(struct scanner *s)
{
    const int byte = pass_blanks(s);
    const bool blank = byte == EOF || byte == '\n', comment = begins_comment(s, byte, false);
    end_line(s, blank ? byte : pass(s));
    return blank ? TEXT_BLANK : comment ? TEXT_COMMENT : TEXT_DATA;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The head of a table: comments, then perhaps a line with names of columns. Names may also stand in
 * the last comment, as numpy.savetxt writes them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/common/cli.h"
#include "cli/sum/text.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

enum { HEADER_AUTO, HEADER_YES, HEADER_NO }; /* header_choices */

/* The fields of a line. */
struct fields {
    uint64_t count;
    char **word;
    uint64_t of[FIELD_UNSURE + 1]; /* how many are what (text_field) */
};

struct place {
    uint64_t byte, line;
};

static void free_words(char **word, uint64_t count)
{
    for (uint64_t i = 0; word && i < count; i++)
        free(word[i]);
    free(word);
}

static bool add(struct fields *fields, const char *word, struct trouble *trouble)
{
    if ((fields->count & (fields->count - 1)) == 0) {
        char **more = realloc(fields->word, (fields->count ? 2 * fields->count : 1) * sizeof *more);
        if (!more) {
            trouble_note(trouble, "out of memory");
            return false;
        }
        fields->word = more;
    }
    fields->word[fields->count] = strdup(word);
    if (!fields->word[fields->count]) {
        trouble_note(trouble, "out of memory");
        return false;
    }
    fields->count++;
    fields->of[text_field(word)]++;
    return true;
}

/* The fields of the line at text->begin. Afterwards the scanner is behind it. */
static bool read_fields(struct scanner *s, uint64_t line, struct fields *fields)
{
    char word[TEXT_WORD];
    *fields = (struct fields){.count = 0};
    text_scan(s, s->source, s->source->text->begin, line, s->trouble);
    while (text_next(s, word) == TEXT_FIELD && !s->trouble->text[0])
        if (fields->count == TEXT_COLUMNS)
            trouble_note(s->trouble,
                         "%s: line %" PRIu64 ": more than %d columns; --format text "
                         "takes any layout",
                         s->source->path, line + 1, TEXT_COLUMNS);
        else
            add(fields, word, s->trouble);
    if (!s->trouble->text[0])
        return true;
    free_words(fields->word, fields->count);
    *fields = (struct fields){.count = 0};
    return false;
}

/* Finds the first line of data and the last comment before it, whose byte is UINT64_MAX if there is
 * none. False: there is no data. */
static bool find_data(struct scanner *s, struct place *data, struct place *comment)
{
    enum text_line line = TEXT_BLANK;
    *comment = (struct place){UINT64_MAX, 0};
    text_scan(s, s->source, s->source->text->begin, 0, s->trouble);
    while (line != TEXT_DATA && !s->trouble->text[0] && text_place(s) < s->source->bytes) {
        *data = (struct place){text_place(s), s->line};
        line = text_skip(s);
        if (line == TEXT_COMMENT)
            *comment = *data;
    }
    return line == TEXT_DATA;
}

/* True if a line may be one number with a decimal comma, or with commas before each three digits.
 */
static bool may_be_one(const unsigned char *line, size_t count)
{
    size_t at = 0, groups = 0, digits = 0;
    bool threes = true, point = false;
    while (at < count && strchr(" \t+-", line[at]))
        at++;
    for (; at < count && strchr("0123456789,.", line[at]); at++) {
        if (line[at] >= '0' && line[at] <= '9') {
            digits += !point;
            continue;
        }
        if (!digits || point)
            return false;
        threes = threes && (groups ? digits == 3 : digits <= 3);
        point = line[at] == '.';
        groups += !point;
        digits = point ? digits : 0;
    }
    while (at < count && strchr(" \t", line[at]))
        at++;
    return at == count && digits && ((groups == 1 && !point) || (groups && threes && digits == 3));
}

/* The separator of the line at this byte: a semicolon, a tabulator, a comma, the first of them that
 * it has outside of quotes; else white space. A comma before a tabulator is the separator. */
static char find_separator(struct scanner *s, uint64_t byte, bool *one)
{
    unsigned char *line = s->buffer; /* the scanner begins again afterwards */
    const uint64_t left = s->source->bytes - byte;
    const size_t count = left < TEXT_BUFFER ? (size_t)left : TEXT_BUFFER;
    bool semicolon = false, tabulator = false, comma = false, both = false, inside = false;
    if (!source_pread(s->source, line, count, byte, s->trouble))
        return ' ';
    size_t i = 0;
    while (i < count && (line[i] == ' ' || line[i] == '\t'))
        i++;
    const size_t start = i;
    for (; i < count && line[i] != '\n' && line[i] != '\r'; i++) {
        inside ^= line[i] == '"';
        semicolon = semicolon || (!inside && line[i] == ';');
        comma = comma || (!inside && line[i] == ',');
        tabulator = tabulator || (!inside && line[i] == '\t');
        both = both || (!inside && line[i] == '\t' && line[i - 1] == ',');
    }
    *one = may_be_one(line + start, i - start);
    return semicolon ? ';' : tabulator && !both ? '\t' : comma ? ',' : ' ';
}

/* Names of columns in a comment. */
static void read_comment(struct scanner *s, struct text *text, const struct place *comment)
{
    char mark[16];
    struct fields fields;
    const struct text kept = *text;
    const uint64_t left = s->source->bytes - comment->byte;
    const size_t count = left < sizeof mark ? (size_t)left : sizeof mark - 1;
    if (!source_pread(s->source, mark, count, comment->byte, s->trouble))
        return;
    mark[count < sizeof mark ? count : sizeof mark - 1] = '\0';
    text->begin = comment->byte + strspn(mark, "#% \t");
    text->columns = 0;
    const bool read = read_fields(s, comment->line, &fields);
    *text = kept;
    if (read && fields.count == text->columns && fields.of[FIELD_NAME] == fields.count)
        text->names = fields.word;
    else
        free_words(fields.word, fields.count);
}

/* True if the line has names, of which some may be empty. One with names and what may be values is
 * told by the user alone. */
static bool is_header(const struct source *source, const struct fields *fields, uint64_t line,
                      struct trouble *trouble)
{
    const uint64_t names = fields->of[FIELD_NAME], numbers = fields->of[FIELD_NUMBER],
                   unsure = fields->of[FIELD_UNSURE];
    if (source->choice.header != HEADER_AUTO)
        return source->choice.header == HEADER_YES;
    if (names && (numbers || unsure))
        trouble_note(trouble,
                     "%s: line %" PRIu64 " has names and %s; --header yes takes it for the "
                     "names of the columns, --header no for values",
                     source->path, line + 1, numbers ? "numbers" : "what may be values");
    return names && !numbers && !unsure;
}

static bool is_year(const char *word)
{
    return strlen(word) == 4 && strspn(word, "0123456789") == 4 && word[0] < '3' &&
           strcmp(word, "1800") >= 0;
}

/* True if numbers may be names: years at equal distances, or as pandas numbers columns, from 0 on,
 * at least three of them. The first field may be empty, as that of an index. */
static bool may_be_names(const struct fields *fields)
{
    const bool index = fields->count && !*fields->word[0];
    char *const *word = fields->word + index;
    const uint64_t count = fields->count - index;
    bool years = count > 0, numbered = count + index > 2;
    for (uint64_t i = 0; i < count; i++) {
        const bool plain = *word[i] && strspn(word[i], "0123456789") == strlen(word[i]);
        const long here = plain ? atol(word[i]) : -1;
        years = years && is_year(word[i]) &&
                (i < 2 || here - atol(word[i - 1]) == atol(word[1]) - atol(word[0])) &&
                (i != 1 || here != atol(word[0]));
        numbered = numbered && here == (long)i;
    }
    return years || numbered;
}

/* Says that a first line of numbers is taken for values, if the next one is of another kind. */
static void advise_names(struct scanner *s, const struct fields *first, uint64_t line)
{
    struct fields next;
    struct text *text = s->source->text;
    const struct text kept = *text;
    if (s->source->choice.header != HEADER_AUTO || !may_be_names(first) || cli_rank() != 0)
        return;
    do
        text->begin = text_place(s);
    while (read_fields(s, s->line, &next) && !next.count && text_place(s) < s->source->bytes);
    s->trouble->text[0] = '\0';
    if (next.count == first->count && !may_be_names(&next))
        advise("sum",
               "%s: line %" PRIu64 " may have names of columns (%s%s); it is taken for values, and "
               "--header yes takes it for names",
               s->source->path, line + 1, first->word[!*first->word[0]],
               first->count > 1 ? ", ..." : "");
    *text = kept;
    free_words(next.word, next.count);
}

static void read_first(struct scanner *s, struct text *text, const struct place *data,
                       const struct place *comment)
{
    struct fields fields;
    text->separator = find_separator(s, data->byte, &text->one);
    text->begin = data->byte;
    text->columns = 1;
    if (!read_fields(s, data->line, &fields))
        return;
    const bool names = is_header(s->source, &fields, data->line, s->trouble);
    if (!names && comment->byte == UINT64_MAX)
        advise_names(s, &fields, data->line);
    free_words(fields.word, fields.count);
    text->columns = fields.count;
    text->lines = data->line;
    if (names) {
        text->columns = 0;
        if (!read_fields(s, data->line, &fields))
            return;
        text->columns = fields.count;
        text->names = fields.word;
        text->begin = text_place(s);
        text->lines = s->line;
    } else if (comment->byte != UINT64_MAX && !s->trouble->text[0]) {
        read_comment(s, text, comment);
    }
}

static void skip_mark(struct source *source, struct trouble *trouble)
{
    static const char mark[] = "\xef\xbb\xbf";
    char start[sizeof mark - 1];
    if (source->bytes >= sizeof start && source_pread(source, start, sizeof start, 0, trouble) &&
        !memcmp(start, mark, sizeof start))
        source->text->begin = sizeof start;
}

void text_head(struct source *source, struct trouble *trouble)
{
    struct text *text = source->text;
    struct place data, comment;
    skip_mark(source, trouble);
    if (text->kind != TEXT_TABLE || trouble->text[0])
        return;
    struct scanner *s = text->scanner;
    s->source = source;
    s->trouble = trouble;
    text->separator = ' ';
    if (find_data(s, &data, &comment))
        read_first(s, text, &data, &comment);
    else
        trouble_note(trouble, "%s: it holds no numbers", source->path);
}

/* True for names, and for what begins with a digit and has letters, or more than a number has of
 * these signs: 5kg, 3fa4b, 2026-11-28, 12:30, 10.0.0.1. */
static bool is_text(const char *word)
{
    const char *rest = word + strspn(word, "0123456789");
    if (text_field(word) != FIELD_UNSURE || rest == word)
        return text_field(word) == FIELD_NAME;
    return *rest != '.' ? strpbrk(rest, LETTERS "-/:") != NULL
                        : strpbrk(rest + 1, LETTERS ".") != NULL;
}

uint64_t text_leave_out(struct source *source, struct trouble *trouble)
{
    struct text *text = source->text;
    struct scanner *s = text->scanner;
    char word[TEXT_WORD];
    uint64_t kept = 0, j = 0;
    text->texts = calloc(text->columns + 1, sizeof *text->texts);
    if (!text->texts) {
        trouble_note(trouble, "out of memory");
        return 0;
    }
    text_scan(s, source, text->begin, text->lines, trouble);
    while (text_next(s, word) == TEXT_LINE)
        ;
    do {
        text->texts[j] = is_text(word);
        kept += !text->texts[j++];
    } while (j < text->columns && text_next(s, word) == TEXT_FIELD);
    kept += text->columns - j; /* of too short a line, about which the reader complains */
    if (!kept)
        trouble_note(trouble, "%s: line %" PRIu64 ": no column has a number", source->path,
                     s->line + 1);
    return kept;
}

const char *text_name(const struct text *text, uint64_t k)
{
    uint64_t j = 0;
    for (; j < text->columns; j++)
        if (!(text->texts && text->texts[j]) && k-- == 0)
            break;
    return text->names[j];
}

void text_free(struct text *text)
{
    if (!text)
        return;
    free_words(text->names, text->columns);
    free(text->texts);
    free(text->chunk);
    free(text->scanner);
    free(text);
}

uint64_t text_hash(const struct text *text)
{
    const uint64_t words[] = {text->begin, text->columns, text->column,
                              (uint64_t)(unsigned char)text->separator};
    return summand__hash(SUMMAND__HASH_BEGIN, words, sizeof words);
}

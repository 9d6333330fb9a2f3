/* SPDX-License-Identifier: BSD-3-Clause */
/* Text: a count and that many numbers; numbers in any layout; or a table.
 *
 * Each rank counts the items in the lines that begin in its own byte range; the prefix sums of
 * those counts tell every rank in which chunk its first item lies. So a rank reads its chunk, its
 * slice, and at most one chunk to find the slice's start; no values travel. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/output/text.h"
#include "cli/sum/text.h"

static bool is_table(const struct text *text)
{
    return text->kind == TEXT_TABLE;
}

static void count_chunk(struct source *source, uint64_t end, struct text_chunk *mine,
                        struct trouble *trouble)
{
    struct scanner *s = source->text->scanner;
    char word[TEXT_WORD];
    text_scan(s, source, mine->start, 0, trouble);
    mine->start = text_place(s);
    while (text_place(s) < end && !trouble->text[0]) {
        if (is_table(source->text)) {
            mine->items += text_skip(s) == TEXT_DATA;
            continue;
        }
        while (text_next(s, word) == TEXT_FIELD)
            mine->items++;
    }
    mine->lines = s->line;
}

/* Collective, whether or not this rank is in trouble. */
static void make_map(struct source *source, struct trouble *trouble)
{
    struct text *text = source->text;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const uint64_t bytes = source->bytes - text->begin, size = bytes / (uint64_t)ranks + 1;
    const uint64_t from = size * (uint64_t)rank < bytes ? size * (uint64_t)rank : bytes;
    const uint64_t until = from + size < bytes ? from + size : bytes;
    struct text_chunk mine = {.start = text->begin + from}, *chunk = text->chunk, before = {0};
    if (from < until && !trouble->text[0])
        count_chunk(source, text->begin + until, &mine, trouble);
    MPI_Allgather(&mine, 3, MPI_UINT64_T, chunk, 3, MPI_UINT64_T, MPI_COMM_WORLD);
    before.lines = text->lines;
    for (int i = 0; i < ranks; i++) {
        const struct text_chunk counts = chunk[i];
        chunk[i].items = before.items;
        chunk[i].lines = before.lines;
        before.items += counts.items;
        before.lines += counts.lines;
    }
    chunk[ranks] = (struct text_chunk){source->bytes, before.items, before.lines};
    text->chunks = ranks;
}

static uint64_t items_of(const struct text *text)
{
    return text->chunk[text->chunks].items;
}

/* The count before the numbers. */
static void read_count(struct source *source, struct trouble *trouble)
{
    char word[TEXT_WORD], *end;
    const uint64_t words = items_of(source->text);
    struct scanner *s = source->text->scanner;
    if (!words) {
        trouble_note(trouble, "%s: an empty file; the count of its values expected first",
                     source->path);
        return;
    }
    text_scan(s, source, 0, 0, trouble);
    while (text_next(s, word) == TEXT_LINE)
        ;
    errno = 0;
    source->count = strtoull(word, &end, 10);
    if (!isdigit((unsigned char)word[0]) || *end || errno)
        trouble_note(trouble,
                     "%s: line %" PRIu64 ": '%.40s' is not a count of values; --format "
                     "text takes a file without one",
                     source->path, s->line + 1, word);
    else if (source->count != words - 1)
        trouble_note(trouble,
                     "%s: line %" PRIu64 " announces %" PRIu64 " values, but %" PRIu64
                     " follow; --format text takes a file without a count",
                     source->path, s->line + 1, source->count, words - 1);
}

/* All columns are read, but those of text; rank 0 says which. */
static void take_all(struct source *source, struct trouble *trouble)
{
    struct text *text = source->text;
    char list[400] = "", number[24];
    size_t used = 0;
    uint64_t more = 0;
    text->kept = text_leave_out(source, trouble);
    for (uint64_t j = 0; j < text->columns && text->kept; j++) {
        snprintf(number, sizeof number, "%" PRIu64, j);
        if (text->texts[j] && used < sizeof list - 100)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s", used ? ", " : "",
                                     text->names ? text->names[j] : number);
        else
            more += text->texts[j];
    }
    if (more)
        snprintf(list + used, sizeof list - used, " and %" PRIu64 " more", more);
    if (used && cli_rank() == 0)
        advise("sum", "%s: columns of text are left out: %s", source->path, list);
}

/* Which columns are read if the user names none. */
static void take_unnamed(struct source *source, uint64_t rows, struct trouble *trouble)
{
    struct text *text = source->text;
    char list[400];
    if (text->columns == 1 && !source->choice.every) {
        text->column = 0;
    } else if (!source->choice.every && (rows != 1 || text->names)) {
        source_list(list, sizeof list, text->columns, text->names);
        trouble_note(trouble,
                     "%s: it has %s; --column NAME or number chooses one, --columns adds up each%s",
                     source->path, list, text->names ? "" : ", --format text all numbers");
    } else if (!source->choice.every && text->one && !source->choice.format) {
        trouble_note(trouble,
                     "%s: its line may be one number or %" PRIu64
                     "; --format csv takes it for %" PRIu64
                     ", and 'tr , . <FILE | summand sum -' turns a decimal comma into a point",
                     source->path, text->columns, text->columns);
    } else if (source->choice.every && rows) {
        take_all(source, trouble);
    } else {
        text->kept = text->columns;
    }
}

/* Which columns of the table are read. */
static void choose_column(struct source *source, struct trouble *trouble)
{
    struct text *text = source->text;
    const uint64_t rows = items_of(text);
    text->column = TEXT_ALL;
    text->kept = 1;
    if (source->choice.column)
        text->column = source_column(source, text->columns, text->names, trouble);
    else
        take_unnamed(source, rows, trouble);
    source->dimensions = text->column == TEXT_ALL ? 2 : 1;
    source->extent[0] = rows;
    source->extent[1] = text->kept;
    source->count = rows * text->kept;
    if (!rows && !trouble->text[0])
        trouble_note(trouble, "%s: it holds names of columns and no numbers", source->path);
}

static void advise_count(struct source *source, struct trouble *trouble)
{
    double first;
    if (source->count < 3 || source->text->names || source->text->columns > 1 || trouble->text[0])
        return;
    struct trouble none = {""};
    source->format->read(source, 0, 1, 1, &first, &none);
    if (!none.text[0] && first == (double)(source->count - 1) && cli_rank() == 0)
        advise("sum",
               "%s: its first number is the count of the others, and is added up with them; "
               "--format psllh leaves it out",
               source->path);
}

static void open_text(struct source *source, enum text_kind kind, struct trouble *trouble)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct text *text = source->text = calloc(1, sizeof *text);
    if (text) {
        text->kind = kind;
        text->item = UINT64_MAX;
        text->scanner = malloc(sizeof *text->scanner);
        text->chunk = calloc((size_t)ranks + 1, sizeof *text->chunk);
    }
    if (!text || !text->scanner || !text->chunk)
        trouble_note(trouble, "out of memory");
    if (!agree_fine(!trouble->text[0]))
        return;
    text_head(source, trouble);
    make_map(source, trouble);
    source->count = items_of(text);
    if (trouble->text[0])
        return;
    if (kind != TEXT_TABLE && source->choice.column)
        trouble_note(trouble, "%s: numbers in any layout have no columns; --format csv has",
                     source->path);
    else if (kind == TEXT_COUNTED)
        read_count(source, trouble);
    else if (is_table(text))
        choose_column(source, trouble);
    else if (!source->count)
        trouble_note(trouble, "%s: it holds no numbers", source->path);
    if (kind != TEXT_COUNTED)
        advise_count(source, trouble);
}

static void open_psllh(struct source *source, struct trouble *trouble)
{
    open_text(source, TEXT_COUNTED, trouble);
}

static void open_list(struct source *source, struct trouble *trouble)
{
    open_text(source, TEXT_LIST, trouble);
}

static void open_table(struct source *source, struct trouble *trouble)
{
    open_text(source, TEXT_TABLE, trouble);
}

/* "line 7", of a table with several columns "line 7, column x" */
static const char *place_text(const struct scanner *s, uint64_t column, char *text, size_t room)
{
    const int used = snprintf(text, room, "line %" PRIu64, s->line + 1);
    if (s->text->columns > 1 && s->text->names)
        snprintf(text + used, room - (size_t)used, ", column %.60s", s->text->names[column]);
    else if (s->text->columns > 1)
        snprintf(text + used, room - (size_t)used, ", column %" PRIu64, column);
    return text;
}

static double number_of(const struct scanner *s, const char *word, uint64_t column)
{
    char place[128];
    double value = 0;
    const enum text_number kind = text_number(word, &value);
    const bool comma = strchr(word, ',') && strspn(word, "0123456789,+-") == strlen(word);
    if (kind == TEXT_NUMBER)
        return value;
    place_text(s, column, place, sizeof place);
    if (kind == TEXT_TOO_LARGE)
        trouble_note(s->trouble, "%s: %s: %.40s is too large for a double", s->source->path, place,
                     word);
    else if (!*word)
        trouble_note(s->trouble, "%s: %s: the field is empty", s->source->path, place);
    else
        trouble_note(s->trouble, "%s: %s: '%.40s' is not a number%s", s->source->path, place, word,
                     comma ? "; 'tr , . <FILE | summand sum -' turns decimal commas into points"
                     : s->line == s->text->lines && is_table(s->text) && !s->text->names &&
                             items_of(s->text) > 1
                         ? "; --header yes takes the line for names of columns"
                         : "");
    return value;
}

/* True if a row's column is wanted. */
static bool is_read(const struct text *text, uint64_t column)
{
    if (column >= text->columns)
        return false;
    return text->column == TEXT_ALL ? !(text->texts && text->texts[column])
                                    : text->column == column;
}

/* The next row: its chosen field, or all of them, into `values`. */
static void read_row(struct scanner *s, double *values)
{
    const struct text *text = s->text;
    char word[TEXT_WORD];
    uint64_t j = 0;
    enum text_token token = TEXT_LINE;
    while (!j && token != TEXT_END && !s->trouble->text[0])
        while ((token = text_next(s, word)) == TEXT_FIELD && !s->trouble->text[0]) {
            if (is_read(text, j))
                *values++ = number_of(s, word, j);
            j++;
        }
    if (!j)
        trouble_note(s->trouble, "%s: the file ends too early", s->source->path);
    else if (j != text->columns)
        trouble_note(s->trouble,
                     "%s: line %" PRIu64 " has %" PRIu64 " field%s, not %" PRIu64
                     " as the first one%s",
                     s->source->path, s->line + (token != TEXT_LINE), j, text_plural((long long)j),
                     text->columns, text->names ? "" : "; --format text takes any layout");
}

static void read_item(struct scanner *s, double *values)
{
    char word[TEXT_WORD];
    enum text_token token = text_next(s, word);
    while (token == TEXT_LINE)
        token = text_next(s, word);
    if (token == TEXT_END)
        trouble_note(s->trouble, "%s: the file ends too early", s->source->path);
    else
        *values = number_of(s, word, 0);
}

/* Goes to an item: on from the last read, or from the beginning of its chunk. */
static void find_item(struct source *source, uint64_t item, struct trouble *trouble)
{
    struct text *text = source->text;
    struct scanner *s = text->scanner;
    char word[TEXT_WORD];
    int c = 0;
    while (c + 1 < text->chunks && text->chunk[c + 1].items <= item)
        c++;
    s->trouble = trouble;
    if (text->item > item || text->item < text->chunk[c].items) {
        text_scan(s, source, text->chunk[c].start, text->chunk[c].lines, trouble);
        text->item = text->chunk[c].items;
    }
    while (text->item < item && !trouble->text[0]) {
        if (is_table(text) ? text_skip(s) == TEXT_DATA : text_next(s, word) == TEXT_FIELD)
            text->item++;
        else if (text_place(s) == source->bytes)
            trouble_note(trouble, "%s: the file ends too early", source->path);
    }
}

static void read_text(struct source *source, uint64_t first, uint64_t count, int terms,
                      double *values, struct trouble *trouble)
{
    struct text *text = source->text;
    const uint64_t each = is_table(text) ? text->kept : 1;
    const uint64_t ahead = text->kind == TEXT_COUNTED; /* the count */
    /* Part of a row may be wanted: of an only row, or with few ranks' slices of many columns. */
    double *row = malloc((each + 1) * sizeof *row);
    if (!row)
        trouble_note(trouble, "out of memory");
    for (uint64_t i = first; i < first + count && !trouble->text[0];) {
        const uint64_t item = i / each;
        find_item(source, item + ahead, trouble);
        if (is_table(text) && !trouble->text[0])
            read_row(text->scanner, row);
        else if (!trouble->text[0])
            read_item(text->scanner, row);
        text->item = trouble->text[0] ? UINT64_MAX : item + ahead + 1;
        for (; i < first + count && i / each == item; i++, values += terms) {
            values[0] = row[i % each];
            for (int t = 1; t < terms; t++)
                values[t] = -0.0;
        }
    }
    free(row);
}

static void head_psllh(FILE *out, uint64_t count)
{
    fprintf(out, "%" PRIu64 "\n", count);
}

static void head_text(FILE *out, uint64_t count)
{
    (void)out;
    (void)count;
}

static void values_text(FILE *out, uint64_t count, const double *values)
{
    for (uint64_t i = 0; i < count; i++)
        fprintf(out, "%.17g\n", values[i]);
}

const struct data_format format_psllh = {.name = "psllh",
                                         .summary = "text: the count, then a number per line",
                                         .ending = ".psllh",
                                         .text = true,
                                         .open = open_psllh,
                                         .read = read_text,
                                         .write_head = head_psllh,
                                         .write_values = values_text};

const struct data_format format_text = {.name = "text",
                                        .summary = "numbers in any layout",
                                        .ending = ".txt",
                                        .text = true,
                                        .open = open_list,
                                        .read = read_text,
                                        .write_head = head_text,
                                        .write_values = values_text};

const struct data_format format_csv = {.name = "csv",
                                       .summary = "a table: lines of columns, perhaps with names",
                                       .ending = ".csv",
                                       .text = true,
                                       .open = open_table,
                                       .read = read_text,
                                       .write_head = head_text,
                                       .write_values = values_text};

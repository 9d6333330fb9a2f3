/* SPDX-License-Identifier: BSD-3-Clause */
/* Text with numbers, cut into lines and fields. A line ends with LF, CR LF or CR. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/sum/source.h"

enum {
    TEXT_WORD = 2048,       /* room of a field: all digits of any double */
    TEXT_COLUMNS = 1 << 16, /* most columns of a table */
    TEXT_BUFFER = 1 << 16   /* bytes read at a time */
};
#define TEXT_ALL UINT64_MAX /* as a column */

enum text_kind {
    TEXT_COUNTED, /* numbers between white space, the first one is their count */
    TEXT_LIST,    /* numbers in any layout, between white space, commas or semicolons */
    TEXT_TABLE    /* lines of equally many fields */
};

/* Reads bytes on, field by field. */
struct scanner {
    struct source *source;
    const struct text *text;
    struct trouble *trouble;
    uint64_t next; /* byte of the file after the buffer */
    uint64_t line; /* ends of lines so far, in the whole file */
    size_t used, fill;
    bool within,
        due; /* in a line, behind a field; of a table with a separator: a field comes next */
    unsigned char buffer[TEXT_BUFFER + 1]; /* the first byte is the last one of the previous fill */
};

/* The lines that begin in a range of bytes, one for each rank. */
struct text_chunk {
    uint64_t start;        /* the first one's first byte */
    uint64_t items, lines; /* before the chunk, in the whole file: rows of a table, else numbers */
};

struct text {
    enum text_kind kind;
    char separator;   /* of a table: ' ' stands for white space */
    uint64_t begin;   /* the first byte of data, after a byte order mark and names of columns */
    uint64_t lines;   /* before it */
    uint64_t columns; /* of a table; 0 while their names are read, which may have a '#' within */
    uint64_t column;  /* that is read, or TEXT_ALL */
    bool one;         /* the first line may be one number with commas */
    char **names;     /* of the columns, or NULL */
    uint64_t kept;    /* how many columns are read */
    bool *texts;      /* columns that hold text, which TEXT_ALL leaves out, or NULL */
    int chunks;       /* one per rank */
    struct text_chunk *chunk; /* and one more, the end of the file */
    struct scanner *scanner;  /* where the last read ended */
    uint64_t item;            /* its next item; UINT64_MAX: not begun */
};

enum text_token { TEXT_FIELD, TEXT_LINE, TEXT_END };

/* Begins with the first line that starts at byte `start` or later, or at the byte text->begin. */
void text_scan(struct scanner *scanner, struct source *source, uint64_t start, uint64_t lines,
               struct trouble *trouble);
/* The next field into `word`, the end of a line, or that of the file. */
enum text_token text_next(struct scanner *scanner, char word[TEXT_WORD]);
enum text_line { TEXT_BLANK, TEXT_COMMENT, TEXT_DATA };
/* Passes over a line. */
enum text_line text_skip(struct scanner *scanner);
/* The byte that comes next. */
uint64_t text_place(const struct scanner *scanner);

enum text_number { TEXT_NUMBER, TEXT_NO_NUMBER, TEXT_TOO_LARGE };
/* Also Fortran's 1.5D3 and 1.5+103. */
enum text_number text_number(const char *word, double *value);
/* True if '#' before this word is an error that a spreadsheet wrote: #N/A, #DIV/0!, #NAME?. */
bool text_is_sheet_error(const char *word);

enum text_field {
    FIELD_EMPTY,
    FIELD_NUMBER,
    FIELD_NAME,
    FIELD_UNSURE /* no number, but like one: $5, (5), 5kg, 2019-Q1; or it says that one is missing
                  */
};
enum text_field text_field(const char *word);

/* Finds separator, columns, their names and the beginning of the data. Local. */
void text_head(struct source *source, struct trouble *trouble);

/* Finds the columns that hold text, by the first line of data. Returns how many others there are;
 * 0 after a note, too. Local. */
uint64_t text_leave_out(struct source *source, struct trouble *trouble);
/* The name of column k of those that are read. */
const char *text_name(const struct text *text, uint64_t k);

void text_free(struct text *text);
/* Of what text_head found. */
uint64_t text_hash(const struct text *text);

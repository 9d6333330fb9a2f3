/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of numbers that each rank reads its own slice of. One row per format in source.c. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/npy.h"
#include "cli/ranks/agree.h"

struct inflater;
struct text;

/* Which numbers of a file are wanted. */
struct source_choice {
    int format;         /* index in format_choices */
    int header;         /* of text: index in header_choices */
    const char *array;  /* name of one in an archive; NULL: the only one */
    const char *column; /* name or number of one in a matrix or table; NULL: all elements */
    bool every;         /* a table's elements, all columns: with their shape, for sums along it */
};

extern const char *const header_choices[];

struct source {
    const char *path;
    struct source_choice choice;
    const struct data_format *format;
    int fd;
    char *name;           /* the file without the name of an array, or NULL: `path` */
    uint64_t base, bytes; /* the part of the file that has the numbers: all, or one of an archive */
    struct inflater *inflater; /* where it is compressed, or NULL */
    uint64_t count;            /* elements in it */
    /* Binary formats. */
    struct summand__npy type; /* of an element, or of a part of one (source_take_part) */
    uint64_t offset, stride;  /* bytes to the first element, and from one to the next */
    int parts;                /* of an element: 2 of a complex number, else 1 */
    /* The shape, where it has one; the last index runs fastest, in Fortran order the first. */
    int dimensions;
    uint64_t extent[SUMMAND__NPY_DIMENSIONS];
    bool fortran;
    struct text *text; /* text formats */
    bool wide;         /* `read` met a value that one double cannot hold */
};

struct data_format {
    const char *name;
    const char *summary;
    const char *ending; /* of file names, with its dot */
    bool text, archive;
    /* Collective: finds the count and checks it against the file's size. All ranks have opened the
     * file. */
    void (*open)(struct source *source, struct trouble *trouble);
    /* Local: elements first .. first + count - 1 as so many doubles each: 1, or 2 whose exact sum
     * it is. With one, a value that needs two sets `wide`, too. */
    void (*read)(struct source *source, uint64_t first, uint64_t count, int terms, double *values,
                 struct trouble *trouble);
    /* NULL: this format is not written. */
    void (*write_head)(FILE *out, uint64_t count);
    void (*write_values)(FILE *out, uint64_t count, const double *values);
};

/* NULL-terminated. */
extern const struct data_format *const data_formats[];

/* Names of the formats for an option, "auto" first: choice i + 1 is data_formats[i]. */
extern const char *const format_choices[];

/* The format of an option's choice; for "auto" that of the file name's ending, or NULL. */
const struct data_format *format_chosen(int choice, const char *path);

/* Local: the format of an open source by its first bytes, then by its name. NULL: noted why not. */
const struct data_format *format_told(struct source *source, struct trouble *trouble);

/* Collective: opens on every rank, or on none after a complaint. The path "-" is standard input,
 * "FILE:NAME" an array of an archive. */
bool source_open(struct source *source, const char *command, const char *path,
                 const struct source_choice *choice);
void source_close(struct source *source);

/* Of complex numbers: elements become their real (0) or imaginary (1) parts, or both in turn (-1).
 * Of others it does nothing. */
void source_take_part(struct source *source, int part);

/* Reads `bytes` bytes at `offset`; notes an error in `trouble` if the file ends before. */
bool source_pread(struct source *source, void *buffer, uint64_t bytes, uint64_t offset,
                  struct trouble *trouble);
/* Collective: a file without a name that holds standard input, for this rank; -1 after a note. */
int source_standard_input(struct trouble *trouble);
/* Checks that `count` values of `type` at `offset` fill the file. */
void source_check_size(const struct source *source, struct trouble *trouble);
/* The chosen column of so many: by its name, if there are names, or its number from 0, also behind
 * '#'. UINT64_MAX after a note, also if several are meant. */
uint64_t source_column(const struct source *source, uint64_t columns, char *const *names,
                       struct trouble *trouble);
/* "3 columns: time, x, y" */
void source_list(char *list, size_t room, uint64_t columns, char *const *names);
/* data_format.open of .npy, at `base`. */
void source_open_npy(struct source *source, struct trouble *trouble);
/* data_format.read of every binary format. */
void source_read_binary(struct source *source, uint64_t first, uint64_t count, int terms,
                        double *values, struct trouble *trouble);
void write_f64(FILE *out, uint64_t count, const double *values);
/* The header of a matrix of doubles in a .npy file; columns 0: of a vector. */
void head_npy_matrix(FILE *out, uint64_t rows, uint64_t columns);

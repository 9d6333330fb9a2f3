/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of numbers that each rank reads its own slice of. One row per format in source.c. */
#ifndef SUMMAND_CLI_SUM_SOURCE_H
#define SUMMAND_CLI_SUM_SOURCE_H

#include <stdint.h>
#include <stdio.h>

#include "base/npy.h"
#include "cli/common/agree.h"

/* The text format's byte range of one rank. */
struct text_chunk {
    uint64_t start;        /* byte */
    uint64_t words, lines; /* before the chunk, in the whole file */
};

struct source {
    const char *path;
    const struct data_format *format;
    int fd;
    uint64_t bytes;           /* size of the file */
    uint64_t count;           /* values in it */
    uint64_t offset;          /* bytes before the first value; for text, of a byte order mark */
    struct summand__npy type; /* binary formats: type of a value */
    bool matrix;              /* a file of a matrix is wanted: type.extent, type.columns */
    int chunks;               /* text format: number of ranks */
    struct text_chunk *chunk; /* text format: one per rank, and the end of the file */
};

struct data_format {
    const char *name;
    const char *summary;
    const char *ending; /* of file names, with its dot */
    /* Collective: finds the count and checks it against the file's size. All ranks have opened the
     * file. */
    void (*open)(struct source *source, struct trouble *trouble);
    /* Local: values first .. first + count - 1 as doubles. */
    void (*read)(const struct source *source, uint64_t first, uint64_t count, double *values,
                 struct trouble *trouble);
    void (*write_head)(FILE *out, uint64_t count);
    void (*write_values)(FILE *out, uint64_t count, const double *values);
};

/* NULL-terminated. */
extern const struct data_format *const data_formats[];

/* Names of the formats for an option, "auto" first: choice i + 1 is data_formats[i]. */
extern const char *const format_choices[];

/* The format of an option's choice; for "auto" that of the file name's ending, or NULL. */
const struct data_format *format_chosen(int choice, const char *path);

/* Collective: opens on every rank, or on none after a complaint. format NULL: by the ending. */
bool source_open(struct source *source, const char *command, const char *path, int format_choice);
/* The same for a matrix in a .npy file. */
bool source_open_matrix(struct source *source, const char *command, const char *path);
void source_close(struct source *source);

/* Reads `bytes` bytes at `offset`; notes an error in `trouble` if the file ends before. */
bool source_pread(const struct source *source, void *buffer, uint64_t bytes, uint64_t offset,
                  struct trouble *trouble);
/* Checks that `count` values of `type` at `offset` fill the file. */
void source_check_size(const struct source *source, struct trouble *trouble);
/* data_format.read of every binary format. */
void source_read_binary(const struct source *source, uint64_t first, uint64_t count, double *values,
                        struct trouble *trouble);
void write_f64(FILE *out, uint64_t count, const double *values);
/* The header of a matrix of doubles in a .npy file; columns 0: of a vector. */
void head_npy_matrix(FILE *out, uint64_t rows, uint64_t columns);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of NumPy's .npy files (NumPy Enhancement Proposal 1): magic, version 1 to 3, length,
 * and a Python dictionary in text. Of floating-point numbers of 2, 4 or 8 bytes, integers of 1, 2,
 * 4 or 8 bytes, and booleans. */
#ifndef SUMMAND_BASE_NPY_H
#define SUMMAND_BASE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMMAND__NPY_START = 12,     /* bytes that tell how long a header is */
    SUMMAND__NPY_MOST = 1 << 20, /* bytes of a header that is read; NumPy's are 128 and less */
    SUMMAND__NPY_HEADER = 256    /* of one that is written */
};

struct summand__npy {
    char kind;    /* 'f', 'i' (signed), 'u' (unsigned) or 'b' */
    size_t width; /* bytes of a number */
    bool swapped; /* not in this machine's byte order */
    bool columns; /* Fortran order */
    /* At most one extent is not 1: both orders are the same. A number alone, (), is a vector too.
     */
    bool vector;
    uint64_t count; /* of numbers, at most UINT64_MAX */
    int dimensions;
    uint64_t extent[2]; /* of the first two */
    size_t begin;       /* of the numbers */
    char shape[64];     /* as the file has it, perhaps cut */
    char wrong[192];    /* what is, in words, or empty */
};

/* From the first bytes of a file, SUMMAND__NPY_START or all that it has: how long the header is
 * (`begin`). False: see `wrong`. */
bool summand__npy_start(const char *bytes, size_t count, struct summand__npy *npy);

/* Reads a header, npy->begin bytes of the file, as summand__npy_start has found it, in memory of
 * one byte more, which is as it was afterwards. False: see `wrong`. */
bool summand__npy_read(char *bytes, struct summand__npy *npy);

/* The values of `count` numbers of this type. Returns how many could be read: the next one has no
 * double (an integer beyond 2^53 as a rule), or is a boolean other than 0 and 1. */
size_t summand__npy_values(const struct summand__npy *npy, const void *from, size_t count,
                           double *to);

/* The header of a matrix or vector of floating-point numbers, of `begin` bytes, which it sets: a
 * multiple of 64, as NumPy has it. */
void summand__npy_write(char header[SUMMAND__NPY_HEADER], struct summand__npy *npy);

#endif

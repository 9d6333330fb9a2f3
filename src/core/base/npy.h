/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of NumPy's .npy files (NumPy Enhancement Proposal 1): magic, version 1 to 3, length,
 * and a Python dictionary as text. For floating-point numbers of 2, 4 or 8 bytes, integers of 1, 2,
 * 4 or 8 bytes, booleans, complex numbers, and the long doubles of x86 (80 bits, in 12 or 16 bytes)
 * where the compiler's are the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMMAND__NPY_START = 12,     /* bytes with the length of the header */
    SUMMAND__NPY_MOST = 1 << 20, /* most bytes of a header to read; NumPy's have at most 128 */
    SUMMAND__NPY_HEADER = 256,   /* bytes of a header to write */
    SUMMAND__NPY_DIMENSIONS = 64 /* the most that NumPy 2 has; NumPy 1 has 32 */
};

struct summand__npy {
    char kind;    /* 'f', 'i' (signed), 'u' (unsigned), 'b' or 'c' (complex) */
    size_t width; /* bytes of an element */
    bool swapped; /* not in this machine's byte order */
    bool columns; /* Fortran order */
    /* At most one extent is not 1, so both orders are the same. A single number, (), is a vector
     * too. */
    bool vector;
    uint64_t count; /* number of numbers, limited to UINT64_MAX */
    int dimensions;
    uint64_t extent[SUMMAND__NPY_DIMENSIONS];
    size_t begin;    /* offset of the numbers */
    char shape[64];  /* as in the file, perhaps cut */
    char wrong[256]; /* the error in words, or empty */
};

/* Finds the length of the header (`begin`) from the first bytes of a file, SUMMAND__NPY_START or
 * all that it has. False: see `wrong`. */
bool summand__npy_start(const char *bytes, size_t count, struct summand__npy *npy);

/* Reads a header: npy->begin bytes of the file, from summand__npy_start, with one byte of memory
 * more, which is restored. False: see `wrong`. */
bool summand__npy_read(char *bytes, struct summand__npy *npy);

/* Converts `count` numbers of this type, which is not complex. Returns how many could be converted:
 * the next one has no double value (usually an integer beyond 2^53), or is a boolean other than 0
 * and 1. */
size_t summand__npy_values(const struct summand__npy *npy, const void *from, size_t count,
                           double *to);

/* The same with two doubles for each number, which are its exact sum: the nearest one, and the
 * rest, -0.0 if there is none. They hold all integers, and long doubles within the range of
 * doubles. */
size_t summand__npy_pairs(const struct summand__npy *npy, const void *from, size_t count,
                          double *to);

/* The type of the two parts of a complex number; for other types itself. */
struct summand__npy summand__npy_part(const struct summand__npy *npy);

/* Writes the header of a matrix or vector of floating-point numbers. Sets its length `begin`, a
 * multiple of 64, like NumPy. */
void summand__npy_write(char header[SUMMAND__NPY_HEADER], struct summand__npy *npy);

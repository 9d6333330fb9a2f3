/* The header of NumPy's .npy files (NumPy Enhancement Proposal 1): magic, version 1 to 3, length,
 * and a Python dictionary in text. Of floating-point numbers of 4 or 8 bytes. */
#ifndef SUMMAND_BASE_NPY_H
#define SUMMAND_BASE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMMAND__NPY_MOST = 65535 + 12, /* bytes of a header that is read; NumPy's are 128 and less */
    SUMMAND__NPY_HEADER = 256       /* of one that is written */
};

struct summand__npy {
    size_t width; /* bytes of a number */
    bool swapped; /* not in this machine's byte order */
    bool columns; /* Fortran order */
    int dimensions;
    uint64_t extent[2]; /* of the first two */
    size_t begin;       /* of the numbers */
};

/* Reads the header of a file that begins with these bytes: all of it, or SUMMAND__NPY_MOST; room
 * for one more byte. What is wrong, in words, or NULL. */
const char *summand__npy_read(char *bytes, size_t count, struct summand__npy *npy);

/* The header of a matrix, of `begin` bytes, which it sets: a multiple of 64, as NumPy has it. In
 * this machine's byte order. */
void summand__npy_write(char header[SUMMAND__NPY_HEADER], struct summand__npy *npy);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers of files under mutated files: a row for each says what valid files look like, and reads
 * one. */
#ifndef SUMMAND_TEST_FUZZ_READER_H
#define SUMMAND_TEST_FUZZ_READER_H

#include <stdbool.h>
#include <stddef.h>

enum { SEEDS = 4, LONGEST = 1 << 16 };

/* What became of a file. WRONG: it was taken for what it is not, or `why` says what else. */
enum outcome { REFUSED, TAKEN, WRONG };

struct bytes {
    const char *at; /* a 0 behind them */
    size_t count;
};

struct reader {
    const char *name;
    const char *file; /* its name, in the working folder */
    bool sealed;      /* no file but those that were written may be taken */
    /* Writes a valid file under the name; false: there are no more. Also opens what `take` wants.
     */
    bool (*make)(int seed);
    /* Reads the file. The reason of a refusal goes to stderr or to `why`. */
    enum outcome (*take)(const struct bytes *bytes, const char **why);
    void (*end)(void); /* or NULL */
};

/* Ended by NULL. */
extern const struct reader *const readers_of_numbers[],
    *const readers_of_training[], *const readers_of_gossip[], *const readers_of_models[];

/* Writes a file of the working folder; the test ends where that fails. */
void put_file(const char *name, const void *bytes, size_t count);
/* The bytes of a .npy file as NumPy writes it, with these numbers; returns how many. */
size_t npy_bytes(char *bytes, const char *descr, const char *order, const char *shape,
                 const void *numbers, size_t count);
/* Ends the test where `fine` is false. */
void need_fine(bool fine, const char *what);

#endif

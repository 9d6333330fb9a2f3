/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers of files, tested with mutated files: each row describes valid files, and reads one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SEEDS = 4, LONGEST = 1 << 16 };

/* The outcome for a file. WRONG: it was accepted with a wrong content, or `why` gives another
 * fault. */
enum outcome { REFUSED, TAKEN, WRONG };

struct bytes {
    const char *at; /* a 0 behind them */
    size_t count;
};

struct reader {
    const char *name;
    const char *file; /* its name, in the working folder */
    bool sealed;      /* no file except the written ones may be accepted */
    /* Writes a valid file under the name; returns false if there are no more. Also opens what
     * `take` needs. */
    bool (*make)(int seed);
    /* Reads the file. The reason of a refusal goes to stderr or to `why`. */
    enum outcome (*take)(const struct bytes *bytes, const char **why);
    void (*end)(void); /* or NULL */
};

/* Ended by NULL. */
extern const struct reader *const readers_of_numbers[],
    *const readers_of_training[], *const readers_of_gossip[], *const readers_of_models[],
                                                                  *const readers_of_records[];

/* Writes a file in the working folder; the test ends if that fails. */
void put_file(const char *name, const void *bytes, size_t count);
/* The bytes of a .npy file as NumPy writes it, with these numbers; returns their count. */
size_t npy_bytes(char *bytes, const char *descr, const char *order, const char *shape,
                 const void *numbers, size_t count);
/* Ends the test where `fine` is false. */
void need_fine(bool fine, const char *what);

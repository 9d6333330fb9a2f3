/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors that the shim holds while the program runs. A program may close all descriptors that
 * it did not open, as daemons do, or one twice, and then gets their numbers for its own files. So
 * each use first asks whether the descriptor is still the same file. They have high numbers, are
 * closed on exec, and are not inherited by fork. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct shim_held {
    int descriptor; /* -1: none */
    dev_t device;
    ino_t inode;
    struct shim_held *next;
};

/* Takes over a descriptor of this process. `held` lives as long as the process. */
void shim_held_take(struct shim_held *held, int descriptor);
/* True if it is still the file that was taken. */
bool shim_held_is_ours(const struct shim_held *held);
/* True if this descriptor is the same file. */
bool shim_held_is(const struct shim_held *held, int descriptor);
/* Closes it, if it is still ours. False: see errno. */
bool shim_held_close(struct shim_held *held);

/* The program's stderr as it was in MPI_Init. Writes nothing if the program has closed it. */
void shim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void shim_vsay(const char *format, va_list list) __attribute__((format(printf, 1, 0)));
void shim_say_text(const char *text, size_t length);
void shim_say_begin(void);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults on purpose: one damaged message of this process. Free while there is none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/environment.h"

struct summand__injection;

/* A message to be changed, and the one that the link sent before. */
struct summand__injection_target {
    unsigned char *bytes;
    size_t count;
    const unsigned char *before;
    size_t count_before;
};

/* How bytes of a message change; there is at least one. */
struct summand__injection_kind {
    const char *name, *meaning;
    void (*change)(const struct summand__injection_target *message, uint64_t number);
};

/* Ends with a row without name. */
extern const struct summand__injection_kind summand__injection_kinds[];

struct summand__injection {
    const struct summand__injection_kind *kind; /* NULL: none */
    int rank;                                   /* in the world, of the sender */
    uint64_t message;                           /* its number among those that the rank has sent */
    uint64_t number;                            /* which bit, words, place: any number */
};

/* KIND@RANK:MESSAGE[:NUMBER]; false with a complaint. */
bool summand__injection_read(const char *text, struct summand__injection *injection,
                             struct summand__complaint *complaint);

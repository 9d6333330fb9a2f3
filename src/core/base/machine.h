/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about this machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The processor's model name, or the architecture if the system does not give one, as on ARM:
 * "aarch64". `kind` distinguishes models: on x86 family, model and stepping, "6 143 8"; on ARM
 * implementer, variant, part and revision, "0x41 0x3 0xd0c 1"; or nothing. */
struct summand__processor {
    char name[160], kind[64];
};
struct summand__processor summand__processor(void);

/* The same from a text such as /proc/cpuinfo, or from none. */
struct summand__processor summand__processor_of(FILE *facts);

/* Number of this node's processors on line when it was first asked, at least 1. */
int summand__processors(void);

/* Number of them on which this process may run, at least 1. */
int summand__processors_allowed(void);

/* Processors on which this process may run, as bits; false if the system does not say. */
enum { SUMMAND__AFFINITY_BYTES = 128 };
bool summand__affinity(unsigned char mask[SUMMAND__AFFINITY_BYTES]);

/* The last cache before memory. */
struct summand__last_cache {
    size_t bytes;
    int processors; /* number that share it */
};

/* The last cache of the first processor; zeros if the system does not say. (sysconf gives the sum
 * of all caches of the level.) Asks the system once. */
struct summand__last_cache summand__last_cache(void);

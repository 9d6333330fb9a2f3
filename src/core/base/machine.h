/* SPDX-License-Identifier: BSD-3-Clause */
/* What machine this is. */
#ifndef SUMMAND_BASE_MACHINE_H
#define SUMMAND_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The model's name of the processor, or the architecture's if the system does not say it, as on
 * ARM: "aarch64". What tells models apart: on x86 family, model and stepping, "6 143 8"; on ARM
 * implementer, variant, part and revision, "0x41 0x3 0xd0c 1"; or nothing. */
struct summand__processor {
    char name[160], kind[64];
};
struct summand__processor summand__processor(void);

/* The same of a text such as /proc/cpuinfo, or of none. */
struct summand__processor summand__processor_of(FILE *facts);

/* Processors of this node that are on line, at least 1. */
int summand__processors(void);

/* Those of them on which this process may run, at least 1. */
int summand__processors_allowed(void);

/* Processors on which this process may run, as bits; false if the system does not say. */
enum { SUMMAND__AFFINITY_BYTES = 128 };
bool summand__affinity(unsigned char mask[SUMMAND__AFFINITY_BYTES]);

/* The cache before memory. */
struct summand__last_cache {
    size_t bytes;
    int processors; /* that share it */
};

/* That of the first processor; zeros if the system does not say. (sysconf gives the sum of all
 * caches of the level.) The system is asked once. */
struct summand__last_cache summand__last_cache(void);

#endif

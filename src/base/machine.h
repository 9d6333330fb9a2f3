/* What machine this is. */
#ifndef SUMMAND_BASE_MACHINE_H
#define SUMMAND_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* The model's name of the processor, or "unknown". */
void summand__processor_name(char *text, size_t room);

/* Family, model and stepping, or what else the system says there: "6 143 8"; "" where it says
 * nothing. */
void summand__processor_kind(char *text, size_t room);

/* Processors of this node that are on line, at least 1. */
int summand__processors(void);

/* Those of them on which this process may run, at least 1. */
int summand__processors_allowed(void);

/* Processors on which this process may run, as bits; false where the system does not say. */
enum { SUMMAND__AFFINITY_BYTES = 128 };
bool summand__affinity(unsigned char mask[SUMMAND__AFFINITY_BYTES]);

/* The cache before memory. */
struct summand__last_cache {
    size_t bytes;
    int processors; /* that share it */
};

/* That of the first processor; zeros where the system does not say. (sysconf gives the sum of all
 * caches of the level.) The system is asked once. */
struct summand__last_cache summand__last_cache(void);

#endif

/* What machine this is. */
#ifndef SUMMAND_BASE_MACHINE_H
#define SUMMAND_BASE_MACHINE_H

#include <stddef.h>

/* The model's name of the processor, or "unknown". */
void summand__processor_name(char *text, size_t room);

/* Processors of this node that are on line, at least 1. */
int summand__processors(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that nobody else has drawn. */
#ifndef SUMMAND_FABRIC_DRAW_H
#define SUMMAND_FABRIC_DRAW_H

#include <stdint.h>

/* A number that no other process and no other call has drawn. Local. */
uint64_t summand__draw(void);

/* The id of a new fabric: the time in nanoseconds, but at least `newest` + 1, and a drawn number.
 * Local. */
void summand__draw_id(uint64_t newest, uint64_t id[2]);

#endif

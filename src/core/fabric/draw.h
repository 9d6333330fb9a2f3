/* SPDX-License-Identifier: BSD-3-Clause */
/* Unique numbers. */
#pragma once

#include <stdint.h>

/* Local: draws a number that no other process and no other call draws. */
uint64_t summand__draw(void);

/* Local: draws the id of a new fabric: the time in nanoseconds, but at least `newest` + 1, and a
 * unique number. */
void summand__draw_id(uint64_t newest, uint64_t id[2]);

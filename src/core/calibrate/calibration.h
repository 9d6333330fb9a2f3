/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities of the machine that are measured, and a set of values for them. They affect the speed
 * of messages, never the bits of a result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum summand__quantity {
    SUMMAND__LINE_TIME,
    SUMMAND__BYTE_TIME,
    SUMMAND__SPIN_TURNS,
    SUMMAND__FLOP_TIME,
    SUMMAND__WRITE_TIME,
    SUMMAND__PREFETCH_AHEAD,
    SUMMAND__BYPASS_RESULTS,
    SUMMAND__BYPASS_COPIES,
    SUMMAND__QUANTITIES
};

struct summand__quantity_row {
    const char *name, *unit;
    const char *meaning, *used; /* and its use */
    int64_t least, most;        /* allowed in a file */
    int64_t standard;           /* used if nothing was measured */
};

extern const struct summand__quantity_row summand__quantities[SUMMAND__QUANTITIES];

/* No padding: calibrations are compared by their bytes. */
struct summand__calibration {
    int64_t value[SUMMAND__QUANTITIES];
    int64_t unsettled; /* 0, or the time of the measurement, in seconds since 1970: another one may
                          contradict it */
};

struct summand__calibration summand__calibration_standard(void);

/* True if the quantity was measured: a standard value tells nothing. */
bool summand__calibration_says(const struct summand__calibration *calibration,
                               enum summand__quantity quantity);

/* Writes the text of a file: `machine` on a line of its own, the time if it is unsettled, and a
 * line for each quantity. */
void summand__calibration_print(const struct summand__calibration *calibration, const char *machine,
                                FILE *out);

/* Reads such a text, which ends with a 0. `machine` (of `room` bytes) is "" without such a line.
 * False for all else: an extra, missing or repeated line, or a value outside of its bounds; then
 * the calibration is the standard one. */
bool summand__calibration_parse(const char *text, struct summand__calibration *calibration,
                                char *machine, size_t room);

/* True if no other measurement is needed at time `now`, in seconds since 1970: it is settled, or at
 * most an hour old. */
bool summand__calibration_holds(const struct summand__calibration *calibration, int64_t now);

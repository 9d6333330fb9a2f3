/* SPDX-License-Identifier: BSD-3-Clause */
/* What depends on the machine and is measured on it: a table of quantities, and a set of values for
 * them. They change how fast messages are, never a bit of a result. */
#ifndef SUMMAND_CALIBRATE_CALIBRATION_H
#define SUMMAND_CALIBRATE_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum summand__quantity {
    SUMMAND__READ_LEAST,
    SUMMAND__READ_END,
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
    const char *meaning, *used; /* and where it is used */
    int64_t least, most;        /* that a file may say */
    int64_t standard;           /* what holds if nothing was measured */
};

extern const struct summand__quantity_row summand__quantities[SUMMAND__QUANTITIES];

/* No padding: calibrations are equal if their bytes are. */
struct summand__calibration {
    int64_t value[SUMMAND__QUANTITIES];
    int64_t unsettled; /* 0, or when it was measured, in seconds since 1970: another measurement may
                          contradict it */
};

struct summand__calibration summand__calibration_standard(void);

/* Whether it says something of this quantity: the standard value says nothing. */
bool summand__calibration_says(const struct summand__calibration *calibration,
                               enum summand__quantity quantity);

/* The text of a file: `machine` on a line of its own, when it was measured if it is not settled,
 * and a line for each quantity. */
void summand__calibration_print(const struct summand__calibration *calibration, const char *machine,
                                FILE *out);

/* Reads such a text, which ends with a 0. `machine` (of `room` bytes) is "" if it has no such
 * line. False if it is anything else: a line too many, too few or twice, or a value outside of
 * its bounds; then the calibration is the standard one. */
bool summand__calibration_parse(const char *text, struct summand__calibration *calibration,
                                char *machine, size_t room);

/* Whether it holds without another measurement, at a time in seconds since 1970: it is settled, or
 * was measured within the last hour. */
bool summand__calibration_holds(const struct summand__calibration *calibration, int64_t now);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures a calibration: two processes of one node, each on its own core, with some shared
 * memory. */
#pragma once

#include "calibrate/calibration.h"

enum summand__measured {
    SUMMAND__MEASURED_NOT,     /* no calibration */
    SUMMAND__MEASURED_KNOWN,   /* a calibration from `known` */
    SUMMAND__MEASURED_ROUGHLY, /* a calibration that another measurement may contradict */
    SUMMAND__MEASURED_WELL     /* a calibration */
};

/* One of the two processes. */
struct summand__pair {
    /* Shared, aligned to pages, 2 summand__slots_bytes(slots), zero at first; undefined
     * afterwards. */
    unsigned char *memory;
    unsigned slots; /* of a queue (kernel/queue.h) */
    bool first;     /* true on one of them */
    double seconds; /* limit; half of it if the other one does not join */
    /* Of the first one, or NULL: true if a calibration is known, or needless, for two cores with so
     * many ns per line. Puts it into `context`. */
    bool (*known)(void *context, int64_t line);
    void *context;
};

/* Both processes call it at about the same time. The first one's calibration counts. If it is known
 * for their distance, which takes some 50 us, nothing else is measured. There is none if the other
 * process did not join in time, or time or memory ran out, or either hardly had a processor: an
 * exchange counts if its processor time is near the clock's, and too few did. It is rough if time
 * is too short for three rounds of stores into enough memory (calibrate/memory.h); these keep the
 * standard. Other quantities are the least of several times. */
enum summand__measured summand__calibration_measure(const struct summand__pair *pair,
                                                    struct summand__calibration *calibration);

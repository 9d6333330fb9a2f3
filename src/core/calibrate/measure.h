/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring a calibration: two processes of one node, each on a core of its own, that share some
 * memory. */
#ifndef SUMMAND_CALIBRATE_MEASURE_H
#define SUMMAND_CALIBRATE_MEASURE_H

#include <sys/types.h>

#include "calibrate/calibration.h"

enum summand__measured {
    SUMMAND__MEASURED_NOT,     /* there is no calibration */
    SUMMAND__MEASURED_KNOWN,   /* there is one, `known` has it */
    SUMMAND__MEASURED_ROUGHLY, /* there is one, which another measurement may contradict */
    SUMMAND__MEASURED_WELL     /* there is one */
};

/* One of the two. */
struct summand__pair {
    /* Shared, zero at first, aligned to pages, 2 summand__slots_bytes(slots); anything afterwards.
     */
    unsigned char *memory;
    unsigned slots; /* of a queue (kernel/queue.h) */
    bool first;     /* one of them is */
    double seconds; /* that it may take, half as much if the other one does not come */
    /* Reads another process's memory; 0 or why not. */
    int (*read)(pid_t process, uint64_t address, void *to, size_t bytes);
    /* Of the first one, or NULL: whether there is a calibration for two cores between which a line
     * takes so many ns, or no need for one. It is put into `context`. */
    bool (*known)(void *context, int64_t line);
    void *context;
};

/* Both call it at about the same time. The first one's calibration counts. Where it is known for
 * the distance of the two, which takes some 50 us, nothing else is measured. There is none if
 * the other one did not come in time, or it took too long, or there was no memory, or either of the
 * two hardly had a processor: by its processor time, which is compared with the clock in each
 * round. Which messages are read is decided by calibrate/decide.h, until its answers agree or 45 %
 * of the time are over; then it is rough. So it is where the time did not suffice for the memory
 * that tells which stores are the faster ones (calibrate/memory.h): the standard holds for these.
 * The other quantities are the least of several times. */
enum summand__measured summand__calibration_measure(const struct summand__pair *pair,
                                                    struct summand__calibration *calibration);

#endif

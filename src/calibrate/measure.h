/* Measuring a calibration: two processes of one node, each on a core of its own, that share some
 * memory. */
#ifndef SUMMAND_CALIBRATE_MEASURE_H
#define SUMMAND_CALIBRATE_MEASURE_H

#include <sys/types.h>

#include "calibrate/calibration.h"

enum {
    SUMMAND__PAIR_BYTES = 131072, /* of shared memory, at least */
    SUMMAND__PAIR_SIZES = 6       /* of messages that are tried */
};

/* One of the two. */
struct summand__pair {
    unsigned char *memory; /* shared, zero at first, aligned to pages; anything afterwards */
    size_t bytes;
    bool first;     /* one of them is */
    double seconds; /* that it may take, half as much where the other one does not come */
    /* Reads another process's memory; 0 or why not. */
    int (*read)(pid_t process, uint64_t address, void *to, size_t bytes);
};

/* Both call it at about the same time. The first one's calibration counts. False where the other
 * one did not come in time, or it took too long, or there was no memory: then there is none. Each
 * quantity is the least of several times, of queue and read in turn, so other programs disturb
 * little. */
bool summand__calibration_measure(const struct summand__pair *pair,
                                  struct summand__calibration *calibration);

/* The messages to be read, [*least, *end): the run of sizes that wins most, each 3 % at
 * least; 0 and 0 where there is none. `gain[i]` is how many times as fast a read is as the queue
 * for the i-th size (4 KiB, 8 KiB, ... 128 KiB). Longer messages are not tried: as pieces they
 * overlap with combining, which a read does not. */
void summand__read_range(const double gain[SUMMAND__PAIR_SIZES], int64_t *least, int64_t *end);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibrations in files: one for each kind of machine in the user's cache. */
#ifndef SUMMAND_CALIBRATE_STORE_H
#define SUMMAND_CALIBRATE_STORE_H

#include <limits.h>

#include "calibrate/calibration.h"

enum { SUMMAND__MACHINE_KEY = 384 };

/* What measurements depend on and does not change while this machine runs: processor with what
 * tells its models apart, processors on line, last cache, kernel. One line. */
void summand__calibration_machine(char text[SUMMAND__MACHINE_KEY]);

/* How far two cores are from each other: a number for each doubling of a line's time (ns). What is
 * measured between two cores holds for such a distance, not for all pairs of the machine's cores.
 */
enum { SUMMAND__DISTANCES = 17, SUMMAND__ANY_DISTANCE = -1 };
int summand__calibration_distance(int64_t line);

/* Where this machine's for such a distance, and queues of so many slots, is kept:
 * $XDG_CACHE_HOME/summand, else $HOME/.cache/summand, by a hash of the machine. False if the
 * environment names no such folder by an absolute path. */
bool summand__calibration_path(int distance, unsigned slots, char path[PATH_MAX]);

/* The same for the distance at which a calibration was measured. */
bool summand__calibration_path_of(const struct summand__calibration *calibration, unsigned slots,
                                  char path[PATH_MAX]);

/* One of this machine's files. */
struct summand__kept {
    int distance;
    unsigned slots;
    const char *fault; /* why it cannot be used, or NULL */
    struct summand__calibration calibration;
};

enum { SUMMAND__MOST_KEPT = 64 };

/* This machine's files, in order of slots and distances. Returns how many. Cost: one look into the
 * folder, and one file after the other. */
int summand__calibration_list(struct summand__kept list[SUMMAND__MOST_KEPT]);

/* The one for this distance and so many slots. For any distance: one of so many slots before
 * others, and of these the one nearest to the standard's distance. NULL: there is none. */
const struct summand__kept *summand__calibration_find(const struct summand__kept *list, int n,
                                                      int distance, unsigned slots);

/* Whether a file at the path can be written: makes its folder, of the user's alone, where there is
 * none. */
bool summand__calibration_keepable(const char *path);

/* Reads a file, for `machine` only if that is not NULL. Otherwise false with the standard values
 * and why in `fault`: also for what is no regular file, is long, or says less or more than all
 * quantities. */
bool summand__calibration_load(const char *path, const char *machine,
                               struct summand__calibration *calibration, const char **fault);

/* Writes it whole or not at all (base/output.h), so readers and other writers do no harm. */
bool summand__calibration_save(const char *path, const struct summand__calibration *calibration);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores calibrations in files: one for each kind of machine, in the user's cache folder. */
#pragma once

#include <limits.h>

#include "calibrate/calibration.h"

enum { SUMMAND__MACHINE_KEY = 384 };

/* The facts that measurements depend on and that are constant while the machine runs, in one line:
 * processor with its exact model, number of processors, last cache, kernel. */
void summand__calibration_machine(char text[SUMMAND__MACHINE_KEY]);

/* The distance of two cores: a number for each doubling of a line's time (ns). A measurement
 * between two cores holds for their distance, not for all pairs of the machine's cores. */
enum { SUMMAND__DISTANCES = 17, SUMMAND__ANY_DISTANCE = -1 };
int summand__calibration_distance(int64_t line);

/* The path for this machine, a distance and a number of slots: $XDG_CACHE_HOME/summand, else
 * $HOME/.cache/summand, and a hash of the machine. False if the environment has no such absolute
 * path. */
bool summand__calibration_path(int distance, unsigned slots, char path[PATH_MAX]);

/* The same for the distance of a calibration. */
bool summand__calibration_path_of(const struct summand__calibration *calibration, unsigned slots,
                                  char path[PATH_MAX]);

/* One of this machine's files. */
struct summand__kept {
    int distance;
    unsigned slots;
    const char *fault; /* why it is unusable, or NULL */
    struct summand__calibration calibration;
};

enum { SUMMAND__MOST_KEPT = 64 };

/* Lists this machine's files, in order of slots and distances. Returns their number. Cost: reads
 * the folder and each file. */
int summand__calibration_list(struct summand__kept list[SUMMAND__MOST_KEPT]);

/* Finds the calibration for this distance and number of slots. For any distance: prefers the number
 * of slots, then the distance nearest to the standard's. NULL if there is none. */
const struct summand__kept *summand__calibration_find(const struct summand__kept *list, int n,
                                                      int distance, unsigned slots);

/* True if a file can be written at the path. Makes its folder, private to the user, if it is
 * missing. */
bool summand__calibration_keepable(const char *path);

/* Reads a file; it must be of `machine` unless that is NULL. On an error: false, the standard
 * values, and the reason in `fault`. Errors include a file that is not regular, too long, or does
 * not have exactly all quantities. */
bool summand__calibration_load(const char *path, const char *machine,
                               struct summand__calibration *calibration, const char **fault);

/* Writes the file whole or not at all (base/output.h): concurrent readers and writers are safe. */
bool summand__calibration_save(const char *path, const struct summand__calibration *calibration);

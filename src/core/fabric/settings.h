/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of a fabric: those of rank 0's environment that affect messages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the order of the table of variables. */
enum summand__transport_choice {
    SUMMAND__AUTO,
    SUMMAND__P2P,
    SUMMAND__SHM,
    SUMMAND__GPI2,
    SUMMAND__NO_TRANSPORT
};

enum summand__checked_choice { SUMMAND__UNCHECKED, SUMMAND__DETECT, SUMMAND__CORRECT };

enum { SUMMAND__NEVER = -1 };

/* No padding: settings are compared by their bytes. */
struct summand__settings {
    int64_t node_size;   /* SUMMAND_NODE_SIZE; 0: to be detected */
    int64_t transport;   /* enum summand__transport_choice */
    int64_t read_from;   /* bytes, or SUMMAND__NEVER */
    int64_t calibration; /* fabric/calibrated.h */
    int64_t network;     /* learn/network.h */
    int64_t checks;      /* blocking calls agree first */
    int64_t checked;     /* enum summand__checked_choice */
    int64_t tuning[5];   /* identifies the tuning file and its version; all 0: none */
};

/* Local: MPI_SUCCESS if all variables have valid values; else an MPI error code, whose text names
 * the variable. Warns of unknown variables, once. If nothing has changed since the last call, it
 * costs a hash of the environment. */
int summand__settings_check(void);

/* Local: this process's settings. All variables must have valid values. */
struct summand__settings summand__settings_read(void);

bool summand__settings_equal(const struct summand__settings *a, const struct summand__settings *b);

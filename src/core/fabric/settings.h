/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of a fabric: what the environment of rank 0 says of its messages. */
#ifndef SUMMAND_FABRIC_SETTINGS_H
#define SUMMAND_FABRIC_SETTINGS_H

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

enum { SUMMAND__NEVER = -1, SUMMAND__AS_CALIBRATED = -2 };

/* No padding: settings are equal where their bytes are. */
struct summand__settings {
    int64_t node_size;   /* SUMMAND_NODE_SIZE; 0: to be found */
    int64_t transport;   /* enum summand__transport_choice */
    int64_t read_from;   /* bytes, or one of the above */
    int64_t calibration; /* fabric/calibrated.h */
    int64_t network;     /* fabric/network.h */
    int64_t checks;      /* whether blocking calls agree first */
    int64_t tuning[5];   /* which tuning file, as it is now: all 0 where none is named */
};

/* Local: MPI_SUCCESS where all variables have values that can be used; else an MPI error code,
 * whose text names the variable. Warns of unknown variables, once. Costs a look at the environment
 * where nothing has changed since the last time. */
int summand__settings_check(void);

/* Local: this process's settings. All variables have values that can be used. */
struct summand__settings summand__settings_read(void);

bool summand__settings_equal(const struct summand__settings *a, const struct summand__settings *b);

#endif

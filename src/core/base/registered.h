/* SPDX-License-Identifier: BSD-3-Clause */
/* What layers above the core register with it: functions that the core calls without knowing whose
 * they are. Whoever puts a library together fills the table (src/tables). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* g = a b, of doubles: a is pairs x rows, b is pairs x columns, g is rows x columns. */
struct summand__registered_product {
    const void *a, *b;
    void *g;
    size_t rows, columns, pairs;
    bool stream; /* the result is written past the caches if the setting says so */
};

struct summand__registered {
    /* For the calibration. NULL: nothing computes products, and their quantities keep the standard
     * values. */
    void (*product)(const struct summand__registered_product *product);
    /* Why a setting of the environment cannot be followed, or NULL; and what is done instead. NULL:
     * no such setting. */
    const char *(*setting_fault)(void);
    const char *instead;
};

extern const struct summand__registered summand__registered;

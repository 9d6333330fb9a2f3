/* SPDX-License-Identifier: BSD-3-Clause */
/* All bytes of a file in memory, unpacked if gzip has packed it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "network/fault.h"
#include "train/data.h"

struct train_bytes {
    char *at; /* followed by a 0 */
    size_t count;
    char path[4096];
};

/* FOLDER/NAME, or NAME.gz if only that is there. */
bool train_bytes_read(const char *folder, const char *name, struct train_bytes *bytes,
                      struct summand__net_fault *fault);
/* The file itself; unpacked if its name ends in .gz. */
bool train_bytes_read_file(const char *path, struct train_bytes *bytes,
                           struct summand__net_fault *fault);
void train_bytes_free(struct train_bytes *bytes);

/* True if FOLDER/NAME or FOLDER/NAME.gz can be read. */
bool train_bytes_there(const char *folder, const char *name);

/* Rows of the table in data.c, one file each. */

extern const struct train_format train_format_idx;
extern const struct train_format train_format_csv;
extern const struct train_format train_format_npy;

/* SPDX-License-Identifier: BSD-3-Clause */
/* The setting of a measurement: machine, MPI, version, date, instruction set. */
#pragma once

#include "cli/output/json.h"
#include <stdbool.h>
#include <stdio.h>

/* One fact of the setting. */
struct setting_row {
    const char *name;
    void (*text)(char *buffer, size_t room);
    bool number; /* in JSON */
};

/* The last row has no name. MPI need not be initialised. */
extern const struct setting_row setting_rows[];

enum { SETTING_ROOM = 512 };

/* An object with every row, and "environment": the set variables of Summand and the MPI. */
json_t *setting_json(void);

/* What a picture says of its measurement: MPI, processor, date; of this process without
 * a setting. */
void setting_line(const json_t *setting, char *text, size_t room);

/* The same as CSV: heads or values, each followed by a comma; environment as NAME=value;... */
void setting_csv_heads(FILE *out);
void setting_csv_values(FILE *out, const json_t *setting);

/* Writes a field, in quotes if CSV (RFC 4180) needs them. */
void csv_text(FILE *out, const char *text);

/* Processors of this node. */
int processors(void);

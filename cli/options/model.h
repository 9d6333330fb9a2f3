/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines for the prediction: named models, files, single numbers. A file has lines "name = value"
 * with the names of `summand predict --print-model`; # begins a comment; "model = ib36x16" first
 * takes another model's numbers. In a tuning file only the model's lines count. */
#pragma once

#include "cli/output/json.h"
#include <stdio.h>

#include "model/model.h"

struct model_entry {
    const char *name, *meaning;
    const struct summand__model *model;
};

/* The last entry has no name; the first one is the default. */
extern const struct model_entry model_entries[];

/* Gets a named model or a file, then overrides it by `changes` ("name=value,..." or NULL). Returns
 * false after a complaint of `command`. */
bool model_get(const char *command, const char *name_or_file, const char *changes,
               struct summand__model *model);

/* True if a file's network numbers equal its node's, as after a measurement on one node.
 * `name_or_file` as above; false for a named model. */
bool model_is_of_one_node(const char *name_or_file, const struct summand__model *model);

/* Prints it as a model file. */
void model_print(const struct summand__model *model, FILE *out);
json_t *model_json(const struct summand__model *model);

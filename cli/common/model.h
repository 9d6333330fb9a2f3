/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines for the prediction: named ones, files, single numbers. A file holds lines "name = value"
 * with the names of `summand predict --print-model`; # begins a comment; "model = ib36x16" takes
 * another one's numbers first. Of a tuning file the model's lines are read. */
#ifndef SUMMAND_CLI_COMMON_MODEL_H
#define SUMMAND_CLI_COMMON_MODEL_H

#include "cli/common/json.h"
#include <stdio.h>

#include "model/model.h"

struct model_entry {
    const char *name, *meaning;
    const struct summand__model *model;
};

/* Ended by an entry without name; the first is the default. */
extern const struct model_entry model_entries[];

/* A named model or a file, then the numbers of `changes` ("name=value,..." or NULL) over it. False
 * after a complaint of `command`. */
bool model_get(const char *command, const char *name_or_file, const char *changes,
               struct summand__model *model);

/* Whether a file's numbers of the network are those of the node, as a measurement on one node
 * leaves them. `name_or_file` as above; a named model is as it is meant to be. */
bool model_is_of_one_node(const char *name_or_file, const struct summand__model *model);

/* As a model file. */
void model_print(const struct summand__model *model, FILE *out);
json_t *model_json(const struct summand__model *model);

#endif

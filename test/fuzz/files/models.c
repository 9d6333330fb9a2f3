/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured choices and models of machines. An accepted file, written again, reads back the same. */
#include "cli/options/model.h"
#include "fuzz/files/reader.h"
#include "fuzz/tuning.h"
#include "model/model.h"
#include "select/tuning.h"

#include <stdio.h>
#include <string.h>

static bool make_tuning(int seed)
{
    static const char *const texts[] = {
        "machine X\nallreduce 8 0-1k recursive-doubling\n"
        "allreduce 8/4 1k-64k rabenseifner segment=8k\nreduce * 0- binomial\n",
        "# measured\nmodel latency_node = 1e-6\nbcast 4 0-3g k-nomial radix=3\n"};
    if (seed < 2)
        put_file("tuned", texts[seed], strlen(texts[seed]));
    return seed < 2;
}

static enum outcome take_tuning(const struct bytes *bytes, const char **why)
{
    static char fault[256];
    struct summand__tuning tuning;
    *why = fault;
    fault[0] = 0;
    if (!summand__tuning_parse(&tuning, bytes->at, bytes->count, fault, sizeof fault))
        return REFUSED;
    *why = tuning_reads_back(&tuning);
    summand__tuning_free(&tuning);
    return *why ? WRONG : TAKEN;
}

static const struct reader tuning = {"tuning", "tuned", false, make_tuning, take_tuning, NULL};

static bool make_machine(int seed)
{
    struct summand__model model;
    static const char *const names[] = {"ib36x16", "eth48", "node"};
    FILE *out = seed < 3 ? fopen("machine", "w") : NULL;
    if (!out)
        return false;
    need_fine(model_get("fuzz", names[seed], NULL, &model), "no model");
    model_print(&model, out);
    return !fclose(out);
}

/* Every number is within the bounds of its row. */
static enum outcome take_machine(const struct bytes *bytes, const char **why)
{
    struct summand__model model;
    (void)bytes;
    if (!model_get("fuzz", "machine", NULL, &model))
        return REFUSED;
    *why = "a number that a row does not allow";
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++) {
        double value = *summand__model_value(&model, row);
        if (!(value >= row->least && value <= row->most))
            return WRONG;
    }
    return TAKEN;
}

static const struct reader machine = {"machine",    "machine",    false,
                                      make_machine, take_machine, NULL};

const struct reader *const readers_of_models[] = {&tuning, &machine, NULL};

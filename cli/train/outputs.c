/* SPDX-License-Identifier: BSD-3-Clause */
/* summand train --predict: the classes and outputs of a model for samples without classes, as a
 * matrix of NumPy. */
#include <stdlib.h>
#include <string.h>
#include <summand/network.h>

#include "base/npy.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/ranks/interrupt.h"
#include "cli/train/train.h"

enum { BLOCK = 1024 /* samples */ };

/* A model at work. */
struct work {
    const struct train_words *words;
    summand_network *network;
    struct train_samples samples;
    float *inputs, *outputs, *row; /* of a block; a line of the file */
    int32_t *classes;
};

static bool make_room(struct work *work, size_t inputs, size_t outputs)
{
    work->inputs = malloc(BLOCK * inputs * sizeof *work->inputs);
    work->outputs = malloc(BLOCK * outputs * sizeof *work->outputs);
    work->row = malloc((outputs + 1) * sizeof *work->row);
    work->classes = malloc(BLOCK * sizeof *work->classes);
    return work->inputs && work->outputs && work->row && work->classes;
}

/* Rows of the file: the class, and the outputs behind it. */
static bool write_block(struct work *work, size_t first, size_t count, FILE *out)
{
    const size_t inputs = work->samples.features, outputs = summand_network_outputs(work->network);
    char error[256];
    for (size_t s = 0; s < count; s++)
        train_sample_read(&work->samples, first + s, work->inputs + s * inputs);
    if (summand_network_run(work->network, count, work->inputs, work->outputs, work->classes, error,
                            sizeof error))
        return !complain(command_train.name, "%s", error);
    for (size_t s = 0; s < count; s++) {
        work->row[0] = (float)work->classes[s];
        for (size_t j = 0; j < outputs; j++)
            work->row[1 + j] = work->outputs[s * outputs + j];
        fwrite(work->row, sizeof *work->row, outputs + 1, out);
    }
    return true;
}

static bool write_rows(struct work *work, FILE *out)
{
    const size_t all = work->samples.count;
    char header[SUMMAND__NPY_HEADER];
    struct summand__npy npy = {.width = sizeof(float),
                               .dimensions = 2,
                               .extent = {all, 1 + summand_network_outputs(work->network)}};
    summand__npy_write(header, &npy);
    fwrite(header, 1, npy.begin, out);
    for (size_t at = 0; at < all && !interrupted(); at += BLOCK) {
        if (!write_block(work, at, all - at < BLOCK ? all - at : BLOCK, out))
            return false;
        progress_show("samples", (double)at, (double)all);
    }
    progress_show("", 1, 1);
    return !interrupted();
}

static int report(const struct work *work)
{
    const struct train_words *w = work->words;
    const size_t outputs = summand_network_outputs(work->network);
    const bool probable = summand_network_has_probabilities(work->network);
    if (w->json) {
        json_t *object = json_head(command_train.name);
        json_object_update_new(object,
                               json_make("sssIIbo", "model", w->predict, "data", w->data, "output",
                                         w->predictions, "samples", (json_int_t)work->samples.count,
                                         "outputs", (json_int_t)outputs, "probabilities", probable,
                                         "setting", setting_json()));
        return write_json(command_train.name, object, NULL);
    }
    print_line("%s: %zu sample%s, a row for each: the class, and %zu %s", w->predictions,
               work->samples.count, text_plural((long long)work->samples.count), outputs,
               probable ? "probabilities" : "outputs");
    return 0;
}

static int write_file(struct work *work)
{
    const struct train_words *w = work->words;
    const size_t inputs = summand_network_inputs(work->network);
    struct output output;
    if (work->samples.note[0])
        advise(command_train.name, "%s", work->samples.note);
    if (work->samples.features != inputs)
        return complain(command_train.name, "%s: a sample has %zu features, the model %zu inputs",
                        w->data, work->samples.features, inputs);
    if (!make_room(work, inputs, summand_network_outputs(work->network)))
        return complain(command_train.name, "out of memory");
    interrupt_listen();
    if (!output_open(&output, command_train.name, w->predictions))
        return 1;
    bool all = write_rows(work, output.file), stopped = !all && interrupted();
    if (stopped)
        complain(command_train.name, "interrupted: %s is not written", w->predictions);
    if (!output_close(&output, all))
        return stopped ? INTERRUPTED : 1;
    return strcmp(w->predictions, "-") ? report(work) : 0; /* not between the numbers */
}

int train_write_outputs(const struct train_words *words)
{
    struct work work = {.words = words};
    struct summand__net_fault fault = {.text = ""};
    char error[1024];
    int status = 1;
    if (summand_network_load(words->predict, &work.network, error, sizeof error))
        complain(command_train.name, "%s", error);
    else if (!train_samples_load(words->data, &work.samples, &fault))
        complain(command_train.name, "%s", fault.text);
    else
        status = write_file(&work);
    summand_network_free(&work.network);
    train_samples_free(&work.samples);
    free(work.inputs);
    free(work.outputs);
    free(work.row);
    free(work.classes);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/network.h>

#include "kernel/fpenv_call.h"
#include "network/model_file.h"

enum { BLOCK = 64 /* samples that pass together */ };

struct summand_network {
    struct summand__net_shape shape;
    struct summand__net_weights weights;
};

static int refuse(const char *text, char *error, size_t room)
{
    if (error && room)
        snprintf(error, room, "%s", text);
    return -1;
}

int summand_network_load(const char *path, summand_network **network, char *error, size_t room)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__net_fault fault = {.text = ""};
    if (!network)
        return refuse("summand_network_load: network is NULL", error, room);
    *network = NULL;
    if (!path)
        return refuse("summand_network_load: path is NULL", error, room);
    summand_network *made = calloc(1, sizeof *made);
    if (!made)
        return refuse("out of memory", error, room);
    if (!summand__net_model_load(path, &made->shape, &made->weights, &fault)) {
        free(made);
        return refuse(fault.text, error, room);
    }
    *network = made;
    return 0;
}

void summand_network_free(summand_network **network)
{
    if (!network || !*network)
        return;
    summand__net_weights_free(&(*network)->weights);
    free(*network);
    *network = NULL;
}

size_t summand_network_inputs(const summand_network *network)
{
    return network->shape.widths[0];
}

size_t summand_network_outputs(const summand_network *network)
{
    return network->shape.widths[network->shape.layers];
}

int summand_network_has_probabilities(const summand_network *network)
{
    return network->shape.loss->is_softmax;
}

/* One block; `outputs` and `classes` may be NULL. */
static void run_block(const summand_network *network, struct summand__net_pass *pass, size_t count,
                      const float *inputs, float *outputs, int32_t *classes)
{
    const struct summand__net_shape *shape = &network->shape;
    const struct summand__net_matrix *x = &pass->x[0], *y = &pass->x[shape->layers];
    for (size_t s = 0; s < count; s++)
        memcpy(x->at + s * x->ld, inputs + s * x->columns, x->columns * sizeof *inputs);
    for (int l = 1; l <= shape->layers; l++)
        summand__net_pass_forward(pass, &network->weights, l, count);
    summand__net_pass_outputs(pass, count);
    for (size_t s = 0; s < count; s++) {
        if (outputs)
            memcpy(outputs + s * y->columns, y->at + s * y->ld, y->columns * sizeof *outputs);
        if (classes)
            classes[s] = (int32_t)summand__net_greatest(y->columns, y->at + s * y->ld);
    }
}

int summand_network_run(const summand_network *network, size_t count, const float *inputs,
                        float *outputs, int32_t *classes, char *error, size_t room)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__net_pass pass;
    if (!network || (count && !inputs))
        return refuse(network ? "summand_network_run: inputs is NULL"
                              : "summand_network_run: network is NULL",
                      error, room);
    size_t most = count < BLOCK ? count : BLOCK;
    if (!count)
        return 0;
    if (!summand__net_pass_make(&pass, &network->shape, summand__net_arithmetics[0], most, 1,
                                network->shape.layers))
        return refuse("out of memory", error, room);
    for (size_t at = 0, n; at < count; at += n) {
        n = count - at < most ? count - at : most;
        run_block(network, &pass, n, inputs + at * summand_network_inputs(network),
                  outputs ? outputs + at * summand_network_outputs(network) : NULL,
                  classes ? classes + at : NULL);
    }
    summand__net_pass_free(&pass);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Trained networks: loads a model that `summand train --model FILE` wrote (or the weights of a
 * checkpoint), and computes its outputs for samples. Needs no MPI.
 *
 *     char error[256];
 *     summand_network *network;
 *     if (summand_network_load("mnist.model", &network, error, sizeof error))
 *         puts(error);
 *     else
 *         summand_network_run(network, count, inputs, outputs, classes, error, sizeof error);
 *     summand_network_free(&network);
 *
 * Bits: an output depends on the model and on its sample alone. It has the same bits on every
 * machine, in every batch and beside any other samples: those of a training with
 * `--arithmetic chain`.
 *
 * All calls are local. Threads may run one network at the same time. Errors are 0 for none, and a
 * sentence for the user. docs/network.md has the format of the file. */
#ifndef SUMMAND_NETWORK_H
#define SUMMAND_NETWORK_H

#include <stddef.h>
#include <stdint.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A fully connected network with its weights. */
typedef struct summand_network summand_network;

/** Loads a model. Local.
 *  @param path name of the file
 *  @param network [out] NULL after an error; free it with summand_network_free
 *  @param error [out] after an error a sentence that names the file and what is wrong with it, cut
 *         to `room` bytes with its 0; or NULL
 *  @param room bytes of `error`; 256 suffice for short names
 *  @return 0, or -1 if the file cannot be read, is no model, is damaged, or memory is short */
SUMMAND_API int summand_network_load(const char *path, summand_network **network, char *error,
                                     size_t room);

/** Frees a network and sets it to NULL; does nothing for NULL. Local. */
SUMMAND_API void summand_network_free(summand_network **network);

/** Floats of a sample, and outputs of the network for it. Local. */
SUMMAND_API size_t summand_network_inputs(const summand_network *network);
SUMMAND_API size_t summand_network_outputs(const summand_network *network);

/** 1: the outputs of a sample are probabilities of the classes 0, 1, ... (the softmax of
 *  `--loss cross-entropy`); 0: they are what the last layer's activation gives. Local. */
SUMMAND_API int summand_network_has_probabilities(const summand_network *network);

/** Computes the outputs for samples. Local. Costs two operations per weight and sample, and memory
 *  for 64 samples in all layers.
 *  @param count samples, 0 or more
 *  @param inputs [in] count x inputs floats, sample by sample, on the scale on which the network
 *         was trained (idx files: bytes / 255)
 *  @param outputs [out] count x outputs floats; or NULL
 *  @param classes [out] for each sample the number of its largest output, the first one if several
 *         are equal; or NULL
 *  @param error, room as of summand_network_load
 *  @return 0, or -1 if an argument is NULL that may not be, or memory is short */
SUMMAND_API int summand_network_run(const summand_network *network, size_t count,
                                    const float *inputs, float *outputs, int32_t *classes,
                                    char *error, size_t room);

#ifdef __cplusplus
}
#endif
#endif

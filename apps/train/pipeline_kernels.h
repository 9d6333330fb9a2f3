/* SPDX-License-Identifier: BSD-3-Clause */
/* Computations of stages: kernels of a schedule (schedule/compute.h). */
#pragma once

#include "network/activation.h"
#include "network/product.h"
#include "schedule/compute.h"

/* Products: sums of a layer from inputs and weights (X W), errors at its inputs (D W^T), gradients
 * (X^T D, an update with alpha and beta). They have the bits of summand__net_multiply with that
 * arithmetic. */
enum train_product_kind { TRAIN_FORWARD, TRAIN_BACK, TRAIN_GRADIENT, TRAIN_PRODUCTS };
const struct summand__kernel *train_kernel_product(const struct summand__net_arithmetic *arithmetic,
                                                   enum train_product_kind kind);

/* Floats from 0 to 1 of bytes. */
extern const struct summand__kernel train_kernel_take;
/* Outputs of a layer from its sums; of the last one. */
const struct summand__kernel *train_kernel_apply(const struct summand__net_activation *activation);
const struct summand__kernel *train_kernel_outputs(const struct summand__net_loss *loss,
                                                   const struct summand__net_activation *last);
/* Errors of a layer: from its outputs, and the errors at them. */
const struct summand__kernel *train_kernel_derive(const struct summand__net_activation *activation);
/* Outputs less targets. */
extern const struct summand__kernel train_kernel_off;
/* Updates of weights (train/network.h), with alpha of the computation: result = alpha from; result
 * += alpha from; result -= alpha from. */
extern const struct summand__kernel train_kernel_decay, train_kernel_pull, train_kernel_step;
/* From outputs and targets: loss, and 1 if the largest output is that of the class. */
const struct summand__kernel *train_kernel_score(const struct summand__net_loss *loss);

/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a byte from measured times of messages. */
#pragma once

#include <stddef.h>

/* Seconds per byte: the median of the slopes between any two of the last six messages, so that one
 * disturbed time changes little; at most the longest message's time over its bytes. 0 if times do
 * not grow. `bytes` grow; `seconds`: of one way. Messages of more than `eager` bytes wait for their
 * receivers, so no slope is taken between one of these and a shorter one. */
double summand__byte_slope(const size_t *bytes, const double *seconds, int count, double eager);

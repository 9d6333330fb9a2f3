/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a byte from measured times of messages. */
#pragma once

#include <stddef.h>

/* Seconds per byte: the median of the slopes between any two of the last five messages, so that one
 * disturbed time changes little; at most the longest message's time over its bytes. 0 if times do
 * not grow. `bytes` grow; `seconds`: of one way. */
double summand__byte_slope(const size_t *bytes, const double *seconds, int count);

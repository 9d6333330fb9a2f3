/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of all capabilities begin with the same three fields. */
#include <stddef.h>
#include <summand/gemm.h>
#include <summand/gossip.h>
#include <summand/outer.h>

#define BEGINS_ALIKE(type)                                                                         \
    _Static_assert(offsetof(type, algorithm) == offsetof(summand_options, algorithm) &&            \
                       offsetof(type, promise) == offsetof(summand_options, promise) &&            \
                       offsetof(type, timeout) == offsetof(summand_options, timeout),              \
                   #type " does not begin as summand_options")

BEGINS_ALIKE(summand_outer_options);
BEGINS_ALIKE(summand_gemm_options);
BEGINS_ALIKE(summand_gossip_options);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Summand: adding things up across processes. Umbrella of all public headers.
 *
 * The caller's floating-point environment (rounding, flush to zero, traps; on x86-64 the x87's
 * precision) affects no call, and is the same afterwards, exception flags included; it may differ
 * between ranks. Functions of the program that a call runs, such as operators, see the caller's
 * environment, and what they change in it stays. */
#ifndef SUMMAND_H
#define SUMMAND_H

#include <summand/columns.h>
#include <summand/datatype.h>
#include <summand/error.h>
#include <summand/exact.h>
#include <summand/exact_vector.h>
#include <summand/gemm.h>
#include <summand/gossip.h>
#include <summand/info.h>
#include <summand/matrix.h>
#include <summand/network.h>
#include <summand/notify.h>
#include <summand/ordered.h>
#include <summand/outer.h>
#include <summand/reduce.h>
#include <summand/sum.h>
#include <summand/version.h>

#endif

/* Summand: adding things up across processes. Umbrella of all public headers. */
#ifndef SUMMAND_H
#define SUMMAND_H

#include <summand/error.h>
#include <summand/exact.h>
#include <summand/gemm.h>
#include <summand/gossip.h>
#include <summand/matrix.h>
#include <summand/notify.h>
#include <summand/ordered.h>
#include <summand/outer.h>
#include <summand/reduce.h>
#include <summand/sum.h>
#include <summand/version.h>

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit flips for tests and demonstrations of summand_gossip_allreduce. Not part of summand.h: only
 * programs that test resilience need it. */
#ifndef SUMMAND_GOSSIP_FAULTS_H
#define SUMMAND_GOSSIP_FAULTS_H

#include <summand/gossip.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a bit is flipped. */
enum summand_gossip_variable {
    SUMMAND_GOSSIP_INPUT = 0, /**< the rank's input, or its state if the algorithm keeps no flows */
    SUMMAND_GOSSIP_FLOW = 1,
    SUMMAND_GOSSIP_MESSAGE = 2,
    SUMMAND_GOSSIP_KEPT = 3,    /**< any word in memory between two steps of the call: counters,
                                 indices, pointers, options, flows, seals, copies */
    SUMMAND_GOSSIP_RECEIVED = 4 /**< any word of any received message, including heads, seals and
                                 the exchanges by which the ranks agree and stop */
};
/** Which part of an input, flow or message. */
enum summand_gossip_component {
    SUMMAND_GOSSIP_VALUE = 0,
    SUMMAND_GOSSIP_WEIGHT = 1,
    SUMMAND_GOSSIP_CHECKSUM = 2
};

/** A bit to be flipped, for tests and demonstrations. */
typedef struct summand_gossip_fault {
    int rank;
    enum summand_gossip_variable variable; /**< one of several flows or values is drawn */
    enum summand_gossip_component component;
    int bit;   /**< 0..63 */
    int round; /**< When. INPUT, FLOW: before this round; MESSAGE: in this round; both from 0. KEPT:
                    in this step of the call, from 1; each round and each stage of an exchange is a
                    step. RECEIVED: in the message with this number, from 0 */
    int word;  /**< KEPT, RECEIVED: which word, modulo their number */
} summand_gossip_fault;

/** The faults of a call, for options.faults. */
typedef struct summand_gossip_faults {
    int count;                         /**< length of `fault` */
    const summand_gossip_fault *fault; /**< [in] faults; those of other ranks are ignored */
    /** NULL, or called before each round on each rank. If the result is not 0, *fault is applied
     *  now, if it is of INPUT, FLOW or MESSAGE; its rank, round and word are not read. */
    int (*inject)(void *context, int round, summand_gossip_fault *fault);
    void *context; /**< of inject */
} summand_gossip_faults;

#ifdef __cplusplus
}
#endif
#endif

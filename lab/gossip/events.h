/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous gossip in a discrete-event simulator. Every process ticks in its own time; messages
 * take time, are lost, doubled and cross each other; bits flip; a process stops. Runs with one seed
 * are bitwise equal. The algorithms see the same times and neighbours, so without faults all
 * variants of push-flow take the same course. */
#pragma once

#include "gossip/fault.h"
#include "gossip/machine.h"
#include "gossip/topology.h"
#include "lab/gossip/script.h"

/* A positive random time: mean x (1 - width / 2 .. 1 + width / 2), or exponential. */
struct summand__duration {
    double mean, width;
    bool exponential;
};

/* What errors are relative to: the true mean, the root mean square of the values, or nothing. */
enum summand__events_norm { SUMMAND__OF_MEAN, SUMMAND__OF_RMS, SUMMAND__ABSOLUTE };

struct summand__events_setup {
    const struct summand__gossip_algorithm *algorithm;
    const struct summand__arith *arith;
    const struct summand__topology *topology;
    const double *values;  /* topology->n of any scale */
    const double *weights; /* or NULL: all 1 */
    uint64_t seed;
    double tau; /* relative to the largest value; below 0: default */
    double eps; /* stop when all processes are this near to the truth */
    enum summand__events_norm norm;
    bool stay;         /* does not stop then, but goes on to most_messages */
    bool crossing;     /* edges are not ordered: the paper's form, whose messages cross */
    int most_messages; /* stop when the first process has sent so many */
    struct summand__duration period, latency;
    double loss, duplication;    /* probability per message */
    struct summand__fault fault; /* one flip ... */
    int fault_after;             /* ... when the first process has sent so many; below 0: none */
    uint64_t fault_seed;         /* where faults strike; everything else depends on `seed` alone */
    const struct summand__scripted *script; /* and these */
    int scripted;
    double fault_rate;              /* flips of a sender's variable per message sent */
    int64_t stop_rank;              /* this process stops, below 0: none, ... */
    double stop_time, report_delay; /* ... then; its neighbours learn of it so much later */
    /* Called about once per mean period with the largest error; or NULL. */
    void (*watch)(void *context, double time, double messages_per_process, double error);
    /* A checkpoint file, or NULL: the run resumes from it if it exists. It saves there at its end
     * and whenever `due`, which is asked every 1024 events, returns true. The results have the same
     * bits. */
    const char *checkpoint;
    bool (*due)(void *context);
    void *context;
};

struct summand__events_outcome {
    bool converged;
    double time, error; /* largest error at the end, infinity for NaN */
    double first;       /* messages per process when all were first within eps; below 0: never */
    double from;        /* ... from which on they all stayed so; below 0: they did not */
    double worst;       /* largest error of a process after `first` */
    double messages;    /* sent, mean per process */
    int most_messages;  /* sent by the process that sent most */
    int flips;
    struct summand__gossip_counts counts;
    const char *wrong; /* why the run was not possible, as a sentence without its end; or NULL */
};

/* Returns false after an error. */
bool summand__events_run(const struct summand__events_setup *setup,
                         struct summand__events_outcome *outcome);

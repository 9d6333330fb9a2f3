/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/defaults.h"

/* Ranks of a node use memory (5 GB/s, 0.4 us), nodes one card each and a switch (3.4 GB/s, 0.8 us
 * per link); protocols take 6 % of the bandwidth. This is the simulated cluster of the 2016 report
 * on reduction trees, so simulation and prediction can be compared. */
const struct summand__model summand__cluster_model = {
    .per_node = 16,
    .shared_card = 1,
    .oversubscription = 1,
    .eager = 16384,
    .reduce_byte = 1e-10,
    .copy_byte = 5e-11,
    .flop = SUMMAND__FLOP,
    .write_byte = SUMMAND__WRITE_BYTE,
    .level = {{.latency = 0.4e-6, .send = 0.25e-6, .recv = 0.25e-6, .byte = 1 / 4.7e9},
              {.latency = 1.6e-6, .send = 0.25e-6, .recv = 0.25e-6, .byte = 1 / 3.196e9},
              {.latency = 3.2e-6, .send = 0.25e-6, .recv = 0.25e-6, .byte = 1 / 3.196e9}},
};

#define MEMORY_LEVEL                                                                               \
    {                                                                                              \
        .latency = 0.1e-6, .send = 0.15e-6, .recv = 0.15e-6, .byte = 0.85e-10                      \
    }

/* Two cores of a current server over the library's shared memory. Receiving and combining are one
 * pass in pieces, so nearly all of the time per byte is the message's. Fitted to reduces and
 * all-reduces of 8 B to 8 MiB by binomial tree, recursive doubling, Rabenseifner's algorithm and
 * the ring (summand bench reduce, allreduce). Reduces of 32 KiB to 16 MiB by binomial trees in
 * segments of 4 KiB take a `piece` longer per segment than whole ones (62 ns at 2 MiB); the queue
 * cuts long messages into pieces anyway. */
const struct summand__model summand__memory_model = {
    .per_node = 1 << 24,
    .oversubscription = 1,
    .eager = 1e18,
    .reduce_byte = 0.05e-10,
    .copy_byte = 0.25e-10,
    .flop = SUMMAND__FLOP,
    .write_byte = SUMMAND__WRITE_BYTE,
    .piece = 1e-7,
    .level = {MEMORY_LEVEL, MEMORY_LEVEL, MEMORY_LEVEL},
};

#define OVERSUBSCRIBED_LEVEL                                                                       \
    {                                                                                              \
        .latency = 0.6e-6, .send = 0.15e-6, .recv = 0.1e-6, .byte = 0.06e-10                       \
    }

/* More ranks than processors: a message waits until its receiver runs again. Meanwhile each rank on
 * that processor has its turn (sched_yield to another process: 1.2 us), on average half of that,
 * because the sender often runs first. Bytes mostly count by the work of all ranks together, see
 * choose.c. Fitted to 4 and 8 ranks on two cores, 8 B to 512 KiB, by linear, recursive multiplying
 * among all ranks, direct and Rabenseifner's algorithm. */
const struct summand__model summand__oversubscribed_model = {
    .per_node = 1 << 24,
    .oversubscription = 1,
    .eager = 1e18,
    .reduce_byte = 0.05e-10,
    .copy_byte = 0.25e-10,
    .flop = SUMMAND__FLOP,
    .write_byte = SUMMAND__WRITE_BYTE,
    .level = {OVERSUBSCRIBED_LEVEL, OVERSUBSCRIBED_LEVEL, OVERSUBSCRIBED_LEVEL},
};

const struct summand__model summand__latency_model = {
    .per_node = 1 << 24,
    .oversubscription = 1,
    .eager = 1e18,
    .level = {{.latency = 1}, {.latency = 1}, {.latency = 1}},
};

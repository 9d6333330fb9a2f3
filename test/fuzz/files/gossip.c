/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies, checkpoints of simulators, and scripts of faults. */
#include "cli/gossip/gossip_script.h"
#include "fuzz/files/reader.h"
#include "gossip/topology.h"
#include "lab/gossip/data.h"
#include "lab/gossip/events.h"
#include "lab/gossip/large.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_topology(int seed)
{
    static const char *const texts[] = {"0 1\n1 2\n2 3\n3 0\n", "0 1 0 2 1 2 3 0",
                                        "3 0\n\n0 1 1 2\n"};
    if (seed < 3)
        put_file("edges", texts[seed], strlen(texts[seed]));
    return seed < 3;
}

/* For the number of nodes in the file: neighbours are nodes, and the relation is symmetric. */
static enum outcome take_topology(const struct bytes *bytes, const char **why)
{
    struct summand__topology t;
    (void)bytes;
    int64_t n = summand__topology_nodes("file:edges", 4);
    /* A node without a neighbour is refused, so lists of more nodes only waste memory. */
    *why = summand__topology_make(&t, "file:edges", n < 1000 ? n : 1000, 1);
    if (*why)
        return REFUSED;
    bool fine = true;
    for (int64_t i = 0; i < t.n; i++)
        for (int64_t k = 0; k < summand__topology_degree(&t, i); k++) {
            int64_t j = summand__topology_neighbour(&t, i, k);
            bool back = false;
            fine &= j >= 0 && j < t.n && j != i;
            for (int64_t m = 0; fine && m < summand__topology_degree(&t, j); m++)
                back |= summand__topology_neighbour(&t, j, m) == i;
            fine &= back;
        }
    summand__topology_free(&t);
    *why = "a graph that is none";
    return fine ? TAKEN : WRONG;
}

static const struct reader topology = {"topology",    "edges",       false,
                                       make_topology, take_topology, NULL};

enum { NODES = 16 };
static struct summand__topology ring;
static double values[NODES];
static struct summand__events_setup setup;

/* A seal over the whole file replaces the reason. */
static bool make_events(int seed)
{
    struct summand__events_outcome outcome;
    need_fine(ring.start || !summand__topology_make(&ring, "ring", NODES, 3), "no ring");
    for (int i = 0; i < NODES; i++)
        values[i] = summand__datum(SUMMAND__DATA_UNIFORM, 7, NODES, i);
    setup = (struct summand__events_setup){.algorithm = summand__gossip_named("pfcc"),
                                           .arith = &summand__arith_fixed,
                                           .topology = &ring,
                                           .values = values,
                                           .seed = 4,
                                           .tau = -1,
                                           .most_messages = 20,
                                           .period = {1, 0.2, false},
                                           .latency = {1, 1, true},
                                           .stop_rank = -1,
                                           .fault_after = -1,
                                           .checkpoint = "events"};
    need_fine(seed || summand__events_run(&setup, &outcome), "no run");
    return !seed;
}

static enum outcome take_events(const struct bytes *bytes, const char **why)
{
    struct summand__events_outcome outcome;
    (void)bytes;
    bool taken = summand__events_run(&setup, &outcome);
    *why = outcome.wrong;
    return taken ? TAKEN : REFUSED;
}

static void end_events(void)
{
    summand__topology_free(&ring);
}

static const struct reader events = {"events",    "events",    true,
                                     make_events, take_events, end_events};

static bool open_large(struct summand__large *large)
{
    struct summand__large_setup of = {.algorithm = summand__gossip_named("hps"),
                                      .n = 100,
                                      .single = true,
                                      .tau = -1,
                                      .data_seed = 1,
                                      .seed = 2,
                                      .threads = 1};
    return !summand__large_open(large, &of);
}

static bool make_rounds(int seed)
{
    struct summand__large large;
    need_fine(open_large(&large), "no rounds");
    for (int round = 0; round < 3; round++)
        need_fine(summand__large_step(&large), "no round");
    need_fine(seed || summand__large_save(&large, "rounds"), "no checkpoint");
    summand__large_close(&large);
    return !seed;
}

/* Its caller reports that the file is no checkpoint of this run. */
static enum outcome take_rounds(const struct bytes *bytes, const char **why)
{
    struct summand__large large;
    (void)bytes;
    need_fine(open_large(&large), "no rounds");
    bool taken = summand__large_load(&large, "rounds");
    summand__large_close(&large);
    *why = "said by its caller";
    return taken ? TAKEN : REFUSED;
}

static const struct reader rounds = {"rounds", "rounds", true, make_rounds, take_rounds, NULL};

static bool make_script(int seed)
{
    static const char *const texts[] = {"rank=3,to=2,bit=52+62,after=20,burst=3,both\n",
                                        "# "
                                        "two\nrank=2,variable=flow,component=value,bit=1\nrank=0,"
                                        "variable=input,bit=0;rank=1,bit=63\n"};
    if (seed < 2)
        put_file("faults", texts[seed], strlen(texts[seed]));
    return seed < 2;
}

static enum outcome take_script(const struct bytes *bytes, const char **why)
{
    struct summand__scripted *script = NULL;
    int count = -1;
    (void)bytes;
    bool taken = gossip_read_script("fuzz", "faults", &script, &count);
    *why = NULL;
    if (taken && count < 0) {
        *why = "no count of faults";
        return WRONG;
    }
    if (taken)
        free(script);
    return taken ? TAKEN : REFUSED;
}

static const struct reader script = {"faults", "faults", false, make_script, take_script, NULL};

const struct reader *const readers_of_gossip[] = {&topology, &events, &rounds, &script, NULL};

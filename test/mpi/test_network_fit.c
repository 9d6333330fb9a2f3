/* np: 1 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The model that is fitted to given times is the one that they were made by: the probe's functions
 * are replaced by a network of known costs. */
#include <math.h>
#include <summand.h>

#include "learn/network_fit.h"
#include "model/model.h"
#include "mpi/harness.h"

/* Seconds; nodes from `far` on are under another switch. */
static struct world {
    const char *name;
    double latency, send, recv, pace, byte, cross, handshake;
    size_t eager;
    bool shared, fair;
    int far;
    double farther; /* of one way */
} world;

static double one_way(int peer, size_t bytes)
{
    return world.send + world.recv + world.latency + (double)bytes * world.byte +
           (peer >= world.far ? world.farther : 0) + (bytes > world.eager ? world.handshake : 0);
}

double summand__probe_trip(struct summand__probe *probe, int peer, size_t there, size_t back,
                           int times)
{
    (void)probe, (void)times;
    return one_way(peer, there) + one_way(peer, back);
}

double summand__probe_exchange(struct summand__probe *probe, int peer, size_t bytes)
{
    (void)probe;
    return one_way(peer, bytes) + world.cross * (double)bytes * world.byte;
}

struct summand__probe_overheads summand__probe_burst(struct summand__probe *probe, int peer,
                                                     int times)
{
    (void)probe, (void)peer, (void)times;
    return (struct summand__probe_overheads){world.send, world.recv, world.pace};
}

bool summand__probe_is_eager(struct summand__probe *probe, int peer, size_t bytes, double trip,
                             double flight)
{
    (void)probe, (void)peer, (void)trip, (void)flight;
    return bytes <= world.eager;
}

/* Two messages of one card: fairly, the shorter one has half of it until it is over; else it waits
 * for the longer one. */
double summand__probe_beside(struct summand__probe *probe, int peer, size_t bytes, int helper,
                             int partner, size_t helper_bytes, double *helped)
{
    const double trip = 2 * one_way(peer, 8), own = (double)bytes * world.byte,
                 other = (double)helper_bytes * world.byte;
    (void)probe, (void)helper, (void)partner;
    *helped = trip + (!world.shared ? other : world.fair ? 2 * other : own + other);
    return trip + own + (world.shared ? other : 0);
}

void summand__probe_stop(struct summand__probe *probe, const int *followers, int count)
{
    (void)probe;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            CHECK(followers[i] != followers[j], "%s: rank %d is told twice", world.name,
                  followers[i]);
}

void summand__probe_follow(struct summand__probe *probe)
{
    (void)probe;
}

void summand__probe_swap(struct summand__probe *probe, int peer, size_t bytes)
{
    (void)probe, (void)peer, (void)bytes;
}

size_t summand__probe_memory(size_t room)
{
    return 4 * room;
}

static void near(const char *what, double found, double right, double within)
{
    CHECK(fabs(found - right) <= within * right, "%s: %s is %g, not %g", world.name, what, found,
          right);
}

/* Ranks 0 and 1 on the first node, a rank number of a node as its number else. */
static void check_world(void)
{
    enum { ROOM = 4 << 20, NODES = 6 };
    struct summand__probe probe = {.code = MPI_SUCCESS, .room = ROOM};
    struct summand__network_roles roles = {
        .nodes = NODES, .helper = 100, .peer = 1, .partner = 101, .looks = NODES};
    struct summand__network_bulk bulk = {0, 0};
    struct summand__model model;
    for (int node = 0; node < NODES; node++)
        roles.look[node] = node;
    probe.memory = calloc(summand__probe_memory(ROOM), 1);
    const bool fine =
        probe.memory && summand__network_fit(&probe, &roles, NULL, NULL, 1000, &model, &bulk);
    free(probe.memory);
    CHECK(fine, "%s", world.name);
    if (!fine)
        return;
    const struct summand__level *level = &model.level[SUMMAND__NETWORK];
    near("latency", level->latency, world.latency, 0.06);
    near("send", level->send, world.send, 0.06);
    near("recv", level->recv, world.recv, 0.06);
    near("gap", level->gap, world.pace > 1.25 * fmax(world.send, world.recv) ? world.pace : 0, .06);
    near("byte", level->byte, world.byte, 0.06);
    near("cross", model.cross, world.cross, 0.15); /* a part of the time, not of the bytes alone */
    near("handshake", level->handshake, world.handshake, 0.1);
    near("shared_card", model.shared_card, world.shared, 0);
    if (world.shared)
        near("fair_card", model.fair_card, world.fair, 0);
    near("per_switch", model.per_switch, world.far < NODES ? world.far : 0, 0);
    near("a way to another switch", model.level[SUMMAND__FAR].latency,
         world.latency + (world.far < NODES ? world.farther : 0), 0.06);
    CHECK(model.eager >= (double)world.eager / 2.5 && model.eager <= 2.5 * (double)world.eager,
          "%s: eager %g, not about %zu", world.name, model.eager, world.eager);
    near("the exchange's bytes", bulk.bytes > 0, world.far < NODES, 0);
}

TESTS
{
    static const struct world worlds[] = {
        {"fast", 1e-6, 2e-7, 3e-7, 0, 1e-10, 0, 0, 8191, false, true, 99, 0},
        {"first come", 1e-6, 2e-7, 2e-7, 1e-6, 1e-10, 0.5, 0, 65535, true, false, 99, 0},
        {"fair", 2e-5, 1e-6, 2e-6, 0, 1e-9, 1, 5e-5, 16383, true, true, 99, 0},
        {"two switches", 1e-6, 2e-7, 2e-7, 0, 2e-10, 0.2, 4e-6, 8191, true, true, 3, 2e-6}};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        world = worlds[i];
        check_world();
    }
}

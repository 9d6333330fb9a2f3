/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plot/svg_methods.h"

#include <string.h>
#include <strings.h>

#include "cli/plot/svg.h"
#include "cli/plot/svg_style.h"

/* In each part all numbers differ. From SVG_PALETTE on colours repeat, with other marks and dashes.
 */
const struct svg_method svg_methods[] = {
    /* Sums of numbers. */
    {"exact", 0},
    {"naive", 1},
    {"tree", 2},
    {"fast", 3},
    {"study", 4},
    /* Collectives. */
    {"auto", 0},
    {"mpi", 1},
    {"MPI_Allreduce", 1},
    {"recursive-doubling", 2},
    {"rabenseifner", 3},
    {"ring", 4},
    {"binomial", 5},
    {"memory", 6},
    {"direct", 7},
    {"node-rabenseifner", 8},
    {"node-leaders", 9},
    {"node-direct", 10},
    {"circulant", 11},
    {"recursive-multiplying", 12},
    {"chain", 13},
    {"two-tree", 14},
    {"k-nomial", 15},
    {"pat", 16},
    {"dual-root", 17},
    {"node-binomial", 18},
    {"node-circulant", 19},
    {"node-trees", 20},
    {"linear", 21},
    {"binary", 22},
    {"k-ary", 23},
    {"fibonacci", 24},
    {"postal", 25},
    {"node-chain", 26},
    {"node-two-tree", 27},
    {"binary-in-order", 28},
    {"neighbor-exchange", 29},
    {"scan-halving", 30},
    {"scan-chain", 31},
    {"scan-nodes", 32},
    /* Sums of outer products. */
    {"outer-slices", 2},
    {"outer-gather", 3},
    {"outer-hybrid", 4},
    {"outer-allreduce", 5},
    {"outer-pipeline", 6},
    {"outer-rabenseifner", 7},
    {"outer-passes", 8},
    {"outer-grid", 9},
    {"outer-groups", 10},
    {"outer-bruck", 11},
    {"outer-reduce", 12},
    {"outer-allgather", 13},
    /* Products of matrices. */
    {"ordered", 0},
    {"peak", 1},
    {"any", 2},
    {"gemm-panels", 3},
    {"panels", 3},
    {"gemm-boxes", 4},
    {"boxes", 4},
    {"gemm-pairs", 5},
    {"pairs", 5},
    {"ordered in place", 6},
    {"any in place", 7},
    {"gemm-pairs-rows", 8},
    /* Gossip. */
    {"ps", 0},
    {"rd", 1},
    {"recursive doubling", 1},
    {"pf", 4},
    {"pflc", 2},
    {"pfcc", 3},
    {"hps", 5},
    {"hpflc", 6},
    {"hpfcc", 7},
    {"ardb", 8},
    {"spread", 9},
    {NULL, 0}};

static const struct svg_method *find(const char *name, size_t length)
{
    for (const struct svg_method *m = svg_methods; m->name; m++)
        if (strlen(m->name) == length && !strncasecmp(m->name, name, length))
            return m;
    return NULL;
}

const struct svg_method *svg_method_named(const char *name)
{
    const char call[] = "-call";
    size_t length = strlen(name), end = sizeof call - 1;
    const struct svg_method *whole = find(name, length);
    if (whole)
        return whole;
    if (length > end && !strcmp(name + length - end, call))
        return find(name, length - end);
    if (!strncasecmp(name, "mpi-", 4)) /* "mpi-reduce", "mpi-mpich" */
        return find("mpi", 3);
    return find(name, strcspn(name, ":, "));
}

static bool same_look(const struct svg_series *a, const struct svg_series *b)
{
    return !strcmp(svg_colour(a), svg_colour(b)) && svg_marker_of(a) == svg_marker_of(b) &&
           !strcmp(svg_dashes_of(a), svg_dashes_of(b));
}

void svg_method_look(struct svg_series *series, int which, int colour)
{
    enum { LINES = 5 };
    struct svg_series *line = &series[which];
    int variant = colour / SVG_PALETTE * LINES + (strstr(line->name, "-call") != NULL);
    for (int tries = 0; tries < SVG_LOOKS; tries++, variant++) {
        bool free = true;
        line->style = SVG_METHODS + colour % SVG_PALETTE + SVG_PALETTE * variant;
        for (int s = 0; s < which && free; s++)
            free = series[s].style < SVG_METHODS || !same_look(&series[s], line);
        if (free)
            return;
    }
}

static bool taken(const struct svg_series *series, int count, const struct svg_series *by)
{
    for (int s = 0; s < count; s++)
        if (series[s].style >= SVG_METHODS && !strcmp(svg_colour(&series[s]), svg_colour(by)))
            return true;
    return false;
}

void svg_look(struct svg_series *series, int count)
{
    int next = 0;
    for (int s = 0; s < count; s++) {
        const struct svg_method *method = svg_method_named(series[s].name);
        if (series[s].style >= 0 && method)
            svg_method_look(series, s, method->colour);
    }
    for (int s = 0; s < count; s++) {
        if (series[s].style < 0 || svg_method_named(series[s].name))
            continue;
        for (int tries = 0; tries < SVG_COLOURED; tries++) {
            series[s].style = next++ % SVG_COLOURED;
            if (!taken(series, count, &series[s]))
                break;
        }
    }
}

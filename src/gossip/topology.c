/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/topology.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/number.h"

const char summand__topology_no_memory[] = "out of memory";

struct edges {
    int64_t count, capacity;
    int64_t (*pair)[2];
    bool failed;
};

static void connect(struct edges *e, int64_t a, int64_t b)
{
    if (e->failed)
        return;
    if (e->count == e->capacity) {
        int64_t capacity = e->capacity ? 2 * e->capacity : 64;
        void *grown = realloc(e->pair, capacity * sizeof *e->pair);
        e->failed = !grown;
        if (e->failed)
            return;
        e->pair = grown;
        e->capacity = capacity;
    }
    e->pair[e->count][0] = a;
    e->pair[e->count++][1] = b;
}

static int compare_pairs(const void *a, const void *b)
{
    const int64_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Edges in both directions, sorted, each once, without loops. */
static bool normalise(struct edges *e)
{
    int64_t single = e->count, kept = 0;
    for (int64_t k = 0; k < single; k++)
        connect(e, e->pair[k][1], e->pair[k][0]);
    if (e->failed)
        return false;
    qsort(e->pair, e->count, sizeof *e->pair, compare_pairs);
    for (int64_t k = 0; k < e->count; k++)
        if (e->pair[k][0] != e->pair[k][1] &&
            (!kept || compare_pairs(e->pair[k], e->pair[kept - 1])))
            memmove(e->pair[kept++], e->pair[k], sizeof *e->pair);
    e->count = kept;
    return true;
}

static const char *make_hypercube(struct edges *e, int64_t n)
{
    if (n & (n - 1))
        return "a hypercube needs a power of two of nodes";
    for (int64_t i = 0; i < n; i++)
        for (int64_t bit = 1; bit < n; bit *= 2)
            if (i < (i ^ bit))
                connect(e, i, i ^ bit);
    return NULL;
}

/* The side lengths of the torus nearest to a cube: the largest divisor up to the root comes first.
 */
static void sides(int64_t n, int dimensions, int64_t *side)
{
    for (int d = dimensions; d > 0; d--) {
        int64_t best = 1;
        for (int64_t s = 1; s <= n; s++) {
            int64_t power = 1;
            for (int k = 0; k < d && power <= n; k++)
                power *= s;
            if (power > n)
                break;
            if (n % s == 0)
                best = s;
        }
        side[d - 1] = d == 1 ? n : best;
        n /= side[d - 1];
    }
}

static const char *make_torus(struct edges *e, int64_t n, int dimensions)
{
    int64_t side[3];
    sides(n, dimensions, side);
    for (int64_t i = 0; i < n; i++) {
        int64_t stride = 1;
        for (int d = 0; d < dimensions; d++) {
            int64_t at = i / stride % side[d];
            connect(e, i, i + ((at + 1) % side[d] - at) * stride);
            stride *= side[d];
        }
    }
    return NULL;
}

/* Returns no degree if the text is not a number. */
static int64_t degree_of(const char *text)
{
    long long degree;
    return summand__parse_integer(text, &degree) ? degree : 0;
}

static const char *make_regular(struct edges *e, int64_t n, int64_t degree, uint64_t seed)
{
    if (degree < 2 || degree >= n || (degree % 2 && n % 2))
        return "a random regular graph needs a degree of 2..n-1, and an even n for an odd degree";
    int64_t *lists = summand__regular_lists(n, degree, seed);
    if (!lists)
        return summand__topology_no_memory;
    for (int64_t k = 0; k < n * degree; k++)
        if (k / degree < lists[k])
            connect(e, k / degree, lists[k]);
    free(lists);
    return NULL;
}

/* Opens the file after a byte order mark, if there is one. */
static FILE *open_edges(const char *path)
{
    uint64_t bytes;
    const char *why;
    FILE *in = summand__input_file(path, &bytes, &why);
    int first = in ? getc(in) : EOF;
    if (in && (first != 0xef || getc(in) != 0xbb || getc(in) != 0xbf))
        ungetc(first, in); /* of what begins like a mark and is none, no number can be read */
    return in;
}

static const char *read_edges(struct edges *e, int64_t n, const char *path)
{
    FILE *in = open_edges(path);
    if (!in)
        return "the file of the topology cannot be opened";
    long long a, b;
    const char *wrong = NULL;
    int got;
    while ((got = fscanf(in, "%lld %lld", &a, &b)) == 2 && !wrong)
        if (a < 0 || b < 0 || a >= n || b >= n)
            wrong = "the file of the topology names a node outside 0..n-1";
        else
            connect(e, a, b);
    if (ferror(in))
        wrong = "the file of the topology cannot be read";
    if (got != EOF && !wrong)
        wrong = "the file of the topology has something other than pairs of node numbers";
    fclose(in);
    return wrong;
}

int64_t summand__topology_nodes(const char *name, int64_t otherwise)
{
    FILE *in = name && !strncmp(name, "file:", 5) ? open_edges(name + 5) : NULL;
    long long a, b, largest = -1;
    if (!in)
        return otherwise;
    while (fscanf(in, "%lld %lld", &a, &b) == 2) {
        largest = a > largest ? a : largest;
        largest = b > largest ? b : largest;
    }
    fclose(in);
    return largest < 0 || largest == LLONG_MAX ? otherwise : largest + 1;
}

static const char *make_lists(struct summand__topology *t, struct edges *e)
{
    if (!normalise(e))
        return summand__topology_no_memory;
    t->start = calloc((size_t)t->n + 1, sizeof *t->start);
    t->list = malloc((e->count ? e->count : 1) * sizeof *t->list);
    if (!t->start || !t->list)
        return summand__topology_no_memory;
    for (int64_t k = 0; k < e->count; k++) {
        t->start[e->pair[k][0] + 1]++;
        t->list[k] = e->pair[k][1];
    }
    for (int64_t i = 0; i < t->n; i++) {
        if (!t->start[i + 1] && t->n > 1)
            return "a node of the topology has no neighbour";
        t->start[i + 1] += t->start[i];
    }
    return NULL;
}

const char *summand__topology_make(struct summand__topology *t, const char *name, int64_t n,
                                   uint64_t seed)
{
    *t = (struct summand__topology){.n = n};
    if (n < 1)
        return "a topology needs at least one node";
    struct edges e = {0};
    const char *wrong = NULL;
    if (!strcmp(name, "full")) {
        t->full = true;
        return NULL;
    }
    if (!strcmp(name, "hypercube"))
        wrong = make_hypercube(&e, n);
    else if (!strcmp(name, "ring") || !strcmp(name, "torus2") || !strcmp(name, "torus3"))
        wrong = make_torus(&e, n, name[0] == 'r' ? 1 : name[5] - '0');
    else if (!strncmp(name, "regular:", 8))
        wrong = make_regular(&e, n, degree_of(name + 8), seed);
    else if (!strncmp(name, "file:", 5))
        wrong = read_edges(&e, n, name + 5);
    else
        wrong = "the topologies are full, hypercube, torus2, torus3, ring, regular:D and file:PATH";
    if (!wrong)
        wrong = make_lists(t, &e);
    free(e.pair);
    if (wrong)
        summand__topology_free(t);
    return wrong;
}

void summand__topology_free(struct summand__topology *t)
{
    free(t->start);
    free(t->list);
    *t = (struct summand__topology){0};
}

int64_t summand__topology_degree(const struct summand__topology *t, int64_t i)
{
    return t->full ? t->n - 1 : t->start[i + 1] - t->start[i];
}

int64_t summand__topology_neighbour(const struct summand__topology *t, int64_t i, int64_t k)
{
    return t->full ? k + (k >= i) : t->list[t->start[i] + k];
}

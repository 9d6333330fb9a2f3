/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements for tests of collectives: pairs of numbers in many memory layouts, with an associative
 * operator whose result is known without MPI. */
#pragma once

#include <stddef.h>

#include "mpi/harness.h"

enum { COLUMNS = 64 };

struct pair {
    uint32_t a, b;
};

struct subject {
    const char *name;
    MPI_Datatype datatype;
    MPI_Op op;
    ptrdiff_t extent;     /* from element to element */
    ptrdiff_t at_a, at_b; /* offsets of the numbers from the element's address */
    struct pair (*combine)(struct pair left, struct pair right);
    int shift; /* bytes by which buffers are misaligned */
};

/* x -> a x + b: composition is associative, not commutative. */
static inline struct pair compose(struct pair f, struct pair g)
{
    return (struct pair){f.a * g.a, f.a * g.b + f.b};
}

static inline struct pair add(struct pair f, struct pair g)
{
    return (struct pair){f.a + g.a, f.b + g.b};
}

/* MPI_MINLOC of (value, index). */
static inline struct pair least(struct pair f, struct pair g)
{
    return g.a < f.a || (g.a == f.a && g.b < f.b) ? g : f;
}

static inline struct pair get_pair(const struct subject *s, const char *element)
{
    struct pair pair;
    memcpy(&pair.a, element + s->at_a, sizeof pair.a);
    memcpy(&pair.b, element + s->at_b, sizeof pair.b);
    return pair;
}

static inline void set_pair(const struct subject *s, char *element, struct pair pair)
{
    memcpy(element + s->at_a, &pair.a, sizeof pair.a);
    memcpy(element + s->at_b, &pair.b, sizeof pair.b);
}

static inline void apply(const struct subject *s, void *in, void *inout, int count)
{
    for (int i = 0; i < count; i++) {
        char *left = (char *)in + i * s->extent, *right = (char *)inout + i * s->extent;
        set_pair(s, right, s->combine(get_pair(s, left), get_pair(s, right)));
    }
}

/* The subjects of user operators, by number, because an MPI operator has no context. */
enum { DENSE, GAPPED, BELOW, COLUMN, BACKWARD, USERS };
static const struct subject layouts[USERS] = {
    [DENSE] = {"dense", 0, 0, 8, 0, 4, compose, 0},
    [GAPPED] = {"gapped", 0, 0, 24, 4, 16, compose, 0},
    [BELOW] = {"below", 0, 0, 24, -20, -8, compose, 0},
    [COLUMN] = {"column", 0, 0, 4, 0, 4 * COLUMNS, compose, 0},
    [BACKWARD] = {"backward", 0, 0, -12, 0, 4, compose, 0},
};

static inline void on_dense(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
    (void)datatype;
    apply(&layouts[DENSE], in, inout, *n);
}
static inline void on_gapped(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
    (void)datatype;
    apply(&layouts[GAPPED], in, inout, *n);
}
static inline void on_below(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
    (void)datatype;
    apply(&layouts[BELOW], in, inout, *n);
}
static inline void on_column(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
    (void)datatype;
    apply(&layouts[COLUMN], in, inout, *n);
}
static inline void on_backward(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
    (void)datatype;
    apply(&layouts[BACKWARD], in, inout, *n);
}

static inline struct subject make_user(int which)
{
    static MPI_User_function *const functions[USERS] = {on_dense, on_gapped, on_below, on_column,
                                                        on_backward};
    struct subject s = layouts[which];
    MPI_Datatype plain;
    MPI_Aint displacements[2] = {s.at_a, s.at_b};
    MPI_Type_create_hindexed_block(2, 1, displacements, MPI_UINT32_T, &plain);
    MPI_Type_create_resized(plain,
                            s.extent < 0 ? 0
                            : s.at_a < 0 ? s.at_a
                                         : 0,
                            s.extent, &s.datatype);
    MPI_Type_commit(&s.datatype);
    MPI_Type_free(&plain);
    MPI_Op_create(functions[which], 0, &s.op);
    return s;
}

enum { PREDEFINED = 3, SUBJECTS = USERS + PREDEFINED };

static inline void make_subjects(struct subject *subjects)
{
    for (int i = 0; i < USERS; i++)
        subjects[i] = make_user(i);
    /* Two numbers at one address: only b counts. */
    subjects[USERS] = (struct subject){"sum", MPI_UINT32_T, MPI_SUM, 4, 0, 0, add, 0};
    subjects[USERS + 1] = (struct subject){"unaligned", MPI_UINT32_T, MPI_SUM, 4, 0, 0, add, 1};
    subjects[USERS + 2] = (struct subject){"minloc", MPI_2INT, MPI_MINLOC, 8, 0, 4, least, 0};
}

static inline void free_subjects(struct subject *subjects)
{
    for (int i = 0; i < USERS; i++) {
        MPI_Type_free(&subjects[i].datatype);
        MPI_Op_free(&subjects[i].op);
    }
}

/* An element of a rank's contribution. */
static inline struct pair contribution(const struct subject *s, int rank, size_t i)
{
    uint64_t seed = (uint64_t)rank * 100003 + i, bits = harness_random(&seed);
    struct pair pair = {(uint32_t)bits | 1, (uint32_t)(bits >> 32)};
    if (s->combine == least)
        pair = (struct pair){(uint32_t)(bits % 5), (uint32_t)(bits >> 40)};
    if (s->at_a == s->at_b)
        pair.a = pair.b;
    return pair;
}

static inline struct pair in_rank_order(const struct subject *s, int ranks, size_t i)
{
    struct pair all = contribution(s, ranks - 1, i);
    for (int r = ranks - 2; r >= 0; r--)
        all = s->combine(contribution(s, r, i), all);
    return all;
}

/* A buffer of elements between bytes of 0x5a. */
struct buffer {
    char *memory, *origin;
    size_t bytes;
};

static inline struct buffer make_buffer(const struct subject *s, size_t count)
{
    size_t reach = count * (size_t)labs((long)s->extent) + 8 * COLUMNS + 64;
    struct buffer buffer = {malloc(2 * reach), NULL, 2 * reach};
    memset(buffer.memory, 0x5a, buffer.bytes);
    buffer.origin = buffer.memory + (s->extent < 0 ? reach : 64) + s->shift;
    return buffer;
}

static inline char *element_of(const struct subject *s, const struct buffer *buffer, size_t i)
{
    return buffer->origin + (ptrdiff_t)i * s->extent;
}

static inline int same_buffers(const struct buffer *a, const struct buffer *b)
{
    return a->bytes == b->bytes && !memcmp(a->memory, b->memory, a->bytes);
}

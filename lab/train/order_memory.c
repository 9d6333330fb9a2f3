/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/train/order_memory.h"

enum { NONE = -1, EMPTY = -2 };

int train_order_layers(const struct train_order *o)
{
    return o->first[o->stages] - 1;
}

int train_order_stage(const struct train_order *o, int l)
{
    int g = 0;
    while (o->first[g + 1] <= l)
        g++;
    return g;
}

/* The version that a batch sees, by the definition of each mode. */
static long promised(const struct train_order_memory *m, int stage, size_t batch)
{
    const struct train_order *o = &m->what->order;
    int ahead = o->stages - 1 - stage;
    size_t behind = o->delay == TRAIN_SYNC  ? 0
                    : o->delay == TRAIN_2BW ? 1
                    : o->newest             ? o->behind
                    : o->twins              ? 2 * (size_t)ahead + 1
                                            : (size_t)ahead;
    return batch > behind ? (long)(batch - behind) : 0;
}

static void add(struct train_order_accesses *all, struct train_order_cell *cell, long needs,
                long leaves)
{
    all->of[all->count++] = (struct train_order_access){cell, needs, leaves};
}

/* Forward weights: those of the piece's version. */
static void add_weights(struct train_order_memory *m, int g, int l,
                        const struct train_order_item *item, struct train_order_accesses *all)
{
    const struct train_order *o = m->order;
    struct train_order_group *group = &m->group[g];
    size_t batch = item->act.number / o->each;
    long version = promised(m, g, batch);
    if (o->twins) {
        struct train_order_cell *taken = &group->taken[l];
        bool fits = o->newest && taken->holds >= version && taken->holds <= (long)batch;
        add(all, taken, fits ? taken->holds : version, NONE);
    } else {
        add(all, &group->w[l][train_order_weight_slot(o, g, item->slot)], 2 * version, NONE);
    }
}

static void forward(struct train_order_memory *m, int g, const struct train_order_item *item,
                    struct train_order_accesses *all)
{
    const struct train_order *o = m->order;
    struct train_order_group *group = &m->group[g];
    int l = item->act.layer, slot = item->slot;
    long piece = (long)item->act.number;
    if (train_order_stage(o, l) == g % o->stages) {
        add_weights(m, g, l, item, all);
        add(all,
            l < train_order_layers(o) ? &group->x[l][slot]
                                      : &group->z[train_order_sum_slot(o, slot)],
            NONE, piece);
    }
    if (train_order_stage(o, l - 1) == g % o->stages)
        add(all, &group->x[l - 1][slot], piece, NONE);
}

static void back(struct train_order_memory *m, int g, const struct train_order_item *item,
                 struct train_order_accesses *all)
{
    const struct train_order *o = m->order;
    struct train_order_group *group = &m->group[g];
    int l = item->act.layer, slot = item->slot, error = train_order_error_slot(o, slot);
    int stage = g % o->stages;
    long piece = (long)item->act.number;
    size_t batch = item->act.number / o->each;
    if (train_order_stage(o, l) == stage) {
        add(all, &group->w[l][train_order_weight_slot(o, stage, slot)],
            2 * (o->newest ? (long)batch : promised(m, stage, batch)), NONE);
        add(all, &group->d[l][error], piece, NONE);
    }
    if (train_order_stage(o, l - 1) == stage) {
        add(all, &group->x[l - 1][slot], piece, NONE); /* the derivative */
        add(all, &group->d[l - 1][error], NONE, piece);
    }
}

static void gradient(struct train_order_memory *m, int g, const struct train_order_item *item,
                     struct train_order_accesses *all)
{
    const struct train_order *o = m->order;
    struct train_order_group *group = &m->group[g];
    int l = item->act.layer, stage = g % o->stages;
    size_t batch = item->act.number, first = batch * o->each, end = first + o->each;
    end = end < o->pieces ? end : o->pieces;
    for (size_t piece = first; piece < end; piece++) {
        int slot = item->slot + (int)(piece - first);
        if (train_order_stage(o, l) == stage)
            add(all, &group->d[l][train_order_error_slot(o, slot)], (long)piece, NONE);
        if (train_order_stage(o, l - 1) == stage)
            add(all, &group->x[l - 1][slot], (long)piece, NONE);
    }
    size_t next = (batch + 1) % (size_t)train_order_versions(o);
    if (train_order_stage(o, l) == stage && m->what->momentum)
        add(all, &group->velocity[l], (long)batch, (long)batch + 1);
    else if (train_order_stage(o, l) == stage)
        add(all, &group->w[l][next], 2 * (long)batch + 1, 2 * (long)batch + 2);
}

static void copy(struct train_order_memory *m, int g, const struct train_order_item *item,
                 struct train_order_accesses *all)
{
    const struct train_order *o = m->order;
    struct train_order_group *group = &m->group[g];
    int l = item->act.layer, slot = item->slot;
    long piece = (long)item->act.number;
    bool to = g >= o->stages;
    add(all,
        l < train_order_layers(o) ? &group->x[l][slot] : &group->z[train_order_sum_slot(o, slot)],
        to ? NONE : piece, to ? piece : NONE);
}

static void version(struct train_order_memory *m, int g, const struct train_order_item *item,
                    struct train_order_accesses *all)
{
    const struct train_order *o = m->order;
    struct train_order_group *group = &m->group[g];
    int l = item->act.layer;
    long number = (long)item->act.number;
    if (g < o->stages)
        add(all, &group->come[l][item->slot], NONE, number);
    else
        add(all, &group->w[l][item->slot], 2 * number, NONE);
}

/* Lists the accesses of an act that a group does alone and at once. */
static void alone(struct train_order_memory *m, int g, const struct train_order_item *item,
                  struct train_order_accesses *all)
{
    const struct train_order *o = m->order;
    struct train_order_group *group = &m->group[g];
    int l = item->act.layer, slot = item->slot, versions = train_order_versions(o);
    long number = (long)item->act.number;
    struct train_order_cell *old = &group->w[l][number % versions];
    struct train_order_cell *next = &group->w[l][(number + 1) % versions];
    if (item->act.kind == TRAIN_ORDER_READ) {
        add(all, &group->x[0][slot], NONE, number);
    } else if (item->act.kind == TRAIN_ORDER_JUDGE) {
        add(all, &group->z[train_order_sum_slot(o, slot)], number, NONE);
        add(all, &group->d[l][train_order_error_slot(o, slot)], NONE, number);
    } else if (item->act.kind == TRAIN_ORDER_KEEP) {
        add(all, &group->come[l][slot], number, NONE);
        add(all, &group->taken[l], NONE, number);
    } else if (item->act.kind == TRAIN_ORDER_NEXT) {
        if (old != next)
            add(all, old, 2 * number, NONE);
        add(all, next, old == next ? 2 * number : NONE, 2 * number + 1);
    } else if (m->what->momentum) {
        add(all, &group->velocity[l], number + 1, NONE);
        add(all, next, 2 * number + 1, 2 * number + 2);
    } else {
        add(all, next, 2 * number + 2, NONE);
    }
}

void train_order_touches(struct train_order_memory *m, int g, const struct train_order_item *item,
                         struct train_order_accesses *all)
{
    static void (*const rows[])(struct train_order_memory *, int, const struct train_order_item *,
                                struct train_order_accesses *) = {forward, back, gradient, copy,
                                                                  version};
    all->count = 0;
    (item->act.kind > TRAIN_ORDER_FINISH ? alone : rows[item->act.what])(m, g, item, all);
}

const char *train_order_begin(const struct train_order_accesses *all)
{
    for (int i = 0; i < all->count; i++) {
        const struct train_order_access *a = &all->of[i];
        if (a->cell->written)
            return "what it touches is being written";
        if (a->needs != NONE && a->cell->holds != a->needs)
            return "what it reads is something else";
        if (a->leaves != NONE && a->cell->readers)
            return "what it writes is being read";
        a->cell->readers += a->leaves == NONE;
        a->cell->written = a->leaves != NONE;
    }
    return NULL;
}

void train_order_end(const struct train_order_accesses *all)
{
    for (int i = 0; i < all->count; i++) {
        const struct train_order_access *a = &all->of[i];
        a->cell->readers -= a->leaves == NONE;
        a->cell->written = false;
        if (a->leaves != NONE)
            a->cell->holds = a->leaves;
    }
}

void train_order_fill(struct train_order_memory *m)
{
    for (int g = 0; g < TRAIN_ORDER_GROUPS; g++)
        for (int l = 0; l < TRAIN_ORDER_LAYERS; l++)
            for (int slot = 0; slot < TRAIN_ORDER_SLOTS; slot++) {
                struct train_order_group *group = &m->group[g];
                group->x[l][slot].holds = group->d[l][slot].holds = EMPTY;
                group->come[l][slot].holds = group->z[slot].holds = EMPTY;
            }
}

bool train_order_has(const struct train_order_memory *m, int g, size_t version)
{
    const struct train_order *o = m->order;
    bool good = true, forward_only = o->twins && g < o->stages;
    for (int l = o->first[g % o->stages]; l < o->first[g % o->stages + 1]; l++) {
        size_t slot = version % (size_t)train_order_versions(o);
        good = good && (forward_only ? m->group[g].taken[l].holds == (long)version
                                     : m->group[g].w[l][slot].holds == 2 * (long)version);
    }
    return good;
}

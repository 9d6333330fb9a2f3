/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/train/prove_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/train/order_memory.h"
#include "train/poad.h"

enum {
    STAGES = TRAIN_PROOF_STAGES,
    GROUPS = TRAIN_ORDER_GROUPS,
    LAYERS = TRAIN_ORDER_LAYERS,
    SLOTS = TRAIN_ORDER_SLOTS
};

/* The side of one group in a product; at most two groups take part. */
struct side {
    size_t starts;
    size_t number[2]; /* of the last two starts: pieces, batches or versions */
    bool open;
};

struct play {
    const struct train_order_case *what;
    struct train_order order;
    size_t batches;
    struct train_order_memory memory;
    struct side side[2][TRAIN_ORDER_WHATS][LAYERS][SLOTS][2]; /* by class, layer, slot */
    struct train_order_item *items[GROUPS];
    size_t count[GROUPS], room[GROUPS], at[GROUPS];
    size_t taken; /* while it collects items */
    int collecting;
    unsigned draw;
    bool no_memory;
    char fault[200];
};

static bool fault(struct play *p, int group, const struct train_order_item *item, const char *what)
{
    static const char *const whats[] = {"forward", "back", "gradient", "copy", "version"};
    static const char *const kinds[] = {"start", "finish", "read", "judge",
                                        "take",  "keep",   "next", "step"};
    if (!p->fault[0])
        snprintf(p->fault, sizeof p->fault, "%s: group %d, %s %s of layer %d, number %zu", what,
                 group, kinds[item->act.kind], whats[item->act.what], item->act.layer,
                 item->act.number);
    return false;
}

/* Collects an act of a group. A `take` is expanded into the acts of which it consists. */
static void add_item(struct play *p, struct train_order_item item)
{
    int g = p->collecting;
    if (p->count[g] == p->room[g]) {
        size_t room = p->room[g] ? 2 * p->room[g] : 256;
        struct train_order_item *more = realloc(p->items[g], room * sizeof *more);
        p->no_memory = p->no_memory || !more;
        if (!more)
            return;
        p->items[g] = more;
        p->room[g] = room;
    }
    p->items[g][p->count[g]++] = item;
}

static void collect(void *context, const struct train_order_act *act);

static void collect_take(struct play *p, const struct train_order_act *act)
{
    const struct train_order *o = &p->order;
    size_t least = train_order_oldest(o, p->collecting, act->number), most = act->number;
    if (most > p->taken + o->slots)
        most = p->taken + o->slots;
    if (least < p->taken)
        least = p->taken;
    size_t version = least;
    p->draw = p->draw * 1664525u + 1013904223u;
    if (o->newest && most > least && p->what->choice != TRAIN_TAKES_OLDEST)
        version = p->what->choice == TRAIN_TAKES_NEWEST
                      ? most
                      : least + (p->draw >> 8) % (most - least + 1);
    train_order_take(o, p->collecting, p->taken, version, collect, p);
    p->taken = version;
}

static void collect(void *context, const struct train_order_act *act)
{
    struct play *p = context;
    const struct train_order *o = &p->order;
    struct train_order_item item = {.act = *act, .slot = (int)(act->number % o->slots)};
    if (act->kind == TRAIN_ORDER_TAKE) {
        collect_take(p, act);
        return;
    }
    if (act->what < TRAIN_PRODUCTS && act->kind < TRAIN_ORDER_TAKE)
        item.class = p->what->partial && act->number / o->each + 1 == p->batches;
    if (act->what == TRAIN_GRADIENT && act->kind <= TRAIN_ORDER_FINISH) {
        item.slot = train_order_first_slot(o, item.slot);
        item.act.number = act->number / o->each;
    }
    add_item(p, item);
}

/* At its end a group waits for all its open starts. */
static void collect_end(struct play *p)
{
    for (int class = 0; class < 2; class ++)
        for (int l = 1; l <= train_order_layers(&p->order); l++)
            for (int slot = 0; slot < (int)p->order.slots; slot++)
                for (int what = 0; what < TRAIN_ORDER_WHATS; what++)
                    add_item(p,
                             (struct train_order_item){.act = {.kind = TRAIN_ORDER_FINISH,
                                                               .what = (enum train_order_what)what,
                                                               .layer = l},
                                                       .class = class,
                                                       .slot = slot});
}

/* This group's side of a product, or NULL if it has none. *other: the other group's side, which may
 * be the same. */
static struct side *side_of(struct play *p, int g, const struct train_order_item *item,
                            struct side **other)
{
    const struct train_order *o = &p->order;
    struct side *sides = p->side[item->class][item->act.what][item->act.layer][item->slot];
    int stage = g % o->stages, one = train_order_stage(o, item->act.layer), two = one;
    bool reverse = g >= o->stages, mine = one == stage;
    bool second = reverse;
    if (item->act.what < TRAIN_PRODUCTS) {
        two = item->act.layer > 1 ? train_order_stage(o, item->act.layer - 1) : one;
        second = stage != one;
        mine = (stage == one || stage == two) &&
               (!o->twins || reverse == (item->act.what != TRAIN_FORWARD));
    } else if (!o->twins) {
        return NULL;
    }
    *other = &sides[item->act.what < TRAIN_PRODUCTS && one == two ? second : !second];
    return mine ? &sides[second] : NULL;
}

/* False: it waits, or there is a fault. */
static bool finish(struct play *p, int g, const struct train_order_item *item)
{
    struct side *other, *mine = side_of(p, g, item, &other);
    struct train_order_item was = *item;
    struct train_order_accesses all;
    if (!mine || !mine->open)
        return true;
    if (other->starts < mine->starts)
        return false;
    was.act.number = mine->number[mine->starts % 2];
    if (other->number[mine->starts % 2] != was.act.number)
        return fault(p, g, &was, "the other group's part of it is of another number");
    train_order_touches(&p->memory, g, &was, &all);
    train_order_end(&all);
    mine->open = false;
    return true;
}

static bool start(struct play *p, int g, const struct train_order_item *item)
{
    struct side *other, *mine = side_of(p, g, item, &other);
    struct train_order_accesses all;
    if (!mine)
        return true;
    if (!finish(p, g, item))
        return false;
    train_order_touches(&p->memory, g, item, &all);
    const char *wrong = train_order_begin(&all);
    if (wrong)
        return fault(p, g, item, wrong);
    mine->open = true;
    mine->starts++;
    mine->number[mine->starts % 2] = item->act.number;
    return true;
}

/* Does an act of the group alone, at once. */
static bool alone(struct play *p, int g, const struct train_order_item *item)
{
    struct train_order_accesses all;
    train_order_touches(&p->memory, g, item, &all);
    const char *wrong = train_order_begin(&all);
    if (wrong)
        return fault(p, g, item, wrong);
    train_order_end(&all);
    return true;
}

static bool step(struct play *p, int g)
{
    const struct train_order_item *item = &p->items[g][p->at[g]];
    bool done = (item->act.kind == TRAIN_ORDER_START    ? start
                 : item->act.kind == TRAIN_ORDER_FINISH ? finish
                                                        : alone)(p, g, item);
    p->at[g] += done;
    return done;
}

static bool check_starts(struct play *p)
{
    const struct side *side = &p->side[0][0][0][0][0];
    size_t sides = sizeof p->side / sizeof *side;
    bool good = true;
    for (size_t i = 0; i < sides; i += 2)
        good = good &&
               (!side[i].starts || !side[i + 1].starts || side[i].starts == side[i + 1].starts);
    if (!good && !p->fault[0])
        snprintf(p->fault, sizeof p->fault, "two groups start something not equally often");
    return good;
}

static void play(struct play *p)
{
    int groups = train_order_groups(&p->order);
    for (bool moved = true; moved && !p->fault[0];) {
        moved = false;
        for (int g = 0; g < groups; g++)
            while (!p->fault[0] && p->at[g] < p->count[g] && step(p, g))
                moved = true;
    }
    for (int g = 0; g < groups && !p->fault[0]; g++)
        if (p->at[g] < p->count[g])
            fault(p, g, &p->items[g][p->at[g]], "it waits for ever");
        else if (!train_order_has(&p->memory, g, p->batches))
            snprintf(p->fault, sizeof p->fault, "group %d ends with another version", g);
    if (!p->fault[0])
        check_starts(p);
}

/* False: the flaw names an act that does not exist. */
static bool collect_all(struct play *p, const struct train_order_flaw *flaw)
{
    bool tried = !flaw || flaw->group < 0;
    for (int g = 0; g < train_order_groups(&p->order); g++) {
        p->collecting = g;
        p->taken = 0;
        train_order_walk(&p->order, g, collect, p);
        if (flaw && flaw->group == g && flaw->act < p->count[g]) {
            if (flaw->left_out)
                *flaw->left_out = p->items[g][flaw->act].act;
            p->count[g]--;
            memmove(&p->items[g][flaw->act], &p->items[g][flaw->act + 1],
                    (p->count[g] - flaw->act) * sizeof *p->items[g]);
            tried = true;
        }
        collect_end(p);
    }
    return tried && !p->no_memory;
}

enum train_order_result train_prove_order(const struct train_order_case *what,
                                          const struct train_order_flaw *flaw, char *text,
                                          size_t room)
{
    struct play *p = calloc(1, sizeof *p);
    const struct train_order *o = &what->order;
    bool good = p && o->slots <= SLOTS && train_order_layers(o) < LAYERS;
    if (good) {
        p->what = what;
        p->order = *o;
        p->order.slots -= flaw && flaw->slot_less ? o->each : 0;
        p->batches = (o->pieces + o->each - 1) / o->each;
        p->memory.what = what;
        p->memory.order = &p->order;
        train_order_fill(&p->memory);
        good = collect_all(p, flaw);
    }
    if (good)
        play(p);
    enum train_order_result result = !good         ? TRAIN_ORDER_UNTRIED
                                     : p->fault[0] ? TRAIN_ORDER_BREAKS
                                                   : TRAIN_ORDER_HOLDS;
    if (result != TRAIN_ORDER_HOLDS)
        snprintf(text, room, "%d groups%s of %d layers, %zu pieces, %zu a batch, %zu slots: %s",
                 o->stages, o->twins ? " and twins" : "", train_order_layers(o), o->pieces, o->each,
                 o->slots, good ? p->fault : "no memory");
    for (int g = 0; p && g < GROUPS; g++)
        free(p->items[g]);
    free(p);
    return result;
}

/* Proves any number of pieces, up to three times the rings. */
static bool prove_pieces(struct train_order_case *what, size_t *proofs, char *text, size_t room)
{
    struct train_order *o = &what->order;
    size_t most = 3 * o->slots + 2, by = 1 + o->slots / 4;
    for (o->pieces = 1; o->pieces <= most; o->pieces += o->pieces < o->slots + 2 ? 1 : by)
        for (int kind = 0; kind < 4; kind++) {
            what->momentum = kind & 1;
            what->partial = kind & 2;
            ++*proofs;
            if (train_prove_order(what, NULL, text, room) != TRAIN_ORDER_HOLDS)
                return false;
        }
    return true;
}

static bool prove_slots(struct train_order_case *what, size_t *proofs, char *text, size_t room)
{
    struct train_order *o = &what->order;
    size_t stages = (size_t)o->stages, rounds = o->delay == TRAIN_2BW ? 2 : 1;
    if (o->newest) {
        for (o->behind = 0; o->behind <= 2 * stages + 1; o->behind += 1 + o->behind / 3)
            for (int choice = TRAIN_TAKES_OLDEST; choice <= TRAIN_TAKES_ANY; choice++) {
                what->choice = (enum train_order_choice)choice;
                o->slots = o->behind + 1;
                if (!prove_pieces(what, proofs, text, room))
                    return false;
            }
        return true;
    }
    if (o->delay == TRAIN_STASHED) {
        o->behind = o->twins ? train_poad_stashed(o->stages) : 0;
        o->slots = o->twins ? o->behind + 1 : stages;
        return prove_pieces(what, proofs, text, room);
    }
    for (o->each = 1; o->each <= stages + 1; o->each += 1 + o->each / 2) {
        o->slots = rounds * o->each;
        if (!prove_pieces(what, proofs, text, room))
            return false;
    }
    return true;
}

bool train_prove_orders(enum train_delay delay, bool twins, bool newest, int groups, size_t *proofs,
                        char *text, size_t room)
{
    for (int layers = groups; layers <= groups + 1 && layers <= STAGES; layers++) {
        struct summand__net_shape shape = train_proof_shape(layers);
        struct train_pipeline cut = train_proof_pipeline(&shape, delay, groups, 1, 1);
        struct train_order_case what = {.order = {.delay = delay,
                                                  .twins = twins,
                                                  .newest = newest,
                                                  .stages = groups,
                                                  .first = cut.first,
                                                  .each = 1}};
        if (!prove_slots(&what, proofs, text, room))
            return false;
    }
    return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/estimate.h"

#include <limits.h>
#include <math.h>

#include "base/extreme.h"

double summand__burst_time(const struct summand__model *model, const struct summand__burst *burst)
{
    const struct summand__level *level = &model->level[burst->reach];
    bool crossed = burst->exchange && model->fair_card > 0 && burst->reach != SUMMAND__WITHIN_NODE;
    double taken = burst->bytes * level->byte * (crossed ? 1 + model->cross : 1);
    double busy = summand__larger(taken, level->gap);
    bool waits = burst->waits || burst->bytes > model->eager;
    double flight = level->latency + (waits ? level->handshake : 0);
    bool alone = model->fair_card > 0 && burst->reach == SUMMAND__WITHIN_NODE;
    double queue = alone ? 1 : summand__larger(burst->queue, 1);
    double first = level->send + flight + taken;
    double cards = (queue - 1) * busy, pace = (burst->sends - 1) * level->send;
    double last = first + summand__larger(cards, pace);
    double work = burst->sends * level->send + burst->receives * level->recv;
    /* Messages that share a card complete together, unless they began one after another. */
    double together = model->fair_card > 0 && cards > pace ? 1 - pace / cards : 0;
    last += together * (burst->receives - 1) * level->recv;
    return summand__larger(
        summand__larger(last + level->recv, first + burst->receives * level->recv), work);
}

double summand__work_time(const struct summand__model *model, double flops, double bytes,
                          bool single)
{
    double each = single ? model->flop / 2 : model->flop;
    bool cached = flops <= 0 || (bytes <= SUMMAND__CACHED && model->copy_byte > 0);
    double byte = cached ? model->copy_byte : model->write_byte;
    return summand__larger(flops * each, bytes * byte);
}

enum summand__reach summand__reach_of(const struct summand__model *model, int span)
{
    if (span <= model->per_node)
        return SUMMAND__WITHIN_NODE;
    bool far = model->per_switch > 0 && span > model->per_node * model->per_switch;
    return far ? SUMMAND__FAR : SUMMAND__NETWORK;
}

/* The number of ranks under one switch, or 0 if all ranks are under one. */
static int switch_ranks(const struct summand__model *model)
{
    double ranks = model->per_switch * model->per_node;
    return ranks < INT_MAX ? (int)ranks : 0;
}

int summand__border(const struct summand__model *model, int ranks)
{
    int most = switch_ranks(model);
    return most > 0 ? (ranks - 1) / most * most : 0;
}

static enum summand__reach reach_between(const struct summand__model *model, int low, int span)
{
    int most = switch_ranks(model);
    return most > 0 && low / most != (low + span - 1) / most ? SUMMAND__FAR : SUMMAND__NETWORK;
}

/* Messages that the ranks of the busiest node send to other nodes. If ranks exchange with all
 * others of the span, once or several times, the last ones are near again. */
static double leaving(const struct summand__model *model,
                      const struct summand__encounter *encounter)
{
    int node = (int)model->per_node, span = encounter->span;
    if (encounter->ranks <= node || (span <= node && node % span == 0))
        return 0;
    double left = encounter->partners + encounter->more, messages = 0;
    int distance = encounter->distance;
    if (distance == 1 && encounter->stride == 1 && node < span) {
        double times = floor(left / (span - 1));
        messages = times * node * (span - node);
        left -= times * (span - 1);
    }
    for (; left > 0 && distance < node && encounter->stride; left--, distance += encounter->stride)
        messages += distance;
    return messages + left * (distance < node ? distance : node);
}

/* Messages out of the busiest switch. The unit is the time of one message on a network card. */
static double climbing(const struct summand__model *model,
                       const struct summand__encounter *encounter)
{
    int most = switch_ranks(model), distance = encounter->distance;
    double left = encounter->partners + encounter->more, messages = 0;
    for (; left > 0 && distance < most && encounter->stride; left--, distance += encounter->stride)
        messages += distance;
    messages += left * (distance < most ? distance : most);
    return messages * model->oversubscription / model->per_switch;
}

double summand__encounter_time(const struct summand__model *model,
                               const struct summand__encounter *encounter)
{
    double sends = encounter->partners + encounter->more;
    struct summand__burst burst = {.sends = sends,
                                   .receives = encounter->partners,
                                   .queue = summand__larger(sends, encounter->partners),
                                   .bytes = encounter->bytes,
                                   .exchange = true};
    double messages = leaving(model, encounter);
    if (messages <= 0)
        return summand__burst_time(model, &burst);
    burst.reach = reach_between(model, encounter->low, encounter->span);
    if (model->shared_card > 0)
        burst.queue = messages;
    if (burst.reach == SUMMAND__FAR && model->oversubscription > 1)
        burst.queue = summand__larger(burst.queue, climbing(model, encounter));
    return summand__burst_time(model, &burst);
}

/* The smaller half of an odd range is often early: its messages share even cards with the last
 * round of the larger half. In the simulation of 3 to 31 ranks about half of their bytes do. */
static double early_time(const struct summand__model *model,
                         const struct summand__encounter *encounter)
{
    bool shared = model->fair_card > 0 && encounter->span > model->per_node;
    return shared && encounter->span % 2
               ? encounter->bytes * model->level[SUMMAND__NETWORK].byte / 2
               : 0;
}

/* A merge of a vector of `bytes`; at the end the first `holders` ranks have slices of it. In a
 * range of n, a rank keeps the slices of every n-th rank. */
struct merge {
    const struct summand__model *model;
    int ranks, holders;
    double bytes;
};

/* In the gather a rank sends its initial data to its partners of all rounds at once. On an evenly
 * shared card a message completes no earlier than those of the later rounds. */
static double together_time(const struct merge *merge, int span, double sent)
{
    const struct summand__model *model = merge->model;
    bool shared = model->fair_card > 0 && span > model->per_node && sent <= model->eager;
    int after = 0, half = span - span / 2;
    for (; half > 1 && 2 * half > merge->holders && merge->holders < merge->ranks; half -= half / 2)
        after++;
    return shared ? after * sent * model->level[SUMMAND__NETWORK].byte : 0;
}

/* The time of a range after its `messages`, when all its slices are in one half. The other half's
 * messages arrive during this half's own work, unless they must wait (rendezvous). This half's card
 * carries the bytes of both. */
static double after_halves(const struct merge *merge, int span, double sent, double messages,
                           double half, double other)
{
    const struct summand__model *model = merge->model;
    enum summand__reach reach = summand__reach_of(model, span);
    bool alone = model->fair_card > 0 && reach == SUMMAND__WITHIN_NODE;
    if (sent > model->eager)
        return summand__larger(half, other) + messages;
    return summand__larger(half + (alone ? 0 : sent * model->level[reach].byte), other + messages);
}

/* Times a range, halved down to two, last round first. In the merge of an odd range each rank has
 * two partners, and ranks of the smaller half send more. So an odd half takes longer than an even
 * one. A round moves as much as a rank keeps. Ranges that contain the last switch's border take
 * longest. */
static struct summand__there_and_back merge_range(const struct merge *merge, int low, int span)
{
    const struct summand__model *model = merge->model;
    struct summand__there_and_back time = {0};
    int ranks = merge->ranks, holders = merge->holders, border = summand__border(model, ranks);
    while (span > 1) {
        int half = span - span / 2, middle = low + half;
        bool aside = span % 2 && holders <= half;
        double piece = merge->bytes / span;
        if (holders < ranks)
            piece = merge->bytes * ((holders - 1) / span + 1) / holders;
        struct summand__encounter encounter = {.ranks = ranks,
                                               .low = low,
                                               .span = span,
                                               .distance = half,
                                               .partners = 1,
                                               .bytes = piece};
        if (aside)
            encounter.more = (holders - 1) / (span / 2);
        else if (span % 2)
            encounter.partners = 2, encounter.bytes = piece * ((double)half / (span / 2)) / 2;
        double messages = summand__encounter_time(model, &encounter);
        double combined = piece * model->reduce_byte;
        double back = messages + (encounter.more > 0 ? 0 : together_time(merge, span, piece));
        if (aside) {
            struct summand__there_and_back large = merge_range(merge, low, half);
            struct summand__there_and_back small = merge_range(merge, middle, span / 2);
            time.scatter +=
                after_halves(merge, span, piece, messages, large.scatter, small.scatter) + combined;
            time.gather += after_halves(merge, span, piece, back, large.gather, small.gather);
            return time;
        }
        time.scatter += early_time(model, &encounter) + messages + combined;
        time.gather += back;
        bool inside = border > low && border < low + span && border != middle;
        bool right = inside ? border > middle : span > 3 && span % 2 && span / 2 % 2;
        span = right ? span / 2 : half;
        low = right ? middle : low;
    }
    return time;
}

struct summand__there_and_back summand__merge_time(const struct summand__model *model, int ranks,
                                                   int holders, double bytes)
{
    struct merge merge = {model, ranks, holders, bytes};
    return merge_range(&merge, 0, ranks);
}

struct summand__there_and_back summand__direct_time(const struct summand__model *model, int ranks,
                                                    int holders, double bytes)
{
    struct summand__there_and_back time = {0};
    double others = ranks - 1, piece = bytes / holders;
    struct summand__burst burst = {
        SUMMAND__WITHIN_NODE, holders, others, others, piece, false, false};
    struct summand__encounter encounter = {.ranks = ranks,
                                           .span = ranks,
                                           .distance = 1,
                                           .stride = 1,
                                           .partners = others,
                                           .bytes = piece};
    if (ranks < 2)
        return time;
    time.gather = ranks <= model->per_node ? summand__burst_time(model, &burst)
                                           : summand__encounter_time(model, &encounter);
    time.scatter = time.gather + others * piece * model->reduce_byte;
    return time;
}

struct summand__model summand__between_nodes(const struct summand__model *model, int leaders)
{
    struct summand__model between = *model;
    between.per_node = 1;
    between.shared_card = 0;
    for (int reach = SUMMAND__NETWORK; reach < SUMMAND__REACHES && model->shared_card > 0;
         reach++) {
        between.level[reach].byte *= leaders;
        between.level[reach].gap *= leaders;
    }
    return between;
}

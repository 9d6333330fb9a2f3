/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/embed.h"

#include "schedule/compute.h"

static int rank_of(const struct summand__embedding *embedding, int rank)
{
    return embedding->member        ? embedding->member[rank]
           : rank == embedding->odd ? embedding->odd_rank
                                    : embedding->base + rank * embedding->stride;
}

static struct summand__region region_of(const struct summand__embedding *embedding,
                                        struct summand__region region)
{
    return region.count
               ? summand__region((enum summand__place)embedding->at[region.place].place,
                                 embedding->at[region.place].first + region.first, region.count)
               : region;
}

/* Translates the part's step to the whole, except its regions and the value of a wait. */
static void rename_step(const struct summand__embedding *embedding, struct summand__step *step)
{
    if (!embedding->all)
        step->flags &= (uint8_t)~SUMMAND__STEP_MULTICAST; /* the whole may have more ranks */
    if (summand__is_message(step) || step->action == SUMMAND__PUT ||
        step->action == SUMMAND__NOTIFY)
        step->peer = rank_of(embedding, step->peer);
    if (step->action == SUMMAND__WAIT_COUNTER || step->action == SUMMAND__NOTIFY)
        step->what += embedding->first_counter;
}

/* The part's step in the whole, except the value of a wait. */
static struct summand__step step_of(const struct summand__embedding *embedding,
                                    const struct summand__schedule *part, size_t i)
{
    struct summand__step step = part->steps[i];
    rename_step(embedding, &step);
    step.from = region_of(embedding, step.from);
    step.with = region_of(embedding, step.with);
    step.to = region_of(embedding, step.to);
    return step;
}

/* Fills the step in place. To copy one that has just been written in parts would stall on those
 * stores. */
static void add(struct summand__schedule *whole, const struct summand__embedding *embedding,
                const struct summand__schedule *part, size_t i)
{
    const struct summand__step *of = &part->steps[i];
    const struct summand__region from = region_of(embedding, of->from),
                                 with = region_of(embedding, of->with),
                                 to = region_of(embedding, of->to);
    if (of->action == SUMMAND__COPY && summand__regions_equal(from, to))
        return; /* two places of the part are one of the whole */
    struct summand__step *step = summand__append_step(whole, of);
    rename_step(embedding, step);
    if (of->action == SUMMAND__WAIT_COUNTER) {
        uint64_t before = embedding->turn * part->tables->counters[of->what].per_start;
        int64_t value = of->value + (int64_t)before;
        step->value = (int32_t)value;
        whole->failed = whole->failed || step->value != value;
    }
    if (of->action == SUMMAND__COMPUTE)
        step->what = summand__add_computation(whole, &part->tables->computations[of->what]);
    step->from = from;
    step->with = with;
    step->to = to;
    summand__need_scratch(whole, step);
}

static bool ends(const struct summand__schedule *part, size_t i)
{
    return i >= part->length || part->steps[i].action == SUMMAND__ROUND;
}

void summand__embed(struct summand__schedule *whole, const struct summand__schedule *part,
                    const struct summand__embedding *embedding)
{
    summand__round(whole);
    for (size_t i = 0; i < part->length; i++)
        if (ends(part, i))
            summand__round(whole);
        else
            add(whole, embedding, part, i);
    summand__drain(whole);
}

/* True if the step writes into the region on this rank. */
static bool writes(const struct summand__step *step, struct summand__region region)
{
    return (step->action != SUMMAND__PUT && summand__regions_overlap(step->to, region)) ||
           (step->action == SUMMAND__RECV_REDUCE && summand__regions_overlap(step->from, region));
}

static bool writes_what(const struct summand__step *step, const struct summand__step *other)
{
    return writes(step, other->from) || writes(step, other->with) ||
           (other->action != SUMMAND__PUT && writes(step, other->to));
}

static bool goes_out(const struct summand__step *step)
{
    return summand__is_message(step) || step->action == SUMMAND__PUT;
}

static bool is_local(const struct summand__step *step)
{
    return step->action == SUMMAND__REDUCE || step->action == SUMMAND__COPY ||
           step->action == SUMMAND__COMPUTE || step->action == SUMMAND__ROUND;
}

/* True if a step of the whole must end before one of the part. Rounds are counted from the whole's
 * last round that does more than local work. The whole's step begins in round `begin` and completes
 * with `end`; the part's step is in `round`. */
static bool hinders(const struct summand__step *step, size_t begin, size_t end,
                    const struct summand__step *later, size_t round)
{
    bool shares = writes_what(step, later) || writes_what(later, step);
    if (summand__receives(step) && summand__receives(later) && step->peer == later->peer &&
        end > round + later->lag)
        return true;
    return shares && (round < begin || (round <= end && (goes_out(step) || goes_out(later))));
}

static bool hinders_part(const struct summand__step *step, size_t begin, size_t end,
                         const struct summand__schedule *part,
                         const struct summand__embedding *embedding, size_t skip)
{
    for (size_t i = 0, round = skip; i < part->length && round <= end; i++) {
        struct summand__step later = step_of(embedding, part, i);
        if (later.action == SUMMAND__ROUND)
            round++;
        else if (hinders(step, begin, end, &later, round))
            return true;
    }
    return false;
}

/* The begin of the whole's rounds after the last one that sends, receives, puts, notifies or waits.
 */
static size_t tail_of(const struct summand__schedule *whole)
{
    size_t tail = whole->length;
    while (tail && is_local(&whole->steps[tail - 1]))
        tail--;
    while (tail < whole->length && whole->steps[tail].action != SUMMAND__ROUND)
        tail++;
    return tail;
}

/* The number of rounds from there on that must end before the part may begin. */
static size_t rounds_before(const struct summand__schedule *whole, size_t tail,
                            const struct summand__schedule *part,
                            const struct summand__embedding *embedding)
{
    size_t skip = 0, round = 0, ago = 0;
    for (size_t i = tail; i < whole->length; i++) {
        const struct summand__step *step = &whole->steps[i];
        round += step->action == SUMMAND__ROUND;
        while (step->action != SUMMAND__ROUND &&
               hinders_part(step, round, round, part, embedding, skip))
            skip++;
    }
    for (size_t i = tail; i-- > 0 && ago <= SUMMAND__MOST_LAG;) {
        const struct summand__step *step = &whole->steps[i];
        ago += step->action == SUMMAND__ROUND;
        while (step->action != SUMMAND__ROUND && step->lag >= ago &&
               hinders_part(step, 0, step->lag - ago, part, embedding, skip))
            skip++;
    }
    return skip;
}

/* Drops the steps from there on. */
static void cut(struct summand__schedule *whole, size_t tail)
{
    unsigned ago = 0;
    whole->length = tail;
    whole->lagging = 0;
    for (size_t i = tail; i-- > 0 && ago <= SUMMAND__MOST_LAG;) {
        const struct summand__step *step = &whole->steps[i];
        ago += step->action == SUMMAND__ROUND;
        if (summand__is_message(step) && step->lag >= ago && step->lag - ago + 1 > whole->lagging)
            whole->lagging = step->lag - ago + 1;
    }
}

/* The part's steps without the end of its last round. */
static size_t body_of(const struct summand__schedule *part)
{
    size_t length = part->length;
    while (length && part->steps[length - 1].action == SUMMAND__ROUND)
        length--;
    return length;
}

void summand__follow(struct summand__schedule *whole, const struct summand__schedule *part,
                     const struct summand__embedding *embedding)
{
    struct summand__schedule rest;
    size_t tail = tail_of(whole), length = body_of(part), i = 0, t = 0;
    size_t skip = rounds_before(whole, tail, part, embedding);
    summand__schedule_init(&rest);
    for (size_t k = tail + 1; k < whole->length; k++)
        *summand__append(&rest, SUMMAND__COPY, -1) = whole->steps[k];
    cut(whole, tail);
    for (size_t round = 0; i < length || t < rest.length; round++) {
        if (round)
            summand__round(whole);
        for (; round && t < rest.length && rest.steps[t].action != SUMMAND__ROUND; t++)
            summand__need_scratch(whole, summand__append_step(whole, &rest.steps[t]));
        t += round > 0;
        for (; round >= skip && i < length && !ends(part, i); i++)
            add(whole, embedding, part, i);
        i += round >= skip;
    }
    whole->failed = whole->failed || rest.failed;
    summand__schedule_free(&rest);
}

/* True if the part has a message to or from that rank at step i or later. */
static bool talks_to(const struct summand__schedule *part,
                     const struct summand__embedding *embedding, size_t i, int peer)
{
    for (; i < part->length; i++) {
        const struct summand__step *step = &part->steps[i];
        if (summand__is_message(step) && rank_of(embedding, step->peer) == peer)
            return true;
    }
    return false;
}

/* True if a message of the round of part `which` would overtake one of an earlier part. */
static bool overtakes(int which, const struct summand__schedule *const *part,
                      const struct summand__embedding *const *embedding, const size_t *next)
{
    const struct summand__schedule *own = part[which];
    for (size_t i = next[which]; !ends(own, i); i++)
        for (int other = 0; summand__is_message(&own->steps[i]) && other < which; other++)
            if (talks_to(part[other], embedding[other], next[other],
                         rank_of(embedding[which], own->steps[i].peer)))
                return true;
    return false;
}

void summand__interleave(struct summand__schedule *whole, int parts,
                         const struct summand__schedule *const *part,
                         const struct summand__embedding *const *embedding, const size_t *skew)
{
    enum { MOST_PARTS = 64 };
    size_t next[MOST_PARTS] = {0};
    bool more = parts <= MOST_PARTS;
    whole->failed = whole->failed || !more;
    summand__round(whole);
    for (size_t round = 0; more && !whole->failed; round++) {
        more = false;
        if (round)
            summand__round(whole);
        for (int p = 0; p < parts; p++) {
            if (round >= skew[p] && next[p] < body_of(part[p]) &&
                !overtakes(p, part, embedding, next)) {
                for (; !ends(part[p], next[p]); next[p]++)
                    add(whole, embedding[p], part[p], next[p]);
                next[p]++;
            }
            more = more || next[p] < body_of(part[p]);
        }
    }
}

void summand__embed_tables(struct summand__schedule *whole, const struct summand__schedule *part,
                           struct summand__embedding *embedding)
{
    unsigned turns = embedding->turns ? embedding->turns : 1;
    for (unsigned p = 0; p < part->places; p++) {
        const struct summand__place_info *info = &part->info[p];
        embedding->at[SUMMAND__PLACES + p].place = summand__add_place(
            whole, (enum summand__place_kind)info->kind, info->unit, info->count);
        embedding->at[SUMMAND__PLACES + p].first = 0;
    }
    embedding->first_counter = whole->tables ? whole->tables->n_counters : 0;
    for (uint32_t c = 0; part->tables && c < part->tables->n_counters; c++) {
        const struct summand__counter *counter = &part->tables->counters[c];
        summand__add_counter(whole, rank_of(embedding, counter->producer),
                             turns * counter->per_start);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/clocks_inside.h"

#include <stdlib.h>
#include <string.h>

#define NOT_YET UINT64_MAX

static struct summand__put_pair *pair_of(const struct summand__clocks *clocks, int from, int to)
{
    return &clocks->pairs[(size_t)from * (size_t)clocks->ranks + (size_t)to];
}

static struct summand__counted *counted_of(const struct summand__clocks *clocks, int rank,
                                           uint32_t counter)
{
    return &clocks->counters[clocks->first_counter[rank] + counter];
}

static uint32_t counters_of(const struct summand__schedule *schedule)
{
    return schedule->tables ? schedule->tables->n_counters : 0;
}

static void merge(uint64_t *clock, const uint64_t *other, int ranks)
{
    for (int r = 0; r < ranks; r++)
        if (other[r] > clock[r])
            clock[r] = other[r];
}

/* Computes where each rank's counters and shadows begin. */
static void lay_out(struct summand__clocks *clocks)
{
    size_t counters = 0, shadows = 0;
    for (int r = 0; r < clocks->ranks; r++) {
        const struct summand__schedule *schedule = &clocks->schedules[r];
        clocks->first_counter[r] = counters;
        counters += counters_of(schedule);
        for (unsigned place = 0; place < SUMMAND__MOST_PLACES; place++) {
            clocks->first_shadow[(size_t)r * SUMMAND__MOST_PLACES + place] = shadows;
            shadows += watched(schedule, place);
        }
    }
    clocks->first_counter[clocks->ranks] = counters;
    clocks->n_shadows = shadows;
}

/* The lowest value of any wait decides which notifications may still matter. */
static void note_lowest(struct summand__clocks *clocks)
{
    for (int r = 0; r < clocks->ranks; r++)
        for (size_t i = 0; i < clocks->schedules[r].length; i++) {
            const struct summand__step *step = &clocks->schedules[r].steps[i];
            if (step->action != SUMMAND__WAIT_COUNTER ||
                step->what >= counters_of(&clocks->schedules[r]))
                continue;
            struct summand__counted *counted = counted_of(clocks, r, step->what);
            if (step->value < counted->lowest)
                counted->lowest = step->value;
        }
}

bool summand__clocks_init(struct summand__clocks *clocks, const struct summand__schedule *schedules,
                          int ranks)
{
    size_t p = (size_t)ranks;
    *clocks = (struct summand__clocks){.ranks = ranks, .schedules = schedules};
    clocks->time = calloc(p * p, sizeof *clocks->time);
    clocks->posted = calloc(p * p * SUMMAND__CLOCK_ROUNDS, sizeof *clocks->posted);
    clocks->coming = calloc(p * p * SUMMAND__GROUPS, sizeof *clocks->coming);
    clocks->pairs = calloc(p * p, sizeof *clocks->pairs);
    clocks->viewed = calloc(p * p, sizeof *clocks->viewed);
    clocks->first_counter = calloc(p + 1, sizeof *clocks->first_counter);
    clocks->first_shadow = calloc(p * SUMMAND__MOST_PLACES, sizeof *clocks->first_shadow);
    if (clocks->first_counter && clocks->first_shadow) {
        lay_out(clocks);
        clocks->counters = calloc(clocks->first_counter[p] + 1, sizeof *clocks->counters);
        clocks->shadows = calloc(clocks->n_shadows + 1, sizeof *clocks->shadows);
    }
    if (!clocks->time || !clocks->posted || !clocks->coming || !clocks->pairs || !clocks->viewed ||
        !clocks->counters || !clocks->shadows) {
        summand__clocks_free(clocks);
        return false;
    }
    note_lowest(clocks);
    for (size_t i = 0; i < clocks->n_shadows; i++)
        clocks->shadows[i].writer = -1;
    return true;
}

void summand__clocks_free(struct summand__clocks *clocks)
{
    size_t p = (size_t)clocks->ranks;
    for (size_t i = 0; clocks->pairs && i < p * p; i++)
        free(clocks->pairs[i].landed);
    for (size_t i = 0; clocks->counters && i < clocks->first_counter[p]; i++)
        free(clocks->counters[i].clock);
    free(clocks->time);
    free(clocks->posted);
    free(clocks->coming);
    free(clocks->pairs);
    free(clocks->counters);
    free(clocks->first_counter);
    free(clocks->shadows);
    free(clocks->viewed);
    free(clocks->first_shadow);
    free(clocks->state);
    free(clocks->before);
    *clocks = (struct summand__clocks){0};
}

static uint64_t *posted_of(struct summand__clocks *clocks, int rank, size_t round)
{
    return clocks->posted + ((size_t)rank * SUMMAND__CLOCK_ROUNDS + round % SUMMAND__CLOCK_ROUNDS) *
                                (size_t)clocks->ranks;
}

static uint64_t *coming_to(struct summand__clocks *clocks, int rank, unsigned group)
{
    return clocks->coming +
           ((size_t)rank * SUMMAND__GROUPS + group % SUMMAND__GROUPS) * (size_t)clocks->ranks;
}

void summand__clocks_enter(struct summand__clocks *clocks, int rank, size_t step, size_t round)
{
    clock_of(clocks, rank)[rank] = base_of(clocks, rank) + step;
    memcpy(posted_of(clocks, rank, round), clock_of(clocks, rank),
           (size_t)clocks->ranks * sizeof *clocks->time);
}

void summand__clocks_step(struct summand__clocks *clocks, int rank, size_t step)
{
    clock_of(clocks, rank)[rank] = base_of(clocks, rank) + step + 1;
}

void summand__clocks_message(struct summand__clocks *clocks, int sender, size_t send_round,
                             int receiver, unsigned group)
{
    merge(coming_to(clocks, receiver, group), posted_of(clocks, sender, send_round), clocks->ranks);
}

void summand__clocks_leave(struct summand__clocks *clocks, int rank, unsigned group)
{
    uint64_t *coming = coming_to(clocks, rank, group);
    merge(clock_of(clocks, rank), coming, clocks->ranks);
    memset(coming, 0, (size_t)clocks->ranks * sizeof *coming);
}

/* When the window's owner learnt that the put had landed. */
static uint64_t landed(const struct summand__clocks *clocks, int from, int owner, uint64_t put)
{
    const struct summand__put_pair *pair = pair_of(clocks, from, owner);
    size_t low = 0, high = pair->n_landed;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pair->landed[middle].upto > put)
            high = middle;
        else
            low = middle + 1;
    }
    return low < pair->n_landed ? pair->landed[low].time : NOT_YET;
}

/* When the last write of the element is over, in the owner's time. */
static uint64_t written(const struct summand__clocks *clocks, int owner,
                        const struct summand__shadow *shadow)
{
    return shadow->writer < 0        ? 0
           : shadow->writer == owner ? shadow->wrote
                                     : landed(clocks, shadow->writer, owner, shadow->wrote);
}

static size_t touch(struct summand__clocks *clocks, int owner, struct summand__region what,
                    size_t begin, size_t end, bool write)
{
    if (is_view(&clocks->schedules[owner], what.place))
        return summand__clocks_touch_view(clocks, owner, what, end, write);
    struct summand__shadow *shadow = shadows_of(clocks, owner, what);
    bool shared = is_shared(&clocks->schedules[owner], what.place);
    uint64_t base = base_of(clocks, owner);
    for (size_t i = 0; shadow && i < what.count; i++) {
        /* The owner's own accesses are in order: lab/verify/check.h. */
        if (shared ? summand__clocks_clash(clocks, owner, owner, &shadow[i], write)
                   : shadow[i].writer != owner && written(clocks, owner, &shadow[i]) > base + begin)
            return what.first + i;
        shadow[i].touched |= write ? SUMMAND__OWNER_WRITES : SUMMAND__OWNER_READS;
        if (write) {
            shadow[i].writer = owner;
            shadow[i].wrote = base + end + 1;
        } else if (base + end + 1 > shadow[i].read) {
            shadow[i].read = base + end + 1;
        }
    }
    return SIZE_MAX;
}

size_t summand__clocks_read(struct summand__clocks *clocks, int owner, struct summand__region what,
                            size_t begin, size_t end)
{
    return touch(clocks, owner, what, begin, end, false);
}

size_t summand__clocks_write(struct summand__clocks *clocks, int owner, struct summand__region what,
                             size_t begin, size_t end)
{
    return touch(clocks, owner, what, begin, end, true);
}

size_t summand__clocks_put(struct summand__clocks *clocks, int rank, int peer,
                           struct summand__region to)
{
    struct summand__shadow *shadow = shadows_of(clocks, peer, to);
    struct summand__put_pair *pair = pair_of(clocks, rank, peer);
    uint64_t known = clock_of(clocks, rank)[peer];
    for (size_t i = 0; shadow && i < to.count; i++) {
        if (shadow[i].read > known || written(clocks, peer, &shadow[i]) > known)
            return to.first + i;
        shadow[i].writer = rank;
        shadow[i].wrote = pair->puts;
        shadow[i].read = 0;
        shadow[i].touched |= SUMMAND__PUTS;
    }
    pair->puts++;
    return SIZE_MAX;
}

/* Makes room for one more item after `count` ones. */
static bool grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 16;
    void **list = items, *grown = realloc(*list, more * size);
    if (!grown)
        return false;
    *list = grown;
    *room = more;
    return true;
}

static uint64_t *notification(const struct summand__clocks *clocks,
                              const struct summand__counted *counted, uint64_t number)
{
    return counted->clock + number * ((size_t)clocks->ranks + 1);
}

bool summand__clocks_notify(struct summand__clocks *clocks, int rank, int peer, uint32_t counter)
{
    struct summand__counted *counted = counted_of(clocks, peer, counter);
    size_t p = (size_t)clocks->ranks;
    if (!grow(&counted->clock, counted->notified, &counted->room, (p + 1) * sizeof(uint64_t)))
        return false;
    uint64_t *clock = notification(clocks, counted, counted->notified++);
    memcpy(clock, clock_of(clocks, rank), p * sizeof *clock);
    clock[p] = pair_of(clocks, rank, peer)->puts;
    return true;
}

uint64_t summand__clocks_notified(const struct summand__clocks *clocks, int rank, uint32_t counter)
{
    return counted_of(clocks, rank, counter)->notified;
}

bool summand__clocks_wait(struct summand__clocks *clocks, int rank, size_t step)
{
    const struct summand__step *wait = &clocks->schedules[rank].steps[step];
    const struct summand__counter *counter = &clocks->schedules[rank].tables->counters[wait->what];
    const struct summand__counted *counted = counted_of(clocks, rank, wait->what);
    int64_t threshold = summand__counter_threshold(counter, wait, clocks->start);
    summand__clocks_step(clocks, rank, step);
    if (threshold <= 0)
        return true;
    if ((uint64_t)threshold > counted->notified)
        return false;
    const uint64_t *clock = notification(clocks, counted, (uint64_t)threshold - 1);
    struct summand__put_pair *pair = pair_of(clocks, counter->producer, rank);
    uint64_t upto = clock[clocks->ranks];
    merge(clock_of(clocks, rank), clock, clocks->ranks);
    if ((!pair->n_landed || pair->landed[pair->n_landed - 1].upto < upto) &&
        grow(&pair->landed, pair->n_landed, &pair->room, sizeof *pair->landed))
        pair->landed[pair->n_landed++] =
            (struct summand__landed){upto, clock_of(clocks, rank)[rank]};
    return true;
}

static bool note(struct summand__clocks *clocks, uint64_t value)
{
    if (!grow(&clocks->state, clocks->state_length, &clocks->state_room, sizeof *clocks->state))
        return false;
    clocks->state[clocks->state_length++] = value;
    return true;
}

/* Times before the start that ends here are compared only with times before it, because each start
 * touches the same elements (summand__clocks_differ). So they count as 0. */
static uint64_t relative(const struct summand__clocks *clocks, int rank, uint64_t time)
{
    uint64_t base = base_of(clocks, rank);
    return time > base ? time - base : 0;
}

static bool note_clock(struct summand__clocks *clocks, const uint64_t *clock)
{
    bool good = true;
    for (int r = 0; good && r < clocks->ranks; r++)
        good = note(clocks, relative(clocks, r, clock[r]));
    return good;
}

/* Notifications that a later wait may name. */
static bool note_counter(struct summand__clocks *clocks, int rank, uint32_t number)
{
    const struct summand__counter *counter = &clocks->schedules[rank].tables->counters[number];
    const struct summand__counted *counted = counted_of(clocks, rank, number);
    uint64_t due = (clocks->start + 1) * counter->per_start;
    int64_t first = (int64_t)due + counted->lowest - 1;
    bool good = note(clocks, counted->notified - due);
    for (uint64_t k = first > 0 ? (uint64_t)first : 0; good && k < counted->notified; k++) {
        const uint64_t *clock = notification(clocks, counted, k);
        good = note_clock(clocks, clock) &&
               note(clocks, pair_of(clocks, counter->producer, rank)->puts - clock[clocks->ranks]);
    }
    return good;
}

static bool note_shadow(struct summand__clocks *clocks, int owner,
                        const struct summand__shadow *shadow)
{
    uint64_t over = written(clocks, owner, shadow);
    bool open = over == NOT_YET;
    return note(clocks, (uint64_t)(shadow->writer + 1) << 1 | open) &&
           note(clocks, open ? pair_of(clocks, shadow->writer, owner)->puts - shadow->wrote
                             : relative(clocks, owner, over)) &&
           note(clocks, relative(clocks, owner, shadow->read));
}

static bool note_rank(struct summand__clocks *clocks, int rank)
{
    const struct summand__schedule *schedule = &clocks->schedules[rank];
    bool good = note_clock(clocks, clock_of(clocks, rank));
    for (uint32_t c = 0; good && c < counters_of(schedule); c++)
        good = note_counter(clocks, rank, c);
    for (unsigned place = 0; good && place < SUMMAND__MOST_PLACES; place++) {
        size_t first = clocks->first_shadow[(size_t)rank * SUMMAND__MOST_PLACES + place];
        size_t count = is_window(schedule, place) ? watched(schedule, place) : 0;
        for (size_t i = 0; good && i < count; i++)
            good = note_shadow(clocks, rank, &clocks->shadows[first + i]);
    }
    return good;
}

size_t summand__clocks_differ(const struct summand__clocks *clocks, int *owner, unsigned *place)
{
    const struct summand__shadow *shadow = clocks->shadows;
    for (*owner = 0; clocks->start && *owner < clocks->ranks; ++*owner)
        for (*place = 0; *place < SUMMAND__MOST_PLACES; ++*place) {
            const struct summand__schedule *schedule = &clocks->schedules[*owner];
            size_t count = watched(schedule, *place);
            for (size_t i = 0; i < count; i++, shadow++)
                if (shadow->touched != shadow->before)
                    return i;
        }
    return SIZE_MAX;
}

bool summand__clocks_turn(struct summand__clocks *clocks, bool *recurs)
{
    uint64_t *before = clocks->before;
    size_t room = clocks->before_length;
    bool good = true;
    clocks->before = clocks->state;
    clocks->before_length = clocks->state_length;
    clocks->state = before;
    clocks->state_room = room;
    clocks->state_length = 0;
    for (int r = 0; good && r < clocks->ranks; r++)
        good = note_rank(clocks, r);
    for (size_t i = 0; i < clocks->n_shadows; i++) {
        clocks->shadows[i].before = clocks->shadows[i].touched;
        clocks->shadows[i].touched = 0;
    }
    summand__clocks_forget_views(clocks);
    *recurs = good && clocks->start && clocks->state_length == clocks->before_length &&
              !memcmp(clocks->state, clocks->before, clocks->state_length * sizeof *clocks->state);
    clocks->start++;
    return good;
}

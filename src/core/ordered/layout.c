/* SPDX-License-Identifier: BSD-3-Clause */
#include "ordered/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/agree.h"
#include "plan/join.h"
#include "plan/plan.h"
#include "process/error.h"

/* A rank and its start. */
struct slot {
    int64_t start;
    int rank;
    bool empty;
};

static int by_start(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->empty != y->empty)
        return x->empty - y->empty;
    if (!x->empty && x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->rank - y->rank;
}

/* parts[r * k + i]: rank r's part of array i. */
struct table {
    int ranks, k;
    struct summand__part *parts;
};

static struct summand__part *part(const struct table *table, int rank, int i)
{
    return &table->parts[(size_t)rank * (size_t)table->k + (size_t)i];
}

/* "term 2: " if there are several. */
struct name {
    char text[32];
};

static struct name name_of(const struct table *table, int i)
{
    struct name name = {""};
    if (table->k > 1)
        snprintf(name.text, sizeof name.text, "term %d: ", i);
    return name;
}

/* True if no rank gives a start for array i, or all do (empty ones may do either). In the first
 * case sets the starts. */
static bool complete_starts(const struct table *table, int i)
{
    int64_t next = 0;
    int given = -1, left = -1;
    for (int r = 0; r < table->ranks; r++) {
        struct summand__part *p = part(table, r, i);
        if (p->count && p->start >= 0)
            given = r;
        if (p->count && p->start < 0)
            left = r;
    }
    for (int r = 0; r < table->ranks && given < 0; r++) {
        struct summand__part *p = part(table, r, i);
        p->start = next;
        if (__builtin_add_overflow(next, p->count, &next)) {
            summand__error_explain(SUMMAND_ERR_DISTRIBUTION,
                                   "%sthe counts of ranks 0 to %d are more than 2^63 - 1 together",
                                   name_of(table, i).text, r);
            return false;
        }
    }
    if (given >= 0 && left >= 0)
        summand__error_explain(
            SUMMAND_ERR_DISTRIBUTION,
            "%srank %d has displacement %lld, and rank %d SUMMAND_DISPLACEMENT_APPEND",
            name_of(table, i).text, given, (long long)part(table, given, i)->start, left);
    return given < 0 || left < 0;
}

static void by_rank(const struct table *table, int *order)
{
    for (int r = 0; r < table->ranks; r++)
        order[r] = r;
}

/* Sorts the ranks by the starts of one array. */
static bool by_array(const struct table *table, int i, int *order)
{
    struct slot *slots = malloc((size_t)table->ranks * sizeof *slots);
    for (int r = 0; slots && r < table->ranks; r++) {
        const struct summand__part *p = part(table, r, i);
        slots[r] = (struct slot){p->start, r, p->count == 0};
    }
    if (slots)
        qsort(slots, (size_t)table->ranks, sizeof *slots, by_start);
    for (int s = 0; slots && s < table->ranks; s++)
        order[s] = slots[s].rank;
    free(slots);
    return slots != NULL;
}

/* True if no part of rank r begins after a gap. */
static bool comes_next(const struct table *table, int r, const int64_t *next)
{
    for (int i = 0; i < table->k; i++)
        if (part(table, r, i)->count && part(table, r, i)->start != next[i])
            return false;
    return true;
}

/* Finds an order that fits all arrays, if there is one: a rank that is empty in one array may have
 * to stand between others because of another array. Cost: O(p^2 k) at worst, only if the simpler
 * orders do not fit. */
static bool by_all_arrays(const struct table *table, int *order)
{
    int64_t *next = calloc((size_t)table->k, sizeof *next);
    bool progress = next != NULL;
    by_rank(table, order);
    for (int placed = 0; progress && placed < table->ranks;) {
        progress = false;
        for (int s = placed; s < table->ranks; s++) {
            int r = order[s];
            if (!comes_next(table, r, next))
                continue;
            for (int i = 0; i < table->k; i++) /* find_break detects an overflow */
                next[i] = (int64_t)((uint64_t)next[i] + (uint64_t)part(table, r, i)->count);
            order[s] = order[placed];
            order[placed++] = r;
            progress = true;
        }
    }
    free(next);
    return next != NULL;
}

/* The first position in the order whose part of array i does not begin where the parts before it
 * end, at `next`; `ranks` if none. */
static int find_break(const struct table *table, int i, const int *order, int64_t *next)
{
    int s = 0;
    *next = 0;
    for (; s < table->ranks; s++) {
        const struct summand__part *p = part(table, order[s], i);
        if (p->count && (p->start != *next || __builtin_add_overflow(*next, p->count, next)))
            break;
    }
    return s;
}

static bool tiles(const struct table *table, const int *order)
{
    int64_t next;
    bool good = true;
    for (int i = 0; i < table->k && good; i++)
        good = find_break(table, i, order, &next) == table->ranks;
    return good;
}

/* Prints "rank 3 has 20..29". */
static void say_part(const struct table *table, int rank, int i, char *text, size_t room)
{
    const struct summand__part *p = part(table, rank, i);
    snprintf(text, room, "rank %d has %lld..%llu", rank, (long long)p->start,
             (unsigned long long)p->start + (unsigned long long)p->count - 1);
}

/* Explains the gap or overlap of array i, in the order of its starts. */
static void say_break(const struct table *table, int i, const int *order, int at, int64_t next)
{
    int before = at - 1;
    char here[64], there[80] = "the first index is 0";
    while (before >= 0 && !part(table, order[before], i)->count)
        before--;
    const struct summand__part *p = part(table, order[at], i);
    say_part(table, order[at], i, here, sizeof here);
    if (before >= 0)
        say_part(table, order[before], i, there, sizeof there);
    summand__error_explain(SUMMAND_ERR_DISTRIBUTION, "%s%s: %s, and %s", name_of(table, i).text,
                           p->start > next    ? "a gap"
                           : p->start == next ? "a range beyond 2^63 - 1"
                                              : "an overlap",
                           there, here);
}

/* Explains why no order of the ranks fits; does nothing when out of memory. */
static void explain(const struct table *table, int *order)
{
    for (int i = 0; i < table->k; i++) {
        int64_t next;
        if (!by_array(table, i, order))
            return;
        int at = find_break(table, i, order, &next);
        if (at < table->ranks) {
            say_break(table, i, order, at, next);
            return;
        }
    }
    summand__error_explain(SUMMAND_ERR_DISTRIBUTION,
                           "the ranges of each term tile, but not in one order of the ranks");
}

static bool keep_starts(const struct table *table, const int *order, struct summand__layout *layout)
{
    size_t row = (size_t)table->ranks + 1;
    layout->starts = malloc((size_t)table->k * row * sizeof *layout->starts);
    for (int i = 0; layout->starts && i < table->k; i++) {
        uint64_t *starts = layout->starts + (size_t)i * row;
        starts[0] = 0;
        for (int s = 0; s < table->ranks; s++)
            starts[s + 1] = starts[s] + (uint64_t)part(table, order[s], i)->count;
    }
    return layout->starts != NULL;
}

/* layout->rank_of is NULL for rank order. */
static int find_order(const struct table *table, bool keep, struct summand__layout *layout)
{
    int *order = layout->rank_of = malloc((size_t)table->ranks * sizeof *order);
    bool room = order != NULL, good = true;
    for (int i = 0; i < table->k && good; i++)
        good = complete_starts(table, i);
    if (room && good) {
        by_rank(table, order);
        bool natural = tiles(table, order);
        room = natural || by_array(table, 0, order);
        good = natural || (room && tiles(table, order));
        if (room && !good && table->k > 1) {
            room = by_all_arrays(table, order);
            good = room && tiles(table, order);
        }
        if (room && !good)
            explain(table, order);
        room = room && (!good || !keep || keep_starts(table, order, layout));
        if (natural) {
            free(order);
            layout->rank_of = NULL;
        }
    }
    if (!room)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    return good ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_DISTRIBUTION);
}

/* For one array on few ranks: the agreement carries the parts. A rank with an error sends zeros,
 * which are not read. */
static int agree_and_gather(struct summand__state *state, int code,
                            const struct summand__signature *signature, const struct table *table)
{
    int64_t pairs[SUMMAND__TELLING][2] = {{0}};
    if (code == MPI_SUCCESS) {
        const struct summand__part *own = part(table, state->rank, 0);
        pairs[state->rank][0] = own->start;
        pairs[state->rank][1] = own->count;
    }
    code = summand__agree_and_tell(state, code, signature, pairs);
    for (int r = 0; r < table->ranks && code == MPI_SUCCESS; r++)
        *part(table, r, 0) = (struct summand__part){pairs[r][0], pairs[r][1]};
    return code;
}

/* For other layouts: uses messages that can be aborted. */
static int gather(struct summand__state *state, int tag, const struct table *table, size_t bytes)
{
    summand__enter_step(state);
    int code = summand__join(state, tag, table->parts, bytes);
    summand__enter_step(state);
    return code;
}

int summand__layout_make(struct summand__state *state, int code,
                         const struct summand__signature *signature, int tag, int k,
                         struct summand__part *parts, bool keep, struct summand__layout *layout)
{
    struct table table = {.ranks = state->ranks, .k = code == MPI_SUCCESS ? k : 0};
    size_t bytes = (size_t)state->ranks * (size_t)table.k * sizeof *table.parts;
    bool few = k == 1 && state->ranks <= SUMMAND__TELLING;
    *layout = (struct summand__layout){.refused = false};
    if (table.k && !(table.parts = calloc(1, bytes)))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    else if (table.k)
        memcpy(part(&table, state->rank, 0), parts, (size_t)k * sizeof *parts);
    code = few ? agree_and_gather(state, code, signature, &table)
               : summand__agree(state, code, signature);
    layout->refused = code != MPI_SUCCESS;
    if (tag < SUMMAND__CALL_TAGS) /* the agreement may have brought tags of calls in step */
        tag = summand__call_tag(state);
    summand__plan_abandon(state, tag);
    if (code != MPI_SUCCESS || !k) {
        free(table.parts);
        return code;
    }
    code = few ? MPI_SUCCESS : gather(state, tag, &table, bytes);
    if (code == MPI_SUCCESS)
        code = find_order(&table, keep, layout);
    for (int i = 0; i < k && code == MPI_SUCCESS; i++)
        parts[i] = *part(&table, state->rank, i);
    if (code != MPI_SUCCESS)
        summand__layout_free(layout);
    free(table.parts);
    return code;
}

void summand__layout_free(struct summand__layout *layout)
{
    free(layout->rank_of);
    free(layout->starts);
    *layout = (struct summand__layout){.refused = false};
}

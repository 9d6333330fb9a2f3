/* SPDX-License-Identifier: BSD-3-Clause */
/* Composition: a part, written for its own ranks and places, becomes steps of a whole schedule. A
 * part may be one of a subgroup, which needs no communicator: other ranks leave the part out.
 *
 * Compositions are proved as all schedules are (lab/verify/prove_steps.h). By construction, two
 * ranks exchange the messages of two parts in one order: those of the first part before those of
 * the second. So messages match at both ends. */
#pragma once

#include "schedule/schedule.h"

struct summand__embedding {
    int base, stride;  /* rank r of the part is base + r * stride of the whole ... */
    int odd, odd_rank; /* ... but rank `odd` (-1: none) is odd_rank */
    const int *member; /* or member[r], if not NULL */
    bool all;          /* the part has all ranks of the whole, so its multicasts stay multicasts */
    struct {
        uint32_t place;
        size_t first;
    } at[SUMMAND__MOST_PLACES]; /* the place of element 0 of each of the part's places */
    /* Of a part with counters: the first of the whole's counters that belong to the part, on all of
     * its ranks. The whole may contain the part `turns` times (0: once); this is number `turn`. */
    uint32_t first_counter;
    unsigned turn, turns;
};

/* Appends the part after the end of a round, and ends it so that none of its messages is in
 * flight. */
void summand__embed(struct summand__schedule *whole, const struct summand__schedule *part,
                    const struct summand__embedding *embedding);

/* Appends the part without waiting for all steps before it. Its first round joins the last round of
 * the whole that does more than local work. If it touches regions that messages or steps from there
 * on, or earlier late messages, still use, or if its receives would overtake theirs, then as few
 * rounds as possible end before it. The last round of the part does not end. So independent parts,
 * and stages of a pipeline, do not each wait for the last of their messages. The caller ends the
 * whole with summand__drain.
 *
 * Deadlock: a rank that is in the part has posted all messages before it, so these complete without
 * it. With late messages the proof decides. Cost: linear in the part's first rounds, times the
 * steps of the whole with which they are compared. */
void summand__follow(struct summand__schedule *whole, const struct summand__schedule *part,
                     const struct summand__embedding *embedding);

/* Appends several parts at once, which must not depend on one another. Round k of part i is in
 * round k + skew[i], or later if an earlier part still has messages to or from the same rank.
 * Rounds wait for messages of all parts; the proof decides whether that can deadlock. Begins after
 * the end of a round; the last round does not end. */
void summand__interleave(struct summand__schedule *whole, int parts,
                         const struct summand__schedule *const *part,
                         const struct summand__embedding *const *embedding, const size_t *skew);

/* Adds a part's counters and places (except the three of collectives) to the whole, and enters them
 * into the embedding. For places that other parts do not share. */
void summand__embed_tables(struct summand__schedule *whole, const struct summand__schedule *part,
                           struct summand__embedding *embedding);

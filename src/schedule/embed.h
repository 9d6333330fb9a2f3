/* Schedules made of schedules: a part, written for ranks and places of its own, becomes steps of a
 * whole. Parts may be those of subgroups, which need no communicator: other ranks leave them out.
 *
 * Whatever is put together is proved like all else (lab/verify/prove_steps.h). What holds by
 * construction: two ranks exchange the messages of two parts in one order, those of the part that
 * comes first before those of the other, so that each end finds what was meant for it. */
#ifndef SUMMAND_SCHEDULE_EMBED_H
#define SUMMAND_SCHEDULE_EMBED_H

#include "schedule/schedule.h"

struct summand__embedding {
    int base, stride;  /* rank r of the part is base + r * stride of the whole ... */
    int odd, odd_rank; /* ... but rank `odd` (-1: none) is odd_rank */
    const int *member; /* or, where not NULL, member[r] */
    bool all;          /* the part has the ranks of the whole: its messages to all are to all */
    struct {
        uint32_t place;
        size_t first;
    } at[SUMMAND__MOST_PLACES]; /* where element 0 of each of the part's places lies */
    /* Of a part with counters: those of the whole that are the part's, from this one on, on all of
     * its ranks. The part may stand in the whole `turns` times (0: once); this is number `turn`. */
    uint32_t first_counter;
    unsigned turn, turns;
};

/* Appends the part after the end of a round, and ends it so that no message of it is under way. */
void summand__embed(struct summand__schedule *whole, const struct summand__schedule *part,
                    const struct summand__embedding *embedding);

/* Appends the part without waiting for all that is before it: its first round is one with the last
 * round of the whole that does more than to work on memory, unless it touches what messages or
 * steps from there on, or late messages before, are still using, or its receives would overtake
 * theirs; then as few rounds end before it as have to. Its own last round does not end. So parts
 * that do not depend on one another, and stages of a pipeline, do not each wait for the last of
 * their messages. Deadlock: a rank that is in the part has posted all messages before it, so that
 * these end without it; with late messages, the proof says. The caller ends the whole with
 * summand__drain. Cost: linear in the part's first rounds, times the steps of the whole that they
 * are held against. */
void summand__follow(struct summand__schedule *whole, const struct summand__schedule *part,
                     const struct summand__embedding *embedding);

/* Appends several parts at once, which must not depend on one another: round k of part i is in
 * round k + skew[i], or later, where an earlier part still has messages to the same rank or from
 * it. Whether that ends is for the proof to say: rounds wait for messages of all parts. Begins
 * after the end of a round; the last round does not end. */
void summand__interleave(struct summand__schedule *whole, int parts,
                         const struct summand__schedule *const *part,
                         const struct summand__embedding *const *embedding, const size_t *skew);

/* Adds a part's counters and places (but for the three of collectives) to the whole and says so in
 * the embedding. For places that are not to be shared with other parts. */
void summand__embed_tables(struct summand__schedule *whole, const struct summand__schedule *part,
                           struct summand__embedding *embedding);

#endif

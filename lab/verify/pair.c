/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/play.h"

#include <stdlib.h>
#include <string.h>

/* One end of a message: the other rank, and the step. */
struct end {
    int other;
    uint32_t step;
};

/* Steps are read once: repeated searches use lists of ends. */
struct pairing {
    const struct summand__schedule *schedules;
    int ranks;
    struct end *ends;     /* per rank, in order: its sends from the front of its part of the list,
                             its receives from the back, last one first */
    uint32_t *sends_end;  /* per rank: behind its last send */
    uint32_t *recvs;      /* per rank: its last receive */
    uint32_t *first;      /* per receiver, and one more: where its incoming messages begin */
    uint32_t *next;       /* per sender: its next one to the receiver at hand */
    struct end *incoming; /* sends in order of receiver, sender and step */
};

static void list_ends(struct pairing *pairing)
{
    uint32_t base = 0;
    for (int r = 0; r < pairing->ranks; r++) {
        const struct summand__schedule *schedule = &pairing->schedules[r];
        uint32_t front = base, back = base + (uint32_t)schedule->length;
        for (uint32_t i = 0; i < schedule->length; i++) {
            const struct summand__step *step = &schedule->steps[i];
            if (!summand__is_message(step) || step->peer < 0 || step->peer >= pairing->ranks)
                continue;
            bool sends = step->action == SUMMAND__SEND;
            pairing->ends[sends ? front++ : --back] = (struct end){step->peer, base + i};
            pairing->first[step->peer + 1] += sends;
        }
        pairing->sends_end[r] = front;
        pairing->recvs[r] = back;
        base += (uint32_t)schedule->length;
    }
    for (int r = 0; r < pairing->ranks; r++)
        pairing->first[r + 1] += pairing->first[r];
}

static void sort_sends(struct pairing *pairing)
{
    uint32_t base = 0, *next = pairing->next;
    memcpy(next, pairing->first, (size_t)pairing->ranks * sizeof *next);
    for (int r = 0; r < pairing->ranks; base += (uint32_t)pairing->schedules[r++].length)
        for (uint32_t i = base; i < pairing->sends_end[r]; i++)
            pairing->incoming[next[pairing->ends[i].other]++] =
                (struct end){r, pairing->ends[i].step};
}

static void meet(struct pairing *pairing, int rank, uint32_t base, uint32_t *partner)
{
    uint32_t first = pairing->first[rank], end = pairing->first[rank + 1], *next = pairing->next;
    const struct end *last = pairing->ends + pairing->recvs[rank];
    const struct end *recv = pairing->ends + base + pairing->schedules[rank].length;
    for (const struct end *at = last; at < recv; at++)
        next[at->other] = end;
    for (uint32_t k = end; k > first; k--)
        next[pairing->incoming[k - 1].other] = k - 1;
    while (recv-- > last) {
        uint32_t k = next[recv->other];
        if (k < end && pairing->incoming[k].other == recv->other) {
            partner[recv->step] = pairing->incoming[k].step;
            partner[pairing->incoming[k].step] = recv->step;
            next[recv->other]++;
        }
    }
}

uint32_t *summand__pair(const struct summand__schedule *schedules, int ranks)
{
    struct pairing pairing = {.schedules = schedules, .ranks = ranks};
    size_t total = 0, p = (size_t)ranks;
    for (int r = 0; r < ranks; r++)
        total += schedules[r].length;
    uint32_t *partner = total < SUMMAND__NO_STEP ? malloc((total + 1) * sizeof *partner) : NULL;
    pairing.first = calloc(4 * p + 1, sizeof *pairing.first);
    pairing.ends = partner ? malloc(2 * (total + 1) * sizeof *pairing.ends) : NULL;
    bool good = pairing.first && pairing.ends;
    if (good) {
        pairing.next = pairing.first + p + 1;
        pairing.sends_end = pairing.next + p;
        pairing.recvs = pairing.sends_end + p;
        pairing.incoming = pairing.ends + total + 1;
        memset(partner, 0xff, total * sizeof *partner);
        list_ends(&pairing);
        sort_sends(&pairing);
        for (uint32_t r = 0, base = 0; r < p; base += (uint32_t)schedules[r++].length)
            meet(&pairing, (int)r, base, partner);
    }
    free(pairing.first);
    free(pairing.ends);
    if (good)
        return partner;
    free(partner);
    return NULL;
}

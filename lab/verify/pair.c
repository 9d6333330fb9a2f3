#include "lab/verify/pair.h"

#include <stdlib.h>
#include <string.h>

/* Sends in order of receiver, sender and step. */
struct incoming {
    int sender;
    uint32_t step;
};

struct pairing {
    const struct summand__schedule *schedules;
    int ranks;
    uint32_t *first; /* per receiver, and one more: where its incoming messages begin */
    uint32_t *next;  /* per sender: its next one to the receiver at hand */
    struct incoming *incoming;
};

static bool goes(const struct pairing *pairing, const struct summand__step *step)
{
    return step->action == SUMMAND__SEND && step->peer >= 0 && step->peer < pairing->ranks;
}

static void count_sends(struct pairing *pairing)
{
    for (int r = 0; r < pairing->ranks; r++)
        for (size_t i = 0; i < pairing->schedules[r].length; i++)
            if (goes(pairing, &pairing->schedules[r].steps[i]))
                pairing->first[pairing->schedules[r].steps[i].peer + 1]++;
    for (int r = 0; r < pairing->ranks; r++)
        pairing->first[r + 1] += pairing->first[r];
}

static void sort_sends(struct pairing *pairing)
{
    uint32_t step = 0, *next = pairing->next;
    memcpy(next, pairing->first, (size_t)pairing->ranks * sizeof *next);
    for (int r = 0; r < pairing->ranks; r++)
        for (size_t i = 0; i < pairing->schedules[r].length; i++, step++)
            if (goes(pairing, &pairing->schedules[r].steps[i]))
                pairing->incoming[next[pairing->schedules[r].steps[i].peer]++] =
                    (struct incoming){r, step};
}

static void meet(struct pairing *pairing, int rank, uint32_t step, uint32_t *partner)
{
    const struct summand__schedule *schedule = &pairing->schedules[rank];
    uint32_t first = pairing->first[rank], end = pairing->first[rank + 1], *next = pairing->next;
    for (size_t i = 0; i < schedule->length; i++)
        if (summand__receives(&schedule->steps[i]) && schedule->steps[i].peer >= 0 &&
            schedule->steps[i].peer < pairing->ranks)
            next[schedule->steps[i].peer] = end;
    for (uint32_t k = end; k > first; k--)
        next[pairing->incoming[k - 1].sender] = k - 1;
    for (size_t i = 0; i < schedule->length; i++, step++) {
        int peer = schedule->steps[i].peer;
        if (!summand__receives(&schedule->steps[i]) || peer < 0 || peer >= pairing->ranks)
            continue;
        uint32_t k = next[peer];
        if (k < end && pairing->incoming[k].sender == peer) {
            partner[step] = pairing->incoming[k].step;
            partner[pairing->incoming[k].step] = step;
            next[peer]++;
        }
    }
}

uint32_t *summand__pair(const struct summand__schedule *schedules, int ranks)
{
    struct pairing pairing = {.schedules = schedules, .ranks = ranks};
    size_t total = 0;
    for (int r = 0; r < ranks; r++)
        total += schedules[r].length;
    uint32_t *partner = total < SUMMAND__NO_STEP ? malloc((total + 1) * sizeof *partner) : NULL;
    pairing.first = calloc((size_t)ranks + 1, sizeof *pairing.first);
    pairing.next = malloc((size_t)ranks * sizeof *pairing.next);
    bool good = partner && pairing.first && pairing.next;
    if (good) {
        memset(partner, 0xff, total * sizeof *partner);
        count_sends(&pairing);
        pairing.incoming = malloc((pairing.first[ranks] + (size_t)1) * sizeof *pairing.incoming);
        good = pairing.incoming;
    }
    if (good) {
        sort_sends(&pairing);
        for (uint32_t r = 0, step = 0; r < (uint32_t)ranks; step += (uint32_t)schedules[r++].length)
            meet(&pairing, (int)r, step, partner);
    }
    free(pairing.first);
    free(pairing.next);
    free(pairing.incoming);
    if (good)
        return partner;
    free(partner);
    return NULL;
}

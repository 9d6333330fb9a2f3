#include "schedule/embed.h"

static int peer_of(const struct summand__embedding *embedding, int rank)
{
    return rank == embedding->odd ? embedding->odd_rank
                                  : embedding->base + rank * embedding->stride;
}

static struct summand__region region_of(const struct summand__embedding *embedding,
                                        struct summand__region region)
{
    return summand__region(embedding->at[region.place].place,
                           embedding->at[region.place].first + region.first, region.count);
}

void summand__embed(struct summand__schedule *whole, const struct summand__schedule *part,
                    const struct summand__embedding *embedding)
{
    summand__round(whole);
    for (size_t i = 0; i < part->length; i++) {
        const struct summand__step *step = &part->steps[i];
        struct summand__region from = region_of(embedding, step->from);
        struct summand__region to = region_of(embedding, step->to);
        switch (step->action) {
        case SUMMAND__SEND:
            summand__send_late(whole, peer_of(embedding, step->peer), from, step->lag);
            break;
        case SUMMAND__RECV:
            summand__recv_late(whole, peer_of(embedding, step->peer), to, step->lag);
            break;
        case SUMMAND__REDUCE:
            summand__reduce(whole, from, to);
            break;
        case SUMMAND__COPY:
            summand__copy(whole, from, to);
            break;
        default:
            summand__round(whole);
        }
    }
    summand__drain(whole);
}

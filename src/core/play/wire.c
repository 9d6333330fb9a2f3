/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of a message: its sender's card, the network, its receiver's card. */
#include "play/stage.h"

static struct summand__card *card_of(struct summand__stage *stage, int rank,
                                     enum summand__reach reach)
{
    return &stage->cards[reach == SUMMAND__WITHIN_NODE
                             ? (uint32_t)rank
                             : (uint32_t)stage->predict->ranks + stage->actors[rank].card];
}

static double busy(const struct summand__stage *stage, const struct summand__message *m,
                   const struct summand__level *level, double *bytes)
{
    *bytes = (double)summand__stage_bytes(stage, m) * level->byte;
    return *bytes > level->gap ? *bytes : level->gap;
}

static void inject(struct summand__stage *stage, uint32_t message, double now)
{
    struct summand__message *m = &stage->mailbox.messages[message];
    const struct summand__model *model = stage->predict->model;
    enum summand__reach reach = (enum summand__reach)m->reach;
    struct summand__card *card = card_of(stage, m->sender, reach);
    uint32_t cause = m->post_span == SUMMAND__NO_SPAN ? m->send_span : m->post_span;
    double bytes;
    if (card->out > now && model->fair_card <= 0) {
        now = card->out;
        cause = card->out_span;
    }
    m->wire_span = SUMMAND__NO_SPAN;
    if (stage->predict->trace)
        m->wire_span = summand__stage_trace(
            stage, (struct summand__span){.kind = SUMMAND__SPAN_WIRE,
                                          .rank = m->sender,
                                          .peer = m->receiver,
                                          .begin = now,
                                          .end = now,
                                          .bytes = summand__stage_bytes(stage, m),
                                          .cause = cause,
                                          .send = m->send_span,
                                          .critical = false});
    card->out = now + busy(stage, m, &model->level[reach], &bytes);
    card->out_span = m->wire_span;
    summand__stage_push(stage, now + model->level[reach].latency, HEAD, message);
}

/* On shared cards a message need not wait for its turn. */
void summand__wire_request(struct summand__stage *stage, uint32_t message, double time)
{
    if (stage->predict->model->fair_card > 0)
        inject(stage, message, time);
    else
        summand__stage_push(stage, time, INJECT, message);
}

void summand__wire_requested(struct summand__stage *stage, uint32_t message, double now)
{
    struct summand__message *m = &stage->mailbox.messages[message];
    double look = m->asks ? summand__stage_look(&stage->actors[m->receiver], now) : now;
    m->asks = false;
    if (look > now)
        summand__stage_push(stage, look, INJECT, message);
    else
        inject(stage, message, now);
}

uint32_t summand__wire_links(const struct summand__stage *stage)
{
    const struct summand__model *model = stage->predict->model;
    int last = 0;
    if (model->fair_card <= 0 || model->oversubscription <= 1 || model->per_switch < 1)
        return 0;
    for (int r = 0; r < stage->predict->ranks; r++)
        last = stage->actors[r].under > last ? stage->actors[r].under : last;
    return (uint32_t)last + 1;
}

/* Begins the message's flow on two cards, and on two links between switches, which messages
 * share. */
static void share_cards(struct summand__stage *stage, const struct summand__message *m,
                        uint32_t message, double seconds, double now)
{
    const struct summand__actor *from = &stage->actors[m->sender],
                                *to = &stage->actors[m->receiver];
    uint32_t nodes = stage->share.nodes, links = stage->share.links;
    uint32_t card[SUMMAND__SHARED] = {from->card, nodes + to->card, SUMMAND__NO_LINK,
                                      SUMMAND__NO_LINK};
    if (links && m->reach == SUMMAND__FAR) {
        card[2] = 2 * nodes + (uint32_t)from->under;
        card[3] = 2 * nodes + links + (uint32_t)to->under;
    }
    if (!summand__share_begin(&stage->share, message, card, seconds, now))
        summand__stage_fault(stage, "out of memory");
}

void summand__wire_head(struct summand__stage *stage, uint32_t message, double now)
{
    struct summand__message *m = &stage->mailbox.messages[message];
    const struct summand__model *model = stage->predict->model;
    enum summand__reach reach = (enum summand__reach)m->reach;
    struct summand__card *card = card_of(stage, m->receiver, reach);
    struct summand__span *wire =
        m->wire_span == SUMMAND__NO_SPAN ? NULL : &stage->predict->spans[m->wire_span];
    double bytes, seconds = busy(stage, m, &model->level[reach], &bytes);
    if (model->fair_card > 0 && reach != SUMMAND__WITHIN_NODE) {
        share_cards(stage, m, message, seconds, now);
        return;
    }
    if (card->in > now && model->fair_card <= 0) {
        now = card->in;
        if (wire)
            wire->cause = card->in_span;
    }
    card->in = now + seconds;
    card->in_span = m->wire_span;
    if (wire)
        wire->end = now + bytes;
    summand__stage_push(stage, now + bytes, ARRIVED, message);
}

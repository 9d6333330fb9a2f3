/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues in shared memory, one per ordered pair of ranks: a ring of cells, each a cache line with a
 * flag. A cell holds a short piece of a message, or refers to a slot that holds a long one. Writer
 * and reader meet in one cache line per short message. The reader counts the pieces that it took in
 * a line of its own, which the writer reads only if the ring seems full.
 *
 * A broadcast queue has several readers, each with its own count: a rank writes there once for all
 * others.
 *
 * The first touch of a page costs as much as copying many KiB. So a young queue uses few of its
 * places, and at first even fewer slots, until it has carried enough to make the pages of the
 * others worthwhile. Both ends count the same. Then the slots double, and the writer touches the
 * pages of the new ones at once. Pieces in cells need no places, so a sender of short messages runs
 * ahead by up to the number of cells. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/handover.h"
#include "kernel/queue_layout.h"

enum {
    SUMMAND__LINE = 64,
    SUMMAND__INLINE = 48, /* bytes in a cell */
    SUMMAND__NEW_SLOTS = 4,
    SUMMAND__YOUNG_PLACES = SUMMAND__FEW_SLOTS,
    SUMMAND__YOUNG_SHORTS = 1024, /* pieces */
    /* Carried for each of more slots before there are so many: one and a half of what it holds, in
     * units of SUMMAND__HANDOVER_LEAST bytes; shorter pieces in slots do not count. */
    SUMMAND__SLOT_UNITS = 3 * SUMMAND__SLOT / SUMMAND__HANDOVER_LEAST / 2
};

/* Places outside of cells: up to SUMMAND__SHORT bytes in short places, more in slots. */
enum summand__places { SUMMAND__SHORTS, SUMMAND__SLOTS, SUMMAND__PLACES_KINDS };

/* Maps positions to places. */
struct summand__round {
    uint32_t mask;  /* the number of places in use, a power of two, less one */
    uint32_t young; /* pieces, or units, before more places are in use; 0: all are */
};

/* Flow control for pieces in places of one kind. */
struct summand__room {
    uint32_t most;  /* pieces that the reader may lag behind: as many as places are in use, ... */
    uint32_t grown; /* ... or were in use before they grew, up to this position */
};

/* Instead of a piece: the whole message is in the sender's memory, where the reader reads it. */
struct summand__rendezvous {
    uint64_t address;
    _Atomic uint32_t withdrawn; /* data that were read after that are not the message */
};

struct summand__cell {
    _Alignas(SUMMAND__LINE) _Atomic uint32_t turn; /* position of its piece plus one, if written */
    uint32_t length;  /* bytes of the piece, or one of the constants below */
    uint64_t message; /* bytes of the whole message, and its tag */
    union {
        unsigned char inlined[SUMMAND__INLINE];
        struct summand__rendezvous rendezvous;
    };
};

enum {
    SUMMAND__BROKEN_OFF = 0xffffffff, /* the current message ends here and is not continued */
    SUMMAND__RENDEZVOUS = 0xfffffffe
};

/* The pieces that a reader took, on a line of its own, and its rendezvous reads, which only queues
 * with one reader have. */
struct summand__taken {
    _Alignas(SUMMAND__LINE) _Atomic uint32_t count;
    _Atomic uint32_t refused; /* the reader cannot read there: all messages go in pieces */
    _Atomic uint64_t read;    /* bytes of all completed rendezvous reads */
};

struct summand__queue {
    struct summand__taken taken; /* of the only reader */
    /* Two lines further: processors fetch pairs of lines. */
    _Alignas(2 * SUMMAND__LINE) struct summand__cell cell[]; /* of each slot */
};

/* The counts of a broadcast queue's readers lie after its cells. */
_Static_assert(offsetof(struct summand__queue, cell) == SUMMAND__HEAD &&
                   sizeof(struct summand__cell) == SUMMAND__CELL_LINE &&
                   sizeof(struct summand__taken) == SUMMAND__COUNT_LINE,
               "segments leave room for heads");

/* The writer's end. */
struct summand__queue_out {
    struct summand__queue *queue;
    unsigned char *slots;
    const struct summand__taken *readers;
    int n_readers;
    uint32_t cells;       /* a power of two, as many as slots */
    uint32_t next, taken; /* `taken`: the last known count of the slowest reader */
    struct summand__room room[SUMMAND__PLACES_KINDS];
    struct summand__round round[SUMMAND__PLACES_KINDS];
    bool answered;      /* the reader has written something since, so it waits for the next piece */
    bool asks_ahead;    /* lines are requested early even if only the writer writes */
    uint64_t announced; /* bytes of all rendezvous reads */
    struct summand__handover handover;
};

/* The reader's end. */
struct summand__queue_in {
    struct summand__queue *queue;
    unsigned char *slots;
    struct summand__taken *taken;
    uint32_t cells;
    uint32_t next;
    struct summand__round round[SUMMAND__PLACES_KINDS];
    bool refused;
    uint64_t read;
};

static inline uint64_t summand__message_of(uint64_t bytes, int tag)
{
    return bytes << 16 | (uint16_t)tag;
}

static inline uint64_t summand__message_bytes(uint64_t message)
{
    return message >> 16;
}

static inline int summand__message_tag(uint64_t message)
{
    return (int)(message & 0xffff);
}

static inline enum summand__places summand__places_of(size_t length)
{
    return length <= SUMMAND__SHORT ? SUMMAND__SHORTS : SUMMAND__SLOTS;
}

/* Place number `place` of a queue of `cells` cells. */
static inline unsigned char *summand__place(unsigned char *slots, uint32_t cells,
                                            enum summand__places kind, uint32_t place)
{
    return kind == SUMMAND__SHORTS
               ? slots + (size_t)place * SUMMAND__SHORT
               : slots + (size_t)cells * SUMMAND__SHORT + (size_t)place * SUMMAND__SLOT;
}

/* The place of the piece at a position, if it is too long for its cell. */
static inline unsigned char *summand__place_at(unsigned char *slots, uint32_t cells,
                                               const struct summand__round *rounds,
                                               uint32_t position, size_t length)
{
    const enum summand__places kind = summand__places_of(length);
    return summand__place(slots, cells, kind, position & rounds[kind].mask);
}

/* The counts of a broadcast queue's readers. */
static inline struct summand__taken *summand__broadcast_readers(struct summand__queue *queue,
                                                                uint32_t cells)
{
    return (struct summand__taken *)(void *)(queue->cell + cells);
}

/* Slots that follow so many; at most as many as cells. */
static inline uint32_t summand__more_slots(uint32_t slots)
{
    return slots < SUMMAND__YOUNG_PLACES ? SUMMAND__YOUNG_PLACES : 2 * slots;
}

static inline struct summand__round summand__round_of(uint32_t slots, uint32_t cells)
{
    return (struct summand__round){
        slots - 1, slots < cells ? summand__more_slots(slots) * SUMMAND__SLOT_UNITS : 0};
}

static inline void summand__rounds_begin(struct summand__round *rounds, uint32_t cells)
{
    const bool grows = cells > SUMMAND__YOUNG_PLACES;
    rounds[SUMMAND__SHORTS] = (struct summand__round){(grows ? SUMMAND__YOUNG_PLACES : cells) - 1,
                                                      grows ? SUMMAND__YOUNG_SHORTS : 0};
    rounds[SUMMAND__SLOTS] = summand__round_of(grows ? SUMMAND__NEW_SLOTS : cells, cells);
}

/* Counts a piece, or what replaces one, after it. True if it was the last one before more places of
 * its kind are in use. */
static inline bool summand__round_counts(struct summand__round *rounds, uint32_t cells,
                                         uint32_t length)
{
    if (length <= SUMMAND__INLINE || length > SUMMAND__SLOT ||
        (length > SUMMAND__SHORT && length < SUMMAND__HANDOVER_LEAST))
        return false;
    struct summand__round *round = &rounds[summand__places_of(length)];
    const uint32_t units = length > SUMMAND__SHORT ? length / SUMMAND__HANDOVER_LEAST : 1;
    if (round->young > units) {
        round->young -= units;
        return false;
    }
    if (!round->young)
        return false;
    *round = summand__round_of(
        length > SUMMAND__SHORT ? summand__more_slots(round->mask + 1) : cells, cells);
    return true;
}

/* Touches the pages of the latter half of the queue's first `count` slots. Where the kernel cannot
 * do that at once (before Linux 5.14), the first pieces there do it. */
void summand__queue_reach(unsigned char *slots, uint32_t cells, uint32_t count);

/* Sets the initial state of an end of a new queue of `cells` cells. */
static inline void summand__queue_out_begin(struct summand__queue_out *out, uint32_t cells)
{
    out->cells = cells;
    summand__rounds_begin(out->round, cells);
    for (int kind = 0; kind < SUMMAND__PLACES_KINDS; kind++)
        out->room[kind].most = out->round[kind].mask + 1;
    out->handover = summand__handover_to(out->room[SUMMAND__SLOTS].most);
}

static inline void summand__queue_in_begin(struct summand__queue_in *in, uint32_t cells)
{
    in->cells = cells;
    summand__rounds_begin(in->round, cells);
}

/* The number of pieces that the slowest reader has not taken. */
static inline uint32_t summand__queue_behind(struct summand__queue_out *out)
{
    uint32_t behind = 0;
    for (int i = 0; i < out->n_readers && out->next != out->taken; i++) {
        uint32_t taken = atomic_load_explicit(&out->readers[i].count, memory_order_acquire);
        behind = out->next - taken > behind ? out->next - taken : behind;
    }
    out->taken = out->next - behind;
    return behind;
}

/* The number of pieces that the reader may lag behind when one of this length is written. Pieces
 * from before the places grew are all taken once the queue has gone round, because there are only
 * as many as cells. */
static inline uint32_t summand__queue_most(struct summand__queue_out *out, size_t length)
{
    if (length <= SUMMAND__INLINE)
        return out->cells;
    const enum summand__places kind = summand__places_of(length);
    struct summand__room *room = &out->room[kind];
    if (out->next - room->grown < UINT32_MAX / 2)
        room->most = out->round[kind].mask + 1;
    return room->most;
}

/* For a piece of this length; length 0: for a rendezvous. */
static inline bool summand__queue_has_room(struct summand__queue_out *out, size_t length)
{
    const uint32_t most = summand__queue_most(out, length);
    return out->next - out->taken < most || summand__queue_behind(out) < most;
}

/* The place of the next piece, of `length` <= SUMMAND__SLOT bytes; there must be room. */
static inline unsigned char *summand__queue_place(struct summand__queue_out *out, size_t length)
{
    if (length <= SUMMAND__INLINE)
        return out->queue->cell[out->next & (out->cells - 1)].inlined;
    return summand__place_at(out->slots, out->cells, out->round, out->next, length);
}

/* Writes the next piece, to be published. There must be room. */
static inline void summand__queue_fill(struct summand__queue_out *out, const void *data,
                                       size_t length)
{
    summand__handover_copy(&out->handover, summand__queue_place(out, length), data, length);
}

/* Requests the lines of a later piece, as long as the last one. A writer that takes turns with the
 * reader writes the next piece only after the reader's answer. A lone writer writes it soon, so the
 * lines of the piece after it are requested, but none that the reader has still to read. */
static inline void summand__queue_ask(struct summand__queue_out *out, size_t length)
{
    const uint32_t at = out->next + !out->answered;
    if (!out->answered && at - out->taken >= summand__queue_most(out, length))
        return;
    summand__handover_ask(&out->queue->cell[at & (out->cells - 1)]);
    if (length <= SUMMAND__INLINE)
        return;
    const unsigned char *place = summand__place_at(out->slots, out->cells, out->round, at, length);
    for (size_t line = 0; line < length; line += SUMMAND__LINE)
        summand__handover_ask(place + line);
}

static inline void summand__queue_publish(struct summand__queue_out *out, uint64_t message,
                                          size_t length)
{
    struct summand__cell *cell = &out->queue->cell[out->next & (out->cells - 1)];
    cell->length = (uint32_t)length;
    cell->message = message;
    atomic_store_explicit(&cell->turn, ++out->next, memory_order_release);
    if (summand__round_counts(out->round, out->cells, (uint32_t)length)) {
        const enum summand__places kind = summand__places_of(length);
        out->room[kind].grown = out->next + out->cells;
        if (kind == SUMMAND__SLOTS) {
            out->handover = summand__handover_to(out->round[kind].mask + 1);
            summand__queue_reach(out->slots, out->cells, out->round[kind].mask + 1);
        }
    }
    if (out->answered ? length <= SUMMAND__INLINE : out->asks_ahead && length <= SUMMAND__SHORT)
        summand__queue_ask(out, length);
    out->answered = false;
}

/* There must be room. Returns the cell, so that it can be withdrawn. */
static inline struct summand__cell *summand__queue_rendezvous(struct summand__queue_out *out,
                                                              uint64_t message, const void *data)
{
    struct summand__cell *cell = &out->queue->cell[out->next & (out->cells - 1)];
    cell->rendezvous.address = (uint64_t)(uintptr_t)data;
    atomic_init(&cell->rendezvous.withdrawn, 0);
    out->announced += summand__message_bytes(message);
    summand__queue_publish(out, message, SUMMAND__RENDEZVOUS);
    return cell;
}

/* The next piece, or NULL. */
static inline struct summand__cell *summand__queue_peek(const struct summand__queue_in *in)
{
    struct summand__cell *cell = &in->queue->cell[in->next & (in->cells - 1)];
    return atomic_load_explicit(&cell->turn, memory_order_acquire) == in->next + 1 ? cell : NULL;
}

static inline const unsigned char *summand__queue_piece(const struct summand__queue_in *in,
                                                        const struct summand__cell *cell)
{
    return cell->length <= SUMMAND__INLINE
               ? cell->inlined
               : summand__place_at(in->slots, in->cells, in->round, in->next, cell->length);
}

static inline void summand__queue_take(struct summand__queue_in *in)
{
    const struct summand__cell *cell = &in->queue->cell[in->next & (in->cells - 1)];
    summand__round_counts(in->round, in->cells, cell->length);
    atomic_store_explicit(&in->taken->count, ++in->next, memory_order_release);
}

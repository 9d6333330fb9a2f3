/* np: 1; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues in shared memory, both ends in one process. Pieces of all lengths arrive complete and in
 * order, however far the reader is behind, from the first piece to long after a young queue has
 * grown. A young queue touches few places, and holds as many of the shortest pieces as an old one.
 * */
#include "kernel/queue.h"
#include "mpi/harness.h"

enum { CELLS = 128, PIECES = 8000, QUEUES = 12 };

static unsigned char *slots;
static unsigned char expected[PIECES][8];
static size_t lengths[PIECES];
static unsigned draws = 1;

static unsigned draw(unsigned below)
{
    draws = draws * 1664525 + 1013904223;
    return (draws >> 8) % below;
}

/* Inline lengths, lengths around the limit of a long piece, and the longest. */
static size_t draw_length(void)
{
    static const size_t some[] = {
        1,    48,   49,   SUMMAND__SHORT, SUMMAND__SHORT + 1, SUMMAND__HANDOVER_LEAST - 1,
        2048, 2049, 9000, SUMMAND__SLOT};
    return some[draw(sizeof some / sizeof *some)];
}

/* The bytes of a piece differ from those of all pieces that lay in its slot before. */
static void write_piece(struct summand__queue_out *out, int piece, size_t length)
{
    static unsigned char data[SUMMAND__SLOT];
    lengths[piece] = length;
    memset(data, piece % 251, length);
    memcpy(data, &piece, length < sizeof piece ? length : sizeof piece);
    memcpy(data + length - (length < 8 ? length : 8), data,
           length < 8 ? length : 8); /* the last ones too */
    memset(expected[piece], 0, 8);
    memcpy(expected[piece], data, length < 8 ? length : 8);
    if (draw(50) == 0) { /* a rendezvous mark replaces the piece */
        lengths[piece] = SUMMAND__RENDEZVOUS;
        summand__queue_rendezvous(out, summand__message_of(1, 0), data);
        return;
    }
    summand__queue_fill(out, data, length);
    summand__queue_publish(out, summand__message_of(length, piece & 0x7fff), length);
}

static void read_piece(struct summand__queue_in *in, int piece)
{
    const struct summand__cell *cell = summand__queue_peek(in);
    CHECK(cell && cell->length == lengths[piece], "piece %d of %zu bytes", piece, lengths[piece]);
    if (cell && cell->length != SUMMAND__RENDEZVOUS) {
        const unsigned char *data = summand__queue_piece(in, cell);
        const size_t n = cell->length < 8 ? cell->length : 8;
        CHECK(!memcmp(data, expected[piece], n) &&
                  !memcmp(data + cell->length - n, expected[piece], n),
              "piece %d", piece);
    }
    summand__queue_take(in);
}

/* Whether a place was ever written. */
static bool touched(enum summand__places kind, uint32_t place)
{
    static const unsigned char none[SUMMAND__SLOT];
    const size_t bytes = kind == SUMMAND__SHORTS ? SUMMAND__SHORT : SUMMAND__SLOT;
    return memcmp(summand__place(slots, CELLS, kind, place), none, bytes) != 0;
}

static bool is_young(const struct summand__queue_out *out)
{
    bool young = false;
    for (int kind = 0; kind < SUMMAND__PLACES_KINDS; kind++) {
        const uint32_t in_use = out->round[kind].mask + 1;
        young = young || out->round[kind].young;
        for (uint32_t place = in_use; place < CELLS; place++)
            CHECK(!touched(kind, place), "place %u of %u, kind %d", place, in_use, kind);
    }
    return young;
}

static void carry(struct summand__queue_out *out, struct summand__queue_in *in)
{
    int written = 0, taken = 0, most_behind = 0;
    bool young = true;
    while (taken < PIECES) {
        const unsigned burst = draw(2 * CELLS); /* often more pieces than there is room for */
        for (unsigned i = 0; i < burst && written < PIECES; i++) {
            const size_t length = draw_length();
            if (!summand__queue_has_room(out, length))
                break;
            write_piece(out, written++, length);
        }
        most_behind = written - taken > most_behind ? written - taken : most_behind;
        young = is_young(out);
        for (unsigned n = draw(2 * CELLS); n > 0 && taken < written; n--)
            read_piece(in, taken++);
    }
    CHECK(!young, "it has grown");
    CHECK(most_behind == CELLS, "%d pieces behind at most", most_behind);
    for (int kind = 0; kind < SUMMAND__PLACES_KINDS; kind++) {
        uint32_t used = 0; /* of the last quarter */
        for (uint32_t place = CELLS - CELLS / 4; place < CELLS; place++)
            used += touched(kind, place);
        CHECK(used, "kind %d", kind);
    }
}

static void test_queue(void)
{
    struct summand__queue *queue = aligned_alloc(128, summand__head_bytes(CELLS));
    slots = calloc(1, summand__slots_bytes(CELLS));
    if (!queue || !slots)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(queue, 0, summand__head_bytes(CELLS));
    struct summand__queue_out out = {
        .queue = queue, .slots = slots, .readers = &queue->taken, .n_readers = 1};
    struct summand__queue_in in = {.queue = queue, .slots = slots, .taken = &queue->taken};
    summand__queue_out_begin(&out, CELLS);
    summand__queue_in_begin(&in, CELLS);
    /* Positions are counted in 32 bits, and wrap to 0 while the queue grows. */
    out.next = out.taken = in.next = UINT32_MAX - 5 * CELLS;
    atomic_store(&queue->taken.count, out.next);
    carry(&out, &in);
    free(queue);
    free(slots);
}

/* A new queue without slots, and its writer's end; the caller frees it. */
static struct summand__queue *heads_of(struct summand__queue_out *out)
{
    struct summand__queue *queue = aligned_alloc(128, summand__head_bytes(CELLS));
    if (!queue)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(queue, 0, summand__head_bytes(CELLS));
    *out = (struct summand__queue_out){.queue = queue, .readers = &queue->taken, .n_readers = 1};
    summand__queue_out_begin(out, CELLS);
    return queue;
}

/* When it grows, a queue whose copies bypass the caches rereads its reader's position. */
static void test_growth(void)
{
    struct summand__queue_out out;
    struct summand__queue *queue = heads_of(&out);
    CHECK(out.room[SUMMAND__SLOTS].most == SUMMAND__NEW_SLOTS, "%u slots at first",
          out.room[SUMMAND__SLOTS].most);
    const struct summand__round *round = &out.round[SUMMAND__SLOTS];
    for (uint32_t most = SUMMAND__YOUNG_PLACES; most <= CELLS; most *= 2) {
        out.handover = (struct summand__handover){.left = 7, .alike = 1, .bypasses = true};
        for (uint32_t i = 0; i < most + most / 2; i++)
            summand__queue_publish(&out, summand__message_of(SUMMAND__SLOT, 1), SUMMAND__SLOT);
        CHECK(!out.handover.bypasses && out.handover.slots == most, "%u slots", most);
        CHECK(round->mask == most - 1, "%u slots", most);
    }
    CHECK(round->mask == CELLS - 1 && !round->young, "it has grown");
    free(queue);
}

/* The number of the shortest pieces that a new queue holds, and of pieces in short places. */
static void test_ahead(void)
{
    static const struct {
        size_t length;
        uint32_t most;
    } cases[] = {{8, CELLS}, {SUMMAND__INLINE, CELLS}, {SUMMAND__SHORT, SUMMAND__YOUNG_PLACES}};
    for (int i = 0; i < 3; i++) {
        struct summand__queue_out out;
        struct summand__queue *queue = heads_of(&out);
        while (out.next <= CELLS && summand__queue_has_room(&out, cases[i].length))
            summand__queue_publish(&out, summand__message_of(cases[i].length, 1), cases[i].length);
        CHECK(out.next == cases[i].most, "%u of %zu bytes", out.next, cases[i].length);
        free(queue);
    }
}

TESTS
{
    for (int i = 0; i < QUEUES; i++)
        test_queue();
    test_growth();
    test_ahead();
}

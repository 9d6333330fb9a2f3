/* SPDX-License-Identifier: BSD-3-Clause */
/* Redistributions and transposes are proved: messages meet, nothing races, and every element
 * reaches its place once. Covers every pair of grids of up to 6 ranks in groups that are equal,
 * disjoint or overlap, reversed or not, with ragged blocks; then random draws, on nodes too. A
 * schedule with a dropped or changed step does not prove. */
#include "lab/sample/sample.h"
#include "lab/verify/prove_steps.h"
#include "matrix/move.h"
#include "play/predict.h"
#include "schedule/compute.h"
#include "unit/unit.h"

enum { RANKS = 8, MOST_STARTS = 4 };

struct subject {
    struct summand__grid from, to;
    int64_t from_gap, to_gap; /* of leading dimensions, beside the rows */
    bool transposed;
    size_t slice;
    int group[2][RANKS];
};

static uint32_t random_state = 4711;

static int draw(int below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((uint64_t)(random_state >> 8) * (uint64_t)below >> 24);
}

static int64_t lead_of(const struct summand__grid *grid, int rank, int64_t gap, int64_t *columns)
{
    int64_t rows = 0;
    int process = summand__grid_process(grid, rank);
    *columns = 0;
    if (process >= 0)
        summand__grid_extent(grid, process, &rows, columns);
    return rows + gap;
}

static void build_rank(const struct subject *subject, int rank, struct summand__schedule *schedule)
{
    struct summand__holder from[RANKS], to[RANKS];
    int64_t columns[2];
    summand__grid_holders(&subject->from, from);
    summand__grid_holders(&subject->to, to);
    struct summand__move move = {.from = from,
                                 .to = to,
                                 .from_count = summand__grid_processes(&subject->from),
                                 .to_count = summand__grid_processes(&subject->to),
                                 .transposed = subject->transposed,
                                 .unit = 8,
                                 .slice = subject->slice};
    move.from_lead = lead_of(&subject->from, rank, subject->from_gap, &columns[0]);
    move.to_lead = lead_of(&subject->to, rank, subject->to_gap, &columns[1]);
    move.from_room = (size_t)(move.from_lead * columns[0]);
    move.to_room = (size_t)(move.to_lead * columns[1]);
    summand__schedule_init(schedule);
    summand__move_build(&move, rank, schedule);
    assert_false(schedule->failed);
}

static uint32_t expected(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    const struct subject *subject = context;
    const struct summand__schedule none = {0};
    int64_t columns, lead = lead_of(&subject->to, rank, subject->to_gap, &columns);
    int64_t extent, ignored, row, column;
    if (place != SUMMAND__MOVE_TO)
        return SUMMAND__UNDEFINED;
    int process = summand__grid_process(&subject->to, rank);
    summand__grid_extent(&subject->to, process, &extent, &ignored);
    if ((int64_t)i % lead >= extent)
        return SUMMAND__UNTOUCHED; /* between columns */
    summand__grid_global(&subject->to, process, (int64_t)i % lead, (int64_t)i / lead, &row,
                         &column);
    int64_t a = subject->transposed ? column : row, b = subject->transposed ? row : column;
    int owner = subject->from.group[summand__grid_owner(&subject->from, a, b)];
    summand__grid_local(&subject->from, a, b, &row, &column);
    lead = lead_of(&subject->from, owner, subject->from_gap, &columns);
    return summand__input_operand(pool, &none, owner, SUMMAND__MOVE_FROM,
                                  (size_t)(column * lead + row));
}

static bool prove(const struct subject *subject, const struct summand__schedule *schedules,
                  struct summand__steps_proof *proof)
{
    *proof = (struct summand__steps_proof){.ranks = RANKS,
                                           .schedules = schedules,
                                           .expected = expected,
                                           .context = subject,
                                           .most_starts = MOST_STARTS};
    return summand__prove_steps(proof);
}

static void build(const struct subject *subject, struct summand__schedule *schedules)
{
    for (int r = 0; r < RANKS; r++)
        build_rank(subject, r, &schedules[r]);
}

static void drop(struct summand__schedule *schedules)
{
    for (int r = 0; r < RANKS; r++)
        summand__schedule_free(&schedules[r]);
}

/* The expected number of messages: for each pair of ranks that exchange data, counts the common
 * rows and columns and cuts them into slices. */
static size_t messages_of(const struct subject *subject)
{
    enum { SIDE = 32 };
    bool rows[RANKS][RANKS][SIDE], columns[RANKS][RANKS][SIDE];
    size_t count = 0;
    memset(rows, 0, sizeof rows);
    memset(columns, 0, sizeof columns);
    for (int64_t i = 0; i < subject->from.rows.extent; i++)
        for (int64_t j = 0; j < subject->from.columns.extent; j++) {
            int process = subject->transposed ? summand__grid_owner(&subject->to, j, i)
                                              : summand__grid_owner(&subject->to, i, j);
            int from = subject->from.group[summand__grid_owner(&subject->from, i, j)];
            int to = subject->to.group[process];
            rows[from][to][i] = columns[from][to][j] = from != to;
        }
    for (int pair = 0; pair < RANKS * RANKS; pair++) {
        size_t m = 0, n = 0, each;
        for (int i = 0; i < SIDE; i++) {
            m += rows[pair / RANKS][pair % RANKS][i];
            n += columns[pair / RANKS][pair % RANKS][i];
        }
        each = subject->slice && m ? subject->slice / (8 * m) : n;
        each = each > (n + 63) / 64 ? each : (n + 63) / 64;
        count += n ? (n + each - 1) / each : 0;
    }
    return count;
}

static long proofs, messages;

static void check(const struct subject *subject)
{
    struct summand__schedule schedules[RANKS];
    struct summand__steps_proof proof;
    build(subject, schedules);
    bool good = prove(subject, schedules, &proof);
    drop(schedules);
    const struct summand__grid *a = &subject->from, *b = &subject->to;
    if (!good || proof.messages != messages_of(subject))
        fail_msg("%dx%d of %dx%d blocks %dx%d to %dx%d blocks %dx%d%s: %s, %zu messages",
                 (int)a->rows.extent, (int)a->columns.extent, a->rows.parts, a->columns.parts,
                 (int)a->rows.block, (int)a->columns.block, b->rows.parts, b->columns.parts,
                 (int)b->rows.block, (int)b->columns.block,
                 subject->transposed ? " transposed" : "", proof.fault, proof.messages);
    proofs++;
    messages += (long)proof.messages;
}

/* In order, reversed, interleaved; from rank `first` on. */
static void list_group(int *group, int order, int first)
{
    for (int i = 0; i < RANKS; i++) {
        int rank = order == 0 ? i : order == 1 ? RANKS - 1 - i : (3 * i) % RANKS;
        group[i] = (rank + first) % RANKS;
    }
}

static struct subject subject_of(const int64_t extent[2], const int64_t block[4],
                                 const int parts[4], bool transposed)
{
    struct subject subject = {
        .from = {{extent[0], block[0], parts[0]}, {extent[1], block[1], parts[1]}, NULL},
        .to = {{extent[transposed], block[2], parts[2]},
               {extent[!transposed], block[3], parts[3]},
               NULL},
        .transposed = transposed};
    return subject;
}

static void place(struct subject *subject, int order, int overlap)
{
    int from = summand__grid_processes(&subject->from);
    list_group(subject->group[0], 0, 0);
    list_group(subject->group[1], order, overlap == 0 ? 0 : overlap == 1 ? from : from / 2);
    subject->from.group = subject->group[0];
    subject->to.group = subject->group[1];
}

TEST(every_pair_of_grids)
{
    static const int grids[][2] = {{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 2}, {2, 3}, {3, 2}};
    enum { GRIDS = sizeof grids / sizeof *grids };
    static const int64_t blocks[][4] = {{1, 1, 1, 1}, {1, 1, 5, 5}, {2, 3, 3, 2},
                                        {4, 1, 1, 4}, {9, 9, 2, 2}, {2, 2, 4, 6}};
    static const int64_t extents[][2] = {{7, 10}, {1, 5}, {0, 3}, {12, 12}};
    for (int a = 0; a < GRIDS; a++)
        for (int b = 0; b < GRIDS; b++)
            for (int k = 0; k < 6 * 4 * 2; k++) {
                const int parts[4] = {grids[a][0], grids[a][1], grids[b][0], grids[b][1]};
                struct subject subject =
                    subject_of(extents[k % 4], blocks[k / 4 % 6], parts, k / 24);
                subject.to_gap = k % 3;
                subject.from_gap = k % 2;
                subject.slice = k % 5 ? 8 * (size_t)(k % 5) * 3 : 0;
                place(&subject, (a + b + k) % 3, (a + k) % 3);
                check(&subject);
            }
    print_message("%ld proofs, %ld messages\n", proofs, messages);
}

static struct subject random_subject(void)
{
    int64_t extent[2] = {draw(30), draw(30)}, block[4];
    int parts[4];
    for (int i = 0; i < 4; i++) {
        block[i] = 1 + draw(draw(2) ? 4 : 12);
        parts[i] = 1 + draw(i % 2 ? RANKS / parts[i - 1] : 4);
    }
    struct subject subject = subject_of(extent, block, parts, draw(2));
    subject.from_gap = draw(3);
    subject.to_gap = draw(3);
    subject.slice = 8 * (size_t)draw(60);
    return subject;
}

/* One draw after the other: C leaves the evaluation order of a call's arguments to the compiler. */
static void place_at_random(struct subject *subject)
{
    int order = draw(3), overlap = draw(3);
    place(subject, order, overlap);
}

TEST(at_random)
{
    for (int i = 0; i < 2000; i++) {
        struct subject subject = random_subject();
        place_at_random(&subject);
        check(&subject);
    }
    print_message("%ld proofs, %ld messages\n", proofs, messages);
}

/* Changes a step; returns false if that does not apply. */
static bool break_step(struct summand__schedule *schedule, size_t i, int how)
{
    struct summand__step *step = &schedule->steps[i];
    if (step->action == SUMMAND__ROUND)
        return false;
    switch (how) {
    case 0:
        memmove(step, step + 1, (schedule->length - i - 1) * sizeof *step);
        schedule->length--;
        return true;
    case 1: /* from elsewhere */
        step->from.first++;
        return step->action == SUMMAND__SEND || step->action == SUMMAND__COMPUTE;
    case 2: /* to elsewhere */
        step->to.first++;
        return step->action == SUMMAND__RECV || step->action == SUMMAND__COMPUTE;
    default: /* to another rank */
        step->peer = (step->peer + 1) % RANKS;
        return summand__is_message(step);
    }
}

TEST(broken_ones)
{
    long broken[4] = {0};
    for (int i = 0; i < 400; i++) {
        struct subject subject = random_subject();
        struct summand__schedule schedules[RANKS];
        struct summand__steps_proof proof;
        place_at_random(&subject);
        build(&subject, schedules);
        int rank = draw(RANKS), how = i % 4;
        size_t steps = schedules[rank].length;
        if (steps && break_step(&schedules[rank], (size_t)draw((int)steps), how)) {
            if (prove(&subject, schedules, &proof))
                fail_msg("case %d: rank %d broken by %d proves", i, rank, how);
            broken[how]++;
        }
        drop(schedules);
    }
    for (int how = 0; how < 4; how++)
        assert_true(broken[how] > 10);
}

static size_t most_steps(const struct subject *subject)
{
    size_t most = 0;
    for (int r = 0; r < RANKS; r++) {
        struct summand__schedule schedule;
        build_rank(subject, r, &schedule);
        most = schedule.length > most ? schedule.length : most;
        summand__schedule_free(&schedule);
    }
    return most;
}

/* The number of steps of a plan grows with the edges of the moved rectangles, not with their
 * elements: in one slice, and in the usual slices. */
TEST(few_steps)
{
    static const int parts[4] = {2, 2, 4, 2};
    static const struct {
        int64_t extent[2], block[4];
        bool transposed;
        size_t most, sliced;
    } rows[] = {{{1000, 1000}, {1, 1, 1, 1}, false, 1100, 1100},
                {{1000, 1000}, {1, 1, 1, 1}, true, 1100, 1100},
                {{1000, 1000}, {500, 500, 250, 500}, false, 8, 120},
                {{1000, 1000}, {1, 500, 250, 500}, false, 1100, 1100},
                {{1024, 1024}, {32, 32, 64, 64}, false, 1000, 1100},
                {{1024, 1024}, {32, 32, 64, 64}, true, 1000, 1100}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subject subject =
            subject_of(rows[i].extent, rows[i].block, parts, rows[i].transposed);
        size_t most;
        place(&subject, 0, 0);
        subject.slice = (size_t)1 << 40;
        most = most_steps(&subject);
        subject.slice = 0;
        print_message("case %zu: %zu steps, in slices %zu\n", i, most, most_steps(&subject));
        assert_true(most <= rows[i].most && most_steps(&subject) <= rows[i].sliced);
    }
}

/* Matrices of more than 2^31 elements on a rank: no element is lost. */
TEST(large)
{
    static const int parts[4] = {2, 2, 1, 3};
    static const int64_t extent[2] = {200000, 100003}, block[4] = {50000, 30000, 200000, 40000};
    for (int transposed = 0; transposed < 2; transposed++) {
        struct subject subject = subject_of(extent, block, parts, transposed);
        size_t stays = 0, sent = 0, received = 0;
        place(&subject, 0, 2);
        for (int r = 0; r < RANKS; r++) {
            struct summand__schedule schedule;
            build_rank(&subject, r, &schedule);
            for (size_t i = 0; i < schedule.length; i++) {
                const struct summand__step *step = &schedule.steps[i];
                sent += step->action == SUMMAND__SEND ? step->from.count : 0;
                received += step->action == SUMMAND__RECV ? step->to.count : 0;
                if (step->action == SUMMAND__COMPUTE &&
                    (unsigned)step->from.place == SUMMAND__MOVE_FROM &&
                    (unsigned)step->to.place == SUMMAND__MOVE_TO) {
                    const struct summand__rectangle *to =
                        &schedule.tables->computations[step->what].to;
                    stays += to->rows * to->count;
                }
            }
            summand__schedule_free(&schedule);
        }
        assert_int_equal(sent, received);
        assert_int_equal(sent + stays, extent[0] * extent[1]);
        assert_true(stays > 0 && sent > (size_t)1 << 31);
    }
}

/* The prediction behind the command's drawing: one or two messages for each pair of ranks, and each
 * moved element counts once. */
TEST(predicted)
{
    static const struct summand__model model = {
        .per_node = 1,
        .copy_byte = 0.1,
        .level = {[SUMMAND__NETWORK] = {.latency = 1000, .send = 100, .recv = 100, .byte = 1}}};
    for (int s = 0; summand__sample_moves[s]; s++)
        for (int ranks = 2; ranks <= 7; ranks++) {
            struct summand__sample_size size = summand__sample_moves[s]->usual;
            struct summand__predict predict = {.model = &model};
            size_t all = size.rows * size.count * sizeof(double);
            size.ranks = ranks;
            if (!summand__sample_predict(summand__sample_moves[s], &size, &predict))
                fail_msg("%s: %s", summand__sample_moves[s]->name, predict.fault);
            size_t sent = predict.messages[SUMMAND__NETWORK];
            size_t bytes = predict.bytes[SUMMAND__NETWORK];
            assert_true(sent && sent <= 2 * (size_t)(ranks * (ranks - 1)));
            assert_true(bytes && bytes <= all);
            assert_true(predict.time > 1000 + (double)bytes / (double)(ranks * ranks));
        }
}

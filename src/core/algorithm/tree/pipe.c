/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/tree/pipe.h"

#include <stdlib.h>

/* Further slots that a segment's message may last, so that so many more segments are in flight
 * between two ranks; a slot has two rounds, one for its messages and one for combining.
 */
enum { LATE_SLOTS = SUMMAND__UNDER_WAY - 1, SLOT_ROUNDS = 2 };

/* A child, and the region for its operand. */
struct operand {
    int peer, group;
    bool higher; /* its ranks are above those of the node's value */
    struct summand__region buffer;
};

/* One pipe as its rank sees it. */
struct line {
    const struct summand__pipe *pipe;
    struct summand__schedule *schedule;
    struct operand *operands;
    int count;               /* of operands */
    int into;                /* the operand that arrives in the result's place, or -1 */
    int parent, depth;       /* parent -1: the root */
    int height;              /* for counting slots */
    int late, stride;        /* slots that messages last longer; slots from one edge to the next */
    bool up, down, grouped;  /* grouped: whole, group by group */
    bool star;               /* whole, from the root to all other ranks at once */
    bool in_place;           /* the result takes the place of the input */
    bool results_in_recvbuf; /* else in one of two accumulators */
    enum summand__place input;
    size_t segment, segments;
    size_t slots, widest, extra, accumulators, exchange; /* positions in scratch; slots per bank */
    struct summand__region value;                        /* of the segment being combined */
};

size_t summand__segments(size_t count, size_t segment)
{
    if (!count)
        return 0;
    return segment && segment < count ? (count - 1) / segment + 1 : 1;
}

static size_t length(const struct line *line, size_t s)
{
    size_t left = line->pipe->count - s * line->segment;
    return left < line->segment ? left : line->segment;
}

static struct summand__region piece(const struct line *line, enum summand__place place, size_t s)
{
    return summand__region(place, line->pipe->first + s * line->segment, length(line, s));
}

static struct summand__region scratch(const struct line *line, size_t at, size_t s)
{
    return summand__region(SUMMAND__SCRATCH, at, length(line, s));
}

/* Accumulators: a segment's is in use while it arrives, and while it is sent. */
static size_t ring(const struct line *line)
{
    return line->segments > 1 ? 2 * (size_t)line->stride : 1;
}

/* The buffer of segment s, among as many as there are segments in flight. */
static size_t turn(const struct line *line, size_t s)
{
    return s % (size_t)line->stride;
}

static unsigned lag(const struct line *line)
{
    return (unsigned)(line->late * SLOT_ROUNDS);
}

static struct summand__region result(const struct line *line, size_t s)
{
    if (line->results_in_recvbuf)
        return piece(line, SUMMAND__RECVBUF, s);
    return scratch(line, line->accumulators + s % ring(line) * line->segment, s);
}

/* The region of a combined segment until it is sent. */
static struct summand__region combined(const struct line *line, size_t s)
{
    return line->count || line->results_in_recvbuf ? result(line, s) : piece(line, line->input, s);
}

static bool any_higher(const struct line *line)
{
    for (int i = 0; i < line->count; i++)
        if (line->operands[i].higher)
            return true;
    return false;
}

/* An operand from lower ranks is folded into the node's value, which must not be the sendbuf. */
static bool copies_input(const struct line *line, int begin)
{
    return begin == 0 && line->count && !line->operands[0].higher && !line->in_place;
}

static struct summand__region copy_of_input(const struct line *line, size_t s)
{
    return any_higher(line) ? scratch(line, line->extra + turn(line, s) * line->segment, s)
                            : result(line, s);
}

static void place_operands(struct line *line, size_t s, int begin, int end, size_t bank)
{
    for (int i = begin; i < end; i++) {
        size_t slot = bank * line->widest + (size_t)(i - begin);
        line->operands[i].buffer = i == line->into
                                       ? result(line, s)
                                       : scratch(line, line->slots + slot * line->segment, s);
    }
}

static void post_operands(struct line *line, size_t s, int begin, int end, size_t bank)
{
    place_operands(line, s, begin, end, bank);
    for (int i = begin; i < end; i++)
        summand__recv_late(line->schedule, line->operands[i].peer, line->operands[i].buffer,
                           lag(line));
}

static void post_copy(struct line *line, size_t s, int begin)
{
    if (copies_input(line, begin))
        summand__copy(line->schedule, piece(line, line->input, s), copy_of_input(line, s));
}

static void fold_operands(struct line *line, size_t s, int begin, int end)
{
    if (begin == 0)
        line->value = copies_input(line, 0) ? copy_of_input(line, s) : piece(line, line->input, s);
    for (int i = begin; i < end; i++) {
        struct operand *operand = &line->operands[i];
        if (operand->higher) {
            summand__reduce(line->schedule, line->value, operand->buffer);
            line->value = operand->buffer;
        } else {
            summand__reduce(line->schedule, operand->buffer, line->value);
        }
    }
    if (end == line->count && (line->count || line->results_in_recvbuf))
        summand__copy(line->schedule, line->value, result(line, s));
}

/* Up, whole: group by group. Two banks of buffers, because the value may stay in one of them. */
static void up_grouped(struct line *line)
{
    size_t bank = 0;
    for (int begin = 0, end; begin < line->count; begin = end) {
        for (end = begin; end < line->count; end++)
            if (line->operands[end].group != line->operands[begin].group)
                break;
        post_operands(line, 0, begin, end, bank);
        post_copy(line, 0, begin);
        summand__round(line->schedule);
        fold_operands(line, 0, begin, end);
        summand__round(line->schedule);
        size_t low = line->slots + bank * line->widest * line->segment;
        if (line->value.place == SUMMAND__SCRATCH && line->value.first >= low &&
            line->value.first < low + line->widest * line->segment)
            bank = 1 - bank;
    }
    if (!line->count && line->parent < 0)
        fold_operands(line, 0, 0, 0);
    if (line->parent >= 0)
        summand__send(line->schedule, line->parent, combined(line, 0));
    summand__round(line->schedule);
}

static bool exchanges(const struct line *line)
{
    return line->parent < 0 && line->pipe->partner >= 0;
}

/* The lower of two roots receives the other's value in the result's place, unless its own value is
 * there; the higher root's own value must be there. */
static struct summand__region partner_buffer(const struct line *line, size_t s)
{
    bool higher = line->pipe->partner > line->pipe->base;
    if (higher && combined(line, s).place != SUMMAND__RECVBUF)
        return piece(line, SUMMAND__RECVBUF, s);
    return scratch(line, line->exchange + turn(line, s) * line->segment, s);
}

static void post_exchange(struct line *line, size_t s)
{
    int partner = line->pipe->partner;
    summand__send_late(line->schedule, partner, combined(line, s), lag(line));
    summand__recv_late(line->schedule, partner, partner_buffer(line, s), lag(line));
}

static void settle_exchange(struct line *line, size_t s)
{
    struct summand__region theirs = partner_buffer(line, s);
    struct summand__region whole = piece(line, SUMMAND__RECVBUF, s);
    if (line->pipe->partner < line->pipe->base) {
        summand__reduce(line->schedule, theirs, whole);
    } else {
        summand__reduce(line->schedule, combined(line, s), theirs);
        summand__copy(line->schedule, theirs, whole);
    }
}

/* The segment that an event which begins in slot `start` deals with in slot `now`; false if none.
 */
static bool due(const struct line *line, long long now, long long start, size_t *s)
{
    *s = (size_t)(now - start);
    return now >= start && *s < line->segments;
}

static long long up_start(const struct line *line)
{
    return (long long)line->stride * (line->height - line->depth);
}

static long long down_start(const struct line *line)
{
    long long up = line->up ? line->height + (line->pipe->partner >= 0) : 0;
    return line->stride * (up + line->depth);
}

static void post_down(struct line *line, size_t s)
{
    struct summand__region whole = piece(line, SUMMAND__RECVBUF, s);
    for (int i = line->count - 1; i >= 0; i--)
        if (line->star)
            summand__multicast(line->schedule, line->operands[i].peer, whole);
        else
            summand__send_late(line->schedule, line->operands[i].peer, whole, lag(line));
}

static void post_slot(struct line *line, long long now)
{
    long long up = up_start(line), down = down_start(line);
    size_t s;
    if (line->up && line->count && due(line, now, up - line->stride, &s))
        post_operands(line, s, 0, line->count, turn(line, s));
    if (line->up && line->count && due(line, now, up - 1, &s))
        post_copy(line, s, 0);
    if (line->up && line->parent >= 0 && due(line, now, up, &s))
        summand__send_late(line->schedule, line->parent, combined(line, s), lag(line));
    if (line->up && exchanges(line) && due(line, now, up, &s))
        post_exchange(line, s);
    if (line->down && line->star && line->parent >= 0 && due(line, now, down - line->stride, &s))
        summand__recv_multicast(line->schedule, line->parent, piece(line, SUMMAND__RECVBUF, s));
    else if (line->down && line->parent >= 0 && due(line, now, down - line->stride, &s))
        summand__recv_late(line->schedule, line->parent, piece(line, SUMMAND__RECVBUF, s),
                           lag(line));
    if (line->down && line->count && due(line, now, down, &s))
        post_down(line, s);
}

static void settle_slot(struct line *line, long long now)
{
    long long up = up_start(line);
    size_t s;
    if (line->up && (line->count || line->results_in_recvbuf) && due(line, now, up - 1, &s)) {
        place_operands(line, s, 0, line->count, turn(line, s));
        fold_operands(line, s, 0, line->count);
    }
    if (line->up && exchanges(line) && due(line, now, up + line->late, &s))
        settle_exchange(line, s);
}

static bool list_operands(struct line *line, const struct summand__subtree *node)
{
    const struct summand__pipe *pipe = line->pipe;
    struct summand__subtree child;
    while (summand__tree_child(&pipe->tree, node, line->count, &child))
        line->count++;
    line->operands = calloc((size_t)line->count + 1, sizeof *line->operands);
    for (int i = 0; line->operands && i < line->count; i++) {
        summand__tree_child(&pipe->tree, node, i, &child);
        line->operands[i] = (struct operand){.peer = pipe->base + child.head,
                                             .group = line->grouped ? child.group : 0,
                                             .higher = child.head > node->head};
    }
    return line->operands != NULL;
}

/* The last operand from higher ranks may arrive in the place of the result, as long as that is not
 * the input, or no longer needed. */
static void choose_into(struct line *line)
{
    int first = -1, last = -1;
    for (int i = 0; i < line->count; i++)
        if (line->operands[i].higher) {
            first = first < 0 ? i : first;
            last = i;
        }
    bool free =
        !line->in_place || (first >= 0 && line->operands[first].group < line->operands[last].group);
    line->into = free ? last : -1;
}

static void lay_out(struct line *line, size_t *used)
{
    size_t run = 0;
    for (int i = 0; i < line->count; i++) {
        run = i && line->operands[i].group == line->operands[i - 1].group ? run + 1 : 1;
        if (run > line->widest)
            line->widest = run;
    }
    size_t n = line->segment, banks = line->grouped ? 2 : (size_t)line->stride;
    line->slots = *used;
    line->extra = line->slots + banks * line->widest * n;
    line->accumulators = line->extra + (size_t)line->stride * n;
    line->exchange = line->accumulators + ring(line) * n;
    *used = line->exchange + (line->pipe->partner >= 0 ? (size_t)line->stride * n : 0);
}

static bool open_line(const struct summand__call *call, const struct summand__pipe *pipe,
                      size_t segment, struct line *line, size_t *used)
{
    struct summand__tree_node node = summand__tree_find(&pipe->tree, call->rank - pipe->base);
    line->pipe = pipe;
    line->parent = node.parent < 0 ? -1 : pipe->base + node.parent;
    line->depth = node.depth;
    line->height = pipe->height;
    line->up = call->collective != SUMMAND__COLL_BCAST;
    line->down = call->collective != SUMMAND__COLL_REDUCE;
    line->segments = summand__segments(pipe->count, segment);
    line->segment = line->segments > 1 ? segment : pipe->count;
    line->input = summand__call_input(call).place;
    line->results_in_recvbuf = line->parent < 0 && pipe->partner < pipe->base;
    line->in_place = line->results_in_recvbuf && line->input == SUMMAND__RECVBUF;
    if (!list_operands(line, &node.subtree))
        return false;
    choose_into(line);
    lay_out(line, used);
    return true;
}

static long long last_slot(const struct line *lines, int count)
{
    long long last = 0;
    for (int i = 0; i < count; i++) {
        long long begin = lines[i].up ? lines[i].stride * (lines[i].height + 1) : 0;
        if (lines[i].down && down_start(&lines[i]) > begin)
            begin = down_start(&lines[i]);
        if (begin + (long long)lines[i].segments > last)
            last = begin + (long long)lines[i].segments;
    }
    return last;
}

static void run_slots(struct line *lines, int count, struct summand__schedule *schedule)
{
    long long last = last_slot(lines, count);
    for (long long now = -lines->stride; now <= last; now++) {
        for (int i = 0; i < count; i++)
            post_slot(&lines[i], now);
        summand__round(schedule);
        for (int i = 0; i < count; i++)
            settle_slot(&lines[i], now);
        summand__round(schedule);
    }
    summand__drain(schedule);
}

enum { MOST_PIPES = 2 };

void summand__pipes_build(const struct summand__call *call, const struct summand__pipe *pipes,
                          int count, size_t segment, struct summand__schedule *schedule)
{
    struct line lines[MOST_PIPES] = {{0}};
    size_t used = 0;
    bool grouped =
        count == 1 && pipes->partner < 0 && summand__segments(pipes->count, segment) == 1;
    bool good = true;
    for (int i = 0; i < count; i++) { /* the first has most segments */
        lines[i].schedule = schedule;
        lines[i].grouped = grouped;
        lines[i].late = summand__segments(pipes[0].count, segment) > 1 ? LATE_SLOTS : 0;
        lines[i].stride = lines[i].late + 1;
        good = good && open_line(call, &pipes[i], segment, &lines[i], &used);
        if (count == 1 && !(lines[i].up && lines[i].down))
            lines[i].height = lines[i].depth;
    }
    lines->star = grouped && pipes->tree.ranks == call->ranks && call->ranks > 1 &&
                  summand__tree_height(&pipes->tree) == 1;
    if (!good) {
        schedule->failed = true;
    } else {
        if (grouped && lines->up) {
            up_grouped(lines);
            lines->up = false;
        }
        run_slots(lines, count, schedule);
    }
    for (int i = 0; i < count; i++)
        free(lines[i].operands);
}

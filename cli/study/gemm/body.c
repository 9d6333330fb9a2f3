/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables 5.4 to 5.8: the overlap algorithm for one block of C, algorithm 6. Process a has nu_l
 * pieces of A, process b those of B. Each sends the other one the pieces for its half, one ahead,
 * and multiplies meanwhile. The steps are played on a network of rate (5.11), with products of time
 * (5.10); b is 382, from which on (5.12) holds, or half or twice as large. */
#include <math.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/json.h"
#include "cli/output/table.h"
#include "cli/study/gemm/gemm.h"
#include "compute/kernels.h"
#include "play/predict.h"
#include "schedule/compute.h"

enum { SLOTS = 4, BLOCK = 382, BLOCKS = 3 };

/* The steps of a process: `write_notify` of its piece `first_sent` + i, and a product of piece
 * `first_made` + i with the one that came; `wait` precedes each product. */
struct process {
    size_t sent, made, first_sent, first_made;
};

static struct process process_of(int rank, size_t local)
{
    const size_t half = local - local / 2; /* alpha; the rest is beta */
    return rank ? (struct process){half, local - half, 0, half}
                : (struct process){local - half, half, half, 0};
}

struct body {
    size_t local, block;
};

static struct summand__region piece_at(uint32_t place, size_t number, size_t count)
{
    return summand__region((enum summand__place)place, number * count, count);
}

static bool build(const void *context, int rank, struct summand__schedule *schedule)
{
    const struct body *body = context;
    const struct process own = process_of(rank, body->local);
    const size_t b = body->block, count = b * b;
    size_t sent = 0;
    summand__schedule_init(schedule);
    const uint32_t mine =
        summand__add_place(schedule, SUMMAND__INPUT, sizeof(double), body->local * count);
    const uint32_t slots =
        summand__add_place(schedule, SUMMAND__WINDOW, sizeof(double), SLOTS * count);
    const uint32_t sum = summand__add_place(schedule, SUMMAND__RESULT, sizeof(double), count);
    const uint32_t arrived = summand__add_counter(schedule, !rank, own.made);
    for (size_t k = 0; k <= own.made; k++) {
        for (; sent < own.sent && sent <= k; sent++) {
            summand__put(schedule, !rank, piece_at(mine, own.first_sent + sent, count),
                         piece_at(slots, (sent + 1) % SLOTS, count));
            summand__notify(schedule, !rank, arrived);
        }
        if (!k)
            continue;
        summand__wait_counter(schedule, arrived, (int64_t)k);
        summand__compute(schedule, summand__kernel_named("outer"),
                         summand__tile(mine, (own.first_made + k - 1) * count, b, b, b),
                         summand__tile(slots, k % SLOTS * count, b, b, b),
                         summand__tile(sum, 0, b, b, b), k == 1);
    }
    summand__round(schedule);
    return !schedule->failed;
}

struct times {
    double transfer, product, played, told; /* told: by (5.19), of a, which takes longest */
};

static struct times play(const struct body *body, struct summand__predict *predict)
{
    const double b = (double)body->block, half = ceil((double)body->local / 2);
    struct times times = {.transfer = b * b / (40.0 * 1024 * 1024),
                          .product = (2 * b * b * b - b * b) * 3.13e-11};
    const struct summand__model model = {
        .per_node = 1,
        .oversubscription = 1,
        .eager = 1e18,
        .flop = times.product / (2 * b * b * b),
        .level[SUMMAND__NETWORK] = {.byte = times.transfer / (b * b * sizeof(double))}};
    *predict = (struct summand__predict){.ranks = 2,
                                         .element = sizeof(double),
                                         .model = &model,
                                         .build = build,
                                         .context = body,
                                         .trace = true};
    need(summand__predict(predict) ? predict : NULL);
    predict->model = NULL;
    predict->context = NULL;
    times.played = predict->time;
    times.told = times.transfer + (half - 1) * fmax(times.transfer, times.product) + times.product;
    return times;
}

/* Span number `number` of that kind on a rank; of wires those with data. */
static const struct summand__span *span_of(const struct summand__predict *predict,
                                           enum summand__span_kind kind, int rank, size_t number)
{
    for (size_t s = 0; s < predict->span_count; s++) {
        const struct summand__span *span = &predict->spans[s];
        if (span->kind == kind && span->rank == rank &&
            (span->bytes || kind == SUMMAND__SPAN_COMPUTE) && !number--)
            return span;
    }
    return need(NULL);
}

struct listing {
    struct table table;
    json_t *steps;
};

static void put_step(struct listing *listing, int rank, const char *step, double begin, double end)
{
    const char *process = rank ? "b" : "a";
    table_cell(&listing->table, "%s", process);
    table_cell(&listing->table, "%s", step);
    table_cell(&listing->table, "%.3f", begin * 1e3);
    table_cell(&listing->table, "%.3f", end * 1e3);
    json_array_append_new(listing->steps, json_make("ssff", "process", process, "step", step,
                                                    "begin", begin, "end", end));
}

static void put_steps(struct listing *listing, const struct body *body,
                      const struct summand__predict *predict, int rank)
{
    const struct process own = process_of(rank, body->local);
    double ready = 0;
    size_t sent = 0;
    char text[48];
    for (size_t k = 0; k <= own.made; k++) {
        for (; sent < own.sent && sent <= k; sent++) {
            const struct summand__span *wire = span_of(predict, SUMMAND__SPAN_WIRE, rank, sent);
            snprintf(text, sizeof text, "write_notify(%zu,%zu)", own.first_sent + sent,
                     (sent + 1) % SLOTS);
            put_step(listing, rank, text, wire->begin, wire->end);
        }
        if (!k)
            continue;
        const struct summand__span *product = span_of(predict, SUMMAND__SPAN_COMPUTE, rank, k - 1);
        snprintf(text, sizeof text, "wait(%zu)", k % SLOTS);
        put_step(listing, rank, text, ready, product->begin);
        snprintf(text, sizeof text, "calc(%zu)", own.first_made + k - 1);
        put_step(listing, rank, text, product->begin, product->end);
        ready = product->end;
    }
}

static void put_times(struct table *table, json_t *list, const struct body *body,
                      const struct times *times)
{
    const double alone = ceil((double)body->local / 2) * (times->transfer + times->product);
    table_cell(table, "%zu", body->block);
    table_cell(table, "%.3f", times->transfer * 1e3);
    table_cell(table, "%.3f", times->product * 1e3);
    table_cell(table, "%.3f", times->played * 1e3);
    table_cell(table, "%.3f", times->told * 1e3);
    table_cell(table, "%.3f", alone * 1e3);
    json_array_append_new(list, json_make("Ifffff", "block", (json_int_t)body->block, "transfer",
                                          times->transfer, "product", times->product, "played",
                                          times->played, "told", times->told, "in_turn", alone));
}

static int run(const char *name, size_t local, bool json)
{
    static const size_t blocks[BLOCKS] = {BLOCK / 2, BLOCK, 2 * BLOCK};
    struct listing listing = {.steps = json_array()};
    struct table sums;
    json_t *list = json_array();
    table_begin(&listing.table, "<process|<step|from, ms|to, ms");
    table_begin(&sums, "b|T_tr, ms|T_comp, ms|played, ms|(5.19), ms|in turn, ms");
    for (int i = 0; i < BLOCKS; i++) {
        const struct body body = {local, blocks[i]};
        struct summand__predict predict;
        const struct times times = play(&body, &predict);
        for (int rank = 0; rank < 2 && body.block == BLOCK; rank++)
            put_steps(&listing, &body, &predict, rank);
        put_times(&sums, list, &body, &times);
        summand__predict_free(&predict);
    }
    if (!json)
        print_remark("Table %s, nu_l = %zu: the steps of both processes for b = %d. A "
                     "write_notify is on the wire from ... to.",
                     name, local, BLOCK);
    table_end(&listing.table, json ? NULL : stdout);
    if (!json)
        print_remark("The whole, for three b; in turn: without overlap, each transfer before its "
                     "product.");
    table_end(&sums, json ? NULL : stdout);
    if (json) {
        json_t *object = json_head(study_gemm.name);
        char title[16];
        snprintf(title, sizeof title, "table %s", name);
        json_object_update_new(object, json_make("sIoo", "table", title, "local", (json_int_t)local,
                                                 "steps", listing.steps, "times", list));
        return write_json(study_gemm.name, object, NULL);
    }
    json_decref(listing.steps);
    json_decref(list);
    return 0;
}

int gemm_table_body(const struct gemm_request *request, bool json)
{
    char name[16];
    snprintf(name, sizeof name, "5.%d", 3 + request->local);
    return run(name, (size_t)request->local, json);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* summand record: runs a schedule of computations and puts, and shows each rank's work over
 * time. */
#include <mpi.h>
#include <string.h>

#include "cli/algorithms/hiding.h"
#include "cli/algorithms/record.h"
#include "cli/common/cli.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/output/text.h"
#include "cli/ranks/agree.h"
#include "cli/timing/timing.h"

extern const struct command command_record;

static const char *const windows[] = {"auto", "shm", "rma", "p2p", NULL};

struct record_options {
    struct record_run run;
    long long rows, columns, blocks, slots, tile, starts;
    long long inner, panel;
    int window;
    const char *path;
    bool json;
};

static const char *name_of(const struct record_options *o)
{
    return o->run.sample ? o->run.sample->name : "gemm";
}

static json_t *ranks_json(struct summand__timeline *timeline)
{
    json_t *ranks = json_array();
    for (int r = 0; r < timeline->ranks; r++) {
        struct summand__timeline_rank rank = summand__timeline_rank_of(timeline, r);
        json_t *steps = json_array();
        for (size_t i = 0; i < timeline->count[r]; i++) {
            const struct summand__recorded *recorded = &timeline->of[r][i];
            const char *action = recorded->action < SUMMAND__ACTIONS
                                     ? summand__action_name((enum summand__action)recorded->action)
                                     : "flush";
            json_array_append_new(steps, json_make("sff", "action", action, "begin_s",
                                                   recorded->begin - timeline->begin, "end_s",
                                                   recorded->end - timeline->begin));
        }
        json_array_append_new(
            ranks, json_make("fffffo", "computing_s", rank.of_kind[SUMMAND__TIMELINE_COMPUTING],
                             "sending_s", rank.of_kind[SUMMAND__TIMELINE_SENDING], "waiting_s",
                             rank.of_kind[SUMMAND__TIMELINE_WAITING], "in_flight_s", rank.in_flight,
                             "hidden_s", rank.hidden, "steps", steps));
    }
    return ranks;
}

static json_t *transfers_json(const struct summand__timeline *timeline)
{
    json_t *transfers = json_array();
    for (size_t i = 0; i < timeline->transfers; i++) {
        const struct summand__transfer_time *transfer = &timeline->transfer[i];
        json_array_append_new(transfers,
                              json_make("iiIff", "from", transfer->from, "to", transfer->to,
                                        "bytes", (json_int_t)transfer->bytes, "begin_s",
                                        transfer->begin - timeline->begin, "end_s",
                                        transfer->end - timeline->begin));
    }
    return transfers;
}

static struct hiding hiding_recorded(struct summand__timeline *timeline)
{
    struct summand__timeline_sum sum = summand__timeline_sum_of(timeline);
    return hiding_of(sum.overlap, sum.flop_rate, sum.bandwidth, sum.operations, sum.bytes);
}

static int print_json(const struct record_options *o, struct summand__timeline *timeline)
{
    const struct hiding hiding = hiding_recorded(timeline);
    json_t *object = json_head("record");
    json_object_update_new(object,
                           json_make("ssif", "schedule", name_of(o), "window",
                                     o->run.window ? o->run.window : "none", "ranks",
                                     timeline->ranks, "time_s", timeline->end - timeline->begin));
    hiding_json(&hiding, object);
    json_object_set_new(object, "per_rank", ranks_json(timeline));
    json_object_set_new(object, "transfers", transfers_json(timeline));
    return write_json("record", object, NULL);
}

static void print_table(const struct record_options *o, struct summand__timeline *timeline)
{
    struct table table;
    const struct hiding hiding = hiding_recorded(timeline);
    print_remark("summand record %s on %d rank%s, window %s: %.1f us.", name_of(o), timeline->ranks,
                 text_plural(timeline->ranks), o->run.window ? o->run.window : "none",
                 (timeline->end - timeline->begin) * 1e6);
    table_begin(&table, "rank|computing/us|sending/us|waiting/us|in flight/us|hidden/us");
    for (int r = 0; r < timeline->ranks; r++) {
        struct summand__timeline_rank rank = summand__timeline_rank_of(timeline, r);
        table_cell(&table, "%d", r);
        for (int kind = 0; kind < SUMMAND__TIMELINE_KINDS; kind++)
            table_cell(&table, "%.1f", rank.of_kind[kind] * 1e6);
        table_cell(&table, "%.1f", rank.in_flight * 1e6);
        table_cell(&table, "%.1f", rank.hidden * 1e6);
    }
    table_end(&table, stdout);
    print_remark("in flight: data on their way to the rank%s; hidden: so long it computed "
                 "meanwhile.",
                 timeline->immediate ? "" : ", at the latest until it has waited for them");
    hiding_print(&hiding);
}

static int draw(const struct record_options *o, const struct summand__timeline *timeline)
{
    struct output output;
    char title[160], note[200];
    if (!output_open(&output, "record", o->path))
        return 1;
    snprintf(title, sizeof title, "%s, recorded on %d rank%s", name_of(o), timeline->ranks,
             text_plural(timeline->ranks));
    snprintf(note, sizeof note, "window %s; %zu transfer%s", o->run.window ? o->run.window : "none",
             timeline->transfers, text_plural((long long)timeline->transfers));
    record_draw(timeline, title, note, output.file);
    return !output_close(&output, true);
}

static int report(const struct record_options *o, struct summand__timeline *timeline)
{
    summand__timeline_make(timeline);
    if (timeline->failed) {
        complain("record", "out of memory");
        return 1;
    }
    int status = o->path ? draw(o, timeline) : 0;
    if (o->json && !status)
        status = print_json(o, timeline);
    else if (!status)
        print_table(o, timeline);
    return status;
}

static void set_size(size_t *size, long long value)
{
    if (value)
        *size = (size_t)value;
}

static void set_extent(long long *extent, long long value)
{
    if (value)
        *extent = value;
}

static void check_product(struct record_options *o, struct trouble *trouble)
{
    struct record_gemm *gemm = &o->run.gemm;
    gemm->rows = gemm->columns = 512;
    set_extent(&gemm->rows, o->rows);
    set_extent(&gemm->columns, o->columns);
    gemm->inner = gemm->columns;
    set_extent(&gemm->inner, o->inner);
    set_extent(&gemm->block, o->tile);
    set_extent(&gemm->panel, o->panel);
    if (o->window)
        trouble_note(trouble, "--window: a product takes what SUMMAND_TRANSPORT says");
    if (o->blocks || o->slots)
        trouble_note(trouble, "--blocks, --slots: a product has none");
}

static void check_sample(struct record_options *o, const char *name, struct trouble *trouble)
{
    struct summand__sample_size *size = &o->run.size;
    o->run.sample = summand__sample_named(name);
    if (!o->run.sample) {
        trouble_note(trouble,
                     "%s: no such schedule; there are slot-ring, gather-product, "
                     "redistribution, transpose and gemm",
                     name);
        return;
    }
    *size = o->run.sample->usual;
    MPI_Comm_size(MPI_COMM_WORLD, &size->ranks);
    set_size(&size->rows, o->rows);
    set_size(&size->count, o->columns);
    set_size(&size->blocks, o->blocks);
    set_size(&size->slots, o->slots);
    set_size(&size->tile, o->tile);
    o->run.window = o->window ? windows[o->window] : NULL;
    if (o->inner || o->panel || o->run.gemm.algorithm || o->run.gemm.any_order)
        trouble_note(trouble, "--inner, --panel, --algorithm, --any-order: of gemm alone");
}

static void check(struct record_options *o, const char *name, struct trouble *trouble)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(name, "gemm"))
        check_sample(o, name, trouble);
    else
        check_product(o, trouble);
    o->run.starts = (int)o->starts;
    if (ranks < 2)
        trouble_note(trouble, "needs at least two ranks: mpirun -np 2 summand record");
    if (timing_ranks_per_node() != ranks)
        trouble_note(trouble, "all ranks must be on one node: their clocks are compared");
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct record_options o = {.starts = 5};
    struct summand__timeline timeline = {.ranks = 0};
    struct trouble trouble = {""};
    bool help;
    const struct option_row rows[] = {
        {"window", 0, OPTION_CHOICE, &o.window, "NAME", "window that puts go through", windows},
        {"rows", 0, OPTION_INT, &o.rows, "N", "rows of the result; else as in 'summand draw'", NULL,
         1, 1 << 16},
        {"columns", 0, OPTION_INT, &o.columns, "N", "columns of the result, or elements of a block",
         NULL, 1, 1 << 16},
        {"blocks", 0, OPTION_INT, &o.blocks, "N", "blocks of each rank, or pairs of vectors", NULL,
         1, 1 << 16},
        {"slots", 0, OPTION_INT, &o.slots, "N",
         "slots of a window, or pieces that pairs are sent in", NULL, 1, 1 << 16},
        {"tile", 0, OPTION_INT, &o.tile, "N",
         "rows and columns of a computation, or of a block of a matrix", NULL, 1, 1 << 16},
        {"inner", 'i', OPTION_INT, &o.inner, "N", "gemm: inner dimension; else the columns", NULL,
         1, 1 << 16},
        {"panel", 0, OPTION_INT, &o.panel, "N",
         "gemm: inner elements of a panel; else the library's choice", NULL, 1, 1 << 16},
        {"algorithm", 'a', OPTION_TEXT, &o.run.gemm.algorithm, "NAME",
         "gemm: one of 'summand list -c gemm'", NULL},
        {"any-order", 0, OPTION_FLAG, &o.run.gemm.any_order, NULL,
         "gemm: local products by the BLAS", NULL},
        {"starts", 0, OPTION_INT, &o.starts, "N", "starts of the plan; the last one is recorded",
         NULL, 1, 1000},
        {"output", 'o', OPTION_OUTPUT, &o.path, "FILE", "draw it as SVG", NULL},
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print every step and transfer as JSON", NULL},
        {0}};
    int operand = parse_options(parsing, &command_record, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    if (operand + 1 != argc)
        return misuse("record", "which schedule? One of slot-ring, gather-product, "
                                "redistribution, transpose, gemm");
    check(&o, argv[operand], &trouble);
    if (!agree("record", &trouble))
        return 2;
    record_run(&o.run, &timeline, &trouble);
    int status = trouble.text[0] ? 1 : 0;
    if (!status && cli_rank() == 0)
        status = report(&o, &timeline);
    record_free(&timeline);
    return status;
}

const struct command command_record = {
    .name = "record",
    .summary = "a schedule of computations and puts as it ran: a time line, and what was hidden",
    .synopsis = "record [options] SCHEDULE",
    .examples =
        "  mpirun -np 2 summand record gather-product -o run.svg\n"
        "  mpirun -np 2 summand record gather-product --rows 512 --columns 512 --blocks 32\n"
        "  mpirun -np 4 summand record gemm --panel 64 -o product.svg\n"
        "  mpirun -np 2 summand record transpose --json\n",
    .parallel = true,
    .run = run,
};

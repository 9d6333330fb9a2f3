/* SPDX-License-Identifier: BSD-3-Clause */
/* summand draw: the tree of an algorithm, its exchanges, or its time line. */
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/nearest.h"
#include "cli/algorithms/options_of_calls.h"
#include "cli/algorithms/picture.h"
#include "cli/common/cli.h"
#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/tune/comparison_outer.h"
#include "lab/train/sample.h"
#include "train/pipeline.h"

extern const struct command command_draw;

_Static_assert(PICTURE_MOST_RANKS == 512, "the help of --ranks names it");

struct draw_options {
    struct call_options call;
    bool timeline, combining, json;
    const char *path;
};

static enum summand__collective first_collective(const struct summand__algorithm *algorithm)
{
    int c = 0;
    while (c < SUMMAND__COLLECTIVES - 1 && !algorithm->build[c])
        c++;
    return (enum summand__collective)c;
}

/* The named algorithm; for products of matrices, the library's choice. */
static const struct summand__algorithm *algorithm_of(struct call_options *call)
{
    char name[OUTER_NAME_MOST];
    const char *gemm = summand__collective_name(SUMMAND__COLL_GEMM);
    const bool inside = outer_name_cut(call->algorithm, name);
    const struct summand__algorithm *named = summand__algorithm_named(name);
    for (int i = 0; !named && !strcmp(call->algorithm, gemm) && summand__algorithms[i]; i++)
        if (summand__algorithms[i]->build[SUMMAND__COLL_GEMM] &&
            summand__algorithms[i]->promises & SUMMAND__PAIR_ORDER)
            named = summand__algorithms[i];
    if (named && !inside)
        call->algorithm = named->name;
    return named;
}

static bool setup_picture(const struct draw_options *o, const struct parsing *parsing,
                          struct comparison_setup *setup)
{
    char count[24];
    struct call_options call = o->call;
    if (!call.count) { /* trees: any; blocks: one element for each rank */
        long long ranks = 1;
        struct numbers numbers;
        if (read_numbers(call.ranks, 1, PICTURE_MOST_RANKS, &numbers))
            ranks = numbers.value[0];
        if (summand__has_blocks(setup->collective))
            ranks = 1;
        snprintf(count, sizeof count, "%lld",
                 o->timeline ? picture_time_count(setup->collective) : ranks);
        call.count = count;
    }
    if (!call_setup("draw", parsing, &call, setup))
        return false;
    if (setup->ranks.count > 1 || setup->ranks.value[0] > PICTURE_MOST_RANKS)
        return !complain("draw", "--ranks: one rank count is expected, at most %d",
                         PICTURE_MOST_RANKS);
    if (setup->counts.count > 1)
        return !complain("draw", "--%s: one count is expected",
                         setup->outer.rows ? "pairs" : "count");
    setup->most_bytes = 100000000;
    setup->combines = o->combining;
    if ((call.per_node || setup->nodes.ranks) &&
        !setup->fixed[SUMMAND__NODE_SIZE]) /* the algorithm's nodes too */
        setup->fixed[SUMMAND__NODE_SIZE] = (size_t)setup->model.per_node;
    return true;
}

static int write_picture(const struct draw_options *o, const struct comparison_setup *setup,
                         const struct summand__algorithm *algorithm)
{
    char fault[256];
    struct output output;
    struct hiding hiding;
    if (!output_open(&output, "draw", o->path))
        return 1;
    bool good = o->timeline ? picture_timeline(setup, algorithm, output.file, &hiding, fault)
                            : picture_structure(setup, algorithm, output.file, fault);
    if (!good)
        complain("draw", "%s %s: %s", algorithm->name, summand__collective_name(setup->collective),
                 fault);
    if (!output_close(&output, good))
        return 1;
    if (o->timeline && o->path)
        hiding_print(&hiding);
    return 0;
}

/* For a schedule of computations, puts and counters: only its time line can be drawn. */
static int write_sample(const struct draw_options *o, const struct comparison_setup *setup,
                        const struct summand__sample *sample)
{
    char fault[256];
    struct output output;
    if (!output_open(&output, "draw", o->path))
        return 1;
    bool good = picture_sample(setup, sample, output.file, fault);
    if (!good)
        complain("draw", "%s: %s", sample->name, fault);
    return !output_close(&output, good);
}

static int run_sample(struct draw_options *o, const struct parsing *parsing,
                      const struct summand__sample *sample)
{
    struct comparison_setup setup = {.rank_order = false, .collective = SUMMAND__COLL_ALLREDUCE};
    if (o->json || o->call.collective || o->call.count)
        return misuse("draw", "%s is drawn as a time line; it takes --ranks and the model only",
                      sample->name);
    o->call.algorithm = NULL;
    if (!setup_picture(o, parsing, &setup))
        return 2;
    if (setup.ranks.value[0] < 2)
        return misuse("draw", "%s: needs at least two ranks", sample->name);
    const int each = train_sample_named(sample->name) ? train_sample_ranks(sample) : 1;
    if (train_sample_named(sample->name) && setup.ranks.value[0] > each * TRAIN_STAGES_MOST)
        return misuse("draw", "%s: has at most %d stages", sample->name, TRAIN_STAGES_MOST);
    if (setup.ranks.value[0] % each)
        return misuse("draw", "%s: a stage has %d ranks, so their number is even", sample->name,
                      each);
    return write_sample(o, &setup, sample);
}

/* The tree of SUMMAND_PROMISE_INDEX, which is no schedule: it has no ranks in it. */
static const char index_tree[] = "index-tree";

static int write_index_tree(const struct draw_options *o, int ranks, int elements)
{
    if (o->json) {
        json_t *nodes = picture_index_tree_json(ranks, elements), *object = json_head("draw");
        if (!nodes)
            return complain("draw", "%s: out of memory", index_tree);
        json_object_update_new(object, json_make("siio", "algorithm", index_tree, "ranks", ranks,
                                                 "count", elements, "nodes", nodes));
        return write_json("draw", object, NULL);
    }
    struct output output;
    if (!output_open(&output, "draw", o->path))
        return 1;
    const bool good = picture_index_tree(ranks, elements, output.file);
    if (!good)
        complain("draw", "%s: out of memory", index_tree);
    return !output_close(&output, good);
}

static int run_index_tree(const struct draw_options *o, const struct parsing *parsing,
                          const struct option_row *rows)
{
    static const char *const taken[] = {"algorithm", "ranks", "count", "json", "output", NULL};
    struct numbers ranks, elements;
    const char *other = option_beyond(parsing, rows, taken);
    if (other)
        return misuse("draw", "%s takes --ranks and --count, not --%s", index_tree, other);
    if (!read_numbers(o->call.ranks, 1, PICTURE_MOST_RANKS, &ranks) || ranks.count != 1)
        return misuse("draw", "--ranks %s: one number of 1 to %d is expected", o->call.ranks,
                      PICTURE_MOST_RANKS);
    const char *count = o->call.count ? o->call.count : "20";
    if (!read_numbers(count, 1, PICTURE_MOST_ELEMENTS, &elements) || elements.count != 1)
        return misuse("draw", "--count %s: an index tree of one number of 1 to %d is drawn", count,
                      PICTURE_MOST_ELEMENTS);
    return write_index_tree(o, (int)ranks.value[0], (int)elements.value[0]);
}

static int print_json(const struct draw_options *o, const struct comparison_setup *setup,
                      const struct summand__algorithm *algorithm)
{
    char fault[256];
    struct hiding hiding;
    json_t *parts = o->timeline ? picture_timeline_json(setup, algorithm, &hiding, fault)
                                : picture_json(setup, algorithm, fault);
    if (!parts)
        return complain("draw", "%s %s: %s", algorithm->name,
                        summand__collective_name(setup->collective), fault);
    json_t *object = json_head("draw");
    json_object_update_new(object, json_make("ssII", "algorithm", algorithm->name, "collective",
                                             summand__collective_name(setup->collective), "ranks",
                                             (json_int_t)setup->ranks.value[0], "count",
                                             (json_int_t)setup->counts.value[0]));
    if (o->timeline)
        hiding_json(&hiding, object);
    json_object_set_new(object, o->timeline ? "spans" : "messages", parts);
    return write_json("draw", object, NULL);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct draw_options o = {.call = {.ranks = "12", .element = 4}};
    bool help;
    const struct option_row rows[] = {
        CALL_OPTIONS_OF(o.call, "N", "number of ranks, at most 512",
                        "elements (of each block where there are blocks); else enough to see"),
        {"timeline", 0, OPTION_FLAG, &o.timeline, NULL, "space and time, with the critical path",
         NULL},
        {"combining", 0, OPTION_FLAG, &o.combining, NULL,
         "the schedule that runs where messages within a node are combined as they arrive", NULL},
        {"output", 'o', OPTION_OUTPUT, &o.path, "FILE", "SVG file instead of stdout", NULL},
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print what would be drawn, as JSON", NULL},
        {0},
    };
    struct comparison_setup setup = {.rank_order = false};
    int operand = parse_options(parsing, &command_draw, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    if (operand < argc && !o.call.algorithm)
        o.call.algorithm = argv[operand++];
    if (operand < argc)
        return misuse("draw", "%s: one algorithm is drawn at a time", argv[operand]);
    if (!o.call.algorithm)
        return misuse("draw", "which algorithm? 'summand list' names them");
    if (o.json && o.path)
        return misuse("draw", "--json and --output exclude each other");
    if (!strcmp(o.call.algorithm, index_tree))
        return run_index_tree(&o, parsing, rows);
    const struct summand__algorithm *algorithm = algorithm_of(&o.call);
    const struct summand__sample *sample = summand__sample_named(o.call.algorithm);
    if (!sample)
        sample = train_sample_named(o.call.algorithm);
    if (sample)
        return run_sample(&o, parsing, sample);
    if (!algorithm)
        return misuse("draw", "%s: no such algorithm%s; 'summand list' names them",
                      o.call.algorithm, summand__nearest_algorithm(o.call.algorithm).text);
    if (!call_collective("draw", &o.call, first_collective(algorithm), &setup.collective) ||
        !setup_picture(&o, parsing, &setup))
        return 2;
    if (setup.collective == SUMMAND__COLL_OUTER && !option_given(parsing, "result"))
        setup.outer.result = comparison_first_result(algorithm);
    if (!comparison_runs_inside(&setup, algorithm))
        return misuse("draw", "%s runs no %s inside", algorithm->name, setup.outer.inside->name);
    if (!algorithm->build[setup.collective])
        return misuse("draw", "%s cannot do %s", algorithm->name,
                      summand__collective_name(setup.collective));
    int status = o.json ? print_json(&o, &setup, algorithm) : write_picture(&o, &setup, algorithm);
    nodes_free(&setup.nodes);
    return status;
}

const struct command command_draw = {
    .name = "draw",
    .summary = "an algorithm as a tree, as exchanges or as a time line (SVG)",
    .synopsis = "draw [options] ALGORITHM",
    .examples =
        "  summand draw binomial --ranks 12 -o tree.svg\n"
        "  summand draw recursive-doubling -p 8 -o exchanges.svg\n"
        "  summand draw binomial --timeline -p 32 -k 8 -n 1000 -o time.svg\n"
        "  summand draw index-tree --ranks 3 --count 9 -o index.svg\n"
        "  summand draw gather-product -p 4 -o overlap.svg\n"
        "  summand draw redistribution -p 6 -o messages.svg\n"
        "  summand draw outer-slices -p 6 --shape 90,60 --pairs 4 --result rows -o slices.svg\n"
        "  summand draw gemm --timeline -p 8 -k 1 -n 4096 -o product.svg\n"
        "  summand draw train-stashed -p 4 -o pipeline.svg\n"
        "  summand-study draw binary-cut -p 12 -o cut.svg    # an algorithm of a paper\n",
    .parallel = false,
    .run = run,
};

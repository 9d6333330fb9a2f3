/* summand draw: the tree of an algorithm, its exchanges, or its time line. */
#include <string.h>

#include "algorithm/call.h"
#include "cli/algorithms/picture.h"
#include "cli/common/cli.h"
#include "cli/common/nearest.h"
#include "cli/common/options_of_calls.h"
#include "cli/common/output.h"
#include "cli/common/setting.h"

extern const struct command command_draw;

static struct call_options call_options = {.ranks = "12"};
static bool timeline, combining, json;
static const char *path;

static const struct option_row rows[] = {
    CALL_OPTIONS(call_options),
    {"timeline", 't', OPTION_FLAG, &timeline, NULL, "space and time, with the critical path", NULL},
    {"combining", 0, OPTION_FLAG, &combining, NULL,
     "as it runs where messages within a node are combined as they arrive", NULL},
    {"output", 'o', OPTION_TEXT, &path, "FILE", "SVG file instead of stdout", NULL},
    {"json", 'j', OPTION_FLAG, &json, NULL, "print what would be drawn, as JSON", NULL},
    {0},
};

static enum summand__collective first_collective(const struct summand__algorithm *algorithm)
{
    int c = 0;
    while (c < SUMMAND__COLLECTIVES - 1 && !algorithm->build[c])
        c++;
    return (enum summand__collective)c;
}

static bool setup_picture(struct comparison_setup *setup)
{
    char count[24];
    if (!call_options.count) { /* trees: any; blocks: one element for each rank */
        long long ranks = 1;
        struct numbers numbers;
        if (read_numbers(call_options.ranks, 1, PICTURE_MOST_RANKS, &numbers))
            ranks = numbers.value[0];
        if (summand__has_blocks(setup->collective))
            ranks = 1;
        snprintf(count, sizeof count, "%lld", timeline ? 1000 : ranks);
        call_options.count = count;
    }
    if (!call_setup("draw", &call_options, setup))
        return false;
    if (setup->ranks.count > 1 || setup->ranks.value[0] > PICTURE_MOST_RANKS)
        return !complain("draw", "--ranks: wants one rank count up to %d", PICTURE_MOST_RANKS);
    if (setup->counts.count > 1)
        return !complain("draw", "--count: wants one count");
    setup->most_bytes = 100000000;
    setup->combines = combining;
    if (call_options.per_node && !setup->fixed[SUMMAND__NODE_SIZE]) /* the algorithm's nodes too */
        setup->fixed[SUMMAND__NODE_SIZE] = (size_t)call_options.per_node;
    return true;
}

static int write_picture(const struct comparison_setup *setup,
                         const struct summand__algorithm *algorithm)
{
    char fault[256];
    struct output output;
    if (!output_open(&output, "draw", path))
        return 1;
    bool good =
        (timeline ? picture_timeline : picture_structure)(setup, algorithm, output.file, fault);
    if (!good)
        complain("draw", "%s %s: %s", algorithm->name, summand__collective_name(setup->collective),
                 fault);
    return !output_close(&output, good);
}

/* A schedule of computations, puts and counters: its time line alone says what it is. */
static int write_sample(const struct comparison_setup *setup, const struct summand__sample *sample)
{
    char fault[256];
    struct output output;
    if (!output_open(&output, "draw", path))
        return 1;
    bool good = picture_sample(setup, sample, output.file, fault);
    if (!good)
        complain("draw", "%s: %s", sample->name, fault);
    return !output_close(&output, good);
}

static int run_sample(const struct summand__sample *sample)
{
    struct comparison_setup setup = {.rank_order = false, .collective = SUMMAND__COLL_ALLREDUCE};
    if (json || call_options.collective || call_options.count)
        return misuse("draw", "%s is drawn as a time line: --ranks and the model are all it takes",
                      sample->name);
    call_options.algorithm = NULL;
    if (!setup_picture(&setup))
        return 2;
    if (setup.ranks.value[0] < 2)
        return misuse("draw", "%s: wants two ranks or more", sample->name);
    return write_sample(&setup, sample);
}

static int print_json(const struct comparison_setup *setup,
                      const struct summand__algorithm *algorithm)
{
    char fault[256];
    json_t *parts = picture_json(setup, algorithm, timeline, fault);
    if (!parts)
        return complain("draw", "%s %s: %s", algorithm->name,
                        summand__collective_name(setup->collective), fault);
    json_t *object = json_head("draw");
    json_object_update_new(object,
                           json_pack("{s:s, s:s, s:I, s:I}", "algorithm", algorithm->name,
                                     "collective", summand__collective_name(setup->collective),
                                     "ranks", (json_int_t)setup->ranks.value[0], "count",
                                     (json_int_t)setup->counts.value[0]));
    json_object_set_new(object, timeline ? "spans" : "messages", parts);
    return write_json("draw", object, NULL);
}

static int run(int argc, char **argv)
{
    bool help;
    struct comparison_setup setup = {.rank_order = false};
    int operand = parse_options(&command_draw, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    if (operand < argc && !call_options.algorithm)
        call_options.algorithm = argv[operand++];
    if (operand < argc)
        return misuse("draw", "%s: one algorithm is drawn at a time", argv[operand]);
    if (!call_options.algorithm)
        return misuse("draw", "which algorithm? 'summand list' names them");
    const struct summand__algorithm *algorithm = summand__algorithm_named(call_options.algorithm);
    const struct summand__sample *sample = summand__sample_named(call_options.algorithm);
    if (sample)
        return run_sample(sample);
    if (!algorithm)
        return misuse("draw", "%s: no such algorithm%s; 'summand list' names them",
                      call_options.algorithm, nearest_algorithm(call_options.algorithm));
    if (!call_collective("draw", &call_options, first_collective(algorithm), &setup.collective) ||
        !setup_picture(&setup))
        return 2;
    if (!algorithm->build[setup.collective])
        return misuse("draw", "%s does no %s", algorithm->name,
                      summand__collective_name(setup.collective));
    if (json && path)
        return misuse("draw", "--json, --output: one of them");
    return json ? print_json(&setup, algorithm) : write_picture(&setup, algorithm);
}

const struct command command_draw = {
    .name = "draw",
    .summary = "an algorithm as a tree, as exchanges or as a time line (SVG)",
    .synopsis = "draw [options] ALGORITHM",
    .examples = "  summand draw binomial --ranks 12 -o tree.svg\n"
                "  summand draw recursive-doubling -p 8 -o exchanges.svg\n"
                "  summand draw binomial --timeline -p 32 -k 8 -n 1000 -o time.svg\n"
                "  summand draw gather-product -p 4 -o overlap.svg\n",
    .parallel = false,
    .run = run,
};

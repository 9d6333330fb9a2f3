/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/algorithms.md: the table of algorithms with pictures, costs and predictions. */
#include <ctype.h>
#include <string.h>

#include "algorithm/call.h"
#include "cli/algorithms/list.h"
#include "cli/algorithms/picture.h"
#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/output/output.h"
#include "cli/tune/comparison_outer.h"

extern const struct command page_algorithms;

/* Sizes of the pictures and predictions. */
enum { TREE_RANKS = 12, TIME_RANKS = 16, TIME_NODE = 4, TIME_SEGMENT = 250 };
enum { PREDICTED_RANKS = 64, MOST_BYTES = 1000000000 };

static const char head[] =
    "# Algorithms\n\n"
    "<!-- Made by `make docs`, which runs `summand-pages algorithms`; edit that, not this. -->\n\n"
    "Every algorithm is a pure function from a call to the list of steps of each rank. "
    "`summand verify` proves it,\n"
    "`summand predict` predicts its time, `summand draw` draws it. Promises:\n\n"
    "- *rank order*: operands are combined in rank order, so the operator need only be "
    "associative. Without this promise it must\n  be commutative too.\n"
    "- *same bits*: every rank gets the same bits.\n"
    "- *canonical*: the bits depend only on the inputs, the operator and the rank count. All "
    "canonical algorithms give the same bits.\n"
    "- *pair order*: pairs of vectors, or elements of the inner dimension, are added in their "
    "order. So the bits do not depend on the\n  rank count.\n\n"
    "A node may have any number of ranks, in any order. If operands must stay in rank order, a "
    "run of consecutive ranks of a node\ncounts as a node.\n\n";

static int first_collective(const struct summand__algorithm *algorithm)
{
    int c = 0;
    while (c < SUMMAND__COLLECTIVES && !algorithm->build[c])
        c++;
    return c;
}

/* A setup of floats on the first model, for a number of ranks. */
static struct comparison_setup setup_of(enum summand__collective collective, int ranks)
{
    return (struct comparison_setup){
        .command = "algorithms",
        .collective = collective,
        .element = 4,
        .model = *model_entries[0].model,
        .model_name = model_entries[0].name,
        .most_bytes = MOST_BYTES,
        .ranks = {1, {ranks}},
    };
}

static struct comparison_setup picture_setup(const struct summand__algorithm *algorithm,
                                             bool timeline)
{
    enum summand__collective collective = (enum summand__collective)first_collective(algorithm);
    long long time_count = picture_time_count(collective);
    struct comparison_setup setup = setup_of(collective, timeline ? TIME_RANKS : TREE_RANKS);
    if (collective == SUMMAND__COLL_OUTER)
        setup.outer =
            (struct summand__outer_form){.pairs = 1, .result = comparison_first_result(algorithm)};
    setup.counts.count = 1;
    setup.counts.value[0] = timeline ? time_count : TREE_RANKS;
    bool blocks = summand__has_blocks(setup.collective);
    setup.model.per_node = TIME_NODE;
    if (blocks)
        setup.counts.value[0] = timeline ? time_count / TIME_RANKS : 1;
    if (algorithm->limits[SUMMAND__SEGMENT].most && timeline)
        setup.fixed[SUMMAND__SEGMENT] = TIME_SEGMENT;
    if (algorithm->limits[SUMMAND__NODE_SIZE].most)
        setup.fixed[SUMMAND__NODE_SIZE] = TIME_NODE;
    return setup;
}

static bool write_pictures(const char *directory, const struct summand__algorithm *algorithm)
{
    for (int timeline = 0; timeline < 2; timeline++) {
        char path[1024], fault[256];
        struct comparison_setup setup = picture_setup(algorithm, timeline);
        struct output output;
        struct hiding hiding;
        snprintf(path, sizeof path, "%s/%s%s.svg", directory, algorithm->name,
                 timeline ? "-time" : "");
        if (!output_open(&output, "algorithms", path))
            return false;
        bool good = timeline ? picture_timeline(&setup, algorithm, output.file, &hiding, fault)
                             : picture_structure(&setup, algorithm, output.file, fault);
        if (!good)
            complain("algorithms", "%s: %s", path, fault);
        if (!output_close(&output, good))
            return false;
    }
    return true;
}

static void write_costs(const struct summand__algorithm *algorithm, FILE *out)
{
    fprintf(out,
            "| on %d ranks, %d elements (of each block) | messages | elements sent | depth |\n",
            LIST_RANKS, LIST_COUNT);
    fprintf(out, "|---|--:|--:|--:|\n");
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++) {
        struct summand__cost cost;
        if (algorithm->build[c] && list_cost(algorithm, (enum summand__collective)c, &cost))
            fprintf(out, "| %s | %zu | %zu | %s%zu |\n",
                    summand__collective_name((enum summand__collective)c), cost.messages,
                    cost.elements, cost.depth_at_most ? "at most " : "", cost.depth);
    }
}

static void write_section(int index, FILE *out)
{
    const summand_algorithm *algorithm = summand_algorithm_at(index);
    char text[512];
    const char *name = algorithm->name;
    fprintf(out, "\n## %s\n\n%c%s.\n\n", name, toupper((unsigned char)*algorithm->description),
            algorithm->description + 1);
    list_promises(algorithm, text, sizeof text);
    fprintf(out, "- Promises: %s\n", text);
    list_parameters(algorithm, text, sizeof text);
    if (*text)
        fprintf(out, "- Parameters, from..to [default]: %s\n", text);
    fprintf(out, "- Source: %s\n\n", algorithm->source);
    write_costs(summand__algorithms[index], out);
    fprintf(
        out,
        "\n![%s on %d ranks](pictures/%s.svg)\n\n![%s in space and time](pictures/%s-time.svg)\n",
        name, TREE_RANKS, name, name, name);
}

static void write_table(FILE *out)
{
    char collectives[256], promises[128], parameters[512];
    fprintf(out, "| algorithm | collectives | promises | parameters |\n|---|---|---|---|\n");
    for (int i = 0; summand__algorithms[i]; i++) {
        const summand_algorithm *algorithm = summand_algorithm_at(i);
        list_collectives(algorithm, collectives, sizeof collectives);
        list_promises(algorithm, promises, sizeof promises);
        list_parameters(algorithm, parameters, sizeof parameters);
        fprintf(out, "| [%s](#%s) | %s | %s | %s |\n", algorithm->name, algorithm->name,
                collectives, promises, parameters);
    }
}

/* The best algorithm of each size on a few nodes, and the chart of all. */
static bool write_prediction(enum summand__collective collective, const char *pictures, FILE *out)
{
    struct comparison_setup setup = setup_of(collective, PREDICTED_RANKS);
    long long count = 1;
    for (setup.counts.count = 0; setup.counts.count < 7; count *= 10)
        setup.counts.value[setup.counts.count++] = count;
    const char *name = summand__collective_name(collective);
    struct comparison comparison;
    char path[1024], parameters[128];
    if (!comparison_run(&setup, &comparison))
        return false;
    fprintf(out, "\n### Predicted %s\n\n", name);
    fprintf(out, "`summand predict -c %s -p %d -n 1..1000000`:\n\n", name, PREDICTED_RANKS);
    fprintf(out, "| elements | microseconds | best | parameters |\n|--:|--:|---|---|\n");
    for (int p = 0; p < comparison.points; p++) {
        if (comparison.best[p] < 0)
            continue;
        const struct summand__algorithm *best = comparison.algorithm[comparison.best[p]];
        const struct comparison_entry *entry = comparison_at(&comparison, comparison.best[p], p);
        comparison_parameters_text(best, entry->parameter, parameters, sizeof parameters);
        fprintf(out, "| %zu | %.2f | %s | %s |\n", comparison_count(&setup, p),
                entry->seconds * 1e6, best->name, parameters);
    }
    fprintf(out, "\n![%s, time against size](pictures/predict-%s.svg)\n", name, name);
    snprintf(path, sizeof path, "%s/predict-%s.svg", pictures ? pictures : "", name);
    bool good = !pictures || comparison_svg(&comparison, path);
    comparison_free(&comparison);
    return good;
}

static bool write_page(FILE *out, const char *pictures)
{
    fputs(head, out);
    write_table(out);
    fprintf(out,
            "\n## Which is best where\n\n"
            "On the machine `%s` (%s), by `summand predict`; [scale.md](results/scale.md) has "
            "simulations.\n",
            model_entries[0].name, model_entries[0].meaning);
    if (!write_prediction(SUMMAND__COLL_REDUCE, pictures, out) ||
        !write_prediction(SUMMAND__COLL_ALLREDUCE, pictures, out))
        return false;
    for (int i = 0; summand__algorithms[i]; i++) {
        write_section(i, out);
        if (pictures && !write_pictures(pictures, summand__algorithms[i]))
            return false;
    }
    return true;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *pictures = NULL;
    bool help;
    const struct option_row rows[] = {
        {"pictures", 0, OPTION_FOLDER, &pictures, "DIR", "write its pictures there", NULL}, {0}};
    int first = parse_options(parsing, &page_algorithms, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (first < argc)
        return misuse(page_algorithms.name, "%s: no operand expected", argv[first]);
    return write_page(stdout, pictures) ? 0 : 1;
}

const struct command page_algorithms = {
    .name = "algorithms",
    .summary = "docs/algorithms.md and its pictures",
    .synopsis = "algorithms [options]",
    .examples = "  summand-pages algorithms --pictures docs/pictures > docs/algorithms.md\n",
    .run = run,
};

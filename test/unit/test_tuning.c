/* SPDX-License-Identifier: BSD-3-Clause */
/* The tuning file: which lines are read, refused or ignored, which line wins on overlaps, and that
 * a written file reads back the same. */
#include <sys/resource.h>

#include "algorithm/call.h"
#include "lab/tuning/tuning.h"
#include "unit/unit.h"

enum { K = 1024, M = 1024 * 1024 };

static bool parse(const char *text, struct summand__tuning *tuning, char fault[256])
{
    return summand__tuning_parse(tuning, text, strlen(text), fault, 256);
}

static struct summand__tuning parsed(const char *text)
{
    struct summand__tuning tuning;
    char fault[256];
    if (!parse(text, &tuning, fault))
        fail_msg("'%s': %s", text, fault);
    return tuning;
}

/* "ring segment=2048 ..." as chosen for doubles, or "" if no line matches. */
static const char *chosen(const struct summand__tuning *tuning, enum summand__collective collective,
                          int ranks, size_t node, size_t bytes, unsigned promises)
{
    static char text[200];
    struct summand__query query = {.collective = collective,
                                   .ranks = ranks,
                                   .node_size = node,
                                   .bytes = bytes,
                                   .element = 8,
                                   .promises = promises};
    struct summand__call call = {.collective = collective, .ranks = ranks, .count = bytes / 8};
    struct summand__choice choice;
    if (!summand__tuning_lookup(tuning, &query, &call, &choice))
        return "";
    size_t used = (size_t)snprintf(text, sizeof text, "%s", choice.algorithm->name);
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (choice.parameter[i] && i != SUMMAND__NODE_SIZE)
            used += (size_t)snprintf(text + used, sizeof text - used, " %s=%zu",
                                     summand__parameter_name((enum summand__parameter)i),
                                     choice.parameter[i]);
    return text;
}

#define ALLREDUCE SUMMAND__COLL_ALLREDUCE
#define REDUCE SUMMAND__COLL_REDUCE
#define ORDERED SUMMAND__RANK_ORDER
#define CANONICAL (SUMMAND__RANK_ORDER | SUMMAND__CANONICAL)

TEST(test_ranges)
{
    struct summand__tuning tuning = parsed("\xef\xbb\xbf# a comment\r"
                                           "\r\n"
                                           "allreduce 8 64k-1m ring segment=8k # another\r\n"
                                           "\t allreduce 8/4  4m-\trabenseifner \n"
                                           "reduce * 0-100 linear");
    assert_int_equal(tuning.rules, 3);
    assert_true(summand__tuning_has_model("\xef\xbb\xbf# a\rmodel x = 1", 19));
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 64 * K - 1, 0), "");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 64 * K, 0), "ring segment=1024");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 16, M - 1, 0), "ring segment=1024");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, M, 0), "");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 4, 64 * K, 0), "");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 7, 7, 64 * K, 0), "");
    assert_string_equal(chosen(&tuning, REDUCE, 8, 8, 64 * K, 0), "");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 4, 4 * M, 0), "rabenseifner");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 4, SIZE_MAX / 2, 0), "rabenseifner");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 4 * M, 0), "");
    assert_string_equal(chosen(&tuning, REDUCE, 1, 1, 0, 0), "linear");
    assert_string_equal(chosen(&tuning, REDUCE, 1000, 16, 99, 0), "linear");
    assert_string_equal(chosen(&tuning, REDUCE, 1000, 16, 100, 0), "");
    summand__tuning_free(&tuning);
}

TEST(test_last_line_that_holds)
{
    struct summand__tuning tuning = parsed("allreduce 8 0- rabenseifner\n"
                                           "allreduce 8 4k-8k recursive-doubling\n"
                                           "allreduce 8 6k-7k ring\n" /* commutative only */
                                           "allreduce 8 0-1k linear promise=ordered\n"
                                           "allreduce 8 0-1k binomial promise=canonical\n"
                                           "allreduce 8 0-512 rabenseifner promise=canonical\n");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 2 * K, 0), "rabenseifner");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 5 * K, 0), "recursive-doubling");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 6 * K, 0), "ring");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 6 * K, ORDERED), "recursive-doubling");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 100, 0), "rabenseifner");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 100, ORDERED), "linear");
    bool keeps =
        summand__promises_kept(summand__algorithm_named("rabenseifner"), ALLREDUCE, CANONICAL);
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 100, CANONICAL),
                        keeps ? "rabenseifner" : "binomial");
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 600, CANONICAL), "binomial");
    summand__tuning_free(&tuning);
}

TEST(test_promises_hold_everywhere)
{
    static const unsigned asked[] = {0, ORDERED, CANONICAL};
    for (int a = 0; summand__algorithms[a]; a++)
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (int p = 0; p < 3; p++) {
                char text[100];
                enum summand__collective collective = (enum summand__collective)c;
                const struct summand__algorithm *algorithm = summand__algorithms[a];
                snprintf(text, sizeof text, "%s 5 0- %s\n", summand__collective_name(collective),
                         algorithm->name);
                struct summand__tuning tuning = parsed(text);
                bool does = algorithm->build[c];
                assert_int_equal(tuning.left_out, !does);
                bool may = does && summand__promises_kept(algorithm, collective, asked[p]);
                const char *got = chosen(&tuning, collective, 5, 5, 4000, asked[p]);
                assert_string_equal(got, may ? algorithm->name : "");
                summand__tuning_free(&tuning);
            }
}

TEST(test_damage)
{
    static char longest[1100];
    memset(longest, '#', sizeof longest - 1);
    static const char *const damaged[] = {
        "allreduce",
        "allreduce 8",
        "allreduce 8 0-1k",
        "allgather_all 8 0- ring",
        "ALLREDUCE 8 0- ring",
        "allreduce 0 0- ring",
        "allreduce -8 0- ring",
        "allreduce 8x 0- ring",
        "allreduce 8/ 0- ring",
        "allreduce 8/9 0- ring",
        "allreduce 8/0 0- ring",
        "allreduce 8/4/2 0- ring",
        "allreduce 99999999999 0- ring",
        "allreduce 8 64k ring",
        "allreduce 8 - ring",
        "allreduce 8 -4 ring",
        "allreduce 8 4k-4k ring",
        "allreduce 8 9223372036854775807-5 ring",
        "allreduce 8 4k-1k ring",
        "allreduce 8 0-1t ring",
        "allreduce 8 0-1.5k ring",
        "allreduce 8 0-9999999999999999999 ring",
        "allreduce 8 0-9999999999g ring",
        "allreduce 8 0x10-4k ring",
        "allreduce 8 0- ring segment",
        "allreduce 8 0- ring =8k",
        "allreduce 8 0- ring segment=",
        "allreduce 8 0- ring segment=0",
        "allreduce 8 0- ring segment=-1",
        "allreduce 8 0- ring segment=8kk",
        "allreduce 8 0- ring segment=8k segment=8k",
        "allreduce 8 0- ring promise=ordered promise=canonical",
        "allreduce 8 0- ring nodes=runs nodes=runs",
        "allreduce 8 0- ring a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1",
        "model",
        "model network.latency",
        "model network.latency = ",
        "model network.latency = 1e-6 s",
        "model network.latency = -1",
        "model network.latency = nan",
        "model network.latency = 1e-6", /* the others are missing */
        "model per_node = 1.5",
        "machine one\nmachine two",
        "machine  ",
        "# a remark\rsomething",
        "allreduce\v8 0- ring",
        "\x1b[31m",
        "\x7f"
        "ELF",
        "{\"results\": []}",
        longest,
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        for (int lines = 0; lines < 2; lines++) {
            char text[3000], fault[256] = "";
            struct summand__tuning tuning;
            snprintf(text, sizeof text, "%s%s\n", lines ? "allreduce 8 0- ring\n" : "", damaged[i]);
            if (parse(text, &tuning, fault))
                fail_msg("not refused: %s", text);
            assert_true(!strncmp(fault, "line ", 5));
            assert_null(tuning.rule);
            assert_int_equal(tuning.rules, 0);
            struct summand__query query = {.collective = ALLREDUCE, .ranks = 8};
            struct summand__call call = {.collective = ALLREDUCE, .ranks = 8};
            struct summand__choice choice;
            assert_false(summand__tuning_lookup(&tuning, &query, &call, &choice));
        }
    struct summand__tuning tuning;
    char fault[256];
    assert_false(summand__tuning_parse(&tuning, "#\0\n", 3, fault, sizeof fault));
    assert_true(summand__tuning_parse(&tuning, "", 0, fault, sizeof fault));
    summand__tuning_free(&tuning);
}

/* Lack of memory is reported as such, not as damage. */
TEST(test_out_of_memory)
{
#ifdef __SANITIZE_ADDRESS__
    skip(); /* this ends the process if memory is lacking */
#endif
    enum { LINES = 400000 };
    static const char line[] = "allreduce 8 0- ring\n";
    size_t length = sizeof line - 1;
    char *text = malloc(LINES * length), fault[256] = "none";
    struct summand__tuning tuning;
    struct rlimit kept, few;
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + i * length, line, length);
    getrlimit(RLIMIT_DATA, &kept);
    few = kept;
    few.rlim_cur = LINES * length + ((size_t)16 << 20);
    setrlimit(RLIMIT_DATA, &few);
    bool good = summand__tuning_parse(&tuning, text, LINES * length, fault, sizeof fault);
    setrlimit(RLIMIT_DATA, &kept);
    assert_false(good);
    assert_string_equal(fault, "");
    assert_null(tuning.rule);
    assert_true(summand__tuning_parse(&tuning, text, LINES * length, fault, sizeof fault));
    assert_int_equal(tuning.rules, LINES);
    summand__tuning_free(&tuning);
    free(text);
}

TEST(test_left_out)
{
    struct summand__tuning tuning = parsed("allreduce 8 0- ring-of-fire segment=8k\n"
                                           "allreduce 8 0- ring radix=4\n"
                                           "allreduce 8 0- ring colour=4\n"
                                           "allreduce 8 0- ring promise=fast\n"
                                           "allreduce 8 0- ring nodes=thirds\n"
                                           "allgather 8 0- dual-root segment=4k\n"
                                           "allreduce 8 0- k-nomial radix=1\n"
                                           "allreduce 8 0- ring\n");
    bool gathers = summand__algorithm_named("dual-root")->build[SUMMAND__COLL_ALLGATHER];
    assert_int_equal(tuning.left_out, gathers ? 6 : 7);
    assert_int_equal(tuning.rules, gathers ? 2 : 1);
    assert_non_null(strstr(tuning.left_out_why, "line 1: no algorithm is called 'ring-of-fire'"));
    assert_string_equal(chosen(&tuning, ALLREDUCE, 8, 8, 100, 0), "ring");
    summand__tuning_free(&tuning);
}

static char *written(const struct summand__tuning *tuning)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    summand__tuning_write(tuning, out);
    fclose(out);
    return text;
}

static void check_written(const char *text, const char *want)
{
    struct summand__tuning tuning = parsed(text), again;
    char *first = written(&tuning);
    again = parsed(first);
    char *second = written(&again);
    assert_string_equal(first, want ? want : text);
    assert_string_equal(second, first);
    free(first);
    free(second);
    summand__tuning_free(&tuning);
    summand__tuning_free(&again);
}

/* Nodes of any sizes have their own lines; nodes of one rank also have those of earlier files. */
TEST(test_uneven)
{
    static const int first[] = {0, 3, 4};
    const struct summand__grouping grouping = {
        .ranks = 4, .groups = 2, .most = 3, .least = 1, .first = first};
    static const struct {
        const char *text, *uneven, *ones;
    } cases[] = {{"allreduce 4/uneven 0- ring", "ring", ""},
                 {"allreduce 4/1 0- ring", "ring", "ring"},
                 {"allreduce 4/1 0- chain\nallreduce 4/uneven 0- ring", "ring", "chain"},
                 {"allreduce */uneven 0- ring", "ring", ""},
                 {"allreduce 5/uneven 0- ring", "", ""},
                 {"allreduce 4/3 0- ring", "", ""},
                 {"allreduce 4/* 0- ring", "ring", "ring"}};
    for (int i = 0; i < 7; i++) {
        struct summand__tuning tuning = parsed(cases[i].text);
        struct summand__query query = {.collective = ALLREDUCE,
                                       .ranks = 4,
                                       .node_size = 3,
                                       .grouping = &grouping,
                                       .bytes = 64,
                                       .element = 8};
        struct summand__call call = {
            .collective = ALLREDUCE, .ranks = 4, .count = 8, .grouping = &grouping};
        struct summand__choice choice;
        bool found = summand__tuning_lookup(&tuning, &query, &call, &choice);
        assert_string_equal(found ? choice.algorithm->name : "", cases[i].uneven);
        assert_string_equal(chosen(&tuning, ALLREDUCE, 4, 1, 64, 0), cases[i].ones);
        summand__tuning_free(&tuning);
    }
    check_written("allreduce 4/uneven 0- ring", "allreduce 4/uneven 0- ring\n");
    check_written("allreduce 4/uneven 0-8 ring\nallreduce 4/uneven 8- ring nodes=runs\n", NULL);
    check_written("allreduce */uneven 0- ring", "allreduce */uneven 0- ring\n");
}

/* The parts of nodes that a rule means, where ranks lie in turn on two nodes. */
TEST(test_runs)
{
    struct summand__groupings *both;
    assert_true(summand__groupings_make((const int[]){0, 1, 0, 1}, 4, 2, &both));
    struct summand__tuning tuning = parsed("allreduce 4/uneven 0- chain\n"
                                           "allreduce 4/uneven 64- ring nodes=runs\n");
    for (size_t bytes = 8; bytes <= 64; bytes += 56) {
        struct summand__query query = {.collective = ALLREDUCE,
                                       .ranks = 4,
                                       .node_size = 2,
                                       .grouping = &both->any,
                                       .groupings = both,
                                       .bytes = bytes,
                                       .element = 8};
        struct summand__call call = {
            .collective = ALLREDUCE, .ranks = 4, .count = bytes / 8, .grouping = &both->any};
        struct summand__choice choice;
        assert_true(summand__tuning_lookup(&tuning, &query, &call, &choice));
        assert_int_equal(choice.runs, bytes == 64);
        assert_int_equal(choice.parameter[SUMMAND__NODE_SIZE], bytes == 64 ? 1 : 2);
        if (bytes < 64)
            continue;
        query.grouping = NULL; /* no other nodes are known */
        query.groupings = NULL;
        query.node_size = 1;
        tuning.rule[1].node_size = 1;
        assert_true(summand__tuning_lookup(&tuning, &query, &call, &choice));
        assert_false(choice.runs);
    }
    summand__tuning_free(&tuning);
    free(both);
}

TEST(test_write)
{
    check_written("machine An \"odd\" # CPU, 2 per node, MPI 4.1\n"
                  "allreduce 8 64k-1m ring segment=8k\n"
                  "allreduce 8/4 0-3 linear promise=ordered\n"
                  "allreduce 8/* 1025-1g rabenseifner promise=canonical\n"
                  "reduce * 0- k-nomial segment=65 radix=3\n"
                  "allreduce */4 4m- node-rabenseifner node=2 leaders=2\n",
                  NULL);
    check_written("allreduce 8/8 0065536-1048576 ring segment=8192\n",
                  "allreduce 8 64k-1m ring segment=8k\n");
}

TEST(test_model)
{
    struct summand__tuning tuning = {.has_model = true};
    double number = 1;
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++)
        *summand__model_value(&tuning.model, row) =
            row->whole ? row->least : row->least + (number /= 3);
    char *text = written(&tuning);
    struct summand__tuning again = parsed(text);
    assert_true(again.has_model);
    assert_memory_equal(&again.model, &tuning.model, sizeof tuning.model);
    free(text);
    summand__tuning_free(&again);
}

/* Finds whether a text has lines of a model, without reading them. */
TEST(test_has_model)
{
    static const char *const with[] = {"model eager = 1\n", "# a\n\t model eager = 1",
                                       "reduce 4 0- chain\nmodel\teager = 1\n"};
    static const char *const without[] = {"",
                                          "model",
                                          "models eager",
                                          "# model eager = 1\n",
                                          "reduce 4 0- chain\n\n  \n",
                                          "machine model x\n"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        assert_true(summand__tuning_has_model(with[i], strlen(with[i])));
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_false(summand__tuning_has_model(without[i], strlen(without[i])));
}

/* A file of a version that lacked a row. */
static void check_older(const char *row, double before, double after)
{
    struct summand__tuning tuning = {.has_model = true,
                                     .model = {.per_node = 1, .oversubscription = 3}};
    const struct summand__model_row *of = summand__model_row_named(row);
    *summand__model_value(&tuning.model, of) = before;
    char *text = written(&tuning), shorter[8192], name[40];
    assert_true(snprintf(shorter, sizeof shorter, "%s", text) < (int)sizeof shorter);
    snprintf(name, sizeof name, "model %s", row);
    char *line = strstr(shorter, name), *next = strchr(line, '\n') + 1;
    memmove(line, next, strlen(next) + 1);
    struct summand__tuning again = parsed(shorter);
    assert_true(again.has_model);
    assert_float_equal(*summand__model_value(&again.model, of), after, 0);
    free(text);
    summand__tuning_free(&again);
}

TEST(test_older_model)
{
    check_older("oversubscription", 3, 1);
    check_older("put_asks", 1, 0);
}

static void put(struct summand__tuning *tuning, const char *line)
{
    struct summand__tuning one = parsed(line);
    for (size_t i = 0; i < one.rules; i++)
        assert_true(summand__tuning_put(tuning, &one.rule[i]));
    summand__tuning_free(&one);
}

TEST(test_drop)
{
    struct summand__tuning tuning = {.rules = 0}, gone = parsed("reduce 4 2k-9k linear\n");
    put(&tuning, "reduce 4 0-4k binomial\nreduce 4 4k-8k chain\nreduce 4 8k- binomial\n"
                 "reduce 4 3k-4k chain promise=ordered\nreduce 5 0- chain\n");
    assert_true(summand__tuning_drop(&tuning, &gone.rule[0]));
    summand__tuning_tidy(&tuning);
    char *text = written(&tuning);
    assert_string_equal(text, "reduce 4 0-2k binomial\nreduce 4 9k- binomial\n"
                              "reduce 4 3k-4k chain promise=ordered\nreduce 5 0- chain\n");
    free(text);
    summand__tuning_free(&tuning);
    summand__tuning_free(&gone);
}

static void check_merge(const char *old, const char *new, const char *want)
{
    struct summand__tuning tuning = {.rules = 0};
    put(&tuning, old);
    put(&tuning, new);
    summand__tuning_tidy(&tuning);
    char *text = written(&tuning);
    assert_string_equal(text, want);
    free(text);
    summand__tuning_free(&tuning);
}

TEST(test_merge)
{
    check_merge("reduce 4 0-8k binomial\n", "reduce 4 2k-4k chain\n",
                "reduce 4 0-2k binomial\nreduce 4 2k-4k chain\nreduce 4 4k-8k binomial\n");
    check_merge("reduce 4 0-8k binomial\n", "reduce 4 0-8k chain\n", "reduce 4 0-8k chain\n");
    check_merge("reduce 4 0-8k binomial\n", "reduce 4 8k- binomial\n", "reduce 4 0- binomial\n");
    check_merge("reduce 4 0-8k binomial\n", "reduce 4 4k-8k binomial segment=1k\n",
                "reduce 4 0-4k binomial\nreduce 4 4k-8k binomial segment=1k\n");
    check_merge("reduce 4 0-1k binomial\nreduce 4 1k-2k chain\nreduce 4 2k-4k linear\n",
                "reduce 4 512-3k rabenseifner\n",
                "reduce 4 0-512 binomial\nreduce 4 512-3k rabenseifner\nreduce 4 3k-4k linear\n");
    check_merge("reduce 4/2 0- binomial\nreduce 4 0- linear promise=ordered\n",
                "reduce 4 0- chain\nreduce * 0- k-ary\n",
                "reduce * 0- k-ary\nreduce 4/2 0- binomial\nreduce 4 0- chain\n"
                "reduce 4 0- linear promise=ordered\n");
}

/* Against a table of single bytes, over many seeded ranges. */
TEST(test_merge_random)
{
    static const char *const names[] = {"binomial", "chain", "linear", "rabenseifner"};
    enum { BYTES = 60 };
    uint64_t seed = 1;
    for (int round = 0; round < 300; round++) {
        struct summand__tuning tuning = {.rules = 0};
        const char *want[BYTES] = {NULL};
        for (int n = 0; n < 12; n++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            size_t a = (seed >> 33) % BYTES, b = (seed >> 43) % BYTES;
            if (a == b)
                continue;
            struct summand__tuning_rule rule = {
                .collective = REDUCE, .ranks = 3, .node_size = 3, .least = a < b ? a : b};
            rule.end = a < b ? b : a;
            rule.algorithm = summand__algorithm_named(names[(seed >> 53) % 4]);
            assert_true(summand__tuning_put(&tuning, &rule));
            for (size_t i = rule.least; i < rule.end; i++)
                want[i] = rule.algorithm->name;
        }
        for (int tidy = 0; tidy < 2; tidy++) {
            for (size_t i = 0; i < BYTES; i++)
                assert_string_equal(chosen(&tuning, REDUCE, 3, 3, i, 0), want[i] ? want[i] : "");
            summand__tuning_tidy(&tuning);
        }
        for (size_t i = 0; i + 1 < tuning.rules; i++)
            assert_true(tuning.rule[i].end <= tuning.rule[i + 1].least);
        summand__tuning_free(&tuning);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of the event simulator that resumes from a file ends with the same bits in all of its
 * state. Files that belong to another run are refused. */
#include "lab/gossip/data.h"
#include "lab/gossip/events.h"
#include "lab/gossip/large.h"
#include "unit/unit.h"

#include <unistd.h>

enum { NODES = 64, MUTATIONS = 2000, LARGE = 300 };

static const char whole[] = "checkpoint-whole", part[] = "checkpoint-part",
                  kept[] = "checkpoint-kept";

struct scene {
    struct summand__topology topology;
    double values[NODES];
    struct summand__events_setup setup;
    int asked, save_at; /* counts the calls that ask whether to save */
};

static char *contents(const char *path, long *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *size = ftell(in);
    rewind(in);
    char *text = malloc((size_t)*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)*size, in), *size);
    fclose(in);
    return text;
}

static void put(const char *path, const char *text, long size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, (size_t)size, out), size);
    fclose(out);
}

/* Saves once and keeps the file's content of some time later, as if the run had been killed then.
 * */
static bool due(void *context)
{
    struct scene *scene = context;
    long size;
    if (++scene->asked == scene->save_at + 1) {
        char *text = contents(scene->setup.checkpoint, &size);
        put(kept, text, size);
        free(text);
    }
    return scene->asked == scene->save_at;
}

static void remove_files(void)
{
    unlink(whole);
    unlink(part);
    unlink(kept);
}

static struct scene *make_scene(const char *algorithm, const struct summand__arith *arith)
{
    struct scene *scene = calloc(1, sizeof *scene);
    remove_files(); /* of a test that failed */
    assert_null(summand__topology_make(&scene->topology, "regular:5", NODES, 3));
    for (int i = 0; i < NODES; i++)
        scene->values[i] = summand__datum(SUMMAND__DATA_UNIFORM, 7, NODES, i);
    scene->setup =
        (struct summand__events_setup){.algorithm = summand__gossip_named(algorithm),
                                       .arith = arith,
                                       .topology = &scene->topology,
                                       .values = scene->values,
                                       .seed = 4,
                                       .tau = -1,
                                       .eps = 0,
                                       .most_messages = 150,
                                       .period = {1, 0.2, false},
                                       .latency = {1, 1, true},
                                       .loss = 0.05,
                                       .duplication = 0.05,
                                       .fault = {SUMMAND__FAULT_FLOW, SUMMAND__FAULT_ANY, -1},
                                       .fault_after = 60,
                                       .fault_rate = 1e-3,
                                       .stop_rank = 9,
                                       .stop_time = 40,
                                       .report_delay = 60,
                                       .due = due,
                                       .context = scene};
    return scene;
}

static void free_scene(struct scene *scene)
{
    summand__topology_free(&scene->topology);
    free(scene);
    remove_files();
}

static void go_on_from(const char *algorithm, const struct summand__arith *arith, int save_at)
{
    struct scene *scene = make_scene(algorithm, arith);
    struct summand__events_outcome first, again;
    long sizes[2];
    scene->save_at = save_at;
    scene->setup.checkpoint = whole;
    assert_true(summand__events_run(&scene->setup, &first));
    assert_true(scene->asked > save_at);
    scene->save_at = 1 << 30;
    scene->setup.checkpoint = kept;
    assert_true(summand__events_run(&scene->setup, &again));
    assert_memory_equal(&first, &again, sizeof first);
    char *ends[2] = {contents(whole, &sizes[0]), contents(kept, &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(ends[0], ends[1], (size_t)sizes[0]);
    free(ends[0]);
    free(ends[1]);
    free_scene(scene);
}

TEST(a_run_gone_on_with_ends_with_the_same_bits)
{
    for (int a = 0; summand__gossip_algorithms[a]; a++)
        for (int form = 0; summand__ariths[form]; form++)
            for (int save_at = 1; save_at <= 9; save_at += 4)
                if (summand__gossip_algorithms[a]->style == SUMMAND__ASYNCHRONOUS)
                    go_on_from(summand__gossip_algorithms[a]->name, summand__ariths[form], save_at);
}

TEST(more_messages_may_be_asked_for)
{
    struct scene *scene = make_scene("pfcc", &summand__arith_double);
    struct summand__events_outcome first, again;
    scene->save_at = 1 << 30;
    scene->setup.checkpoint = whole;
    assert_true(summand__events_run(&scene->setup, &first));
    scene->setup.checkpoint = part;
    scene->setup.most_messages = 70;
    assert_true(summand__events_run(&scene->setup, &again));
    assert_int_equal(again.most_messages, 70);
    scene->setup.most_messages = 150;
    assert_true(summand__events_run(&scene->setup, &again));
    assert_memory_equal(&first, &again, sizeof first);
    free_scene(scene);
}

/* A run that differs in any parameter of its course does not resume from the file. */
static void refuses_others(struct scene *scene)
{
    struct summand__events_setup *setup = &scene->setup;
    struct summand__events_outcome outcome;
    void *const fields[] = {&scene->values[3],   &setup->seed,           &setup->fault_seed,
                            &setup->tau,         &setup->crossing,       &setup->period,
                            &setup->latency,     &setup->loss,           &setup->duplication,
                            &setup->fault.bit,   &setup->fault.variable, &setup->fault.component,
                            &setup->fault_after, &setup->fault_rate,     &setup->stop_rank,
                            &setup->stop_time,   &setup->report_delay};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        *(unsigned char *)fields[i] ^= 1;
        if (summand__events_run(setup, &outcome))
            fail_msg("another run, by field %zu, goes on from the file", i);
        *(unsigned char *)fields[i] ^= 1;
    }
}

TEST(other_files_are_refused)
{
    struct scene *scene = make_scene("pflc", &summand__arith_double);
    struct summand__events_outcome outcome;
    long size;
    scene->save_at = 1 << 30;
    scene->setup.checkpoint = whole;
    assert_true(summand__events_run(&scene->setup, &outcome));
    char *text = contents(whole, &size);
    for (long cut = 0; cut < size; cut += 1 + size / 50) { /* shorter, and one bit flipped */
        scene->setup.checkpoint = part;
        put(part, text, cut);
        assert_false(summand__events_run(&scene->setup, &outcome));
        assert_non_null(outcome.wrong);
        text[cut] ^= 4;
        put(part, text, size);
        assert_false(summand__events_run(&scene->setup, &outcome));
        text[cut] ^= 4;
    }
    scene->setup.checkpoint = whole;
    refuses_others(scene);
    scene->setup.checkpoint = "no-such-folder/file";
    assert_false(summand__events_run(&scene->setup, &outcome));
    free(text);
    free_scene(scene);
}

/* Mutations of a file: a bit, a byte, a word from another place, a cut, extra bytes, swapped bytes.
 * If the file stays the same, it is no mutation. */
static char *mutate(const char *text, long size, struct summand__random *random, long *length)
{
    char *copy = malloc((size_t)size + 16);
    assert_non_null(copy);
    for (;;) {
        long a = (long)summand__random_below(random, (uint64_t)size - 16);
        long b = (long)summand__random_below(random, (uint64_t)size - 16);
        memcpy(copy, text, (size_t)size);
        *length = size;
        switch (summand__random_below(random, 6)) {
        case 0:
            copy[a] = (char)(copy[a] ^ 1 << b % 8);
            break;
        case 1:
            copy[a] = (char)b;
            break;
        case 2:
            memcpy(copy + a, text + b, 8);
            break;
        case 3:
            *length = a;
            break;
        case 4:
            memset(copy + size, (int)a, 16);
            *length = size + 1 + b % 16;
            break;
        default:
            memcpy(copy + a, text + b, 1);
            memcpy(copy + b, text + a, 1);
        }
        if (*length != size || memcmp(copy, text, (size_t)size))
            return copy;
    }
}

TEST(no_mutated_file_of_events_is_taken)
{
    struct scene *scene = make_scene("pfcc", &summand__arith_fixed);
    struct summand__random random = {5};
    struct summand__events_outcome outcome;
    long size, length;
    scene->save_at = 1 << 30;
    scene->setup.checkpoint = whole;
    assert_true(summand__events_run(&scene->setup, &outcome));
    char *text = contents(whole, &size);
    scene->setup.checkpoint = part;
    for (int m = 0; m < MUTATIONS; m++) {
        char *mutated = mutate(text, size, &random, &length);
        put(part, mutated, length);
        free(mutated);
        assert_false(summand__events_run(&scene->setup, &outcome));
    }
    free(text);
    free_scene(scene);
}

static void open_large(struct summand__large *large)
{
    static const struct summand__large_fault fault = {
        {SUMMAND__FAULT_FLOW, SUMMAND__FAULT_WEIGHT, 29}, 7, 2};
    struct summand__large_setup setup = {.algorithm = summand__gossip_named("hpflc"),
                                         .n = LARGE,
                                         .single = true,
                                         .tau = -1,
                                         .data_seed = 1,
                                         .seed = 2,
                                         .threads = 1,
                                         .faults = &fault,
                                         .count = 1};
    assert_null(summand__large_open(large, &setup));
}

TEST(no_mutated_file_of_rounds_is_taken)
{
    struct summand__random random = {6};
    struct summand__large large;
    long size, length;
    open_large(&large);
    for (int round = 0; round < 5; round++)
        assert_true(summand__large_step(&large));
    assert_true(summand__large_save(&large, whole));
    summand__large_close(&large);
    char *text = contents(whole, &size);
    for (int m = 0; m < 2 * MUTATIONS; m++) {
        char *mutated = mutate(text, size, &random, &length);
        put(part, mutated, length);
        free(mutated);
        open_large(&large);
        assert_false(summand__large_load(&large, part));
        summand__large_close(&large);
    }
    open_large(&large);
    assert_true(summand__large_load(&large, whole));
    summand__large_close(&large);
    free(text);
    remove_files();
}

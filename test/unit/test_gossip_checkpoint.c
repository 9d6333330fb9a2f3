/* A run of the event simulator that is gone on with from a file ends with the same bits in all of
 * its state, and files that do not belong to it are refused. */
#include "gossip/data.h"
#include "gossip/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NODES = 64 };

static const char whole[] = "checkpoint-whole", part[] = "checkpoint-part",
                  kept[] = "checkpoint-kept";

struct scene {
    struct summand__topology topology;
    double values[NODES];
    struct summand__events_setup setup;
    int asked, save_at; /* counts of the question whether to save */
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

/* Saves once; what the file holds some time later is kept, as if the run had been killed then. */
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

static void a_run_gone_on_with_ends_with_the_same_bits(void **state)
{
    (void)state;
    for (int a = 0; summand__gossip_algorithms[a]; a++)
        for (int form = 0; summand__ariths[form]; form++)
            for (int save_at = 1; save_at <= 9; save_at += 4)
                if (summand__gossip_algorithms[a]->style == SUMMAND__ASYNCHRONOUS)
                    go_on_from(summand__gossip_algorithms[a]->name, summand__ariths[form], save_at);
}

static void more_messages_may_be_asked_for(void **state)
{
    (void)state;
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

static void other_files_are_refused(void **state)
{
    (void)state;
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
    scene->setup.seed++;
    assert_false(summand__events_run(&scene->setup, &outcome));
    scene->setup.seed--;
    scene->setup.checkpoint = "no-such-folder/file";
    assert_false(summand__events_run(&scene->setup, &outcome));
    free(text);
    free_scene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_gone_on_with_ends_with_the_same_bits),
        cmocka_unit_test(more_messages_may_be_asked_for),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

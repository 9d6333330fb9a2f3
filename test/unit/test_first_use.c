/* SPDX-License-Identifier: BSD-3-Clause */
/* Many threads use the library for the first time at once: each fact that it finds out once must be
 * the same for all, without a race (the preset tsan looks for races). A process has one first time,
 * and few threads meet in it. So the test runs many processes, and starts all threads together for
 * each call. */
#include <pthread.h>
#include <summand/exact.h>
#include <summand/version.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/machine.h"
#include "base/output.h"
#include "base/warning.h"
#include "kernel/arch.h"
#include "kernel/stream.h"
#include "select/choose.h"
#include "select/tuning.h"
#include "unit/unit.h"

enum { PROCESSES = 100, THREADS = 8, N = 1000 };

struct found {
    enum summand__arch arch;
    struct summand__last_cache cache;
    int processors;
    bool streams, written, parsed, set;
    const struct summand__algorithm *algorithm;
    double sum;
    char version[32];
};

struct job {
    pthread_barrier_t *together;
    const char *path;
    struct found found;
};

static bool write_file(const char *path)
{
    struct summand__output output;
    if (!summand__output_open(&output, path))
        return false;
    fputs("text\n", output.file);
    return summand__output_close(&output, true);
}

static bool parse_rules(void)
{
    static const char text[] = "allreduce 8 0-1k binomial\n";
    struct summand__tuning tuning;
    char fault[128];
    if (!summand__tuning_parse(&tuning, text, sizeof text - 1, fault, sizeof fault))
        return false;
    bool good = tuning.rules == 1;
    summand__tuning_free(&tuning);
    return good;
}

static double sum(void)
{
    static const double x[N] = {1, 0x1p-60, -1};
    summand_exact sum;
    summand_exact_init(&sum);
    summand_exact_add(&sum, N, x);
    return summand_exact_round(&sum);
}

static void *work(void *context)
{
    struct job *job = context;
    struct found *found = &job->found;
    struct summand__query query = {.collective = SUMMAND__COLL_ALLREDUCE,
                                   .ranks = 24,
                                   .node_size = 8,
                                   .bytes = 4096,
                                   .element = 8};
    struct summand__choice choice;
    struct summand__complaint complaint;
    static _Atomic int number;
    pthread_barrier_wait(job->together);
    found->set = summand__environment_set("SUMMAND_STREAM", number++ % 2 ? "1k" : "2k",
                                          &complaint) == SUMMAND__SET_DONE;
    found->arch = summand__arch();
    pthread_barrier_wait(job->together);
    found->cache = summand__last_cache();
    pthread_barrier_wait(job->together);
    summand__warn_unknown();
    found->processors = summand__processors();
    found->streams = summand__streams();
    found->set = found->set && summand__environment_check(&complaint);
    found->sum = sum();
    summand__choose(&query, &choice);
    found->algorithm = choice.algorithm;
    found->parsed = parse_rules();
    pthread_barrier_wait(job->together);
    found->written = write_file(job->path); /* the last one stays, whole */
    snprintf(found->version, sizeof found->version, "%s", summand_version());
    return NULL;
}

static void find_the_same(void)
{
    char path[] = "/tmp/summand-first-use-XXXXXX";
    pthread_barrier_t together;
    pthread_t handles[THREADS];
    struct job jobs[THREADS];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
    for (int t = 0; t < THREADS; t++) {
        memset(&jobs[t], 0, sizeof jobs[t]); /* compared with padding */
        jobs[t].together = &together;
        jobs[t].path = path;
        assert_int_equal(pthread_create(&handles[t], NULL, work, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(handles[t], NULL), 0);
    pthread_barrier_destroy(&together);
    const struct found *first = &jobs[0].found;
    assert_true(first->written && first->parsed && first->set);
    assert_non_null(first->algorithm);
    assert_true(first->sum == 0x1p-60);
    for (int t = 1; t < THREADS; t++) {
        const struct found *found = &jobs[t].found;
        assert_int_equal(found->arch, first->arch);
        assert_int_equal(found->cache.bytes, first->cache.bytes);
        assert_int_equal(found->cache.processors, first->cache.processors);
        assert_int_equal(found->processors, first->processors);
        assert_int_equal(found->streams, first->streams);
        assert_ptr_equal(found->algorithm, first->algorithm);
        assert_true(found->sum == first->sum);
        assert_true(found->written && found->parsed && found->set);
        assert_string_equal(found->version, first->version);
    }
    char text[16] = "";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(text, sizeof text, in));
    fclose(in);
    unlink(path);
    assert_string_equal(text, "text\n");
}

static void assert_set(const char *value, enum summand__set want, const char *words)
{
    struct summand__complaint complaint = {""};
    assert_int_equal(summand__environment_set("SUMMAND_ARCH", value, &complaint), want);
    assert_non_null(strstr(complaint.text, words));
}

/* A setting that the program makes before the first use holds from then on, whatever the
 * environment says. */
static void program_chooses(void)
{
    struct summand__complaint complaint;
    setenv("SUMMAND_ARCH", "pdp11", 1);
    assert_false(summand__environment_check(&complaint));
    assert_set("pdp11", SUMMAND__SET_BAD, "none of generic|avx2");
    assert_set("avx2", SUMMAND__SET_DONE, "");
    assert_set("generic", SUMMAND__SET_DONE, "");
    assert_int_equal(summand__arch(), SUMMAND__GENERIC);
    assert_set("avx2", SUMMAND__SET_LATE, "'avx2' comes too late");
    assert_set("avx2", SUMMAND__SET_LATE, "was 'generic'");
    assert_set(NULL, SUMMAND__SET_LATE, "too late");
    assert_set("generic", SUMMAND__SET_DONE, "");
    assert_true(summand__environment_check(&complaint));
    assert_string_equal(summand__environment_value("SUMMAND_ARCH", NULL), "generic");
}

/* The same for the environment; a change of it after the first use is an error. */
static void environment_chooses(void)
{
    struct summand__complaint complaint;
    enum summand_setting_from from;
    setenv("SUMMAND_ARCH", "generic", 1);
    assert_int_equal(summand__arch(), SUMMAND__GENERIC);
    assert_set("avx2", SUMMAND__SET_LATE, "was 'generic'");
    setenv("SUMMAND_ARCH", "avx2", 1);
    assert_false(summand__environment_check(&complaint));
    assert_non_null(strstr(complaint.text, "'avx2' comes too late"));
    assert_string_equal(summand__environment_value("SUMMAND_ARCH", &from), "generic");
    assert_int_equal(from, SUMMAND_SETTING_ENVIRONMENT);
    unsetenv("SUMMAND_ARCH");
    assert_true(summand__environment_check(&complaint));
}

/* Runs in a process that has used nothing before. */
static void in_child(void (*find)(void))
{
    int status = 1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        find(); /* an assertion that fails ends the process with another status */
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST(all_find_the_same)
{
    for (int i = 0; i < PROCESSES; i++)
        in_child(find_the_same);
}

TEST(settings_are_read_once)
{
    in_child(program_chooses);
    in_child(environment_chooses);
}

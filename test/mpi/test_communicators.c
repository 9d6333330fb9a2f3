/* np: 1, long: 2; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* 10^4 communicators used and freed, fewer if making one takes messages. Memory, files and mappings
 * stay constant, apart from what the MPI itself leaves behind for as many duplicates. */
#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <summand.h>

#include "comm/state.h"
#include "mpi/harness.h"

enum { COMMUNICATORS = 10000, WINDOW = COMMUNICATORS / 5 };

struct use {
    long resident; /* bytes */
    long files, mappings;
};

static long count_files(void)
{
    long n = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory))
        n++;
    if (directory)
        closedir(directory);
    return n;
}

static long count_mappings(void)
{
    long n = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    for (int c = file ? getc(file) : EOF; c != EOF; c = getc(file))
        n += c == '\n';
    if (file)
        fclose(file);
    return n;
}

static struct use measure(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return (struct use){resident * sysconf(_SC_PAGESIZE), count_files(), count_mappings()};
}

/* All that the library keeps for a communicator: state, plans of blocking calls, and a plan that
 * outlives it. */
static void use_ours(MPI_Comm comm, int i)
{
    double x[40], sum[40] = {0}, total = 0;
    summand_plan *plan = NULL;
    int left;
    for (int k = 0; k < 40; k++)
        x[k] = harness_rank + i;
    double want = harness_ranks * (harness_ranks - 1) / 2 + harness_ranks * i;
    summand_allreduce(x, sum, 40, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(sum[39] == want, "communicator %d: %g", i, sum[39]);
    summand_sum(x, &total, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(total == want, "communicator %d: exact %g", i, total);
    left = i % 3 == 0 ? summand_allreduce_init(x, sum, 40, MPI_DOUBLE, MPI_MAX, comm, NULL, &plan)
                      : MPI_SUCCESS;
    CHECK(left == MPI_SUCCESS, "plan: %d", left);
    MPI_Comm_free(&comm);
    if (plan)
        summand_plan_start(plan);
    if (plan)
        summand_plan_wait(plan);
    CHECK(!plan || sum[0] == harness_ranks - 1 + i, "communicator %d: plan %g", i, sum[0]);
    summand_plan_free(&plan);
}

static void use_plain(MPI_Comm comm, int i)
{
    double x = i, sum;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Comm_free(&comm);
}

static void window(void (*use)(MPI_Comm comm, int i), int first)
{
    for (int i = first; i < first + WINDOW; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        use(comm, i);
    }
}

/* Memory: the least growth over one of the windows after the first. A leak grows in each window;
 * occasional allocations of the MPI, the C library or the kernel do not. */
static struct use growth(void (*use)(MPI_Comm comm, int i))
{
    window(use, 0);
    struct use begin = measure(), before = begin, end = begin;
    long least = LONG_MAX;
    for (int first = WINDOW; first < COMMUNICATORS; first += WINDOW) {
        window(use, first);
        end = measure();
        if (end.resident - before.resident < least)
            least = end.resident - before.resident;
        before = end;
    }
    return (struct use){least, end.files - begin.files, end.mappings - begin.mappings};
}

static int copies;

static int refuse_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    copies++;
    return MPI_ERR_OTHER;
}

/* The caller's attributes are not ours: their copy functions are not called. */
static void check_attributes(void)
{
    MPI_Comm comm;
    int key, value = 1;
    double one = 1, sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &value);
    int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks && !copies, "%d, %g, %d copies", code, sum,
          copies);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
}

/* A process bound to some processors has only these, however many the machine has. */
static void check_processors(void)
{
    cpu_set_t before, one;
    MPI_Comm comm;
    struct summand__state *state;
    double x = 1, sum = 0;
    int cpu = 0;
    CHECK(!sched_getaffinity(0, sizeof before, &before), "affinity");
    while (!CPU_ISSET(cpu, &before))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    MPI_Bcast(&one, sizeof one, MPI_BYTE, 0, MPI_COMM_WORLD); /* one for all ranks */
    sched_setaffinity(0, sizeof one, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    summand_allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS && state->nodes.processors == 1,
          "%d processors", state->nodes.processors);
    CHECK(!state->segment || state->segment->processors == 1, "of the segment");
    MPI_Comm_free(&comm);
    sched_setaffinity(0, sizeof before, &before);
}

TESTS
{
    check_attributes();
    check_processors();
    struct use plain = growth(use_plain), ours = growth(use_ours);
    long more = ours.resident - plain.resident;
    /* The smallest heap block is 32 bytes; one leaked block per communicator would be at least 64
     * KB. */
    CHECK(more < 24 * WINDOW, "%ld bytes more than the MPI's own %ld", more, plain.resident);
    CHECK(ours.files - plain.files <= 2, "%ld files", ours.files);
    CHECK(ours.mappings - plain.mappings <= 8, "%ld mappings", ours.mappings);
}

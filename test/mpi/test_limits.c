/* np: 1 2; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that lock their memory (mlockall), before or after the first call, and limits of the
 * memory that a process may lock, map and write. The library's shared memory takes the memory in
 * use, not all that is reserved. A call uses another transport or returns an error, and no signal
 * comes. */
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <summand.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "mpi/fresh.h"
#include "mpi/harness.h"

enum { LONG = 1 << 19 /* doubles */, MIB = 1024 /* KiB */ };

/* A number of /proc/self/status, KiB. */
static long status_of(const char *name)
{
    char line[128];
    long value = -1;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            value = atol(line + strlen(name));
    if (file)
        fclose(file);
    return value;
}

/* An all-reduce on a communicator of a new fabric. */
static void reduce(int count, const char *when)
{
    static double x[LONG], y[LONG];
    fresh_settings();
    MPI_Comm comm = harness_comm();
    for (int i = 0; i < count; i++)
        x[i] = harness_rank + 1, y[i] = 0;
    int code = summand_allreduce(x, y, count, MPI_DOUBLE, MPI_SUM, comm, NULL);
    double sum = harness_ranks * (harness_ranks + 1) / 2.0;
    CHECK(code == MPI_SUCCESS, "%s: %s", when, summand_error_text(code));
    CHECK(y[0] == sum && y[count - 1] == sum, "%s: %g, not %g", when, y[count - 1], sum);
    MPI_Comm_free(&comm);
}

static void expect_small(const char *when, const char *name, long before, long most)
{
    long more = status_of(name) - before;
    CHECK(more < most, "%s: %s grew by %ld KiB", when, name, more);
}

/* Whether all ranks may; if not, prints a line that names the omitted case. */
static bool all_may(bool mine, const char *what)
{
    int all, own = mine;
    if (!mine)
        printf("left out on rank %d: %s: %s\n", harness_rank, what, strerror(errno));
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static bool may_lock(int flags)
{
    return all_may(!mlockall(flags), "mlockall");
}

static void test_before(void)
{
    if (may_lock(MCL_CURRENT | MCL_FUTURE)) {
        long resident = status_of("VmRSS:"), locked = status_of("VmLck:");
        reduce(1, "locked before");
        expect_small("locked before", "VmRSS:", resident, 16 * MIB);
        expect_small("locked before", "VmLck:", locked, 32 * MIB);
        reduce(LONG, "locked before, long");
    }
    munlockall();
}

static void test_after(void)
{
    reduce(1, "not locked");
    if (may_lock(MCL_CURRENT)) /* the program's own memory, too */
        munlockall();
    long resident = status_of("VmRSS:");
    for (int i = 0; i < 3; i++)
        reduce(1, "more fabrics");
    if (may_lock(MCL_CURRENT))
        expect_small("locked afterwards", "VmRSS:", resident, 64 * MIB);
    munlockall();
    reduce(LONG, "locked afterwards, long");
}

/* A user's processes may not lock more than the limit, without the privilege. */
static bool give_up_right(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &head, data))
        return false;
    data[0].effective &= ~(1U << CAP_IPC_LOCK);
    return !syscall(SYS_capset, &head, data);
}

/* New memory is locked up to the limit. It leaves enough for the MPI, but not for all that would be
 * reserved. */
static void test_limit(void)
{
    struct rlimit limit;
    bool can = may_lock(MCL_FUTURE) &&
               all_may(give_up_right() && !getrlimit(RLIMIT_MEMLOCK, &limit), "capset");
    long left[] = {64L * MIB, 3L * MIB};
    for (int i = 0; can && i < 2; i++) {
        limit.rlim_cur = (rlim_t)(status_of("VmLck:") + left[i]) << 10;
        if (limit.rlim_max < limit.rlim_cur)
            limit.rlim_cur = limit.rlim_max;
        if (all_may(!setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit"))
            reduce(1000, i ? "with 3 MiB to lock" : "with 64 MiB to lock, or all that is allowed");
    }
    munlockall();
}

static void test_addresses(void)
{
    struct rlimit limit, before;
    getrlimit(RLIMIT_AS, &before);
    limit = before;
    limit.rlim_cur = (rlim_t)(status_of("VmSize:") + 64L * MIB) << 10;
    if (limit.rlim_cur < limit.rlim_max && !setrlimit(RLIMIT_AS, &limit))
        reduce(1000, "with 64 MiB of addresses");
    setrlimit(RLIMIT_AS, &before);
}

/* A segment works, over any transport. */
static void put(const char *when)
{
    const double word = harness_rank + 1;
    int next = (harness_rank + 1) % harness_ranks, id;
    int last = (harness_rank + harness_ranks - 1) % harness_ranks;
    summand_segment *segment;
    void *memory;
    fresh_settings();
    MPI_Comm comm = harness_comm();
    int code = summand_segment_create(LONG, 1, comm, NULL, &segment);
    CHECK(code == MPI_SUCCESS, "%s: %s", when, summand_error_text(code));
    if (code == MPI_SUCCESS) {
        code = summand_notify_range(1, &id, segment);
        summand_put_notify(&word, sizeof word, next, 0, id, 1, 0, segment);
        summand_notify_wait(last, id, 1, SUMMAND_TIMEOUT_FOREVER, segment);
        summand_segment_memory(segment, &memory, NULL, NULL);
        CHECK(code == MPI_SUCCESS && *(double *)memory == last + 1, "%s: a put", when);
        summand_segment_free(&segment);
    }
    MPI_Comm_free(&comm);
}

/* A file beyond the limit raises a deadly signal, even if the MPI makes it: on one rank, on all. */
static void test_files(void)
{
    struct rlimit before, limit;
    const char *named = getenv("SUMMAND_TRANSPORT");
    char transport[16];
    snprintf(transport, sizeof transport, "%s", named ? named : "");
    setenv("SUMMAND_TRANSPORT", "auto", 1); /* shared memory is a file too */
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    for (int all = 0; all < 2; all++) {
        limit.rlim_cur = all || harness_rank == harness_ranks - 1 ? 0 : before.rlim_cur;
        setrlimit(RLIMIT_FSIZE, &limit);
        reduce(1000, "no files");
        put("no files");
        setrlimit(RLIMIT_FSIZE, &before);
    }
    setenv("SUMMAND_TRANSPORT", transport, 1);
}

TESTS
{
    test_files();
    test_addresses();
    test_before();
    test_after();
    test_limit();
}

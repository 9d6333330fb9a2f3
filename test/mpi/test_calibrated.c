/* np: 1 2 3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibrations over ranks: all ranks use rank 0's; "off" gives the defaults; a good file is used
 * unchanged, and a damaged one is not. A measurement is saved and replaces a damaged file; without
 * a folder it holds for the job. Results have the same bits. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <summand.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "calibrate/store.h"
#include "comm/state.h"
#include "fabric/calibrated.h"
#include "fabric/segment.h"
#include "kernel/prefetch.h"
#include "kernel/stream.h"
#include "mpi/fresh.h"
#include "mpi/harness.h"
#include "op/vector.h"

enum { COUNT = 40000 };

static char folder[] = "/tmp/summand-calibration-XXXXXX";

static int looks; /* at the processor's time: counts as soon as a measurement starts */

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    looks += clock == CLOCK_THREAD_CPUTIME_ID;
    return (int)syscall(SYS_clock_gettime, clock, time);
}

/* The calibration of a new communicator, the same on all ranks, and the bits of a sum. */
static struct summand__calibration calibration_with(const char *value, double *sum)
{
    static double values[COUNT];
    struct summand__state *state;
    MPI_Comm comm;
    fresh_settings();
    setenv("SUMMAND_CALIBRATION", value, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < COUNT; i++)
        values[i] = 1.0 / (i + 3 * harness_rank + 1);
    int code = summand_allreduce(values, sum, COUNT, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS, "%s: code %d", value, code);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    struct summand__calibration mine = state->context.fabric->calibration, first = mine;
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(!memcmp(&mine, &first, sizeof mine), "%s: others on rank %d", value, harness_rank);
    MPI_Comm_free(&comm);
    return mine;
}

static void check_named(const double *bits, double *sum)
{
    struct summand__calibration named = summand__calibration_standard(), got;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/named-%d", folder,
             harness_rank); /* other names on the others */
    named.value[SUMMAND__SPIN_TURNS] = 17;
    named.value[SUMMAND__LINE_TIME] = 5000;
    named.value[SUMMAND__PREFETCH_AHEAD] = summand__prefetch_ways[2].first;
    named.value[SUMMAND__BYPASS_RESULTS] = 43;
    named.value[SUMMAND__BYPASS_COPIES] = 117;
    if (harness_rank == 0)
        CHECK(summand__calibration_save(path, &named), "%s", path);
    got = calibration_with(path, sum);
    CHECK(!memcmp(&got, &named, sizeof got), "as it stands");
    CHECK(summand__prefetch_first == summand__prefetch_ways[2].first, "sums fetch as it says");
    CHECK(summand__stream_percent(SUMMAND__STREAM_RESULTS) == 43 &&
              summand__stream_percent(SUMMAND__STREAM_COPIES) == 117,
          "stores are as it says");
    CHECK(getenv("SUMMAND_STREAM") || !summand__vector_streams(SIZE_MAX, harness_ranks),
          "received vectors bypass the caches where that does not pay");
    CHECK(!memcmp(bits, sum, COUNT * sizeof *sum), "bits");
    const struct summand__calibration standard = summand__calibration_standard();
    got = calibration_with("/nowhere/at/all", sum);
    CHECK(!memcmp(&got, &standard, sizeof got), "a file that is not there");
    CHECK(!memcmp(bits, sum, COUNT * sizeof *sum), "bits");
}

static bool is_allowed(const struct summand__calibration *calibration)
{
    for (int q = 0; q < SUMMAND__QUANTITIES; q++)
        if (calibration->value[q] < summand__quantities[q].least ||
            calibration->value[q] > summand__quantities[q].most)
            return false;
    return true;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && !fclose(file), "%s", path);
}

/* A measurement may fail or be rough if other programs use the processors. Then nothing is saved,
 * and this process keeps the defaults or the values found. */
static void check_measured(const double *bits, double *sum)
{
    struct summand__calibration kept, got;
    const unsigned slots = summand__slots_of(harness_ranks);
    char path[PATH_MAX];
    setenv("XDG_CACHE_HOME", folder, 1);
    for (int distance = 0; distance < SUMMAND__DISTANCES; distance++) {
        CHECK(summand__calibration_path(distance, slots, path) &&
                  summand__calibration_keepable(path),
              "%s", path);
        if (harness_rank == 0)
            write_text(path, "line = 77 ns\n");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    got = calibration_with("auto", sum);
    CHECK(!memcmp(bits, sum, COUNT * sizeof *sum), "bits");
    if (harness_rank == 0) {
        struct summand__kept list[SUMMAND__MOST_KEPT];
        const int n = summand__calibration_list(list);
        const struct summand__kept *exact = summand__calibration_find(
            list, n, summand__calibration_distance(got.value[SUMMAND__LINE_TIME]), slots);
        CHECK(!summand__calibration_find(list, n, SUMMAND__ANY_DISTANCE, slots) || exact,
              "kept for its distance");
        CHECK(!exact || !memcmp(&got, &exact->calibration, sizeof got), "kept");
    }
    CHECK(is_allowed(&got), "within bounds");
    kept = got;
    got = calibration_with("auto", sum);
    CHECK(harness_ranks > 2 || !memcmp(&got, &kept, sizeof got), "measured once");
}

/* Measured without a folder for the file. If other programs use the processors, it tries again,
 * with a fabric of other settings. */
static void check_homeless(const char *cache, int first, const double *bits, double *sum)
{
    enum { TRIES = 20 };
    struct summand__state *state;
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("HOME", "", 1);
    CHECK(summand__state_of(MPI_COMM_WORLD, &state) == MPI_SUCCESS, "state");
    if (harness_ranks != 2 || !state->segment || state->nodes.processors < 2)
        return;
    looks = 0;
    for (int try = 0, most = 0; try < TRIES && !most; try++) {
        char seconds[16];
        struct summand__calibration off = calibration_with("off", sum), got;
        snprintf(seconds, sizeof seconds, "%d", first + try);
        setenv("SUMMAND_TIMEOUT", seconds, 1);
        got = calibration_with("auto", sum);
        CHECK(is_allowed(&got) && !memcmp(bits, sum, COUNT * sizeof *sum), "bits");
        MPI_Allreduce(&looks, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (!most || !memcmp(&got, &off, sizeof got))
            continue;
        setenv("SUMMAND_TIMEOUT", "1000", 1);
        off = calibration_with("auto", sum);
        CHECK(!memcmp(&got, &off, sizeof got), "'%s': measured twice", cache);
    }
    CHECK(looks || harness_rank, "'%s': not measured", cache);
    unsetenv("SUMMAND_TIMEOUT");
}

/* Under a limit of this process's open files, which the MPI itself must not need meanwhile. */
static unsigned slots_under(rlim_t file)
{
    struct rlimit kept, limit;
    struct summand__calibration calibration;
    enum summand__measured how = SUMMAND__MEASURED_WELL;
    unsigned slots = 1;
    getrlimit(RLIMIT_FSIZE, &kept);
    limit = kept;
    limit.rlim_cur = file;
    MPI_Barrier(MPI_COMM_WORLD);
    if (harness_rank == harness_ranks - 1) /* one rank's counts for all */
        setrlimit(RLIMIT_FSIZE, &limit);
    CHECK(summand__calibrate_anew(MPI_COMM_WORLD, 0.01, &calibration, &slots, &how) == MPI_SUCCESS,
          "error code");
    setrlimit(RLIMIT_FSIZE, &kept);
    CHECK(slots || how == SUMMAND__MEASURED_NOT, "measured in no memory");
    return slots;
}

/* A limit of queues also limits their measurement; if no memory can be shared, that is the reason
 * given. */
static void check_limits(void)
{
    if (harness_ranks != 2)
        return;
    unsigned slots = slots_under(RLIM_INFINITY);
    CHECK(slots == SUMMAND__PAIR_SLOTS, "%u slots", slots);
    slots = slots_under(2 << 20);
    CHECK(slots == SUMMAND__FEW_SLOTS, "%u slots where files are short", slots);
    slots = slots_under(4096);
    CHECK(slots == 0, "%u slots in no memory", slots);
}

int main(int argc, char **argv)
{
    static double bits[COUNT], sum[COUNT];
    harness_begin(&argc, &argv);
    if (harness_rank == 0 && !mkdtemp(folder))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(folder, (int)sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    const struct summand__calibration standard = summand__calibration_standard();
    struct summand__calibration got = calibration_with("off", bits);
    CHECK(!memcmp(&got, &standard, sizeof got), "off");
    check_named(bits, sum);
    check_homeless("", 1100, bits, sum);
    check_homeless("/proc/self", 1200, bits, sum); /* no user can make a file there */
    calibration_with("off", sum);
    check_measured(bits, sum);
    check_limits();
    got = calibration_with("off", sum);
    CHECK(!memcmp(&got, &standard, sizeof got) && !memcmp(bits, sum, sizeof sum), "off again");
    MPI_Barrier(MPI_COMM_WORLD);
    if (harness_rank == 0) {
        char command[PATH_MAX + 16];
        snprintf(command, sizeof command, "rm -rf '%s'", folder);
        CHECK(system(command) == 0, "%s", command);
    }
    return harness_end();
}

/* np: 1 2 3; brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibrations over ranks: all ranks use rank 0's; "off" gives the defaults; a good file is used
 * unchanged, and a damaged one is not. No call measures. The end of a program that lasted does, if
 * there is a folder, and replaces a damaged file. Results have the same bits. */
#include <limits.h>
#include <summand.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "calibrate/measure.h"
#include "calibrate/store.h"
#include "comm/state.h"
#include "fabric/calibrated.h"
#include "fabric/segment.h"
#include "kernel/prefetch.h"
#include "kernel/stream.h"
#include "mpi/fresh.h"
#include "mpi/harness.h"
#include "op/vector.h"

enum { COUNT = 40000, MADE_LINE = 70 };

static char folder[] = "/tmp/summand-calibration-XXXXXX";

static int measurements; /* begun by this rank */
static int unzeroed;     /* bytes of their memory */
static int seconds_later;

static struct summand__calibration made(void)
{
    struct summand__calibration calibration = summand__calibration_standard();
    calibration.value[SUMMAND__LINE_TIME] = MADE_LINE;
    calibration.value[SUMMAND__SPIN_TURNS] = 4321;
    return calibration;
}

/* In place of the library's: on a busy machine a measurement may fail. */
enum summand__measured
__wrap_summand__calibration_measure(const struct summand__pair *pair,
                                    struct summand__calibration *calibration);
enum summand__measured __wrap_summand__calibration_measure(const struct summand__pair *pair,
                                                           struct summand__calibration *calibration)
{
    unsigned char *mine = pair->memory + !pair->first * summand__slots_bytes(pair->slots);
    measurements++;
    for (size_t i = 0; i < summand__slots_bytes(pair->slots); i++) {
        unzeroed += mine[i] != 0;
        mine[i] = 0xff;
    }
    if (pair->first && pair->known && pair->known(pair->context, MADE_LINE))
        return SUMMAND__MEASURED_KNOWN;
    *calibration = made();
    return SUMMAND__MEASURED_WELL;
}

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    int code = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)
        time->tv_sec += seconds_later;
    return code;
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

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && !fclose(file), "%s", path);
}

static void damage_all(unsigned slots)
{
    char path[PATH_MAX];
    for (int distance = 0; distance < SUMMAND__DISTANCES; distance++) {
        CHECK(summand__calibration_path(distance, slots, path) &&
                  summand__calibration_keepable(path),
              "%s", path);
        if (harness_rank == 0)
            write_text(path, "line = 77 ns\n");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The only file of rank 0 that is not damaged. */
static void check_kept(unsigned slots)
{
    const struct summand__calibration wanted = made();
    struct summand__kept list[SUMMAND__MOST_KEPT];
    const int n = summand__calibration_list(list);
    int good = 0;
    for (int i = 0; i < n; i++) {
        if (list[i].fault)
            continue;
        good++;
        CHECK(list[i].slots == slots &&
                  list[i].distance == summand__calibration_distance(MADE_LINE) &&
                  !memcmp(&list[i].calibration, &wanted, sizeof wanted),
              "file %d", i);
    }
    CHECK(good == 1, "%d files", good);
}

/* The ranks of rank 0's node if two of them can measure; 0: they cannot, or this is another node.
 */
static int pair_among(void)
{
    struct summand__state *state;
    CHECK(summand__state_of(MPI_COMM_WORLD, &state) == MPI_SUCCESS, "state");
    const struct summand__segment *segment = state->segment;
    return segment && segment->lines && segment->ranks > 1 &&
                   segment->processors >= segment->ranks && summand__segment_rank(segment, 0) == 0
               ? segment->ranks
               : 0;
}

/* What the end of a program does. */
static void check_measured(const double *bits, double *sum)
{
    const struct summand__calibration standard = summand__calibration_standard();
    const int pair = pair_among();
    const unsigned slots = summand__slots_of(pair ? pair : harness_ranks);
    struct summand__state *state;
    MPI_Comm comm;
    setenv("XDG_CACHE_HOME", folder, 1);
    damage_all(slots);
    const struct summand__calibration got = calibration_with("auto", sum);
    CHECK(!memcmp(bits, sum, COUNT * sizeof *sum), "bits");
    CHECK(!memcmp(&got, &standard, sizeof got), "of a damaged file");
    CHECK(!measurements, "measured in a call");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    summand__calibrated_keep(state->context.fabric);
    CHECK((measurements == 1) == (pair && harness_rank < 2), "%d measurements", measurements);
    CHECK(!unzeroed, "%d bytes are not zero", unzeroed);
    if (pair && !harness_rank)
        check_kept(slots);
    MPI_Comm_free(&comm);
}

/* No folder for a file. */
static void check_homeless(const char *cache, const double *bits, double *sum)
{
    const struct summand__calibration standard = summand__calibration_standard();
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("HOME", "", 1);
    const struct summand__calibration got = calibration_with("auto", sum);
    CHECK(!memcmp(&got, &standard, sizeof got), "'%s'", cache);
    CHECK(!memcmp(bits, sum, COUNT * sizeof *sum), "bits");
    CHECK(!measurements, "'%s': measured in a call", cache);
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
    check_homeless("", bits, sum);
    check_homeless("/proc/self", bits, sum); /* no user can make a file there */
    calibration_with("off", sum);
    check_measured(bits, sum);
    check_limits();
    got = calibration_with("off", sum);
    CHECK(!memcmp(&got, &standard, sizeof got) && !memcmp(bits, sum, sizeof sum), "off again");
    const bool pair = pair_among() > 0;
    calibration_with("auto", sum);
    measurements = 0;
    seconds_later = 10;
    const int status = harness_end();
    const bool measured = pair && harness_rank < 2;
    if (measurements != measured)
        fprintf(stderr, "rank %d: the end made %d measurements\n", harness_rank, measurements);
    if (harness_rank == 0) {
        char command[PATH_MAX + 16];
        snprintf(command, sizeof command, "rm -rf '%s'", folder);
        if (system(command))
            return 1;
    }
    return status || measurements != measured;
}

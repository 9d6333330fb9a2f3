/* np: 1 2 3; brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* If calibrations of all core distances are saved, all ranks use one of them. On two ranks that can
 * have a processor each, it is the one of their distance, else that of the standard distance. No
 * file changes, although none is settled, because they were measured a moment ago. */
#include <limits.h>
#include <summand.h>
#include <time.h>

#include "calibrate/store.h"
#include "comm/state.h"
#include "fabric/segment.h"
#include "mpi/harness.h"

enum { MARK = 1000 };

static char folder[] = "/tmp/summand-calibration-XXXXXX";

static int64_t measured; /* when */

static int blocks; /* requests that only a measurement makes */

/* In place of the C library's. */
void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = NULL;
    blocks += bytes >= 1 << 20;
    return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}

static struct summand__calibration of_distance(int distance)
{
    struct summand__calibration calibration = summand__calibration_standard();
    calibration.value[SUMMAND__LINE_TIME] = INT64_C(1) << distance;
    calibration.value[SUMMAND__SPIN_TURNS] = MARK + distance;
    calibration.unsettled = measured;
    return calibration;
}

static void keep_all(void)
{
    const unsigned slots = summand__slots_of(harness_ranks);
    char path[PATH_MAX];
    for (int distance = 0; distance < SUMMAND__DISTANCES; distance++) {
        struct summand__calibration made = of_distance(distance);
        CHECK(summand__calibration_path(distance, slots, path) &&
                  summand__calibration_keepable(path) && summand__calibration_save(path, &made),
              "distance %d", distance);
    }
}

static void check_kept(void)
{
    const unsigned slots = summand__slots_of(harness_ranks);
    struct summand__kept list[SUMMAND__MOST_KEPT];
    const int n = summand__calibration_list(list);
    for (int distance = 0; distance < SUMMAND__DISTANCES; distance++) {
        const struct summand__calibration made = of_distance(distance);
        const struct summand__kept *kept = summand__calibration_find(list, n, distance, slots);
        CHECK(kept && !memcmp(&kept->calibration, &made, sizeof made), "the file of distance %d",
              distance);
    }
}

TESTS
{
    struct summand__state *state;
    double one = 1, sum;
    if (harness_rank == 0 && !mkdtemp(folder))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(folder, (int)sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    measured = time(NULL);
    MPI_Bcast(&measured, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("SUMMAND_CALIBRATION", "auto", 1);
    if (harness_rank == 0)
        keep_all();
    MPI_Barrier(MPI_COMM_WORLD);
    int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks, "code %d", code);
    CHECK(!blocks, "what is kept is measured again");
    CHECK(summand__state_of(MPI_COMM_WORLD, &state) == MPI_SUCCESS, "state");
    struct summand__calibration mine = state->context.fabric->calibration, first = mine;
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(!memcmp(&mine, &first, sizeof mine), "others on rank %d", harness_rank);
    int distance = (int)mine.value[SUMMAND__SPIN_TURNS] - MARK;
    CHECK(distance >= 0 && distance < SUMMAND__DISTANCES, "%d turns: from no file",
          MARK + distance);
    struct summand__calibration kept = of_distance(distance);
    CHECK(!memcmp(&mine, &kept, sizeof mine), "distance %d", distance);
    const int usual =
        summand__calibration_distance(summand__quantities[SUMMAND__LINE_TIME].standard);
    CHECK(harness_ranks > 1 || distance == usual, "alone: distance %d", distance);
    MPI_Barrier(MPI_COMM_WORLD);
    if (harness_rank == 0) {
        char command[PATH_MAX + 16];
        check_kept();
        snprintf(command, sizeof command, "rm -rf '%s'", folder);
        CHECK(system(command) == 0, "%s", command);
    }
}

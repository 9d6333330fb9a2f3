/* np: 2 3; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a node find their shared memory by the number of a process. For a rank in its own
 * container, that number may be another process's: then the memory found is not used. */
#include <fcntl.h>
#include <stdarg.h>
#include <summand.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "mpi/fresh.h"
#include "mpi/harness.h"

/* Whether process numbers mean other processes for this rank: from its first look at their files,
 * or from the second, because they have changed meanwhile. */
static enum { HERE, ELSEWHERE, CHANGING } place;
static int redirected;

static int is_of_process(const char *path)
{
    return !strncmp(path, "/proc/", 6) && strstr(path, "/fd/");
}

/* In place of the system's. */
int stat(const char *restrict path, struct stat *restrict status)
{
    int code = fstatat(AT_FDCWD, path, status, 0);
    if (!code && place == ELSEWHERE && is_of_process(path))
        status->st_ino++;
    return code;
}

/* Another process's memory is as long as a segment, and could be used. */
int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (place == HERE || !is_of_process(path))
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    int stranger = memfd_create("stranger", MFD_CLOEXEC);
    if (ftruncate(stranger, 1 << 30))
        return -1;
    redirected++;
    return stranger;
}

/* The transport of a new communicator's plan. */
static void check(const char *transport, const char *want)
{
    summand_plan *plan = NULL;
    summand_options options;
    const char *name = NULL;
    double x = harness_rank + 1, sum = 0;
    MPI_Comm comm = harness_comm();
    setenv("SUMMAND_TRANSPORT", transport, 1);
    fresh_settings();
    int code = summand_allreduce_init(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan);
    CHECK((code == MPI_SUCCESS) == (want != NULL), "code %d", code);
    if (code == MPI_SUCCESS) {
        summand_plan_describe(plan, &options, &name);
        CHECK(want && !strcmp(name, want), "%s", name);
        if (want && !strcmp(name, want)) { /* else some would wait for ever */
            CHECK(!summand_plan_start(plan) && !summand_plan_wait(plan), "run");
            CHECK(sum == harness_ranks * (harness_ranks + 1) / 2, "sum %g", sum);
        }
        summand_plan_free(&plan);
    }
    MPI_Comm_free(&comm);
}

/* The leader's file, by its descriptor just before it was sealed for good. */
static int sealed;

/* In place of the system's. */
int fcntl(int file, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    int code = (int)syscall(SYS_fcntl, file, command, argument);
    struct stat status;
    if (command != F_ADD_SEALS)
        return code;
    int seals = (int)syscall(SYS_fcntl, file, F_GET_SEALS);
    CHECK(!code && seals == (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), "seals %x", seals);
    CHECK(!fstat(file, &status) && (status.st_mode & 0777) == 0600, "mode %o", status.st_mode);
    CHECK(status.st_size > 0 && ftruncate(file, 0) && ftruncate(file, 1 << 30),
          "its length changes");
    sealed++;
    return code;
}

TESTS
{
    check("auto", "shm");
    CHECK(sealed == !harness_rank, "%d sealed files", sealed);
    for (int rank = 1; rank < harness_ranks; rank++) {
        place = harness_rank == rank ? CHANGING : HERE;
        redirected = 0;
        check("auto", "p2p");
        check("shm", NULL);
        CHECK(redirected == 2 * (harness_rank == rank), "%d files of others", redirected);
        place = harness_rank == rank ? ELSEWHERE : HERE;
        redirected = 0;
        check("auto", "p2p");
        CHECK(redirected == 0, "opened %d files of others", redirected);
        place = HERE;
        check("auto", "shm");
    }
}

/* np: 2 3 */
/* The memory that ranks of a node share is found by the number of a process, which may be another
 * process's where a rank lives in a container of its own: what is found there is not used. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <summand.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "mpi/fresh.h"
#include "mpi/harness.h"

static int elsewhere; /* whether processes are others for this rank */
static int redirected;

/* In place of the system's. What is another process's is as long as any segment, and may be used.
 */
int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (!elsewhere || strncmp(path, "/proc/", 6) || !strstr(path, "/fd/"))
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    int stranger = memfd_create("stranger", MFD_CLOEXEC);
    if (ftruncate(stranger, 1 << 30))
        return -1;
    redirected++;
    return stranger;
}

/* Of a new communicator's plan: its transport. */
static void check(const char *transport, const char *want)
{
    MPI_Comm comm;
    summand_plan *plan = NULL;
    summand_options options;
    const char *name = NULL;
    double x = harness_rank + 1, sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
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

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    check("auto", "shm");
    for (int rank = 1; rank < harness_ranks; rank++) {
        elsewhere = harness_rank == rank;
        redirected = 0;
        check("auto", "p2p");
        check("shm", NULL);
        CHECK(redirected == 2 * elsewhere, "%d files of others", redirected);
        elsewhere = 0;
        check("auto", "shm");
    }
    return harness_end();
}

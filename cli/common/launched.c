#include "cli/common/launched.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "comm/machine.h"

static const struct sign {
    const char *launcher, *size, *rank;
} signs[] = {{"Open MPI's launcher", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
             {"MVAPICH's launcher", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
             {"the launcher of MPICH or Intel MPI", "PMI_SIZE", "PMI_RANK"},
             {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

enum { SIGNS = sizeof signs / sizeof *signs };

/* The first launcher with both variables; the last one is that of a batch system, under which
 * another one may have been started. */
static const struct sign *find_sign(void)
{
    for (int i = 0; i < SIGNS; i++)
        if (getenv(signs[i].size) && getenv(signs[i].rank))
            return &signs[i];
    return NULL;
}

int launched_rank(void)
{
    const struct sign *sign = find_sign();
    const char *other = getenv("PMIX_RANK");
    return sign ? atoi(getenv(sign->rank)) : other ? atoi(other) : -1;
}

int launched_size(void)
{
    const struct sign *sign = find_sign();
    int size = sign ? atoi(getenv(sign->size)) : 1;
    return size > 1 ? size : 1;
}

bool launched_apart(char *text, size_t room)
{
    const struct sign *sign = find_sign();
    char mpi[128];
    int ranks, size = launched_size();
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!sign || size == 1 || ranks > 1)
        return false;
    summand__mpi_name(mpi, sizeof mpi);
    snprintf(text, room,
             "%s started %d processes (%s), but this command is built with %s, in which each of "
             "them is alone; start it with %s",
             sign->launcher, size, sign->size, mpi, SUMMAND_LAUNCHER);
    return true;
}

void launched_one_speaks(void)
{
    if (launched_size() > 1 && launched_rank() > 0 && !freopen("/dev/null", "w", stderr))
        return; /* then this one cannot speak either */
}

int launched_end(int status)
{
    if (launched_size() == 1)
        return status;
    if (status)
        launched_await_reader();
    return launched_rank() > 0 ? 0 : status;
}

void launched_await_reader(void)
{
    const struct timespec while_waiting = {.tv_nsec = 1000000};
    struct stat about;
    int unread = 0;
    if (launched_size() == 1 || fstat(STDERR_FILENO, &about) || !S_ISFIFO(about.st_mode))
        return;
    for (int i = 0; i < 2000 && !ioctl(STDERR_FILENO, FIONREAD, &unread) && unread > 0; i++)
        nanosleep(&while_waiting, NULL);
}

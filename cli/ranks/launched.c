/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/ranks/launched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "process/launcher.h"

int launched_rank(void)
{
    struct summand__launcher launcher;
    const char *other = summand__environment_foreign("PMIX_RANK");
    return summand__launcher_find(&launcher) ? launcher.rank : other ? atoi(other) : -1;
}

int launched_size(void)
{
    struct summand__launcher launcher;
    return summand__launcher_find(&launcher) ? launcher.size : 1;
}

bool launched_idle(void)
{
    return launched_size() > 1 && launched_rank() > 0;
}

bool launched_again(int argc, char **argv)
{
    bool told = false;
    for (int i = 1; i < argc; i++)
        told = told || !strcmp(argv[i], "--launches=0");
    return told;
}

bool launched_apart(char *text, size_t room)
{
    char apart[512];
    if (!summand__launcher_apart("command", apart, sizeof apart))
        return false;
    snprintf(text, room, "%s; start it with %s", apart, SUMMAND_LAUNCHER);
    return true;
}

void launched_one_speaks(void)
{
    if (launched_idle() && !freopen("/dev/null", "w", stderr))
        return; /* then this process cannot print either */
}

int launched_end(int status)
{
    /* On a busy machine the first process may start seconds after the others. Of the tested
     * launchers, only Open MPI's ends it. */
    const struct timespec until_ended = {
        .tv_sec = summand__environment_foreign("OMPI_COMM_WORLD_RANK") ? 5 : 2};
    if (launched_size() == 1)
        return status;
    if (status)
        launched_await_reader();
    if (status && launched_rank() > 0)
        nanosleep(&until_ended, NULL);
    return status;
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

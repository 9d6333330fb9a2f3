/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output/stdout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/output/progress.h"

/* Replaces a closed stream by one to which every write fails. */
void stdout_begin(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

/* errno of the first flush that failed; the stream cannot store it. */
static int reason;

bool stdout_flush(void)
{
    progress_hide();
    if (fflush(stdout) && !reason)
        reason = errno;
    return !ferror(stdout);
}

int stdout_end(const char *command, int status)
{
    bool failed = ferror(stdout);
    stdout_flush();
    if (!failed && !reason)
        return status;
    complain(command, "standard output: %s",
             reason ? strerror(reason) : "not everything was written");
    clearerr(stdout);
    return status ? status : 1;
}

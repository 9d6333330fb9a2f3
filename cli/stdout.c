#include "stdout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* Opened so that writing to it fails, as on a closed one. */
void stdout_begin(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

int stdout_end(const char *command, int status)
{
    bool failed = ferror(stdout); /* whose reason may be gone */
    errno = 0;
    failed = fflush(stdout) || failed;
    if (!failed)
        return status;
    complain(command, "standard output: %s", errno ? strerror(errno) : "not everything was written");
    clearerr(stdout);
    return status ? status : 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quiet.h"

int summand__input_open(const char *path, uint64_t *bytes, const char **why)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), reason = 0;
    if (file < 0 || fstat(file, &status))
        reason = errno;
    else if (S_ISREG(status.st_mode)) {
        *bytes = (uint64_t)status.st_size;
        return file;
    }
    if (file >= 0)
        close(file);
    *why = reason ? summand__reason(reason) : "not a regular file";
    errno = reason;
    return -1;
}

FILE *summand__input_file(const char *path, uint64_t *bytes, const char **why)
{
    const int file = summand__input_open(path, bytes, why);
    FILE *stream = file < 0 ? NULL : fdopen(file, "rb");
    if (file >= 0 && !stream) {
        *why = summand__reason(errno);
        close(file);
    }
    return stream;
}

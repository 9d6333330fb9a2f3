/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/absolute.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool summand__absolute(const char *path, char *whole, size_t room)
{
    *whole = '\0';
    if (*path != '/' && !getcwd(whole, room))
        return false;
    const size_t used = strlen(whole);
    const char *slash = *path == '/' || (used && whole[used - 1] == '/') ? "" : "/";
    if (used + strlen(slash) + strlen(path) < room) {
        snprintf(whole + used, room - used, "%s%s", slash, path);
        return true;
    }
    errno = ENAMETOOLONG;
    return false;
}

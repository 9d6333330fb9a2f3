/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/held.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quiet.h"
#include "base/warning.h"

static struct shim_held *all; /* of this process; set up in MPI_Init */

/* A child of fork may outlive this process; a launcher would wait for its stderr. */
static void close_in_child(void)
{
    for (struct shim_held *held = all; held; held = held->next)
        shim_held_close(held);
}

/* Above what the program's own files get, and below what select() takes. */
static int move_high(int descriptor)
{
    enum { HIGH = 1000 };
    struct rlimit limit;
    const bool known = !getrlimit(RLIMIT_NOFILE, &limit);
    const int least = known && limit.rlim_cur < HIGH + 24 ? (int)(limit.rlim_cur / 8 * 7) : HIGH;
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, least);
    if (high < 0)
        return descriptor;
    close(descriptor);
    return high;
}

void shim_held_take(struct shim_held *held, int descriptor)
{
    struct stat status;
    shim_held_close(held); /* an earlier one */
    if (descriptor < 0)
        return;
    descriptor = move_high(descriptor);
    if (fstat(descriptor, &status)) {
        close(descriptor);
        return;
    }
    held->device = status.st_dev;
    held->inode = status.st_ino;
    held->descriptor = descriptor;
    struct shim_held *other = all;
    while (other && other != held)
        other = other->next;
    if (other)
        return;
    if (!all)
        pthread_atfork(NULL, NULL, close_in_child);
    held->next = all;
    all = held;
}

bool shim_held_is(const struct shim_held *held, int descriptor)
{
    struct stat status;
    return descriptor >= 0 && !fstat(descriptor, &status) && status.st_dev == held->device &&
           status.st_ino == held->inode;
}

bool shim_held_is_ours(const struct shim_held *held)
{
    return shim_held_is(held, held->descriptor);
}

bool shim_held_close(struct shim_held *held)
{
    const int descriptor = held->descriptor;
    const bool ours = shim_held_is_ours(held);
    held->descriptor = -1;
    return !ours || !close(descriptor);
}

static struct shim_held errors = {.descriptor = -1};

void shim_say_begin(void)
{
    shim_held_take(&errors, fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

void shim_say_text(const char *text, size_t length)
{
    if (shim_held_is_ours(&errors))
        (void)summand__write_all(errors.descriptor, text, length); /* a failure cannot be told */
}

void shim_vsay(const char *format, va_list list)
{
    char words[1024];
    summand__vformat(words, sizeof words, format, list);
    if (shim_held_is_ours(&errors))
        summand__tell_to(errors.descriptor, words);
}

void shim_say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    shim_vsay(format, list);
    va_end(list);
}

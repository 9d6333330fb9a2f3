/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record_out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quiet.h"
#include "core/held.h"

enum { WINDOW = 1 << 16 };

static struct shim_held file = {.descriptor = -1};
static char path[PATH_MAX + 32];
static char *window; /* of the file, from `begin` on; NULL: lines are writes */
static off_t begin;
static size_t used;
static const char *error;

static off_t end_of_lines(void)
{
    return begin + (off_t)used;
}

/* The program has closed the descriptor: opens the file again, if it is still the same. */
static bool reopen(void)
{
    const int again = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (!shim_held_is(&file, again)) {
        if (again >= 0)
            close(again);
        return false;
    }
    shim_held_take(&file, again);
    return file.descriptor >= 0;
}

static bool is_ours(void)
{
    return shim_held_is_ours(&file) || reopen();
}

/* A record with a gap could be taken for a whole one, so nothing follows an error. */
static bool fail(const char *why, off_t whole)
{
    error = why;
    if (window)
        munmap(window, WINDOW);
    window = NULL;
    if (is_ours())
        (void)!ftruncate(file.descriptor, whole); /* else readers leave the cut line out */
    return false;
}

/* Blanks take their place on the disk now: memory whose disk is full would be a signal. */
static const char *next_window(off_t at)
{
    static char blanks[WINDOW];
    memset(blanks, ' ', sizeof blanks);
    if (!is_ours())
        return "the program has closed the file, and it is gone";
    if (lseek(file.descriptor, at, SEEK_SET) < 0 ||
        !summand__write_all(file.descriptor, blanks, sizeof blanks))
        return summand__reason(errno);
    void *next =
        mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.descriptor, at);
    if (next == MAP_FAILED)
        return summand__reason(errno);
    if (window)
        munmap(window, WINDOW);
    (void)flock(file.descriptor,
                LOCK_EX | LOCK_NB); /* the window held that of a closed descriptor */
    window = next;
    begin = at;
    used = 0;
    return NULL;
}

static bool write_lines(const char *lines, size_t count)
{
    const bool ours = is_ours();
    if (ours && summand__write_all(file.descriptor, lines, count)) {
        begin += (off_t)count;
        return true;
    }
    return fail(ours ? summand__reason(errno) : "the program has closed the file", begin);
}

static const char *make_room(void)
{
    return used == WINDOW ? next_window(begin + WINDOW) : NULL;
}

/* The end of the last line comes after all else, so no line that is cut has one. */
bool record_out_put(const char *lines, size_t count)
{
    const off_t whole = end_of_lines();
    const char *why = NULL;
    if (error || !count || !record_out_is_open())
        return !error;
    if (!window)
        return write_lines(lines, count);
    for (count--; count && !(why = make_room());) {
        const size_t room = WINDOW - used, part = count < room ? count : room;
        memcpy(window + used, lines, part);
        used += part;
        lines += part;
        count -= part;
    }
    if (why || (why = make_room()))
        return fail(why, whole);
    __atomic_store_n(&window[used++], '\n', __ATOMIC_RELEASE);
    return true;
}

/* A new file in the place of an old one: a program that still writes its record to that one would
 * not survive if its file became shorter. */
static int open_new(void)
{
    struct stat status;
    const int old = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (old < 0 || (flock(old, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) ||
        lstat(path, &status) || !S_ISREG(status.st_mode) || !status.st_size)
        return old;
    close(old);
    if (unlink(path))
        return -1;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

const char *record_out_open(const char *name)
{
    snprintf(path, sizeof path, "%s", name);
    const int opened = open_new();
    if (opened < 0)
        return summand__reason(errno);
    /* A program that a rank starts would replace that rank's record. */
    if (flock(opened, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(opened);
        return "a running program writes its record there; this one is not recorded";
    }
    struct stat status;
    const bool regular = !fstat(opened, &status) && S_ISREG(status.st_mode);
    shim_held_take(&file, opened);
    begin = 0;
    used = 0;
    error = NULL;
    const char *why = regular ? next_window(0) : NULL;
    if (why && ftruncate(file.descriptor, 0)) /* without mappings: lines are writes */
        return why;
    if (why && lseek(file.descriptor, 0, SEEK_SET))
        return why;
    return NULL;
}

bool record_out_is_open(void)
{
    return file.descriptor >= 0; /* not in a child */
}

const char *record_out_error(void)
{
    return error;
}

const char *record_out_close(void)
{
    if (!record_out_is_open())
        return error;
    const off_t whole = end_of_lines();
    if (window) {
        munmap(window, WINDOW);
        window = NULL;
        if (!error && !(is_ours() && !ftruncate(file.descriptor, whole)))
            error = "blanks are left at its end";
    }
    if (!shim_held_close(&file) && !error)
        error = summand__reason(errno);
    return error;
}

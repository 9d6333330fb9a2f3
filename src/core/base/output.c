/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PROC_FILES = 0x9fa0, MOST_LINKS = 40, MOST_TRIES = 100, EVERYBODY = 0666 };

/* The folder of a file: "." or the part before the last slash. */
static void folder_of(const char *file, char folder[PATH_MAX])
{
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash - file) + 1 : 0;
    memcpy(folder, file, length);
    strcpy(folder + length, ".");
}

static bool in_proc(const char *file)
{
    char folder[PATH_MAX];
    struct statfs system;
    folder_of(file, folder);
    return !statfs(folder, &system) && system.f_type == PROC_FILES;
}

/* Follows a chain of links to its last file, in `target`; it need not exist. A link of /proc means
 * an open file, not a name, so it ends the chain. */
static bool follow(char target[PATH_MAX])
{
    for (int links = 0; links < MOST_LINKS; links++) {
        char link[PATH_MAX];
        ssize_t length = readlink(target, link, sizeof link - 1);
        if (length < 0)
            return errno == EINVAL || errno == ENOENT;
        if (in_proc(target))
            return true;
        link[length] = '\0';
        char *name = strrchr(target, '/');
        name = *link == '/' || !name ? target : name + 1;
        if ((size_t)length + 2 > PATH_MAX - (size_t)(name - target)) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(name, link, (size_t)length + 1);
    }
    errno = ELOOP;
    return false;
}

/* The descriptor of this process that a link of /proc means, or -1. Opening it anew would write
 * from the beginning, over other output. */
static int own_descriptor(const char *link, const struct stat *there)
{
    struct stat own;
    char *end;
    const char *name = strrchr(link, '/') + 1;
    long number = strtol(name, &end, 10);
    if (end == name || *end || number > INT_MAX || fstat((int)number, &own) ||
        own.st_dev != there->st_dev || own.st_ino != there->st_ino)
        return -1;
    return (int)number;
}

static int open_direct(const char *target, const struct stat *there, bool writes)
{
    int own = in_proc(target) ? own_descriptor(target, there) : -1;
    if (own < 0)
        return open(target, O_WRONLY | (writes ? O_TRUNC : 0) | O_CLOEXEC | O_NOCTTY);
    if (writes)
        fflush(NULL); /* earlier output of this process comes first */
    return fcntl(own, F_DUPFD_CLOEXEC, 0);
}

/* Draws a name beside the target that cannot be guessed for planting a link. */
static bool draw_name(struct summand__output *output)
{
    uint64_t number;
    folder_of(output->target, output->draft);
    size_t length = strlen(output->draft) - 1; /* without the dot */
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return false;
    int room = (int)(PATH_MAX - length);
    if (snprintf(output->draft + length, (size_t)room, ".summand-%016llx",
                 (unsigned long long)number) < room)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static void forget_name(struct summand__output *output)
{
    *output->draft = '\0';
}

static int open_named(struct summand__output *output)
{
    int file = -1;
    for (int i = 0; i < MOST_TRIES && file < 0 && (!i || errno == EEXIST); i++) {
        if (draw_name(output))
            file = open(output->draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        EVERYBODY);
    }
    if (file < 0)
        forget_name(output);
    return file;
}

/* Opens an unnamed file if possible: it disappears with this process, however that ends. */
static int open_draft(struct summand__output *output)
{
    char folder[PATH_MAX];
    folder_of(output->target, folder);
    int file = access("/proc/self/fd", X_OK)
                   ? -1
                   : open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, EVERYBODY);
    return file < 0 ? open_named(output) : file;
}

/* Copies owner and permissions of the old file, as far as this process may. */
static bool take_after(int file, const struct stat *old)
{
    struct stat now;
    if (fstat(file, &now))
        return false;
    bool same = now.st_uid == old->st_uid && now.st_gid == old->st_gid;
    if (!same && fchown(file, old->st_uid, old->st_gid) && errno != EPERM)
        return false;
    return !fchmod(file, old->st_mode & 0777);
}

static int open_either(struct summand__output *output, bool writes)
{
    struct stat old;
    bool exists = !stat(output->target, &old);
    if ((!exists && errno != ENOENT) || !follow(output->target))
        return -1;
    output->direct = exists && (!S_ISREG(old.st_mode) || in_proc(output->target));
    if (output->direct)
        return open_direct(output->target, &old, writes);
    if (exists && faccessat(AT_FDCWD, output->target, W_OK, AT_EACCESS))
        return -1;
    const char *name = strrchr(output->target, '/');
    if (!*(name ? name + 1 : output->target)) {
        errno = *output->target ? EISDIR : ENOENT;
        return -1;
    }
    int file = open_draft(output);
    if (file >= 0 && exists && !take_after(file, &old)) {
        int why = errno;
        close(file);
        if (*output->draft)
            unlink(output->draft);
        errno = why;
        return -1;
    }
    return file;
}

static bool open_path(struct summand__output *output, const char *path, bool writes)
{
    *output = (struct summand__output){.file = NULL};
    if (strlen(path) >= PATH_MAX - 1) { /* a folder's name may need one more character */
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(output->target, path);
    int file = open_either(output, writes);
    if (file < 0)
        return false;
    output->file = fdopen(file, "w");
    if (output->file)
        return true;
    close(file);
    if (*output->draft)
        unlink(output->draft);
    return false;
}

bool summand__output_open(struct summand__output *output, const char *path)
{
    return open_path(output, path, true);
}

bool summand__output_swallows(const struct stat *there)
{
    enum { MEMORY_DEVICES = 1 }; /* their number in Linux */
    return S_ISCHR(there->st_mode) && major(there->st_rdev) == MEMORY_DEVICES;
}

/* The draft takes a block, as it would not on a full disk. */
static bool takes_block(const struct summand__output *output)
{
    static const char block[4096];
    struct stat there;
    if (output->direct &&
        (fstat(fileno(output->file), &there) || !summand__output_swallows(&there)))
        return true; /* somebody could read it */
    ssize_t written = write(fileno(output->file), block, sizeof block);
    if (written >= 0 && written < (ssize_t)sizeof block)
        errno = ENOSPC;
    return written == (ssize_t)sizeof block;
}

bool summand__output_writable(const char *path, bool room)
{
    struct summand__output output;
    if (!open_path(&output, path, false))
        return false;
    bool good = !room || takes_block(&output);
    int why = errno;
    summand__output_close(&output, false);
    errno = why;
    return good;
}

/* Flushes and checks the data, and syncs them to the disk. stdio keeps no reason for a failure:
 * writing one more byte gives it. */
static bool settle(struct summand__output *output)
{
    bool failed = ferror(output->file);
    if (failed) {
        errno = EIO;
        fputc('\n', output->file);
        fflush(output->file);
        return false;
    }
    if (fflush(output->file))
        return false;
    return output->direct || !fsync(fileno(output->file)) || errno == EINVAL;
}

static bool give_name(struct summand__output *output)
{
    char own[64];
    if (*output->draft)
        return true;
    snprintf(own, sizeof own, "/proc/self/fd/%d", fileno(output->file));
    for (int i = 0; i < MOST_TRIES; i++) {
        if (draw_name(output) && !linkat(AT_FDCWD, own, AT_FDCWD, output->draft, AT_SYMLINK_FOLLOW))
            return true;
        if (errno != EEXIST)
            break;
    }
    forget_name(output);
    return false;
}

bool summand__output_share(struct summand__output *output, off_t bytes)
{
    errno = EINVAL;
    return !output->direct && !fflush(output->file) && !ftruncate(fileno(output->file), bytes) &&
           give_name(output);
}

/* Renames the draft and syncs its folder. A folder that cannot be opened is left to the system. */
static bool publish(struct summand__output *output)
{
    char folder[PATH_MAX];
    if (rename(output->draft, output->target))
        return false;
    forget_name(output);
    output->placed = true;
    folder_of(output->target, folder);
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = at < 0 || !fsync(at) || errno == EINVAL;
    if (at >= 0)
        close(at);
    return good;
}

bool summand__output_place(struct summand__output *output)
{
    return settle(output) &&
           (output->direct || output->placed || (give_name(output) && publish(output)));
}

bool summand__output_close(struct summand__output *output, bool good)
{
    bool names = !output->direct && !output->placed;
    int why = errno;
    if (good || ferror(output->file)) {
        good = settle(output) && (!names || give_name(output));
        why = errno;
    }
    if (fclose(output->file) && good) {
        good = false;
        why = errno;
    }
    output->file = NULL;
    if (good && names && !publish(output)) {
        good = false;
        why = errno;
    }
    if (*output->draft)
        unlink(output->draft);
    errno = why;
    return good;
}

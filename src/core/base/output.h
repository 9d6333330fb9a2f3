/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a file whole or not at all. Data go to an unnamed file in the target's folder; once all
 * are on the disk, it takes the target's name. So a full disk or a signal leaves the old file
 * unchanged. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

struct summand__output {
    FILE *file;            /* for the caller to write to */
    char target[PATH_MAX]; /* the file itself if the caller's path is a link */
    char draft[PATH_MAX];  /* its name until then; empty: none */
    bool direct;           /* a terminal, pipe or device: written directly */
    bool placed;
};

/* Opens a file to replace the one at `path`, with the same permissions. Follows links. A path to
 * something else than a regular file (/dev/null, a pipe), or to a descriptor of this process
 * (/dev/stdout, /dev/fd/5), is written directly. False: see errno; do not close it.
 *
 * On file systems without unnamed files (NFS, Lustre), the file is called ".summand-" and 16 random
 * digits, and remains if the process is killed. */
bool summand__output_open(struct summand__output *output, const char *path);

/* True if it could be opened so, and, with `room`, takes some data; leaves no trace. Nothing is
 * written to what somebody may read at once, such as a pipe. False: see errno. */
bool summand__output_writable(const char *path, bool room);
/* True for /dev/null, /dev/full and the like: what is written there is lost, or refused. */
bool summand__output_swallows(const struct stat *there);

/* Names the draft (`draft`), so that others may open it for writing, and sets its length to
 * `bytes`. It remains if the process is killed. Fails for direct writing (EINVAL). False: see
 * errno. */
bool summand__output_share(struct summand__output *output, off_t bytes);

/* Gives the data written so far the target's name; more may be appended afterwards. False: the
 * target is unchanged; see errno. */
bool summand__output_place(struct summand__output *output);

/* Ends it. With `good`, the data take the target's name; else they are dropped. False: not `good`,
 * or not all data could be written; see errno. The target is then unchanged, or as it was
 * placed. */
bool summand__output_close(struct summand__output *output, bool good);

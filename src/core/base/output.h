/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is written whole or not at all. What is written goes to a file without a name in the
 * target's folder; once all of it is on the disk, it takes the target's name. So a full disk or a
 * signal leaves the old file as it was. */
#ifndef SUMMAND_BASE_OUTPUT_H
#define SUMMAND_BASE_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct summand__output {
    FILE *file;            /* to be written to */
    char target[PATH_MAX]; /* the file itself, where the caller's path is a link to it */
    char draft[PATH_MAX];  /* its name until then; empty: it has none */
    bool direct;           /* a terminal, pipe or device: written as it stands */
    bool placed;
};

/* Opens a file that is to replace the one at `path`, with the permissions of that one. Links are
 * followed. A path to what is no regular file (/dev/null, a pipe), or to a descriptor of this
 * process
 * (/dev/stdout, /dev/fd/5), is written to directly. False: see errno; there is nothing to close.
 *
 * Where the file system has no files without a name (NFS, Lustre), the file is called
 * ".summand-" and 16 random digits, and stays when the process is killed. */
bool summand__output_open(struct summand__output *output, const char *path);

/* Whether it could be opened so, without a trace; false: see errno. */
bool summand__output_writable(const char *path);

/* Gives the draft a name (`draft`) by which others may open it for writing, and makes it `bytes`
 * long: a killed process leaves it there. Not for what is written directly (EINVAL). False: errno
 * says why. */
bool summand__output_share(struct summand__output *output, off_t bytes);

/* What was written so far takes the target's name now; more may be appended afterwards. False: the
 * target is as it was, and errno says why. */
bool summand__output_place(struct summand__output *output);

/* Ends it. With `good`, what was written takes the target's name; without, it is dropped. False:
 * not `good`, or not everything could be written, and errno says why. Then the target is as it was
 * before, or as it was placed. */
bool summand__output_close(struct summand__output *output, bool good);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/output/stdout.h"

bool output_open(struct output *output, const char *command, const char *path)
{
    bool screen = !path || !strcmp(path, "-");
    output->command = command;
    snprintf(output->path, sizeof output->path, "%s", screen ? "standard output" : path);
    if (screen) {
        progress_hide();
        output->file = stdout;
        return true;
    }
    if (!summand__output_open(&output->beside, path))
        return !complain(command, "%s: %s", path, strerror(errno));
    output->file = output->beside.file;
    return true;
}

/* Errors of standard output are reported once, at the end (stdout.h). */
bool output_close(struct output *output, bool good)
{
    if (output->file == stdout)
        return stdout_flush() && good;
    bool failed = ferror(output->file), closed = summand__output_close(&output->beside, good);
    if (failed || (good && !closed))
        complain(output->command, "%s: %s", output->path, strerror(errno));
    return closed && good;
}

/* The name of a probe file: in the folder, or at the folder's future place. */
static void file_of_folder(const char *folder, bool exists, char file[PATH_MAX])
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    snprintf(file, PATH_MAX, "%.*s%s", (int)length, folder, exists ? "/file" : "");
}

bool output_ready(const char *command, const char *path, bool folder)
{
    struct stat there;
    char file[PATH_MAX];
    bool exists = !stat(path, &there), screen = !folder && !strcmp(path, "-");
    bool special = exists && !folder && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
    if (screen || (special && !summand__output_swallows(&there)))
        return true;
    if (folder)
        file_of_folder(path, exists, file);
    return summand__output_writable(folder ? file : path, !folder) ||
           !complain(command, "%s: %s", path, strerror(errno));
}

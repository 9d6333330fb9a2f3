#include "cli/common/output.h"

#include <errno.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/stdout.h"

bool output_open(struct output *output, const char *command, const char *path)
{
    bool screen = !path || !strcmp(path, "-");
    output->command = command;
    snprintf(output->path, sizeof output->path, "%s", screen ? "standard output" : path);
    if (screen) {
        output->file = stdout;
        return true;
    }
    if (!summand__output_open(&output->beside, path))
        return !complain(command, "%s: %s", path, strerror(errno));
    output->file = output->beside.file;
    return true;
}

/* What is wrong with standard output is told once, at the end (stdout.h). */
bool output_close(struct output *output, bool good)
{
    if (output->file == stdout)
        return stdout_flush() && good;
    bool failed = ferror(output->file), closed = summand__output_close(&output->beside, good);
    if (failed || (good && !closed))
        complain(output->command, "%s: %s", output->path, strerror(errno));
    return closed && good;
}

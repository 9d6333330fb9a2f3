#include "output.h"

#include <errno.h>
#include <string.h>

#include "cli.h"

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

bool output_close(struct output *output, bool good)
{
    bool failed = ferror(output->file), screen = output->file == stdout;
    bool closed =
        screen ? !fflush(stdout) && !failed : summand__output_close(&output->beside, good);
    if (failed || (good && !closed))
        complain(output->command, "%s: %s", output->path, strerror(errno));
    return closed && good;
}

#include "cli/common/output.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/agree.h"
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

static bool ready(const char *command, const char *path)
{
    struct output output;
    struct stat there;
    if (!path || !strcmp(path, "-") ||
        (!stat(path, &there) && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)))
        return true;
    if (!output_open(&output, command, path))
        return false;
    output_close(&output, false);
    return true;
}

bool outputs_ready(const char *command, const char *const *paths, int count)
{
    bool fine = true;
    for (int i = 0; i < count && cli_rank() == 0; i++)
        fine = ready(command, paths[i]) && fine;
    return fine;
}

bool outputs_ready_on_all(const char *command, const char *const *paths, int count)
{
    int up;
    bool fine = outputs_ready(command, paths, count);
    MPI_Initialized(&up);
    return up ? agree_fine(fine) : fine;
}

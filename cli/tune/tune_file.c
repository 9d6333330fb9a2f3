/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/tune/tune_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/output/output.h"
#include "lab/tuning/tuning.h"

static bool on_screen(const char *path)
{
    return !path || !strcmp(path, "-");
}

static char *read_all(FILE *file, size_t *length)
{
    char *text = NULL;
    size_t room = 0;
    *length = 0;
    do {
        if (*length == room) {
            room = 2 * room + 4096;
            text = need(realloc(text, room));
        }
        *length += fread(text + *length, 1, room - *length, file);
    } while (!feof(file) && !ferror(file));
    return text;
}

static bool parse(const char *command, const char *path, const char *machine, FILE *file,
                  struct summand__tuning *tuning)
{
    char fault[256];
    size_t length;
    struct summand__tuning read;
    char *text = read_all(file, &length);
    bool failed = !text || ferror(file);
    if (failed)
        complain(command, "%s: %s", path, text ? strerror(errno) : "out of memory");
    else if (!summand__tuning_parse(&read, text, length, fault, sizeof fault))
        failed = *fault ? complain(command, "%s: %s; move it away to start again", path, fault)
                        : complain(command, "%s: out of memory", path);
    free(text);
    if (failed)
        return false;
    if (*read.machine && strcmp(read.machine, machine) != 0)
        failed = complain(command, "%s: comes from another machine (%s); give another file", path,
                          read.machine);
    tuning->has_model = read.has_model;
    tuning->model = read.model;
    for (size_t i = 0; i < read.rules && !failed; i++) /* in turn, so that the last one counts */
        failed = !summand__tuning_put(tuning, &read.rule[i]) && complain(command, "out of memory");
    summand__tuning_free(&read);
    return !failed;
}

bool tune_file_read(const char *command, const char *path, const char *machine,
                    struct summand__tuning *tuning)
{
    *tuning = (struct summand__tuning){.rules = 0};
    snprintf(tuning->machine, sizeof tuning->machine, "%s", machine);
    uint64_t bytes;
    const char *why;
    FILE *file = on_screen(path) ? NULL : summand__input_file(path, &bytes, &why);
    if (!file)
        return on_screen(path) || errno == ENOENT || !complain(command, "%s: %s", path, why);
    bool good = parse(command, path, machine, file, tuning);
    fclose(file);
    if (!good)
        summand__tuning_free(tuning);
    return good;
}

bool tune_file_write(const char *command, const char *path, const char *head,
                     const struct summand__tuning *tuning)
{
    struct output output;
    if (!output_open(&output, command, path))
        return false;
    fputs(head, output.file);
    summand__tuning_write(tuning, output.file);
    return output_close(&output, true);
}

bool tune_file_write_model(const char *command, const char *path, const char *head,
                           const struct loggp *loggp)
{
    struct output output;
    if (!output_open(&output, command, path))
        return false;
    fputs(head, output.file);
    loggp_print_fit(loggp, "# ", output.file);
    model_print(&loggp->model, output.file);
    return output_close(&output, true);
}

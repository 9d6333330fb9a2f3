/* SPDX-License-Identifier: BSD-3-Clause */
/* Several launches of all processes: decisions made once per launch (placement of processes and
 * pages, connections) become part of the scatter. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"
#include "bench/need.h"
#include "cli/bench/bench.h"
#include "cli/common/cli.h"
#include "cli/ranks/launched.h"

extern char **environ;

enum { WORDS = 256, MOST_LAUNCHES = 1000 };

struct launch {
    char *words; /* a copy of the launcher's, split */
    char self[4096], file[64], seed[32];
    char *argv[WORDS];
    int count;
};

static bool add(struct launch *launch, char *word)
{
    if (launch->count + 1 >= WORDS)
        return false;
    launch->argv[launch->count++] = word;
    launch->argv[launch->count] = NULL;
    return true;
}

/* The launcher's words, this command, its arguments, and then the given arguments, which
 * override. */
static bool assemble(struct launch *launch, const struct bench_common *common, int argc,
                     char **argv)
{
    bool fine = true;
    char *rest = NULL;
    ssize_t length = readlink("/proc/self/exe", launch->self, sizeof launch->self - 1);
    launch->words = need(strdup(common->launcher));
    if (length < 0)
        return false;
    launch->self[length] = '\0';
    for (char *word = strtok_r(launch->words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        fine = fine && add(launch, word);
    fine = fine && add(launch, launch->self) && add(launch, (char *)"bench");
    for (int i = 0; i < argc; i++)
        fine = fine && add(launch, argv[i]);
    return fine && add(launch, (char *)"--launches=0") && add(launch, (char *)"--seed") &&
           add(launch, launch->seed) && add(launch, (char *)"--json") && add(launch, launch->file);
}

/* Runs it with standard output discarded; returns the exit status, or -1. */
static int start_and_wait(const struct launch *launch)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    errno = posix_spawnp(&child, launch->argv[0], &actions, NULL, launch->argv, environ);
    if (!errno)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&actions);
    return status < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int run_all(struct launch *launch, const struct command *command,
                   const struct bench_common *common, struct bench_report *report)
{
    for (int l = 0; l < common->launches; l++) {
        snprintf(launch->seed, sizeof launch->seed, "%lld", common->seed + l);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "launch %d of %lld\n", l + 1, common->launches);
        int status = start_and_wait(launch);
        if (status < 0)
            return complain(command->name, "%s: %s", launch->argv[0], strerror(errno));
        if (status > 0)
            return status;
        if (!bench_merge_json(report, launch->file))
            return complain(command->name, "launch %d made no report of the same cases", l + 1);
    }
    bench_report_derive(report);
    return bench_report_write(report, common);
}

static bool check(const struct command *command, const struct bench_common *common)
{
    if (launched_rank() == 0)
        return !complain(command->name, "--launches starts the launcher itself: leave mpirun "
                                        "away, and give it as --launcher");
    if (common->launches < 1 || common->launches > MOST_LAUNCHES)
        return !complain(command->name, "--launches: %lld is not between 1 and %d",
                         common->launches, MOST_LAUNCHES);
    if (!common->launcher[strspn(common->launcher, " ")])
        return !complain(command->name, "--launcher: no words");
    return true;
}

int bench_launches(const struct command *command, const struct bench_form *form,
                   const struct bench_common *common, int argc, char **argv)
{
    struct launch launch = {.words = NULL};
    struct bench_report report = {.command = command->name, .form = form, .budget = common->budget};
    const char *folder = summand__environment_foreign("TMPDIR");
    if (!check(command, common))
        return 2;
    snprintf(launch.file, sizeof launch.file, "%s/summand-bench-XXXXXX",
             folder && strlen(folder) < 32 ? folder : "/tmp");
    int file = mkstemp(launch.file);
    if (file < 0)
        return complain(command->name, "%s: %s", launch.file, strerror(errno));
    close(file);
    int status = assemble(&launch, common, argc, argv)
                     ? run_all(&launch, command, common, &report)
                     : complain(command->name, "--launcher: more words than %d", WORDS);
    unlink(launch.file);
    bench_report_free(&report);
    free(launch.words);
    return status;
}

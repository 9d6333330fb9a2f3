/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a program on data, and reads the numbers that it prints. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/judge/judge.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/ranks/interrupt.h"
#include "cli/timing/clock.h"

extern char **environ;

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum {
    OUTPUT_MOST = 1 << 16,
    POLL_MS = 100,
    GRACE = 3 /* seconds */
};

bool judged_holds(const struct judged *judged, const char *place)
{
    for (char **word = judged->words; *word; word++)
        if (strstr(*word, place))
            return true;
    return false;
}

/* A word with the values in place of {ranks} and {file}. */
static char *filled(const char *word, size_t ranks, const char *file)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    while (*word)
        if (!strncmp(word, "{ranks}", 7)) {
            fprintf(out, "%zu", ranks);
            word += 7;
        } else if (!strncmp(word, "{file}", 6)) {
            fputs(file, out);
            word += 6;
        } else
            fputc(*word++, out);
    fclose(out);
    return need(text);
}

/* As a shell takes it. */
static void print_quoted(const char *word, FILE *out)
{
    if (*word && !strpbrk(word, " \t\n'\"\\$`;&|<>()*?[]#~!")) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *judged_line(const struct judged *judged, size_t ranks, const char *file)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    for (char **word = judged->words; *word; word++) {
        char *one = filled(*word, ranks, file);
        fputs(word == judged->words ? "" : " ", out);
        print_quoted(one, out);
        free(one);
    }
    if (!judged_holds(judged, "{file}")) {
        fputs(" < ", out);
        print_quoted(file, out);
    }
    fclose(out);
    return need(text);
}

bool judged_write(const struct judged *judged, const char *path, const double *x, uint64_t count)
{
    struct output output;
    if (!output_open(&output, judged->command, path))
        return false;
    judged->format->write_head(output.file, count);
    judged->format->write_values(output.file, count, x);
    return output_close(&output, true);
}

/* Starts the program in a process group of its own, with its data as standard input if no word
 * names them; its errors go to a file. Returns the end of its output, or -1. */
static int start(const struct judged *judged, char **argv, FILE *errors, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        complain(judged->command, "no pipe: %s", strerror(errno));
        return -1;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
                                     judged_holds(judged, "{file}") ? "/dev/null" : judged->file,
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawnp(child, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!error)
        return ends[0];
    close(ends[0]);
    complain(judged->command, "%s: %s", argv[0], strerror(error));
    return -1;
}

enum end { ENDED, TOO_LATE, STOPPED };

/* Reads all that the program prints; keeps the last bytes. */
static enum end listen_to(int fd, double until, char *text)
{
    size_t have = 0;
    for (;;) {
        struct pollfd ready = {fd, POLLIN, 0};
        if (poll(&ready, 1, POLL_MS) > 0) {
            if (have == OUTPUT_MOST) {
                memmove(text, text + OUTPUT_MOST / 2, OUTPUT_MOST / 2);
                have = OUTPUT_MOST / 2;
            }
            const ssize_t got = read(fd, text + have, OUTPUT_MOST - have);
            if (got <= 0 && !(got < 0 && errno == EINTR))
                break;
            have += got > 0 ? (size_t)got : 0;
        }
        text[have] = 0;
        if (interrupted())
            return STOPPED;
        if (clock_now() > until)
            return TOO_LATE;
    }
    text[have] = 0;
    return ENDED;
}

/* The last line with a letter of what the program said on its standard error. */
static void last_words(FILE *errors, char *text, size_t room)
{
    char line[256];
    *text = 0;
    rewind(errors);
    while (fgets(line, sizeof line, errors)) {
        line[strcspn(line, "\n")] = 0;
        if (strpbrk(line, LETTERS))
            snprintf(text, room, ": it said '%s'", line);
    }
}

/* How a program ended badly; false: it did not. */
static bool ended_badly(struct judged *judged, const char *line, enum end end, int status,
                        FILE *errors)
{
    char said[300];
    last_words(errors, said, sizeof said);
    if (end == STOPPED)
        return true;
    if (end == TOO_LATE)
        complain(judged->command, "'%s' takes longer than %g s (--timeout)%s", line,
                 judged->timeout, said);
    else if (WIFSIGNALED(status))
        complain(judged->command, "'%s' was ended by signal %d%s", line, WTERMSIG(status), said);
    else if (WEXITSTATUS(status))
        complain(judged->command, "'%s' ended with status %d%s", line, WEXITSTATUS(status), said);
    else
        return false;
    return true;
}

/* The status of the program, which has closed its output, if it ends by itself before `until`. Else
 * it gets SIGTERM first: a launcher ends its ranks then. Sets *end if it must be ended. */
static int wait_for(pid_t child, double until, enum end *end)
{
    int status = 0;
    while (*end == ENDED && !waitpid(child, &status, WNOHANG)) {
        poll(NULL, 0, 1);
        *end = interrupted() ? STOPPED : clock_now() > until ? TOO_LATE : ENDED;
    }
    if (*end == ENDED)
        return status;
    kill(-child, SIGTERM);
    until = clock_now() + GRACE;
    while (clock_now() < until && !waitpid(child, &status, WNOHANG))
        poll(NULL, 0, POLL_MS / 10);
    kill(-child, SIGKILL); /* what it has left behind */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static bool run_once(struct judged *judged, size_t ranks, char *text)
{
    char **argv = NULL, *line = judged_line(judged, ranks, judged->file);
    FILE *errors = tmpfile();
    int words = 0, status = 0;
    pid_t child;
    while (judged->words[words])
        words++;
    argv = need(calloc((size_t)words + 1, sizeof *argv));
    for (int i = 0; i < words; i++)
        argv[i] = filled(judged->words[i], ranks, judged->file);
    const int fd = errors ? start(judged, argv, errors, &child) : -1;
    bool good = fd >= 0;
    if (!errors)
        complain(judged->command, "no temporary file: %s", strerror(errno));
    if (good) {
        const double until = clock_now() + judged->timeout;
        enum end end = listen_to(fd, until, text);
        close(fd);
        status = wait_for(child, until, &end);
        good = !ended_badly(judged, line, end, status, errors);
    }
    if (errors)
        fclose(errors);
    for (int i = 0; i < words; i++)
        free(argv[i]);
    free(argv);
    free(line);
    return good;
}

static int digits_of(const char *word)
{
    int digits = 0;
    bool leading = true;
    for (; *word && *word != 'e' && *word != 'E'; word++) {
        leading = leading && !(*word >= '1' && *word <= '9');
        digits += !leading && *word >= '0' && *word <= '9';
    }
    return digits;
}

/* The last `count` words that are numbers. */
static bool read_results(struct judged *judged, char *text, double *results, size_t count)
{
    char *rest = NULL;
    size_t found = 0;
    for (char *word = strtok_r(text, " \t\r\n,;:=[](){}", &rest); word;
         word = strtok_r(NULL, " \t\r\n,;:=[](){}", &rest)) {
        char *end;
        const double value = strtod(word, &end);
        if (end == word || *end)
            continue;
        if (found == count)
            memmove(results, results + 1, (count - 1) * sizeof *results);
        else
            found++;
        results[found - 1] = value;
        const int digits = strchr(word, 'x') ? 17 : digits_of(word);
        judged->digits = digits > judged->digits ? digits : judged->digits;
    }
    if (found == count)
        return true;
    complain(judged->command, "the program printed %zu number%s instead of %zu", found,
             found == 1 ? "" : "s", count);
    return false;
}

enum summand__judge_end judged_run(const struct summand__judge_input *input, double *results,
                                   void *of)
{
    struct judged *judged = of;
    char *text = need(malloc(OUTPUT_MOST + 1));
    progress_show("runs", judged->runs, judged->runs_expected);
    judged->runs += judged->runs + 1 < judged->runs_expected;
    const bool good =
        judged_write(judged, judged->file, input->x, (uint64_t)input->rows * input->columns) &&
        run_once(judged, input->parts, text) && read_results(judged, text, results, input->columns);
    free(text);
    return good            ? SUMMAND__JUDGE_DONE
           : interrupted() ? SUMMAND__JUDGE_STOPPED
                           : SUMMAND__JUDGE_FAILED;
}

double judged_seconds(struct judged *judged, const struct summand__judge_input *input)
{
    char *text = need(malloc(OUTPUT_MOST + 1));
    const double begin = clock_now();
    const bool good = run_once(judged, input->parts, text);
    free(text);
    return good ? clock_now() - begin : -1;
}

bool judged_begin(struct judged *judged)
{
    const char *parent = summand__environment_foreign("TMPDIR");
    if (snprintf(judged->folder, sizeof judged->folder, "%s/summand-judge-XXXXXX",
                 parent && *parent ? parent : "/tmp") >= (int)sizeof judged->folder) {
        complain(judged->command, "TMPDIR is longer than %zu characters",
                 sizeof judged->folder - 24);
        return false;
    }
    if (!mkdtemp(judged->folder)) {
        complain(judged->command, "%s: %s", judged->folder, strerror(errno));
        return false;
    }
    snprintf(judged->file, sizeof judged->file, "%s/terms%s", judged->folder,
             judged->format->ending);
    return true;
}

void judged_end(struct judged *judged)
{
    progress_hide();
    unlink(judged->file);
    rmdir(judged->folder);
}

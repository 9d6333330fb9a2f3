/* SPDX-License-Identifier: BSD-3-Clause */
/* bars [--interrupt] WORD...: runs the command (of SUMMAND's name) on a terminal of its own, with
 * bars of progress from the first step on, and shows its lines as they stay on the screen. With
 * --interrupt, Ctrl-C comes with the first bar. Fails if a piece of a bar stays in a line. The last
 * line is "bars: COUNT of them, status STATUS". */
#include <ctype.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/output/progress.h"

enum { COLUMNS = 400 };

/* A line of the screen. */
struct screen {
    char line[COLUMNS + 1];
    size_t at, bars;
    int escape; /* bytes of a sequence so far */
    bool failed;
};

/* The end of a bar: "] 71 %". */
static bool has_bar(const char *line)
{
    for (const char *at = line; (at = strstr(at, "] ")); at++) {
        const char *end = at + 2;
        while (*end == ' ' || isdigit((unsigned char)*end))
            end++;
        if (end > at + 2 && *end == '%')
            return true;
    }
    return false;
}

static void end_line(struct screen *screen)
{
    if (has_bar(screen->line)) {
        printf("a bar stays: ");
        screen->failed = true;
    }
    puts(screen->line);
    *screen = (struct screen){.bars = screen->bars, .failed = screen->failed};
}

/* True if the byte ends a bar. */
static bool take(struct screen *screen, char byte)
{
    if (screen->escape) {
        if (++screen->escape == 3) {
            if (byte == 'K')
                memset(screen->line + screen->at, 0, sizeof screen->line - screen->at);
            screen->escape = 0;
        }
    } else if (byte == '\033') {
        screen->escape = 1;
    } else if (byte == '\r') {
        screen->at = 0;
    } else if (byte == '\n') {
        end_line(screen);
    } else if (screen->at < COLUMNS) {
        screen->line[screen->at++] = byte;
        screen->bars += byte == '%' && has_bar(screen->line);
        return byte == '%' && has_bar(screen->line);
    }
    return false;
}

static int run(int argc, char **argv)
{
    const char *name = getenv("SUMMAND");
    const size_t length = name ? strlen(name) : 0;
    const bool study = length > 6 && !strcmp(name + length - 6, "-study");
    progress_silence = 0;
    setenv("TERM", "xterm", 1);
    unsetenv("COLUMNS");
    return program_main(study ? &program_study : &program_summand, argc, argv);
}

int main(int argc, char **argv)
{
    struct winsize size = {.ws_row = 50, .ws_col = 100};
    struct screen screen = {.at = 0};
    char bytes[4096];
    const bool interrupts = argc > 1 && !strcmp(argv[1], "--interrupt");
    int terminal, status = 0, signals = interrupts;
    const pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0)
        return 77;
    if (!child)
        exit(run(argc - interrupts, argv + interrupts));
    for (ssize_t got; (got = read(terminal, bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < got; i++)
            if (take(&screen, bytes[i]) && signals)
                signals -= !kill(child, SIGINT);
    end_line(&screen);
    waitpid(child, &status, 0);
    printf("bars: %zu of them, status %d\n", screen.bars,
           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return screen.failed;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/common/progress.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/launched.h"
#include "cli/common/text.h"

enum { BAR = 30 };
#define SILENT 1.0 /* seconds */
#define BETWEEN_BARS 0.2
#define BETWEEN_LINES 2.0

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The process has one standard error, and only this file knows its contents; threads share the
 * lock. */
static enum look { UNKNOWN, NOTHING, LINES, BARS } look;

/* Under a launcher stderr is a pipe whose other end may be a terminal. */
static enum look find_look(void)
{
    if (isatty(STDERR_FILENO))
        return BARS;
    int terminal = launched_rank() >= 0 ? open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (terminal < 0)
        return NOTHING;
    close(terminal);
    return LINES;
}

static void draw(const char *what, double part, bool over)
{
    char *line = text_line(what), name[61];
    text_fit(name, sizeof name, line);
    if (look == LINES) {
        if (!over)
            fprintf(stderr, "%s: %.0f %%\n", line, 100 * part);
    } else if (over) {
        fputs("\r\033[K", stderr);
    } else {
        int filled = (int)(BAR * part);
        fprintf(stderr, "\r\033[K%s [%.*s%*s] %3.0f %%", name, filled,
                "##############################", BAR - filled, "", 100 * part);
    }
    fflush(stderr);
    free(line);
}

void progress_show(const char *what, double done, double total)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static double started = -1, shown = -1;
    if (look == NOTHING || cli_rank())
        return;
    pthread_mutex_lock(&lock);
    if (look == UNKNOWN)
        look = find_look();
    bool over = done >= total;
    double time = now(), between = look == BARS ? BETWEEN_BARS : BETWEEN_LINES;
    if (started < 0)
        started = time;
    bool due = time - started > SILENT && time - shown > between;
    if (look != NOTHING && (over ? shown >= 0 : due)) {
        shown = time;
        draw(what, done > 0 && total > 0 ? (over ? 1 : done / total) : 0, over);
    }
    if (over)
        started = shown = -1;
    pthread_mutex_unlock(&lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output/progress.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "cli/common/cli.h"
#include "cli/output/text.h"
#include "cli/ranks/launched.h"

enum { BAR = 30, TAIL = sizeof " [] 100 %" - 1 };
/* Seconds. */
#define BETWEEN_BARS 0.2
#define BETWEEN_LINES 2.0
#define BETWEEN_STRETCHES 1.0

/* The process has one standard error, and only this file knows its contents; threads share the
 * lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum look { UNKNOWN, NOTHING, LINES, BARS } look;
static volatile sig_atomic_t on_screen; /* a bar is in the last line */
double progress_silence = 1;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool is_dumb(void)
{
    const char *term = summand__environment_foreign("TERM");
    return !term || !*term || !strcmp(term, "dumb");
}

/* Under a launcher stderr is a pipe whose other end may be a terminal. */
static enum look find_look(void)
{
    if (isatty(STDERR_FILENO))
        return is_dumb() ? LINES : BARS;
    int terminal = launched_rank() >= 0 ? open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (terminal < 0)
        return NOTHING;
    close(terminal);
    return LINES;
}

static void hide(void)
{
    if (on_screen)
        fputs("\r\033[K", stderr);
    on_screen = false;
}

static void hide_and_end(int signal)
{
    static const char off[] = "\r\033[K";
    if (on_screen && write(STDERR_FILENO, off, sizeof off - 1) < 0)
        on_screen = false;
    raise(signal); /* the action is the default one again */
}

/* A signal that would end the process takes its bar off before. */
static void guard(int signal)
{
    struct sigaction now,
        action = {.sa_handler = hide_and_end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    sigemptyset(&action.sa_mask);
    if (!sigaction(signal, NULL, &now) && now.sa_handler == SIG_DFL)
        sigaction(signal, &action, NULL);
}

/* A bar that is wider than the screen could not be taken back. */
static void draw_bar(const char *line, double part)
{
    const int columns = screen_columns(stderr);
    const int bar = columns - TAIL - 10 < BAR ? 0 : BAR, filled = (int)(bar * part);
    char name[61];
    size_t room = sizeof name;
    if (columns - TAIL - bar < (int)room)
        room = columns - TAIL - bar > 1 ? (size_t)(columns - TAIL - bar) : 1;
    text_fit(name, room, line);
    hide();
    guard(SIGINT);
    guard(SIGTERM);
    on_screen = true; /* before a signal can come */
    fprintf(stderr, "%s [%.*s%*s] %3.0f %%", name, filled, "##############################",
            bar - filled, "", 100 * part);
}

static void draw(const char *what, double part)
{
    char *line = text_line(what);
    if (look == LINES)
        fprintf(stderr, "%s: %.0f %%\n", line, 100 * part);
    else
        draw_bar(line, part);
    fflush(stderr);
    free(line);
}

void progress_show(const char *what, double done, double total)
{
    static double started = -1, shown = -1, ended = -1; /* ended: -1 while work goes on */
    if (look == NOTHING || cli_rank())
        return;
    pthread_mutex_lock(&lock);
    if (look == UNKNOWN)
        look = find_look();
    const double time = now(),
                 between = look == BARS ? BETWEEN_BARS * progress_silence : BETWEEN_LINES;
    if (started < 0 || (ended >= 0 && time - ended > BETWEEN_STRETCHES))
        started = time;
    ended = done >= total ? time : -1;
    if (done >= total) {
        hide();
        fflush(stderr);
    } else if (look != NOTHING && time - started >= progress_silence && time - shown >= between) {
        shown = time;
        draw(what, done > 0 && total > 0 ? done / total : 0);
    }
    pthread_mutex_unlock(&lock);
}

void progress_hide(void)
{
    pthread_mutex_lock(&lock);
    hide();
    fflush(stderr);
    pthread_mutex_unlock(&lock);
}

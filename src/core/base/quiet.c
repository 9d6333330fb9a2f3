/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/quiet.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int raised[] = {SIGPIPE, SIGXFSZ};

/* glibc's newlocale finds the C locale without memory. */
static locale_t plain;
static void find_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t summand__plain_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_plain);
    return plain;
}

void summand__quiet_begin(struct summand__quiet *quiet)
{
    const int error = errno;
    sigset_t both, pending;
    sigemptyset(&both);
    for (int i = 0; i < 2; i++)
        sigaddset(&both, raised[i]);
    pthread_sigmask(SIG_BLOCK, &both, &quiet->mask);
    sigpending(&pending);
    for (int i = 0; i < 2; i++)
        quiet->pending[i] = sigismember(&pending, raised[i]);
    quiet->locale = uselocale(summand__plain_locale());
    errno = error;
}

/* A signal that was not pending before is ours: it is taken away. */
void summand__quiet_end(const struct summand__quiet *quiet)
{
    const int error = errno;
    const struct timespec now = {0};
    sigset_t pending, ours;
    sigpending(&pending);
    for (int i = 0; i < 2; i++) {
        sigemptyset(&ours);
        sigaddset(&ours, raised[i]);
        if (!quiet->pending[i] && sigismember(&pending, raised[i]))
            sigtimedwait(&ours, NULL, &now);
    }
    uselocale(quiet->locale);
    pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
    errno = error;
}

bool summand__write_all(int descriptor, const char *bytes, size_t count)
{
    struct summand__quiet quiet;
    summand__quiet_begin(&quiet);
    while (count) {
        const ssize_t n = write(descriptor, bytes, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            break;
        bytes += n;
        count -= (size_t)n;
    }
    summand__quiet_end(&quiet);
    return !count;
}

int summand__vformat(char *text, size_t room, const char *format, va_list list)
{
    const locale_t before = uselocale(summand__plain_locale());
    const int length = vsnprintf(text, room, format, list);
    uselocale(before);
    return length;
}

int summand__format(char *text, size_t room, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = summand__vformat(text, room, format, list);
    va_end(list);
    return length;
}

const char *summand__reason(int error)
{
    return strerror_l(error, summand__plain_locale());
}

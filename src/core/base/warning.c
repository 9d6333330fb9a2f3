/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/warning.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/environment.h"

static bool wanted(void)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    return !summand__environment_read("SUMMAND_WARNINGS", &setting, &complaint) ||
           setting.number == 0;
}

static void say(const char *format, va_list list)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, list);
    fprintf(stderr, "summand: %s\n", text);
}

void summand__warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (wanted())
        say(format, list);
    va_end(list);
}

void summand__tell(const char *words)
{
    char text[1100];
    int length = snprintf(text, sizeof text, "summand: %s\n", words);
    if (length >= (int)sizeof text) {
        length = (int)sizeof text - 1;
        text[length - 1] = '\n';
    }
    if (write(STDERR_FILENO, text, (size_t)length) < 0) /* a failure cannot be reported */
        return;
}

void summand__warn_unknown(void)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    struct summand__complaint complaint;
    if (!atomic_flag_test_and_set(&warned) && summand__environment_unknown(&complaint))
        summand__warn("%s", complaint.text);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/warning.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/quiet.h"

static bool wanted(void)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    return !summand__environment_read("SUMMAND_WARNINGS", &setting, &complaint) ||
           setting.number == 0;
}

void summand__warn(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    summand__vformat(text, sizeof text, format, list);
    va_end(list);
    if (wanted())
        summand__tell(text);
}

void summand__tell_to(int descriptor, const char *words)
{
    char text[1100];
    int length = summand__format(text, sizeof text, "summand: %s\n", words);
    if (length >= (int)sizeof text) {
        length = (int)sizeof text - 1;
        text[length - 1] = '\n';
    }
    (void)summand__write_all(descriptor, text, (size_t)length); /* a failure cannot be reported */
}

void summand__tell(const char *words)
{
    summand__tell_to(STDERR_FILENO, words);
}

void summand__warn_unknown(void)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    struct summand__complaint complaint;
    if (!atomic_flag_test_and_set(&warned) && summand__environment_unknown(&complaint))
        summand__warn("%s", complaint.text);
}
